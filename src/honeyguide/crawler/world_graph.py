"""An offline world as a whole: all its pages, or all that can be reached from some URLs as a graph.

Every URL is asked for once, through the same worlds and the same parsing as in a crawl. A URL that answers with a page
is a node, and so is one that redirects: a hop costs a fetch like any other, and leads on to one place only. What is
refused, fails or does not exist is left out, because nobody who knew would ask for it.
"""

from __future__ import annotations

import asyncio
from array import array
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.crawler.build import Builder, ListedWorld, open_world
from honeyguide.errors import GraphError, WorldError
from honeyguide.model import Fetched, Redirected, Url
from honeyguide.parse import parse
from honeyguide.registry import WORLDS
from honeyguide.runs import LinkGraph, Run, open_run
from honeyguide.runs.exports import read_edge_file
from honeyguide.runs.ranking import GraphSource, check_measure, rank_graph
from honeyguide.settings import settings_from
from honeyguide.text import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Outcome, Page
    from honeyguide.runs.ranking import Ranking
    from honeyguide.settings import Settings
    from honeyguide.worlds import World

    OnProgress = Callable[[int, int], None]

MOST_URLS: Final = 2_000_000
_PROGRESS_EVERY: Final = 500


@contextmanager
def opened_world(name: str | Settings) -> Iterator[World]:
    """Open the world of this name, or of these settings, for plain code. WorldError where it is not offline."""
    settings = settings_from({"crawl": {"world": name}}) if isinstance(name, str) else name
    opening = open_world(settings)
    with asyncio.Runner() as runner:
        world = runner.run(opening.__aenter__())
        try:
            if not world.is_offline:
                raise WorldError(
                    f"world {settings.crawl.world} is not offline, so no two crawls of it see the same; try synthetic"
                )
            yield world
        finally:
            runner.run(opening.__aexit__(None, None, None))


def fetch_now(world: World, url: Url) -> Outcome:
    """Fetch from an offline world, which never suspends, without an event loop."""
    asking = world.fetch(url)
    try:
        asking.send(None)
    except StopIteration as done:
        outcome: Outcome = done.value.outcome
        return outcome
    asking.close()
    raise WorldError(f"the world waited for {url}; only offline worlds can be read as a whole")


def all_pages(settings: Settings) -> Generator[Page, None, None]:
    """Yield the pages of the world that the settings name: all that it lists, else all that its entry pages lead to.

    The order is the same every time. WorldError where the world is not offline, or has no end in sight.
    """
    with opened_world(settings) as world:
        if isinstance(world, ListedWorld):
            for url in world.urls():
                outcome = fetch_now(world, url)
                if isinstance(outcome, Fetched):
                    yield parse(url, outcome)
        else:
            for *_, page, _ in _walk(world, world.entry_urls(), parse):
                if page is not None:
                    yield page


