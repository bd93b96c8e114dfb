"""Bringing a stopped or killed crawl back, exactly as it was after its last whole step.

The database holds the state of everything but the learner, whose snapshot may be some steps old. So: load the snapshot,
tell the learner again what it was told since (nothing is fetched), describe the waiting links anew from their stored
text, and take up the fetches that were in flight.
"""

from __future__ import annotations

import json
import logging
from collections import deque
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.domain import Candidates, Decision, Fetched, HostKey, LinkState, Origin, Transition
from honeyguide.engine.attempts import VainAttempts
from honeyguide.engine.core import CrawlCore, Dispatch, is_page_expanded
from honeyguide.engine.discovery import leaves_unmet
from honeyguide.engine.host_rests import host_rests
from honeyguide.engine.snapshot import load_into
from honeyguide.frontier import Arrivals, next_request_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from honeyguide.clock import Clock
    from honeyguide.domain import Link, LinkId, Page, Row, Rows
    from honeyguide.engine.core import Parts
    from honeyguide.settings import Settings
    from honeyguide.store import DispatchRecord, Progress, Store, StoredLink, StoredTransition

log = logging.getLogger(__name__)

BATCH: Final = 512  # links described at once: some 25,000 words
NEVER: Final = 2**62


def restore(parts: Parts, settings: Settings, store: Store, clock: Clock) -> tuple[CrawlCore, list[Dispatch]]:
    """The core as it was after the last whole step, and the fetches to begin again."""
    progress = store.progress()
    assert progress is not None, "a run without a first step has nothing to restore"
    vain = VainAttempts(store.attempts_in_vain())
    _restore_learner(parts, store, _number_links(parts, store), vain)
    rows_in_flight = _restore_frontier(parts, store, progress)
    if progress.is_repriced:
        parts.frontier.reprice(parts.strategy)
    parts.chance.bit_generator.state = json.loads(progress.chance_state)
    core = CrawlCore(parts, settings, replace(progress, now=clock.now()))
    _restore_hosts(core, parts, settings, store, clock)
    # Whether the killed process had sent them, and when the answers came, is not known; but it was before now.
    not_before = next_request_at(clock.now(), 0.0, settings.politeness)
    in_flight = [_dispatch(parts, record, rows_in_flight[record.link], not_before) for record in store.in_flight()]
    tries = vain.tries_by_link().items()
    core.troubles.tries_by_link |= {link: count for link, count in tries if parts.links.state(link) != LinkState.DONE}
    for dispatch in in_flight:
        core.put_back_in_flight(dispatch)
    log.info("restored step %s: %s links wait, %s in flight", progress.steps, len(parts.frontier), len(in_flight))
    return core, in_flight


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
        link, _ = parts.links.meet(stored.url, depth=stored.sighting.depth, distance=distance, hops=stored.hops)
        if link != stored.link:
            raise ValueError(f"link {stored.link} is missing or stands twice")
        parts.links.set_state(link, stored.state)
        if link in later:
            to_learn[link] = stored
    return to_learn


def _restore_hosts(core: CrawlCore, parts: Parts, settings: Settings, store: Store, clock: Clock) -> None:
    for rest in host_rests(store, clock.now(), settings.politeness):
        host = parts.links.host_id(HostKey(rest.host))
        if rest.address and settings.politeness.per_address:
            parts.clocks.place(host, rest.address)
        parts.clocks.release(host, rest.ready_at, rest.address_ready_at)
        if rest.troubles:
            core.troubles.in_a_row_by_host[host] = rest.troubles


def _restore_learner(parts: Parts, store: Store, link_by_number: dict[LinkId, StoredLink], vain: VainAttempts) -> None:
    """Load the snapshot, and tell the learner again all that happened after it, in the same order."""
    snapshot = store.learner_snapshot()
    step, decisions = 0, 0
    if snapshot is not None:
        step, decisions = snapshot.step, snapshot.decisions
        load_into(parts.strategy, parts.judge, snapshot.state)
    row_by_link = {stored.link: row for stored, row in _described(parts, link_by_number.values())}
    chosen_after = np.full(len(parts.links), NEVER)
    for decision in store.decisions_from(0):
        if not vain.is_vain(decision):
            chosen_after[decision.link] = decision.after_steps
    later_decisions = deque(store.decisions_from(decisions))

    def tell_decisions(*, before_step: int) -> None:
        while later_decisions and later_decisions[0].after_steps < before_step:
            made = later_decisions.popleft()
            if vain.is_repeated(made):
                continue
            url, row = parts.links.url(made.link), row_by_link[made.link]
            parts.strategy.notice(Decision(url, row, is_skipped=made.is_skipped))

    for told in store.transitions_after(step):
        tell_decisions(before_step=told.step)
        _learn_again(parts, told, row_by_link[told.link], chosen_after, vain)
    tell_decisions(before_step=NEVER)


def _learn_again(
    parts: Parts,
    told: StoredTransition,
    row: Row,
    chosen_after: np.ndarray[tuple[int], np.dtype[np.int64]],
    vain: VainAttempts,
) -> None:
    url = parts.links.url(told.link)
    next_rows: Rows = np.empty((0, parts.strategy.row_width), dtype=np.float16)
    if told.body is not None:
        page: Page = parts.parse(url, Fetched(200, told.content_type, told.body))
        parts.judge.see(page)
        origin = Origin(url.host, told.relevance, told.distance, told.depth)
        unvisited = list(_unvisited(parts, page, told, chosen_after, vain))
        at_first = parts.strategy.reads_first_occurrence
        next_rows = parts.strategy.describe(Candidates.on_page(page, unvisited, origin, at_first_occurrence=at_first))
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
    if not is_page_expanded(parts, page):
        return
    for link in page.links:
        number = parts.links.find(link.target)
        if number is None:
            is_unvisited = is_pruning
        else:
            is_unvisited = chosen_after[number] >= told.step and not vain.was_under_way(number, told.step)
        if is_unvisited and parts.scope.objection(link.target, depth=told.depth + 1) is None:
            yield link


def _restore_frontier(parts: Parts, store: Store, progress: Progress) -> dict[LinkId, Row]:
    """Let the waiting links wait again; gives back the rows of those in flight."""
    rows_in_flight = {}
    unfinished = (stored for stored in store.links() if stored.state in (LinkState.WAITING, LinkState.IN_FLIGHT))
    while batch := list(islice(unfinished, BATCH)):
        links, scores, rows = [], [], []
        for stored, row in _described(parts, batch):
            if stored.state is LinkState.IN_FLIGHT:
                rows_in_flight[stored.link] = row
                continue
            links.append(stored.link)
            scores.append(stored.score)
            rows.append(row)
        if links:
            table = np.array(rows, dtype=np.float16).reshape(len(links), parts.strategy.row_width)
            priced = parts.strategy.score(table) if progress.is_repriced else np.array(scores)
            parts.frontier.push(Arrivals(links, parts.links.hosts(links), priced, table))
    return rows_in_flight


def _described(parts: Parts, stored: Iterable[StoredLink]) -> Iterator[tuple[StoredLink, Row]]:
    """Links with the rows that were kept, or else as the strategy describes them anew."""
    remaining = iter(stored)
    while links := list(islice(remaining, BATCH)):
        rows = parts.strategy.describe(Candidates.of([link.sighting for link in links]))
        for link, row in zip(links, rows, strict=True):
            yield link, row if link.row is None else link.row


def _dispatch(parts: Parts, record: DispatchRecord, row: Row, not_before: float) -> Dispatch:
    return Dispatch(record, parts.links.url(record.link), parts.links.hosts([record.link])[0], row, not_before)
