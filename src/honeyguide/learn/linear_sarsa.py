"""SARSA with a linear value function and prioritised order: Han et al. (2018), Algorithm 1, and Pertejo (2021), 3.8.

A page is a state s, a link on it an action a, x(s, a) the two rows of features side by side. The value of a waiting
link is q(s, a) = w·x(s, a); the crawl follows the most valuable link of the whole frontier, or with probability ε a
random one. After following it, with reward r on a page s' whose unvisited links are the actions a':

    relevant page       w ← w + α [r - q(s, a)] x(s, a)                          (the episode ends)
    otherwise           w ← w + α [r + γ q(s', a') - q(s, a)] x(s, a)            (a' chosen ε-greedily on s')
    moderated           w ← w + α [r + γ (q(s', a') - δ) - q(s, a)] x(s, a)      (δ the error above; equation 4)

Synchronous: every waiting link has its value by the new weights. Asynchronous: only the links of the new page and those
that look exactly like one of them have; the others keep the value they had. The moderated form is asynchronous.

What Han leaves open: w begins at zero; a page that is not relevant and has no unvisited link is worth its reward, being
a state in which nothing more can be earned. Pertejo ends no episode, learns nothing from a page without links, begins
with weights uniform in [0, 1], and in his Algorithm 1 takes the best a' instead of the chosen one: all are settings.
A seed stands on no page. Its row is zero, so it is worth nothing and teaches nothing; seeds are fetched before anything
else, as in both papers.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.han_features import PairRows
from honeyguide.learn.strategy import Exploration, FoundAgain, Order, Strategy
from honeyguide.model import weighted_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.learn.han_features import FeatureStyle, TopicAndCategories
    from honeyguide.model import Candidates, Decision, Page, Parents, Row, Rows, Transition

HAN_EXPLORATION: Final = Exploration(0.1, 0.1, 0)
LARGEST_WEIGHT: Final = 1e20  # far beyond any of use, far below where products leave the range of numbers


class Mode(StrEnum):
    """Which waiting links have their value by the newest weights."""

    SYNCHRONOUS = "synchronous"  # all
    ASYNCHRONOUS = "asynchronous"  # those of the newest page, and their likes
    MODERATED = "moderated"  # as asynchronous, with a damped error


@dataclass(frozen=True, slots=True)
class SarsaRules:
    """The parameters of the learner; the defaults are Han's."""

    mode: Mode = Mode.SYNCHRONOUS
    step_size: float = 0.001  # α
    discount: float = 0.9  # γ
    exploration: Exploration = HAN_EXPLORATION  # ε
    ends_at_relevant: bool = True
    learns_without_links: bool = True
    takes_best_next: bool = False  # a' is the best of s', whatever is followed: Pertejo's Algorithm 1
    draws_pairs: bool = True  # a random choice is uniform over (s, a), then over its links; else over links


def updated(
    weights: NDArray[np.float64],
    row: NDArray[np.float64],
    reward: float,
    next_value: float | None,
    rules: SarsaRules,
) -> NDArray[np.float64]:
    """The weights after one step; `next_value` is q(s', a'), None where nothing follows."""
    # Element by element, without BLAS, so that a resumed crawl repeats it to the last bit.
    value = float((row * weights).sum())
    if next_value is None:
        error = reward - value
    else:
        error = reward + rules.discount * next_value - value
        if rules.mode is Mode.MODERATED:
            error = reward + rules.discount * (next_value - error) - value
    return weights + rules.step_size * error * row


