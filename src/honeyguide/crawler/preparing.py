"""Reads a fetched body before the crawl takes it in: a pure function, so it may run in another process.

A page is sent in few pieces, because many small objects take longer to hand over than to make. Words, addresses and
anchors are joined to one text each. None of them has a line end in it: white space in the text of a page is folded, and
a URL is written without.
"""

from __future__ import annotations

import logging
import pickle
import struct
from array import array
from collections import OrderedDict
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from time import thread_time
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import numpy as np
import xxhash

from honeyguide.errors import DocumentError
from honeyguide.guard import Fingerprint, fingerprint_of
from honeyguide.judge import kinds_of
from honeyguide.learn.features import link_texts
from honeyguide.model import WINDOW_WORDS, Candidates, Link, Occurrence, Origin, Page, Url
from honeyguide.registry import JUDGES
from honeyguide.settings import with_overrides

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.judge import LearningJudge, Verdicts
    from honeyguide.learn import Strategy
    from honeyguide.model import Fetched, LinkDescriptions, Verdict
    from honeyguide.settings import Settings
    from honeyguide.text import TextEncoder, WordVectors

log = logging.getLogger(__name__)

OBJECTS_BETWEEN_COLLECTIONS: Final = 50_000
"""Objects that a process that reads pages makes before it looks for cycles of garbage; Python's own number is 700.
The search took 6 to 13% of a crawl's processor time."""


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A page, ready to be taken in."""

    page: Page
    verdict: Verdict | Unjudged | None  # None where the crawl itself has to judge it
    packed_body: bytes | None  # as the store keeps it; None where that is left to the store
    fingerprint: Fingerprint | None = None  # where a guard is to see it
    parse_s: float = 0.0  # of processor time that reading it took: what other programs do meanwhile is not its cost
    judge_s: float = 0.0
    description: NDArray[np.float16] | None = None  # by which a judge that learns judges it, now and again
    encoded: dict[str, NDArray[np.float32]] | None = None  # texts of its links, read by an encoder beside the crawl
    label: bool | None = None  # that a hook has given it
    described: LinkDescriptions | None = None  # its links, where the strategy describes them ahead

    @property
    def seconds(self) -> float:
        """Time that it took to prepare."""
        return self.parse_s + self.judge_s


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A body of which no page could be made."""

    reason: str
    seconds: float = 0.0  # that were lost over it, where they are known
    by_hook: bool = False  # a hook broke on it, or took too long


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A page that the judge could say nothing of."""

    reason: str


class Preparer(Protocol):
    """Prepares pages beside the crawl."""

    def takes(self, fetched: Fetched) -> bool:
        """Whether it prepares this page; else whoever takes in the answer does."""
        ...

    async def prepare(self, url: Url, fetched: Fetched) -> Prepared | Unreadable:
        """The page that `fetched` holds; the same in any process."""
        ...

    def prepare_one_at_home(self) -> bool:
        """Prepare one of the pages that wait for it in this process, at once; False where there is none for that."""
        ...

    def note_idle(self, seconds: float) -> None:
        """The crawl had nothing to do for so long."""
        ...


LINKS_READ_AHEAD: Final = 200  # of a page, by an encoder in another process; some seconds


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that another process needs to prepare pages as this one would."""

    settings: Settings
    source: Any = None  # of word vectors that were given to the crawl
    judges: bool = True
    hook: bytes = b""  # a function that was given to the crawl; one that the settings name is loaded by its name

    @classmethod
    def of(cls, settings: Settings, vectors: WordVectors | None) -> Recipe:
        """For a crawl with these settings, and with these vectors if they are not the ones that the settings name."""
        judges = all(JUDGES[kind].by_page_alone for kind in kinds_of(settings))
        if vectors is not None and vectors.encoder is None:
            settings = with_overrides(settings, {"vectors.encoder": ""})
        recipe = cls(settings, None if vectors is None else vectors.source, judges)
        if vectors is None or not judges:
            return replace(recipe, source=None)
        try:
            pickle.dumps(recipe.source)
        except (pickle.PicklingError, TypeError, AttributeError):  # then the crawl judges itself
            return replace(recipe, source=None, judges=False)
        return recipe


