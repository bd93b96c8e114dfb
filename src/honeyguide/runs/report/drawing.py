"""Geometry of the harvest curve and the topic map. The templates turn it into SVG; nothing here writes markup.

The map's layout follows Fruchterman and Reingold (1991): every two pages repel each other, links attract. A weak pull
to the centre keeps unlinked pages in sight, another keeps pages of a host together. Pages start on a spiral in their
order, so the result is the same every time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Final
from unicodedata import east_asian_width

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Places = NDArray[np.float64]
    Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CurveDrawing:
    """Relevant pages over fetches in pixels: axis ticks, the curve as an SVG path, and its last point."""

    kind: str  # class of the drawing: wide or narrow
    width: int
    height: int
    left: float
    right: float
    base: float  # y of zero
    rows: tuple[tuple[float, str], ...]  # y and label of each horizontal grid line
    columns: tuple[tuple[float, str, str], ...]  # x, label and text-anchor of each tick below
    path: str
    end: Point


def curve_drawing(points: Sequence[tuple[int, int]], width: int, height: int, kind: str) -> CurveDrawing:
    """Scale a curve of (fetches, relevant pages) to a drawing of this size."""
    fetches, found = points[-1]
    left, right, top, base = 52, width - 16, 14, height - 36
    ceiling = _round_up(max(1, found))

    def x(value: float) -> float:
        return round(left + (right - left) * value / max(1, fetches), 1)

    def y(value: float) -> float:
        return round(base - (base - top) * value / ceiling, 1)

    columns = [
        (x(tick), f"{tick:,.0f}", "end" if x(tick) > right - 20 else "middle")
        for tick in _ticks(fetches, 3 if width < 500 else 5)
    ]
    return CurveDrawing(
        kind,
        width,
        height,
        left,
        right,
        base,
        rows=tuple((y(tick), f"{tick:,.0f}") for tick in _ticks(ceiling, 5)),
        columns=tuple(columns),
        path="L".join(f"{x(at)} {y(value)}" for at, value in points),
        end=(x(fetches), y(found)),
    )


def _round_up(value: float) -> float:
    step = _tick_step(value, 5)
    return step * -(-value // step)


def _ticks(end: float, count: int) -> list[float]:
    if end <= 0:
        return [0.0]
    step = _tick_step(end, count)
    return [step * number for number in range(int(end / step + 1e-9) + 1)]


def _tick_step(end: float, count: int) -> float:
    rough = max(1.0, end / count)
    unit = 10 ** floor(log10(rough))
    return next(unit * each for each in (1, 2, 5, 10) if unit * each >= rough)


_ROUNDS: Final = 300
_FEWEST_ROUNDS: Final = 40  # of many pages, which take longer, or where they have their places already
_GOLDEN_ANGLE: Final = 2.399963229728653
_PULL_TO_CENTRE: Final = 0.06
_PULL_TO_HOST: Final = 0.25


def lay_out(
    hosts: Sequence[str], links: Sequence[tuple[int, int]], room: float = 0.05, begin: Places | None = None
) -> Places:
    """Place pages, numbered as `hosts` are, in a square from 0 to 1, at least about `room` apart.

    `begin` is where they are on a map that this one follows, and not a number for a page that is new to it.
    """
    count = len(hosts)
    if count < 2:
        return np.full((count, 2), 0.5)
    numbers = np.arange(count)
    spiral = [np.cos(numbers * _GOLDEN_ANGLE), np.sin(numbers * _GOLDEN_ANGLE)]
    places = np.sqrt((numbers + 0.5) / count)[:, None] * np.stack(spiral, axis=1)
    if begin is not None:
        places = np.where(np.isfinite(begin), 2 * begin - 1, places)
    pairs = {(min(link), max(link)) for link in links if link[0] != link[1]}
    ends = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    _, host_numbers = np.unique(np.array(hosts), return_inverse=True)
    ideal = float(np.sqrt(3.0 / count))
    rounds = _FEWEST_ROUNDS if begin is not None else min(_ROUNDS, max(_FEWEST_ROUNDS, 3600 * _ROUNDS // count**2))
    room_to_compute = tuple(np.empty((count, count)) for _ in range(3))  # made once: fresh memory would cost the most
    for turn in range(rounds):
        force = _force(places, ends, host_numbers, ideal, room_to_compute)
        length = np.maximum(np.sqrt((force**2).sum(axis=1, keepdims=True)), 1e-9)
        places = places + force / length * np.minimum(length, 0.12 * (1 - turn / rounds) + 0.002)
    return _separate(_fit(places), room)


def _force(
    places: Places, ends: NDArray[np.int64], hosts: NDArray[np.int64], ideal: float, squares: Sequence[Places]
) -> Places:
    """Return where each page is pushed by all others, and pulled by its links, its host and the centre."""
    count, (one, other) = len(places), ends
    across, down, push = squares
    np.subtract.outer(places[:, 0], places[:, 0], out=across)
    np.subtract.outer(places[:, 1], places[:, 1], out=down)
    np.multiply(across, across, out=push)
    push += down * down
    np.maximum(push, 1e-12, out=push)
    np.divide(ideal**2, push, out=push)
    across *= push
    down *= push
    force = np.stack([across.sum(axis=1), down.sum(axis=1)], axis=1)
    apart = places[one] - places[other]
    pull = apart * np.sqrt((apart**2).sum(axis=1, keepdims=True)) / ideal
    sizes = np.bincount(hosts)
    for axis in (0, 1):
        force[:, axis] -= np.bincount(one, pull[:, axis], count) - np.bincount(other, pull[:, axis], count)
        middle = np.bincount(hosts, places[:, axis]) / sizes
        force[:, axis] -= (places[:, axis] - middle[hosts]) * _PULL_TO_HOST
    return force - places * _PULL_TO_CENTRE * count**0.5


def _fit(places: Places) -> Places:
    """Scale to 0 to 1 on each axis, halfway to even spacing: one distant page must not cramp all others."""
    low, high = places.min(axis=0), places.max(axis=0)
    ranks = places.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") / (len(places) - 1)
    return 0.5 * (places - low) / np.maximum(high - low, 1e-9) + 0.5 * ranks


def _separate(places: Places, room: float) -> Places:
    """Push pages that are too close apart, a little at a time."""
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


@dataclass(frozen=True, slots=True)
class MapDot:
    """A page on the map."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class MapName:
    """A name beside its dot, where there is room for it."""

    x: float
    y: float
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class MapDrawing:
    """A map in pixels; dots are in the order of the pages."""

    kind: str  # class of the drawing: wide or narrow
    width: int
    height: int
    lines: tuple[tuple[Point, Point], ...]
    dots: tuple[MapDot, ...]
    names: tuple[MapName, ...]
    more_names: tuple[MapName, ...]  # beside the other dots, for a reader who looks closer


