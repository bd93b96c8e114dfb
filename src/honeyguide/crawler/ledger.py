"""The books of a crawl: what was spent and found, and what is not yet stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from honeyguide.crawler.events import CrawlRestarted, LinkSkipped, Step
from honeyguide.frontier import LevelledFrontier
from honeyguide.runs import Progress, SkipRecord, StepRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Unpack

    import numpy as np

    from honeyguide.crawler.events import Event
    from honeyguide.frontier import Frontier
    from honeyguide.model import HostRest, LinkId, Skipped, Url
    from honeyguide.runs import DispatchRecord, GuardRecord, JournalEntry, MoveRecord, RestartRecord
    from honeyguide.runs.records import StepChanges

LARGEST_LOSS: Final = 1e100  # a score may be infinite; what is added up may not


class Ledger:
    """Progress, and the choices made since the last step; `close_step` hands them over and starts a new page."""

    def __init__(
        self, progress: Progress, chance: np.random.Generator, frontier: Frontier, journal: list[JournalEntry]
    ) -> None:
        """`journal` is what strategy, judge and guard were told since the last step."""
        self.progress = progress
        self._journal = journal
        self._chance = chance
        self._frontier = frontier
        self._chance_state: Mapping[str, Any] = {}
        self._chance_json = ""
        self._dispatches: list[DispatchRecord] = []
        self._skips: list[SkipRecord] = []
        self._events: list[Event] = []
        self._restarts: list[RestartRecord] = []
        self._over_host_limit: tuple[LinkId, ...] = ()
        self._hosts: tuple[HostRest, ...] = ()
        # What others have to say when a step is closed.
        self.guard_changes: Callable[[], GuardRecord | None] = lambda: None
        self.restart_state: Callable[[], str] = lambda: ""

    def pass_time(self, now: float) -> None:
        """Time counts as spent, whatever it brought."""
        before = self.progress
        if now != before.now:
            self.progress = before._replace(now=now, spent_seconds=before.spent_seconds + now - before.now)

    def note_dispatch(self, dispatch: DispatchRecord) -> None:
        self._dispatches.append(dispatch)
        before = self.progress
        self.progress = before._replace(dispatches=dispatch.number + 1, decisions=before.decisions + 1)

    def note_skip(self, link: LinkId, url: Url, decision: Skipped) -> None:
        before = self.progress
        self._skips.append(SkipRecord(link, before.steps, decision.reason, before.decisions))
        self.progress = before._replace(decisions=before.decisions + 1)
        self._events.append(LinkSkipped(url, decision))

    def note_answer(self, now: float, robots_fetches: int) -> None:
        self.pass_time(now)
        self.add(steps=1, robots_fetches=robots_fetches)

    def add(self, **counts: float) -> None:
        """Add to fields of the progress."""
        before = self.progress
        changed = {name: getattr(before, name) + count for name, count in counts.items() if count}
        if changed:
            self.progress = before._replace(**changed)

    def note_page(self, *, is_relevant: bool, is_kept: bool) -> None:
        self.progress = self.progress._replace(unjudged_in_a_row=0)
        if not is_kept:
            self.add(unindexed=1)
        else:
            self.add(pages=1, relevant=is_relevant)

    def note_over_host_limit(self, count: int) -> None:
        self.add(over_host_limit=count)

    def note_release(self, over_host_limit: tuple[LinkId, ...], rest: HostRest) -> None:
        """A host has answered: links that it is not to be asked for any more, and its rest."""
        self._over_host_limit, self._hosts = over_host_limit, (rest,)

    def note_waited_for_host(self, score: float) -> None:
        """A link was taken by its score while a better one, by so much, had to wait for its host."""
        if score > 0:
            self.add(waited_for_hosts=1, score_lost_waiting=min(score, LARGEST_LOSS))

    def note_findings(self, count: int) -> None:
        self.add(findings=count)

    def note_moved(self, moves: Sequence[MoveRecord]) -> None:
        if moves:
            self.add(
                lowered=sum(move.lowered for move in moves),
                raised=sum(move.raised for move in moves),
                dropped=sum(move.dropped for move in moves),
            )

    def note_restart(self, restart: RestartRecord) -> None:
        self._restarts.append(restart)
        self.progress = self.progress._replace(restarts=restart.number)
        self.add(pruned=len(restart.pruned))
        self._events.append(CrawlRestarted(restart.reason, restart.source, len(restart.links), self.progress))

    def note_repricing(self) -> None:
        if not self.progress.is_repriced:
            self.progress = self.progress._replace(is_repriced=True)

    def note_judged_again(self, relevant: int, *, is_repriced: bool) -> None:
        before = self.progress
        self.progress = before._replace(relevant=relevant, is_repriced=before.is_repriced or is_repriced)

    def close_step(self, **changes: Unpack[StepChanges]) -> StepRecord:
        """All that changed since the last step, as one record."""
        self.add(handed_over=sum(len(parcel.links) for parcel in changes.get("outbox", ())))
        guard = self.guard_changes()
        chance_state, waiting = self._state_of_chance(), len(self._frontier)
        largest = max(waiting, self.progress.largest_waiting)
        self.progress = self.progress._replace(
            chance_state=chance_state,
            waiting=waiting,
            largest_waiting=largest,
            behind=self._frontier.count_behind() if isinstance(self._frontier, LevelledFrontier) else 0,
            restart_state=self.restart_state(),
        )
        record = StepRecord(
            progress=self.progress,
            dispatches=tuple(self._dispatches),
            skips=tuple(self._skips),
            journal=tuple(self._journal),
            guard=guard,
            restarts=tuple(self._restarts),
            over_host_limit=self._over_host_limit,
            hosts=self._hosts,
            **changes,
        )
        self._over_host_limit, self._hosts = (), ()
        self._journal.clear()
        self._restarts.clear()
        self._dispatches.clear()
        self._skips.clear()
        return record

    def step(self, record: StepRecord, event: Event) -> Step:
        """A record with what is to be announced: what waited for a step to be stored with, then this event."""
        events = (*self._events, event)
        self._events.clear()
        return Step(record, events)

    def _state_of_chance(self) -> str:
        state = self._chance.bit_generator.state
        if state != self._chance_state:
            self._chance_state, self._chance_json = state, json.dumps(state)
        return self._chance_json
