"""Says what more fetches of a crawl would bring, and how many relevant pages its strategy leaves, with 90% intervals.

Everything is told from the harvest so far. After t fetches r is the share of relevant pages among the last 25, s that
among the last quarter of all (25 to 400), half a page and one fetch being added to each. n more fetches bring about

    m = 0.9 n √(r s) / √(1 + n/t).

Of W waiting links a share leads to relevant pages that is about an eighth of s: the strategy has taken the best of
them. How large the factor is in this crawl is told by links that were drawn by chance (`crawl.blind_spots`, or the
exploration of a strategy). Where d links were drawn in the newer half of the crawl, k of them relevant, and a share h
of all fetches there, the factor is 0.13 (2 + k) / (2 + 0.13 h d): a gamma distribution, as good as two hits, that the
draws have updated. Two and a half times as many can be reached, with those behind: so it was in closed webs of 1,000
to 40,000 pages; how far the open web goes nobody knows.

The ends of the intervals are quantiles of what came in crawls whose end is known: square roots of counts, as a linear
function of √m and log(1 + n/t). They were fitted so that nine in ten intervals hold on webs that the fit has not seen;
`benchmarks/forecast.py` does that, and measures how often they hold on others. Nothing is told of more fetches than
links wait: a site that is nearly used up brings no more than these and what they lead to. Links that the guard has put
behind the others are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, inf, log1p, sqrt
from typing import TYPE_CHECKING, Any, Final

from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from honeyguide.runs.records import Progress

    Select = Callable[..., Iterator[tuple[Any, ...]]]

HORIZONS: Final = (100, 500)
"""Fetches for which the yield is told where nobody asks for another number."""
FARTHEST: Final = 5  # times as many fetches as were made: nothing that was measured looks farther
FEWEST_FETCHES: Final = 100  # from which the yield is told
NEWEST: Final = 25  # fetches
MOST_LOOKED_AT: Final = 400
"""The last fetches on which a forecast rests."""
MOST_STEPS_WITH_DRAWS: Final = 100_000
WAITING_FACTOR: Final = 0.13  # share of relevant pages behind waiting links, as a part of that among the last fetches
FACTOR_KNOWN: Final = 2.0  # relevant draws from which it would be known as well
REACHABLE_FACTOR: Final = 2.5  # relevant pages that can be reached for each behind a waiting link


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
    relevant_reachable: Estimate  # over these: among them and behind them


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
            yield f"By these and the harvest {_in_words(blind.relevant_waiting)} of {waiting} may do so."
            yield f"With pages behind them {_in_words(blind.relevant_reachable)} relevant ones may be left to reach."
        elif self.waiting and all(each.fetches < self.waiting for each in self.next_fetches):
            remedy = "; a crawl with --blind-spots 0.05 would tell" if self.may_draw else ""
            yield f"How many of {waiting} lead to relevant pages is not known{remedy}."


def last_fetches(select: Select, count: int = MOST_LOOKED_AT) -> list[bool]:
    """Read whether each of the last fetches brought a relevant page, the oldest first."""
    last = select(
        """SELECT coalesce(p.is_relevant, 0) FROM steps s LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
           WHERE s.outcome <> 'unknown' AND NOT EXISTS (SELECT 1 FROM passes q WHERE q.number > 1
             AND s.step BETWEEN q.first_step AND q.last_step) ORDER BY s.step DESC LIMIT ?""",
        count,
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
    ((ended, found, drawn, hits),) = select(
        """SELECT count(*), total(p.is_relevant), total(s.explored), total(s.explored AND p.is_relevant)
           FROM steps s LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
           WHERE s.step > ? AND s.outcome <> 'unknown'""",
        since,
    )
    blind = None
    if drawn:
        lately = share_lately(flags, progress.fetches)
        left = relevant_left(waiting, lately, (found + 0.5) / (ended + 1), int(drawn), int(hits))
        blind = BlindSpots(since, int(drawn), int(hits), *left)
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
    if fetches < FEWEST_FETCHES or len(relevant) < _window(fetches) or not 1 <= ahead <= FARTHEST * fetches:
        return None
    share = sqrt(_share(relevant, NEWEST) * share_lately(relevant, fetches))
    far = log1p(ahead / fetches)
    expected = 0.9 * ahead * share / sqrt(1 + ahead / fetches)
    root = sqrt(expected)
    return YieldForecast(ahead, _estimate(expected, 0.42 * root - 0.58 * far, 1.15 + (0.98 + 0.33 * far) * root, ahead))


def share_lately(relevant: Sequence[bool], fetches: int) -> float:
    """Return the share of relevant pages among the last quarter of so many fetches."""
    return _share(relevant, _window(fetches))


def relevant_left(waiting: int, lately: float, half: float, drawn: int, relevant: int) -> tuple[Estimate, Estimate]:
    """Estimate the relevant pages among waiting links, and those that can be reached over them.

    `lately` is the share of relevant pages among the last fetches, `half` that in the newer half of the crawl, in which
    so many links were drawn by chance.
    """
    if not waiting:
        return Estimate(0.0, 0, 0), Estimate(0.0, 0, 0)
    factor = WAITING_FACTOR * (FACTOR_KNOWN + relevant) / (FACTOR_KNOWN + WAITING_FACTOR * half * drawn)
    expected = waiting * min(1.0, factor * lately)
    root = sqrt(expected)
    among = _estimate(expected, 0.36 * root, 1.05 + 1.35 * root, waiting)
    return among, _estimate(REACHABLE_FACTOR * expected, 0.67 * root - 0.14, 1.71 + 2.75 * root)


def _window(fetches: int) -> int:
    return min(max(fetches // 4, NEWEST), MOST_LOOKED_AT)


def _share(relevant: Sequence[bool], window: int) -> float:
    last = relevant[-window:]
    return (sum(last) + 0.5) / (len(last) + 1)


def _estimate(expected: float, low: float, high: float, most: float = inf) -> Estimate:
    """Return whole numbers of pages between ends that are told as square roots, a quarter being added before."""
    at_least = min(ceil(max(low, 0.5) ** 2 - 0.25), floor(expected))
    at_most = min(max(floor(high**2 - 0.25), ceil(expected)), most)
    return Estimate(expected, at_least, int(at_most))


def _in_words(estimate: Estimate) -> str:
    return f"about {estimate.expected:,.0f} ({estimate.low:,} to {estimate.high:,})"