def map_drawing(
    places: Places,
    links: Sequence[tuple[int, int]],
    relevance: Sequence[float],
    names: Sequence[str],
    size: tuple[int, int],
    kind: str,
) -> MapDrawing:
    """Scale a layout to a drawing; more relevant pages get larger dots, earlier pages are named first."""
    width, height = size
    margin = 22
    scale = min(1.0, (width * height / max(1, len(places))) ** 0.5 / 50)  # smaller where many share little room
    dots = tuple(
        MapDot(
            round(margin + float(x) * (width - 2 * margin), 1),
            round(margin + float(y) * (height - 2 * margin), 1),
            round(scale * (4.0 + 7.0 * max(0.0, min(1.0, each))), 1),
        )
        for (x, y), each in zip(places, relevance, strict=True)
    )
    lines = tuple(((dots[one].x, dots[one].y), (dots[other].x, dots[other].y)) for one, other in links)
    placed = _place_names(dots, names, size)
    others = (
        MapName(round(dot.x + dot.radius + 3, 1), round(dot.y + 2, 1), "start", name)
        for place, (dot, name) in enumerate(zip(dots, names, strict=True))
        if place not in placed
    )
    return MapDrawing(kind, width, height, lines, dots, tuple(placed.values()), tuple(others))


HOST_COLOURS: Final = 7


def colour_by_host(hosts: Sequence[str]) -> dict[str, int]:
    """Number the hosts with the most pages from 0; the others have no colour."""
    order = sorted(Counter(hosts).items(), key=lambda item: (-item[1], item[0]))
    return {host: number for number, (host, _) in enumerate(order[:HOST_COLOURS])}


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


_LINE_HEIGHT: Final = 14.0


def _place_names(dots: Sequence[MapDot], names: Sequence[str], size: tuple[int, int]) -> dict[int, MapName]:
    """Place each distinct name, by its dot, where it covers no dot and no other name; leave it out where it cannot."""
    taken = [_Box(dot.x - dot.radius, dot.y - dot.radius, dot.x + dot.radius, dot.y + dot.radius) for dot in dots]
    placed: dict[int, MapName] = {}
    for place, (name, dot) in enumerate(zip(names, dots, strict=True)):
        if any(other.text == name for other in placed.values()):
            continue
        width, reach = text_width(name), dot.radius + 4
        for anchor, left, base in (
            ("start", dot.x + reach, dot.y + 4),
            ("end", dot.x - reach - width, dot.y + 4),
            ("middle", dot.x - width / 2, dot.y - reach - 2),
            ("middle", dot.x - width / 2, dot.y + reach + 10),
        ):
            box = _Box(left, base - _LINE_HEIGHT + 3, left + width, base + 3)
            is_inside = box.left > 2 and box.right < size[0] - 2 and box.top > 2 and box.bottom < size[1] - 2
            if is_inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                at = {"start": left, "end": left + width, "middle": dot.x}[anchor]
                placed[place] = MapName(round(at, 1), round(base, 1), anchor, name)
                break
    return placed


# Widths of letters at the size of the names, in a wide screen font: the reader's font is not known.
_NARROW: Final = frozenset("fijlrtI .,:;'!|()[]-·")
_BROAD: Final = frozenset("mwMW@%—…")


def text_width(text: str) -> float:
    """Estimate the pixels that a name needs, rather too many than too few."""
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 5.0
    if letter in _BROAD or east_asian_width(letter) in "WF":
        return 12.5
    return 7.7 if letter.isascii() and (letter.islower() or letter.isdigit()) else 9.5
