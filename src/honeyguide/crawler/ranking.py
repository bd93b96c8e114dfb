"""A link graph from whatever a person names: a run folder, a file of edges, or an offline world.

Pages by PageRank, by links in or out, or by HITS: what `honeyguide rank` prints.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from honeyguide.crawler.world_graph import explore, opened_world
from honeyguide.errors import GraphError, InvalidUrl
from honeyguide.model import Url
from honeyguide.registry import WORLDS
from honeyguide.runs import (
    Dangling,
    LinkGraph,
    RankRules,
    Run,
    hits,
    jaccard,
    open_run,
    pagerank,
    place_of,
    restart_on,
    top,
)
from honeyguide.runs.exports import read_edge_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.world_graph import WorldGraph
    from honeyguide.runs import RankedPage
    from honeyguide.worlds import World

    Figures = NDArray[np.float64] | NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class GraphSource:
    """A graph, and which of its pages were judged relevant; None where nobody has judged them."""

    graph: LinkGraph
    relevant: tuple[str, ...] | None = None

    def number(self, name: str) -> int:
        """The vertex that a person means: by its name, any spelling of its URL, or the path where names are paths.

        GraphError if there is none.
        """
        spellings = [name]
        with suppress(InvalidUrl):
            url = Url.parse(name)
            spellings += [url.text, url.path_and_query]
        known = self.graph.number_by_name
        return self.graph.number(next((spelling for spelling in spellings if spelling in known), name))


def link_graph(source: Run | Path | str, on_progress: Callable[[int, int], None] = lambda *_: None) -> LinkGraph:
    """The graph of a run (its folder, or opened), of a file of edges, or of a world by its name, such as `wiki:PATH`.

    `on_progress` hears of URLs asked for and known, where a world must be walked through.
    """
    return open_source(source, on_progress).graph


def open_source(
    source: Run | LinkGraph | Path | str, on_progress: Callable[[int, int], None] = lambda *_: None
) -> GraphSource:
    """As `link_graph`, with what else is known of the pages. GraphError if it is nothing of the kind."""
    if isinstance(source, LinkGraph):
        return GraphSource(source)
    if isinstance(source, Run):
        return _of_run(source)
    path = Path(source)
    if path.is_dir() and (path / "wiki.sqlite").exists():
        source = f"wiki:{path}"
    elif path.is_dir():
        with open_run(path) as run:
            return _of_run(run)
    elif path.exists():
        return GraphSource(read_edge_file(path))
    if str(source).partition(":")[0] in WORLDS:
        with opened_world(str(source)) as world:
            return GraphSource(_of_world(world, on_progress))
    raise GraphError(f"{source} is no run folder, no file of edges and no world; name one, such as wiki:PATH")


def _of_run(run: Run) -> GraphSource:
    return GraphSource(run.graph(), tuple(page.url.text for page in run.pages(relevant_only=True)))


def _of_world(world: World, on_progress: Callable[[int, int], None]) -> LinkGraph:
    from honeyguide.worlds.wiki import WikiWorld  # noqa: PLC0415 - SQLite and zstandard, for this world alone

    if isinstance(world, WikiWorld):
        links = world.link_graph
        names = tuple(url.text for url in world.urls())
        return LinkGraph.of(links.sources().astype(np.int32), links.targets.astype(np.int32), links.page_count, names)
    return without_redirects(explore(world, world.entry_urls(), on_progress=on_progress))


def without_redirects(world: WorldGraph) -> LinkGraph:
    """The pages alone: where a link leads to a redirect, the page at its end; where there is none, nowhere."""
    page_of = _ends(world)
    sources = np.repeat(np.arange(len(world.urls)), np.diff(world.starts))
    targets = page_of[world.targets]
    is_edge = world.is_page[sources] & (targets >= 0)
    number_by_node = np.cumsum(world.is_page) - 1
    names = tuple(url for url, is_page in zip(world.urls, world.is_page.tolist(), strict=True) if is_page)
    return LinkGraph.of(number_by_node[sources[is_edge]], number_by_node[targets[is_edge]], len(names), names)


def _ends(world: WorldGraph) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """By node, the page that stands for it; -1 where redirects lead nowhere or in a circle."""
    count = len(world.urls)
    leads_to = np.arange(count + 1)
    redirects = np.flatnonzero(~world.is_page)
    has_target = world.starts[redirects + 1] > world.starts[redirects]
    leads_to[redirects] = count  # nowhere
    leads_to[redirects[has_target]] = world.targets[world.starts[redirects[has_target]]]
    for _ in range(count.bit_length()):  # each time round, twice as many hops are taken at once
        leads_to = leads_to[leads_to]
    is_page = np.append(world.is_page, False)
    return np.where(is_page[leads_to], leads_to, -1)[:count]


MEASURES: Final = ("pagerank", "in", "out", "hits", "authorities", "hubs")
RELEVANT: Final = "relevant"


class PageStanding(NamedTuple):
    """Where one page stands: its figure, its place from 1, its links in and out."""

    url: str
    value: float
    place: int
    links_in: int
    links_out: int


class Overlap(NamedTuple):
    """What two lists of the first pages have in common, from 0 to 1."""

    one: str
    other: str
    jaccard: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Every vertex of a graph with the figure it is ranked by."""

    source: GraphSource
    by: str
    values: Figures
    iterations: int = 0  # 0 for what is only counted
    has_converged: bool = True

    @property
    def graph(self) -> LinkGraph:
        return self.source.graph

    def top(self, count: int) -> list[RankedPage]:
        """The first so many pages; of equal ones, the first discovered come first. GraphError for less than one."""
        _check_count(count)
        return top(self.graph, self.values, count)

    def page(self, url: str) -> PageStanding:
        """Where a page stands. GraphError if it is not in the graph."""
        graph, number = self.graph, self.source.number(url)
        return PageStanding(
            graph.names[number],
            self.values[number].item(),
            place_of(self.values, number),
            int(graph.in_degrees[number]),
            int(graph.out_degrees[number]),
        )

    def overlaps(self, count: int) -> tuple[Overlap, ...]:
        """The first pages by this figure, by links in and by links out, each list held against the others."""
        _check_count(count)
        lists = {"in": self.graph.in_degrees, "out": self.graph.out_degrees, self.by: self.values}
        urls = {name: [page.url for page in top(self.graph, values, count)] for name, values in lists.items()}
        names = list(urls)
        pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
        return tuple(Overlap(one, other, jaccard(urls[one], urls[other])) for one, other in pairs)