class Preparation:
    """Prepares pages in this process, as far as it is given the means."""

    def __init__(
        self,
        parse: Callable[[Url, Fetched], Page],
        judge: Verdicts | None = None,
        pack: Callable[[bytes], bytes] | None = None,
        *,
        is_guarded: bool = False,
        encoder: TextEncoder | None = None,
        window_words: int = WINDOW_WORDS,
        strategy: Strategy | None = None,
        parse_unbounded: Callable[[Url, Fetched], Page] | None = None,
    ) -> None:
        """With `encoder`, the texts of links are read ahead of the crawl, with so many words on each side of them.

        With `strategy`, links are described as it would describe them. `parse_unbounded` reads pages whose markup need
        not be bounded.
        """
        self._parse_unbounded = parse_unbounded or parse
        self._strategy = strategy
        self._parse = parse
        self._encoder = encoder
        self._window_words = window_words
        self._judge = judge
        self._pack = pack
        self._is_guarded = is_guarded

    def prepare(self, url: Url, fetched: Fetched, *, bounds_markup: bool = True) -> Prepared | Unreadable:
        """Read a page. No body may end a crawl, whatever it does to the parser."""
        try:
            return self._prepare(url, fetched, self._parse if bounds_markup else self._parse_unbounded)
        except DocumentError as error:
            log.warning("%s: %s", url, error)
            return Unreadable(str(error))
        except Exception as error:
            log.warning("no page could be made of %s", url, exc_info=True)
            return Unreadable(_one_line(error))

    def _prepare(self, url: Url, fetched: Fetched, parse: Callable[[Url, Fetched], Page]) -> Prepared:
        started = thread_time()
        page = parse(url, fetched)
        parsed = thread_time()
        verdict, description = self._judged(page)
        judged = thread_time()
        fingerprint = fingerprint_of(page) if self._is_guarded else None
        packed = None if self._pack is None else self._pack(fetched.body)
        encoded = None if self._encoder is None else self._encoder.learn(_texts_of_links(page, self._window_words))
        return Prepared(
            page, verdict, packed, fingerprint, parsed - started, judged - parsed, description, encoded,
            described=self._described(page),
        )  # fmt: skip

    def _described(self, page: Page) -> LinkDescriptions | None:
        """Describe the links of a page, all of them: which are new, only the crawl knows."""
        if self._strategy is None:
            return None
        at_first = self._strategy.reads_first_occurrence
        return self._strategy.describe(
            Candidates.on_page(
                page, page.links, _unjudged(page), at_first_occurrence=at_first, window_words=self._window_words
            )
        )

    def _judged(self, page: Page) -> tuple[Verdict | Unjudged | None, NDArray[np.float16] | None]:
        """Judge a page; where the judge learns, only describe it: an answer may come before the page is taken in."""
        if self._judge is None:
            return None, None
        if self._judge.learner is None:
            return judge_safely(self._judge, page), None
        described = describe_safely(self._judge.learner, page)
        return (described, None) if isinstance(described, Unjudged) else (None, described)


def _texts_of_links(page: Page, window_words: int) -> list[str]:
    """Return what an encoder reads of a page's first links; the crawl sees to the others itself."""
    links = page.links[:LINKS_READ_AHEAD]
    return list(chain(*link_texts(Candidates.on_page(page, links, _unjudged(page), window_words=window_words))))


def _unjudged(page: Page) -> Origin:
    return Origin(page.url.host, relevance=0.0, distance=0, depth=0)


def judge_safely(judge: Verdicts, page: Page, description: NDArray[np.float16] | None = None) -> Verdict | Unjudged:
    """Judge a page. Nor may a page end a crawl by what it does to the judge."""
    try:
        return judge.judge(page, description)
    except Exception as error:
        log.warning("%s could not be judged", page.url, exc_info=True)
        return Unjudged(_one_line(error))


def describe_safely(judge: LearningJudge, page: Page) -> NDArray[np.float16] | Unjudged:
    """Describe a page for its judge, as safely."""
    try:
        return judge.describe(page)
    except Exception as error:
        log.warning("%s could not be described", page.url, exc_info=True)
        return Unjudged(_one_line(error))


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


ReadingKey: TypeAlias = tuple[str, str, int]
"""World and manner of parsing, address, and a hash of the body."""


