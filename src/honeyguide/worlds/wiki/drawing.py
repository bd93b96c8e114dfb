"""Degree distributions drawn: as text for a terminal, as PNG or SVG where matplotlib is installed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from honeyguide.counts import count_of
from honeyguide.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.worlds.wiki.stats import Degrees, WikiStats

IN, OUT, BOTH = "○", "+", "●"
_FORMATS: Final = (".png", ".svg", ".pdf")


def draw_degrees(stats: WikiStats, *, width: int = 72, height: int = 18) -> str:
    """How many pages have how many links, both on logarithmic scales: a power law is a straight line."""
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
    laws = f"{IN} links in, {_told(stats.in_degree)}; {OUT} links out, {_told(stats.out_degree)}; {BOTH} both"
    lines.append(f"{'':{margin}}  {laws}")
    return "\n".join(lines)


def plot_degrees(stats: WikiStats, file: Path) -> None:
    """Draw the same into a file, with the fitted laws."""
    if file.suffix.lower() not in _FORMATS:
        raise WorldError(f"--plot {file}: its name must end in {', '.join(_FORMATS)}")
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise WorldError("--plot needs matplotlib; install it with pip install 'honeyguide[plots]'") from None
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


def _told(degrees: Degrees) -> str:
    law = degrees.power_law
    return "too few to fit" if law is None else f"exponent {law.exponent:.2f} from {law.from_degree}"
