"""SARSA with a linear value function and prioritised order: Han et al. (2018), Algorithm 1, and Pertejo (2021), 3.8.

A page is a state s, a link on it an action a, x(s, a) the two rows of features side by side. The value of a waiting
link is q(s, a) = w·x(s, a); the crawl follows the most valuable link of the whole frontier, or with probability ε a
random one; `exploring` has two other ways. After following it, with reward r on a page s' whose unvisited links are the
actions a':

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
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.exploring import Softmax, UpperConfidence
from honeyguide.learn.han_features import (
    FeatureSettings,
    FeatureStyle,
    PairRows,
    TopicAndCategories,
    category_group,
    columns,
)
from honeyguide.learn.learned import LearnedWeights, carrying
from honeyguide.learn.shared_sums import SharedSums
from honeyguide.learn.strategy import FoundAgain, Order, Strategy
from honeyguide.model import weighted_sums
from honeyguide.model.saved_state import load_arrays
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.exploring import Exploration
    from honeyguide.learn.strategy import Ingredients, SavedLearner
    from honeyguide.model import Candidates, Decision, Page, ParentStats, Row, Rows, Transition
    from honeyguide.settings import Settings

LARGEST_WEIGHT: Final = 1e20  # far beyond any of use, far below where products leave the range of numbers


class Mode(StrEnum):
    """Which waiting links have their value by the newest weights."""

    SYNCHRONOUS = "synchronous"  # all
    ASYNCHRONOUS = "asynchronous"  # those of the newest page, and their likes
    MODERATED = "moderated"  # as asynchronous, with a damped error


MODES: Final = {"lfa-sync": Mode.SYNCHRONOUS, "lfa-async": Mode.ASYNCHRONOUS, "lfa-moderated": Mode.MODERATED}
"""By the name of the strategy."""


@dataclass(frozen=True, slots=True)
class LfaSettings(FeatureSettings):
    """Linear SARSA with prioritised order, after Han et al. 2018; the defaults are theirs."""

    table: ClassVar = "lfa"

    step_size: float = setting(0.001, "α: how far the weights follow each error", above=0, at_most=1)
    discount: float = setting(0.9, "γ: what the value of the next link counts", at_least=0, at_most=1)
    exploration: float = setting(0.1, "ε: share of choices made at random", at_least=0, at_most=1)
    exploration_end: float = setting(0.1, "ε after exploration_steps; does nothing without them", at_least=0, at_most=1)
    exploration_steps: int = setting(0, "choices over which ε goes to its end; 0 keeps it constant", at_least=0)
    explores_by: str = setting(
        "chance",
        "how it explores: a share ε of choices by chance, softmax over values, or ucb, more for what is little known",
        choices=("chance", "softmax", "ucb"),
    )
    temperature: float = setting(0.1, "of softmax: the higher, the less values count", above=0)
    confidence: float = setting(0.1, "of ucb: weight of what is little known", at_least=0)
    starts_at: str = setting("zero", "weights to begin with", choices=("zero", "uniform"))
    ends_at_relevant: bool = setting(default=True, meaning="whether a relevant page ends an episode")
    learns_without_links: bool = setting(
        default=True, meaning="whether a page without unvisited links teaches anything"
    )
    takes_best_next: bool = setting(
        default=False, meaning="whether the target is the best next link, not the chosen one"
    )
    draws: str = setting(
        "pair", "what is drawn at random: pairs of state and action, or links", choices=("pair", "link")
    )

    def mistakes(self, settings: Settings) -> Iterator[str]:  # noqa: ARG002
        """An end of exploration that nothing leads to; the default, and what it begins with, do no harm."""
        yield from self.mistakes_of_changes(self.table)
        if not self.exploration_steps and self.exploration_end not in (LfaSettings().exploration_end, self.exploration):
            yield (
                f"lfa.exploration_end is {self.exploration_end!r}: give lfa.exploration_steps, too, "
                "or lfa.exploration alone"
            )

    def exploration_after(self, choices: int) -> float:
        """The share of choices made at random after so many."""
        if not self.exploration_steps:
            return self.exploration
        progress = min(choices / self.exploration_steps, 1.0)
        return self.exploration + (self.exploration_end - self.exploration) * progress


def updated(
    weights: NDArray[np.float64],
    row: NDArray[np.float64],
    reward: float,
    next_value: float | None,
    settings: LfaSettings,
    mode: Mode,
) -> NDArray[np.float64]:
    """The weights after one step; `next_value` is q(s', a'), None where nothing follows."""
    # Element by element, without BLAS, so that a resumed crawl repeats it to the last bit.
    value = float((row * weights).sum())
    if next_value is None:
        error = reward - value
    else:
        error = reward + settings.discount * next_value - value
        if mode is Mode.MODERATED:
            error = reward + settings.discount * (next_value - error) - value
    return weights + settings.step_size * error * row


class LinearSarsa(Strategy):
    """Scores are values under weights that are learned while crawling, and may be carried from crawl to crawl."""

    settings_type = LfaSettings
    hands_on = True
    order = Order.BEST_SCORE
    found_again = FoundAgain.EVERY
    reads_next_rows = True
    seeds_first = True

    def __init__(
        self,
        nearness: TopicAndCategories,
        style: FeatureStyle,
        settings: LfaSettings,
        start: NDArray[np.float64],
        chance: np.random.Generator,
        mode: Mode = Mode.SYNCHRONOUS,
    ) -> None:
        self._pairs = PairRows(nearness, style)
        self.settings = settings
        self.mode = mode
        self.learned = start  # the weights
        self._chance = chance  # for the next action alone; the engine has its own
        self._choices = 0
        self.exploration: Exploration | None = None  # where that is not by chance
        self.row_width = row_width(style, nearness.categories)
        self.parent_rules = style.parents
        self.draws_rows = settings.draws == "pair"
        if start.shape != (self.row_width,):
            raise StrategyError(f"{start.size} weights to start with, where rows have {self.row_width} numbers")

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        """One of the three modes, by the name of the strategy."""
        lfa, categories = given.settings.of(LfaSettings), given.topic.categories
        chance = np.random.default_rng([given.settings.crawl.seed, 1])  # apart from the engine's own
        style = lfa.style()
        nearness = TopicAndCategories(given.topic, categories, given.vectors())
        width = row_width(style, len(categories))
        start = chance.random(width) if lfa.starts_at == "uniform" else np.zeros(width)
        made = cls(nearness, style, lfa, start, chance, MODES[given.settings.crawl.strategy])
        made.columns = columns(style, categories)
        if lfa.explores_by == "softmax":
            made.exploration = Softmax(lfa.temperature, made.row_width, given.settings.crawl.seed)
        elif lfa.explores_by == "ucb":
            made.exploration = UpperConfidence(lfa.confidence, made.row_width)
        return made

    @classmethod
    def learned_in(cls, saved: SavedLearner) -> LearnedWeights:
        lfa, weights = saved.settings.of(LfaSettings), _saved(saved.state)[0]
        names = columns(lfa.style(), saved.settings.topic.categories)
        if weights.shape != (len(names),):
            raise StrategyError(
                f"it holds {weights.size} weights for {len(names)} columns; restore its settings.toml as it was"
            )
        strategy, kind = saved.settings.crawl.strategy, _kind(lfa.features)
        return LearnedWeights(strategy, kind, names, {"weights": weights}, saved.step)

    def begin_with(self, earlier: Sequence[LearnedWeights]) -> None:
        """The mean of their weights."""
        for each in earlier:
            each.refuse_unless(_kind(self.settings.features), {"weights": (len(each.columns),)})
        carried = [carrying(each.columns, self.columns, category_group) @ each.weights for each in earlier]
        self.learned = np.mean(carried, axis=0)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        return self.learned if self.exploration is None else None  # else a score is not their sum alone

    def describe_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:
        return self._pairs.of_page(page, is_relevant=is_relevant, parents=parents)

    def describe(self, candidates: Candidates) -> Rows:
        return self._pairs.of_links(candidates)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        values = weighted_sums(rows, self.learned)
        return values if self.exploration is None else values + self.exploration.bonus(rows)

    def explores(self, chance: np.random.Generator) -> bool:
        return self.exploration is None and bool(chance.random() < self.settings.exploration_after(self._choices))

    def notice(self, decision: Decision) -> None:  # noqa: ARG002
        self._choices += 1

    def learn(self, transition: Transition) -> bool:
        is_end = transition.is_relevant and self.settings.ends_at_relevant
        has_links = len(transition.next_rows) > 0
        if not (is_end or has_links or self.settings.learns_without_links):
            return False
        next_value = None if is_end or not has_links else self._next_value(transition.next_rows)
        row = transition.row.astype(np.float64)
        weights = updated(self.learned, row, transition.reward, next_value, self.settings, self.mode)
        if not np.abs(weights).max() <= LARGEST_WEIGHT:  # nor where one is not a number
            raise StrategyError(
                f"the weights have diverged at step {transition.step}: "
                f"crawl anew with a lower lfa.step_size, now {self.settings.step_size:g}"
            )
        before, self.learned = self.learned, weights
        if self.exploration is not None:
            self.exploration.learn(transition.row)
        has_changed = self.exploration is not None or not np.array_equal(before, weights)
        return self.mode is Mode.SYNCHRONOUS and has_changed

    def begin_sharing(self) -> bool:
        """The weights are shared; what `exploration` has seen is that of each shard."""
        return True

    def share(self) -> SharedSums | None:
        count = float(self._choices)
        return SharedSums({"weights": count * self.learned, "count": np.array([count])})

    def take_shared(self, others: SharedSums) -> None:
        """Average the weights, each shard's as far as it has chosen links."""
        own, count = float(self._choices), float(others.sums["count"][0])
        if own + count:
            self.learned = (own * self.learned + others.sums["weights"]) / (own + count)

    def save(self) -> bytes:
        buffer = io.BytesIO()
        state = json.dumps({"choices": self._choices, "chance": self._chance.bit_generator.state})
        explored = np.empty(0) if self.exploration is None else self.exploration.state
        told = np.frombuffer(state.encode(), dtype=np.uint8)
        np.savez(buffer, weights=self.learned, state=told, explored=explored)
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        weights, choices, chance = _saved(state)
        if weights.shape != (self.row_width,):
            raise StrategyError(f"saved state of linear SARSA has {weights.size} weights, not {self.row_width}")
        if self.exploration is not None:
            try:
                self.exploration.restore(load_arrays(state)["explored"])
            except (ValueError, KeyError) as error:
                raise StrategyError(f"not a saved state of linear SARSA with this exploration: {error}") from error
        self.learned = weights
        self._choices = choices
        self._chance.bit_generator.state = chance

    def _next_value(self, next_rows: Rows) -> float:
        values = weighted_sums(next_rows, self.learned)
        is_best = self.settings.takes_best_next
        if self.exploration is not None and not is_best:
            return float(values[np.argmax(self.score(next_rows))])
        if not is_best and self._chance.random() < self.settings.exploration_after(self._choices):
            return float(values[self._chance.integers(len(values))])
        return float(values.max())


def row_width(style: FeatureStyle, categories: int) -> int:
    """Numbers that describe a link on its page: the state and the action."""
    return style.state_width(categories) + style.action_width(categories)


def _kind(features: str) -> str:
    return f"linear SARSA with features {features}"


def _saved(state: bytes) -> tuple[NDArray[np.float64], int, dict[str, Any]]:
    """Weights, number of choices and state of chance."""
    try:
        saved = load_arrays(state)
        weights, told = saved["weights"], json.loads(saved["state"].tobytes())
        return weights, int(told["choices"]), dict(told["chance"])
    except (ValueError, KeyError, TypeError) as error:
        raise StrategyError(f"not a saved state of linear SARSA: {error}") from error
