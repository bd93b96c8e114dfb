"""Brings answers to the crawl: in simulated time from an offline world, in real time from a live one."""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from honeyguide.model import Fetched, Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.crawler.events import Dispatch
    from honeyguide.crawler.preparing import Prepared, Preparer, Unreadable
    from honeyguide.model import Answer
    from honeyguide.model.clock import RealClock, SimulatedClock
    from honeyguide.worlds import World


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """An answer that has come in, ready to be applied."""

    dispatch: Dispatch
    answer: Answer
    ended_at: float | None = None  # when the answer was in; None for just now
    prepared: Prepared | Unreadable | None = None  # the page, where it was read beside the crawl


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """An answer that has come in, while its page is still being read: the same answer arrives later."""

    dispatch: Dispatch
    answer: Answer
    ended_at: float  # when the answer was in


class Transport(Protocol):
    """Fetches under way."""

    async def start(self, dispatch: Dispatch) -> None:
        """Begin a fetch."""
        ...

    async def arrived(self) -> Arrival | Answered | None:
        """An answer that came while fetches were begun; None for none, and always where time is simulated.

        Taken in between one start and the next, answers spread the starts of many hosts that were ready at once. Begun
        together, they would answer together ever after, and each wait for all the others to be read.
        """
        ...

    async def next_arrival(self, until: float) -> Arrival | Answered | None:
        """The next answer; None when `until`, or a moment to look around, has come first."""
        ...

    async def close(self) -> None:
        """Give up what is under way; may be called twice."""
        ...


class SimulatedTransport:
    """Answers of an offline world, in order of simulated time, then of dispatch: they never depend on real time.

    Pages may be prepared from when they are asked for until they are due.
    """

    def __init__(self, world: World, clock: SimulatedClock, preparer: Preparer | None = None) -> None:
        self._world = world
        self._clock = clock
        self._preparer = preparer
        self._due: list[tuple[float, int, Dispatch, Answer, asyncio.Task[Arrival] | None]] = []

    async def start(self, dispatch: Dispatch) -> None:
        answer = await self._world.fetch(dispatch.url)
        due_at = dispatch.record.chosen_at + answer.elapsed_s
        preparing = None
        if self._preparer is not None and isinstance(answer.outcome, Fetched):
            preparing = asyncio.create_task(_prepared(self._preparer, Arrival(dispatch, answer), answer.outcome))
            await asyncio.sleep(0)  # it is handed over at once
        heapq.heappush(self._due, (due_at, dispatch.record.number, dispatch, answer, preparing))

    async def arrived(self) -> None:
        return None

    async def next_arrival(self, until: float) -> Arrival | None:
        if not self._due or self._due[0][0] > until:
            self._clock.advance_to(until)
            return None
        due_at, _, dispatch, answer, preparing = heapq.heappop(self._due)
        self._clock.advance_to(due_at)
        return Arrival(dispatch, answer) if preparing is None else await preparing

    async def close(self) -> None:
        await _cancel([preparing for *_, preparing in self._due if preparing is not None])
        self._due.clear()


LOOK_AROUND_S: Final = 0.25
"""The longest a live crawl waits before it looks whether someone wants it to stop."""


class LiveTransport:
    """Answers in the order in which they came.

    Where pages are prepared beside the crawl, it is told of an answer as soon as it is in, and gets it with its page
    when all answers that came before have been taken in: how fast a page is read changes nothing of what is decided.
    """

    def __init__(self, world: World, clock: RealClock, preparer: Preparer | None = None) -> None:
        self._world = world
        self._clock = clock
        self._preparer = preparer
        self._answers: deque[_Place] = deque()
        self._notices: deque[Answered] = deque()
        self._errors: deque[Exception] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, dispatch: Dispatch) -> None:
        task = asyncio.get_running_loop().create_task(self._fetch(dispatch))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def arrived(self) -> Arrival | Answered | None:
        await asyncio.sleep(0)
        return self._first()

    async def next_arrival(self, until: float) -> Arrival | Answered | None:
        await asyncio.sleep(0)  # so that fetches get on even where there is always something to take in
        if not self._has_some:
            await self._wait(min(LOOK_AROUND_S, max(0.0, until - self._clock.now())))
        return self._first()

    def _first(self) -> Arrival | Answered | None:
        if self._errors:
            raise self._errors.popleft()
        if self._notices:  # what only frees a host is done in no time, and goes first
            return self._notices.popleft()
        return self._answers.popleft().arrival if self._has_some else None

    async def close(self) -> None:
        await _cancel(list(self._tasks))

    @property
    def _has_some(self) -> bool:
        is_first_there = bool(self._answers) and self._answers[0].arrival is not None
        return bool(self._errors or self._notices) or is_first_there

    async def _wait(self, seconds: float) -> None:
        """Until something arrives, or for so long."""
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        timer = loop.call_later(seconds, self._end_waiting)
        try:
            await self._waiting
        finally:
            timer.cancel()
            self._waiting = None

    def _wake(self) -> None:
        if self._has_some:
            self._end_waiting()

    def _end_waiting(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def _fetch(self, dispatch: Dispatch) -> None:
        await asyncio.sleep(max(0.0, dispatch.not_before - self._clock.now()))
        try:
            answer = await self._world.fetch(dispatch.url)
            await self._take_in(dispatch, answer)
        except Exception as error:  # noqa: BLE001 - handed to the loop, which alone decides what it means
            self._errors.append(error)
        self._wake()

    async def _take_in(self, dispatch: Dispatch, answer: Answer) -> None:
        place = _Place()
        self._answers.append(place)
        ended_at = self._clock.now()
        arrival = Arrival(dispatch, answer, ended_at)
        if self._preparer is not None and not isinstance(answer.outcome, Unknown):
            self._notices.append(Answered(dispatch, answer, ended_at))
            self._wake()
            if isinstance(answer.outcome, Fetched):
                arrival = await _prepared(self._preparer, arrival, answer.outcome)
        place.arrival = arrival


@dataclass(slots=True, eq=False)
class _Place:
    """That of an answer among the others, until its page has been read."""

    arrival: Arrival | None = None


async def _prepared(preparer: Preparer, arrival: Arrival, fetched: Fetched) -> Arrival:
    return replace(arrival, prepared=await preparer.prepare(arrival.dispatch.url, fetched))


async def _cancel(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
