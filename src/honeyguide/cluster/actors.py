"""The actors of a crawl on Ray: workers that run shards, and the hub.

A worker is one process that runs several shards in one event loop and shares the word vectors among them. Ray places
workers and carries their messages, which go straight from one to the other.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from honeyguide.cluster.hub import Hub, HubRules
from honeyguide.cluster.in_process import run_shard
from honeyguide.cluster.partition import Partition
from honeyguide.cluster.seat import ShardSeat
from honeyguide.crawler.build import Builder
from honeyguide.errors import ClusterError, RunBusy
from honeyguide.extras import install_hint
from honeyguide.model.clock import RealClock
from honeyguide.runs import RunFolder
from honeyguide.runs.gathering import rows_in_batches
from honeyguide.runs.shards import shard_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from honeyguide.cluster.hub import Orders, ShardReport
    from honeyguide.crawler.events import StopReason
    from honeyguide.crawler.start import CrawlOptions
    from honeyguide.frontier import Resting
    from honeyguide.model import Url
    from honeyguide.runs import Letter
    from honeyguide.runs.parcels import Delivery
    from honeyguide.settings import Settings

log = logging.getLogger(__name__)

OLDEST_RAY: Final = (2, 40)
LOCK_S: Final = 15.0  # that the folder of a shard may be held by another process until there is a warning
MOST_WARNINGS: Final = 500  # that workers tell the driver; the others stand in the logs of Ray alone
POST_S: Final = 0.05  # that a report waits for others of the same process: a message of Ray costs as much as many links
LINKS_POST_S: Final = 0.25  # that links wait for others to the same process
DRIFT: Final = 1.01  # by which the shortest way to the hub counts as longer with each report
ANSWER_S: Final = 20.0  # until a worker that does not answer counts as out of reach


def import_ray() -> Any:  # noqa: ANN401 - a module, of an extra without types
    """Import Ray. ClusterError with the command that installs it where it is missing or too old."""
    try:
        import ray  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        raise ClusterError(f"--cluster needs Ray, which is not installed: {install_hint('cluster')}") from None
    found = tuple(int(part) for part in ray.__version__.split(".")[:2] if part.isdigit())
    if found < OLDEST_RAY:
        wanted = ".".join(map(str, OLDEST_RAY))
        raise ClusterError(f"Ray {ray.__version__} is too old, {wanted} is the oldest that will do: pip install -U ray")
    return ray


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All that a worker needs to know."""

    run: Path
    shards: int
    settings: Settings
    seeds: Sequence[Url]
    addresses: Mapping[str, tuple[str, int]] = field(default_factory=dict)  # of a synthetic web that the driver serves


class HubTime:
    """Tells the moments of this machine's clock by that of the hub, so that clocks need not agree.

    Each report shows how far they are apart: the hub was asked at some moment between sending and the answer. It is
    known as exactly as half of the shortest way there and back; a way counts as longer with time, as clocks drift.
    Before the first answer nothing is known, and no moments are told.
    """

    def __init__(self) -> None:
        self.ahead_s = 0.0  # of the hub
        self._shortest_s = math.inf

    def note(self, sent_at: float, hub_at: float, answered_at: float) -> None:
        """A report was sent, met the hub at a moment of its clock, and was answered."""
        self._shortest_s *= DRIFT
        if answered_at - sent_at <= self._shortest_s:
            self._shortest_s = answered_at - sent_at
            self.ahead_s = hub_at - (sent_at + answered_at) / 2

    def told(self, report: ShardReport) -> ShardReport:
        """Return a report as the hub is to read it."""
        if report.standing is None:
            return report
        resting = self._moved(report.standing.resting, self.ahead_s)
        return replace(report, standing=report.standing._replace(resting=resting))

    def heard(self, orders: Orders) -> Orders:
        """Return orders of the hub as they are read here."""
        return replace(orders, resting=self._moved(orders.resting, -self.ahead_s))

    def _moved(self, resting: Sequence[Resting], seconds: float) -> tuple[Resting, ...]:
        if self._shortest_s == math.inf:
            return ()
        return tuple(each._replace(moment=each.moment + seconds) for each in resting)