def rank(
    source: Run | LinkGraph | Path | str | GraphSource,
    by: str = "pagerank",
    *,
    damping: float = 0.85,
    epsilon: float = 1e-6,
    dangling: str = Dangling.RESTART,
    personal: str | Sequence[str] = (),
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> Ranking:
    """Rank the pages of a run, a file of edges or a world; `by` is one of `MEASURES`.

    PageRank goes on until the ranks change by at most `epsilon` in all; `dangling` says what becomes of pages without
    links (`Dangling`). `personal` makes it topic-sensitive: walks restart at these URLs, or with "relevant" at the
    pages that the run judged relevant. `on_progress` hears of URLs asked for and known, where a world must be walked
    through. GraphError for what is none of these.
    """
    if by not in MEASURES:
        raise GraphError(f"by is {by!r}: choose one of {', '.join(MEASURES)}")
    if dangling not in tuple(Dangling):
        raise GraphError(f"dangling is {dangling!r}: choose one of {', '.join(Dangling)}")
    if personal and by != "pagerank":
        raise GraphError(f"personal goes with pagerank, not with {by}; leave one of them out")
    rules = RankRules(damping, epsilon, Dangling(dangling))
    opened = source if isinstance(source, GraphSource) else open_source(source, on_progress)
    graph = opened.graph
    match by:
        case "pagerank":
            found = pagerank(graph, rules, restart=_restart(opened, personal))
            return Ranking(opened, by, found.values, found.iterations, found.has_converged)
        case "in":
            return Ranking(opened, by, graph.in_degrees)
        case "out":
            return Ranking(opened, by, graph.out_degrees)
        case _:
            both = hits(graph, rules)
            is_hubs = by == "hubs"
            values = both.hubs if is_hubs else both.authorities
            return Ranking(opened, "hubs" if is_hubs else "authorities", values, both.iterations, both.has_converged)


def _check_count(count: int) -> None:
    if not isinstance(count, int) or count < 1:
        raise GraphError(f"the number of pages is {count!r}: give a whole number from 1 on")


def _restart(source: GraphSource, personal: str | Sequence[str]) -> NDArray[np.float64] | None:
    names = [personal] if isinstance(personal, str) else list(personal)
    if not names or names == [""]:
        return None
    if names == [RELEVANT]:
        if source.relevant is None:
            raise GraphError("personal is relevant, which needs a run, whose pages were judged; name URLs instead")
        if not source.relevant:
            raise GraphError("personal is relevant, and no page of this run is; name URLs instead")
        names = list(source.relevant)
    return restart_on([source.number(name) for name in names], source.graph.vertices)
