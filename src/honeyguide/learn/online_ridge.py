"""Online ridge regression of the reward on what a link looks like.

After every fetch with reward r of a link with row x, the weights are the ridge solution over all fetches so far,

    w = w0 + argmin_v  Σ (r - x·w0 - x·v)² + λ|v|²,

kept by recursive least squares (P = (λI + Σ x xᵀ)⁻¹):

    k = P x / (1 + xᵀ P x)        w ← w + k (r - x·w)        P ← P - k xᵀ P.

The prior weights w0 are those of best-first, so a crawl starts as best-first and departs from it as evidence comes in.
Every waiting link is re-scored with the new weights at every step. Discount 0: it predicts the reward of the next page
only; tunnelling comes from the columns that remember how far the last relevant page is.

Three columns count the pages that show the link, n of them, of relevances r on the scale of rewards:

    max r        Σ r / (n + 1)        log(1 + n).

They change whenever another page shows the link or the judge changes its mind. Text columns are those of one sighting,
that with the best score; one of them is how much of the topic's words its anchor and address have (`topic_words`). Only
pages teach the weights. Which links bring none is learned apart (`dead_ends`), and so
is what the pages of a folder earn beyond x·w (`site_parts`): a link is worth P(answers) · (x·w + bonus). By
setting there is one column more: the PageRank of the page that the link stands on, as it was when the link was seen.

A crawl may begin with what others have learned: w0 and λI are then those after so many pages of the other runs, each
run's rows and rewards measured from their means. Columns that mean something for one topic only are left out.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.dead_ends import DeadEnds
from honeyguide.learn.features import COLUMNS, SCALARS, LinkFeatures
from honeyguide.learn.learned import MEANINGS, LearnedWeights, carrying
from honeyguide.learn.shared_sums import SharedSums
from honeyguide.learn.site_parts import SiteParts
from honeyguide.learn.strategy import Order, Strategy
from honeyguide.learn.topic_words import TopicMentions
from honeyguide.model import ParentRules, weighted_sums
from honeyguide.model.saved_state import load_arrays
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients, SavedLearner
    from honeyguide.model import Candidates, LinkDescriptions, ParentFacts, ParentStats, Rows, Topic, Transition
    from honeyguide.settings import Settings
    from honeyguide.text import WordVectors


KIND: Final = "online-ridge"
SHOWN_BY: Final = (
    "greatest relevance of a page that shows it",
    "relevance of the pages that show it",
    "number of pages that show it",
)
START_OF_SHOWN_BY: Final = (0.1, 0.8, 0.12)
SAID: Final = "words of the topic"
START_OF_SAID: Final = 0.3
# The pull of weights towards their start. Columns that are nearly the same for all links are held most: else a run of
# poor pages lowers all scores alike, and the crawl stays where it is.
PULL: Final = 10.0
PULL_OF_COSINES: Final = 1.0  # and of what is known of the pages that show a link
PULL_OF_MEANING: Final = 0.5
ONE: Final = COLUMNS.index("always one")
COSINES: Final = slice(1, 4)
_MOST_FOR_A_PAGE: Final = 1e6  # cosines are below 1, and counts are logarithms
_ROUNDING: Final = 1e-3  # of sums that were taken out of an inverse
_OWN_AND_OTHERS: Final = (
    "own_rows",
    "own_rewards",
    "others_rows",
    "others_rewards",
    "others_signs",
    "others_counts",
)
COUNTED: Final = slice(len(COLUMNS), len(COLUMNS) + len(SHOWN_BY))


@dataclass(frozen=True, slots=True)
class OnlineRidgeSettings:
    """The online ridge regression strategy."""

    table: ClassVar = "online_ridge"

    regularisation: float = setting(1.0, "strength of the pull of every weight towards its start, best-first", above=0)
    exploration: float = setting(0.0, "share of choices made at random", at_least=0, at_most=1)
    start_pages: float = setting(
        100.0, "pages that the runs of crawl.learn_from count as, all together", at_least=0, at_most=1_000_000
    )
    page_rank: bool = setting(
        default=False, meaning="whether the rank of the page that a link stands on is looked at; needs ranks.every"
    )

    def mistakes(self, settings: Settings) -> Iterator[str]:
        if self.page_rank and not settings.ranks.every:
            yield "online_ridge.page_rank looks at ranks that nobody computes: set ranks.every, such as 100"


@dataclass(frozen=True, slots=True, eq=False)
class Ridge:
    """The state of the regression."""

    weights: NDArray[np.float64]
    inverse: NDArray[np.float64]  # P above

    @classmethod
    def prior(cls, weights: NDArray[np.float64], pulls: NDArray[np.float64]) -> Ridge:
        """Before any observation; `pulls` draw the weights towards these."""
        return cls(weights, np.diag(1.0 / pulls))

    def updated(self, row: NDArray[np.float64], reward: float) -> Ridge:
        """After one more observation."""
        # Element by element, without BLAS, so that a resumed crawl repeats it to the last bit.
        spread = (self.inverse * row).sum(axis=1)
        gain = spread / (1.0 + (row * spread).sum())
        error = reward - (row * self.weights).sum()
        return Ridge(self.weights + gain * error, self.inverse - gain[:, None] * spread)

    def with_sums(self, rows: NDArray[np.float64], rewards: NDArray[np.float64]) -> Ridge:
        """After the observations whose Σ x xᵀ and Σ r x these are."""
        start = np.linalg.inv(self.inverse)
        inverse = np.linalg.inv(start + rows).astype(np.float64)
        return Ridge(inverse @ (start @ self.weights + rewards), inverse)


def columns_of(settings: OnlineRidgeSettings) -> tuple[str, ...]:
    """Name the numbers of a row."""
    return (*COLUMNS, *SHOWN_BY, SAID, *(["rank of the page"] if settings.page_rank else []))


def start_of(settings: OnlineRidgeSettings) -> Ridge:
    """Return best-first as a regression that has seen nothing."""
    width = len(columns_of(settings))
    weights, pulls = np.zeros(width), np.full(width, PULL)
    weights[COSINES], pulls[COSINES] = 1 / 3, PULL_OF_COSINES
    weights[COUNTED], weights[COUNTED.stop] = START_OF_SHOWN_BY, START_OF_SAID
    pulls[len(SCALARS) : len(COLUMNS)], pulls[len(COLUMNS) :] = PULL_OF_MEANING, PULL_OF_COSINES
    return Ridge.prior(weights, settings.regularisation * pulls)


def _could_be_sums(rows: NDArray[np.float64], rewards: NDArray[np.float64]) -> bool:
    """Return whether these may be Σ x xᵀ and Σ r x for one page: of a sane size, symmetric, no square negative."""
    return bool(
        max(np.abs(rows).max(), np.abs(rewards).max()) < _MOST_FOR_A_PAGE
        and np.allclose(rows, rows.T, atol=_ROUNDING)
        and np.linalg.eigvalsh(rows).min() > -_ROUNDING
    )


def from_means(
    rows: NDArray[np.float64], rewards: NDArray[np.float64], columns: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Σ x xᵀ and Σ r x of a run for one page, rows and rewards being measured from their means in that run.

    So only how links of one run differ is left: how many pages of a topic there are says nothing about another. What
    is measured so already stays as it is. ValueError where the run has seen no page, or no crawl could have such sums.
    """
    one = columns.index(COLUMNS[ONE]) if COLUMNS[ONE] in columns else None
    if one is None or not rows[one, one] > 0.5:
        raise ValueError("has learned from no page")
    pages = rows[one, one]
    if not _could_be_sums(rows / pages, rewards / pages):
        raise ValueError("has sums that no crawl can have; write it again with honeyguide learner -o")
    mean_row, mean_reward = rows[one] / pages, rewards[one] / pages
    rows = rows / pages - np.outer(mean_row, mean_row)
    rewards = rewards / pages - mean_row * mean_reward
    rows[one, one] = 1.0
    return rows, rewards


