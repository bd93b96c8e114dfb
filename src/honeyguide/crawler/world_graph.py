"""An offline world by its name, open while plain code looks at it.

Every page that an offline world holds, whether a crawl would find it or not: what vectors may be trained on.

The whole of an offline world that can be reached from some URLs, as arrays: what only an oracle may know.

Every URL is asked for once, through the same worlds and the same parsing as in a crawl. A URL that answers with a page
is a node, and so is one that redirects: a hop costs a fetch like any other, and leads on to one place only. What is
refused, fails or does not exist is left out, because nobody who knew would ask for it.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

import numpy as np
import xxhash

from honeyguide.crawler.build import Builder, open_world
from honeyguide.errors import WorldError
from honeyguide.model import Fetched, Redirected, Url
from honeyguide.parse import parse
from honeyguide.settings import settings_from
from honeyguide.text import words_of
from honeyguide.worlds import World

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Answer, Page
    from honeyguide.settings import Settings


@contextmanager
def opened_world(name: str) -> Iterator[World]:
    """A world by its name; offline worlds never suspend, so that one may be used from plain code while it is open.

    WorldError where it cannot be opened or is not offline.
    """
    opening = open_world(settings_from({"crawl": {"world": name}}))
    with asyncio.Runner() as runner:
        world = runner.run(opening.__aenter__())
        try:
            if not world.is_offline:
                raise WorldError(f"world {name} is not offline, so no two crawls of it see the same; try synthetic")
            yield world
        finally:
            runner.run(opening.__aexit__(None, None, None))


MOST_URLS: Final = 2_000_000


def all_pages(settings: Settings) -> Generator[Page, None, None]:
    """The pages of the world that the settings name: all that it lists, else all that its entry pages lead to.

    The order is the same every time. WorldError where the world is not offline, or has no end in sight.
    """
    with asyncio.Runner() as loop:
        opened = AsyncExitStack()
        try:
            world = loop.run(opened.enter_async_context(open_world(settings)))
            if not world.is_offline:
                raise WorldError(f"{settings.crawl.world} is not offline, so its pages are not at hand; crawl it first")
            yield from _listed(world, loop) if isinstance(world, _Listing) else _reached(world, loop)
        finally:
            loop.run(opened.aclose())


@runtime_checkable
class _Listing(World, Protocol):
    """A world that can say which URLs it has."""

    def urls(self) -> Iterator[Url]: ...


def _listed(world: _Listing, loop: asyncio.Runner) -> Iterator[Page]:
    for url in world.urls():
        outcome = loop.run(_answer(world, url)).outcome
        if isinstance(outcome, Fetched):
            yield parse(url, outcome)


def _reached(world: World, loop: asyncio.Runner) -> Iterator[Page]:
    """Breadth first, each URL once."""
    waiting = deque(dict.fromkeys(world.entry_urls()))
    met = {url.text for url in waiting}
    while waiting:
        url = waiting.popleft()
        outcome = loop.run(_answer(world, url)).outcome
        leads_to: list[Url] = []
        if isinstance(outcome, Fetched):
            page = parse(url, outcome)
            leads_to = [link.target for link in page.links]
            yield page
        elif isinstance(outcome, Redirected):
            leads_to = [outcome.target]
        new = [target for target in dict.fromkeys(leads_to) if target.text not in met]
        met.update(target.text for target in new)
        waiting += new
        if len(met) > MOST_URLS:
            raise WorldError(f"more than {MOST_URLS:,} URLs can be reached; take a smaller world")


async def _answer(world: World, url: Url) -> Answer:
    return await world.fetch(url)


_TELL_EVERY: Final = 500


@dataclass(frozen=True, eq=False)
class WorldGraph:
    """Nodes numbered in order of discovery; the links of node n are `targets[starts[n]:starts[n + 1]]`."""

    urls: tuple[str, ...]
    is_page: NDArray[np.bool_]  # False where a URL only leads on to another
    starts: NDArray[np.int64]
    targets: NDArray[np.int32]
    has_word: dict[str, NDArray[np.bool_]] = field(default_factory=dict)  # by term: pages whose main text has it
    data_hash: str = ""  # of every answer the world gave

    @property
    def pages(self) -> int:
        return int(self.is_page.sum())

    @cached_property
    def number_by_url(self) -> dict[str, int]:
        return {url: number for number, url in enumerate(self.urls)}

    def numbers(self, urls: Iterable[Url]) -> list[int]:
        """The nodes of those URLs that are in the graph."""
        known = (self.number_by_url.get(url.text) for url in urls)
        return [number for number in known if number is not None]

    def links_of(self, nodes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Where all links of some nodes lead, and the node each of them is on."""
        counts = self.starts[nodes + 1] - self.starts[nodes]
        before = np.repeat(np.cumsum(counts) - counts, counts)
        places = np.repeat(self.starts[nodes], counts) + np.arange(len(before)) - before
        return self.targets[places], np.repeat(nodes, counts)

    def reachable(self, roots: Sequence[int]) -> NDArray[np.bool_]:
        """Which nodes a crawl from these can come to, themselves included."""
        seen = np.zeros(len(self.urls), dtype=np.bool_)
        newest = np.unique(np.array(roots, dtype=np.int32))
        while len(newest):
            seen[newest] = True
            linked, _ = self.links_of(newest)
            newest = np.unique(linked[~seen[linked]])
        return seen


