"""Brings answers to the crawl: in simulated time from an offline world, in real time from a live one."""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from honeyguide.model import Fetched

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

    def wake(self) -> None:
        """Let `next_arrival` return soon: there is something else to do."""
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
        outcome = answer.outcome
        if self._preparer is not None and isinstance(outcome, Fetched) and self._preparer.takes(outcome):
            preparing = asyncio.create_task(_prepared(self._preparer, Arrival(dispatch, answer), outcome))
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
        if preparing is None:
            return Arrival(dispatch, answer)
        assert self._preparer is not None
        while not preparing.done() and self._preparer.prepare_one_at_home():  # noqa: ASYNC110 - there is work to do
            await asyncio.sleep(0)
        return await preparing

    def wake(self) -> None:
        """It never waits."""

    async def close(self) -> None:
        await _cancel([preparing for *_, preparing in self._due if preparing is not None])
        self._due.clear()


LOOK_AROUND_S: Final = 0.25
"""The longest a live crawl waits before it looks whether someone wants it to stop."""


MOST_WAITING_BYTES: Final = 64_000_000
"""Bodies that wait to be taken in; while there are more, no further page is asked for."""


class LiveTransport:
    """Answers as they come; a page when it has been read, so that one that takes long holds up no other.

    Where a page is prepared beside the crawl, it is told of the answer as soon as it is in. Answers without a page, and
    what they say of their hosts, are taken in before all pages.
    """

    def __init__(self, world: World, clock: RealClock, preparer: Preparer | None = None) -> None:
        self._world = world
        self._clock = clock
        self._preparer = preparer
        self._pages: deque[Arrival] = deque()
        self._without_page: deque[Arrival | Answered] = deque()
        self._errors: deque[Exception] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._waiting_bytes = 0
        self._has_room = asyncio.Event()
        self._has_room.set()
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
        if not self._has_some and self._preparer is not None and self._preparer.prepare_one_at_home():
            await asyncio.sleep(0)  # so that it arrives
        if not self._has_some:
            await self._wait(min(LOOK_AROUND_S, max(0.0, until - self._clock.now())))
        return self._first()

    def wake(self) -> None:
        self._end_waiting()

    def _first(self) -> Arrival | Answered | None:
        if self._errors:
            raise self._errors.popleft()
        if self._without_page:
            return self._without_page.popleft()
        if not self._pages:
            return None
        page = self._pages.popleft()
        self._note_waiting(-_body_bytes(page.answer))
        return page

    def _note_waiting(self, more_bytes: int) -> None:
        self._waiting_bytes += more_bytes
        if self._waiting_bytes > MOST_WAITING_BYTES:
            self._has_room.clear()
        else:
            self._has_room.set()

    async def close(self) -> None:
        await _cancel(list(self._tasks))

    @property
    def _has_some(self) -> bool:
        return bool(self._errors or self._without_page or self._pages)

    async def _wait(self, seconds: float) -> None:
        """Until something arrives, or for so long."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._waiting = loop.create_future()
        timer = loop.call_later(seconds, self._end_waiting)
        try:
            await self._waiting
        finally:
            timer.cancel()
            self._waiting = None
        if self._preparer is not None:
            self._preparer.note_idle(loop.time() - began)

    def _wake(self) -> None:
        if self._has_some:
            self._end_waiting()

    def _end_waiting(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def _fetch(self, dispatch: Dispatch) -> None:
        await asyncio.sleep(max(0.0, dispatch.not_before - self._clock.now()))
        await self._has_room.wait()
        try:
            answer = await self._world.fetch(dispatch.url)
            await self._take_in(dispatch, answer)
        except Exception as error:  # noqa: BLE001 - handed to the loop, which alone decides what it means
            self._errors.append(error)
        self._wake()

    async def _take_in(self, dispatch: Dispatch, answer: Answer) -> None:
        ended_at = self._clock.now()
        arrival = Arrival(dispatch, answer, ended_at)
        outcome = answer.outcome
        if not isinstance(outcome, Fetched):
            self._without_page.append(arrival)
            return
        self._note_waiting(len(outcome.body))
        if self._preparer is not None and self._preparer.takes(outcome):
            self._without_page.append(Answered(dispatch, answer, ended_at))
            self._wake()
            arrival = await _prepared(self._preparer, arrival, outcome)
        self._pages.append(arrival)


def _body_bytes(answer: Answer) -> int:
    return len(answer.outcome.body) if isinstance(answer.outcome, Fetched) else 0


async def _prepared(preparer: Preparer, arrival: Arrival, fetched: Fetched) -> Arrival:
    return replace(arrival, prepared=await preparer.prepare(arrival.dispatch.url, fetched))


async def _cancel(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
