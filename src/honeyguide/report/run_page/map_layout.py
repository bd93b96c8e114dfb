"""Where the pages of a map lie: linked ones near each other, pages of a host together, none upon another.

Forces after Fruchterman and Reingold (1991): every two pages push each other apart, links pull together. Added are a
weak pull towards the middle, so that what is not linked stays in sight, and one towards the other pages of the host.
There is no chance in it: pages begin on a spiral, in their order. The result is the same every time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
