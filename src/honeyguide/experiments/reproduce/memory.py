"""Pages and word rows that one process has met before, so that crawls of the same pages cost a fraction of the first.

An experiment of hundreds of crawls asks a world for the same pages again and again. Parsing a page and looking its
words up is most of the work of a step, and gives the same each time: here it is done once in each process. Nothing
else is shared, and nothing a crawl does depends on it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from sys import intern
from typing import TYPE_CHECKING, Final

from honeyguide.domain import Fetched
from honeyguide.errors import WorldError
from honeyguide.experiments.provenance import data_files
from honeyguide.judge import Verdicts
from honeyguide.text import WordVectors, open_vectors
from honeyguide.text.vectors import WordRows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.domain import Answer, Page, Url, Verdict
    from honeyguide.settings import Settings, VectorSettings
    from honeyguide.text.vectors import VectorSource
    from honeyguide.worlds import World

MOST_PAGES: Final = 20_000
"""Above this many pages everything is forgotten and learned anew: some 60 KB are kept of an encyclopaedia article."""


_UNCHANGING: Final = frozenset({"embedding", "keyword"})
"""Judges whose verdict on a page does not depend on the pages before it."""


class Memory:
    """What one process remembers of one world, read in one way. Not thread-safe."""

    def __init__(self) -> None:
        self._answer_by_url: dict[str, Answer] = {}
        self._page_by_url: dict[str, Page] = {}
        self._vectors: tuple[VectorSettings, RememberingVectors] | None = None
        self._verdicts: tuple[object, dict[str, Verdict]] = (None, {})

    def answer(self, world: World, url: Url) -> Answer:
        """What the world answers; the body of a page that was parsed before is left out."""
        if url.text in self._page_by_url:
            return self._answer_by_url[url.text]
        answer = _answer_of(world, url)
        if isinstance(answer.outcome, Fetched):
            self._answer_by_url[url.text] = replace(answer, outcome=replace(answer.outcome, body=b""))
        return answer

    def page(self, url: Url, fetched: Fetched, parse: Callable[[Url, Fetched], Page]) -> Page:
        """The page of an answer of this world, with its words but without its text."""
        page = self._page_by_url.get(url.text)
        if page is None:
            page = parse(url, fetched)
            page = replace(page, text="", words=tuple(map(intern, page.words)))
            if len(self._page_by_url) >= MOST_PAGES:
                self._page_by_url.clear()
            self._page_by_url[url.text] = page
        return page

    def vectors(self, settings: VectorSettings) -> RememberingVectors:
        """The vectors that the settings name; the last ones asked for are kept."""
        if self._vectors is None or self._vectors[0] != settings:
            self._vectors = settings, RememberingVectors(open_vectors(settings.source, settings.cache_path))
        return self._vectors[1]

    def verdicts(self, settings: Settings, judge: Verdicts) -> Verdicts:
        """The judge of a crawl; one that never changes its mind is asked once about each page."""
        if settings.judge.kind not in _UNCHANGING:
            return judge
        key = (settings.topic, settings.judge, settings.vectors)
        if self._verdicts[0] != key:
            self._verdicts = key, {}
        return _RememberedVerdicts(judge, self._verdicts[1])


class _RememberedVerdicts(Verdicts):
    """Verdicts by URL, as the judge first gave them."""

    def __init__(self, judge: Verdicts, known: dict[str, Verdict]) -> None:  # no `super`: it is the judge's part
        self._asked = judge
        self._known = known

    def judge(self, page: Page) -> Verdict:
        verdict = self._known.get(page.url.text)
        if verdict is None:
            verdict = self._known[page.url.text] = self._asked.judge(page)
        return verdict

    def save(self) -> bytes:
        return self._asked.save()


class RememberingVectors(WordVectors):
    """Word vectors that keep the rows of whole pages, to be told apart by identity."""

    def __init__(self, source: VectorSource) -> None:
        super().__init__(source)
        self._known: dict[int, tuple[tuple[str, ...], _RememberedRows]] = {}

    def remember(self, words: tuple[str, ...]) -> None:
        """Keep the rows of this very text: it will be asked about again."""
        if id(words) not in self._known:
            if len(self._known) >= MOST_PAGES:
                self._known.clear()
            rows = super().look_up(words)
            self._known[id(words)] = words, _RememberedRows(rows.table, rows.numbers)

    def look_up(self, words: tuple[str, ...]) -> WordRows:
        known = self._known.get(id(words))
        return super().look_up(words) if known is None else known[1]


class _RememberedRows(WordRows):
    """Rows that keep their parts and their text vector."""

    def within(self, spans: Sequence[tuple[int, int]]) -> WordRows:
        key = tuple(spans)
        part = self._parts.get(key)
        if part is None:
            rows = super().within(spans)
            part = self._parts[key] = _RememberedRows(rows.table, rows.numbers)
        return part

    def text_vector(self) -> NDArray[np.float64]:
        return self._text_vector

    @cached_property
    def _parts(self) -> dict[tuple[tuple[int, int], ...], _RememberedRows]:
        return {}

    @cached_property
    def _text_vector(self) -> NDArray[np.float64]:
        vector = super().text_vector()
        vector.setflags(write=False)
        return vector


def memory_for(settings: Settings) -> Memory:
    """The memory of this process for the world of these settings; only one world is remembered at a time."""
    world = settings.crawl.world
    # Of all profiles, wikipedia alone reads pages in a way of its own; crawls of the others share what was parsed.
    rules = "wikipedia" if settings.crawl.profile == "wikipedia" else ""
    return _memory(world, rules, repr(data_files(world)))


@lru_cache(maxsize=1)
def _memory(world: str, rules: str, files: str) -> Memory:  # noqa: ARG001 - what the pages depend on
    return Memory()


def _answer_of(world: World, url: Url) -> Answer:
    """What an offline world answers, which it does without suspending."""
    asking = world.fetch(url)
    try:
        asking.send(None)
    except StopIteration as done:
        answer: Answer = done.value
        return answer
    asking.close()
    raise WorldError("the world waits for something outside: crawls are repeated on offline worlds, such as synthetic")
