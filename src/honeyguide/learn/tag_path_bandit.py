"""A sleeping bandit over tag paths: links that stand in the same place of a layout are one arm.

Gauquier, Manolescu and Senellart (2025), "Efficient crawling for scalable web data acquisition": the tag path of a link
is the path of elements from the root of its page to it, with their ids and classes. Paths are compared by the cosine of
their counts of pairs of neighbouring elements (n-grams with n = 2), hashed into a vector of fixed size. A path joins
the arm with the nearest centroid, if that is at least θ near, else it makes a new arm. The arms of which a link waits
are awake; among these the crawl takes the one with the greatest

    R(a) + α √(ln t / N(a))        R the mean reward, N how often a was taken, t how often any was; α = 2√2

and an arm never taken before any other. In the paper a reward is the number of new targets on the page, and an arm's
link is drawn at random; here it is the reward of the page, and the first that was found is taken, so α weighs more than
there. Its classifier of addresses, which spares it requests for files, is left out: a crawl here pays for pages.

An arm belongs to a link by the centroids of the moment. There are at most `ARMS` arms; what would make one more joins
the nearest. Where nothing tells tag paths (no HTML), a link has none and its arm is the empty path's.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import xxhash

from honeyguide.errors import StrategyError
from honeyguide.learn.strategy import FoundAgain, Order, Strategy
from honeyguide.model import weighted_sums
from honeyguide.model.saved_state import load_arrays
from honeyguide.settings import setting

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Rows, Transition

WIDTH: Final = 64  # of a hashed path
ARMS: Final = 256
NEVER_TAKEN: Final = 1e6  # above any score of an arm that was
KEPT_PATHS: Final = 65_536


@dataclass(frozen=True, slots=True)
class TagPathBanditSettings:
    """The sleeping bandit over tag paths."""

    table: ClassVar = "tag_path_bandit"

    similarity: float = setting(0.75, "θ: cosine from which two tag paths are one arm", above=0, at_most=1)
    exploration: float = setting(
        2.8284271247461903, "α: weight of what is uncertain; 2√2 is the paper's", at_least=0, at_most=1000
    )


def hashed_path(path: str) -> NDArray[np.float16]:
    """Count the pairs of neighbouring elements of a tag path, each pair in its place of `WIDTH`."""
    counts = np.zeros(WIDTH, dtype=np.float16)
    for pair in pairwise(("", *path.split(" "))):
        counts[xxhash.xxh3_64_intdigest(" ".join(pair).encode("utf-8", "replace")) % WIDTH] += 1
    return counts


class TagPathBandit(Strategy):
    """A row is a hashed tag path. Arms are made while learning, so what waits has the arms of the last fetch."""

    settings_type = TagPathBanditSettings
    order = Order.BEST_SCORE
    row_width = WIDTH
    found_again = FoundAgain.FIRST
    reads_next_rows = True
    seeds_first = True

    def __init__(self, settings: TagPathBanditSettings) -> None:
        self._settings = settings
        self._row_by_path: dict[str, NDArray[np.float16]] = {}
        self._centroids = np.zeros((0, WIDTH))  # sums of the paths that joined: only their direction counts
        self._taken = np.zeros(0)  # N, by arm
        self._rewards = np.zeros(0)  # sums, by arm

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.of(TagPathBanditSettings))

    def describe(self, candidates: Candidates) -> Rows:
        paths = candidates.tag_paths or ("",) * len(candidates)
        if len(self._row_by_path) > KEPT_PATHS:
            self._row_by_path = {}
        known = self._row_by_path
        for path in {path for path in paths if path not in known}:
            known[path] = hashed_path(path)
        return np.array([known[path] for path in paths], dtype=np.float16).reshape(-1, WIDTH)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        if not len(self._centroids):
            return np.zeros(len(rows))
        distinct, of_row = _distinct(rows)
        arms, _ = self._nearest(distinct)
        return self._values()[arms][of_row]

    def learn(self, transition: Transition) -> bool:
        self._meet(np.concatenate((transition.row[None], transition.next_rows)))
        (arm,), _ = self._nearest(transition.row[None])
        self._taken[arm] += 1
        self._rewards[arm] += transition.reward
        return True

    def save(self) -> bytes:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, centroids=self._centroids, taken=self._taken, rewards=self._rewards)
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        try:
            saved = load_arrays(state)
            self._centroids = saved["centroids"].reshape(-1, WIDTH)
            self._taken = saved["taken"].reshape(len(self._centroids))
            self._rewards = saved["rewards"].reshape(len(self._centroids))
        except (ValueError, KeyError) as error:
            raise StrategyError(f"not a saved state of tag-path-bandit: {error}") from error

    def _meet(self, rows: Rows) -> None:
        """Let the distinct paths of a page join arms, or make some."""
        for path in _distinct(rows)[0].astype(np.float64):
            (arm,), (nearness,) = self._nearest(path[None]) if len(self._centroids) else ((0,), (-1.0,))
            if nearness >= self._settings.similarity or len(self._centroids) == ARMS:
                self._centroids[arm] += path
            else:
                self._centroids = np.concatenate((self._centroids, path[None]))
                self._taken, self._rewards = np.append(self._taken, 0.0), np.append(self._rewards, 0.0)

    def _nearest(self, rows: NDArray[np.floating]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the nearest arm of each path, and the cosine with it."""
        wide = rows.astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        of_arms = np.sqrt(np.einsum("ij,ij->i", self._centroids, self._centroids))
        cosines = np.column_stack([weighted_sums(wide, centroid) for centroid in self._centroids])
        cosines /= np.maximum(lengths[:, None] * of_arms, 1e-12)
        arms = cosines.argmax(axis=1)
        return arms, cosines[np.arange(len(arms)), arms]

    def _values(self) -> NDArray[np.float64]:
        """Return the worth of each arm."""
        taken = np.maximum(self._taken, 1.0)
        bonus = self._settings.exploration * np.sqrt(np.log(max(self._taken.sum(), 1.0)) / taken)
        return np.where(self._taken > 0, self._rewards / taken + bonus, NEVER_TAKEN)


def _distinct(rows: Rows) -> tuple[Rows, NDArray[np.intp]]:
    """Return the rows that differ, and for each row its place among them."""
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, 2 * WIDTH))).reshape(-1)  # compared as bytes: soon done
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    return rows[first], place.reshape(-1)
