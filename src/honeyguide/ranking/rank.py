"""Pages by PageRank, by links in or out, or by HITS: what `honeyguide rank` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.errors import GraphError
from honeyguide.graph import Dangling, RankRules, hits, jaccard, pagerank, place_of, restart_on, top
from honeyguide.ranking.sources import GraphSource, open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.graph import LinkGraph, RankedPage
    from honeyguide.store import Run

    Figures = NDArray[np.float64] | NDArray[np.int64]

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