class PagesRead:
    """Pages that crawls have read, for other crawls in this process that parse the same bodies in the same manner.

    What is kept is bounded; the page that was used longest ago goes first.
    """

    def __init__(self, most_bytes: int = 256_000_000) -> None:
        self.elsewhere_s = 0.0
        """Processor time that reading took, of pages that were read before or by another process."""
        self._most_bytes = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[ReadingKey, tuple[bytes, float]] = OrderedDict()

    def find(self, key: ReadingKey) -> Prepared | None:
        """Return the page, with the time that it took to read; None where it is not kept."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        pickled, parse_s = self._kept[key]
        self.elsewhere_s += parse_s
        return received(pickle.loads(pickled))  # noqa: S301 - our own, from this very process

    def keep(self, key: ReadingKey, prepared: Prepared, *, is_read_here: bool) -> None:
        """Keep the page, and nothing that a judge, a guard or a hook has made of it."""
        if not is_read_here:
            self.elsewhere_s += prepared.seconds
        pickled = pickle.dumps(shipped(Prepared(prepared.page, None, None, parse_s=prepared.parse_s)), protocol=5)
        self._kept[key] = pickled, prepared.parse_s
        self._bytes += len(pickled)
        while self._bytes > self._most_bytes:
            _, (oldest, _) = self._kept.popitem(last=False)
            self._bytes -= len(oldest)


class WithReadings:
    """A preparer to which no page is given that some crawl has read before."""

    def __init__(self, readings: PagesRead, manner: str, beside: Preparer | None, home: Preparation) -> None:
        """Pages come from the world, and are parsed in the manner, that `manner` names. Not where a hook sees pages.

        Those that `beside` does not take are read `home`.
        """
        self._readings = readings
        self._manner = manner
        self._beside = beside
        self._home = home

    def takes(self, fetched: Fetched) -> bool:  # noqa: ARG002 - any page may have been read before
        return True

    async def prepare(self, url: Url, fetched: Fetched) -> Prepared | Unreadable:
        key = self._manner, url.text, xxhash.xxh3_64_intdigest(fetched.body)
        kept = self._readings.find(key)
        if kept is not None:
            return kept
        is_read_here = self._beside is None or not self._beside.takes(fetched)
        if self._beside is None or is_read_here:
            prepared = self._home.prepare(url, fetched)
        else:
            prepared = await self._beside.prepare(url, fetched)
        if isinstance(prepared, Prepared):
            self._readings.keep(key, prepared, is_read_here=is_read_here)
        return prepared

    def prepare_one_at_home(self) -> bool:
        return self._beside is not None and self._beside.prepare_one_at_home()

    def note_idle(self, seconds: float) -> None:
        if self._beside is not None:
            self._beside.note_idle(seconds)


LENGTH: Final = struct.Struct("!Q")
"""Stands before every message, and says how many bytes it has."""

FIRST_DEADLINE_S: Final = 2.0
"""Seconds of processor time for a page whose markup is not bounded. A page of a megabyte takes a tenth of that, and the
first page of a process half a second more."""

READY: Final = -1
"""Number of the message by which a worker says that it is ready for pages."""

IN_HOOK: Final = -2
"""Number of the message by which a worker says that it shows its page to the hook from now on."""

_NO_REL: frozenset[str] = frozenset()
_occurrence = partial(tuple.__new__, Occurrence)
_PAGE_FIELDS: Final = tuple(each.name for each in fields(Page) if each.name not in ("words", "links"))
_rest_of = attrgetter(*_PAGE_FIELDS)


def framed(message: object) -> bytes:
    """A message as it is sent."""
    pickled = pickle.dumps(message, protocol=5)
    return LENGTH.pack(len(pickled)) + pickled


def shipped(prepared: Prepared) -> tuple[Any, ...]:
    """Pieces that are quick to pickle."""
    page = prepared.page
    links = page.links
    places = list(chain.from_iterable(link.occurrences for link in links))
    anchors, starts, ends, in_main = zip(*places, strict=True) if places else ((), (), (), ())
    rels = {number: link.rel for number, link in enumerate(links) if link.rel}
    paths = {number: link.tag_path for number, link in enumerate(links) if link.tag_path}
    return (
        _rest_of(page),
        _joined(page.words),
        _joined([link.target.text for link in links]),
        _joined(anchors),
        array("I", map(len, [link.occurrences for link in links])).tobytes(),
        array("I", starts).tobytes(),
        array("I", ends).tobytes(),
        bytes(in_main),
        rels,
        paths,
        prepared.verdict,
        prepared.packed_body,
        None if prepared.fingerprint is None else prepared.fingerprint.pack(),
        prepared.parse_s,
        prepared.judge_s,
        None if prepared.description is None else prepared.description.tobytes(),
        prepared.encoded,
        prepared.label,
        prepared.described,
    )


def received(pieces: tuple[Any, ...]) -> Prepared:
    """Undo `shipped`."""
    rest_of_page, words, targets, anchors, counts, starts, ends, in_main, rels, paths, verdict, *rest = pieces
    packed_body, packed_print, parse_s, judge_s, packed_description, encoded, label, described = rest
    places = list(
        map(_occurrence, zip(_split(anchors), _numbers(starts), _numbers(ends), map(bool, in_main), strict=True))
    )
    borders = pairwise(accumulate(_numbers(counts), initial=0))
    whole: dict[str, Any] = dict(zip(_PAGE_FIELDS, rest_of_page, strict=True))
    url = whole["url"]
    links = tuple(
        Link(
            Url(target),
            url,
            tuple(places[first:last]),
            rels.get(number, _NO_REL) if rels else _NO_REL,
            paths.get(number, "") if paths else "",
        )
        for number, (target, (first, last)) in enumerate(zip(_split(targets), borders, strict=True))
    )
    fingerprint = None if packed_print is None else Fingerprint.unpack(packed_print)
    description = None if packed_description is None else np.frombuffer(packed_description, dtype=np.float16)
    page = Page(words=tuple(_split(words)), links=links, **whole)
    return Prepared(page, verdict, packed_body, fingerprint, parse_s, judge_s, description, encoded, label, described)


def _joined(texts: Sequence[str]) -> str | None:
    return "\n".join(texts) if texts else None


def _split(joined: str | None) -> list[str]:
    return [] if joined is None else joined.split("\n")


def _numbers(packed: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(packed)
    return numbers
