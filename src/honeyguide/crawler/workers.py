"""Processes beside the crawl that parse and judge its pages while it fetches others.

Large pages are read nowhere else, so that none can stop the crawl. A worker ends itself over a page that takes too
long, which is then unreadable. One that dies otherwise is replaced too, and its pages are given to the others again; a
page on which two died is not tried a third time.
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
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from honeyguide.crawler.preparing import LENGTH, READY, SMALL_BYTES, Unreadable, framed, received
from honeyguide.errors import WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.crawler.preparing import Preparation, Prepared, Recipe
    from honeyguide.model import Fetched, Url

log = logging.getLogger(__name__)

_TRIES: Final = 2
# Pages that wait for one worker before the crawl reads the next itself: enough that no worker ever runs out of them.
_WAITING: Final = 4


@dataclass(slots=True, eq=False)
class _Task:
    """A page to be prepared."""

    number: int
    message: bytes
    url: Url
    fetched: Fetched
    result: asyncio.Future[Prepared | Unreadable]
    deaths: int = 0  # workers that died over it


class Workers:
    """So many processes that prepare pages, or none until a large page comes. Opened and used in one event loop.

    Where they have enough to do already, small pages are prepared at home, in this process.
    """

    def __init__(self, count: int, make_recipe: Callable[[], Recipe]) -> None:
        self.make_home: Callable[[Recipe], Preparation] | None = None
        self._count = count
        self._make_recipe = make_recipe
        self._workers: list[_Worker] = []
        self._next_number = 0
        self._can_start = True
        self._starting = asyncio.Lock()
        self._is_closed = False

    async def __aenter__(self) -> Self:
        """Start the processes; they get ready while the crawl does."""
        try:
            for _ in range(self._count):
                await self._start_one()
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

    @cached_property
    def _home(self) -> Preparation | None:
        return None if self.make_home is None else self.make_home(self._recipe)

    def takes(self, fetched: Fetched) -> bool:
        return self._count > 0 or len(fetched.body) > SMALL_BYTES

    async def prepare(self, url: Url, fetched: Fetched) -> Prepared | Unreadable:
        """The page that `fetched` holds. WorkerError if no worker can be had."""
        is_small = len(fetched.body) <= SMALL_BYTES
        if is_small and all(worker.is_busy for worker in self._workers) and self._home is not None:
            return self._home.prepare(url, fetched)
        async with self._starting:
            if not self._workers and self._can_start:
                await self._start_one()
        result: asyncio.Future[Prepared | Unreadable] = asyncio.get_running_loop().create_future()
        number, self._next_number = self._next_number, self._next_number + 1
        self._assign(_Task(number, framed((number, url, fetched)), url, fetched, result))
        return await result

    def close(self) -> None:
        """End the processes, whatever they are doing; may be called twice."""
        self._is_closed = True
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.end()

    def lost(self, worker: _Worker) -> None:
        """A worker's line has broken: start another in its place."""
        if self._is_closed or worker not in self._workers:
            return
        self._workers.remove(worker)
        status = worker.end()
        tasks = list(worker.tasks.values())
        if not worker.is_ready:  # nor would the next be
            self._can_start = False
            log.warning("a worker process ended with status %s as it began; no other is started", status)
            for task in tasks:
                self._assign(task)
            return
        if tasks and status == -signal.SIGPROF:
            deadline_s = self._recipe.settings.parse.deadline_s
            log.info(
                "reading %s took over %s s; another process takes the place of the one that did",
                tasks[0].url,
                deadline_s,
            )
            _answer(tasks.pop(0), Unreadable(f"reading it took over {deadline_s:g} s of processor time"))
        else:
            log.warning("a worker process ended with status %s; another takes its place", status)
            if tasks:
                tasks[0].deaths += 1
            if tasks and tasks[0].deaths >= _TRIES:
                reason = f"the process that read it ended with status {status}, {_TRIES} times"
                _answer(tasks.pop(0), Unreadable(reason))
        replacing = asyncio.get_running_loop().create_task(self._replace(tasks))
        worker.replacing = replacing  # a task that nobody holds may vanish

    async def _replace(self, tasks: list[_Task]) -> None:
        try:
            await self._start_one()
        except OSError as error:
            log.warning("no worker process can be started: %s", error)
        for task in tasks:
            self._assign(task)

    def _assign(self, task: _Task) -> None:
        if self._workers:
            min(self._workers, key=lambda worker: len(worker.tasks)).take(task)
        elif self._home is not None:
            _answer(task, self._home.prepare(task.url, task.fetched))
        else:
            _fail([task], WorkerError("no worker process is left; try --set crawl.workers=0"))

    async def _start_one(self) -> None:
        ours, theirs = socket.socketpair()
        # Ctrl-C reaches every process of a terminal; what it means is the crawl's affair, from the first moment on.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            process = subprocess.Popen(  # noqa: S603, ASYNC220 - returns as soon as the process exists
                # Without the current folder, which may be that of a stranger.
                [sys.executable, "-P", "-m", "honeyguide.crawler.page_worker", str(theirs.fileno()), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # What can be imported here can be there.
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            theirs.close()
        worker = _Worker(self, process)
        await asyncio.get_running_loop().create_connection(lambda: worker, sock=ours)
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
        self.is_ready = False
        self.replacing: asyncio.Task[None] | None = None
        self._pool = pool
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()

    @property
    def is_busy(self) -> bool:
        """Whether a small page had better be read elsewhere: a large one may take its time."""
        has_large = any(len(task.fetched.body) > SMALL_BYTES for task in self.tasks.values())
        return has_large or len(self.tasks) >= _WAITING

    def take(self, task: _Task) -> None:
        self.tasks[task.number] = task
        self.send(task.message)

    def send(self, message: bytes) -> None:
        assert self._transport is not None
        self._transport.write(message)

    def end(self) -> int:
        """End the process and give its exit status."""
        if self._transport is not None:
            self._transport.abort()
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        return self.process.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

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
            return
        _answer(self.tasks.pop(number), result if isinstance(result, Unreadable) else received(result))


def _answer(task: _Task, result: Prepared | Unreadable) -> None:
    if not task.result.done():
        task.result.set_result(result)


def _fail(tasks: list[_Task], error: WorkerError) -> None:
    for task in tasks:
        if not task.result.done():
            task.result.set_exception(error)
