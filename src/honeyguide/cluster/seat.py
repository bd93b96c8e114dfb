"""A shard's place among the others: what it sends and takes in, and how it is told to go on or stop.

Parcels go to their shard in the order of their numbers, one delivery at a time for each shard, again and again until
that shard has acknowledged them. It acknowledges what it has stored. It takes in no parcel twice, because it keeps, in
the transaction that takes a delivery in, the number up to which it has those of each sender. So every link arrives, and
counts once, whoever is killed when.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING, Final, Protocol

from honeyguide.cluster.hub import STALE_SHARE, ShardReport
from honeyguide.crawler.events import StopReason
from honeyguide.runs import PageAnswer
from honeyguide.runs.parcels import Delivery

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    from honeyguide.cluster.hub import Orders, Print
    from honeyguide.cluster.partition import Partition
    from honeyguide.crawler.core import CrawlCore
    from honeyguide.crawler.events import Step
    from honeyguide.model import Url
    from honeyguide.runs import AnswerRecord, Letter, SqliteStore, StepRecord
    from honeyguide.runs.parcels import Parcel
    from honeyguide.settings import ClusterSettings

log = logging.getLogger(__name__)

MOST_LINKS: Final = 2000  # of a delivery, about
MOST_PENDING: Final = 20_000  # links that others have not acknowledged; with more, a shard waits for them
WAITING_STEPS: Final = 4  # of this shard, that a parcel waits for others to the same shard
WAITING_S: Final = 0.5  # that a parcel waits at most to be sent
TAKING_S: Final = 1.0  # that it waits at most to be taken in
FEW_PARCELS: Final = 8
FEW_LINKS: Final = 256  # that wait to be taken in together: so many cost hardly more than one
MORE_WORDS: Final = 1.1  # times the pages whose words were told last, before those of all are told again
REPORT_S: Final = 1.0  # the longest time between two reports
LOOK_AROUND_S: Final = 1.0  # the longest time without a look whether the crawl is to stop
MARKS_EVERY: Final = 64  # deliveries acknowledged between two notes of it in the store
AGAIN_S: Final = 0.2  # before a shard that cannot be reached is tried again; twice as long each time
LONGEST_AGAIN_S: Final = 5.0


class Post(Protocol):
    """Carries what shards have for one another and for the hub."""

    async def send(self, shard: int, delivery: Delivery) -> int:
        """Return the number up to which the shard has stored parcels of the sender. OSError where it is not there."""
        ...

    async def report(self, report: ShardReport) -> None:
        """Tell the hub, which answers with `ShardSeat.order` where there is something to say. OSError if it is away."""
        ...


class ShardSeat:
    """One shard among others. Everything happens in one event loop."""

    def __init__(
        self, shard: int, partition: Partition, seeds: Sequence[Url], post: Post, settings: ClusterSettings
    ) -> None:
        self.shard = shard
        self.seeds = seeds
        self._partition = partition
        self._post = post
        self._settings = settings
        self._core: CrawlCore | None = None
        self._store: SqliteStore | None = None
        self._wake: Callable[[], None] = lambda: None
        self._give: Callable[[Sequence[Letter | PageAnswer], Sequence[bytes]], None] = lambda *_: None
        self._told: dict[object, Letter | None] = {}  # answers, by what makes them one
        self._background: Sequence[bytes] = ()
        self._news = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._inbox: deque[tuple[Delivery, asyncio.Future[int]]] = deque()
        self._inbox_links = 0
        self._inbox_since = 0.0  # moment of the first of them
        self._taken: dict[int, int] = {}  # by sender, the number up to which its parcels are stored
        self._pending: dict[int, deque[tuple[int, Parcel]]] = {}  # by shard, what it has not acknowledged
        self._acknowledged: dict[int, int] = {}
        self._noted = 0  # acknowledgements since they were noted in the store
        self._waits_since: dict[int, tuple[int, float]] = {}  # by shard, steps and moment
        self._steps = 0
        self._sending: set[int] = set()
        self.pending_links = 0
        self._orders: deque[Orders] = deque()
        self._seen = 0  # number of the last orders that have come
        self._obeyed = 0  # of those by which the lease is
        self._error: BaseException | None = None
        self._lease = 0
        self._stop: StopReason | None = None
        self._idle: StopReason | None = None
        self._is_reporting = False
        self._is_first = True
        self._reported_at = 0.0
        self._reported_charged = -1
        self._reported_idle: tuple[object, ...] = ()
        self._gave_back: StopReason | None = None  # why it gave its lease back, until it has links or a lease again
        self._shared_pages = 0
        self._shared_words = 0  # pages whose words were told
        self._prints: list[Print] = []
        self._is_closed = False

    def is_elsewhere(self, url: Url) -> bool:
        return self._partition.shard_of(url) != self.shard

    def begin(
        self,
        core: CrawlCore,
        store: SqliteStore,
        wake: Callable[[], None],
        give: Callable[[Sequence[Letter | PageAnswer], Sequence[bytes]], None] = lambda *_: None,
    ) -> None:
        self._core, self._store, self._wake, self._give = core, store, wake, give
        self._is_closed = False  # it was, where another process still held the shard
        self._taken = store.inbox_marks()
        self._acknowledged = store.outbox_marks()
        for number, parcel in store.outbox():
            self._let_wait(number, parcel)
        self._lease = core.progress.charged
        core.lease(self._lease)
        has = {_key(each.message, each) for each in store.answers()}
        told, self._told = self._told, dict.fromkeys(has)
        self.answer([each for each in told.values() if each is not None], self._background)

    def note(self, record: StepRecord) -> None:
        self._steps = record.progress.steps
        for number, parcel in record.numbered_outbox():
            self._let_wait(number, parcel)
        if record.guard is not None and record.guard.seen is not None and self._core is not None:
            seen = record.guard.seen
            self._prints.append((self._core.links.url(seen.link), seen.print))

    async def deliver(self, delivery: Delivery) -> int:
        """Take in a delivery of another shard, between two steps and with others. OSError where it is not at work."""
        if self._is_closed or self._core is None:
            raise ConnectionError(f"shard {self.shard} is not at work")
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        if not self._inbox:
            self._inbox_since = monotonic()
            loop.call_later(TAKING_S, self._ring)
        self._inbox.append((delivery, done))
        self._inbox_links += sum(len(parcel.links) for _, parcel in delivery.parcels)
        if self._is_inbox_due:
            self._ring()
        return await done

    def answer(self, letters: Sequence[Letter], background: Sequence[bytes]) -> None:
        """Learn from answers that are new here; of those about pages elsewhere, where they describe their page.

        `background` is that of `AnswerIntake`. May be called before the shard begins.
        """
        fresh: list[Letter | PageAnswer] = []
        for each in letters:
            answer = each.message
            assert isinstance(answer, PageAnswer)
            key = _key(each.name, answer)
            if key not in self._told and (answer.description or not self.is_elsewhere(answer.url)):
                self._told[key] = each
                fresh.append(each if each.name else answer)
        self._background = background
        if fresh:
            self._give(fresh, background)
            self._ring()

    @property
    def is_told_to_stop(self) -> bool:
        """Whether the hub has ended the crawl, or another worker is to go on with the shard."""
        return self._stop is not None

    def leave(self) -> None:
        """Stop here: another worker is to go on with the shard. What it has for others waits in its outbox."""
        self._stop = self._stop or StopReason.INTERRUPTED
        self._ring()

    def order(self, orders: Orders) -> None:
        """Orders of the hub have come."""
        self._orders.append(orders)
        self._seen = max(self._seen, orders.number)
        self._ring()

    async def attend(self, now: float, finish: Callable[[Step], None]) -> StopReason | None:
        await asyncio.sleep(0)  # let others have their turn: offline, nothing else waits
        self._take_in(now, finish)
        while self.pending_links > MOST_PENDING and self._stop is None:
            await self._next_news()
            self._take_in(now, finish)
        if self._error is not None:
            raise self._error
        if self._is_report_due:
            self._begin_report()
        return self._stop

    async def wait(self, reason: StopReason) -> None:
        assert self._core is not None
        if reason is not StopReason.FETCHES or not len(self._core.frontier):
            self._lease = self._core.progress.charged  # what it cannot use comes back
            self._core.lease(self._lease)
            self._gave_back = reason
        self._idle = self._gave_back or reason  # without a lease it would say that it lacks one
        self._send_due()
        if not self._is_inbox_due and not self._orders:
            if self._is_idle_report_due:
                self._begin_report()
            await self._next_news()
        self._idle = None

    async def close(self) -> None:
        """The shard is not at work any more; may be called twice."""
        self._is_closed = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        while self._inbox:
            _, done = self._inbox.popleft()
            if not done.done():
                done.set_exception(ConnectionError(f"shard {self.shard} has stopped"))

    def note_marks(self) -> None:
        """Let the store know what others have; it may forget that."""
        if self._store is not None and self._noted:
            first = min((waiting[0][0] for waiting in self._pending.values() if waiting), default=None)
            assert self._core is not None
            done = self._core.progress.handed_over if first is None else first - 1
            self._store.note_acknowledged(self._acknowledged, done)
            self._noted = 0

    def _take_in(self, now: float, finish: Callable[[Step], None]) -> None:
        """Take in orders, and deliveries where it is time."""
        assert self._core is not None
        if self._is_inbox_due or any(orders.stop is not None for orders in self._orders):
            self._take_deliveries(self._core, now, finish)
        while self._orders:
            self._obey(self._core, self._orders.popleft(), now, finish)
        self._send_due()
        if self._noted >= MARKS_EVERY or self._stop is not None:
            self.note_marks()

    def _take_deliveries(self, core: CrawlCore, now: float, finish: Callable[[Step], None]) -> None:
        """Take in all deliveries in one step, and acknowledge them."""
        arrived, self._inbox, self._inbox_links = self._inbox, deque(), 0
        marks, fresh = dict(self._taken), []
        for delivery, _ in arrived:
            mark = marks.get(delivery.sender, 0)
            rest = delivery.beyond(mark)
            if delivery.after <= mark and rest.parcels:
                marks[delivery.sender] = rest.number
                fresh.append(rest)
        if fresh:
            self._gave_back = None
            finish(core.take_links(fresh, now))
            self._taken = marks
        for delivery, done in arrived:
            if not done.done():
                done.set_result(self._taken.get(delivery.sender, 0))

    @property
    def _is_inbox_due(self) -> bool:
        """Whether deliveries are to be taken in: many links, or for long enough, or there is nothing else to do."""
        assert self._core is not None
        return bool(self._inbox) and (
            self._inbox_links >= FEW_LINKS
            or monotonic() >= self._inbox_since + TAKING_S
            or not (len(self._core.frontier) or self._core.in_flight)
        )

    def _obey(self, core: CrawlCore, orders: Orders, now: float, finish: Callable[[Step], None]) -> None:
        self._stop = orders.stop or self._stop
        if orders.number > self._obeyed:  # one may have overtaken another on its way
            if orders.lease > self._lease:
                self._gave_back = None
            self._lease, self._obeyed = orders.lease, orders.number
            if self._lease > core.budget:  # that of the whole crawl was extended
                core.extend_budget(self._lease)
            core.lease(self._lease)
            core.take_rests(orders.ready_hosts, orders.resting)
        if orders.news is not None:
            finish(core.take_news(orders.news, now))

    def _let_wait(self, number: int, parcel: Parcel) -> None:
        for shard, part in parcel.by_shard(self._partition.shard_of):
            if number > self._acknowledged.get(shard, 0):
                self._pending.setdefault(shard, deque()).append((number, part))
                self._waits_since.setdefault(shard, (self._steps, monotonic()))
                self.pending_links += len(part.links)

    def _send_due(self) -> None:
        for shard in self._due_shards():
            self._sending.add(shard)
            self._spawn(self._send(shard))

    def _due_shards(self) -> list[int]:
        """Shards for which enough waits, or has waited for long enough: a few links a message would cost too much."""
        oldest, latest = self._steps - WAITING_STEPS, monotonic() - WAITING_S
        return [
            shard
            for shard, (step, moment) in self._waits_since.items()
            if shard not in self._sending
            and (
                self._idle is not None or step <= oldest or moment <= latest or len(self._pending[shard]) >= FEW_PARCELS
            )
        ]

    async def _send(self, shard: int) -> None:
        """Send what waits for a shard, until nothing does."""
        waiting, again_s = self._pending[shard], AGAIN_S
        try:
            while waiting:
                delivery = self._next_delivery(shard)
                try:
                    mark = await self._post.send(shard, delivery)
                except OSError as error:
                    log.debug("shard %s cannot reach shard %s (%s)", self.shard, shard, error)
                    await asyncio.sleep(again_s)
                    again_s = min(2 * again_s, LONGEST_AGAIN_S)
                    continue
                again_s = AGAIN_S
                while waiting and waiting[0][0] <= mark:
                    self.pending_links -= len(waiting.popleft()[1].links)
                self._acknowledged[shard] = max(mark, self._acknowledged.get(shard, 0))
                self._noted += 1
                self._news.set()
        finally:
            self._sending.discard(shard)
            if not waiting:
                self._waits_since.pop(shard, None)

    def _next_delivery(self, shard: int) -> Delivery:
        parcels: list[tuple[int, Parcel]] = []
        links = 0
        for number, parcel in self._pending[shard]:
            if parcels and links + len(parcel.links) > MOST_LINKS:
                break
            parcels.append((number, parcel))
            links += len(parcel.links)
        return Delivery(self.shard, self._acknowledged.get(shard, 0), tuple(parcels))

    @property
    def _is_report_due(self) -> bool:
        assert self._core is not None
        if self._is_reporting or self._stop is not None:
            return False
        charged = self._core.progress.charged
        is_used = self._lease - charged <= self._settings.lease // 2 and charged != self._reported_charged
        return self._is_first or is_used or monotonic() - self._reported_at > REPORT_S

    @property
    def _is_idle_report_due(self) -> bool:
        """Whether anything has changed since the last report of a shard that can do nothing."""
        return self._idle_state != self._reported_idle or monotonic() - self._reported_at > REPORT_S

    @property
    def _idle_state(self) -> tuple[object, ...]:
        assert self._core is not None
        progress = self._core.progress
        counts = progress.charged, progress.steps, progress.taken_over, self.pending_links
        return self._idle, self._is_first, self._lease, self._core.in_flight, *counts

    def _begin_report(self) -> None:
        if not self._is_reporting:
            self._is_reporting = True
            self._spawn(self._report(self._made_report()))

    async def _report(self, report: ShardReport) -> None:
        try:
            await self._post.report(report)
            self._is_first = False
        except OSError as error:
            log.debug("shard %s cannot reach the hub (%s)", self.shard, error)
            self._is_first = True  # another hub may have taken its place
            self._prints[:0] = report.prints
            await asyncio.sleep(AGAIN_S)
        finally:
            self._is_reporting = False
            self._reported_at = monotonic()
            if self._idle is not None or self._is_report_due:  # it was not when this report was made
                self._ring()

    def _made_report(self) -> ShardReport:
        assert self._core is not None
        core, progress = self._core, self._core.progress
        sums, pages = None, progress.pages
        enough = max(1, self._settings.share_every // self._partition.shards, STALE_SHARE * pages)
        sums_due = self._is_first or pages - self._shared_pages >= enough
        if sums_due:
            sums, self._shared_pages = core.share(), pages
        words = None
        if sums_due and (self._is_first or pages >= MORE_WORDS * self._shared_words):
            words, self._shared_words = core.share_words(), pages
        prints, self._prints = tuple(self._prints), []
        self._reported_charged = progress.charged
        self._reported_idle = self._idle_state if self._idle is not None else ()
        return ShardReport(
            shard=self.shard,
            progress=progress,
            lease=self._lease,
            in_flight=core.in_flight,
            promises=tuple(core.promises(self._settings.lease + 1)),
            pending=self.pending_links,
            idle=self._idle if not core.in_flight else None,
            is_first=self._is_first,
            seen=self._seen,
            sums=sums,
            pages=pages,
            prints=prints,
            standing=core.standing(),
            words=words,
        )

    async def _next_news(self) -> None:
        """Wait for a delivery, an acknowledgement or orders; or for a moment, to look around."""
        try:
            async with asyncio.timeout(LOOK_AROUND_S):
                await self._news.wait()
        except TimeoutError:
            pass
        self._news.clear()

    def _ring(self) -> None:
        self._news.set()
        self._wake()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._note_done)

    def _note_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._error = task.exception()
            self._ring()


def _key(message: str, answer: PageAnswer | AnswerRecord) -> object:
    """What makes two answers one, as in a gathered run."""
    return message or (answer.url, answer.by, answer.name, answer.answer)
