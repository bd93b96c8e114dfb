"""The harvest of a crawl as SVG: relevant pages over fetches."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

from honeyguide.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def draw_curve(points: Sequence[tuple[int, int]], width: int, height: int, kind: str) -> str:
    """The curve with axes, and a dashed line for a harvest as even as the whole of it."""
    fetches, found = points[-1]
    left, right, top, bottom = 52, 16, 14, 36
    inner_width, inner_height = width - left - right, height - top - bottom
    ceiling = _above(max(1, found))

    def x(value: float) -> float:
        return left + inner_width * value / max(1, fetches)

    def y(value: float) -> float:
        return top + inner_height * (1 - value / ceiling)

    way = "L".join(f"{x(at):.1f} {y(value):.1f}" for at, value in points)
    said = f"{count_of(found, 'relevant page')} after {count_of(fetches, 'fetch', 'fetches')}"
    parts = [f'<svg class="curve {kind}" viewBox="0 0 {width} {height}" role="img" aria-label="{said}">']
    for tick in _ticks(ceiling, 5):
        at = y(tick)
        parts.append(f'<path class="grid" d="M{left} {at:.1f}H{width - right}"/>')
        parts.append(f'<text class="tick" x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{tick:,.0f}</text>')
    for tick in _ticks(fetches, 3 if width < 500 else 5):
        anchor = "end" if x(tick) > width - right - 20 else "middle"
        parts.append(
            f'<text class="tick" x="{x(tick):.1f}" y="{height - bottom + 18}" text-anchor="{anchor}">{tick:,.0f}</text>'
        )
    parts += [
        f'<text class="axis" x="{left + inner_width / 2:.0f}" y="{height - 4}" text-anchor="middle">fetches</text>',
        f'<path class="area" d="M{x(0):.1f} {y(0):.1f}L{way}L{x(fetches):.1f} {y(0):.1f}Z"/>',
        f'<path class="even" d="M{x(0):.1f} {y(0):.1f}L{x(fetches):.1f} {y(found):.1f}"/>',
        f'<path class="line" d="M{way}"/>',
        f'<circle class="end" cx="{x(fetches):.1f}" cy="{y(found):.1f}" r="4"/>',
        "</svg>",
    ]
    return "\n".join(parts)


def _above(value: float) -> float:
    """The next multiple of a round number."""
    step = _step(value, 5)
    return step * -(-value // step)


def _ticks(end: float, count: int) -> list[float]:
    if end <= 0:
        return [0.0]
    step = _step(end, count)
    return [step * number for number in range(int(end / step + 1e-9) + 1)]


def _step(end: float, count: int) -> float:
    rough = max(1.0, end / count)
    unit = 10 ** floor(log10(rough))
    return next(unit * each for each in (1, 2, 5, 10) if unit * each >= rough)
