"""Fetches that brought trouble, after which their links waited again: what a resumed crawl has to know of them.

Pages shown to the guard once more, after its state was loaded: what it had seen since, in the same order.

What a run keeps of its learner every so often: the states of strategy, judge and guard in one blob.

Bringing a stopped or killed crawl back, exactly as it was after its last whole step.

The database holds the state of everything but the learner, whose snapshot may be some steps old. So: load the snapshot,
tell the learner again what it was told since (nothing is fetched), describe the waiting links anew from their stored
text, and take up the fetches that were in flight.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict, deque
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.core import CrawlCore
from honeyguide.crawler.discovery import leaves_unmet
from honeyguide.crawler.events import Dispatch
from honeyguide.crawler.guarding import importance_in, seen_page
from honeyguide.crawler.hosts import stored_rests
from honeyguide.crawler.intake import Identity
from honeyguide.crawler.parents import stand
from honeyguide.crawler.snapshot import load_into
from honeyguide.frontier import Arrivals, Pairs
from honeyguide.guard import Fingerprint, Target
from honeyguide.learn import FoundAgain
from honeyguide.model import Candidates, Decision, Fetched, HostKey, LinkId, LinkState, Origin, Transition
from honeyguide.runs import PrintRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from honeyguide.crawler.parts import Parts
    from honeyguide.model import HostRest, Link, Page, Row, Rows, Standing
    from honeyguide.model.clock import Clock
    from honeyguide.runs import (
        DispatchRecord,
        Progress,
        Store,
        StoredAttempt,
        StoredDecision,
        StoredLink,
        StoredPrint,
        StoredTransition,
        StoredVisit,
    )
    from honeyguide.settings import Settings


class VainAttempts:
    """Fetches in vain by link, each with the number of steps after which it was chosen and the step at which it ended.

    A link is decided on once, when it is first chosen; to try it again is no further decision.
    """

    def __init__(self, attempts: Iterable[StoredAttempt]) -> None:
        self._by_link: dict[LinkId, list[tuple[int, int]]] = defaultdict(list)
        for attempt in attempts:
            self._by_link[attempt.link].append((attempt.after_steps, attempt.step))

    def tries_by_link(self) -> dict[LinkId, int]:
        return {link: len(attempts) for link, attempts in self._by_link.items()}

    def is_repeated(self, decision: StoredDecision) -> bool:
        """Whether the link had been tried in vain before this turn of its."""
        return any(ended <= decision.after_steps for _, ended in self._by_link.get(decision.link, ()))

    def is_vain(self, decision: StoredDecision) -> bool:
        """Whether the link waited again after this turn of its."""
        return any(chosen == decision.after_steps for chosen, _ in self._by_link.get(decision.link, ()))

    def was_under_way(self, link: LinkId, step: int) -> bool:
        """Whether the link was being fetched in vain when the answer of `step` came in."""
        return any(chosen < step <= ended for chosen, ended in self._by_link.get(link, ()))


class SeenAgain:
    """Shows the guard of a restored crawl what it saw after a step, as that is told again."""

    def __init__(self, parts: Parts, store: Store, step: int) -> None:
        self._parts = parts
        self._importance_of = importance_in(parts.ranks)
        self._prints = deque(store.prints_after(step) if parts.guard is not None else ())

    def replay(self, *, before_step: int) -> None:
        """Pages that had come before under other addresses, up to a step: nothing was learned from them."""
        while self._prints and self._prints[0].step < before_step:
            seen = self._prints.popleft()
            assert seen.is_same, f"the page of step {seen.step} is not there"
            self._show(seen, [], 0.0, is_relevant=False)

    def show(self, told: StoredTransition, page: Page, unvisited: Sequence[Link]) -> None:
        """The page of a step that was learned from, with the links on it that were unvisited then."""
        if self._parts.guard is None or not self._prints or self._prints[0].step != told.step:
            return
        seen = self._prints.popleft()
        self._show(seen, self._targets(page, unvisited, seen.met), told.reward, is_relevant=told.is_relevant)

    def _targets(self, page: Page, unvisited: Sequence[Link], met: int) -> list[Target]:
        """As `targets_of` gave them: links that had been met by then, and the new ones with the numbers to come."""
        find = self._parts.links.find
        is_unvisited = {link.target for link in unvisited}
        targets = []
        for link in page.links:
            number = None if link.target in is_unvisited else find(link.target)
            if number is not None and number < met:
                targets.append(Target(number, link.target, is_new=False, importance=self._importance_of(number)))
        new = met
        for link in unvisited:
            number = find(link.target)
            is_new = number is None or number >= met
            shown = LinkId(new) if is_new or number is None else number
            targets.append(Target(shown, link.target, is_new, self._importance_of(shown)))
            new += is_new
        return targets

    def _show(self, seen: StoredPrint, targets: list[Target], reward: float, *, is_relevant: bool) -> None:
        assert self._parts.guard is not None
        fingerprint = Fingerprint.unpack(seen.print)
        record = PrintRecord(seen.link, seen.found_on, seen.moment, seen.met, seen.is_same, seen.print)
        url = self._parts.links.url(seen.link)
        importance = self._importance_of(seen.link)
        page = seen_page(seen.step, url, record, fingerprint, reward, is_relevant=is_relevant, importance=importance)
        self._parts.guard.observe(page, targets)


log = logging.getLogger(__name__)

BATCH: Final = 512  # links described at once: some 25,000 words
NEVER: Final = 2**62


def restore(parts: Parts, settings: Settings, store: Store, clock: Clock) -> tuple[CrawlCore, list[Dispatch]]:
    """The core as it was after the last whole step, and the fetches to begin again."""
    progress = store.progress()
    assert progress is not None, "a run without a first step has nothing to restore"
    vain = VainAttempts(store.attempts_in_vain())
    _restore_learner(parts, store, _number_links(parts, store), vain)
    for link, identity in store.identities():
        parts.same.remember(link, parts.links.url(link), Identity(*identity))
    rows_in_flight, pairs_in_flight = _restore_frontier(parts, store, progress)
    if progress.is_repriced:
        parts.frontier.reprice(parts.strategy)
    parts.chance.bit_generator.state = json.loads(progress.chance_state)
    core = CrawlCore(parts, settings, progress._replace(now=clock.now()))
    if core.guarding is not None:
        core.guarding.go_on_from(store.last_moment() or 0.0)
    let_hosts_rest(parts, stored_rests(store, clock.now(), settings.politeness))
    # Whether the killed process had sent them, and when the answers came, is not known; but it was before now.
    not_before = clock.now() + settings.politeness.pause_s()
    in_flight = [_dispatch(parts, record, rows_in_flight[record.link], not_before) for record in store.in_flight()]
    tries = vain.tries_by_link().items()
    core.retries.tries_by_link |= {link: count for link, count in tries if parts.links.state(link) != LinkState.DONE}
    at_once = [each for each in in_flight if core.put_back_in_flight(each, pairs_in_flight.get(each.record.link))]
    log.info("restored step %s: waiting links %s, in flight %s", progress.steps, len(parts.frontier), len(in_flight))
    return core, at_once


def _number_links(parts: Parts, store: Store) -> dict[LinkId, StoredLink]:
    """Meet every URL again, in order. Gives back the links that the learner has to be told about."""
    snapshot = store.learner_snapshot()
    step, decisions = (0, 0) if snapshot is None else (snapshot.step, snapshot.decisions)
    later = {told.link for told in store.transitions_after(step)}
    later |= {decision.link for decision in store.decisions_from(decisions)}
    to_learn = {}
    for stored in store.links():
        origin = stored.sighting.origin
        distance = 0 if origin is None else origin.distance
        depth = stored.sighting.depth
        link, _ = parts.links.meet(
            stored.url, depth=depth, distance=distance, hops=stored.hops, found_on=stored.found_on
        )
        parts.links.carry(link, stored.carried)
        if stored.shown_again is not None:
            parts.links.show_again(link, stored.shown_again)
        if link != stored.link:
            raise ValueError(f"link {stored.link} is missing or stands twice")
        parts.links.set_state(link, stored.state)
        if link in later:
            to_learn[link] = stored
    return to_learn


def let_hosts_rest(parts: Parts, rests: Iterable[HostRest]) -> None:
    """Let hosts rest that were asked before this core was made."""
    for rest in rests:
        parts.schedule.restore(rest)
        parts.schedule.number(parts.links.host_id(HostKey(rest.host)), rest.host)


def _restore_learner(parts: Parts, store: Store, link_by_number: dict[LinkId, StoredLink], vain: VainAttempts) -> None:
    """Load the snapshot, and tell the learner again all that happened after it, in the same order."""
    snapshot = store.learner_snapshot()
    step, decisions = 0, 0
    if snapshot is not None:
        step, decisions = snapshot.step, snapshot.decisions
        load_into(parts.strategy, parts.judge, snapshot.state, parts.guard)
    row_by_link = {stored.link: row for stored, row in _described(parts, link_by_number.values())}
    chosen_after = np.full(len(parts.links), NEVER)
    for decision in store.decisions_from(0):
        if not vain.is_vain(decision):
            chosen_after[decision.link] = decision.after_steps
    for link, after_steps in store.drops():
        chosen_after[link] = after_steps
    later_decisions = deque(store.decisions_from(decisions))
    graph, ranks = _GraphAgain(parts, store), _RanksAgain(parts, store)

    def tell_decisions(*, before_step: int) -> None:
        while later_decisions and later_decisions[0].after_steps < before_step:
            made = later_decisions.popleft()
            if vain.is_repeated(made):
                continue
            row = row_by_link[made.link] if made.row is None else made.row
            parts.strategy.notice(Decision(parts.links.url(made.link), row, is_skipped=made.is_skipped))

    hosts_spent, seen_again = _HostsSpent(parts, store), SeenAgain(parts, store, step)
    for told in store.transitions_after(step):
        hosts_spent.count(up_to_step=told.step)
        tell_decisions(before_step=told.step)
        graph.replay(before_step=told.step)
        ranks.replay(before_step=told.step)
        seen_again.replay(before_step=told.step)
        row = row_by_link[told.link] if told.row is None else told.row
        page, unvisited = _page_again(parts, told, chosen_after, vain)
        if page is not None:
            seen_again.show(told, page, unvisited)
        _learn_again(parts, told, row, page, unvisited, graph)
    tell_decisions(before_step=NEVER)
    graph.replay(before_step=NEVER)
    ranks.replay(before_step=NEVER)
    seen_again.replay(before_step=NEVER)
    hosts_spent.count(up_to_step=NEVER)


class _GraphAgain:
    """The link graph as a strategy that looks at parents saw it grow, step by step."""

    def __init__(self, parts: Parts, store: Store) -> None:
        self._parts = parts
        self._visits = iter(store.visits()) if parts.parents is not None else iter(())
        self._next = next(self._visits, None)

    def replay(self, *, before_step: int) -> None:
        """Take in what earlier steps said of the graph."""
        table = self._parts.parents
        while table is not None and self._next is not None and self._next.step < before_step:
            visit = self._take()
            if visit.is_redirect:
                for target in visit.targets:
                    table.follow_redirect(visit.link, target)
            else:
                facts = table.facts(visit.link, visit.relevance, is_relevant=visit.is_relevant)
                table.add_parent(visit.targets, facts)

    def standing(self, page: Page, unvisited: Sequence[Link]) -> Standing | None:
        """Where the links of the next page stand; the page becomes their parent."""
        table, links = self._parts.parents, self._parts.links
        if table is None:
            return None
        visit = self._take()
        numbers = [number for link in unvisited if (number := links.find(link.target)) is not None]
        return stand(
            table,
            self._parts.strategy,
            page,
            visit.link,
            (visit.relevance, visit.is_relevant),
            targets=visit.targets,
            unvisited=numbers,
        )

    def _take(self) -> StoredVisit:
        visit = self._next
        assert visit is not None, "a step that was learned from has left no page"
        self._next = next(self._visits, None)
        return visit


class _RanksAgain:
    """Tells the ranks again of every page and redirect, in order, where they are kept: they come out the same."""

    def __init__(self, parts: Parts, store: Store) -> None:
        self._ranks = parts.ranks
        self._visits = iter(store.visits()) if parts.ranks is not None else iter(())
        self._next = next(self._visits, None)

    def replay(self, *, before_step: int) -> None:
        while self._ranks is not None and self._next is not None and self._next.step < before_step:
            visit, self._next = self._next, next(self._visits, None)
            if visit.is_redirect:
                for target in visit.targets:
                    self._ranks.add_redirect(visit.link, target)
            else:
                self._ranks.add_page(visit.link, visit.targets)


class _HostsSpent:
    """Tells the scope again which hosts were asked, step by step, where it counts them."""

    def __init__(self, parts: Parts, store: Store) -> None:
        self._scope = parts.scope
        self._fetches = deque(store.fetches() if parts.scope.limits_hosts else ())

    def count(self, *, up_to_step: int) -> None:
        while self._fetches and self._fetches[0][0] <= up_to_step:
            self._scope.note_fetch(self._fetches.popleft()[1].host)


def _page_again(
    parts: Parts,
    told: StoredTransition,
    chosen_after: np.ndarray[tuple[int], np.dtype[np.int64]],
    vain: VainAttempts,
) -> tuple[Page | None, list[Link]]:
    """The page of a step, if it brought one, and the links on it that were unvisited when it came."""
    if told.body is None:
        return None, []
    fetched = Fetched(200, told.content_type, told.body, robots_tag=told.robots_tag)
    page: Page = parts.parse(parts.links.url(told.link), fetched)
    return page, list(_unvisited(parts, page, told, chosen_after, vain))


def _learn_again(
    parts: Parts, told: StoredTransition, row: Row, page: Page | None, unvisited: Sequence[Link], graph: _GraphAgain
) -> None:
    url = parts.links.url(told.link)
    next_rows: Rows = np.empty((0, parts.strategy.row_width), dtype=np.float16)
    if page is not None:
        parts.judge.see(page)
        origin = Origin(url.host, told.relevance, told.distance, told.depth)
        candidates = Candidates.on_page(
            page,
            unvisited,
            origin,
            at_first_occurrence=parts.strategy.reads_first_occurrence,
            standing=graph.standing(page, unvisited),
            importance=0.0 if parts.ranks is None else parts.ranks.importance(told.link),
        )
        next_rows = parts.strategy.describe(candidates)
    parts.strategy.learn(Transition(told.step, url, row, told.reward, told.relevance, told.is_relevant, next_rows))


def _unvisited(
    parts: Parts,
    page: Page,
    told: StoredTransition,
    chosen_after: np.ndarray[tuple[int], np.dtype[np.int64]],
    vain: VainAttempts,
) -> Iterator[Link]:
    """The links on a page that were welcome and unvisited when it came."""
    is_pruning = leaves_unmet(parts.strategy, parts.scope)  # else a link that was never met was not welcome
    if not parts.is_expanded(page):
        return
    for link in page.links:
        number = parts.links.find(link.target)
        if number is None:
            is_unvisited = is_pruning
        else:
            is_unvisited = chosen_after[number] >= told.step and not vain.was_under_way(number, told.step)
        if is_unvisited and parts.scope.objection_to_link(link, depth=told.depth + 1) is None:
            yield link


def _restore_frontier(parts: Parts, store: Store, progress: Progress) -> tuple[dict[LinkId, Row], dict[LinkId, Pairs]]:
    """Let the waiting links wait again; gives back the rows by which those in flight were chosen, and all they have."""
    if parts.strategy.found_again is FoundAgain.EVERY:
        return _restore_pairs(parts, store, progress)
    rows_in_flight = {}
    unfinished = (stored for stored in store.links() if stored.state in (LinkState.WAITING, LinkState.IN_FLIGHT))
    while batch := list(islice(unfinished, BATCH)):
        links, scores, rows, levels = [], [], [], []
        for stored, row in _described(parts, batch):
            if stored.state is LinkState.IN_FLIGHT:
                rows_in_flight[stored.link] = row
                continue
            links.append(stored.link)
            scores.append(stored.score)
            rows.append(row)
            levels.append(stored.level)
        if links:
            table = np.array(rows, dtype=np.float16).reshape(len(links), parts.strategy.row_width)
            priced = parts.strategy.score(table) if progress.is_repriced else np.array(scores)
            at = np.array(levels, dtype=np.uint8)
            parts.frontier.push(Arrivals(links, parts.links.hosts(links), priced, table, at))
    return rows_in_flight, {}


def _restore_pairs(parts: Parts, store: Store, progress: Progress) -> tuple[dict[LinkId, Row], dict[LinkId, Pairs]]:
    """Give waiting links all their rows again; the score of a row is the last that any link got with it."""
    chosen_by = {record.link: record.row for record in store.in_flight() if record.row is not None}
    score_by_row: dict[bytes, float] = {}
    rows_by_link: dict[LinkId, list[Row]] = {link: [] for link in chosen_by}
    for pair in store.pairs():
        score_by_row[pair.row.tobytes()] = pair.score
        if pair.link in rows_by_link:
            rows_by_link[pair.link].append(pair.row)
    level_by_link = {stored.link: stored.level for stored in store.links() if stored.level}
    waiting = (pair for pair in store.pairs() if parts.links.state(pair.link) is LinkState.WAITING)
    while batch := list(islice(waiting, BATCH)):
        links = [pair.link for pair in batch]
        rows = np.array([pair.row for pair in batch], dtype=np.float16)
        scores = np.array([score_by_row[pair.row.tobytes()] for pair in batch])
        priced = parts.strategy.score(rows) if progress.is_repriced else scores
        at = np.array([level_by_link.get(link, 0) for link in links], dtype=np.uint8)
        parts.frontier.push(Arrivals(links, parts.links.hosts(links), priced, rows, at))
    pairs = {
        link: Pairs(np.array(rows), np.array([score_by_row[row.tobytes()] for row in rows]))
        for link, rows in rows_by_link.items()
    }
    return chosen_by, pairs


def _described(parts: Parts, stored: Iterable[StoredLink]) -> Iterator[tuple[StoredLink, Row]]:
    """Links with the rows that were kept, or else as the strategy describes them anew."""
    remaining = iter(stored)
    while links := list(islice(remaining, BATCH)):
        rows = parts.strategy.describe(Candidates.of([link.sighting for link in links]))
        for link, row in zip(links, rows, strict=True):
            yield link, row if link.row is None else link.row


def _dispatch(parts: Parts, record: DispatchRecord, row: Row, not_before: float) -> Dispatch:
    return Dispatch(record, parts.links.url(record.link), parts.links.hosts([record.link])[0], row, not_before)
