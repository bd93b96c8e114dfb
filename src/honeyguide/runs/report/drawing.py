"""The harvest of a crawl as SVG: relevant pages over fetches.

Where the pages of a map lie: linked ones near each other, pages of a host together, none upon another.

Forces after Fruchterman and Reingold (1991): every two pages push each other apart, links pull together. Added are a
weak pull towards the middle, so that what is not linked stays in sight, and one towards the other pages of the host.
There is no chance in it: pages begin on a spiral, in their order. The result is the same every time.

The map of the topic as SVG: pages as dots, larger the more relevant, coloured by host, with as many names as fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import unescape
from math import floor, log10
from typing import TYPE_CHECKING, Final
from unicodedata import east_asian_width

import numpy as np

from honeyguide.model.counts import count_of
from honeyguide.runs.report.escaping import link, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.runs import KeptPage
    from honeyguide.runs.report.gathering import TopicMap


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


_ROUNDS: Final = 300
_GOLDEN_ANGLE: Final = 2.399963229728653
_PULL_TO_MIDDLE: Final = 0.06
_PULL_TO_HOST: Final = 0.25


def laid_out(hosts: Sequence[str], links: Sequence[tuple[int, int]], room: float = 0.05) -> NDArray[np.float64]:
    """Places of the pages, numbered as `hosts` are, in a square from 0 to 1; at least about `room` apart."""
    count = len(hosts)
    if count < 2:
        return np.full((count, 2), 0.5)
    numbers = np.arange(count)
    places = np.sqrt((numbers + 0.5) / count)[:, None] * np.stack(
        [np.cos(numbers * _GOLDEN_ANGLE), np.sin(numbers * _GOLDEN_ANGLE)], axis=1
    )
    between = np.zeros((count, count))
    for source, target in links:
        between[source, target] = between[target, source] = 1.0
    same_host = np.array([[one == other for other in hosts] for one in hosts], dtype=np.float64)
    same_host /= same_host.sum(axis=1, keepdims=True)
    ideal = np.sqrt(3.0 / count)
    for turn in range(_ROUNDS):
        apart = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-6)
        push = ideal**2 / distance**2
        pull = between * distance / ideal
        force = (apart * (push - pull)[:, :, None]).sum(axis=1)
        force -= places * _PULL_TO_MIDDLE * count**0.5
        force -= (places - (same_host[:, :, None] * places[None, :, :]).sum(axis=1)) * _PULL_TO_HOST
        length = np.maximum(np.sqrt((force**2).sum(axis=1, keepdims=True)), 1e-9)
        places = places + force / length * np.minimum(length, 0.12 * (1 - turn / _ROUNDS) + 0.002)
    return _moved_apart(_fitted(places), room)


def _fitted(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The picture from 0 to 1, each axis for itself, halfway to even: one page far off must not cramp all others."""
    low, high = places.min(axis=0), places.max(axis=0)
    ranks = places.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") / (len(places) - 1)
    return 0.5 * (places - low) / np.maximum(high - low, 1e-9) + 0.5 * ranks


def _moved_apart(places: NDArray[np.float64], room: float) -> NDArray[np.float64]:
    """Push pages that lie too near each other aside, a little at a time."""
    for _ in range(60):
        apart = places[:, None, :] - places[None, :, :]
        distance = np.sqrt((apart**2).sum(axis=2))
        np.fill_diagonal(distance, 2.0)
        is_near = distance < room
        if not is_near.any():
            break
        step = np.where(is_near, (room - distance) / np.maximum(distance, 1e-6), 0.0)
        places = np.clip(places + 0.3 * (apart * step[:, :, None]).sum(axis=1), 0.0, 1.0)
    return places


HOST_COLOURS: Final = 7
# Widths of letters at the size of the names, in a wide font for screens: which one a reader has is not known.
_NARROW: Final = frozenset("fijlrtI .,:;'!|()[]-·")
_BROAD: Final = frozenset("mwMW@%—…")
_NARROW_PX, _LOWER_PX, _UPPER_PX, _BROAD_PX = 5.0, 7.7, 9.5, 12.5
_LINE: Final = 14.0


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True)
class MapSize:
    """Room for a map, and how long its names may be."""

    width: int
    height: int
    longest_name: int
    kind: str  # class of the drawing


