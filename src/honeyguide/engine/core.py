"""The crawl itself, one step at a time: choose a link, take in its outcome, say what changed.

The core awaits nothing, opens nothing and owns no clock. A shell asks `choose` for the next link (or an outside caller
names one with `choose_link`), has a world answer it, and hands the answer to `apply`; what comes back is a record for
the store and the events to announce once it is stored. Every world, strategy and way of running drives this one core.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

import numpy as np

from honeyguide.domain import (
    Answer,
    Candidates,
    Decision,
    Failed,
    FailureReason,
    Fetched,
    LinkState,
    Origin,
    Redirected,
    RefusalReason,
    Refused,
    Sighting,
    Transition,
    Unchanged,
    Unknown,
    Verdict,
)
from honeyguide.domain.whole_exchange import whole_exchange
from honeyguide.engine.budget import StopReason, limit_reached
from honeyguide.engine.discovery import Discovery
from honeyguide.engine.events import (
    CrawlStopped,
    Event,
    FetchFailed,
    LinkPutBack,
    LinkRedirected,
    LinkRefused,
    LinkUnknown,
    PageJudged,
    PageUnchanged,
)
from honeyguide.engine.ledger import Ledger
from honeyguide.engine.same_pages import SamePages, identity_of
from honeyguide.engine.scope import PER_HOST
from honeyguide.engine.snapshot import taken_of
from honeyguide.engine.troubles import Troubles
from honeyguide.engine.turns import scores_of
from honeyguide.frontier import Arrivals, NotBefore, further_pause_s, next_request_at
from honeyguide.learn import FoundAgain, Order
from honeyguide.store import (
    CompletionRecord,
    DispatchRecord,
    FoundLink,
    HostRecord,
    PairRecord,
    Progress,
    VisitRecord,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Unpack

    from honeyguide.domain import KnownPage, LinkId, Outcome, Page, Row, Skipped, Url
    from honeyguide.engine.lineage import Lineage
    from honeyguide.engine.link_table import LinkTable
    from honeyguide.engine.preparing import Prepared
    from honeyguide.engine.scope import Scope
    from honeyguide.frontier import Frontier, HostClocks, HostId, Pairs, Taken
    from honeyguide.graph import RefreshedRanks
    from honeyguide.judge import Verdicts
    from honeyguide.learn import Strategy
    from honeyguide.settings import Settings
    from honeyguide.store import StepRecord
    from honeyguide.store.records import HostChanges, StepChanges


@dataclass(frozen=True, slots=True, eq=False)
class Dispatch:
    """A link that is being fetched."""

    record: DispatchRecord
    url: Url
    host: HostId
    row: Row
    not_before: float = 0.0  # a fetch taken up again waits for its host like any other


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing may be fetched before `until`, or before an answer comes in; infinite when only an answer helps."""

    until: float


@dataclass(frozen=True, slots=True)
class Stop:
    """The crawl is over."""

    reason: StopReason


Choice: TypeAlias = Dispatch | Wait | Stop


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What one outcome changed: to be stored first, then announced."""

    record: StepRecord
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a core is made of, already built."""

    links: LinkTable
    clocks: HostClocks
    frontier: Frontier
    strategy: Strategy
    judge: Verdicts
    scope: Scope
    parse: Callable[[Url, Fetched], Page]
    chance: np.random.Generator
    lineage: Lineage | None = None  # where the strategy looks at parents
    ranks: RefreshedRanks | None = None  # where the settings ask for them
    same: SamePages = field(default_factory=SamePages)
    is_live: bool = False  # troubles may pass, and slow hosts are spared