class LinearSarsa(Strategy):
    """Scores are values under weights that are learned while crawling, and may be carried from crawl to crawl."""

    order = Order.BEST_SCORE
    found_again = FoundAgain.EVERY
    seeds_first = True

    def __init__(
        self,
        nearness: TopicAndCategories,
        style: FeatureStyle,
        rules: SarsaRules,
        start: NDArray[np.float64],
        chance: np.random.Generator,
    ) -> None:
        self._pairs = PairRows(nearness, style)
        self.rules = rules
        self._weights = start
        self._chance = chance  # for the next action alone; the engine has its own
        self._choices = 0
        self.row_width = row_width(style, nearness.categories)
        self.parent_rules = style.parents
        self.draws_rows = rules.draws_pairs
        if start.shape != (self.row_width,):
            raise StrategyError(f"{start.size} weights to start with, where rows have {self.row_width} numbers")

    @property
    def weights(self) -> NDArray[np.float64]:
        return self._weights

    def describe_page(self, page: Page, *, is_relevant: bool, parents: Parents) -> Row:
        return self._pairs.of_page(page, is_relevant=is_relevant, parents=parents)

    def describe(self, candidates: Candidates) -> Rows:
        return self._pairs.of_links(candidates)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return weighted_sums(rows, self._weights)

    def explores(self, chance: np.random.Generator) -> bool:
        return bool(chance.random() < self.rules.exploration.share(self._choices))

    def notice(self, decision: Decision) -> None:  # noqa: ARG002
        self._choices += 1

    def learn(self, transition: Transition) -> bool:
        is_end = transition.is_relevant and self.rules.ends_at_relevant
        has_links = len(transition.next_rows) > 0
        if not (is_end or has_links or self.rules.learns_without_links):
            return False
        next_value = None if is_end or not has_links else self._next_value(transition.next_rows)
        row = transition.row.astype(np.float64)
        weights = updated(self._weights, row, transition.reward, next_value, self.rules)
        if not np.abs(weights).max() <= LARGEST_WEIGHT:  # nor where one is not a number
            raise StrategyError(
                f"the weights have diverged at step {transition.step}: "
                f"crawl anew with a lower lfa.step_size, now {self.rules.step_size:g}"
            )
        before, self._weights = self._weights, weights
        return self.rules.mode is Mode.SYNCHRONOUS and not np.array_equal(before, weights)

    def save(self) -> bytes:
        buffer = io.BytesIO()
        state = json.dumps({"choices": self._choices, "chance": self._chance.bit_generator.state})
        np.savez(buffer, weights=self._weights, state=np.frombuffer(state.encode(), dtype=np.uint8))
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        weights, choices, chance = _saved(state)
        if weights.shape != (self.row_width,):
            raise StrategyError(f"saved state of linear SARSA has {weights.size} weights, not {self.row_width}")
        self._weights = weights
        self._choices = choices
        self._chance.bit_generator.state = chance

    def _next_value(self, next_rows: Rows) -> float:
        values = self.score(next_rows)
        is_best = self.rules.takes_best_next
        if not is_best and self._chance.random() < self.rules.exploration.share(self._choices):
            return float(values[self._chance.integers(len(values))])
        return float(values.max())


def row_width(style: FeatureStyle, categories: int) -> int:
    """Numbers that describe a link on its page: the state and the action."""
    return style.state_width(categories) + style.action_width(categories)


def columns(style: FeatureStyle, categories: Sequence[str]) -> tuple[str, ...]:
    """What the numbers of a row are, for people; a weight belongs to each."""
    of_pages = (f"page: {name}" for name in style.state_columns(categories))
    return (*of_pages, *(f"link: {name}" for name in style.action_columns(categories)))


def saved_weights(state: bytes) -> NDArray[np.float64]:
    """The weights in what `LinearSarsa.save` gave. StrategyError if it did not give this."""
    return _saved(state)[0]


def _saved(state: bytes) -> tuple[NDArray[np.float64], int, dict[str, Any]]:
    """Weights, number of choices and state of chance."""
    try:
        with np.load(io.BytesIO(state), allow_pickle=False) as saved:
            weights, told = saved["weights"], json.loads(saved["state"].tobytes())
        return weights, int(told["choices"]), dict(told["chance"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise StrategyError(f"not a saved state of linear SARSA: {error}") from error