def host_colours(topic_map: TopicMap) -> dict[str, int]:
    """A colour for each of the hosts with the most pages on the map, by number; the others have none."""
    counts: dict[str, int] = {}
    for page in topic_map.pages:
        counts[page.url.host] = counts.get(page.url.host, 0) + 1
    order = sorted(counts, key=lambda host: (-counts[host], host))
    return {host: number for number, host in enumerate(order[:HOST_COLOURS])}


def draw_map(topic_map: TopicMap, places: NDArray[np.float64], size: MapSize) -> str:
    """The map as SVG; `places` are from 0 to 1."""
    margin = 22
    points = [
        (margin + float(x) * (size.width - 2 * margin), margin + float(y) * (size.height - 2 * margin))
        for x, y in places
    ]
    colours = host_colours(topic_map)
    links = count_of(len(topic_map.links), "link")
    said = f"Map of {count_of(len(topic_map.pages), 'relevant page')} and {links} between them"
    room = f"0 0 {size.width} {size.height}"
    parts = [
        f'<svg class="map {size.kind}" viewBox="{room}" role="img" aria-label="{said}">',
        '<g class="links">',
        *(_line(points[source], points[target]) for source, target in topic_map.links),
        "</g>",
    ]
    dots = [_Box(x - r, y - r, x + r, y + r) for (x, y), r in zip(points, map(_radius, topic_map.pages), strict=True)]
    for page, (x, y) in zip(topic_map.pages, points, strict=True):
        colour = colours.get(page.url.host)
        about = (
            f"{shown(page.title or page.url.text, 120)} ({shown(page.url.host, 80)}), relevance {page.relevance:.2f}"
        )
        dot = (
            f'<circle class="{"dot" if colour is None else f"dot c{colour}"}" cx="{x:.1f}" cy="{y:.1f}" '
            f'r="{_radius(page):.1f}"><title>{about}</title></circle>'
        )
        parts.append(link(page.url.text, dot))
    parts += ['<g class="names" aria-hidden="true">', *_names(topic_map.pages, points, dots, size), "</g></svg>"]
    return "\n".join(parts)


def _radius(page: KeptPage) -> float:
    return 4.0 + 7.0 * max(0.0, min(1.0, page.relevance))


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    return f'<path d="M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}"/>'


def _names(
    pages: Sequence[KeptPage], points: Sequence[tuple[float, float]], dots: Sequence[_Box], size: MapSize
) -> list[str]:
    """Names where there is room for them, those of the first pages first; none over a dot or another name."""
    taken = list(dots)
    names, said = [], set[str]()
    for page, (x, y) in zip(pages, points, strict=True):
        name = shown(page.title or page.url.host, size.longest_name)
        if name in said:
            continue
        width, reach = text_width(unescape(name)), _radius(page) + 4
        for anchor, left, base in (
            ("start", x + reach, y + 4),
            ("end", x - reach - width, y + 4),
            ("middle", x - width / 2, y - reach - 2),
            ("middle", x - width / 2, y + reach + 10),
        ):
            box = _Box(left, base - _LINE + 3, left + width, base + 3)
            is_inside = box.left > 2 and box.right < size.width - 2 and box.top > 2 and box.bottom < size.height - 2
            if is_inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                said.add(name)
                at = {"start": left, "end": left + width, "middle": x}[anchor]
                names.append(f'<text x="{at:.1f}" y="{base:.1f}" text-anchor="{anchor}">{name}</text>')
                break
    return names


def text_width(text: str) -> float:
    """Room that a name needs, rather too much than too little."""
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return _NARROW_PX
    if letter in _BROAD or east_asian_width(letter) in "WF":
        return _BROAD_PX
    return _LOWER_PX if letter.isascii() and (letter.islower() or letter.isdigit()) else _UPPER_PX