class CrawlCore:
    """The state of one crawl and the rules by which it changes. One thread.

    Invariant: a URL is in the frontier exactly while its state is WAITING. While it is IN_FLIGHT its host is held
    until its answer is in.
    """

    def __init__(self, parts: Parts, settings: Settings, progress: Progress | None = None) -> None:
        self._parts = parts
        self._settings = settings
        found_again = _found_again(parts.strategy, settings)
        self._keeps_pairs = found_again is FoundAgain.EVERY
        self.troubles = Troubles(settings.fetch, settings.politeness, parts.chance)
        self._discovery = Discovery(
            parts.links,
            parts.frontier,
            parts.strategy,
            parts.scope,
            found_again,
            lineage=parts.lineage,
            ranks=parts.ranks,
            has_tried=self.troubles.has_tried,
        )
        self._ledger = Ledger(replace(progress or Progress(), stop_reason=""))
        self._in_flight: dict[LinkId, Dispatch] = {}
        # What became of hosts that were freed before the page of a link was read.
        self._freed_by_link: dict[LinkId, tuple[tuple[LinkId, ...], HostChanges]] = {}
        self._to_take_up: list[Dispatch] = []  # fetches of a resumed crawl whose host is still busy
        self._may_seeds_wait = parts.strategy.seeds_first
        self._disk_bytes = 0
        self._chance_state: Mapping[str, Any] = {}
        self._chance_json = ""
        self._ended_at = 0.0  # when the answer that is being taken in was there

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
        return len(self._in_flight)

    def start(self, seeds: Sequence[Url], now: float, known: Sequence[KnownPage] = ()) -> Step:
        """Let the seeds wait, as many as may be met; the first thing a new crawl does.

        `known` are the pages of an earlier run, where the seeds are these.
        """
        met = [url for number, url in enumerate(dict.fromkeys(seeds)) if self._parts.scope.has_room(number)]
        sightings = [Sighting(url, (), (), (), in_main=True, origin=None) for url in met]
        self._ledger.progress = replace(self.progress, now=now, seeds=len(sightings))
        strategy, links = self._parts.strategy, self._parts.links
        rows = strategy.describe(Candidates.of(sightings))
        numbers = [links.meet(sighting.seen_as, depth=0, distance=0)[0] for sighting in sightings]
        scores = scores_of(strategy, rows, numbers, step=0, depth=0)
        found = tuple(
            FoundLink(link, sighting.seen_as, None, sighting, score, row if strategy.keeps_rows else None)
            for link, sighting, score, row in zip(numbers, sightings, scores.tolist(), rows, strict=True)
        )
        pruned = tuple(self._parts.frontier.push(Arrivals(numbers, links.hosts(numbers), scores, rows)))
        for link in pruned:
            links.set_state(link, LinkState.PRUNED)
        self._ledger.note_pruned(len(pruned))
        pairs = tuple(map(PairRecord, numbers, scores.tolist(), rows)) if self._keeps_pairs else ()
        return Step(
            self._record(new_links=found, pruned=pruned, pairs=pairs, known=tuple(known), learner=self._snapshot()), ()
        )

    def put_back_in_flight(self, dispatch: Dispatch, pairs: Pairs | None = None) -> bool:
        """A resumed crawl takes up a fetch that was under way. True where the shell must fetch it again at once.

        Else its host is being asked for another page, and `choose` gives it later. `pairs` is what the link had waited
        with, where it may have several rows.
        """
        self._hold(dispatch.record.link, pairs)
        is_host_free = all(other.host != dispatch.host for other in self._in_flight.values())
        self._in_flight[dispatch.record.link] = dispatch
        if is_host_free:
            self._parts.clocks.hold(dispatch.host)
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
        for again in self._to_take_up:
            if parts.clocks.is_ready(again.host, now):
                self._to_take_up.remove(again)
                parts.clocks.hold(again.host)
                return again
        limit = self._limit_reached(self.progress)
        if limit is not None:
            return self._wait_or_stop(limit)
        if len(self._in_flight) >= self._settings.crawl.fetches_at_once(is_live=parts.is_live):
            return Wait(float("inf"))
        while True:
            taken, explored = self._take(now)
            if taken is None:
                return self._wait_or_stop(StopReason.EXHAUSTED)
            if isinstance(taken, NotBefore):
                return self._wait_for(taken)
            if not explored:
                self._ledger.note_passed_over(taken.passed_over)
            is_decided = self.troubles.has_tried(taken.link)
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
        self._ended_at = now
        surplus = self._take_out_surplus(dispatch)
        fetches = self.progress.fetches + len(self._freed_by_link) + 1
        self._freed_by_link[dispatch.record.link] = surplus, self._let_rest(dispatch.host, answer, fetches)

    def apply(
        self,
        dispatch: Dispatch,
        answer: Answer,
        now: float,
        ended_at: float | None = None,
        prepared: Prepared | None = None,
    ) -> Step:
        """Take in what a fetch brought, and learn from it. Of an unknown answer only the fact is kept.

        `ended_at` is when the answer was in, where that was some time ago; the host's pause begins there. `prepared` is
        the page of this answer, where it has been read already: the same that would be read here.
        """
        del self._in_flight[dispatch.record.link]
        self._parts.links.set_state(dispatch.record.link, LinkState.DONE)
        self._ledger.note_answer(now, answer.robots_fetches)
        self._ended_at = now if ended_at is None else min(now, ended_at)
        if isinstance(answer.outcome, Unknown):
            self._release(dispatch.record.link)
            return self._take_unknown(dispatch, answer, answer.outcome)
        freed = self._freed_by_link.pop(dispatch.record.link, None)
        if freed is None:
            surplus = self._take_out_surplus(dispatch)
            hosts = self._let_rest(dispatch.host, answer, self.progress.fetches)
        else:
            surplus, hosts = freed
        is_spent = self._parts.scope.is_spent(dispatch.url.host)
        if self._parts.is_live and not is_spent and self.troubles.is_to_be_tried_again(dispatch.record.link, answer):
            step = self._put_back(dispatch, answer)
            return Step(replace(step.record, learner=self._snapshot_if_due(), **hosts), step.events)
        self._release(dispatch.record.link)
        match answer.outcome:
            case Fetched():
                step = self._take_page(dispatch, answer, answer.outcome, prepared)
            case Unchanged():
                step = self._take_unchanged(dispatch, answer)
            case Redirected():
                step = self._take_redirect(dispatch, answer, answer.outcome)
            case Refused() | Failed():
                step = self._take_nothing(dispatch, answer, answer.outcome)
            case _:
                assert_never(answer.outcome)
        record = replace(step.record, learner=self._snapshot_if_due(), surplus=surplus, **hosts)
        return Step(record, step.events)

    def stop(self, reason: StopReason, now: float) -> Step:
        """Note why the crawl stops; fetches in flight stay in flight until it is resumed."""
        self._ledger.pass_time(now)
        self._ledger.progress = replace(self.progress, stop_reason=reason.value)
        record = self._record(learner=self._snapshot())
        return self._step(record, CrawlStopped(reason, self.progress))

    def _take(self, now: float) -> tuple[Taken | NotBefore | None, bool]:
        """What the frontier gives next, and whether by chance."""
        parts = self._parts
        seed = self._take_seed(now)
        if seed is not None:
            return seed, False
        if parts.strategy.explores(parts.chance):
            return parts.frontier.take_random(now, parts.chance), True
        return parts.frontier.take(now), False

    def _take_seed(self, now: float) -> Taken | None:
        """The first seed on a host that is ready, where the strategy wants seeds before all else."""
        links = self._parts.links
        if not self._may_seeds_wait:
            return None
        seeds = links.waiting_seeds()
        for link, host in zip(seeds, links.hosts(seeds), strict=True):
            if self._parts.clocks.is_ready(host, now):
                return self._parts.frontier.withdraw(link)
        # One in flight may yet wait again, or lead elsewhere.
        self._may_seeds_wait = bool(seeds) or any(links.depth(link) == 0 for link in self._in_flight)
        return None

    def _wait_or_stop(self, reason: StopReason) -> Wait | Stop:
        return Wait(float("inf")) if self._in_flight else Stop(reason)

    def _wait_for(self, ready: NotBefore) -> Wait | Stop:
        """Wait until a host is ready; where the budget of seconds is spent by then, only for answers."""
        wait_s = ready.moment - self.progress.now
        limit = self._limit_reached(replace(self.progress, spent_seconds=self.progress.spent_seconds + wait_s))
        if limit is None and self._parts.is_live and wait_s > self._settings.politeness.patience_s:
            limit = StopReason.RESTING
        if limit is None or (limit is StopReason.RESTING and self._in_flight):
            return Wait(ready.moment)
        return self._wait_or_stop(limit)

    def _let_rest(self, host: HostId, answer: Answer, fetches: int) -> HostChanges:
        """Set the clocks of a host that has been asked; gives back what the store is to keep of it.

        `fetches` is how many have ended by now.
        """
        parts, politeness = self._parts, self._settings.politeness
        ended_at = self._ended_at
        further_s = further_pause_s(fetches, politeness, parts.chance)
        key = parts.links.host_key(host)
        if not parts.is_live:
            ready_at = next_request_at(ended_at, answer.host_delay_s, politeness) + further_s
            parts.clocks.release(host, ready_at)
            return {"ready_at_by_host": {key: ready_at}}
        if answer.address and politeness.per_address:
            parts.clocks.place(host, answer.address)
        rest = self.troubles.rest_after(host, answer, ended_at)
        parts.clocks.release(host, rest.ready_at + further_s, rest.address_ready_at)
        troubles = self.troubles.in_a_row_by_host.get(host, 0)
        record = HostRecord(key, answer.address, rest.address_ready_at, troubles)
        return {"ready_at_by_host": {key: rest.ready_at + further_s}, "host": record}

    def _limit_reached(self, progress: Progress) -> StopReason | None:
        return limit_reached(self._settings.budget, progress, self._disk_bytes)

    def _dispatch(self, taken: Taken, now: float, *, explored: bool) -> Dispatch:
        number, decision = self.progress.dispatches, self.progress.decisions
        row = taken.row if self._keeps_pairs else None
        record = DispatchRecord(taken.link, number, self.progress.steps, now, taken.score, explored, decision, row)
        dispatch = Dispatch(record, self._parts.links.url(taken.link), taken.host, taken.row)
        self._parts.links.set_state(taken.link, LinkState.IN_FLIGHT)
        self._parts.clocks.hold(taken.host)
        self._in_flight[taken.link] = dispatch
        self._hold(taken.link, taken.pairs)
        self._ledger.note_dispatch(record)
        if not self.troubles.has_tried(taken.link):
            self._parts.strategy.notice(Decision(dispatch.url, taken.row, is_skipped=False))
        return dispatch

    def _hold(self, link: LinkId, pairs: Pairs | None) -> None:
        """Keep what a link waited with, where it may have to wait again and its row is not all."""
        if self._parts.is_live and self._keeps_pairs:
            assert pairs is not None, "the frontier of a strategy with several rows a link gives them all"
            self._discovery.hold(link, pairs)

    def _release(self, link: LinkId) -> None:
        if self._parts.is_live and self._keeps_pairs:
            self._discovery.release(link)

    def _skip(self, taken: Taken, skipped: Skipped) -> None:
        url = self._parts.links.url(taken.link)
        self._parts.links.set_state(taken.link, LinkState.SKIPPED)
        self._ledger.note_skip(taken.link, url, skipped)
        self._parts.strategy.notice(Decision(url, taken.row, is_skipped=True))

    def _take_out_surplus(self, dispatch: Dispatch) -> tuple[LinkId, ...]:
        """The waiting links of the host just asked, out of the frontier, where it may give no more pages."""
        parts = self._parts
        if not parts.scope.note_fetch(dispatch.url.host):
            return ()
        surplus = parts.links.waiting_on(dispatch.host)
        for link in surplus:
            parts.frontier.withdraw(link)
            parts.links.set_state(link, LinkState.SURPLUS)
        self._ledger.note_surplus(len(surplus))
        return tuple(surplus)

    def _take_page(self, dispatch: Dispatch, answer: Answer, fetched: Fetched, prepared: Prepared | None) -> Step:
        page = self._parts.parse(dispatch.url, fetched) if prepared is None else prepared.page
        self._ledger.note_bytes(len(fetched.body))
        sent_on_to = self._sent_on_to(page)
        if sent_on_to is not None:
            redirected = Redirected(fetched.status, sent_on_to)
            return self._take_redirect(dispatch, _taken_as(redirected, answer), redirected)
        identity = identity_of(page, self._parts.scope) if self._settings.directives.canonical else None
        if identity is not None:
            same = self._parts.same.same_as(page.url, identity)
            if same is not None:
                return self._take_same_page(dispatch, answer, fetched.status, same)
            self._parts.same.remember(dispatch.record.link, page.url, identity)
        is_unindexed = self._settings.directives.robots and page.directives.noindex
        verdict = self._judged(page, None if prepared is None else prepared.verdict, is_unindexed=is_unindexed)
        origin = self._origin(dispatch, verdict)
        is_expanded = is_page_expanded(self._parts, page)
        found = self._discovery.sort(
            page, dispatch.record.link, origin, is_relevant=verdict.is_relevant, is_expanded=is_expanded
        )
        self._learn(
            Transition(
                self.progress.steps,
                page.url,
                dispatch.row,
                verdict.reward,
                verdict.relevance,
                verdict.is_relevant,
                found.rows,
            )
        )
        admitted = self._discovery.admit(found, dispatch.record.link, origin, self.progress.steps)
        if self._parts.ranks is not None:
            self._parts.ranks.add_page(dispatch.record.link, admitted.targets)
        self._ledger.note_page(is_relevant=verdict.is_relevant, is_unindexed=is_unindexed)
        is_barren = self._parts.scope.follows_links and not is_expanded
        self._ledger.note_links(found, pruned=admitted.times_pruned, is_barren=is_barren)
        packed_body = None if prepared is None else prepared.packed_body
        visit = VisitRecord(
            page, verdict, origin.depth, origin.distance, admitted.targets, is_unindexed, identity, packed_body
        )
        record = self._record(
            completion=self._completion(dispatch, answer, reward=verdict.reward, visit=visit),
            new_links=admitted.new,
            found_again=admitted.again,
            pruned=admitted.pruned,
            pairs=admitted.pairs,
        )
        event = PageJudged(
            page.url,
            page.title,
            verdict,
            dispatch.record.score,
            dispatch.record.explored,
            len(admitted.new),
            self.progress,
        )
        return self._step(record, event)

    def _take_redirect(self, dispatch: Dispatch, answer: Answer, outcome: Redirected) -> Step:
        links, source = self._parts.links, dispatch.record.link
        if links.hops(source) >= self._settings.fetch.max_redirects:
            return self._give_up_redirecting(dispatch, answer, outcome)
        objection = self._objection_to_target(outcome.target, links.depth(source))
        if objection is not None:
            refused = Refused(RefusalReason.SCOPE, f"leads to {outcome.target}, against {objection}")
            return self._take_nothing(dispatch, _taken_as(refused, answer), refused)
        followed = self._discovery.follow_redirect(source, dispatch.row, dispatch.record.score, outcome.target)
        if self._parts.ranks is not None:
            self._parts.ranks.add_redirect(source, followed.target)
        is_new = followed.record is not None and followed.record.is_new
        self._ledger.note_pruned(len(followed.pruned))
        completion = self._completion(dispatch, answer, reward=None, redirect_target=followed.target)
        record = self._record(
            completion=completion, redirect=followed.record, pruned=followed.pruned, pairs=followed.pairs
        )
        return self._step(record, LinkRedirected(dispatch.url, outcome.target, is_new, self.progress))

    def _take_same_page(self, dispatch: Dispatch, answer: Answer, status: int, same: LinkId) -> Step:
        """A page that has come before, under another address: as if this one had led there."""
        outcome = Redirected(status, self._parts.links.url(same))
        if self._parts.lineage is not None:
            self._parts.lineage.follow_redirect(dispatch.record.link, same)
        if self._parts.ranks is not None:
            self._parts.ranks.add_redirect(dispatch.record.link, same)
        completion = self._completion(dispatch, _taken_as(outcome, answer), reward=None, redirect_target=same)
        event = LinkRedirected(dispatch.url, outcome.target, is_new=False, progress=self.progress)
        return self._step(self._record(completion=completion), event)

    def _sent_on_to(self, page: Page) -> Url | None:
        """Where a page sends its reader before there is time to read it."""
        refresh = page.directives.refresh
        is_soon = refresh is not None and refresh.delay_s <= self._settings.directives.refresh_s
        return refresh.target if refresh is not None and is_soon else None

    def _give_up_redirecting(self, dispatch: Dispatch, answer: Answer, outcome: Redirected) -> Step:
        limit = self._settings.fetch.max_redirects
        failed = Failed(
            FailureReason.TOO_MANY_REDIRECTS, f"{limit} redirects and one more to {outcome.target}", outcome.status
        )
        return self._take_nothing(dispatch, _taken_as(failed, answer), failed)

    def _take_nothing(self, dispatch: Dispatch, answer: Answer, outcome: Refused | Failed) -> Step:
        none = np.empty((0, self._parts.strategy.row_width), dtype=np.float16)
        self._learn(Transition(self.progress.steps, dispatch.url, dispatch.row, 0.0, 0.0, False, none))  # noqa: FBT003
        record = self._record(completion=self._completion(dispatch, answer, reward=0.0))
        if isinstance(outcome, Refused):
            return self._step(record, LinkRefused(dispatch.url, outcome, self.progress))
        return self._step(record, FetchFailed(dispatch.url, outcome, self.progress))

    def _take_unchanged(self, dispatch: Dispatch, answer: Answer) -> Step:
        self._ledger.note_unchanged()
        return self._step(
            self._record(completion=self._completion(dispatch, answer, reward=None)),
            PageUnchanged(dispatch.url, self.progress),
        )

    def _put_back(self, dispatch: Dispatch, answer: Answer) -> Step:
        """The link waits again, as it was, and nobody learns of the trouble it had."""
        outcome = answer.outcome
        assert isinstance(outcome, Refused | Failed)
        score = None if self.progress.is_repriced else dispatch.record.score
        pruned = self._discovery.put_back(dispatch.record.link, dispatch.row, score)
        self._ledger.note_retry()
        self._ledger.note_pruned(len(pruned))
        completion = self._completion(dispatch, answer, reward=None, is_final=False)
        record = self._record(completion=completion, pruned=pruned)
        return self._step(record, LinkPutBack(dispatch.url, outcome, self.progress))

    def _take_unknown(self, dispatch: Dispatch, answer: Answer, outcome: Unknown) -> Step:
        self._parts.clocks.release(dispatch.host, self.progress.now)  # nobody was asked, so nobody needs a rest
        self._ledger.note_unknown()
        completion = self._completion(dispatch, answer, reward=None)
        record = self._record(completion=completion, learner=self._snapshot_if_due())
        return self._step(record, LinkUnknown(dispatch.url, outcome, self.progress))

    def _judged(self, page: Page, verdict: Verdict | None, *, is_unindexed: bool) -> Verdict:
        if verdict is None:
            verdict = self._parts.judge.judge(page)
        if self._parts.scope.objection_to_title(page.title) is not None:
            return Verdict(0.0, is_relevant=False, reward=0.0)
        # What may not be kept is no find, but its relevance still tells where its links lead.
        return replace(verdict, is_relevant=False, reward=0.0) if is_unindexed else verdict

    def _objection_to_target(self, url: Url, depth: int) -> str | None:
        """Why a redirect may not be followed there, or None."""
        links, scope = self._parts.links, self._parts.scope
        known = links.find(url)
        if known is None and not scope.has_room(len(links)):
            return "scope.max_pages"
        objection = scope.objection(url, depth=depth)
        is_had = objection == PER_HOST and known is not None and links.state(known) is LinkState.DONE
        return None if is_had else objection

    def _learn(self, transition: Transition) -> None:
        has_changed = self._parts.strategy.learn(transition)
        if has_changed and self._parts.strategy.order is Order.BEST_SCORE:
            self._parts.frontier.reprice(self._parts.strategy)
            self._ledger.note_repricing()

    def _origin(self, dispatch: Dispatch, verdict: Verdict) -> Origin:
        link = dispatch.record.link
        distance = 0 if verdict.is_relevant else self._parts.links.distance(link) + 1
        return Origin(dispatch.url.host, verdict.relevance, distance, self._parts.links.depth(link))

    def _completion(
        self,
        dispatch: Dispatch,
        answer: Answer,
        *,
        reward: float | None,
        visit: VisitRecord | None = None,
        redirect_target: LinkId | None = None,
        is_final: bool = True,
    ) -> CompletionRecord:
        return CompletionRecord(dispatch.record, answer, self._ended_at, reward, visit, redirect_target, is_final)

    def _snapshot_if_due(self) -> bytes | None:
        due = self.progress.steps % self._settings.store.snapshot_every == 0
        return self._snapshot() if due else None

    def _snapshot(self) -> bytes:
        return taken_of(self._parts.strategy, self._parts.judge)

    def _record(self, **changes: Unpack[StepChanges]) -> StepRecord:
        state = self._parts.chance.bit_generator.state
        if state != self._chance_state:
            self._chance_state, self._chance_json = state, json.dumps(state)
        return self._ledger.close_step(chance_state=self._chance_json, waiting=len(self._parts.frontier), **changes)

    def _step(self, record: StepRecord, event: Event) -> Step:
        return Step(record, self._ledger.events_before(event))


def is_page_expanded(parts: Parts, page: Page) -> bool:
    """Whether the links of a page that has just come in may wait."""
    return parts.scope.follows_links and parts.strategy.expands(page.url) and parts.scope.follows(page)


def _taken_as(outcome: Outcome, answer: Answer) -> Answer:
    """What the crawl makes of an answer; what the host had said is kept beside it, for an archive."""
    return replace(answer, outcome=outcome, exchange=whole_exchange(answer))


def _found_again(strategy: Strategy, settings: Settings) -> FoundAgain:
    if strategy.found_again is not None:
        return strategy.found_again
    # Where only the order of arrival counts, no later page can give a link a better place.
    by_score = strategy.order is Order.BEST_SCORE
    return FoundAgain(settings.frontier.found_again) if by_score else FoundAgain.FIRST
