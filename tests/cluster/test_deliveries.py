"""Links between shards arrive, and count once, whatever is lost, comes twice or is killed on the way."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.driving import HandWired, script_settings
from honeyguide.cluster import Partition, ShardSeat
from honeyguide.model import LinkId
from honeyguide.settings import ClusterSettings
from scripted_world import ScriptedWorld, page_with

if TYPE_CHECKING:
    from honeyguide.cluster import ShardReport
    from honeyguide.crawler import Step
    from honeyguide.model import Url
    from honeyguide.runs.parcels import Delivery

HERE, THERE = "http://a.org", "http://b.org"
PAGES = [f"{HERE}/{number}" for number in range(4)]
WORLD = {
    url: page_with(*PAGES, *(f"{THERE}/{(number * 3 + step) % 7}" for step in range(4)))
    for number, url in enumerate(PAGES)
}
MISHAPS = ("page", "lose request", "lose answer", "twice", "kill sender", "kill owner", "nothing")


class TwoShards(Partition):
    """Everything on one host is in shard 0, and the rest in shard 1."""

    def __init__(self) -> None:
        super().__init__(2)

    def shard_of(self, url: Url) -> int:
        return 0 if url.text.startswith(HERE) else 1


class Flaky:
    """Two shards on a line that loses and repeats what it is told to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.mishaps: list[str] = []
        self.shards: list[HandWired] = []
        self.seats: list[ShardSeat] = []
        for number in range(2):
            self.shards.append(self._open(number))
            self.seats.append(self._sit(number))

    async def send(self, shard: int, delivery: Delivery) -> int:
        mishap = self.mishaps.pop() if self.mishaps else ""
        if mishap == "lose request":
            raise ConnectionError("lost")
        mark = await self.seats[shard].deliver(delivery)
        if mishap == "twice":
            mark = await self.seats[shard].deliver(delivery)
        if mishap == "lose answer":
            raise ConnectionError("lost")
        return mark

    async def report(self, report: ShardReport) -> None:
        """Nobody listens."""

    async def kill(self, number: int) -> None:
        await self.seats[number].close()
        self.shards[number].close()
        self.shards[number] = self._open(number)
        self.seats[number] = self._sit(number)

    async def turn(self) -> None:
        for shard, seat in zip(self.shards, self.seats, strict=True):
            await seat.attend(0.0, lambda step, shard=shard, seat=seat: _finish(shard, seat, step))  # type: ignore[misc]
        await asyncio.sleep(0)

    def fetch(self, url: str, now: float) -> None:
        sender = self.shards[0]
        dispatch = sender.core.choose_link(sender.link(url), now)
        _finish(sender, self.seats[0], sender.core.apply(dispatch, sender.world.answer(dispatch.url), now))

    def _open(self, number: int) -> HandWired:
        world = ScriptedWorld(WORLD, entry_urls=PAGES if number == 0 else [f"{THERE}/seed"])
        shards = TwoShards()
        settings = script_settings("online-ridge", guard__on=False)
        return HandWired(
            self._folder / str(number), world, settings, is_elsewhere=lambda url: shards.shard_of(url) != number
        )

    def _sit(self, number: int) -> ShardSeat:
        seat = ShardSeat(number, TwoShards(), (), self, ClusterSettings())
        seat.begin(self.shards[number].core, self.shards[number].store, lambda: None)
        return seat


def _finish(shard: HandWired, seat: ShardSeat, step: Step) -> None:
    shard.store.record(step.record)
    seat.note(step.record)


def by_url(shard: HandWired) -> dict[Url, object]:
    """What is known of each link. Its number is not the same: that depends on what came together."""
    links, parents, frontier = shard.parts.links, shard.parts.parents, shard.parts.frontier
    assert parents is not None
    known: dict[Url, object] = {}
    for number in map(LinkId, range(len(links))):
        place = links.state(number), links.depth(number), links.distance(number), links.hops(number)
        found_on = links.found_on(number)
        row = frontier.peek([number])[1].tolist() if number in frontier else None
        shown_by = None if found_on is None else links.url(found_on)
        known[links.url(number)] = (*place, shown_by, row, parents.row(number).tolist())
    return known


def crawl_with(mishaps: list[str], folder: Path) -> tuple[dict[Url, object], int, int]:
    """The state of the owner after all pages were fetched and all links arrived, and links sent and taken in."""

    async def run() -> tuple[dict[Url, object], int, int]:
        both, left = Flaky(folder), list(PAGES)
        for moment, mishap in enumerate([*mishaps, *["page"] * len(PAGES)]):
            if mishap == "page" and left:
                both.fetch(left.pop(0), 10.0 * moment)
            elif mishap.startswith("kill"):
                await both.kill(1 if mishap == "kill owner" else 0)
            else:
                both.mishaps.append(mishap)
            await both.turn()
        for _ in range(500):
            await both.turn()
            if not both.seats[0].pending_links:
                break
        state = by_url(both.shards[1])
        counts = both.shards[0].core.progress.handed_over, both.shards[1].core.progress.taken_over
        for seat, shard in zip(both.seats, both.shards, strict=True):
            await seat.close()
            shard.close()
        return state, *counts

    with mock.patch.multiple("honeyguide.cluster.seat", AGAIN_S=0.0, WAITING_S=0.0, TAKING_S=0.0):
        return asyncio.run(run())


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(MISHAPS), max_size=14))
@example(["page", "lose answer", "page", "kill owner", "twice", "page", "kill sender", "page"])
def test_no_link_is_lost_or_counted_twice_whatever_happens(mishaps: list[str]) -> None:
    with tempfile.TemporaryDirectory() as calm, tempfile.TemporaryDirectory() as rough:
        expected, sent, _ = crawl_with([], Path(calm))
        state, handed, taken = crawl_with(mishaps, Path(rough))
    assert handed == taken == sent == 4 * len(PAGES)
    assert state == expected
