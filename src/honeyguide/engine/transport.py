"""How answers reach the crawl: in simulated time from an offline world, in real time from a live one."""

from __future__ import annotations

import asyncio
import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from honeyguide.clock import RealClock, SimulatedClock
    from honeyguide.domain import Answer
    from honeyguide.engine.core import Dispatch
    from honeyguide.worlds import World


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """An answer that has come in."""

    dispatch: Dispatch
    answer: Answer
    ended_at: float | None = None  # when the answer was in; None for just now


class Transport(Protocol):
    """Fetches under way."""

    async def start(self, dispatch: Dispatch) -> None:
        """Begin a fetch."""
        ...

    async def next_arrival(self, until: float) -> Arrival | None:
        """The next answer; None when `until`, or a moment to look around, has come first."""
        ...

    async def close(self) -> None:
        """Give up what is under way; may be called twice."""
        ...


class SimulatedTransport:
    """Answers of an offline world, in order of simulated time, then of dispatch: they never depend on real time."""

    def __init__(self, world: World, clock: SimulatedClock) -> None:
        self._world = world
        self._clock = clock
        self._due: list[tuple[float, int, Arrival]] = []

    async def start(self, dispatch: Dispatch) -> None:
        answer = await self._world.fetch(dispatch.url)
        due_at = dispatch.record.chosen_at + answer.elapsed_s
        heapq.heappush(self._due, (due_at, dispatch.record.number, Arrival(dispatch, answer)))

    async def next_arrival(self, until: float) -> Arrival | None:
        if not self._due or self._due[0][0] > until:
            self._clock.advance_to(until)
            return None
        due_at, _, arrival = heapq.heappop(self._due)
        self._clock.advance_to(due_at)
        return arrival

    async def close(self) -> None:
        self._due.clear()


LOOK_AROUND_S: Final = 0.25
"""The longest a live crawl waits before it looks whether someone wants it to stop."""


class LiveTransport:
    """Answers as they come; of several that are there at once, the first dispatched goes first."""

    def __init__(self, world: World, clock: RealClock) -> None:
        self._world = world
        self._clock = clock
        self._arrived: asyncio.PriorityQueue[tuple[int, Arrival | BaseException]] = asyncio.PriorityQueue()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, dispatch: Dispatch) -> None:
        task = asyncio.get_running_loop().create_task(self._fetch(dispatch))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def next_arrival(self, until: float) -> Arrival | None:
        timeout_s = min(LOOK_AROUND_S, max(0.0, until - self._clock.now()))
        try:
            _, arrival = await asyncio.wait_for(self._arrived.get(), timeout_s)
        except TimeoutError:
            return None
        if isinstance(arrival, BaseException):
            raise arrival
        return arrival

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _fetch(self, dispatch: Dispatch) -> None:
        result: Arrival | BaseException
        await asyncio.sleep(max(0.0, dispatch.not_before - self._clock.now()))
        try:
            answer = await self._world.fetch(dispatch.url)
            result = Arrival(dispatch, answer, self._clock.now())
        except Exception as error:  # noqa: BLE001 - handed to the loop, which alone decides what it means
            result = error
        self._arrived.put_nowait((dispatch.record.number, result))
