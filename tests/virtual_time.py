"""An event loop in which time passes only while everybody sleeps, and then at once."""

from __future__ import annotations

import asyncio
import heapq
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Jumps to the next timer when nothing else is to be done. RuntimeError where nothing would ever happen again."""

    def __init__(self, start: float = 0.0) -> None:
        super().__init__()
        self._now = start

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        timers = self._scheduled  # type: ignore[attr-defined]
        while timers and timers[0]._cancelled:
            self._timer_cancelled_count -= 1  # type: ignore[attr-defined]
            heapq.heappop(timers)._scheduled = False
        if not self._ready and not self._stopping:  # type: ignore[attr-defined]
            if not timers:
                raise RuntimeError("everybody waits, and for nothing")
            self._now = max(self._now, timers[0]._when)
        super()._run_once()  # type: ignore[misc]


class LoopClock:
    """The time of the running loop."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()


def run_in_virtual_time(main: Coroutine[object, object, T], start: float = 0.0) -> T:
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(start)) as runner:
        return runner.run(main)
