"""Parse or skip, learned during the crawl by tabular Q-learning: the outlook of Lim (2016), section 9.1.

Q-learning (Watkins 1989) works on the states and actions of section 5.2, without a model. A decision a in state s,
followed by a decision in state s', teaches

    Q(s, a) ← Q(s, a) + α (r + γ max_b Q(s', b) - Q(s, a)).

A skip pays r = -penalty. A parse pays what the judge gives for the page, less the cost of a fetch: a fixed part, and a
part in proportion to the mean reward of the fetches so far. A fetch spent here is not spent elsewhere, where it would
bring about the mean; R-learning (Schwartz 1993) charges every action its mean reward for the same reason. So a state
is parsed where it pays more than the crawl pays anyway, on whatever scale the judge pays.

The reward of a fetch may come after later decisions, so a lesson waits until it is complete (`OpenLessons`), and
lessons are learned in that order. What is skipped is gone, and a crawl that skips itself dry has not spent its budget,
which the strategy does not know. So it skips only while more than `reserve` links wait by its own count (`LinksMet`).
With a reserve of the fetches still to come none of them is lost by skipping, up to the error of that count.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import xxhash

from honeyguide.errors import StrategyError
from honeyguide.learn.parse_or_skip import COLUMNS, LinkStates, UrlMeasure, UrlRule
from honeyguide.learn.parse_or_skip_model import PARSE, SKIP, STATES, Thresholds
from honeyguide.learn.shared_sums import SharedSums
from honeyguide.learn.strategy import Order, Strategy
from honeyguide.model import Skipped
from honeyguide.model.saved_state import inflate
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Decision, Row, Rows, Topic, Transition, Url
    from honeyguide.text import WordVectors

_SIDE: Final = 1024  # half-precision numbers hold whole ones up to 2,048 exactly
PLACES: Final = _SIDE * _SIDE
PLACE_COLUMNS: Final = 2


def columns(urls: Sequence[Url]) -> Rows:
    """The place of each address, in two numbers to be put into its link's row."""
    places = [xxhash.xxh3_64_intdigest(url.text.encode()) % PLACES for url in urls]
    return np.stack(np.divmod(np.array(places, dtype=np.int64), _SIDE), axis=1).astype(np.float16)


