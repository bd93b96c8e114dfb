"""Says what more fetches of a crawl would bring, and how many relevant pages its strategy leaves, with 90% intervals.

The yield of the next fetches is told from the harvest so far. After t fetches the yield is looked at in a window of w,
a quarter of them (50 to 200): r = (3 a + b + 2) / (4 w + 4), where a of the last w fetches brought a relevant page
and b of the w before. In a web that is being used up it falls as 1 / (1 + u/t)² over the next u fetches, so that n of
them bring n r / (1 + n/t) on average; in one that is far larger than the crawl it stays. Both are reckoned with, the
second at 15%, and either is taken to be known as well as from 0.3 w fetches: the number of relevant pages is a mixture
of two beta-binomial distributions. The constants were fitted on crawls whose end is known; `benchmarks/forecast.py`
measures how often an interval holds. Nothing is told of more fetches than links wait: a site that is nearly used up
brings no more than these and what they lead to.

Relevant pages among the waiting links are told from links that were drawn by chance (`crawl.blind_spots`, or the
exploration of a strategy): of those in the newer half of the crawl, which are most like the ones that wait now, a share
was relevant, and Jeffreys' interval of that share times the waiting links is the answer (Brown, Cai and DasGupta 2001),
its middle the estimate.
It counts no page to which no waiting link leads directly, and none that the guard has put behind the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, lgamma
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.runs.records import Progress

    Select = Callable[..., Iterator[tuple[Any, ...]]]

HORIZONS: Final = (100, 500)
"""Fetches for which the yield is told where nobody asks for another number."""
FARTHEST: Final = 5  # times as many fetches as were made: nothing that was measured looks farther
SMALLEST_WINDOW, LARGEST_WINDOW = 50, 200
FEWEST_FETCHES: Final = 2 * SMALLEST_WINDOW  # from which the yield is told
MOST_LOOKED_AT: Final = 2 * LARGEST_WINDOW
"""The last fetches on which a forecast rests."""
NEWEST_COUNT: Final = 3.0  # times that a fetch of the newer window counts
KNOWN_SHARE: Final = 0.3  # of a window: fetches from which the yield would be known as well
STAYS: Final = 0.15  # probability that the yield does not fall
MOST_STEPS_WITH_DRAWS: Final = 100_000
TAIL: Final = 0.05


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number of relevant pages, and between which the truth lies nine times in ten."""

    expected: float
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class YieldForecast:
    """Relevant pages that the next fetches are expected to bring, going on as the crawl does."""

    fetches: int
    relevant: Estimate


@dataclass(frozen=True, slots=True)
class BlindSpots:
    """Links that were drawn by chance, and what they tell of those that wait."""

    since: int  # the step after which they came: half of the crawl ago
    drawn: int
    relevant: int  # of these
    relevant_waiting: Estimate  # among the links that wait now


@dataclass(frozen=True, slots=True)
class Outlook:
    """Whether it pays to go on."""

    fetches: int  # made so far
    next_fetches: tuple[YieldForecast, ...]  # none of more fetches than links wait
    untold: tuple[int, ...]  # numbers of fetches that were asked about, and are too many or come too early
    waiting: int  # links, without those that the guard has put behind others
    behind: int  # links that it has put there
    blind_spots: BlindSpots | None  # None where nothing was drawn by chance lately
    may_draw: bool = True  # whether the strategy could draw links by chance

    def sentences(self) -> Iterator[str]:
        """Say it in words."""
        waiting, made = count_of(self.waiting, "waiting link"), count_of(self.fetches, "fetch", "fetches")
        if self.fetches and not self.waiting:
            held_back = f" but {count_of(self.behind, 'link')} that the guard holds back" if self.behind else ""
            yield f"Nothing waits{held_back}: more fetches are not expected to bring anything."
        for each in self.next_fetches:
            ahead = count_of(each.fetches, "fetch", "fetches")
            may_bring = f"may bring {_in_words(each.relevant)} relevant pages"
            if each.fetches == self.waiting:
                yield f"All that waits ({count_of(self.waiting, 'link')}) {may_bring}; pages behind are not counted."
            else:
                yield f"The next {ahead} {may_bring}."
        if self.untold:
            asked = " and ".join(f"{ahead:,}" for ahead in self.untold)
            limit = (
                f"told only after {FEWEST_FETCHES} fetches"
                if self.fetches < FEWEST_FETCHES
                else f"too far: at most {FARTHEST} times those made, here {FARTHEST * self.fetches:,}"
            )
            yield f"The yield of the next {asked} fetches is {limit}; {made} so far."
        blind = self.blind_spots
        if blind is not None:
            drawn = f"Of {count_of(blind.drawn, 'link')} drawn at random after step {blind.since:,}"
            yield f"{drawn}, {blind.relevant:,} led to a relevant page."
        if blind is not None and self.waiting:
            left = blind.relevant_waiting
            count = _in_words(left) if blind.relevant else f"at most {left.high:,}"
            yield f"So {count} of {waiting} may do so; pages behind them are not counted."
        elif self.waiting and all(each.fetches < self.waiting for each in self.next_fetches):
            remedy = "; a crawl with --blind-spots 0.05 would tell" if self.may_draw else ""
            yield f"How many of {waiting} lead to relevant pages is not known{remedy}."


