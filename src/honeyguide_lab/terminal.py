"""Curves drawn as text: legible in 80 columns, without colour, and through a pipe.

Each curve has a marker of its own and its name beside its end, so nothing depends on colour; whoever has colours
paints the markers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MARKERS: Final = "·○×●▲◆+#"
"""One for each curve, in the order in which the curves are given."""

_STEPS: Final = (1, 2, 2.5, 5, 10)
_TICK_COLUMNS: Final = 12


@dataclass(frozen=True, slots=True)
class _Canvas:
    """Cells of characters, the first row on top, and the ranges they stand for."""

    cells: list[list[str]]
    last_x: int
    top_y: float

    def row(self, value: float) -> int:
        height = len(self.cells)
        return height - 1 - round(value / self.top_y * (height - 1))

    def column(self, x: float) -> int:
        return round(x / self.last_x * (len(self.cells[0]) - 1))

    def draw(self, curve: Sequence[int], marker: str) -> None:
        """Draw without gaps: where a curve climbs over several rows, the column is filled between them."""
        before = self.row(curve[0])
        width = len(self.cells[0])
        for column in range(width):
            row = self.row(curve[min(round(self.last_x * column / (width - 1)), len(curve) - 1)])
            for filled in range(row, max(row + 1, before)):
                self.cells[filled][column] = marker
            before = row


def draw_curves(
    curves: Mapping[str, Sequence[int]], *, x_title: str, y_title: str, width: int = 78, height: int = 16
) -> str:
    """Draw curves of equal length over 0, 1, 2, … up to their last position; those given later lie on top."""
    ends = {name: curve[-1] for name, curve in curves.items()}
    last_x = max(1, max(len(curve) for curve in curves.values()) - 1)
    top_y, ticks = _scale(max(1, *(max(curve) for curve in curves.values())))
    margin = max(len(f"{tick:,}") for tick in ticks) + 1
    legend = max(len(_legend(0, name, ends[name])) for name in curves)
    plot_width = max(10, width - margin - 2 - legend)
    canvas = _Canvas([[" "] * plot_width for _ in range(height)], last_x, top_y)
    for number, curve in enumerate(curves.values()):
        canvas.draw(curve, _marker(number))
    labels = _labels_by_row(canvas, ends)
    tick_by_row = {canvas.row(tick): f"{tick:,}" for tick in ticks}
    lines = [f"{'':{margin}}{y_title}"]
    for row, cells in enumerate(canvas.cells):
        edge = "┤" if row in tick_by_row else "│"
        lines.append(f"{tick_by_row.get(row, ''):>{margin}}{edge}{''.join(cells)} {labels.get(row, '')}".rstrip())
    return "\n".join([*lines, *_x_axis(canvas, margin, plot_width, x_title)])


def _marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]


def _legend(number: int, name: str, end: int) -> str:
    return f"{_marker(number)} {name} {end:,}"


def _scale(highest: int) -> tuple[float, list[int]]:
    """The top of the axis and about four whole ticks at round numbers."""
    rough = max(1.0, highest / 4)
    magnitude = 10 ** (len(str(int(rough))) - 1)
    round_numbers = (magnitude * factor for factor in _STEPS)
    step = next(int(number) for number in round_numbers if number >= rough and number % 1 == 0)
    return float(max(highest, step)), list(range(0, highest + 1, step))


def _labels_by_row(canvas: _Canvas, ends: Mapping[str, int]) -> dict[int, str]:
    """The names at the ends of the curves, the highest on top; where two would meet, the lower one moves."""
    height = len(canvas.cells)
    numbered = sorted(enumerate(ends.items()), key=lambda item: (-item[1][1], item[0]))
    labels: dict[int, str] = {}
    lowest_free = 0
    for place, (number, (name, end)) in enumerate(numbered):
        still_to_come = len(numbered) - place - 1
        row = min(max(canvas.row(end), lowest_free), height - 1 - still_to_come)
        labels[row] = _legend(number, name, end)
        lowest_free = row + 1
    return labels


def _x_axis(canvas: _Canvas, margin: int, plot_width: int, title: str) -> list[str]:
    count = max(1, plot_width // _TICK_COLUMNS)
    _, ticks = _scale(canvas.last_x) if count >= 4 else (0.0, [0, canvas.last_x])
    rule, numbers = ["─"] * plot_width, [" "] * (plot_width + margin + 1)
    for tick in ticks:
        column = canvas.column(tick)
        rule[column] = "┬"
        text = f"{tick:,}"
        start = margin + 1 + column - (0 if column == 0 else len(text) // 2)
        numbers[start : start + len(text)] = text
    return [f"{'':{margin}}└{''.join(rule)}", f"{''.join(numbers).rstrip()} {title}"]
