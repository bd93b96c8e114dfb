"""All shards of a crawl in one process, in one event loop: for tests, and to simulate many machines."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from honeyguide.cluster.hub import Hub, HubRules
from honeyguide.cluster.partition import Partition
from honeyguide.cluster.seat import ShardSeat
from honeyguide.crawler.start import crawl_async, resume_async
from honeyguide.runs.shards import shard_folder
from honeyguide.settings import load_run_settings, with_overrides

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from honeyguide.cluster.hub import ShardReport
    from honeyguide.crawler.start import CrawlOptions
    from honeyguide.model import Url
    from honeyguide.runs import Letter
    from honeyguide.runs.parcels import Delivery
    from honeyguide.settings import Settings


def settings_of_shard(settings: Settings) -> Settings:
    """Settings for one shard: limits of the whole crawl are the hub's business, questions the driver's."""
    ours: Mapping[str, Any] = {
        "budget.relevant": 0, "budget.megabytes": 0, "budget.stop_when": "", "crawl.workers": 0,
        "ask.questions": 0, "ask.model": "", "ask.url": "", "ask.answers": "",
    }  # fmt: skip
    return with_overrides(settings, ours)


async def run_shard(path: Path, settings: Settings, seat: ShardSeat, options: CrawlOptions) -> None:
    """Crawl a shard, or go on with it, until the hub says that it is over; it is closed then."""
    ours: CrawlOptions = {**options, "seat": seat}
    try:
        if (path / "honeyguide.json").exists():
            before, now = load_run_settings(path / "settings.toml").budget.fetches, settings.budget.fetches
            (await resume_async(path, budget=now if now > before else None, trust=True, **ours)).close()
        else:
            (await crawl_async(path, settings_of_shard(settings), **ours)).close()
    finally:
        await seat.close()


class InProcess:
    """A hub and the seats of all shards, which reach one another by plain calls."""

    def __init__(self, run: Path, shards: int, settings: Settings, seeds: Sequence[Url], most_out: int) -> None:
        self.hub = Hub(shards, HubRules.of(settings, most_out))
        self._run = run
        self._settings = settings
        partition = Partition(shards)
        self.seats = [ShardSeat(number, partition, seeds, self, settings.cluster) for number in range(shards)]
        self.deliveries = 0

    async def send(self, shard: int, delivery: Delivery) -> int:
        self.deliveries += 1
        return await self.seats[shard].deliver(delivery)

    async def report(self, report: ShardReport) -> None:
        for shard, orders in self.hub.take(report):
            self.seats[shard].order(orders)

    def answer(self, letters: Sequence[Letter], background: Sequence[bytes]) -> None:
        """Let every shard learn from answers."""
        for seat in self.seats:
            seat.answer(letters, background)

    async def run(self, options: CrawlOptions) -> None:
        """Crawl to the end. What one shard raises ends all."""
        async with asyncio.TaskGroup() as group:
            for number, seat in enumerate(self.seats):
                group.create_task(run_shard(shard_folder(self._run, number), self._settings, seat, options))