def _walk(
    world: World,
    roots: Iterable[Url],
    parse_page: Callable[[Url, Fetched], Page],
    on_progress: OnProgress = lambda *_: None,
) -> Iterator[tuple[Url, Outcome, Page | None, list[int]]]:
    """Ask for every URL that can be reached, breadth first, each once; yield its answer and the numbers of its links.

    URLs are numbered in order of discovery, which is the order in which they are asked for.
    """
    urls: list[Url] = []
    number_by_url: dict[str, int] = {}

    def number_of(url: Url) -> int:
        number = number_by_url.setdefault(url.text, len(urls))
        if number == len(urls):
            urls.append(url)
        return number

    for root in roots:
        number_of(root)
    asked = 0
    while asked < len(urls):
        if len(urls) > MOST_URLS:
            raise WorldError(f"more than {MOST_URLS:,} URLs can be reached; take a smaller world")
        url = urls[asked]
        asked += 1
        outcome = fetch_now(world, url)
        page = parse_page(url, outcome) if isinstance(outcome, Fetched) else None
        targets = [link.target for link in page.links] if page is not None else []
        if isinstance(outcome, Redirected):
            targets = [outcome.target]
        yield url, outcome, page, [number_of(target) for target in targets]
        if asked % _PROGRESS_EVERY == 0:
            on_progress(asked, len(urls))
    on_progress(asked, asked)


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
        """Return the nodes of those URLs that are in the graph."""
        known = (self.number_by_url.get(url.text) for url in urls)
        return [number for number in known if number is not None]

    def links_of(self, nodes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return where all links of some nodes lead, and the node each of them is on."""
        counts = self.starts[nodes + 1] - self.starts[nodes]
        before = np.repeat(np.cumsum(counts) - counts, counts)
        places = np.repeat(self.starts[nodes], counts) + np.arange(len(before)) - before
        return self.targets[places], np.repeat(nodes, counts)

    def reachable(self, roots: Sequence[int]) -> NDArray[np.bool_]:
        """Return which nodes a crawl from these can come to, themselves included."""
        seen = np.zeros(len(self.urls), dtype=np.bool_)
        newest = np.unique(np.array(roots, dtype=np.int32))
        while len(newest):
            seen[newest] = True
            linked, _ = self.links_of(newest)
            newest = np.unique(linked[~seen[linked]])
        return seen

    def without_redirects(self) -> LinkGraph:
        """Return the pages alone: a link to a redirect leads to the page at its end, or nowhere if there is none."""
        page_of = self._ends()
        sources = np.repeat(np.arange(len(self.urls)), np.diff(self.starts))
        targets = page_of[self.targets]
        is_edge = self.is_page[sources] & (targets >= 0)
        number_by_node = np.cumsum(self.is_page) - 1
        names = tuple(url for url, is_page in zip(self.urls, self.is_page.tolist(), strict=True) if is_page)
        return LinkGraph.of(number_by_node[sources[is_edge]], number_by_node[targets[is_edge]], len(names), names)

    def _ends(self) -> NDArray[np.int64]:
        """Return by node the page at the end of its redirects; -1 where they lead nowhere or in a circle."""
        count = len(self.urls)
        leads_to = np.arange(count + 1)
        redirects = np.flatnonzero(~self.is_page)
        has_target = self.starts[redirects + 1] > self.starts[redirects]
        leads_to[redirects] = count  # nowhere
        leads_to[redirects[has_target]] = self.targets[self.starts[redirects[has_target]]]
        for _ in range(count.bit_length()):  # each time round, twice as many hops are taken at once
            leads_to = leads_to[leads_to]
        is_page = np.append(self.is_page, False)
        return np.where(is_page[leads_to], leads_to, -1)[:count]


def explore(
    world: World, roots: Sequence[Url], *, words: Sequence[str] = (), on_progress: OnProgress = lambda *_: None
) -> WorldGraph:
    """Ask for everything that can be reached from the roots; `on_progress` hears of URLs asked for and known.

    `words` are terms to look for in the main text of every page. WorldError where the world is not offline or has no
    end in sight.
    """
    if not world.is_offline:
        raise WorldError("the whole of a live world cannot be known; compare on an offline one, such as synthetic")
    without_topic = settings_from({"crawl": {"strategy": "breadth-first"}})  # so that no vectors are loaded
    phrases = {word: tuple(words_of(word)) for word in words}
    urls: list[str] = []
    edges, edge_counts, is_page = array("i"), array("i"), array("b")
    has_word = {word: array("b") for word in words}
    answers = xxhash.xxh3_128()
    for url, outcome, page, links in _walk(world, roots, Builder(without_topic).parts().parse, on_progress):
        urls.append(url.text)
        answers.update(f"\n{url} {type(outcome).__name__} ".encode())
        if isinstance(outcome, Fetched):
            answers.update(outcome.body)
        elif isinstance(outcome, Redirected):
            answers.update(outcome.target.text.encode())
        edges.extend(links)
        edge_counts.append(len(links) if isinstance(outcome, Fetched | Redirected) else -1)
        is_page.append(page is not None)
        for word, phrase in phrases.items():
            has_word[word].append(page is not None and contains(page.main_words, phrase))
    counts = np.array(edge_counts, dtype=np.int64)
    is_alive = counts >= 0
    targets = np.array(edges, dtype=np.int64)
    sources = np.repeat(np.arange(len(counts)), np.maximum(counts, 0))
    leads_on = is_alive[targets]
    alive_counts = np.bincount(sources[leads_on], minlength=len(counts))[is_alive]
    return WorldGraph(
        urls=tuple(url for url, alive in zip(urls, is_alive, strict=True) if alive),
        is_page=np.array(is_page, dtype=np.bool_)[is_alive],
        starts=np.concatenate(([0], np.cumsum(alive_counts))).astype(np.int64),
        targets=(np.cumsum(is_alive) - 1)[targets[leads_on]].astype(np.int32),
        has_word={word: np.array(hits, dtype=np.bool_)[is_alive] for word, hits in has_word.items()},
        data_hash=answers.hexdigest(),
    )


def contains(words: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    """Say whether the words of a phrase stand in a text, in a row."""
    length = len(phrase)
    if length == 1:
        return phrase[0] in words
    return any(words[place : place + length] == phrase for place in range(len(words) - length + 1))


def link_graph(source: Run | Path | str, on_progress: OnProgress = lambda *_: None) -> LinkGraph:
    """Return the graph of a run (its folder, or opened), of a file of edges, or of a world by its name.

    `on_progress` hears of URLs asked for and known, where a world must be walked through.
    """
    return open_source(source, on_progress).graph


def open_source(source: Run | LinkGraph | Path | str, on_progress: OnProgress = lambda *_: None) -> GraphSource:
    """Return a graph with what else is known of its pages. GraphError for anything but a run, edges or a world."""
    if isinstance(source, LinkGraph):
        return GraphSource(source)
    if isinstance(source, Run):
        return GraphSource.of_run(source)
    path = Path(source)
    if path.is_dir() and (path / "wiki.sqlite").exists():
        source = f"wiki:{path}"
    elif path.is_dir():
        with open_run(path) as run:
            return GraphSource.of_run(run)
    elif path.exists():
        return GraphSource(read_edge_file(path))
    if str(source).partition(":")[0] in WORLDS:
        with opened_world(str(source)) as world:
            return GraphSource(_graph_of_world(world, on_progress))
    raise GraphError(f"{source} is no run folder, no file of edges and no world; name one, such as wiki:PATH")


def _graph_of_world(world: World, on_progress: OnProgress) -> LinkGraph:
    from honeyguide.worlds.wiki import WikiWorld  # noqa: PLC0415 - SQLite and zstandard, for this world alone

    if isinstance(world, WikiWorld):
        links = world.link_graph
        names = tuple(url.text for url in world.urls())
        return LinkGraph.of(links.sources().astype(np.int32), links.targets.astype(np.int32), links.page_count, names)
    return explore(world, world.entry_urls(), on_progress=on_progress).without_redirects()


def rank(
    source: Run | LinkGraph | Path | str | GraphSource,
    by: str = "pagerank",
    *,
    damping: float = 0.85,
    epsilon: float = 1e-6,
    dangling: str = "restart",
    personal: str | Sequence[str] = (),
    on_progress: OnProgress = lambda *_: None,
) -> Ranking:
    """Rank the pages of a run, a file of edges or a world; see `rank_graph` for the rest."""
    check_measure(by, dangling, personal)  # before a world is walked through
    opened = source if isinstance(source, GraphSource) else open_source(source, on_progress)
    return rank_graph(opened, by, damping=damping, epsilon=epsilon, dangling=dangling, personal=personal)