def last_fetches(select: Select) -> list[bool]:
    """Read whether each of the last fetches brought a relevant page, the oldest first."""
    last = select(
        """SELECT coalesce(p.is_relevant, 0) FROM steps s LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
           WHERE s.outcome <> 'unknown' AND NOT EXISTS (SELECT 1 FROM passes q WHERE q.number > 1
             AND s.step BETWEEN q.first_step AND q.last_step) ORDER BY s.step DESC LIMIT ?""",
        MOST_LOOKED_AT,
    )
    return [bool(is_relevant) for (is_relevant,) in last][::-1]


def read_outlook(
    select: Select, progress: Progress, horizons: Sequence[int] = HORIZONS, *, may_draw: bool = True
) -> Outlook:
    """Read from a run whether it pays to go on, by the newest judgements.

    `may_draw` says whether the crawl's strategy could draw links by chance.
    """
    flags = last_fetches(select)
    waiting = progress.waiting - progress.behind
    told = {ahead: forecast(flags, progress.fetches, min(ahead, waiting)) for ahead in horizons}
    since = max(progress.steps // 2, progress.steps - MOST_STEPS_WITH_DRAWS)
    draws = select(
        """SELECT coalesce(p.is_relevant, 0) FROM steps s LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
           WHERE s.step > ? AND s.explored""",
        since,
    )
    drawn = [is_relevant for (is_relevant,) in draws]
    blind = (
        BlindSpots(since, len(drawn), sum(drawn), relevant_waiting(len(drawn), sum(drawn), waiting)) if drawn else None
    )
    return Outlook(
        fetches=progress.fetches,
        next_fetches=tuple(dict.fromkeys(each for each in told.values() if each is not None)),  # some may be cut to one
        untold=tuple(ahead for ahead, each in told.items() if each is None and waiting),
        waiting=waiting,
        behind=progress.behind,
        blind_spots=blind,
        may_draw=may_draw,
    )


def forecast(relevant: Sequence[bool], fetches: int, ahead: int) -> YieldForecast | None:
    """Forecast the yield of `ahead` fetches; None where too little is known.

    `relevant` says of the last fetches whether they brought a relevant page: `MOST_LOOKED_AT` of them are enough.
    `fetches` is how many there were in all.
    """
    window = min(max(fetches // 4, SMALLEST_WINDOW), LARGEST_WINDOW)
    if len(relevant) < 2 * window or not 1 <= ahead <= FARTHEST * fetches:
        return None
    newest, before = sum(relevant[-window:]), sum(relevant[-2 * window : -window])
    rate = (NEWEST_COUNT * newest + before + 2) / ((NEWEST_COUNT + 1) * window + 4)
    falling, known = rate / (1 + ahead / fetches), window * KNOWN_SHARE
    expected = ahead * (STAYS * rate + (1 - STAYS) * falling)
    likely = STAYS * _beta_binomial(ahead, rate, known) + (1 - STAYS) * _beta_binomial(ahead, falling, known)
    low, high = np.searchsorted(np.cumsum(likely), [TAIL, 1 - TAIL]).tolist()
    return YieldForecast(ahead, Estimate(expected, min(low, floor(expected)), max(min(high, ahead), ceil(expected))))


def relevant_waiting(drawn: int, relevant: int, waiting: int) -> Estimate:
    """Estimate the relevant pages among waiting links, by a sample of at least one."""
    from scipy.special import betaincinv  # noqa: PLC0415 - takes a while to load

    low, middle, high = betaincinv(relevant + 0.5, drawn - relevant + 0.5, [TAIL, 0.5, 1 - TAIL]).tolist()
    low, high = low if relevant else 0.0, high if relevant < drawn else 1.0
    return Estimate(waiting * middle, floor(waiting * low), ceil(waiting * high))


def _in_words(estimate: Estimate) -> str:
    return f"about {estimate.expected:,.0f} ({estimate.low:,} to {estimate.high:,})"


def _beta_binomial(trials: int, mean: float, known: float) -> NDArray[np.float64]:
    """Return the probability of each count from 0 to `trials`, of a share known as well as from `known` trials."""
    # Not by scipy.special: it takes longer to load than a crawl has to be looked at.
    a, b = known * mean, known * (1 - mean)
    # In logarithms, from each count to the next: (trials - count) (count + a) / (count + 1) / (trials - count - 1 + b).
    counts = np.arange(trials)
    steps = np.log((trials - counts) / (counts + 1) * (counts + a) / (trials - counts - 1 + b))
    none = lgamma(trials + b) - lgamma(b) - lgamma(trials + known) + lgamma(known)
    likely: NDArray[np.float64] = np.exp(none + np.concatenate(([0.0], np.cumsum(steps))))
    return likely
