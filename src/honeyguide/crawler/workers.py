"""Processes beside the crawl that parse and judge its pages while it fetches others.

A page that is not sure to be quick is read nowhere else, so that none can stop the crawl. Pages wait by host, and hosts
take turns. When a page takes long, pages behind it go to other workers, and further ones are started where all are at
such pages; hosts of such pages share one worker from then on, and the last further one is for hosts that are known to
be quick. A worker ends itself over a page that takes too long, which is then unreadable, and is killed when a hook of
the user's does. One that dies otherwise is replaced too, and its pages are read by others; a page on which two died is
not tried a third time. Where no process can be started, pages wait until one can; after some tries in vain the crawl
ends with an error, and can be resumed.

Finding out what the markup of a page may cost takes a fifth of the time in which a page is read. So a live crawl reads
pages as they are. One that takes over `FIRST_DEADLINE_S`, or fails, is read again with its markup bounded, and so are
all further pages of its host. Offline, where a page must be read the same way every time, the markup of all is bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast

from honeyguide.crawler.preparing import (
    FIRST_DEADLINE_S,
    IN_HOOK,
    LENGTH,
    READY,
    Prepared,
    Unreadable,
    framed,
    received,
)
from honeyguide.errors import WorkerError
from honeyguide.parse import is_quick
from honeyguide.processes import signals_left_to_us

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.crawler.preparing import Preparation, Recipe
    from honeyguide.model import Fetched, HostKey, Url

log = logging.getLogger(__name__)

_TRIES: Final = 2
# Pages that wait for one worker before the crawl reads the next itself: enough that no worker ever runs out of them.
_WAITING: Final = 4
MOST_UNBOUNDED: Final = 1_000_000
"""Bytes of a page that may be read without bounds of markup: it takes a tenth of the time after which it is ended."""
SLOW_S: Final = 1.0
"""Seconds by the clock after which a page under work holds up no other."""
IDLE_S: Final = 1.25
"""Seconds that a crawl waits, within `IDLE_WITHIN_S`, for pages that no process has room for, until one more starts."""
IDLE_WITHIN_S: Final = 5.0
_FURTHER: Final = 3  # processes that may be started besides, while all the others are at slow pages
STARTS: Final = 6
"""Processes that could not be started, one after another, until the crawl is told."""
# Seconds until another process is started after one that could not be: at first, and at most.
PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0
_PROGRAM: Final = Path(__file__).with_name("page_worker.py")


@dataclass(slots=True, eq=False)
class _Task:
    """A page to be prepared."""

    number: int
    url: Url
    fetched: Fetched
    result: asyncio.Future[Prepared | Unreadable]
    is_quick: bool
    bounds_markup: bool
    lost_s: float = 0.0  # of processor time, over a first try
    deaths: int = 0  # workers that died over it
    worker: _Worker | None = None  # that is to read it; None while it waits for one


class _WaitingPages:
    """Pages that no worker has yet. Hosts take turns, so that the pages of one are not in the way of others."""

    def __init__(self) -> None:
        self._by_host: dict[HostKey, deque[_Task]] = {}

    def add(self, task: _Task) -> None:
        task.worker = None
        self._by_host.setdefault(task.url.host, deque()).append(task)

    def take(self, may_be_read: Callable[[HostKey], bool], is_wanted: Callable[[_Task], bool]) -> _Task | None:
        """Take the first wanted page of the host whose turn it is, leaving hosts aside that have to wait."""
        for host, tasks in self._by_host.items():
            task = next(filter(is_wanted, tasks), None) if may_be_read(host) else None
            if task is not None:
                tasks.remove(task)
                del self._by_host[host]
                if tasks:
                    self._by_host[host] = tasks  # behind all others
                return task
        return None

    def __bool__(self) -> bool:
        return bool(self._by_host)

    def take_all(self) -> list[_Task]:
        """Take every page."""
        tasks = [task for waiting in self._by_host.values() for task in waiting]
        self._by_host.clear()
        return tasks


class Workers:
    """So many processes that prepare pages, or none until one is needed. Opened and used in one event loop.

    Where they have enough to do already, pages wait. Quick ones are prepared at home, in this process, when it has
    nothing else to do, and where there is no other.
    """

    def __init__(
        self,
        count: int,
        make_recipe: Callable[[], Recipe],
        *,
        reads_all: bool = False,
        most: int = 0,
        bounds_markup: bool = True,
    ) -> None:
        """With `reads_all` no page is read at home. Where reading is the limit, there may come to be `most` of them.

        Without `bounds_markup` pages are first read as they are.
        """
        self._bounds_markup = bounds_markup
        self._bounded: set[HostKey] = set()  # hosts that sent a page which took long as it was
        self.make_home: Callable[[Recipe], Preparation] | None = None
        self._count = count
        self._wanted = max(1, count)
        self._to_add = max(0, most - self._wanted)
        self._idle_s = self._idle_since = 0.0  # in the time of the event loop
        self._most = self._wanted + _FURTHER
        self._make_recipe = make_recipe
        self._reads_all = reads_all
        self._workers: list[_Worker] = []
        self._waiting = _WaitingPages()
        self._is_slow: dict[HostKey, bool] = {}  # whether the last page of a host that might take long did
        self._next_number = 0
        self._starting = asyncio.Lock()
        self._filling: set[asyncio.Task[None]] = set()  # a task that nobody holds may vanish
        self._failed_starts = 0  # one after another
        self._start_again_at = 0.0  # in the time of the event loop
        self._is_closed = False

    async def __aenter__(self) -> Self:
        """Start the processes; they get ready while the crawl does."""
        try:
            if self._count:
                await self._start_missing()
        except BaseException:
            self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    @property
    def process_ids(self) -> list[int]:
        return [worker.process.pid for worker in self._workers]

    @cached_property
    def _recipe(self) -> Recipe:
        return self._make_recipe()

    @property
    def hook_limit_s(self) -> float:
        return self._recipe.settings.crawl.on_page_timeout_s

    @property
    def _has_home(self) -> bool:
        return self.make_home is not None and not self._reads_all

    @cached_property
    def _home(self) -> Preparation | None:
        return None if self.make_home is None or self._reads_all else self.make_home(self._recipe)

    def takes(self, fetched: Fetched) -> bool:
        return self._reads_all or self._count > 0 or not is_quick(fetched.body)

    async def prepare(self, url: Url, fetched: Fetched) -> Prepared | Unreadable:
        """The page that `fetched` holds. WorkerError if no worker can be had, however often one is started."""
        quick = is_quick(fetched.body)
        if quick and not self._workers and self._home is not None:
            return self._home.prepare(url, fetched)
        bounds_markup = self._bounds_markup or len(fetched.body) > MOST_UNBOUNDED or url.host in self._bounded
        result: asyncio.Future[Prepared | Unreadable] = asyncio.get_running_loop().create_future()
        number, self._next_number = self._next_number, self._next_number + 1
        self._waiting.add(_Task(number, url, fetched, result, quick, bounds_markup))
        await self._fill()
        return await result

    def prepare_one_at_home(self) -> bool:
        """Prepare a page that no worker has yet, if there is one that is sure to be quick. For when nothing else is."""
        if self._home is None:
            return False
        task = self._waiting.take(lambda _: True, lambda task: task.is_quick)
        if task is None:
            return False
        _answer(task, self._home.prepare(task.url, task.fetched))
        return True

    def note_idle(self, seconds: float) -> None:
        """The crawl has had nothing to do for so long: where pages wait here, there may be too few processes."""
        if not self._to_add or not self._waiting or not all(worker.is_ready for worker in self._workers):
            return
        now = asyncio.get_running_loop().time()
        if now - self._idle_since > IDLE_WITHIN_S:
            self._idle_s, self._idle_since = 0.0, now
        self._idle_s += seconds
        if self._idle_s >= IDLE_S:
            self._idle_s = 0.0
            self._to_add -= 1
            self._wanted += 1
            self._most += 1
            self._fill_soon()

    def close(self) -> None:
        """End the processes, whatever they are doing; may be called twice."""
        self._is_closed = True
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.end()

    def began(self) -> None:
        """A worker is ready for pages."""
        self._failed_starts = 0
        self._hand_out()

    def was_read(self, task: _Task, *, is_slow: bool) -> None:
        """A worker has read a page, and has room for another."""
        if not is_slow and not task.is_quick:
            self._is_slow[task.url.host] = False
        self._hand_out()

    def is_slow(self, worker: _Worker) -> None:
        """A worker has been at a page for long: let the others read what it would read next."""
        first, *behind = worker.tasks.values()
        for task in behind:
            if task.worker is worker:
                self._waiting.add(task)
        self._note_slow(first.url.host)
        self._fill_soon()

    def lost(self, worker: _Worker) -> None:
        """A worker's line has broken: start another in its place."""
        if self._is_closed or worker not in self._workers:
            return
        self._workers.remove(worker)
        status = worker.end()
        if worker.is_ready:
            self._blame(worker, status)
        for task in worker.tasks.values():
            if task.worker is worker and not task.result.done():
                self._waiting.add(task)
        if worker.is_ready:
            self._fill_soon()
        else:  # nor would the next be
            self._start_later(f"a worker process ended with status {status} as it began")

    def _blame(self, worker: _Worker, status: int) -> None:
        """Note which page a worker died over, if it was at one; it may be unreadable."""
        task = next(iter(worker.tasks.values()), None)
        if task is not None and worker.is_hook_late:
            limit_s = self.hook_limit_s
            _answer(task, Unreadable(f"on_page took over {limit_s:g} s, and was cut off", limit_s, by_hook=True))
            return
        if task is not None and status == -signal.SIGPROF and task.number in worker.unbounded:
            self._bound(task)
            self._note_slow(task.url.host)
            return
        if task is not None and status == -signal.SIGPROF:
            deadline_s = self._recipe.settings.parse.deadline_s
            log.info(
                "reading %s took over %s s; another process takes the place of the one that did", task.url, deadline_s
            )
            self._note_slow(task.url.host)
            _answer(task, Unreadable(f"reading it took over {deadline_s:g} s of processor time", deadline_s))
            return
        log.warning("a worker process ended with status %s; another takes its place", status)
        if task is not None:
            task.deaths += 1
            task.bounds_markup = True
            if task.deaths >= _TRIES:
                _answer(task, Unreadable(f"the process that read it ended with status {status}, {_TRIES} times"))

    def read_again(self, worker: _Worker, task: _Task) -> None:
        """A page could not be read as it was: it may take too much memory, and then it has cost much time, too."""
        self._bound(task)
        if task.worker is worker:  # else it is with another already, or waits for one
            self._waiting.add(task)
        self._hand_out()

    def _bound(self, task: _Task) -> None:
        log.info("%s is read again, with its markup bounded: as it was it took too long or failed", task.url)
        task.bounds_markup, task.lost_s = True, FIRST_DEADLINE_S
        self._bounded.add(task.url.host)

    def _note_slow(self, host: HostKey) -> None:
        self._is_slow[host] = True
        if all(worker.is_slow for worker in self._workers):
            self._wanted = min(self._wanted + 1, self._most)

    def _hand_out(self) -> None:
        """Give waiting pages to the workers that have room for them; none that is read at home behind a slow one."""
        while free := [worker for worker in self._workers if worker.has_room]:
            at_ease = [worker for worker in free if worker.is_at_ease] if self._has_home else free
            task = self._waiting.take(self._hosts_in_turn(), lambda task: bool(at_ease) or not task.is_quick)  # noqa: B023
            if task is None:
                return
            if not task.result.done():
                chosen = at_ease if task.is_quick else free
                min(chosen, key=lambda worker: (not worker.is_ready, len(worker.tasks))).take(task)

    def _hosts_in_turn(self) -> Callable[[HostKey], bool]:
        """Return whether pages of a host may be handed out now.

        Slow hosts share one worker, once there is a second. They and new ones, which may be slow, never have the last.
        """
        at_work = [{task.url.host for task in worker.tasks.values()} for worker in self._workers]
        is_last_left = sum(any(self._is_slow.get(host, True) for host in hosts) for hosts in at_work) < self._most - 1
        has_second = sum(worker.is_ready for worker in self._workers) > 1 or bool(self._failed_starts)
        has_slow = any(self._is_slow.get(host, False) for hosts in at_work for host in hosts)
        answers = {False: True, None: is_last_left, True: is_last_left and has_second and not has_slow}
        return lambda host: answers[self._is_slow.get(host)]

    async def _fill(self) -> None:
        self._hand_out()
        await self._start_missing()
        self._hand_out()

    def _fill_soon(self) -> None:
        if not self._is_closed:
            filling = asyncio.get_running_loop().create_task(self._fill())
            self._filling.add(filling)
            filling.add_done_callback(self._filling.discard)

    async def _start_missing(self) -> None:
        """Start processes while there are too few, unless none could be started a moment ago."""
        loop = asyncio.get_running_loop()
        async with self._starting:
            while len(self._workers) < self._wanted and loop.time() >= self._start_again_at and not self._is_closed:
                try:
                    await self._start_one()
                except OSError as error:
                    self._start_later(f"no worker process can be started: {error}")

    def _start_later(self, trouble: str) -> None:
        """Try again after a pause. Pages that can be read at home are, and the others wait unless it is hopeless."""
        pause_s = min(PAUSE_S * 2**self._failed_starts, LONGEST_PAUSE_S)
        self._failed_starts += 1
        log.warning("%s; another is started after %g s", trouble, pause_s)
        loop = asyncio.get_running_loop()
        self._start_again_at = loop.time() + pause_s
        loop.call_later(pause_s, self._fill_soon)
        is_hopeless = self._failed_starts >= STARTS and not self._workers
        for task in self._waiting.take_all():
            if task.is_quick and self._home is not None and not self._workers:
                _answer(task, self._home.prepare(task.url, task.fetched))
            elif is_hopeless and not task.result.done():
                remedy = "free memory or processes, or try --set crawl.workers=0, and resume the run"
                task.result.set_exception(WorkerError(f"{trouble}, {self._failed_starts} times in a row; {remedy}"))
            else:
                self._waiting.add(task)
        self._hand_out()

    async def _start_one(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            with signals_left_to_us():
                process = subprocess.Popen(  # noqa: S603, ASYNC220 - returns as soon as the process exists
                    # Without the current folder, which may be that of a stranger.
                    # A file, not a module of a package: that would be imported first, before the process ends with us.
                    [sys.executable, "-P", str(_PROGRAM), str(theirs.fileno()), str(os.getpid())],
                    stdin=subprocess.DEVNULL,
                    stdout=sys.__stderr__.fileno() if sys.__stderr__ else subprocess.DEVNULL,  # a hook may print
                    pass_fds=[theirs.fileno()],
                    # What can be imported here can be there.
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                )
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        worker = _Worker(self, process)
        try:
            await asyncio.get_running_loop().create_connection(lambda: worker, sock=ours)
        except BaseException:  # such as the end of the crawl
            worker.end()
            raise
        if self._is_closed:  # in the meantime
            worker.end()
            return
        worker.send(framed(self._recipe))
        self._workers.append(worker)


class _Worker(asyncio.Protocol):
    """The line to one process. Its pages come back in the order in which it got them."""

    def __init__(self, pool: Workers, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.tasks: dict[int, _Task] = {}
        self.unbounded: set[int] = set()  # of these, those that were sent to be read as they are
        self.is_ready = False
        self.is_slow = False  # it has been at its first page for long
        self.is_hook_late = False  # a hook takes longer over its first page than it may
        self._timer: asyncio.TimerHandle | None = None
        self._hook_timer: asyncio.TimerHandle | None = None
        self._pool = pool
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()

    @property
    def is_busy(self) -> bool:
        """Whether a quick page had better be read elsewhere: others may take their time."""
        return len(self.tasks) >= _WAITING or not all(task.is_quick for task in self.tasks.values())

    @property
    def is_at_ease(self) -> bool:
        """Whether it would read a quick page soon; one that is still starting would not."""
        return self.is_ready and not self.is_busy

    @property
    def has_room(self) -> bool:
        """Whether it may be given a page: never is one behind two that may take their time."""
        return not self.is_slow and (not self.is_busy or len(self.tasks) <= 1)

    def take(self, task: _Task) -> None:
        task.worker = self
        if task.number in self.tasks:  # it was taken back while another page was slow, and the process has it still
            return
        self.tasks[task.number] = task
        if not task.bounds_markup:
            self.unbounded.add(task.number)
        self.send(framed((task.number, task.url, task.fetched, task.bounds_markup)))
        if len(self.tasks) == 1:
            self._time_first()

    def send(self, message: bytes) -> None:
        assert self._transport is not None
        self._transport.write(message)

    def end(self) -> int:
        """End the process and give its exit status."""
        self._stop_timers()
        if self._transport is not None:
            self._transport.abort()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        return self.process.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # that of uvloop derives from no class of asyncio's

    def data_received(self, data: bytes) -> None:
        self._received += data
        while len(self._received) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(self._received)[0]
            if len(self._received) < end:
                break
            with memoryview(self._received) as view:
                message = pickle.loads(view[LENGTH.size : end])  # noqa: S301 - from a process that this one started
            del self._received[:end]
            self._take_in(*message)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever broke the line
        self._pool.lost(self)

    def _take_in(self, number: int, result: Any) -> None:  # noqa: ANN401 - as it was sent
        if number == READY:
            self.is_ready = True
            self._time_first()
            self._pool.began()
            return
        if number == IN_HOOK:
            self._time_hook()
            return
        task, was_slow = self.tasks.pop(number), self.is_slow
        self._time_first()
        was_unbounded = number in self.unbounded
        self.unbounded.discard(number)
        if isinstance(result, Unreadable) and was_unbounded and not result.by_hook:
            self._pool.read_again(self, task)
            return
        _answer(task, result if isinstance(result, Unreadable) else received(result))
        self._pool.was_read(task, is_slow=was_slow)

    def _time_first(self) -> None:
        """Tell the pool if the first page takes long from now on."""
        self._stop_timers()
        self.is_slow = False
        if self.is_ready and self.tasks:
            self._timer = asyncio.get_running_loop().call_later(SLOW_S, self._note_slow)

    def _time_hook(self) -> None:
        """Let a hook have so much time from now on."""
        self._hook_timer = asyncio.get_running_loop().call_later(self._pool.hook_limit_s, self._cut_hook_off)

    def _stop_timers(self) -> None:
        for timer in (self._timer, self._hook_timer):
            if timer is not None:
                timer.cancel()

    def _note_slow(self) -> None:
        self.is_slow = True
        self._pool.is_slow(self)

    def _cut_hook_off(self) -> None:
        if self._received:  # it is done: its answer is on the way
            self._time_hook()
            return
        self.is_hook_late = True
        self._pool.lost(self)


def _answer(task: _Task, result: Prepared | Unreadable) -> None:
    if not task.result.done():
        if task.lost_s and isinstance(result, Prepared):
            result = replace(result, parse_s=result.parse_s + task.lost_s)
        task.result.set_result(result)
