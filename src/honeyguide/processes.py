"""Work in processes of our own, whose results come back in order.

They are spawned, not forked: a fork of a process with threads, such as those of BLAS, may lock up. So a program that
uses them needs the usual `if __name__ == "__main__"`. They leave Ctrl-C to their parent, and do not outlive it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process, resource_tracker
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from types import TracebackType
    from typing import Self

T = TypeVar("T")
R = TypeVar("R")
_AHEAD: Final = 2  # pieces of work a process that wait or are under way


def cores() -> int:
    """Return how many processors this process may use: fewer than there are where it is bound to some."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerPool:
    """So many processes, each started at its first work; with `jobs` 1 there is none, and the work is done here.

    A thread of ours serves each process over a pipe of its own, so that a process that is killed, even halfway through
    a large result, is noticed by the end of its pipe. `ProcessPoolExecutor` shares one pipe for all results, and waits
    for ever for the rest of such a result.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="worker") if jobs > 1 else None
        self._idle: SimpleQueue[_Process | None] = SimpleQueue()  # None for one that is to be started
        self._started: list[_Process] = []
        self._starting = threading.Lock()
        self._is_closed = False
        for _ in range(jobs):
            self._idle.put(None)

    def map(self, work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
        """Yield the result of each piece, in order. Takes pieces at most two a process ahead of the results.

        Raises what the work raised, and BrokenProcessPool where a process was ended from outside. Several threads may
        have work at once.
        """
        if self._threads is None:
            yield from map(work, pieces)
            return
        waiting: deque[Future[R]] = deque()
        for piece in pieces:
            waiting.append(self._threads.submit(self._in_process, work, piece))
            if len(waiting) > _AHEAD * self.jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def close(self) -> None:
        """End the processes, whatever they are doing; may be called twice."""
        if self._threads is None:
            return
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._starting:
            self._is_closed = True
        for process in self._started:
            process.end()
        self._threads.shutdown(wait=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _in_process(self, work: Callable[[T], R], piece: T) -> R:
        process = self._idle.get()  # there are as many as threads
        try:
            if process is None:
                process = self._start()
            return process.do(work, piece)
        finally:
            self._idle.put(process)

    def _start(self) -> _Process:
        with self._starting, nothing_imported_from_here():
            if self._is_closed:
                raise BrokenProcessPool("the pool is closed")
            process = _Process()
            self._started.append(process)
            return process


class _Process:
    """One process, and the line to it."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True)
        resource_tracker.ensure_running()  # else starting the first process would, which lets signals through again
        with signals_left_to_us():
            self._process.start()
        theirs.close()  # the process alone holds it now, so that its death ends the line

    def do(self, work: Callable[[T], R], piece: T) -> R:
        try:
            self._line.send((work, piece))
            is_done, result = self._line.recv()
        except (EOFError, OSError) as error:
            raise BrokenProcessPool("a process was ended from outside") from error
        if not is_done:
            raise result
        return result

    def end(self) -> None:
        self._process.kill()
        self._process.join()


def _work(line: Connection[Any, Any]) -> None:
    """In a new process: do what is asked for until nobody asks any more."""
    serve_parent()
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])  # by which Python ends what nobody has closed
    while True:
        try:
            work, piece = line.recv()
        except EOFError:
            return
        try:
            answer = True, work(piece)
        except Exception as error:  # noqa: BLE001 - the parent raises it
            answer = False, error
        line.send(answer)


@contextmanager
def nothing_imported_from_here() -> Iterator[None]:
    """Have processes that begin meanwhile import nothing that lies in the current folder."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = before or "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]


@contextmanager
def signals_left_to_us() -> Iterator[None]:
    """Have processes that begin meanwhile not hear of Ctrl-C and SIGTERM, from their first moment on.

    Ctrl-C reaches every process of a terminal, and SIGTERM often a whole group; what they mean is for us to say.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve_parent() -> None:
    """In a new process: leave Ctrl-C to the parent, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems without masks
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
