"""Brings a stopped or killed crawl back, exactly as it was after its last whole step, and says with which settings.

The database holds the state of everything but strategy, judge and guard. Their snapshot may be some steps old; the
journal has what they were told since. Waiting links get their rows from the stored descriptions. Nothing is fetched.
"""

from __future__ import annotations

import json
import logging
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.crawler.core import CrawlCore
from honeyguide.crawler.events import Dispatch
from honeyguide.crawler.hosts import stored_rests
from honeyguide.crawler.journal import JournaledStages
from honeyguide.crawler.links import Identity
from honeyguide.crawler.rows import rows_described
from honeyguide.errors import RunDamaged, SettingsError
from honeyguide.frontier import Arrivals, Pairs
from honeyguide.learn import FoundAgain, Order
from honeyguide.model import HostKey, LinkState, ParentFacts
from honeyguide.runs import BudgetExtension, open_run, settings_to_build
from honeyguide.runs.inbox import MOST_FETCHES
from honeyguide.settings import SETTINGS_BY_KEY, shown, with_overrides, yield_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from honeyguide.crawler.parents import ParentTable
    from honeyguide.crawler.parts import Parts
    from honeyguide.learn import Strategy
    from honeyguide.model import HostRest, LinkId, Page, Row, Rows
    from honeyguide.model.clock import Clock
    from honeyguide.runs import Progress, RunFolder, SqliteStore, StoredLink
    from honeyguide.settings import Settings

log = logging.getLogger(__name__)

BATCH: Final = 512  # links whose rows are made at once
_FOR_GOOD: Final = ("crawl.world", "crawl.strategy", "crawl.seed", "judge.kind", "world.missing", "crawl.learn_from")
"""Settings that a run keeps from its start: with others it would be no crawl that anyone could repeat."""


def kept_for_good(settings: Settings) -> dict[str, Any]:
    """Return the settings that a run keeps from its start."""
    values = ((key, SETTINGS_BY_KEY[key].value_in(settings)) for key in _FOR_GOOD)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values}  # as JSON has them


def settings_to_resume(
    folder: RunFolder, overrides: Mapping[str, Any], budget: str | int | None = None, *, trust: bool = False
) -> Settings:
    """Return the settings with which a run goes on. SettingsError where it may not with these."""
    if folder.is_repaired:
        raise RunDamaged(
            f"{folder.path} was repaired, and its crawl cannot go on; honeyguide refresh {folder.path} --new-run NEW "
            "fetches its pages again"
        )
    own = settings_to_build(folder, overrides, trust=trust)
    if folder.has_started:
        refuse_if_lost(folder)
        with open_run(folder.path) as run:
            own = with_budget(own, run.fetch_budget)
    settings = with_budget(with_overrides(own, overrides), budget)
    refuse_other_start(folder, settings, overrides)
    return settings


def refuse_other_start(folder: RunFolder, settings: Settings, overrides: Mapping[str, Any]) -> None:
    """SettingsError where a run began with other values of the settings that it keeps for good."""
    now = kept_for_good(settings)
    began_with = folder.changed_since_the_start(now)
    then, kind = str(began_with.get("crawl.world", "")), settings.crawl.world.partition(":")[0]
    if "crawl.world" in overrides and then.partition(":")[0] == kind:  # the same world may have moved to another folder
        del began_with["crawl.world"]
    if began_with:
        raise SettingsError(
            [
                f"{key} is {shown(now[key])}, but {folder.path} began with {shown(then)}: put that back, or start "
                "another run"
                for key, then in began_with.items()
            ]
        )


def with_budget(settings: Settings, budget: str | int | None) -> Settings:
    """The settings with the budget that `resume` was given: a new total, "+N" for N more, None for no change."""
    if budget is None:
        return settings
    asked = budget_asked(budget)
    total = settings.budget.fetches + asked.fetches if asked.is_more else asked.fetches
    return with_overrides(settings, {"budget.fetches": total})


