"""Links in and out of every vertex of the graph that a crawl has discovered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.domain import Url
    from honeyguide.store import Run


@dataclass(frozen=True, slots=True)
class Ranked:
    """A vertex with the figure it is ranked by."""

    vertex: str
    links: int


@dataclass(frozen=True, slots=True)
class DegreeTable:
    """Vertices in order of discovery, with the links between them."""

    vertices: tuple[str, ...]
    links_in: tuple[int, ...]
    links_out: tuple[int, ...]

    @classmethod
    def of(cls, run: Run, name: Callable[[Url], str] = str) -> DegreeTable:
        """Count the edges of a run's graph; `name` is how a vertex is called."""
        into: Counter[str] = Counter()
        out: Counter[str] = Counter()
        with run.at_one_moment():
            graph = run.discovered_graph()
            vertices = tuple(name(url) for url in graph.vertices())
            for source, targets in graph.edges():
                out[name(source)] += len(targets)
                into.update(map(name, targets))
        return cls(vertices, tuple(into[each] for each in vertices), tuple(out[each] for each in vertices))

    @property
    def edges(self) -> int:
        return sum(self.links_out)

    def most_linked_to(self, count: int) -> list[Ranked]:
        """Vertices with the most links in; of equal ones, the first discovered."""
        return self._most(self.links_in, count)

    def most_links(self, count: int) -> list[Ranked]:
        """Vertices with the most links out; of equal ones, the first discovered."""
        return self._most(self.links_out, count)

    def _most(self, links: Sequence[int], count: int) -> list[Ranked]:
        ranked = sorted(map(Ranked, self.vertices, links), key=lambda each: -each.links)
        return ranked[:count]


def jaccard(one: Sequence[Ranked], other: Sequence[Ranked]) -> float:
    """What two lists have in common, of all that is in either; 0 for two empty ones."""
    first, second = ({each.vertex for each in ranked} for ranked in (one, other))
    return len(first & second) / len(first | second) if first or second else 0.0


def at_least(links: Sequence[int]) -> tuple[tuple[float, float], ...]:
    """For each number of links that occurs, how many vertices have so many or more."""
    counts = Counter(links)
    points, above = [], 0
    for number in sorted(counts, reverse=True):
        above += counts[number]
        points.append((float(number), float(above)))
    return tuple(reversed(points))
