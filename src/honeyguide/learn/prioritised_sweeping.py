"""Prioritised sweeping: a small model of the web, and values that run backwards through it.

Moore and Atkeson (1993), "Prioritized sweeping: reinforcement learning with less data and less time", as Han et al.
(2018), section 2, describe it. States are kinds of pages, actions kinds of links on them, told apart by the buckets of
Han's features: a page by the fifth of its relevance and the clicks since the last relevant one, a link by the fifth of
the cosine of its words with the topic and by whether it leaves the host. The model counts for each pair (s, a) the
rewards it brought and the kinds of pages s' it led to. A value is

    q(s, a) = r(s, a) + γ Σ P(s' | s, a) max q(s', a')        over the pairs (s', a') met so far.

After every fetch the pair that was followed is updated. Whenever the value of a state changes by more than θ, every
pair that leads there is put into a queue with the size of its change; the greatest of the queue is updated next, up to
`backups` times. Waiting links have the values of their pairs, and among equals the one whose words are nearest.

Kinds of pages and links, the bounds and a start of q at the cosine's fifth (so that a crawl begins as best-first) are
ours; the papers have tables of states that fit. Pairs are 400, so a table holds everything.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.features import COLUMNS, LinkFeatures
from honeyguide.learn.han_features import five_buckets
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

DISTANCES: Final = 8  # clicks since the last relevant page, the last for all beyond
STATES: Final = 5 * DISTANCES
ACTIONS: Final = 5 * 2
COSINES: Final = slice(1, 4)  # columns of `LinkFeatures.rows`
SAME_HOST: Final = COLUMNS.index("same host")
NEAREST: Final = 1e-6  # of a cosine beside a value: less than any two values differ by


@dataclass(frozen=True, slots=True)
class PrioritisedSweepingSettings:
    """Prioritised sweeping."""

    table: ClassVar = "prioritised_sweeping"

    discount: float = setting(0.9, "γ: what the value of the next page counts; 0.9 is Han's", at_least=0, at_most=0.999)
    threshold: float = setting(0.001, "θ: change of a value that is handed back", above=0)
    backups: int = setting(50, "updates after each fetch, at most", at_least=0, at_most=10_000)


class PrioritisedSweeping(Strategy):
    """A row has the state, the action, and the mean cosine of the link's words."""

    settings_type = PrioritisedSweepingSettings
    order = Order.BEST_SCORE
    row_width = 3
    reads_next_rows = True
    seeds_first = True

    def __init__(self, topic: Topic, vectors: WordVectors, settings: PrioritisedSweepingSettings) -> None:
        self._features = LinkFeatures(topic, vectors)
        self.description_type = self._features.description_type
        self._settings = settings
        self._forget()

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.vectors(), given.settings.of(PrioritisedSweepingSettings))

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        return self._features.describe(candidates)

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        seen = self._features.rows(described, parents).astype(np.float64)
        cosine = seen[:, COSINES].mean(axis=1)
        state = five_buckets(parents.relevance) * DISTANCES + np.minimum(parents.distance, DISTANCES - 1)
        action = five_buckets(cosine) * 2 + (seen[:, SAME_HOST] > 0)
        return np.column_stack((state, action, cosine)).astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        states, actions = rows[:, :2].astype(np.int64).T
        return self._values[states, actions] + NEAREST * rows[:, 2].astype(np.float64)

    def learn(self, transition: Transition) -> bool:
        state, action = transition.row[:2].astype(np.int64).tolist()
        self._times[state, action] += 1
        self._rewards[state, action] += transition.reward
        if len(transition.next_rows):
            led_to, shown = transition.next_rows[:, :2].astype(np.int64).T
            self._led_to[state, action, led_to[0]] += 1
            self._is_met[led_to, shown] = True
        self._sweep(state, action)
        return True

    def relearn(self, transitions: Iterable[Transition]) -> bool:  # noqa: ARG002
        return False  # the pages that links led to are not told again

    def save(self) -> bytes:
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer, values=self._values, times=self._times, rewards=self._rewards, led_to=self._led_to, met=self._is_met
        )
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        try:
            saved = load_arrays(state)
            self._values = saved["values"].reshape(STATES, ACTIONS)
            self._times = saved["times"].reshape(STATES, ACTIONS)
            self._rewards = saved["rewards"].reshape(STATES, ACTIONS)
            self._led_to = saved["led_to"].reshape(STATES, ACTIONS, STATES)
            self._is_met = saved["met"].reshape(STATES, ACTIONS)
        except (ValueError, KeyError) as error:
            raise StrategyError(f"not a saved state of prioritised-sweeping: {error}") from error

    def _sweep(self, state: int, action: int) -> None:
        """Update a pair that was followed, then those that its change reaches, the greatest first."""
        priority = np.zeros((STATES, ACTIONS))
        priority[state, action] = np.inf
        for _ in range(1 + self._settings.backups):
            state, action = divmod(int(priority.argmax()), ACTIONS)
            if not priority[state, action] > self._settings.threshold:
                break
            priority[state, action] = 0.0
            before = self._state_value(state)
            self._values[state, action] = self._backed_up(state, action)
            change = abs(self._state_value(state) - before)
            leads_here = self._led_to[:, :, state] / np.maximum(self._times, 1)
            priority = np.maximum(priority, self._settings.discount * change * leads_here)

    def _backed_up(self, state: int, action: int) -> float:
        times = self._times[state, action]
        led_to = np.flatnonzero(self._led_to[state, action])
        ahead = sum(self._led_to[state, action, after] * self._state_value(int(after)) for after in led_to)
        return float((self._rewards[state, action] + self._settings.discount * ahead) / times)

    def _state_value(self, state: int) -> float:
        """The best pair met in a state; 0 where none was."""
        return float(self._values[state].max(initial=0.0, where=self._is_met[state]))

    def _forget(self) -> None:
        # As long as nothing is known of a pair, it is worth what best-first thinks of such links.
        self._values = np.tile(np.repeat(np.arange(5) / 5, 2), (STATES, 1))
        self._times = np.zeros((STATES, ACTIONS))
        self._rewards = np.zeros((STATES, ACTIONS))
        self._led_to = np.zeros((STATES, ACTIONS, STATES))
        self._is_met = np.zeros((STATES, ACTIONS), dtype=np.bool_)