def budget_asked(budget: str | int) -> BudgetExtension:
    """Read a new total of fetches, or "+N" for N more. SettingsError where it is neither, or more than a crawl may."""
    text = str(budget).strip()
    digits = text.removeprefix("+")
    if not digits.isdecimal() or not digits.strip("0"):
        raise SettingsError([f"budget is {shown(text)}: give a total such as 2000, or +1000 for a thousand more"])
    if len(digits) > len(str(MOST_FETCHES)) or int(digits) > MOST_FETCHES:
        raise SettingsError([f"budget is {shown(text)}: give {MOST_FETCHES:,} fetches at most"])
    return BudgetExtension(int(digits), is_more=text.startswith("+"))


def check_budget(progress: Progress | None, settings: Settings, budget: str | int | None) -> None:
    """SettingsError if a run has spent more than it is given now."""
    if budget is not None and progress is not None and settings.budget.fetches < progress.charged:
        total, under_way = settings.budget.fetches, progress.dispatches - progress.steps
        spent = f"{progress.fetches:,} fetched" + (f", {under_way:,} under way" if under_way else "")
        raise SettingsError([f"budget is {total}: the run has spent more ({spent}); give more, or +{total}"])


def refuse_if_lost(folder: RunFolder) -> None:
    """RunDamaged if the steps of a run are gone. Only reads: a store makes the tables that it does not find."""
    if not folder.has_started:
        return
    has_steps = folder.database_file.exists() and folder.database_file.stat().st_size > 0
    if has_steps:
        with open_run(folder.path) as run:
            has_steps = run.has_begun
            if next(run.steps_in_shards(), None) and not run.passes():
                raise RunDamaged(
                    f"{folder.path} was crawled on a cluster, and its shards are gone: restore shards and cluster.json "
                    "from a copy of the run"
                )
    if not has_steps:
        raise RunDamaged(f"{folder.database_file} has lost its steps; restore it from a copy of the run")


def restore(parts: Parts, settings: Settings, store: SqliteStore, clock: Clock) -> tuple[CrawlCore, list[Dispatch]]:
    """The core as it was after the last whole step, and the fetches to begin again."""
    progress = store.progress()
    assert progress is not None, "a run without a first step has nothing to restore"
    _restore_links(parts, store)
    _restore_graph(parts, store)
    for link, identity in store.identities():
        parts.same.remember(link, parts.links.url(link), Identity(*identity))
    if parts.scope.limits_hosts:
        for url in store.fetched_urls():
            parts.scope.note_fetch(url.host)
    learner = _restore_learner(parts, store)
    keeps_pairs = parts.strategy.found_again is FoundAgain.EVERY
    pairs = _restore_pairs(parts, store, progress) if keeps_pairs else _restore_waiting(parts, store, progress)
    if progress.is_repriced:
        parts.frontier.reprice(parts.strategy)
    parts.chance.bit_generator.state = json.loads(progress.chance_state)
    rule = yield_rule(settings.budget.stop_when)
    lately = store.relevance_of_last_fetches(rule.fetches) if rule else ()
    core = CrawlCore(parts, settings, progress._replace(now=clock.now()), learner, lately)
    core.guarding.go_on_from(store.last_moment() or 0.0)
    let_hosts_rest(parts, stored_rests(store, clock.now(), settings.politeness))
    core.retries.tries_by_link |= store.retries_by_link()
    # Whether the killed process had sent them, and when the answers came, is not known; but it was before now.
    not_before = clock.now() + settings.politeness.pause_s()
    in_flight = [
        Dispatch(record, parts.links.url(record.link), parts.links.hosts([record.link])[0], not_before)
        for record in store.in_flight()
    ]
    at_once = [each for each in in_flight if core.put_back_in_flight(each, pairs.get(each.record.link))]
    log.info("restored step %s: waiting links %s, in flight %s", progress.steps, len(parts.frontier), len(in_flight))
    return core, at_once


def let_hosts_rest(parts: Parts, rests: Iterable[HostRest]) -> None:
    """Let hosts rest that were asked before this core was made."""
    for rest in rests:
        parts.schedule.restore(rest)
        parts.schedule.number(parts.links.host_id(HostKey(rest.host)), rest.host)


def _restore_links(parts: Parts, store: SqliteStore) -> None:
    """Meet every URL again, in order."""
    for stored in store.links():
        link, _ = parts.links.meet(
            stored.url, depth=stored.depth, distance=stored.distance, hops=stored.hops, found_on=stored.found_on
        )
        if link != stored.link:
            raise ValueError(f"link {stored.link} is missing or stands twice")
        parts.links.carry(link, stored.carried)
        parts.links.set_state(link, stored.state)