def explore(
    world: World,
    roots: Sequence[Url],
    *,
    words: Sequence[str] = (),
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> WorldGraph:
    """Ask for everything that can be reached from the roots; `on_progress` hears of URLs asked for and known.

    `words` are terms to look for in the main text of every page. WorldError where the world is not offline or has no
    end in sight.
    """
    if not world.is_offline:
        raise WorldError("the whole of a live world cannot be known; compare on an offline one, such as synthetic")
    explorer = _Explorer(words)
    asyncio.run(explorer.run(world, roots, on_progress))
    return explorer.graph()


class _Explorer:
    """Numbers URLs as it meets them, dead ones too; the graph has them left out."""

    def __init__(self, words: Sequence[str]) -> None:
        nobody = settings_from({"crawl": {"strategy": "breadth-first"}})  # no topic: no vectors are loaded
        self._parse = Builder(nobody).parts().parse
        self._phrases = {word: tuple(words_of(word)) for word in words}
        self._number_by_url: dict[str, int] = {}
        self._urls: list[Url] = []
        self._edges = array("i")
        self._edge_counts = array("i")
        self._is_page = array("b")
        self._has_word = {word: array("b") for word in words}
        self._hash = xxhash.xxh3_128()

    async def run(self, world: World, roots: Sequence[Url], on_progress: Callable[[int, int], None]) -> None:
        for root in roots:
            self._meet(root)
        asked = 0
        while asked < len(self._urls):
            if len(self._urls) > MOST_URLS:
                raise WorldError(f"more than {MOST_URLS:,} URLs can be reached; compare on a smaller world")
            url = self._urls[asked]
            self._take(url, await world.fetch(url))
            asked += 1
            if asked % _TELL_EVERY == 0:
                on_progress(asked, len(self._urls))
        on_progress(asked, asked)

    def graph(self) -> WorldGraph:
        counts = np.array(self._edge_counts, dtype=np.int64)
        is_alive = counts >= 0
        new_number = np.cumsum(is_alive) - 1
        targets = np.array(self._edges, dtype=np.int64)
        kept = is_alive[targets]
        source = np.repeat(np.arange(len(counts)), np.maximum(counts, 0))
        kept_counts = np.bincount(source[kept], minlength=len(counts))[is_alive]
        return WorldGraph(
            urls=tuple(url.text for url, alive in zip(self._urls, is_alive, strict=True) if alive),
            is_page=np.array(self._is_page, dtype=np.bool_)[is_alive],
            starts=np.concatenate(([0], np.cumsum(kept_counts))).astype(np.int64),
            targets=new_number[targets[kept]].astype(np.int32),
            has_word={word: np.array(hits, dtype=np.bool_)[is_alive] for word, hits in self._has_word.items()},
            data_hash=self._hash.hexdigest(),
        )

    def _meet(self, url: Url) -> int:
        number = self._number_by_url.setdefault(url.text, len(self._urls))
        if number == len(self._urls):
            self._urls.append(url)
        return number

    def _take(self, url: Url, answer: Answer) -> None:
        outcome = answer.outcome
        self._hash.update(f"\n{url} {type(outcome).__name__} ".encode())
        page: Page | None = None
        leads_to: list[Url] = []
        if isinstance(outcome, Fetched):
            self._hash.update(outcome.body)
            page = self._parse(url, outcome)
            leads_to = [link.target for link in page.links]
        elif isinstance(outcome, Redirected):
            self._hash.update(outcome.target.text.encode())
            leads_to = [outcome.target]
        is_alive = isinstance(outcome, Fetched | Redirected)
        self._edges.extend(map(self._meet, leads_to))
        self._edge_counts.append(len(leads_to) if is_alive else -1)
        self._is_page.append(page is not None)
        for word, phrase in self._phrases.items():
            self._has_word[word].append(page is not None and contains(page.main_words, phrase))


def contains(words: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    """Whether the words of a phrase stand in a text, in a row."""
    length = len(phrase)
    if length == 1:
        return phrase[0] in words
    return any(words[place : place + length] == phrase for place in range(len(words) - length + 1))
