"""The loop drives the core of `core.py`, with I/O: it fetches what the core chooses, stores steps, announces events."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, assert_never

from honeyguide.crawler.events import Dispatch, Stop, StopReason, Wait
from honeyguide.crawler.transport import Answered, Arrival

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.crawler.between_steps import BetweenSteps
    from honeyguide.crawler.core import CrawlCore
    from honeyguide.crawler.events import Event, Listener, Step
    from honeyguide.crawler.transport import Transport
    from honeyguide.model.clock import Clock
    from honeyguide.runs import SqliteStore, StepRecord

log = logging.getLogger(__name__)


class Neighbours(Protocol):
    """The other shards of a run, as the loop of one shard meets them."""

    def note(self, record: StepRecord) -> None:
        """A step was stored: what it has for others can go."""
        ...

    async def attend(self, now: float, finish: Callable[[Step], None]) -> StopReason | None:
        """Take in what others have sent, between two steps. A reason where the whole crawl is to stop."""
        ...

    async def wait(self, reason: StopReason) -> None:
        """Nothing can be done here, for this reason: return when there may be something to attend to."""
        ...


class CrawlLoop:
    """Drives one core to its end. Everything it waits for is the transport."""

    def __init__(
        self,
        core: CrawlCore,
        transport: Transport,
        store: SqliteStore,
        clock: Clock,
        listeners: Sequence[Listener],
        is_interrupted: Callable[[], bool],
        on_stored: Callable[[StepRecord], None] = lambda _: None,
        machine_limit: Callable[[], StopReason | None] = lambda: None,
        between: BetweenSteps | None = None,
        neighbours: Neighbours | None = None,
    ) -> None:
        """`on_stored` is told of every step before the listeners are; `machine_limit` may stop it between two.

        `between` attends to what others want of the crawl. A shard with `neighbours` stops when they all do.
        """
        self._core = core
        self._transport = transport
        self._store = store
        self._clock = clock
        self._listeners = listeners
        self._is_interrupted = is_interrupted
        self._on_stored = on_stored
        self._machine_limit = machine_limit
        self._between = between
        self._neighbours = neighbours

    async def run(self, in_flight: Sequence[Dispatch] = ()) -> StopReason:
        """Crawl until a limit is reached, nothing is left, or someone interrupts; `in_flight` is fetched first."""
        self._core.note_disk_use(self._store.size_bytes())
        for dispatch in in_flight:
            await self._transport.start(dispatch)
        times = self._core.stage_times
        while True:
            is_to_stop = self._is_interrupted() or self._is_to_stop()
            stopped = StopReason.INTERRUPTED if is_to_stop else self._machine_limit()
            if stopped is None and self._neighbours is not None:
                stopped = await self._neighbours.attend(self._clock.now(), self._finish)
            if stopped is not None:
                self._finish(self._core.stop(stopped, self._clock.now()))
                return stopped
            mark = times.start()
            choice = self._core.choose(self._clock.now())
            mark = times.lap("choose", mark)
            match choice:
                case Dispatch():
                    await self._transport.start(choice)
                    arrival = await self._transport.arrived()
                    times.lap("fetch", mark)
                    self._take_in(arrival)
                case Wait():
                    arrival = await self._transport.next_arrival(choice.until)
                    times.lap("fetch", mark)
                    self._take_in(arrival)
                case Stop():
                    if self._neighbours is not None:
                        await self._neighbours.wait(choice.reason)
                        continue
                    if self._is_to_go_on():
                        continue
                    self._finish(self._core.stop(choice.reason, self._clock.now()))
                    return choice.reason
                case _:
                    assert_never(choice)

    def _is_to_stop(self) -> bool:
        return self._between is not None and self._between.attend(self._clock.now(), self._finish) is not None

    def _is_to_go_on(self) -> bool:
        """Whether a last look into the inbox has brought a larger budget."""
        if self._between is None:
            return False
        before = self._core.budget
        self._between.attend(self._clock.now(), self._finish, at_once=True)
        return self._core.budget > before

    def _take_in(self, arrival: Arrival | Answered | None) -> None:
        now = self._clock.now()
        match arrival:
            case Arrival():
                self._finish(
                    self._core.apply(arrival.dispatch, arrival.answer, now, arrival.ended_at, arrival.prepared)
                )
                self._core.taken_in(arrival.dispatch, now, self._clock.now(), arrival.prepared)
            case Answered():
                self._core.answered(arrival.dispatch, arrival.answer, arrival.ended_at)
            case None:
                pass
            case _:
                assert_never(arrival)

    def _finish(self, step: Step) -> None:
        """Store a step, then tell of it."""
        times = self._core.stage_times
        mark = times.start()
        has_snapshot = step.record.learner is not None
        record = replace(step.record, stage_seconds=times.taken()) if has_snapshot else step.record
        self._store.record(record)
        times.lap("store", mark)
        self._on_stored(record)
        if self._between is not None:
            self._between.note(record)
        if self._neighbours is not None:
            self._neighbours.note(record)
        if has_snapshot:
            log.debug("step %s: learner saved", step.record.progress.steps)
        if self._core.has_disk_budget:
            self._core.note_disk_use(self._store.size_bytes())
        for event in step.events:
            self.announce(event)
        if step.record.progress.stop_reason and self._between is not None:
            self._between.end(self._clock.now())

    def announce(self, event: Event) -> None:
        """Tell every listener."""
        for listener in self._listeners:
            listener(event)
