"""Processes beside the crawl that parse and judge its pages while it fetches others.

A page that is not sure to be quick is read nowhere else, so that none can stop the crawl. A worker ends itself over a
page that takes too long, which is then unreadable. One that dies otherwise is replaced too, and its pages are given to
the others again; a page on which two died is not tried a third time. Where no process can be started, that is tried
again after a while, and until then only quick pages are read.
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

from honeyguide.crawler.preparing import LENGTH, READY, Unreadable, framed, received
from honeyguide.errors import WorkerError
from honeyguide.parse import is_quick

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.crawler.preparing import Preparation, Prepared, Recipe
    from honeyguide.model import Fetched, Url

log = logging.getLogger(__name__)

_TRIES: Final = 2
# Pages that wait for one worker before the crawl reads the next itself: enough that no worker ever runs out of them.
_WAITING: Final = 4
# Seconds until another process is started after one that could not be: at first, and at most.
PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 60.0


@dataclass(slots=True, eq=False)
class _Task:
    """A page to be prepared."""

    number: int
    message: bytes
    url: Url
    fetched: Fetched
    result: asyncio.Future[Prepared | Unreadable]
    is_quick: bool
    deaths: int = 0  # workers that died over it


class Workers:
    """So many processes that prepare pages, or none until one is needed. Opened and used in one event loop.

    Where they have enough to do already, quick pages are prepared at home, in this process; others wait.
    """

    def __init__(self, count: int, make_recipe: Callable[[], Recipe]) -> None:
        self.make_home: Callable[[Recipe], Preparation] | None = None
        self._count = count
        self._make_recipe = make_recipe
        self._workers: list[_Worker] = []
        self._next_number = 0
        self._starting = asyncio.Lock()
        self._start_again_at = 0.0  # in the time of the event loop
        self._pause_s = PAUSE_S
        self._is_closed = False

    async def __aenter__(self) -> Self:
        """Start the processes; they get ready while the crawl does."""
        try:
            for _ in range(self._count):
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

    @cached_property
    def _home(self) -> Preparation | None:
        return None if self.make_home is None else self.make_home(self._recipe)

    def takes(self, fetched: Fetched) -> bool:
        return self._count > 0 or not is_quick(fetched.body)

    async def prepare(self, url: Url, fetched: Fetched) -> Prepared | Unreadable:
        """The page that `fetched` holds. WorkerError if no worker can be had."""
        quick = is_quick(fetched.body)
        if quick and all(worker.is_busy for worker in self._workers) and self._home is not None:
            return self._home.prepare(url, fetched)
        await self._start_missing()
        result: asyncio.Future[Prepared | Unreadable] = asyncio.get_running_loop().create_future()
        number, self._next_number = self._next_number, self._next_number + 1
        self._assign(_Task(number, framed((number, url, fetched)), url, fetched, result, quick))
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
            self._start_later(f"a worker process ended with status {status} as it began")
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
            _answer(tasks.pop(0), Unreadable(f"reading it took over {deadline_s:g} s of processor time", deadline_s))
        else:
            log.warning("a worker process ended with status %s; another takes its place", status)
            if tasks:
                tasks[0].deaths += 1
            if tasks and tasks[0].deaths >= _TRIES:
                reason = f"the process that read it ended with status {status}, {_TRIES} times"
                _answer(tasks.pop(0), Unreadable(reason))
        replacing = asyncio.get_running_loop().create_task(self._replace(tasks))
        worker.replacing = replacing  # a task that nobody holds may vanish

    def began(self) -> None:
        """A worker is ready for pages."""
        self._pause_s = PAUSE_S

    async def _replace(self, tasks: list[_Task]) -> None:
        await self._start_missing()
        for task in tasks:
            self._assign(task)

    def _assign(self, task: _Task) -> None:
        if self._workers:
            min(self._workers, key=lambda worker: len(worker.tasks)).take(task)
        elif self._home is None:
            _fail([task], WorkerError("no worker process is left; try --set crawl.workers=0"))
        elif task.is_quick:
            _answer(task, self._home.prepare(task.url, task.fetched))
        else:
            _answer(task, Unreadable("no process could be started to read it"))

    async def _start_missing(self) -> None:
        """Start a process if there are too few, unless none could be started a moment ago."""
        async with self._starting:
            is_time = asyncio.get_running_loop().time() >= self._start_again_at
            if len(self._workers) < max(1, self._count) and is_time and not self._is_closed:
                try:
                    await self._start_one()
                except OSError as error:
                    self._start_later(f"no worker process can be started: {error}")

    def _start_later(self, trouble: str) -> None:
        log.warning("%s; another is started after %g s", trouble, self._pause_s)
        self._start_again_at = asyncio.get_running_loop().time() + self._pause_s
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

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
        except OSError:
            ours.close()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
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
        self.is_ready = False
        self.replacing: asyncio.Task[None] | None = None
        self._pool = pool
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()

    @property
    def is_busy(self) -> bool:
        """Whether a quick page had better be read elsewhere: others may take their time."""
        return len(self.tasks) >= _WAITING or not all(task.is_quick for task in self.tasks.values())

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
            self._pool.began()
            return
        _answer(self.tasks.pop(number), result if isinstance(result, Unreadable) else received(result))


def _answer(task: _Task, result: Prepared | Unreadable) -> None:
    if not task.result.done():
        task.result.set_result(result)


def _fail(tasks: list[_Task], error: WorkerError) -> None:
    for task in tasks:
        if not task.result.done():
            task.result.set_exception(error)
