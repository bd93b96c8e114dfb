"""The hub of a crawl in shards: shares out the budget, adds up what learners know, and sees when the crawl is over.

Plain code: reports come in, orders go out. A lease is a number of fetches that a shard may have made in all, of the
budget of the whole crawl; the sum of all leases never exceeds it. Leases go to the shards whose best waiting links
promise most, a few at a time, so that the shards together choose about as one crawl would.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from honeyguide.crawler.events import MEGABYTE, StopReason
from honeyguide.crawler.journal import News
from honeyguide.learn import SharedSums
from honeyguide.model import WordCounts
from honeyguide.settings import yield_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from honeyguide.frontier import Resting, Standing
    from honeyguide.model import Url
    from honeyguide.runs import Progress
    from honeyguide.settings import Settings

RESTS: Final = 16  # links that a shard is told others wait for
PRINTS: Final = 500  # of pages of all shards, that a shard is told of at once
STALE_SHARE: Final = 0.05  # of all pages that a learner need not know, however many they are

# The words of many pages are a megabyte, and what they say of rare and common words changes slowly.
WORDS_STALE_SHARE: Final = 0.2
MOST_WORDS: Final = 500_000  # that a shard is told; the rarest are left out
NO_WORDS: Final = WordCounts(0, {})

Print = tuple["Url", bytes]


@dataclass(frozen=True, slots=True, eq=False)
class ShardReport:
    """How a shard stands."""

    shard: int
    progress: Progress
    lease: int  # fetches in all that it may make as far as it knows
    in_flight: int
    promises: tuple[float, ...]  # of its best waiting links, the best first
    pending: int = 0  # links that others have not acknowledged
    idle: StopReason | None = None  # why it can do nothing; None while it can
    is_first: bool = False  # it has just begun, or come back
    seen: int = 0  # number of the last orders that it has got
    sums: SharedSums | None = None  # what its learner has learned; None where it was told before, or shares nothing
    pages: int = 0  # of which these are the sums
    prints: tuple[Print, ...] = ()  # of its pages since the last report
    standing: Standing | None = None  # what it could fetch and waits for; None where nobody waits
    words: WordCounts | None = None  # of its pages; None where it was told lately, or the judge counts none


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """What a shard is told."""

    number: int  # rises with each for this shard
    lease: int
    news: News | None = None
    stop: StopReason | None = None
    ready_hosts: int = 0  # of the other shards
    resting: tuple[Resting, ...] = ()  # what the others wait for


@dataclass(frozen=True, slots=True)
class HubRules:
    """The limits of the whole crawl."""

    fetches: int
    relevant: int = 0
    megabytes: float = 0.0
    stop_when: str = ""
    lease: int = 1
    share_every: int = 20
    most_out: int = 64  # fetches under way and leases that are not used yet, over all shards

    @classmethod
    def of(cls, settings: Settings, most_out: int) -> HubRules:
        budget, cluster = settings.budget, settings.cluster
        limits = budget.fetches, budget.relevant, budget.megabytes, budget.stop_when
        return cls(*limits, cluster.lease, cluster.share_every, most_out)


@dataclass(slots=True, eq=False)
class _Shard:
    """What the hub knows of a shard."""

    report: ShardReport | None = None
    lease: int = 0
    ordered: int = 0  # number of the last orders for it
    is_here: bool = False
    sums: SharedSums | None = None
    pages: int = 0  # of which these are the sums
    told_pages: int = 0  # of all others, in the news that it was told last
    told_prints: int = 0  # number of the last print it was told
    words: WordCounts = NO_WORDS
    told_words: int = 0  # pages of all others, in the words that it was told last


class Hub:
    """The state of one crawl in shards."""

    def __init__(self, shards: int, rules: HubRules, lately: Sequence[bool] = ()) -> None:
        """`lately` says of the last fetches before whether they brought a relevant page, for `budget.stop_when`."""
        self._shards = [_Shard() for _ in range(shards)]
        self.rules = rules
        self._prints: deque[tuple[int, int, Print]] = deque(maxlen=PRINTS)  # number, shard, page
        self._print_count = 0
        self._stop: StopReason | None = None
        self._yield = yield_rule(rules.stop_when)
        self._before = lately
        self._lately: deque[tuple[int, int]] = deque()  # fetches and relevant pages, over time
        self.stalest = 0  # pages that a learner did not know, at most
        self.exchanges = 0

    @property
    def stop_reason(self) -> StopReason | None:
        """Why the crawl stops; None while it goes on."""
        return self._stop

    @property
    def reports(self) -> Iterable[ShardReport]:
        """The last report of each shard that has sent one."""
        return [each.report for each in self._shards if each.report is not None]

    @property
    def has_all(self) -> bool:
        """Whether every shard has reported."""
        return all(each.report is not None for each in self._shards)

    def stop(self, reason: StopReason) -> None:
        """End the crawl; what is in flight is taken up again when it is resumed."""
        self._stop = self._stop or reason

    def last_orders(self) -> list[tuple[int, Orders]]:
        """Orders to stop, for every shard that is at work."""
        found = []
        for number, shard in enumerate(self._shards):
            if shard.is_here:
                shard.ordered += 1
                found.append((number, Orders(shard.ordered, shard.lease, self._news(number, shard), self._stop)))
        return found

    def extend_budget(self, fetches: int) -> None:
        """Go on to this many fetches in all."""
        self.rules = replace(self.rules, fetches=fetches)

    def lost(self, shard: int) -> None:
        """A shard's process is gone; another will go on with it. Until then its lease is out."""
        self._shards[shard].is_here = False

    def take(self, report: ShardReport) -> list[tuple[int, Orders]]:
        """Take in a report; gives new orders, each with the shard that they are for."""
        leases, stop = [each.lease for each in self._shards], self._stop
        shard = self._shards[report.shard]
        shard.report, shard.is_here = report, True
        if report.is_first:
            shard.lease, shard.told_pages, shard.told_prints, shard.told_words = report.progress.charged, 0, 0, 0
            shard.ordered = max(shard.ordered, report.seen)  # one on its way since before must not count as newer
        elif report.idle and report.seen == shard.ordered:  # else it is about to get another lease
            shard.lease = max(report.lease, report.progress.charged)
        if report.sums is not None:
            shard.sums, shard.pages = report.sums, report.pages
        if report.words is not None:
            shard.words = report.words
        for each in report.prints:
            self._print_count += 1
            self._prints.append((self._print_count, report.shard, each))
        if self.has_all:
            self._note_limits()
            self._grant()
            self._end_if_over()
        return list(self._new_orders(report, leases, has_stopped=self._stop is not stop))

    def _new_orders(
        self, report: ShardReport, leases: Sequence[int], *, has_stopped: bool
    ) -> Iterator[tuple[int, Orders]]:
        """Orders for shards that have another lease, for all at the end, and for the one that has reported its news."""
        for number, shard in enumerate(self._shards):
            is_asking = number == report.shard
            news = self._news(number, shard) if is_asking or has_stopped else None
            is_stopping = self._stop is not None and (has_stopped or is_asking)
            has_rests = is_asking and report.standing is not None
            is_leased = shard.lease != leases[number] or (is_asking and shard.lease != report.lease)
            if shard.is_here and (is_leased or news is not None or is_stopping or has_rests):
                shard.ordered += 1
                yield number, Orders(shard.ordered, shard.lease, news, self._stop, *self._rests(shard))

    def _rests(self, shard: _Shard) -> tuple[int, tuple[Resting, ...]]:
        """How many hosts of other shards are ready, and what these wait for and may fetch."""
        left = self.rules.fetches - sum(each.lease for each in self._shards)
        hosts = 0
        resting: list[Resting] = []
        for each in self._shards:
            report = each.report
            if each is not shard and each.is_here and report is not None and report.standing is not None:
                hosts += report.standing.ready.hosts
                if left > 0 or each.lease > report.progress.charged:
                    resting += report.standing.resting
        return hosts, tuple(sorted(resting, reverse=True)[:RESTS])

    def _news(self, number: int, shard: _Shard) -> News | None:
        words, news = self._words_for(number, shard), self._learned_for(number, shard)
        return news if words is None else (news or News(None))._replace(words=words)

    def _words_for(self, number: int, shard: _Shard) -> WordCounts | None:
        """The words of the pages of all others, where they have many more by now than the shard was told."""
        others = [each.words for place, each in enumerate(self._shards) if place != number]
        pages = sum(each.pages for each in others)
        if pages - shard.told_words < max(self.rules.share_every, WORDS_STALE_SHARE * pages):
            return None
        shard.told_words = pages
        total: Counter[str] = Counter()
        for each in others:
            total.update(each.words)
        return WordCounts(pages, dict(total.most_common(MOST_WORDS)))

    def _learned_for(self, number: int, shard: _Shard) -> News | None:
        others = [each for place, each in enumerate(self._shards) if place != number]
        pages = sum(each.pages for each in others)
        unknown = pages - shard.told_pages
        prints = self._print_count - shard.told_prints
        is_due = max(unknown, prints) >= max(self.rules.share_every, STALE_SHARE * pages) or (
            self._stop is not None and unknown > 0
        )
        if not is_due:
            return None
        self.stalest, self.exchanges = max(self.stalest, unknown), self.exchanges + 1
        shown = tuple(each for count, place, each in self._prints if place != number and count > shard.told_prints)
        sums = SharedSums.total(each.sums for each in others if each.sums is not None) if unknown else None
        shard.told_pages, shard.told_prints = pages, self._print_count
        return News(sums, shown) if sums is not None or shown else None

    def _grant(self) -> None:
        """Give leases to the shards that promise most, as far as budget and room go."""
        if self._stop is not None:
            return
        left = self.rules.fetches - sum(each.lease for each in self._shards)
        out = sum(_out(each) for each in self._shards)
        wanting = [
            (-promise, number)
            for number, each in enumerate(self._shards)
            if (promise := self._promise(each)) is not None
        ]
        heapq.heapify(wanting)
        while left > 0 and out < self.rules.most_out and wanting:
            number = wanting[0][1]
            self._shards[number].lease += 1
            promise = self._promise(self._shards[number])
            if promise is None:
                heapq.heappop(wanting)
            else:
                heapq.heapreplace(wanting, (-promise, number))
            left -= 1
            out += 1

    def _promise(self, shard: _Shard) -> float | None:
        """What the next fetch of a shard would bring; None where it is to be given none now."""
        report = shard.report
        if report is None or not shard.is_here or not report.promises:
            return None
        unused = shard.lease - report.progress.charged
        if unused >= self.rules.lease or report.idle not in (None, StopReason.FETCHES):
            return None
        return report.promises[min(unused, len(report.promises) - 1)]

    def _note_limits(self) -> None:
        """Stop where the pages of all shards together have reached a limit."""
        progress = [each.progress for each in self.reports]
        relevant, fetches = sum(each.relevant for each in progress), sum(each.fetches for each in progress)
        if self.rules.relevant and relevant >= self.rules.relevant:
            self.stop(StopReason.RELEVANT)
        if self.rules.megabytes and sum(each.body_bytes for each in progress) >= self.rules.megabytes * MEGABYTE:
            self.stop(StopReason.BYTES)
        if self._yield is None:
            return
        if not self._lately:
            found = [0, *accumulate(self._before)]
            first, none_yet = fetches - len(self._before), relevant - found[-1]
            self._lately.extend((first + number, none_yet + count) for number, count in enumerate(found))
        self._lately.append((fetches, relevant))
        while len(self._lately) > 1 and fetches - self._lately[1][0] >= self._yield.fetches:
            self._lately.popleft()
        then = self._lately[0]
        if fetches - then[0] >= self._yield.fetches and relevant - then[1] < self._yield.share * (fetches - then[0]):
            self.stop(StopReason.YIELD)

    def _end_if_over(self) -> None:
        """Stop where no shard can do anything, and nothing is on its way.

        A report says what was sent and taken in up to one moment. Were a shard at work again since its report, it would
        have taken in links that their sender has counted as sent and it has not counted as taken.
        """
        reports = list(self.reports)
        if self._stop is not None or not all(each.idle and not each.in_flight for each in reports):
            return
        if not all(each.is_here for each in self._shards):
            return
        spent = sum(each.progress.charged for each in reports)
        if spent >= self.rules.fetches:
            self.stop(StopReason.FETCHES)
            return
        sent = sum(each.progress.handed_over for each in reports)
        taken = sum(each.progress.taken_over for each in reports)
        is_hungry = any(self._promise(each) is not None for each in self._shards)
        has_leases = any(each.lease > each.report.progress.charged for each in self._shards if each.report)
        if sent == taken and not is_hungry and not has_leases and not any(each.pending for each in reports):
            reasons = {each.idle for each in reports if each.idle} - {StopReason.FETCHES, StopReason.EXHAUSTED}
            self.stop(min(reasons, default=StopReason.EXHAUSTED))


def _out(shard: _Shard) -> int:
    """Fetches of a shard that are under way or leased."""
    report = shard.report
    return 0 if report is None else shard.lease - report.progress.charged + report.in_flight