class ShardWorker:
    """Runs shards in one process: the body of a Ray actor. Messages go straight to the worker that has a shard."""

    def __init__(self, plan: Plan, hub: Any) -> None:  # noqa: ANN401 - a handle of Ray's
        self._plan = plan
        self._hub = hub
        self._partition = Partition(plan.shards)
        self._seats: dict[int, ShardSeat] = {}
        self._tasks: dict[int, asyncio.Task[StopReason | None]] = {}
        self._worker_by_shard: dict[int, Any] = {}
        self._vectors: Any = None
        self._answers: list[Letter] = []  # all that were told
        self._background: Sequence[bytes] = ()
        self._letters: dict[Any, list[tuple[int, Delivery, asyncio.Future[int | None]]]] = {}  # by worker
        self._reading: dict[int, Iterator[list[tuple[Any, ...]]]] = {}  # by shard, what is left of the last query
        self._carrying: set[asyncio.Task[None]] = set()
        self._reports: list[ShardReport] = []
        self._reporting: asyncio.Task[None] | None = None  # takes what waits to the hub in a moment
        self._on_their_way: set[asyncio.Task[None]] = set()  # these, too, until the hub has answered
        self._clock = RealClock()
        self._hub_time = HubTime()
        self._warnings = _Warnings()
        logging.getLogger("honeyguide").addHandler(self._warnings)

    async def sees_run(self) -> bool:
        """Whether this process sees the run folder."""
        return (self._plan.run / "cluster.json").is_file()

    async def process_id(self) -> int:
        """The number of this process, on its node."""
        return os.getpid()

    async def know(self, worker_by_shard: Mapping[int, Any]) -> None:
        """Workers have these shards from now on."""
        self._worker_by_shard.update(worker_by_shard)

    async def run(self, shards: Sequence[int]) -> None:
        """Crawl shards, or go on with them, until all have ended. What one of them raises comes out at once."""
        settings = self._plan.settings
        if self._vectors is None:
            builder = Builder(settings)
            self._vectors = builder.vectors
        for shard in shards:
            seat = ShardSeat(shard, self._partition, self._plan.seeds, self, settings.cluster)
            seat.answer(self._answers, self._background)
            self._seats[shard] = seat
            self._tasks[shard] = asyncio.create_task(self._run(shard, seat))
        for ended in asyncio.as_completed([self._tasks[shard] for shard in shards]):
            reason = await ended
            if reason is not None:
                await _answered(self._hub.stop.remote(reason))

    async def leave(self, shards: Sequence[int]) -> None:
        """Stop at shards that another worker is to go on with."""
        here = [shard for shard in shards if shard in self._seats]
        for shard in here:
            self._seats[shard].leave()
        await asyncio.gather(*(self._tasks[shard] for shard in here), return_exceptions=True)
        for reporting in list(self._on_their_way):  # a report that came after the next owner's would put it back
            with suppress(ConnectionError):
                await asyncio.shield(reporting)
        for shard in here:
            del self._seats[shard], self._tasks[shard]
            self._reading.pop(shard, None)

    async def deliver(self, deliveries: Sequence[tuple[int, Delivery]]) -> list[int | None]:
        """Give each delivery to its shard; None for one that is not here."""
        return await asyncio.gather(*(self._deliver(shard, delivery) for shard, delivery in deliveries))

    async def _deliver(self, shard: int, delivery: Delivery) -> int | None:
        seat = self._seats.get(shard)
        with suppress(ConnectionError):  # it is about to leave
            return None if seat is None else await seat.deliver(delivery)
        return None

    async def read(self, shard: int, query: str, values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401
        """Read the database of a shard that is here, for who cannot (see `gather`): the first rows that there are."""
        file = RunFolder(shard_folder(self._plan.run, shard)).database_file
        self._reading[shard] = rows_in_batches(file, query, values)
        return await self.read_on(shard)

    async def read_on(self, shard: int) -> list[tuple[Any, ...]]:
        """Return the next rows of the last query of a shard; none at the end."""
        return next(self._reading[shard], [])

    async def answer(self, letters: Sequence[Letter], background: Sequence[bytes]) -> None:
        """Let all shards here learn from answers, now or when they begin; `ShardSeat.answer` says how."""
        self._answers += letters
        self._background = background
        for seat in self._seats.values():
            seat.answer(letters, background)

    async def order(self, orders: Sequence[tuple[int, Orders]]) -> None:
        """Orders of the hub, each with its shard."""
        for shard, each in orders:
            if shard in self._seats:
                self._seats[shard].order(self._hub_time.heard(each))

    async def send(self, shard: int, delivery: Delivery) -> int:
        """As `Post` has it."""
        seat = self._seats.get(shard)
        if seat is not None:
            return await seat.deliver(delivery)
        worker = self._worker_by_shard.get(shard)
        if worker is None:
            raise ConnectionError(f"shard {shard} has no worker")
        taken = asyncio.get_running_loop().create_future()
        waiting = self._letters.setdefault(worker, [])
        waiting.append((shard, delivery, taken))
        if len(waiting) == 1:
            self._carrying.add(task := asyncio.create_task(self._carry(worker)))
            task.add_done_callback(self._carrying.discard)
        mark = await taken
        if mark is None:
            raise ConnectionError(f"shard {shard} is not at work")
        return int(mark)

    async def _carry(self, worker: Any) -> None:  # noqa: ANN401
        """Take what waits for another worker there, in a moment."""
        await asyncio.sleep(LINKS_POST_S)
        letters = self._letters.pop(worker)
        try:
            marks = await _answered(worker.deliver.remote([(shard, delivery) for shard, delivery, _ in letters]))
        except Exception as error:  # noqa: BLE001 - whoever sent a letter is told
            for _, _, taken in letters:
                if not taken.done():
                    taken.set_exception(error)
            return
        for (_, _, taken), mark in zip(letters, marks, strict=True):
            if not taken.done():
                taken.set_result(mark)

    async def report(self, report: ShardReport) -> None:
        """As `Post` has it."""
        self._reports.append(report)
        if self._reporting is None:
            self._reporting = asyncio.create_task(self._report())
            self._on_their_way.add(self._reporting)
            self._reporting.add_done_callback(self._on_their_way.discard)
        await asyncio.shield(self._reporting)

    async def _report(self) -> None:
        """Take all reports that wait to the hub, in a moment, and its orders to their shards."""
        await asyncio.sleep(POST_S)
        reports, self._reports, self._reporting = self._reports, [], None
        sent_at = self._clock.now()
        told, warnings = [self._hub_time.told(each) for each in reports], self._warnings.take()
        hub_at, orders = await _answered(self._hub.report.remote(told, warnings))
        self._hub_time.note(sent_at, hub_at, self._clock.now())
        await self.order(orders)

    async def _run(self, shard: int, seat: ShardSeat) -> StopReason | None:
        """Crawl a shard; gives why it has stopped where nobody has told it to, such as for a full disk."""
        path, patience = shard_folder(self._plan.run, shard), self._clock.now() + LOCK_S
        given: CrawlOptions = {"vectors": self._vectors, "addresses": self._plan.addresses}
        while not seat.is_told_to_stop:
            try:
                reason = await run_shard(path, self._plan.settings, seat, given)
            except RunBusy:  # by a process that is about to die, or has: shared storage may hold its lock for minutes
                if self._clock.now() > patience:
                    patience = self._clock.now() + LOCK_S
                    log.warning("%s is held by another process still; it goes on when that has gone", path)
                    with suppress(ConnectionError):
                        if (await _answered(self._hub.status.remote())).stop_reason is not None:
                            return None
                await asyncio.sleep(0.5)
            else:
                return None if seat.is_told_to_stop else reason
        return None


class _Warnings(logging.Handler):
    """Keeps what a worker warns of until it is told."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._texts: deque[str] = deque(maxlen=MOST_WARNINGS)

    def emit(self, record: logging.LogRecord) -> None:
        self._texts.append(record.getMessage())

    def take(self) -> list[str]:
        texts = list(self._texts)
        self._texts.clear()
        return texts


async def _answered(promise: Any) -> Any:  # noqa: ANN401
    """Return the answer of an actor. ConnectionError where it cannot be reached; what its code raises comes out."""
    errors = import_ray().exceptions
    try:
        async with asyncio.timeout(ANSWER_S):  # it may be gone with its node, or not be placed yet
            return await promise
    except errors.RayTaskError:
        raise
    except (TimeoutError, errors.RayError) as error:
        raise ConnectionError(str(error)) from error


class HubDesk:
    """The hub as an actor: takes reports, and sends orders to the workers."""

    def __init__(self, shards: int, rules: HubRules, lately: Sequence[bool], *, is_live: bool) -> None:
        """Live, each worker may have as much under way as `rules` say; offline all together."""
        self._hub = Hub(shards, rules, lately)
        self._most_out = rules.most_out
        self._is_live = is_live
        self._worker_by_shard: dict[int, Any] = {}
        self._clock = RealClock()
        self._warnings: dict[str, None] = {}  # of all workers, each once

    async def know(self, worker_by_shard: Mapping[int, Any]) -> None:
        """Workers have these shards from now on."""
        self._worker_by_shard.update(worker_by_shard)
        workers = len(set(self._worker_by_shard.values())) if self._is_live else 1
        self._hub.rules = replace(self._hub.rules, most_out=self._most_out * max(1, workers))

    async def report(
        self, reports: Sequence[ShardReport], warnings: Sequence[str]
    ) -> tuple[float, list[tuple[int, Orders]]]:
        """Take in how shards of a worker stand and what it warns of, and send the others their orders.

        Gives the moment by this clock, and the orders for that worker.
        """
        for said in warnings:
            if len(self._warnings) < MOST_WARNINGS:
                self._warnings[said] = None
        orders = [each for report in reports for each in self._hub.take(report)]
        worker = self._worker_by_shard.get(reports[0].shard)
        own: list[tuple[int, Orders]] = []
        others: list[tuple[int, Orders]] = []
        for each in orders:
            (own if self._worker_by_shard.get(each[0]) == worker else others).append(each)
        self._send(others)
        return self._clock.now(), own

    async def lost(self, shards: Sequence[int]) -> None:
        """The worker of these shards is gone."""
        for shard in shards:
            self._hub.lost(shard)

    async def stop(self, reason: StopReason) -> None:
        """End the crawl."""
        self._hub.stop(reason)
        self._send(self._hub.last_orders())

    async def extend_budget(self, fetches: int) -> None:
        """Go on to this many fetches in all."""
        self._hub.extend_budget(fetches)

    async def status(self) -> HubStatus:
        """How the crawl stands."""
        return HubStatus.of(self._hub)

    async def warnings(self, first: int) -> list[str]:
        """What workers have warned of, each once, from the first that is not known yet."""
        return list(self._warnings)[first:]

    def _send(self, orders: Sequence[tuple[int, Orders]]) -> None:
        by_worker: dict[Any, list[tuple[int, Orders]]] = {}
        for shard, each in orders:
            by_worker.setdefault(self._worker_by_shard.get(shard), []).append((shard, each))
        for worker, theirs in by_worker.items():
            if worker is not None:
                worker.order.remote(theirs)


@dataclass(frozen=True, slots=True)
class HubStatus:
    """How a crawl in shards stands, all shards together."""

    fetches: int
    pages: int
    relevant: int
    waiting: int
    in_flight: int
    in_transit: int  # links that were handed over and not taken in yet
    shards: int  # that have reported
    stalest: int  # pages that a learner did not know, at most
    exchanges: int
    stop_reason: StopReason | None
    has_all: bool

    @classmethod
    def of(cls, hub: Hub) -> HubStatus:
        progress = [report.progress for report in hub.reports]
        handed = sum(each.handed_over for each in progress)
        return cls(
            fetches=sum(each.fetches for each in progress),
            pages=sum(each.pages for each in progress),
            relevant=sum(each.relevant for each in progress),
            waiting=sum(each.waiting for each in progress),
            in_flight=sum(report.in_flight for report in hub.reports),
            in_transit=max(0, handed - sum(each.taken_over for each in progress)),
            shards=len(progress),
            stalest=hub.stalest,
            exchanges=hub.exchanges,
            stop_reason=hub.stop_reason,
            has_all=hub.has_all,
        )
