"""Which link comes next: by strategy, politeness and budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.crawler.events import Choice, Dispatch, Stop, StopReason, Wait, limit_reached
from honeyguide.frontier import NotBefore
from honeyguide.model import Decision, LinkState
from honeyguide.runs import DispatchRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.crawler.discovery import Discovery
    from honeyguide.crawler.guarding import Guarding
    from honeyguide.crawler.hosts import Retries
    from honeyguide.crawler.ledger import Ledger
    from honeyguide.crawler.parts import Parts
    from honeyguide.crawler.restarts import Restarts
    from honeyguide.frontier import Pairs, Taken
    from honeyguide.model import LinkId, Skipped
    from honeyguide.runs import Progress
    from honeyguide.settings import Settings

NOTHING_WAITS: Final = "nothing waits any more"


class Choosing:
    """Takes links out of the frontier, and knows those that are being fetched.

    While a link is in flight its host is held.
    """

    def __init__(
        self,
        parts: Parts,
        settings: Settings,
        ledger: Ledger,
        discovery: Discovery,
        retries: Retries,
        guarding: Guarding | None = None,
        restarts: Restarts | None = None,
    ) -> None:
        self._parts = parts
        self._settings = settings
        self._ledger = ledger
        self._discovery = discovery
        self._retries = retries
        self._guarding = guarding
        self._restarts = restarts
        self._in_flight: dict[LinkId, Dispatch] = {}
        self._to_take_up: list[Dispatch] = []  # fetches of a resumed crawl whose host is still busy
        self._may_seeds_wait = parts.strategy.seeds_first
        self._disk_bytes = 0

    @property
    def in_flight(self) -> int:
        """How many fetches are under way."""
        return len(self._in_flight)

    def note_disk_use(self, disk_bytes: int) -> None:
        """How much room the run takes, for its budget of disk space."""
        self._disk_bytes = disk_bytes

    def take_up(self, dispatch: Dispatch, pairs: Pairs | None = None) -> bool:
        """A fetch that was under way when the crawl stopped. False where its host is busy: `choose` gives it later."""
        self._discovery.hold(dispatch.record.link, pairs)
        is_host_free = all(other.host != dispatch.host for other in self._in_flight.values())
        self._in_flight[dispatch.record.link] = dispatch
        if is_host_free:
            self._parts.schedule.hold(dispatch.host, dispatch.url.host)
        else:
            self._to_take_up.append(dispatch)
        return is_host_free

    def end(self, dispatch: Dispatch) -> None:
        """The answer to a fetch is in."""
        del self._in_flight[dispatch.record.link]

    def choose(self, now: float) -> Choice:
        """The next link to fetch, by strategy, politeness and budget."""
        parts = self._parts
        self._ledger.pass_time(now)
        for again in self._to_take_up:
            if parts.schedule.is_ready(again.host, now):
                self._to_take_up.remove(again)
                parts.schedule.hold(again.host, again.url.host)
                return again
        limit = self._limit_reached(self._ledger.progress)
        if limit is not None:
            return self._wait_or_stop(limit)
        if len(self._in_flight) >= self._settings.crawl.fetches_at_once(is_live=parts.is_live):
            return Wait(float("inf"))
        return self._choose_of_those_that_wait(now)

    def _choose_of_those_that_wait(self, now: float) -> Choice:
        parts = self._parts
        while True:
            taken, explored = self._take(now)
            if taken is None and self._begins_anew():
                continue
            if taken is None:
                return self._wait_or_stop(StopReason.EXHAUSTED)
            if isinstance(taken, NotBefore):
                return self._wait_for(taken)
            if not explored:
                self._ledger.note_passed_over(taken.passed_over)
            is_decided = self._retries.has_tried(taken.link)
            skipped = None if is_decided else parts.strategy.skip(parts.links.url(taken.link), taken.row, parts.chance)
            if skipped is None:
                return self._dispatch(taken, now, explored=explored)
            self._skip(taken, skipped)

    def choose_link(self, link: LinkId, now: float) -> Dispatch:
        """Fetch this waiting link next, whatever the strategy thinks of it. KeyError if it does not wait.

        The caller answers for budget and host readiness.
        """
        return self._dispatch(self._parts.frontier.withdraw(link), now, explored=False)

    def _take(self, now: float) -> tuple[Taken | NotBefore | None, bool]:
        """What the frontier gives next, and whether by chance."""
        parts = self._parts
        first = self._take_first(now)
        if first is not None:
            return first, False
        if parts.strategy.explores(parts.chance):
            return self._standing(lambda: parts.frontier.take_random(now, parts.chance), now), True
        return self._standing(lambda: parts.frontier.take(now), now), False

    def _standing(self, take: Callable[[], Taken | NotBefore | None], now: float) -> Taken | NotBefore | None:
        return take() if self._guarding is None else self._guarding.next_standing(take, now)

    def _take_first(self, now: float) -> Taken | None:
        """A link that goes before all others, on whatever level it waits."""
        link = None
        if self._restarts is not None:
            if self._restarts.begin_if_due():
                self._note_restart()
            link = self._restarts.first_ready(now)
        return self._take_seed(now) if link is None else self._parts.frontier.withdraw(link)

    def _begins_anew(self) -> bool:
        """Where nothing waits and nothing is under way, whether the crawl has begun elsewhere."""
        if self._restarts is None or self._in_flight or not self._restarts.begin(NOTHING_WAITS):
            return False
        self._note_restart()
        return True

    def _note_restart(self) -> None:
        self._may_seeds_wait = self._parts.strategy.seeds_first  # those of a restart are seeds, too

    def _take_seed(self, now: float) -> Taken | None:
        """The first seed on a host that is ready, where the strategy wants seeds before all else."""
        links = self._parts.links
        if not self._may_seeds_wait:
            return None
        seeds = links.waiting_seeds()
        for link, host in zip(seeds, links.hosts(seeds), strict=True):
            if self._parts.schedule.is_ready(host, now):
                return self._parts.frontier.withdraw(link)
        # One in flight may yet wait again, or lead elsewhere.
        self._may_seeds_wait = bool(seeds) or any(links.depth(link) == 0 for link in self._in_flight)
        return None

    def _wait_or_stop(self, reason: StopReason) -> Wait | Stop:
        return Wait(float("inf")) if self._in_flight else Stop(reason)

    def _wait_for(self, ready: NotBefore) -> Wait | Stop:
        """Wait until a host is ready; where the budget of seconds is spent by then, only for answers."""
        progress = self._ledger.progress
        wait_s = ready.moment - progress.now
        limit = self._limit_reached(progress._replace(spent_seconds=progress.spent_seconds + wait_s))
        if limit is None and self._parts.is_live and wait_s > self._settings.politeness.patience_s:
            limit = StopReason.RESTING
        if limit is None or (limit is StopReason.RESTING and self._in_flight):
            return Wait(ready.moment)
        return self._wait_or_stop(limit)

    def _limit_reached(self, progress: Progress) -> StopReason | None:
        return limit_reached(self._settings.budget, progress, self._disk_bytes)

    def _dispatch(self, taken: Taken, now: float, *, explored: bool) -> Dispatch:
        progress = self._ledger.progress
        row = taken.row if self._discovery.keeps_pairs else None
        record = DispatchRecord(
            taken.link, progress.dispatches, progress.steps, now, taken.score, explored, progress.decisions, row
        )
        dispatch = Dispatch(record, self._parts.links.url(taken.link), taken.host, taken.row)
        self._parts.links.set_state(taken.link, LinkState.IN_FLIGHT)
        self._parts.schedule.hold(taken.host, dispatch.url.host)
        self._in_flight[taken.link] = dispatch
        self._discovery.hold(taken.link, taken.pairs)
        self._ledger.note_dispatch(record)
        if not self._retries.has_tried(taken.link):
            self._parts.strategy.notice(Decision(dispatch.url, taken.row, is_skipped=False))
        return dispatch

    def _skip(self, taken: Taken, skipped: Skipped) -> None:
        url = self._parts.links.url(taken.link)
        self._parts.links.set_state(taken.link, LinkState.SKIPPED)
        self._ledger.note_skip(taken.link, url, skipped)
        self._parts.strategy.notice(Decision(url, taken.row, is_skipped=True))
