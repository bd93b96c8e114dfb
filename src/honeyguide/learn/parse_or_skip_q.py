"""Parse or skip, learned from the crawl itself: what Lim (2016), section 9.1, hopes for.

Tabular Q-learning (Watkins 1989) over the states and actions of section 5.2, without a model. A decision a in state s,
followed by a decision in state s', teaches

    Q(s, a) ← Q(s, a) + α (r + γ max_b Q(s', b) - Q(s, a)).

A skip pays r = -penalty. A parse pays what the judge gives for the page, less the cost of a fetch: a fixed part, and a
part in proportion to the mean reward of the fetches so far. A fetch spent here is not spent elsewhere, where it would
bring about the mean; R-learning (Schwartz 1993) charges every action its mean reward for the same reason. So a state
is parsed where it pays more than the crawl pays anyway, on whatever scale the judge pays.

The reward of a fetch may come after later decisions, so a lesson waits until it is complete (`open_lessons`), and
lessons are learned in that order. What is skipped is gone, and a crawl that skips itself dry has not spent its budget,
which the strategy does not know. So it skips only while more than `reserve` links wait by its own count (`links_met`).
With a reserve of the fetches still to come none of them is lost by skipping, up to the error of that count.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from honeyguide.domain import Skipped
from honeyguide.errors import StrategyError
from honeyguide.learn import links_met
from honeyguide.learn.link_states import COLUMNS, LinkStates, UrlMeasure, UrlRule
from honeyguide.learn.links_met import LinksMet
from honeyguide.learn.open_lessons import OpenLessons
from honeyguide.learn.parse_or_skip_states import PARSE, SKIP, STATES, Thresholds
from honeyguide.learn.strategy import Order, Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Decision, Row, Rows, Topic, Transition, Url
    from honeyguide.learn.open_lessons import Lesson
    from honeyguide.settings import ParseOrSkipQSettings
    from honeyguide.text import WordVectors


def corrected(values: NDArray[np.float64], lesson: Lesson, rate: float, discount: float) -> NDArray[np.float64]:
    """The table of Q after one lesson."""
    target = lesson.reward + discount * float(values[lesson.following].max())
    changed = values.copy()
    changed[lesson.state, lesson.action] += rate * (target - values[lesson.state, lesson.action])
    return changed


class ParseOrSkipQ(Strategy):
    """A queue that learns which of its links to leave out. Seeds are always fetched."""

    order = Order.OLDEST
    row_width = len(COLUMNS) + links_met.COLUMNS

    def __init__(
        self, topic: Topic, vectors: WordVectors, settings: ParseOrSkipQSettings, *, counts_features: bool = False
    ) -> None:
        """With `counts_features` a decision pays Lim's reward instead: the true features of the state it led to."""
        self._settings = settings
        self._counts_features = counts_features
        self._states = LinkStates(
            topic,
            vectors,
            Thresholds(settings.ratio, settings.previous_relevance, settings.current_relevance),
            UrlRule(UrlMeasure(settings.url_measure), settings.url_relevance, settings.word_similarity),
        )
        self._met = LinksMet()
        self._lessons = OpenLessons()
        self._values = np.zeros((len(STATES), 2))
        self._lessons_learned = np.zeros((len(STATES), 2), dtype=np.int64)
        self._decisions = 0
        self._links_decided = 0  # other than seeds
        self._rewards = 0
        self._rewards_sum = 0.0

    @property
    def values(self) -> NDArray[np.float64]:
        """What skipping (first column) and parsing are worth in each of `STATES`."""
        return self._values.copy()

    @property
    def lessons_learned(self) -> NDArray[np.int64]:
        """How often each of them was corrected: about as often as it was decided so."""
        return self._lessons_learned.copy()

    @property
    def waiting(self) -> int:
        """About how many links wait."""
        return round(self._met.count()) - self._links_decided

    @property
    def exploration(self) -> float:
        """The chance that the next decision is made at random."""
        settings = self._settings
        done = min(self._decisions / settings.exploration_decisions, 1.0)
        return settings.exploration_start + done * (settings.exploration_end - settings.exploration_start)

    def describe(self, candidates: Candidates) -> Rows:
        return np.concatenate((self._states.columns(candidates), links_met.columns(candidates.targets)), axis=1)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return np.zeros(len(rows))

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:
        is_seed = bool(row[0])
        if is_seed or self.waiting <= self._settings.reserve:
            return None
        state = self._states.of(url, row)
        if chance.random() < self.exploration:
            return None if chance.random() < 0.5 else Skipped(f"by chance, in {state}")
        skipping, parsing = self._values[state.number].tolist()
        return None if parsing >= skipping else Skipped(f"parsing is worth {parsing - skipping:.3g} in {state}")

    def notice(self, decision: Decision) -> None:
        state = self._states.of(decision.url, decision.row).number
        action = SKIP if decision.is_skipped else PARSE
        self._learn(self._lessons.decided(decision.url, state, action, self._paid_at_once(action)))
        self._states.note_decision(decision)
        self._decisions += 1
        self._links_decided += not decision.row[0]

    def learn(self, transition: Transition) -> bool:
        self._states.note_relevance(transition)
        self._met.note(transition.next_rows[:, len(COLUMNS) :])
        if not self._counts_features:
            mean = self._rewards_sum / max(self._rewards, 1)
            cost = self._settings.fetch_cost + self._settings.mean_cost * mean
            self._rewards += 1
            self._rewards_sum += transition.reward
            self._learn(self._lessons.rewarded(transition.url, transition.reward - cost))
        return False

    def save(self) -> bytes:
        state: dict[str, Any] = {
            "history": self._states.saved(),
            "met": self._met.saved(),
            "lessons": self._lessons.saved(),
            "values": self._values.tolist(),
            "lessons_learned": self._lessons_learned.tolist(),
            "counts": [self._decisions, self._links_decided, self._rewards, self._rewards_sum],
        }
        return json.dumps(state).encode()

    def load(self, state: bytes) -> None:
        try:
            saved = json.loads(state)
            values = np.array(saved["values"], dtype=np.float64).reshape(self._values.shape)
            lessons_learned = np.array(saved["lessons_learned"], dtype=np.int64).reshape(self._values.shape)
            decisions, links_decided, rewards, rewards_sum = saved["counts"]
            met, lessons = LinksMet.loaded(saved["met"]), OpenLessons.loaded(saved["lessons"])
            self._states.load(saved["history"])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StrategyError(f"not a saved state of parse-or-skip-q: {error}") from error
        self._met, self._lessons = met, lessons
        self._values, self._lessons_learned = values, lessons_learned
        self._decisions, self._links_decided = int(decisions), int(links_decided)
        self._rewards, self._rewards_sum = int(rewards), float(rewards_sum)

    def _paid_at_once(self, action: int) -> float | None:
        """The part of a decision's reward that does not wait for a page."""
        if action == SKIP:
            return -self._settings.skip_penalty
        return 0.0 if self._counts_features else None

    def _learn(self, lesson: Lesson | None) -> None:
        if lesson is None:
            return
        if self._counts_features:
            lesson = replace(lesson, reward=lesson.reward + sum(STATES[lesson.following]))
        place = lesson.state, lesson.action
        self._lessons_learned[place] += 1
        # The first lessons are averaged: at a small fixed rate they would take long to move the table from 0.
        rate = max(self._settings.learning_rate, 1 / float(self._lessons_learned[place]))
        self._values = corrected(self._values, lesson, rate, self._settings.discount)
