"""All shards of a crawl in one process, in one event loop: for tests, and to simulate many machines."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from honeyguide.cluster.hub import Hub, HubRules
from honeyguide.cluster.partition import Partition
from honeyguide.cluster.seat import ShardSeat
from honeyguide.crawler.events import StopReason
from honeyguide.crawler.start import crawl_async, resume_async
from honeyguide.runs.shards import shard_folder
from honeyguide.settings import SETTINGS_BY_KEY, load_run_settings, with_overrides

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
    """Settings for one shard: limits of the whole crawl are the business of hub and driver, as are questions."""
    ours: Mapping[str, Any] = {
        "budget.relevant": 0, "budget.megabytes": 0, "budget.stop_when": "", "budget.disk_megabytes": 0,
        "crawl.workers": 0,
        "ask.questions": 0, "ask.model": "", "ask.url": "", "ask.answers": "",
    }  # fmt: skip
    return with_overrides(settings, ours)


async def run_shard(path: Path, settings: Settings, seat: ShardSeat, options: CrawlOptions) -> StopReason:
    """Crawl a shard, or go on with it as these settings say, until the hub says that it is over; it is closed then.

    Gives why it has stopped: a shard also stops by itself, such as where the disk is full.
    """
    ours: CrawlOptions = {**options, "seat": seat}
    now = settings_of_shard(settings)
    try:
        if (path / "honeyguide.json").exists():
            before = load_run_settings(path / "settings.toml")
            fetches = now.budget.fetches if now.budget.fetches > before.budget.fetches else None
            run = await resume_async(path, _changed(before, now), budget=fetches, trust=True, **ours)
        else:
            run = await crawl_async(path, now, **ours)
        with run:
            return StopReason(run.progress.stop_reason)
    finally:
        await seat.close()


def _changed(before: Settings, now: Settings) -> dict[str, Any]:
    """Return the settings that differ, but for the budget of fetches, which never shrinks."""
    values = {key: (each.value_in(before), each.value_in(now)) for key, each in SETTINGS_BY_KEY.items()}
    return {key: new for key, (old, new) in values.items() if old != new and key != "budget.fetches"}


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
                group.create_task(self._run_shard(number, seat, options))

    async def _run_shard(self, number: int, seat: ShardSeat, options: CrawlOptions) -> None:
        reason = await run_shard(shard_folder(self._run, number), self._settings, seat, options)
        if not seat.is_told_to_stop and reason is not StopReason.INTERRUPTED:
            self.hub.stop(reason)
            for shard, orders in self.hub.last_orders():
                self.seats[shard].order(orders)
