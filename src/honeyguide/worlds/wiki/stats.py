"""What a wiki world is like as a graph: its size, its degrees and their power law, its largest categories."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.wiki.world import WikiWorld

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

_TAIL_STARTS: Final = 30  # how many places are tried for the start of the tail
_SMALLEST_TAIL: Final = 50


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """The law p(k) ~ k ** -exponent, for degrees from `from_degree` on."""

    exponent: float
    from_degree: int
    pages: int  # that are in the tail
    distance: float  # Kolmogorov-Smirnov, between the tail and the law


@dataclass(frozen=True, slots=True)
class Degrees:
    """How many links the pages have, in one direction."""

    mean: float
    median: float
    most: int
    without: int  # pages that have none
    pages_by_degree: Mapping[int, int]  # from 1 on
    power_law: PowerLaw | None  # None where too few pages have links


@dataclass(frozen=True, slots=True)
class WikiStats:
    """A wiki world in numbers."""

    pages: int
    links: int
    links_per_page: float
    links_per_page_with_links: float
    redirects: int
    categories: int
    top_categories: tuple[tuple[str, int], ...]
    dump_pages: Mapping[str, int]  # of the dump it was built from, by kind
    dropped: Mapping[str, int]  # by reason
    out_degree: Degrees
    in_degree: Degrees
    entry: str
    reachable: int  # pages that can be reached from the entry
    sample: float
    seed: int
    fingerprint: str  # of all pages: equal worlds, equal fingerprints


def wiki_stats(path: Path | str, *, top: int = 20) -> WikiStats:
    """Look at a whole world; reads all of its links, 4 bytes each, but no page."""
    with WikiWorld(path) as world:
        out_degrees = np.frombuffer(world.fact("out_degrees"), dtype="<u4")
        pages, links = world.page_count, int(out_degrees.sum())
        (entry,) = world.entry_urls()
        number = world.number_of(entry)
        assert number is not None
        return WikiStats(
            pages=pages,
            links=links,
            links_per_page=links / pages,
            links_per_page_with_links=links / max(1, int((out_degrees > 0).sum())),
            redirects=world.fact("redirects"),
            categories=world.fact("categories"),
            top_categories=tuple(islice(world.categories(), top)),
            dump_pages=world.fact("dump_pages"),
            dropped=world.fact("dropped"),
            out_degree=degrees_of(out_degrees),
            in_degree=degrees_of(np.frombuffer(world.fact("in_degrees"), dtype="<u4")),
            entry=entry.text,
            reachable=int(world.link_graph.reachable([number]).sum()),
            sample=world.fact("source")["sample"],
            seed=world.fact("source")["seed"],
            fingerprint=world.fact("fingerprint"),
        )


def degrees_of(degrees: NDArray[np.uint32]) -> Degrees:
    counts = np.bincount(degrees)
    present = np.flatnonzero(counts[1:]) + 1
    return Degrees(
        mean=float(degrees.mean()),
        median=float(np.median(degrees)),
        most=int(degrees.max()),
        without=int(counts[0]),
        pages_by_degree={int(degree): int(counts[degree]) for degree in present},
        power_law=fit_power_law(degrees[degrees > 0]),
    )


def fit_power_law(degrees: NDArray[np.uint32]) -> PowerLaw | None:
    """The law that the tail of some degrees follows best (Clauset, Shalizi and Newman 2009, sections 3.1 to 3.3).

    The exponent is the maximum-likelihood one in their approximation for whole numbers; the tail starts where its
    distance from the law is least.
    """
    ordered = np.sort(degrees).astype(np.float64)
    if len(ordered) < _SMALLEST_TAIL:
        return None
    starts = np.unique(ordered[: len(ordered) - _SMALLEST_TAIL + 1])
    if len(starts) > _TAIL_STARTS:
        starts = starts[np.unique(np.geomspace(1, len(starts), _TAIL_STARTS).astype(int) - 1)]
    return min((_fitted(ordered[ordered >= start], start) for start in starts), key=lambda law: law.distance)


def _fitted(tail: NDArray[np.float64], start: float) -> PowerLaw:
    exponent = 1.0 + len(tail) / float(np.log(tail / (start - 0.5)).sum())
    values, first = np.unique(tail, return_index=True)
    above = 1.0 - first / len(tail)  # share of pages with at least so many links
    law = ((values - 0.5) / (start - 0.5)) ** (1.0 - exponent)
    return PowerLaw(exponent, int(start), len(tail), float(np.abs(above - law).max()))
