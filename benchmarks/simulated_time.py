"""Live crawls in simulated time: answers take as long as the web says, hosts rest, and messages travel.

An event loop whose time passes only while nothing is left to do: computing takes none. So politeness is the limit,
whatever the machine, and one crawl, eight workers or slow links between them are measured by one clock.
"""

from __future__ import annotations

import asyncio
import selectors
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

from honeyguide.cluster.in_process import InProcess

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from honeyguide.cluster import ShardReport
    from honeyguide.model import Answer, Url
    from honeyguide.runs.parcels import Delivery
    from honeyguide.worlds.synthetic import SyntheticWorld


class _Skipping(selectors.DefaultSelector):
    """Waits for nothing: what would have been waited for is added to `waited_s`."""

    waited_s = 0.0

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(timeout if timeout is None else 0)
        if not found and timeout:
            self.waited_s += timeout
        return found


class _SimulatedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.waited_s


@contextmanager
def _clocks_of(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    with (
        mock.patch("honeyguide.model.clock.time.monotonic", loop.time),
        mock.patch("honeyguide.cluster.seat.monotonic", loop.time),
    ):
        yield


def run(work: Coroutine[Any, Any, Any]) -> tuple[Any, float]:
    """Run in simulated time: what the work gives, and the seconds that it took."""
    with asyncio.Runner(loop_factory=_SimulatedLoop) as runner:
        loop = runner.get_loop()
        with _clocks_of(loop):
            return runner.run(work), loop.time()


class Served:
    """A synthetic web as a live one: answers take their time."""

    is_offline = False

    def __init__(self, web: SyntheticWorld, answered: list[float] | None = None) -> None:
        """The moments of answers go to `answered`."""
        self._web = web
        self._answered = [] if answered is None else answered

    def __getattr__(self, name: str) -> Any:
        return getattr(self._web, name)

    async def fetch(self, url: Url) -> Answer:
        answer = await self._web.fetch(url)
        await asyncio.sleep(answer.elapsed_s)
        self._answered.append(asyncio.get_running_loop().time())
        return answer


class Travelling(InProcess):
    """All shards in one process; between those of two workers, and to the hub, a message takes some seconds."""

    def __init__(self, workers: int, latency_s: float, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._workers = workers
        self._latency_s = latency_s
        self.reports = self.messages = 0

    async def send(self, shard: int, delivery: Delivery) -> int:
        is_near = shard % self._workers == delivery.sender % self._workers
        if is_near:
            return await super().send(shard, delivery)
        await asyncio.sleep(self._latency_s)
        mark = await super().send(shard, delivery)
        await asyncio.sleep(self._latency_s)
        return mark

    async def report(self, report: ShardReport) -> None:
        self.reports += 1
        await asyncio.sleep(self._latency_s)
        orders = self.hub.take(report)
        await asyncio.sleep(self._latency_s)
        for shard, each in orders:
            self.seats[shard].order(each)
