"""A run by its folder or as it is: what every call that reads one takes.

A page of a run as a row: what every export of pages is made of.

The text of stored pages. Runs keep bodies, not text: it is made again as the crawl had made it.

The part of a text that speaks most of a topic, short enough to read in a list.

Snippets of the stored pages of a run: of each, the part that speaks of the run's topic.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final

from honeyguide.guard import Fingerprint
from honeyguide.model import Fetched
from honeyguide.parse import parse, rules_of
from honeyguide.runs.run import Run, open_run
from honeyguide.text import WORD, Stems, main_text, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from honeyguide.runs.pages import KeptPage, KeptPages


def opened(run: Run | Path | str) -> AbstractContextManager[Run]:
    """A run to read: opened here and closed at the end, or the caller's own, which stays open."""
    return nullcontext(run) if isinstance(run, Run) else open_run(run)


MOST_PARENTS: Final = 100
"""Of a page are named; a front page may be linked from every other one."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PageRecord:
    """One page. The fields are the columns, in their order."""

    url: str
    host: str
    fetched_at: datetime  # offline the crawl's simulated time, from 1970
    step: int  # the fetch that brought it, from 1
    status: int
    media_type: str
    body_bytes: int
    title: str
    text: str | None  # the main text, white space folded; None where the run kept no body, or nobody asked
    words: int  # of all its text
    score: float  # of its link, when that was chosen
    relevance: float  # from 0 to 1
    is_relevant: bool
    reward: float | None
    depth: int  # clicks from a seed
    found_on: str | None  # the page whose link was followed; None for a seed
    parents: tuple[str, ...]  # pages that link here, in order of discovery, the first hundred
    parent_count: int
    canonical: str | None  # the other address that the page calls its own
    digest: str  # of title and text: equal for pages that read the same
    simhash: str | None  # 64 bits in hexadecimal: few differ between pages that read much alike; None without a guard
    robots: str  # what robots.txt said: allowed, no-file, ignored by setting, or empty where none was asked
    robots_tag: str | None  # the X-Robots-Tag headers, one a line


def records_of(run: Run, pages: KeptPages, *, with_text: bool = True) -> Iterator[PageRecord]:
    """The pages as rows, in the order they came, one in memory at a time; within `run.at_one_moment`."""
    return (record for _, record in numbered_records_of(run, pages, with_text=with_text))


def numbered_records_of(run: Run, pages: KeptPages, *, with_text: bool = True) -> Iterator[tuple[int, PageRecord]]:
    """As `records_of`, each with the page's number in the run, by which links name it."""
    texts = PageTexts(run, pages)
    obeys_robots = run.settings.politeness.obey_robots
    for page in pages.all():
        parents = pages.parents(page, MOST_PARENTS)
        record = PageRecord(
            url=page.url.text,
            host=page.url.host,
            fetched_at=moment_of(page.fetched_at),
            step=page.step,
            status=page.status,
            media_type=page.media_type,
            body_bytes=page.body_bytes,
            title=page.title,
            text=texts.main_text(page) if with_text else None,
            words=page.words,
            score=page.score,
            relevance=page.relevance,
            is_relevant=page.is_relevant,
            reward=page.reward,
            depth=page.depth,
            found_on=None if page.found_on is None else page.found_on.text,
            parents=tuple(url.text for url in parents.urls),
            parent_count=parents.count,
            canonical=None if page.canonical is None else page.canonical.text,
            digest=page.digest,
            simhash=_simhash(pages.fingerprint(page)),
            robots=pages.robots(page) if obeys_robots else "ignored",
            robots_tag=page.robots_tag or None,
        )
        yield page.link, record


def _simhash(fingerprint: bytes | None) -> str | None:
    return None if fingerprint is None else f"{Fingerprint.unpack(fingerprint).simhash:016x}"


def moment_of(clock_time: float) -> datetime:
    """A time on the crawl's clock as a date, to the microsecond."""
    return _EPOCH + timedelta(seconds=clock_time)