def _restore_graph(parts: Parts, store: SqliteStore) -> None:
    """Tell the table of parents and the ranks again of every page and redirect, where they are kept."""
    parents, ranks = parts.parents, parts.ranks
    if parents is None and ranks is None:
        return
    for visit in store.visits():
        if parents is not None:
            parents.add_visit(visit)
        if ranks is None or visit.is_elsewhere:
            continue
        if visit.is_redirect:
            for target in visit.targets:
                ranks.add_redirect(visit.link, target)
        else:
            ranks.add_page(visit.link, visit.targets)


def _restore_learner(parts: Parts, store: SqliteStore) -> JournaledStages:
    """Load the snapshot, and replay the journal."""

    def page_of(link: LinkId) -> Page:
        return parts.parse(parts.links.url(link), store.fetched(link))

    learner, snapshot = JournaledStages(parts), store.learner_snapshot()
    if snapshot is not None:
        learner.load(snapshot.state)
    for entry in store.journal():
        learner.replay(entry, page_of)
    learner.journal.clear()  # it is stored
    return learner


def _restore_waiting(parts: Parts, store: SqliteStore, progress: Progress) -> dict[LinkId, Pairs]:
    """Let the waiting links wait again."""
    waiting = store.links([LinkState.WAITING])
    # Stored scores are those of the moment when a link was found; counts of its parents change after that.
    counts_parents = parts.parents is not None and parts.parents.rules.is_newest
    is_scored_anew = progress.is_repriced or (counts_parents and parts.strategy.order is Order.BEST_SCORE)
    while batch := list(islice(waiting, BATCH)):
        links, rows = [stored.link for stored in batch], stored_rows(parts.strategy, batch, parts.parents)
        scores = parts.strategy.score(rows) if is_scored_anew else np.array([each.score for each in batch])
        levels = np.array([stored.level for stored in batch], dtype=np.uint8)
        parts.frontier.push(Arrivals(links, parts.links.hosts(links), scores, rows, levels))
    return {}


def stored_rows(strategy: Strategy, batch: Sequence[StoredLink], table: ParentTable | None = None) -> Rows:
    """Make the rows of stored links; `table` counts the pages that show them."""
    parents = ParentFacts(
        np.array([stored.relevance for stored in batch], dtype=np.float64),
        np.array([stored.distance for stored in batch], dtype=np.int64),
        np.array([stored.depth for stored in batch], dtype=np.int64),
        None if table is None else table.parents([stored.link for stored in batch]),
    )
    merged = [stored.row for stored in batch]
    return rows_described(strategy, [stored.description for stored in batch], parents, merged)


def _restore_pairs(parts: Parts, store: SqliteStore, progress: Progress) -> dict[LinkId, Pairs]:
    """Give waiting links all their rows again; the score of a row is the last that any link got with it.

    Gives back what the links in flight had waited with.
    """
    score_by_row: dict[bytes, float] = {}
    rows_in_flight: dict[LinkId, list[Row]] = {record.link: [] for record in store.in_flight()}
    for pair in store.pairs():
        score_by_row[pair.row.tobytes()] = pair.score
        if pair.link in rows_in_flight:
            rows_in_flight[pair.link].append(pair.row)
    level_by_link = {stored.link: stored.level for stored in store.links() if stored.level}
    waiting = (pair for pair in store.pairs() if parts.links.state(pair.link) is LinkState.WAITING)
    while batch := list(islice(waiting, BATCH)):
        links = [pair.link for pair in batch]
        rows = np.array([pair.row for pair in batch], dtype=np.float16)
        scores = np.array([score_by_row[pair.row.tobytes()] for pair in batch])
        priced = parts.strategy.score(rows) if progress.is_repriced else scores
        levels = np.array([level_by_link.get(link, 0) for link in links], dtype=np.uint8)
        parts.frontier.push(Arrivals(links, parts.links.hosts(links), priced, rows, levels))
    return {
        link: Pairs(np.array(rows), np.array([score_by_row[row.tobytes()] for row in rows]))
        for link, rows in rows_in_flight.items()
    }
