"""A tree over links: leaves of links that pay alike, and the best leaf first.

After the Tree-Frontier of TRES: Kontogiannis et al. (2021), "Tree-based focused web crawling with reinforcement
learning". Waiting links fall into the leaves of a regression tree over their features. The examples of a leaf are the
fetches of links that fell there; a leaf is split, at the feature and threshold that lower the variance of their rewards
most, and so kinds of links are told apart as finely as the rewards ask for. TRES takes one link of every leaf and lets
a deep Q-network choose among them, with pages judged by a network of its own.

Here a leaf is worth the mean reward of its examples, beside half an example of its parent's, and the links of a leaf
come by the cosine of their words with the topic: the tree alone, without the networks. Features are those of `features`
without the columns of meaning. Of each leaf the last `EXAMPLES` examples are kept, and there are at most `LEAVES`
leaves, so memory is bounded. A leaf is split when each side gets 5 examples and the two means explain so much that
chance seldom does (F above 10); both numbers are ours.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.features import SCALARS, LinkFeatures
from honeyguide.learn.strategy import Order, Strategy
from honeyguide.model.saved_state import load_arrays
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, LinkDescriptions, ParentFacts, Rows, Topic, Transition
    from honeyguide.text import WordVectors

WIDTH: Final = len(SCALARS)
LEAVES: Final = 64
NODES: Final = 2 * LEAVES - 1
EXAMPLES: Final = 200  # of a leaf
OF_PARENT: Final = 0.5  # examples that the mean of the parent counts as
LEAST_F: Final = 10.0  # variance between the sides of a split over that within
COSINES: Final = slice(1, 4)
NEAREST: Final = 1e-6  # of a cosine beside the worth of a leaf
NO_SPLIT: Final = -1


@dataclass(frozen=True, slots=True)
class TreeFrontierSettings:
    """The tree frontier after TRES."""

    table: ClassVar = "tree_frontier"

    smallest_leaf: int = setting(5, "examples that each side of a split must have", at_least=1, at_most=100)


def best_split(
    rows: NDArray[np.float64], rewards: NDArray[np.float64], smallest: int
) -> tuple[int, float, float] | None:
    """Return feature, threshold and the sum of squares that the best split explains; None where chance may explain it.

    Links up to the threshold go left.
    """
    count, best = len(rewards), None
    squares = float(((rewards - rewards.mean()) ** 2).sum())
    for feature in range(rows.shape[1]):
        order = np.argsort(rows[:, feature], kind="stable")
        values, sums = rows[order, feature], np.cumsum(rewards[order])
        left = np.arange(smallest, count - smallest + 1)
        left = left[values[left - 1] < values[np.minimum(left, count - 1)]]
        if not len(left):
            continue
        right = count - left
        explained = sums[left - 1] ** 2 / left + (sums[-1] - sums[left - 1]) ** 2 / right - sums[-1] ** 2 / count
        place = int(explained.argmax())
        if explained[place] > (1e-9 if best is None else best[2]):
            threshold = (values[left[place] - 1] + values[left[place]]) / 2
            best = feature, float(threshold), float(explained[place])
    is_clear = best is not None and best[2] * (count - 2) > LEAST_F * (squares - best[2])
    return best if is_clear else None


class TreeFrontier(Strategy):
    """Scores are the worth of the leaf into which a link falls."""

    settings_type = TreeFrontierSettings
    order = Order.BEST_SCORE
    row_width = WIDTH
    columns = SCALARS
    seeds_first = True

    def __init__(self, topic: Topic, vectors: WordVectors, settings: TreeFrontierSettings) -> None:
        self._features = LinkFeatures(topic, vectors)
        self.description_type = self._features.description_type
        self._smallest = settings.smallest_leaf
        self._forget()

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.vectors(), given.settings.of(TreeFrontierSettings))

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        return self._features.describe(candidates)

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        return self._features.rows(described, parents)[:, :WIDTH]

    def score(self, rows: Rows) -> NDArray[np.float64]:
        wide = rows.astype(np.float64)
        return self._worth[self._leaves(wide)] + NEAREST * wide[:, COSINES].sum(axis=1)

    def learn(self, transition: Transition) -> bool:
        row = transition.row.astype(np.float64)
        leaf = int(self._leaves(row[None])[0])
        self._add(leaf, row[None], np.array([transition.reward]))
        if self._used + 2 <= NODES:
            self._split(leaf)
        return True

    def relearn(self, transitions: Iterable[Transition]) -> bool:
        self._forget()
        for transition in transitions:
            self.learn(transition)
        return True

    def save(self) -> bytes:
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            used=np.array(self._used),
            feature=self._feature,
            threshold=self._threshold,
            child=self._child,
            worth=self._worth,
            prior=self._prior,
            counts=np.array([len(self._rewards[node]) for node in range(NODES)]),
            rows=np.concatenate(self._rows),
            rewards=np.concatenate(self._rewards),
        )
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        self._forget()
        try:
            saved = load_arrays(state)
            self._used = int(saved["used"])
            for name, there in (("feature", self._feature), ("threshold", self._threshold), ("child", self._child)):
                np.copyto(there, saved[name])
            np.copyto(self._worth, saved["worth"])
            np.copyto(self._prior, saved["prior"])
            ends = np.cumsum(saved["counts"])[:-1]
            self._rows = np.split(saved["rows"].reshape(-1, WIDTH), ends)
            self._rewards = np.split(saved["rewards"], ends)
        except (ValueError, KeyError, TypeError) as error:
            raise StrategyError(f"not a saved state of tree-frontier: {error}") from error

    def _leaves(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the leaf of each row."""
        nodes = np.zeros(len(rows), dtype=np.int64)
        while True:
            inner = np.flatnonzero(self._feature[nodes] != NO_SPLIT)
            if not len(inner):
                return nodes
            at = nodes[inner]
            goes_right = rows[inner, self._feature[at]] > self._threshold[at]
            nodes[inner] = self._child[at] + goes_right

    def _add(self, leaf: int, rows: NDArray[np.float64], rewards: NDArray[np.float64]) -> None:
        self._rows[leaf] = np.concatenate((self._rows[leaf], rows))[-EXAMPLES:]
        self._rewards[leaf] = np.concatenate((self._rewards[leaf], rewards))[-EXAMPLES:]
        paid = self._rewards[leaf]
        self._worth[leaf] = (paid.sum() + OF_PARENT * self._prior[leaf]) / (len(paid) + OF_PARENT)

    def _split(self, leaf: int) -> None:
        """Make two leaves of one, where its rewards differ by a feature."""
        rows, rewards = self._rows[leaf], self._rewards[leaf]
        found = best_split(rows, rewards, self._smallest)
        if found is None:
            return
        self._feature[leaf], self._threshold[leaf], _ = found
        self._child[leaf] = left = self._used
        self._used += 2
        goes_right = rows[:, self._feature[leaf]] > self._threshold[leaf]
        for child, is_there in ((left, ~goes_right), (left + 1, goes_right)):
            self._prior[child] = self._worth[leaf]
            self._add(child, rows[is_there], rewards[is_there])
        self._rows[leaf], self._rewards[leaf] = np.empty((0, WIDTH)), np.empty(0)

    def _forget(self) -> None:
        self._used = 1
        self._feature = np.full(NODES, NO_SPLIT)
        self._threshold = np.zeros(NODES)
        self._child = np.zeros(NODES, dtype=np.int64)  # on the left; that on the right comes next
        self._worth = np.zeros(NODES)
        self._prior = np.zeros(NODES)  # the worth of the parent
        self._rows = [np.empty((0, WIDTH)) for _ in range(NODES)]
        self._rewards = [np.empty(0) for _ in range(NODES)]