def iso(moment: datetime) -> str:
    """As in 2026-03-01T12:00:00.250000Z."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class PageTexts:
    """Makes texts of the pages of a run that is open."""

    def __init__(self, run: Run, pages: KeptPages) -> None:
        settings = run.settings
        self._pages = pages
        self._rules = rules_of(settings.crawl.profile)
        self._agent = settings.fetch.product

    def main_text(self, page: KeptPage) -> str | None:
        """The text outside navigation, header and footer, white space folded; None where the body was not kept."""
        body = self._pages.body(page)
        if body is None:
            return None
        fetched = Fetched(page.status, page.content_type, body, robots_tag=page.robots_tag)
        return main_text(parse(page.url, fetched, rules=self._rules, agent=self._agent)).strip()


SNIPPET_WORDS: Final = 36
MOST_WORDS_READ: Final = 5_000
"""Of a page are looked through: one that speaks of a topic at all does so before its word 5,000."""
LONGEST: Final = 400
"""Characters. In some scripts, and in what is no language, words have no end."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text, and which parts of it are words of the topic: half-open ranges of characters, in order."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The text in order, each piece with whether it is marked."""
        at = 0
        for start, end in self.marks:
            yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        yield self.text[at:], False


class Snippets:
    """Cuts snippets for one topic."""

    def __init__(self, phrases: Iterable[str], language: str = "english", words: int = SNIPPET_WORDS) -> None:
        """`phrases` are what the topic is called by; every word of them counts, in any form."""
        self._stems = Stems(language)
        self._of_topic = frozenset(self._stems.of([word for phrase in phrases for word in words_of(phrase)]))
        self._words = words

    def of(self, text: str) -> Snippet:
        """The first window with the most words of the topic in it, different ones counting threefold.

        Without such words it is the beginning of the text.
        """
        lowered = text.lower()
        if len(lowered) != len(text):  # a letter such as İ is longer in lower case: places there are not places here
            text = lowered
        places = [match.span() for match in islice(WORD.finditer(lowered), MOST_WORDS_READ)]
        if not places:
            return _cut(Snippet(text.strip()))
        stems = self._stems.of([lowered[start:end] for start, end in places])
        found = [number for number, stem in enumerate(stems) if stem in self._of_topic]
        first = max(0, min(_best_window(found, stems, self._words), len(places) - self._words))
        last = min(first + self._words, len(places))
        start = places[first][0] if first else 0
        end = places[last - 1][1] if last < len(places) or last == MOST_WORDS_READ else len(text)
        before, after = "… " if first else "", " …" if end < len(text) else ""
        shift = len(before) - start
        marks = [(places[number][0] + shift, places[number][1] + shift) for number in found if first <= number < last]
        return _cut(Snippet(before + text[start:end] + after, tuple(marks)))


def _best_window(found: Sequence[int], stems: Sequence[str], words: int) -> int:
    """Where the best window begins: a few words before the first word of the topic in it."""
    lead = words // 6
    best, best_worth = 0, 0
    for index, number in enumerate(found):
        inside = found[index : bisect_left(found, number + words - lead)]
        worth = len(inside) + 2 * len({stems[each] for each in inside})
        if worth > best_worth:
            best, best_worth = number - lead, worth
    return best


def _cut(snippet: Snippet) -> Snippet:
    if len(snippet.text) <= LONGEST:
        return snippet
    return Snippet(snippet.text[: LONGEST - 1] + "…", tuple(mark for mark in snippet.marks if mark[1] < LONGEST))


class PageSnippets:
    """Cuts snippets of the pages of a run that is open."""

    def __init__(self, run: Run, pages: KeptPages) -> None:
        settings = run.settings
        self._texts = PageTexts(run, pages)
        self._cut = Snippets((settings.topic.name, *settings.topic.keywords), settings.judge.language)

    def of(self, page: KeptPage) -> Snippet | None:
        """What to show below the title, with which a text mostly begins; None where the body was not kept."""
        text = self._texts.main_text(page)
        return None if text is None else self._cut.of(text.removeprefix(page.title).lstrip())
