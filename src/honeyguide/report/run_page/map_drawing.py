"""The map of the topic as SVG: pages as dots, larger the more relevant, coloured by host, with as many names as fit."""

from __future__ import annotations

from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final
from unicodedata import east_asian_width

from honeyguide.counts import count_of
from honeyguide.report.run_page.escaping import link, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.report.run_page.gathering import TopicMap
    from honeyguide.store import KeptPage

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
