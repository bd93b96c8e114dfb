"""The crawl itself, one step at a time: choose a link, take in its outcome, say what changed.

The core awaits nothing, opens nothing and owns no clock. A shell asks `choose` for the next link (or an outside caller
names one with `choose_link`), has a world answer it, and hands the answer to `apply`; what comes back is a record for
the store and the events to announce once it is stored. Every world, strategy and way of running drives this one core.

`choosing` says what comes next, `intake` what becomes of an answer, `hosts` what it means for the host.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from honeyguide.crawler.choosing import Choosing
from honeyguide.crawler.discovery import Discovery
from honeyguide.crawler.events import CrawlStopped, Step
from honeyguide.crawler.guarding import Guarding
from honeyguide.crawler.hosts import HostRelease, Retries
from honeyguide.crawler.intake import Arrived, Intake
from honeyguide.crawler.ledger import Ledger
from honeyguide.crawler.parts import StageTimes
from honeyguide.crawler.restarts import Restarts
from honeyguide.crawler.snapshot import taken_of
from honeyguide.learn import FoundAgain, Order
from honeyguide.model import Failed, FailureReason, LinkState, Unknown
from honeyguide.runs import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.crawler.events import Choice, Dispatch, StopReason
    from honeyguide.crawler.links import LinkTable
    from honeyguide.crawler.parts import Parts
    from honeyguide.crawler.preparing import Prepared, Unreadable
    from honeyguide.frontier import Frontier, Pairs
    from honeyguide.learn import Strategy
    from honeyguide.model import Answer, KnownPage, LinkId, Url
    from honeyguide.runs import StepRecord
    from honeyguide.settings import Settings


class CrawlCore:
    """The state of one crawl and the rules by which it changes. One thread.

    Invariant: a URL is in the frontier exactly while its state is WAITING. While it is IN_FLIGHT its host is held
    until its answer is in.
    """

    def __init__(self, parts: Parts, settings: Settings, progress: Progress | None = None) -> None:
        self._parts = parts
        self._settings = settings
        self.retries = Retries(settings.fetch)
        self._ledger = Ledger((progress or Progress())._replace(stop_reason=""), parts.chance, parts.frontier)
        self.guarding = None if parts.guard is None else Guarding(parts, self._ledger, drops=settings.guard.drop)
        if self.guarding is not None:
            self._ledger.guard_changes = self.guarding.closed
        self._discovery = Discovery(
            parts.links,
            parts.frontier,
            parts.strategy,
            parts.scope,
            _found_again(parts.strategy, settings),
            parents=parts.parents,
            ranks=parts.ranks,
            has_tried=self.retries.has_tried,
            may_wait_again=parts.is_live,
            guarding=self.guarding,
        )
        restarts = None
        if settings.restart.is_on:
            restarts = Restarts(parts, settings.restart, self._ledger, self._discovery, self.guarding)
            self._ledger.restart_state = restarts.saved
        self._choosing = Choosing(parts, settings, self._ledger, self._discovery, self.retries, self.guarding, restarts)
        self._hosts = HostRelease(parts, settings.politeness, self._ledger)
        self.stage_times = StageTimes()
        self._intake = Intake(parts, settings, self._ledger, self._discovery, self.stage_times, self.guarding, restarts)

    @property
    def progress(self) -> Progress:
        return self._ledger.progress

    @property
    def frontier(self) -> Frontier:
        """The waiting links; read it to choose for yourself, then call `choose_link`."""
        return self._parts.frontier

    @property
    def links(self) -> LinkTable:
        return self._parts.links

    @property
    def in_flight(self) -> int:
        return self._choosing.in_flight

    def start(self, seeds: Sequence[Url], now: float, known: Sequence[KnownPage] = ()) -> Step:
        """Let the seeds wait, as many as may be met; the first thing a new crawl does.

        `known` are the pages of an earlier run, where the seeds are these.
        """
        met = [url for number, url in enumerate(dict.fromkeys(seeds)) if self._parts.scope.has_room(number)]
        self._ledger.progress = self.progress._replace(now=now, seeds=len(met))
        seeded = self._discovery.meet_seeds(met, step=0)
        self._ledger.note_pruned(len(seeded.pruned))
        record = self._ledger.close_step(
            new_links=seeded.new,
            pruned=seeded.pruned,
            pairs=seeded.pairs,
            known=tuple(known),
            learner=self._snapshot(),
        )
        return Step(record, ())

    def put_back_in_flight(self, dispatch: Dispatch, pairs: Pairs | None = None) -> bool:
        """A resumed crawl takes up a fetch that was under way. True where the shell must fetch it again at once.

        Else its host is being asked for another page, and `choose` gives it later. `pairs` is what the link had waited
        with, where it may have several rows.
        """
        return self._choosing.take_up(dispatch, pairs)

    @property
    def has_disk_budget(self) -> bool:
        """Whether the room that the run takes matters."""
        return self._settings.budget.disk_megabytes > 0

    def note_disk_use(self, disk_bytes: int) -> None:
        """Tell the core how much room the run takes, for its budget of disk space."""
        self._choosing.note_disk_use(disk_bytes)

    def choose(self, now: float) -> Choice:
        """The next link to fetch, by strategy, politeness and budget."""
        return self._choosing.choose(now)

    def choose_link(self, link: LinkId, now: float) -> Dispatch:
        """Fetch this waiting link next, whatever the strategy thinks of it. KeyError if it does not wait.

        The caller answers for budget and host readiness.
        """
        return self._choosing.choose_link(link, now)

    def answered(self, dispatch: Dispatch, answer: Answer, now: float) -> None:
        """Free a host whose answer is in, while the page is still being read; `apply` follows."""
        self._hosts.release_early(dispatch, answer, now)

    def apply(
        self,
        dispatch: Dispatch,
        answer: Answer,
        now: float,
        ended_at: float | None = None,
        prepared: Prepared | Unreadable | None = None,
    ) -> Step:
        """Take in what a fetch brought, and learn from it. Of an unknown answer only the fact is kept.

        `ended_at` is when the answer was in, where that was some time ago; the host's pause begins there. `prepared` is
        the page of this answer, or why there is none, where it has been read already: the same that would be read here.
        """
        self._choosing.end(dispatch)
        self._parts.links.set_state(dispatch.record.link, LinkState.DONE)
        self._ledger.note_answer(now, answer.robots_fetches)
        arrived = Arrived(dispatch, answer, now if ended_at is None else min(now, ended_at), prepared)
        if isinstance(answer.outcome, Unknown):
            self._discovery.release(dispatch.record.link)
            step = self._intake.take(arrived)
            return Step(replace(step.record, learner=self._snapshot_if_due(step.record)), step.events)
        surplus, rest = self._hosts.release(dispatch, answer, arrived.ended_at)
        is_spent = self._parts.scope.is_spent(dispatch.url.host)
        if self._parts.is_live and not is_spent and self.retries.is_to_be_tried_again(dispatch.record.link, answer):
            step = self._intake.put_back(arrived)
        else:
            self._discovery.release(dispatch.record.link)
            step = self._intake.take(arrived)
        record = replace(step.record, learner=self._snapshot_if_due(step.record), surplus=surplus, hosts=(rest,))
        return Step(record, step.events)

    def stop(self, reason: StopReason, now: float) -> Step:
        """Note why the crawl stops; fetches in flight stay in flight until it is resumed."""
        self._ledger.pass_time(now)
        self._ledger.progress = self.progress._replace(stop_reason=reason.value)
        record = self._ledger.close_step(learner=self._snapshot())
        return self._ledger.step(record, CrawlStopped(reason, self.progress))

    def _snapshot_if_due(self, record: StepRecord) -> bytes | None:
        due = self.progress.steps % self._settings.store.snapshot_every == 0
        # What a judge has noted of a page before it broke on it can be told to no other.
        return self._snapshot() if due or _is_unjudged(record) else None

    def _snapshot(self) -> bytes:
        return taken_of(self._parts.strategy, self._parts.judge, self._parts.guard)


def _is_unjudged(record: StepRecord) -> bool:
    outcome = None if record.completion is None else record.completion.answer.outcome
    return isinstance(outcome, Failed) and outcome.reason is FailureReason.UNJUDGED


def _found_again(strategy: Strategy, settings: Settings) -> FoundAgain:
    if strategy.found_again is not None:
        return strategy.found_again
    # Where only the order of arrival counts, no later page can give a link a better place.
    by_score = strategy.order is Order.BEST_SCORE
    return FoundAgain(settings.frontier.found_again) if by_score else FoundAgain.FIRST