class OnlineRidge(Strategy):
    """Best-first that changes its mind: scores are predicted rewards."""

    settings_type = OnlineRidgeSettings
    hands_on = True
    describes_ahead = True
    dead_ends: DeadEnds
    site_parts: SiteParts
    order = Order.BEST_SCORE
    # Smoothing 1: of a page's parents nothing is handed down to its links.
    parent_rules = ParentRules(smoothing=1.0, is_newest=True)

    def __init__(self, topic: Topic, vectors: WordVectors, settings: OnlineRidgeSettings) -> None:
        self._features = LinkFeatures(topic, vectors)
        self._exploration = settings.exploration
        self._has_page_rank = settings.page_rank
        self.describes_ahead = not settings.page_rank
        self.columns = columns_of(settings)
        self.row_width = len(self.columns)
        self._topic_words = TopicMentions(topic)
        # A rank is that of the moment when the link was seen, so it is stored with the link.
        rank = [("rank", np.float16)] if settings.page_rank else []
        self.description_type = np.dtype([("link", self._features.description_type), ("said", np.float16), *rank])
        self.dead_ends = DeadEnds(
            same_host=COLUMNS.index("same host"),
            in_main=COLUMNS.index("in the main text"),
            has_anchor=COLUMNS.index("has an anchor"),
            nearness=COLUMNS.index("nearness of a seed"),
            shown_by=self.columns.index("number of pages that show it"),
        )
        self.site_parts = SiteParts(self.row_width)
        self._start = self._ridge = start_of(settings)
        self._is_taught = False  # begins with what other runs have learned
        # In a run of several shards, what this one has seen, and what the others have: Σ x xᵀ and Σ r x.
        self._own: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self._others = (np.zeros((self.row_width, self.row_width)), np.zeros(self.row_width))
        self._start_pages = settings.start_pages

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.vectors(), given.settings.of(OnlineRidgeSettings))

    @property
    def weights(self) -> NDArray[np.float64]:
        return self._ridge.weights

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        described = np.empty(len(candidates), dtype=self.description_type)
        described["link"] = self._features.describe(candidates)
        described["said"] = self._topic_words.shares(candidates)
        if self._has_page_rank:
            # Between 0 and 1, as the other columns are: an average page has a half.
            described["rank"] = candidates.importance / (1.0 + candidates.importance)
        return described

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        rows = np.zeros((len(described), self.row_width), dtype=np.float16)
        rows[:, : len(COLUMNS)] = self._features.rows(described["link"], parents)
        rows[:, COUNTED.stop] = described["said"]
        if self._has_page_rank:
            rows[:, -1] = described["rank"]
        return rows if parents.all is None else self.with_parents(rows, parents.all)

    def with_parents(self, rows: Rows, parents: ParentStats) -> Rows:
        counted, count = rows.copy(), parents.count
        counted[:, COUNTED.start] = parents.smoothed
        counted[:, COUNTED.start + 1] = parents.relevance * count / (count + 1)
        counted[:, COUNTED.start + 2] = np.log1p(count)
        return counted

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return weighted_sums(rows, self._ridge.weights)

    def explores(self, chance: np.random.Generator) -> bool:
        return self._exploration > 0 and bool(chance.random() < self._exploration)

    def learn(self, transition: Transition) -> bool:
        self.dead_ends.observe(transition.url, transition.row, transition.answered)
        self._learn_reward(transition)
        return True

    def relearn(self, transitions: Iterable[Transition]) -> bool:
        """Learn the rewards anew; who answered does not depend on any judgement."""
        self._ridge = self._start
        if self._own is not None:
            self._own = (np.zeros_like(self._others[0]), np.zeros_like(self._others[1]))
            self._ridge = self._joined()
        self.site_parts.forget()
        for transition in transitions:
            self._learn_reward(transition)
        self.site_parts.changed = None
        return True

    def _learn_reward(self, transition: Transition) -> None:
        if transition.answered != 1:
            self.site_parts.tell_nothing()
            return
        row = transition.row.astype(np.float64)
        self._ridge = self._ridge.updated(row, transition.reward)
        self.site_parts.add(transition.url, row, transition.reward)
        self.site_parts.tell(transition.url, self._ridge.weights)
        if self._own is not None:
            self._own[0][:] += row[:, None] * row
            self._own[1][:] += transition.reward * row

    def begin_sharing(self) -> bool:
        self._own = (np.zeros_like(self._others[0]), np.zeros_like(self._others[1]))
        return True

    def share(self) -> SharedSums | None:
        if self._own is None:
            return None
        rows, rewards = self._own
        return SharedSums({"rows": rows.copy(), "rewards": rewards.copy()}, *self.dead_ends.own_counts())

    def take_shared(self, others: SharedSums) -> None:
        self._others = others.sums["rows"], others.sums["rewards"]
        self.dead_ends.take_others(others.signs, others.counts)
        self._ridge = self._joined()

    def _joined(self) -> Ridge:
        """The solution over the pages of all shards, as far as they are known here."""
        assert self._own is not None
        return self._start.with_sums(self._own[0] + self._others[0], self._own[1] + self._others[1])

    def save(self) -> bytes:
        buffer = io.BytesIO()
        dead_ends, site_parts = (
            np.frombuffer(each.save(), dtype=np.uint8) for each in (self.dead_ends, self.site_parts)
        )
        # Learning anew begins there, so a run needs it as long as it goes on, and not the files it came from.
        state = {
            "weights": self._ridge.weights,
            "inverse": self._ridge.inverse,
            "dead_ends": dead_ends,
            "site_parts": site_parts,
        }
        if self._is_taught:
            state |= {"start_weights": self._start.weights, "start_inverse": self._start.inverse}
        if self._own is not None:
            state |= dict(zip(_OWN_AND_OTHERS, (*self._own, *self._others, *self.dead_ends.others), strict=True))
        np.savez(buffer, **state)  # type: ignore[arg-type]
        return buffer.getvalue()

    @classmethod
    def learned_in(cls, saved: SavedLearner) -> LearnedWeights:
        """The fetches of that run alone, not what it began with."""
        settings = saved.settings.of(OnlineRidgeSettings)
        columns, (ridge, start, *_) = columns_of(settings), _saved(saved.state, start_of(settings))
        if len(columns) != len(ridge.weights):
            raise StrategyError(f"it holds {len(ridge.weights)} weights for {len(columns)} columns")
        then, now = np.linalg.inv(start.inverse), np.linalg.inv(ridge.inverse)
        numbers = {"weights": ridge.weights, "rows": now - then, "rewards": now @ ridge.weights - then @ start.weights}
        return LearnedWeights(saved.settings.crawl.strategy, KIND, columns, numbers, saved.step)

    def begin_with(self, earlier: Sequence[LearnedWeights]) -> None:
        """Begin as if `start_pages` pages had been seen, of all the earlier runs alike."""
        is_of_one_topic = [name.startswith(MEANINGS) or name == COLUMNS[ONE] for name in self.columns]
        now = np.linalg.inv(self._start.inverse)
        sums = now @ self._start.weights
        for each in earlier:
            width = len(each.columns)
            each.refuse_unless(KIND, {"weights": (width,), "rows": (width, width), "rewards": (width,)})
            try:
                rows, rewards = from_means(each.numbers["rows"], each.numbers["rewards"], each.columns)
            except ValueError as error:
                raise StrategyError(f"{each.source} {error}") from None
            carried = carrying(each.columns, self.columns)
            carried[is_of_one_topic] = 0.0
            share = self._start_pages / len(earlier)
            now = now + share * (carried @ rows @ carried.T)
            sums = sums + share * (carried @ rewards)
        inverse = np.linalg.inv(now)
        self._start = self._ridge = Ridge(inverse @ sums, inverse)
        self._is_taught = True

    def load(self, state: bytes) -> None:
        ridge, start, dead_ends, site_parts = _saved(state, self._start)
        if ridge.weights.shape != (self.row_width,):
            raise StrategyError(
                f"saved state of online-ridge has {len(ridge.weights)} weights, this version has {self.row_width}"
            )
        self.dead_ends.load(dead_ends)
        saved = load_arrays(state)
        if _OWN_AND_OTHERS[0] in saved:
            own_rows, own_rewards, rows, rewards, signs, counts = (saved[name] for name in _OWN_AND_OTHERS)
            self._own, self._others, self.dead_ends.others = (own_rows, own_rewards), (rows, rewards), (signs, counts)
        self.site_parts.load(site_parts)
        self._is_taught = start is not self._start
        self._ridge, self._start = ridge, start


def _saved(state: bytes, usual: Ridge) -> tuple[Ridge, Ridge, bytes, bytes]:
    """Return the regression, how it began, counts of dead ends, sums of parts. StrategyError where it is no state."""
    try:
        saved = load_arrays(state)
        ridge = Ridge(saved["weights"], saved["inverse"])
        has_own = "start_weights" in saved
        start = Ridge(saved["start_weights"], saved["start_inverse"]) if has_own else usual
        dead_ends, site_parts = saved["dead_ends"].tobytes(), saved["site_parts"].tobytes()
    except (ValueError, KeyError) as error:
        raise StrategyError(f"not a saved state of online-ridge: {error}") from error
    width = ridge.weights.size
    if {each.inverse.shape for each in (ridge, start)} != {(width, width)} or start.weights.size != width:
        raise StrategyError(
            f"saved state of online-ridge has {width} weights, this version has {usual.weights.size}; begin a new run"
        )
    return ridge, start, dead_ends, site_parts
