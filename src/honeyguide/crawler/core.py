"""The core decides, without I/O: it chooses a link, takes in its outcome and says what changed.

The core awaits nothing, opens nothing and owns no clock. A shell asks `choose` for the next link (or an outside caller
names one with `choose_link`), has a world answer it, and hands the answer to `apply`; what comes back is a record for
the store and the events to announce once it is stored. Every world, strategy and way of running drives this one core.
`intake` says what becomes of an answer.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.discovery import Discovery
from honeyguide.crawler.events import (
    AnswersTaken,
    Choice,
    CrawlStopped,
    Dispatch,
    Step,
    Stop,
    StopReason,
    Wait,
    limit_reached,
)
from honeyguide.crawler.guarding import Guarding, NoGuarding
from honeyguide.crawler.hosts import HostRelease, Retries
from honeyguide.crawler.intake import Arrived, Intake
from honeyguide.crawler.journal import JournaledStages
from honeyguide.crawler.ledger import Ledger
from honeyguide.crawler.parts import StageTimes
from honeyguide.crawler.restarts import Restarts
from honeyguide.frontier import Haste, NotBefore, promises_of, standing_of
from honeyguide.learn import FoundAgain, Order
from honeyguide.model import Failed, FailureReason, LinkState, Unknown
from honeyguide.runs import DispatchRecord, Progress
from honeyguide.runs.parcels import DeliveryRecord
from honeyguide.settings import with_overrides, yield_rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from honeyguide.crawler.answers import AnswerChanges
    from honeyguide.crawler.journal import News
    from honeyguide.crawler.links import LinkTable
    from honeyguide.crawler.parts import Parts
    from honeyguide.crawler.preparing import Prepared, Unreadable
    from honeyguide.frontier import Frontier, Pairs, Resting, Standing, Taken
    from honeyguide.learn import SharedSums, Strategy
    from honeyguide.model import Answer, HostKey, KnownPage, LinkId, Skipped, Url, WordCounts
    from honeyguide.runs import StepRecord
    from honeyguide.runs.parcels import Delivery
    from honeyguide.settings import Settings


NOTHING_WAITS: Final = "nothing waits any more"
ANSWER_S: Final = 0.2
"""Seconds that a host usually takes to answer."""
RESTS_TOLD: Final = 4
"""Links that a shard tells others it waits for, at most."""
ASK_AGAIN_S: Final = 0.25
"""Seconds after which a shard that leaves fetches to others looks whether it still should."""
LONGEST_SILENCE_S: Final = 0.5
"""Seconds for which it is believed that another shard waits for a link whose host must be ready by now."""
GRACE_S: Final = 5.0
"""Seconds that a live crawl goes on for, once its budget of seconds is spent, to take in what is under way."""


class CrawlCore:
    """The state of one crawl and the rules by which it changes. One thread.

    Invariant: a URL is in the frontier exactly while its state is WAITING. While it is IN_FLIGHT its host is held
    until its answer is in.
    """

    def __init__(
        self,
        parts: Parts,
        settings: Settings,
        progress: Progress | None = None,
        learner: JournaledStages | None = None,
        lately: Iterable[bool] = (),
    ) -> None:
        """`lately` says of fetches before whether they brought a relevant page, for `budget.stop_when`."""
        self._parts = parts
        self._settings = settings
        self.retries = Retries(settings.fetch)
        self._learner = learner or JournaledStages(parts)
        start = (progress or Progress())._replace(stop_reason="")
        self._ledger = Ledger(start, parts.chance, parts.frontier, self._learner.journal)
        self.guarding = (
            NoGuarding()
            if parts.guard is None
            else Guarding(parts, self._ledger, self._learner, drops=settings.guard.drop)
        )
        self._ledger.guard_changes = self.guarding.close_step
        found_again = _found_again(parts.strategy, settings)
        self._discovery = Discovery(parts, found_again, self.retries.has_tried, self.guarding)
        restarts = None
        if settings.restart.is_on:
            restarts = Restarts(parts, settings.restart, self._ledger, self._discovery, self.guarding)
            self._ledger.restart_state = restarts.saved
        self._restarts = restarts
        self._in_flight: dict[LinkId, Dispatch] = {}
        self._to_take_up: list[Dispatch] = []  # fetches of a resumed crawl whose host is still busy
        self._is_refresh = bool(settings.refresh.run)  # then the seeds are pages to look at again
        self._may_seeds_wait = parts.strategy.seeds_first or self._is_refresh
        for_new_links = round(settings.budget.fetches * settings.refresh.new_links)
        self._new_links_left = for_new_links - parts.links.count_followed() if self._is_refresh else 0
        self._disk_bytes = 0
        self._lease: int | None = None  # fetches in all, where the budget is that of several shards
        self._ready_elsewhere = 0  # hosts of other shards
        self._resting_elsewhere: Sequence[Resting] = ()  # what others wait for
        self._yield_rule = yield_rule(settings.budget.stop_when)
        self._lately = deque(lately, self._yield_rule.fetches if self._yield_rule else 0)
        self._hosts = HostRelease(parts, settings.politeness, self._ledger)
        self.waits_for: HostKey | None = None  # a better host, while others are ready
        self.stage_times = StageTimes()
        self.intake = Intake(
            parts, settings, self._ledger, self._learner, self._discovery, self.stage_times, self.guarding, restarts
        )

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
    def dispatches(self) -> Collection[Dispatch]:
        """The fetches under way, in the order in which they were begun."""
        return self._in_flight.values()

    @property
    def in_flight(self) -> int:
        return len(self._in_flight)

    def start(self, seeds: Sequence[Url], now: float, known: Sequence[KnownPage] = ()) -> Step:
        """Let the seeds wait, as many as may be met; the first thing a new crawl does.

        `known` are the pages of an earlier run, where the seeds are these.
        """
        met = [url for number, url in enumerate(dict.fromkeys(seeds)) if self._parts.scope.has_room(number)]
        self._ledger.progress = self.progress._replace(now=now, seeds=len(met))
        seeded = self._discovery.meet_seeds(met, step=0)
        self._ledger.add(pruned=len(seeded.pruned))
        record = self._ledger.close_step(
            new_links=seeded.new,
            pruned=seeded.pruned,
            pairs=seeded.pairs,
            known=tuple(known),
            learner=self._learner.snapshot(),
        )
        return Step(record, ())

    def put_back_in_flight(self, dispatch: Dispatch, pairs: Pairs | None = None) -> bool:
        """Take up a fetch that was under way when the crawl stopped. True where the shell must fetch it again at once.

        Else its host is being asked for another page, and `choose` gives it later. `pairs` is what the link had waited
        with, where it may have several rows.
        """
        self._discovery.hold(dispatch.record.link, pairs)
        is_host_free = all(other.host != dispatch.host for other in self._in_flight.values())
        self._in_flight[dispatch.record.link] = dispatch
        if is_host_free:
            self._parts.schedule.hold(dispatch.host, dispatch.url.host, dispatch.record.chosen_at)
        else:
            self._to_take_up.append(dispatch)
        return is_host_free

    @property
    def has_disk_budget(self) -> bool:
        """Whether the room that the run takes matters."""
        return self._settings.budget.disk_megabytes > 0

    def note_disk_use(self, disk_bytes: int) -> None:
        """Tell the core how much room the run takes, for its budget of disk space."""
        self._disk_bytes = disk_bytes

    def choose(self, now: float) -> Choice:
        """The next link to fetch, by strategy, politeness and budget."""
        parts = self._parts
        self._ledger.pass_time(now)
        limit = self._limit_reached(self._ledger.progress)
        is_time_up = limit is StopReason.SECONDS and parts.is_live
        again = None if is_time_up else self._take_up_again(now)
        if again is not None:
            return again
        if limit is not None:
            return self._wait_or_stop(limit)
        if len(self._in_flight) >= self._settings.crawl.fetches_at_once(is_live=parts.is_live):
            return Wait(float("inf"))
        while True:
            is_blind = self._looks_blindly()
            taken, explored = self._take(now, is_blind=is_blind)
            awaited = taken.host if isinstance(taken, NotBefore) else None
            self.waits_for = None if awaited is None else parts.links.host_key(awaited)
            if taken is None and self._begins_anew():
                continue
            if taken is None:
                return self._wait_or_stop(StopReason.EXHAUSTED)
            if isinstance(taken, NotBefore):
                return self._wait_for(taken)
            if not explored:
                self._ledger.note_waited_for_host(taken.score_lost_waiting)
            is_decided = self.retries.has_tried(taken.link) or (is_blind and explored)
            skipped = None if is_decided else parts.strategy.skip(parts.links.url(taken.link), taken.row, parts.chance)
            if skipped is None:
                return self._dispatch(taken, now, explored=explored)
            self._skip(taken, skipped)

    def choose_link(self, link: LinkId, now: float) -> Dispatch:
        """Fetch this waiting link next, whatever the strategy thinks of it. KeyError if it does not wait.

        The caller answers for budget and host readiness.
        """
        return self._dispatch(self._parts.frontier.withdraw(link), now, explored=False)

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
        del self._in_flight[dispatch.record.link]
        self._parts.links.set_state(dispatch.record.link, LinkState.DONE)
        self._ledger.note_answer(now, answer.robots_fetches)
        arrived = Arrived(dispatch, answer, now if ended_at is None else min(now, ended_at), prepared)
        if isinstance(answer.outcome, Unknown):
            self._discovery.release(dispatch.record.link)
            return self._with_snapshot_if_due(self.intake.take(arrived))
        self._ledger.note_release(*self._hosts.release(dispatch, answer, arrived.ended_at))
        relevant = self.progress.relevant
        is_spent = self._parts.scope.is_spent(dispatch.url.host)
        if self._parts.is_live and not is_spent and self.retries.is_to_be_tried_again(dispatch.record.link, answer):
            step = self.intake.put_back(arrived)
        else:
            self._discovery.release(dispatch.record.link)
            step = self.intake.take(arrived)
        self._lately.append(self.progress.relevant > relevant)
        return self._with_snapshot_if_due(step)

    def taken_in(self, dispatch: Dispatch, began: float, now: float, prepared: Prepared | Unreadable | None) -> None:
        """Taking in and storing an answer has lasted from `began` to `now`, and reading its page before what it says.

        Live, its host rests in proportion.
        """
        if self._parts.is_live:
            reading_s = prepared.seconds if prepared is not None else 0.0
            self._hosts.rest_for_cost(dispatch.url.host, now - began + reading_s, now)

    def store_choices(self, now: float) -> Step:
        """Hand over what was chosen since the last step, so that the store holds all that waits."""
        self._ledger.pass_time(now)
        return Step(self._ledger.close_step(), ())

    def take_answers(self, changes: AnswerChanges, now: float) -> Step:
        """Note answers, and what they have changed. The judge has been taught them, and the strategy told again."""
        self._ledger.pass_time(now)
        if changes.judged_again is not None:
            self._ledger.note_judged_again(changes.effect.relevant, is_repriced=changes.is_repriced)
        has_learned = changes.judged_again is not None
        record = self._ledger.close_step(
            answers=changes.answers,
            came=changes.came,
            undone=changes.undone,
            judged_again=changes.judged_again,
            effect=changes.effect,
            learner=self._learner.snapshot() if has_learned else None,
        )
        return self._ledger.step(
            record, AnswersTaken(changes.answers, changes.effect.changed, has_learned, self.progress)
        )

    def take_links(self, deliveries: Sequence[Delivery], now: float) -> Step:
        """Let links wait that other shards have found on their pages."""
        self._ledger.pass_time(now)
        parcels = [parcel for delivery in deliveries for _, parcel in delivery.parcels]
        taken, sightings = self._discovery.take_over(parcels, self.progress.steps, self.guarding.hear)
        pruned = [link for each in taken for link in each.pruned if self.links.state(link) is LinkState.PRUNED]
        self._ledger.add(
            pruned=sum(each.times_pruned for each in taken),
            taken_over=sum(len(parcel.links) for parcel in parcels),
        )
        record = self._ledger.close_step(
            new_links=tuple(link for each in taken for link in each.new),
            found_again=tuple(link for each in taken for link in each.again),
            pruned=tuple(dict.fromkeys(pruned)),
            pairs=tuple(pair for each in taken for pair in each.pairs),
            elsewhere=tuple(link for each in taken for link in each.elsewhere),
            delivery=DeliveryRecord({each.sender: each.number for each in deliveries}, tuple(sightings)),
        )
        return Step(record, ())

    def take_news(self, news: News, now: float) -> Step:
        """Know what the other shards have learned and seen by now."""
        self._ledger.pass_time(now)
        self._learner.take_news(news, now)
        if news.sums is not None and self._parts.strategy.order is Order.BEST_SCORE:
            self._parts.frontier.reprice(self._parts.strategy)
            self._ledger.note_repricing()
        return Step(self._ledger.close_step(), ())

    def share(self) -> SharedSums | None:
        """What the strategy of this shard has learned itself."""
        return self._parts.strategy.share()

    def share_words(self) -> WordCounts | None:
        """The words of the pages that the judge of this shard has seen itself, where it counts them."""
        return self._parts.judge.share()

    def promises(self, count: int) -> list[float]:
        """What the best waiting links are worth, the best first: at most so many, on whatever hosts."""
        return promises_of(self._parts.frontier, count)

    def standing(self) -> Standing | None:
        """What could be asked for now and what is waited for, for other shards to know; None where nobody waits."""
        if not self._parts.is_live or not self._may_wait_for_better:
            return None
        return standing_of(self._parts.frontier, self.progress.now, self._haste, RESTS_TOLD)

    def take_rests(self, ready_hosts: int, resting: Sequence[Resting]) -> None:
        """Know how many hosts of other shards are ready, and what these wait for."""
        self._ready_elsewhere, self._resting_elsewhere = ready_hosts, resting

    def note_questions(self, count: int) -> None:
        """Questions about pages were asked."""
        self._ledger.add(questions=count)

    def lease(self, fetches: int) -> None:
        """Make no more fetches than this many in all, until there is another lease. The budget stays as it is."""
        self._lease = fetches

    @property
    def budget(self) -> int:
        """Fetches that the crawl may make in all."""
        return self._settings.budget.fetches

    def extend_budget(self, fetches: int) -> None:
        """Go on to this many fetches in all."""
        self._settings = with_overrides(self._settings, {"budget.fetches": fetches})

    def stop(self, reason: StopReason, now: float) -> Step:
        """Note why the crawl stops; fetches in flight stay in flight until it is resumed."""
        self._ledger.pass_time(now)
        self._ledger.progress = self.progress._replace(stop_reason=reason.value)
        record = self._ledger.close_step(learner=self._learner.snapshot())
        return self._ledger.step(record, CrawlStopped(reason, self.progress))

    def _with_snapshot_if_due(self, step: Step) -> Step:
        is_due = self.progress.steps % self._settings.store.snapshot_every == 0
        # What a judge has noted of a page before it broke on it can be told to no other.
        if not is_due and not _is_unjudged(step.record):
            return step
        return Step(replace(step.record, learner=self._learner.snapshot()), step.events)

    def _take_up_again(self, now: float) -> Dispatch | None:
        """A fetch of a resumed crawl whose host is ready by now."""
        for again in self._to_take_up:
            if self._parts.schedule.is_ready(again.host, now):
                self._to_take_up.remove(again)
                self._parts.schedule.hold(again.host, again.url.host, now)
                return again
        return None

    def _looks_blindly(self) -> bool:
        """Whether the next link is to be drawn whatever the strategy thinks of it."""
        share = self._settings.crawl.blind_spots
        return share > 0 and bool(self._parts.chance.random() < share)

    def _take(self, now: float, *, is_blind: bool) -> tuple[Taken | NotBefore | None, bool]:
        """Take the next link from the frontier; the second value says whether by chance."""
        parts = self._parts
        first = self._take_first(now)
        if first is not None:
            return first, False
        if self._is_refresh and self._new_links_left <= 0:
            return self._seeds_soon(), False
        better = self._better_soon(now)
        if better is not None:
            return better, False
        if is_blind or parts.strategy.explores(parts.chance):
            return self.guarding.take(lambda: parts.frontier.take_random(now, parts.chance), now), True
        return self.guarding.take(lambda: parts.frontier.take(now), now), False

    def _better_soon(self, now: float) -> NotBefore | None:
        """Until when it pays to wait for a better host, rather than to spend a fetch on one that is ready."""
        parts, budget, progress = self._parts, self._settings.budget, self._ledger.progress
        if not self._may_wait_for_better:
            return None
        left_s = budget.seconds - progress.spent_seconds if budget.seconds else float("inf")
        pace_s = progress.spent_seconds / max(1, progress.fetches)
        if pace_s * (budget.fetches - progress.charged) > left_s:  # seconds are what is short
            return None
        better = parts.frontier.better_soon(now, self._haste) or self._better_elsewhere(now)
        return None if better is not None and left_s < better.moment - now else better

    def _better_elsewhere(self, now: float) -> NotBefore | None:
        """Until when to leave a fetch of the budget to another shard, which waits for a better link than any here."""
        resting = [each for each in self._resting_elsewhere if now < each.moment + LONGEST_SILENCE_S]
        standing = standing_of(self._parts.frontier, now, self._haste, 0) if resting else None
        if standing is None or not len(self._parts.frontier):
            return None
        wait_s = np.array([max(each.moment - now, 0.0) for each in resting])
        worth = np.array([each.worth for each in resting])
        is_better = worth > self._haste.worth_a_wait(standing.ready, wait_s)
        if not is_better.any():
            return None
        return NotBefore(now + max(float(wait_s[is_better].min()), ASK_AGAIN_S), is_awaited=True)

    @property
    def _may_wait_for_better(self) -> bool:
        return self._settings.crawl.hurry < 1 and self._parts.strategy.order is Order.BEST_SCORE

    @property
    def _haste(self) -> Haste:
        turn_s = self._settings.politeness.delay_s + ANSWER_S
        return Haste(self._settings.crawl.hurry, turn_s, self._ready_elsewhere)

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

    def _seeds_soon(self) -> NotBefore | None:
        """Until when to wait for the host of a page to look at again; None where no such page waits."""
        hosts = self._parts.links.hosts(self._parts.links.waiting_seeds())
        ready_at = self._parts.schedule.ready_at(max(hosts, default=-1) + 1)
        return NotBefore(float(ready_at[hosts].min())) if hosts else None

    def _wait_or_stop(self, reason: StopReason) -> Wait | Stop:
        if not self._in_flight:
            return Stop(reason)
        if reason is not StopReason.SECONDS or not self._parts.is_live:
            return Wait(float("inf"))
        progress = self._ledger.progress
        left_s = self._settings.budget.seconds + GRACE_S - progress.spent_seconds
        return Wait(progress.now + left_s) if left_s > 0 else Stop(reason)

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

    @property
    def limit(self) -> StopReason | None:
        """The limit of the budget that has been reached, if one has."""
        return self._limit_reached(self.progress)

    def _limit_reached(self, progress: Progress) -> StopReason | None:
        rule, lately = self._yield_rule, self._lately
        if self._lease is not None and progress.charged >= self._lease:
            return StopReason.FETCHES
        if rule is not None and len(lately) == rule.fetches and sum(lately) < rule.share * rule.fetches:
            return StopReason.YIELD
        return limit_reached(self._settings.budget, progress, self._disk_bytes)

    def _dispatch(self, taken: Taken, now: float, *, explored: bool) -> Dispatch:
        progress, weights = self._ledger.progress, self._parts.strategy.weights
        record = DispatchRecord(
            taken.link, progress.dispatches, progress.steps, now, taken.score, explored, progress.decisions, taken.row,
            len(self._parts.frontier), taken.score_lost_waiting, None if weights is None else weights.copy(),
            taken.chance, taken.bonus, taken.better,
        )  # fmt: skip
        dispatch = Dispatch(record, self._parts.links.url(taken.link), taken.host)
        self._parts.links.set_state(taken.link, LinkState.IN_FLIGHT)
        self._parts.schedule.hold(taken.host, dispatch.url.host, now)
        self._in_flight[taken.link] = dispatch
        self._new_links_left -= self._parts.links.depth(taken.link) > 0
        self._discovery.hold(taken.link, taken.pairs)
        self._ledger.note_dispatch(record)
        if not self.retries.has_tried(taken.link):
            self._learner.notice(taken.link, taken.row, is_skipped=False)
        return dispatch

    def _skip(self, taken: Taken, skipped: Skipped) -> None:
        url = self._parts.links.url(taken.link)
        self._parts.links.set_state(taken.link, LinkState.SKIPPED)
        self._ledger.note_skip(taken.link, url, skipped)
        self._learner.notice(taken.link, taken.row, is_skipped=True)


def _is_unjudged(record: StepRecord) -> bool:
    outcome = None if record.completion is None else record.completion.answer.outcome
    return isinstance(outcome, Failed) and outcome.reason is FailureReason.UNJUDGED


def _found_again(strategy: Strategy, settings: Settings) -> FoundAgain:
    if strategy.found_again is not None:
        return strategy.found_again
    # Where only the order of arrival counts, no later page can give a link a better place.
    by_score = strategy.order is Order.BEST_SCORE
    return FoundAgain(settings.frontier.found_again) if by_score else FoundAgain.FIRST
