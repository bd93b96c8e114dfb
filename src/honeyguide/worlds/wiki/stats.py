"""A wiki world as a graph: its size, its degrees and their power law, its largest categories."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import WorldError
from honeyguide.extras import install_hint
from honeyguide.model.counts import count_of
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
    """Fit a power law to the tail of some degrees (Clauset, Shalizi and Newman 2009, sections 3.1 to 3.3).

    The exponent is the maximum-likelihood one in their approximation for whole numbers; the tail starts where its
    distance from the law is least.
    """
    ordered = np.sort(degrees).astype(np.float64)
    if len(ordered) < _SMALLEST_TAIL:
        return None
    starts = np.unique(ordered[: len(ordered) - _SMALLEST_TAIL + 1])
    if len(starts) > _TAIL_STARTS:
        starts = starts[np.unique(np.geomspace(1, len(starts), _TAIL_STARTS).astype(int) - 1)]
    return min((_fit_tail(ordered[ordered >= start], start) for start in starts), key=lambda law: law.distance)


def _fit_tail(tail: NDArray[np.float64], start: float) -> PowerLaw:
    exponent = 1.0 + len(tail) / float(np.log(tail / (start - 0.5)).sum())
    values, first = np.unique(tail, return_index=True)
    above = 1.0 - first / len(tail)  # share of pages with at least so many links
    law = ((values - 0.5) / (start - 0.5)) ** (1.0 - exponent)
    return PowerLaw(exponent, int(start), len(tail), float(np.abs(above - law).max()))


IN, OUT, BOTH = "○", "+", "●"
_FORMATS: Final = (".png", ".svg", ".pdf")


def draw_degrees(stats: WikiStats, *, width: int = 72, height: int = 18) -> str:
    """Return how many pages have how many links, both on logarithmic scales: a power law is a straight line."""
    series = {IN: stats.in_degree.pages_by_degree, OUT: stats.out_degree.pages_by_degree}
    most_links = max([2, *(degree for pages in series.values() for degree in pages)])
    most_pages = max([2, *(count for pages in series.values() for count in pages.values())])
    cells = [[" "] * width for _ in range(height)]
    for mark, pages_by_degree in series.items():
        for degree, count in pages_by_degree.items():
            column = round(math.log(degree, most_links) * (width - 1))
            row = height - 1 - round(math.log(count, most_pages) * (height - 1))
            cells[row][column] = mark if cells[row][column] in (" ", mark) else BOTH
    margin = len(f"{most_pages:,}")
    labels = [f"{most_pages:,}", *[""] * (height - 2), "1"]
    lines = [f"{'':{margin}} pages"]
    lines += [f"{label:>{margin}} │{''.join(row).rstrip()}" for label, row in zip(labels, cells, strict=True)]
    lines.append(f"{'':{margin}} └{'─' * width}")
    lines.append(f"{'':{margin}}  1{count_of(most_links, 'link'):>{width - 1}}")
    inward, outward = _law_in_words(stats.in_degree), _law_in_words(stats.out_degree)
    lines.append(f"{'':{margin}}  {IN} links in, {inward}; {OUT} links out, {outward}; {BOTH} both")
    return "\n".join(lines)


def plot_degrees(stats: WikiStats, file: Path) -> None:
    """Draw the same into a file, with the fitted laws."""
    if file.suffix.lower() not in _FORMATS:
        raise WorldError(f"--plot {file}: its name must end in {', '.join(_FORMATS)}")
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise WorldError(f"--plot needs matplotlib; install it with {install_hint('plots')}") from None
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot(xscale="log", yscale="log", xlabel="links of a page", ylabel="pages")
    for name, degrees, colour in (("in", stats.in_degree, "tab:blue"), ("out", stats.out_degree, "tab:orange")):
        pages_by_degree = degrees.pages_by_degree
        axes.plot(list(pages_by_degree), list(pages_by_degree.values()), ".", color=colour, label=f"links {name}")
        law = degrees.power_law
        if law is not None:
            tail = [degree for degree in pages_by_degree if degree >= law.from_degree]
            scale = law.pages * (law.exponent - 1) * (law.from_degree - 0.5) ** (law.exponent - 1)
            line = [scale * degree**-law.exponent for degree in tail]
            axes.plot(tail, line, "-", color=colour, label=f"exponent {law.exponent:.2f} from {law.from_degree}")
    axes.set_ylim(bottom=0.5)
    axes.legend()
    axes.set_title(f"{count_of(stats.pages, 'page')}, {count_of(stats.links, 'link')}")
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        raise WorldError(f"cannot write {file}: {error.strerror or error}") from error


def _law_in_words(degrees: Degrees) -> str:
    law = degrees.power_law
    return "too few to fit" if law is None else f"exponent {law.exponent:.2f} from {law.from_degree}"
