"""Pages by PageRank, by links in or out, or by HITS: what `honeyguide rank` prints."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from honeyguide.errors import GraphError, InvalidUrl
from honeyguide.model import Url
from honeyguide.runs.graph import LinkGraph, jaccard, place_of, top
from honeyguide.runs.pagerank import Dangling, RankRules, hits, pagerank, restart_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.runs.graph import RankedPage
    from honeyguide.runs.pagerank import GraphPart
    from honeyguide.runs.run import Run

    Values = NDArray[np.float64] | NDArray[np.int64]

MEASURES: Final = ("pagerank", "in", "out", "hits", "authorities", "hubs")
RELEVANT: Final = "relevant"


@dataclass(frozen=True, slots=True, eq=False)
class GraphSource:
    """A graph, and which of its pages were judged relevant; None where nobody has judged them."""

    graph: LinkGraph
    relevant: tuple[str, ...] | None = None
    parts: Sequence[GraphPart] = ()  # of the same graph, where several shards have its edges

    @classmethod
    def of_run(cls, run: Run) -> GraphSource:
        with run.at_one_moment():
            found = run.discovered_graph()
            parts, names = found.parts(), tuple(url.text for url in found.vertices())
            relevant = tuple(page.url.text for page in run.pages(relevant_only=True))
        return cls(LinkGraph.joined(parts, names), relevant, parts)

    def number(self, name: str) -> int:
        """Find a vertex by name, by any spelling of its URL, or by path where names are paths. GraphError if none."""
        spellings = [name]
        with suppress(InvalidUrl):
            url = Url.parse(name)
            spellings += [url.text, url.path_and_query]
        known = self.graph.number_by_name
        return self.graph.number(next((spelling for spelling in spellings if spelling in known), name))


class RankedPlace(NamedTuple):
    """One page in a ranking: its value, its place from 1, its links in and out."""

    url: str
    value: float
    place: int
    links_in: int
    links_out: int


class Overlap(NamedTuple):
    """The Jaccard index of two lists of first pages."""

    one: str
    other: str
    jaccard: float


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Every vertex of a graph with the value it is ranked by."""

    source: GraphSource
    by: str
    values: Values
    iterations: int = 0  # 0 for what is only counted
    has_converged: bool = True

    @property
    def graph(self) -> LinkGraph:
        return self.source.graph

    def top(self, count: int) -> list[RankedPage]:
        """Return the first pages; of equal ones, the first discovered come first. GraphError for less than one."""
        _check_count(count)
        return top(self.graph, self.values, count)

    def page(self, url: str) -> RankedPlace:
        """Return the place of a page. GraphError if it is not in the graph."""
        graph, number = self.graph, self.source.number(url)
        return RankedPlace(
            graph.names[number],
            self.values[number].item(),
            place_of(self.values, number),
            int(graph.in_degrees[number]),
            int(graph.out_degrees[number]),
        )

    def overlaps(self, count: int) -> tuple[Overlap, ...]:
        """Compare the first pages by this value, by links in and by links out, each list with the others."""
        _check_count(count)
        lists = {"in": self.graph.in_degrees, "out": self.graph.out_degrees, self.by: self.values}
        urls = {name: [page.url for page in top(self.graph, values, count)] for name, values in lists.items()}
        names = list(urls)
        pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
        return tuple(Overlap(one, other, jaccard(urls[one], urls[other])) for one, other in pairs)


def rank_graph(
    source: GraphSource,
    by: str = "pagerank",
    *,
    damping: float = 0.85,
    epsilon: float = 1e-6,
    dangling: str = Dangling.RESTART,
    personal: str | Sequence[str] = (),
) -> Ranking:
    """Rank the pages of a graph; `by` is one of `MEASURES`. GraphError for what is none of these.

    PageRank goes on until the ranks change by at most `epsilon` in all; `dangling` says what becomes of pages without
    links (`Dangling`). `personal` makes it topic-sensitive: walks restart at these URLs, or with "relevant" at the
    pages that the run judged relevant.
    """
    check_measure(by, dangling, personal)
    rules, graph = RankRules(damping, epsilon, Dangling(dangling)), source.graph
    parts = source.parts or (graph,)
    match by:
        case "pagerank":
            found = pagerank(parts, rules, restart=_restart(source, personal))
            return Ranking(source, by, found.values, found.iterations, found.has_converged)
        case "in":
            return Ranking(source, by, graph.in_degrees)
        case "out":
            return Ranking(source, by, graph.out_degrees)
        case _:
            both = hits(parts, rules)
            values, by = (both.hubs, by) if by == "hubs" else (both.authorities, "authorities")
            return Ranking(source, by, values, both.iterations, both.has_converged)


def check_measure(by: str, dangling: str, personal: str | Sequence[str]) -> None:
    """GraphError for a measure or a rule that does not exist, or that do not go together."""
    if by not in MEASURES:
        raise GraphError(f"by is {by!r}: choose one of {', '.join(MEASURES)}")
    if dangling not in tuple(Dangling):
        raise GraphError(f"dangling is {dangling!r}: choose one of {', '.join(Dangling)}")
    if personal and by != "pagerank":
        raise GraphError(f"personal goes with pagerank, not with {by}; leave one of them out")


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


def scaled_page_ranks(run: Run) -> NDArray[np.float32]:
    """Return the PageRank of a run's pages by step, as a number from 0 to 1; 0 for a step that brought no page.

        scaled = log(1 + n rank) / log(1 + n highest rank)        n pages discovered, whose ranks add up to 1

    so that a page of average rank is well below the best, and the best do not outweigh all others.
    """
    source = GraphSource.of_run(run)
    graph, ranks = source.graph, pagerank(source.parts).values
    by_step = np.zeros(run.progress.steps + 1, dtype=np.float32)
    if not len(ranks):
        return by_step
    scaled = np.log1p(ranks * len(ranks)) / np.log1p(float(ranks.max()) * len(ranks))
    for page in run.pages():
        number = graph.number_by_name.get(page.url.text)
        if number is not None and page.step < len(by_step):
            by_step[page.step] = scaled[number]
    return by_step