class LinksMet:
    """Counts different links, roughly. The same links in any order, however often, give the same count.

    A strategy sees the rows of the unvisited links on every page, new ones and old ones alike. With a hash of its
    address in the row, a link that was seen before can be known again, and different links can be counted by linear
    counting (Whang, Vander-Zanden and Taylor 1990): mark one of m places for each link; when a share v of them is still
    unmarked, about -m ln v different links were seen. With a million places the count is off by some 10 in 10,000 and
    by some 4,000 in 3 million. At 14 million all places are marked, and the count stays there.
    """

    def __init__(self) -> None:
        self._is_marked: NDArray[np.bool_] = np.zeros(PLACES, dtype=np.bool_)
        self._unmarked = PLACES

    def note(self, links: Rows) -> None:
        """Take in links by their `columns`."""
        one, other = links.astype(np.int64).T
        places = np.unique(one * _SIDE + other)
        self._unmarked -= int(np.count_nonzero(~self._is_marked[places]))
        self._is_marked[places] = True

    def count(self) -> float:
        """About how many different links were taken in."""
        return -PLACES * math.log(max(self._unmarked, 1) / PLACES)

    def saved(self) -> str:
        """All of it, as JSON takes it."""
        return base64.b64encode(zlib.compress(np.packbits(self._is_marked).tobytes(), level=1)).decode()

    @classmethod
    def loaded(cls, saved: str) -> LinksMet:
        """ValueError or TypeError where `saved` is nothing of the kind."""
        marks = np.frombuffer(inflate(base64.b64decode(saved, validate=True), PLACES // 8), dtype=np.uint8)
        if len(marks) * 8 != PLACES:
            raise ValueError(f"there are {len(marks) * 8} marks of links met instead of {PLACES}")
        met = cls()
        met._is_marked = np.unpackbits(marks).astype(np.bool_)
        met._unmarked = PLACES - int(np.count_nonzero(met._is_marked))
        return met


MOST_OPEN: Final = 8192  # twice as many as there can be fetches at once


@dataclass(frozen=True, slots=True)
class Lesson:
    """In this state this action paid so much and led to that state."""

    state: int
    action: int
    reward: float
    following: int


@dataclass(slots=True)
class _Open:
    state: int
    action: int
    reward: float | None
    following: int | None = None

    @property
    def lesson(self) -> Lesson | None:
        if self.reward is None or self.following is None:
            return None
        return Lesson(self.state, self.action, self.reward, self.following)


class OpenLessons:
    """Decisions in the order in which they were made, each by its URL, which is decided on only once.

    A redirect, or an answer that is unknown, brings no reward. So beyond `MOST_OPEN` the oldest is forgotten.
    """

    def __init__(self) -> None:
        self._open_by_url: dict[str, _Open] = {}
        self._last: str | None = None

    def __len__(self) -> int:
        return len(self._open_by_url)

    def decided(self, url: Url, state: int, action: int, reward: float | None) -> Lesson | None:
        """A decision was made, with the reward where it is known at once. The lesson of the one before, if complete."""
        lesson = None
        if self._last is not None:
            self._open_by_url[self._last].following = state
            lesson = self._closed(self._last)
        self._last = url.text
        self._open_by_url[url.text] = _Open(state, action, reward)
        if len(self._open_by_url) > MOST_OPEN:
            del self._open_by_url[next(iter(self._open_by_url))]
        return lesson

    def rewarded(self, url: Url, reward: float) -> Lesson | None:
        """The reward of a fetch has come. Its lesson, if complete; None also for a fetch that nobody decided on."""
        decision = self._open_by_url.get(url.text)
        if decision is None:
            return None
        decision.reward = reward
        return self._closed(url.text)

    def _closed(self, url: str) -> Lesson | None:
        lesson = self._open_by_url[url].lesson
        if lesson is not None:
            del self._open_by_url[url]
        return lesson

    def saved(self) -> dict[str, Any]:
        """All of it, as JSON takes it."""
        return {"open": {url: astuple(each) for url, each in self._open_by_url.items()}, "last": self._last}

    @classmethod
    def loaded(cls, saved: dict[str, Any]) -> OpenLessons:
        """KeyError, TypeError or ValueError where `saved` is nothing of the kind."""
        lessons = cls()
        for url, (state, action, reward, following) in saved["open"].items():
            lessons._open_by_url[url] = _Open(state, action, reward, following)
        lessons._last = saved["last"]
        if lessons._last is not None and lessons._last not in lessons._open_by_url:
            raise ValueError(f"the last decision, on {lessons._last}, is not among the open ones")
        return lessons


def corrected(
    values: NDArray[np.float64],
    lesson: Lesson,
    rate: float,
    discount: float,
    known: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """The table of Q after one lesson; `known` says what the next state is worth, where others know that better."""
    target = lesson.reward + discount * float((values if known is None else known)[lesson.following].max())
    changed = values.copy()
    changed[lesson.state, lesson.action] += rate * (target - values[lesson.state, lesson.action])
    return changed


@dataclass(frozen=True, slots=True)
class ParseOrSkipQSettings:
    """Parse or skip by Q-learning; thresholds are fitted to the embedding judge (docs/explanation/parse-or-skip.md)."""

    table: ClassVar = "parse_or_skip_q"

    host_relevance: float = setting(0.15, "mean relevance that makes a host relevant", at_least=0, at_most=1)
    url_relevance: float = setting(
        0.2, "cosine of an address with the topic that makes it relevant", at_least=0, at_most=1
    )
    learning_rate: float = setting(0.05, "step of a correction; the first ones are averaged", above=0, at_most=1)
    discount: float = setting(0.0, "weight of the next decision's value", at_least=0, at_most=1)
    fetch_cost: float = setting(0.0, "what a fetch costs, in rewards", at_least=0)
    mean_cost: float = setting(1.0, "what a fetch costs besides, in mean rewards of the fetches so far", at_least=0)
    skip_penalty: float = setting(0.0, "what a skip costs, in rewards", at_least=0)
    exploration_start: float = setting(0.3, "share of decisions made at random, at first", at_least=0, at_most=1)
    exploration_end: float = setting(0.1, "share of decisions made at random, in the end", at_least=0, at_most=1)
    exploration_decisions: int = setting(1000, "decisions from the first share to the last", at_least=1)
    reserve: int = setting(1000, "links that must wait, by the strategy's own count, for one to be skipped", at_least=0)


class ParseOrSkipQ(Strategy):
    """A queue that learns which of its links to leave out. Seeds are always fetched."""

    settings_type = ParseOrSkipQSettings
    order = Order.OLDEST
    row_width = len(COLUMNS) + PLACE_COLUMNS
    reads_next_rows = True

    def __init__(
        self, topic: Topic, vectors: WordVectors, settings: ParseOrSkipQSettings, *, counts_features: bool = False
    ) -> None:
        """With `counts_features` a decision pays Lim's reward instead: the true features of the state it led to."""
        self._settings = settings
        self._counts_features = counts_features
        relevance = settings.host_relevance
        rule = UrlRule(UrlMeasure.COSINE, settings.url_relevance)
        self._states = LinkStates(topic, vectors, Thresholds(1.0, relevance, relevance), rule)
        self._met = LinksMet()
        self._lessons = OpenLessons()
        self._own = np.zeros((len(STATES), 2))  # values by the lessons of this learner alone
        self._others = np.zeros((2, len(STATES), 2))  # values of others times their lessons, and these
        self._lessons_learned = np.zeros((len(STATES), 2), dtype=np.int64)
        self._decisions = 0
        self._links_decided = 0  # other than seeds
        self._rewards = 0
        self._rewards_sum = 0.0

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        counts_features = given.settings.judge.reward == "lim2016"
        own = given.settings.of(ParseOrSkipQSettings)
        return cls(given.topic, given.vectors(), own, counts_features=counts_features)

    @property
    def values(self) -> NDArray[np.float64]:
        """Return the values of skipping (first column) and parsing in each of `STATES`."""
        summed, lessons = self._others
        return (self._lessons_learned * self._own + summed) / np.maximum(self._lessons_learned + lessons, 1)

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
        return np.concatenate((self._states.columns(candidates), columns(candidates.targets)), axis=1)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return np.zeros(len(rows))

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:
        is_seed = bool(row[0])
        if is_seed or self.waiting <= self._settings.reserve:
            return None
        state = self._states.of(url, row)
        if chance.random() < self.exploration:
            return None if chance.random() < 0.5 else Skipped(f"by chance, in {state}")
        skipping, parsing = self.values[state.number].tolist()
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

    def begin_sharing(self) -> bool:
        return True

    def share(self) -> SharedSums | None:
        lessons = self._lessons_learned.astype(np.float64)
        return SharedSums({"values": lessons * self._own, "lessons": lessons})

    def take_shared(self, others: SharedSums) -> None:
        """Know the values of others, of which and its own the mean counts, each by its lessons."""
        self._others = np.stack((others.sums["values"], others.sums["lessons"]))

    def save(self) -> bytes:
        state: dict[str, Any] = {
            "history": self._states.saved(),
            "met": self._met.saved(),
            "lessons": self._lessons.saved(),
            "values": self._own.tolist(),
            "others": self._others.tolist(),
            "lessons_learned": self._lessons_learned.tolist(),
            "counts": [self._decisions, self._links_decided, self._rewards, self._rewards_sum],
        }
        return json.dumps(state).encode()

    def load(self, state: bytes) -> None:
        try:
            saved = json.loads(state)
            own = np.array(saved["values"], dtype=np.float64).reshape(self._own.shape)
            others = np.array(saved.get("others", 0.0), dtype=np.float64) + np.zeros(self._others.shape)
            lessons_learned = np.array(saved["lessons_learned"], dtype=np.int64).reshape(self._own.shape)
            decisions, links_decided, rewards, rewards_sum = saved["counts"]
            met, lessons = LinksMet.loaded(saved["met"]), OpenLessons.loaded(saved["lessons"])
            self._states.load(saved["history"])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StrategyError(f"not a saved state of parse-or-skip-q: {error}") from error
        self._met, self._lessons = met, lessons
        self._own, self._others, self._lessons_learned = own, others, lessons_learned
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
        self._own = corrected(self._own, lesson, rate, self._settings.discount, self.values)
