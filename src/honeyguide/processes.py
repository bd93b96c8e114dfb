"""Work in processes of our own, whose results come back in order.

They are spawned, not forked: a fork of a process with threads, such as those of BLAS, may lock up. So a program that
uses them needs the usual `if __name__ == "__main__"`. They leave Ctrl-C to their parent, and do not outlive it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future
    from types import TracebackType
    from typing import Self

T = TypeVar("T")
R = TypeVar("R")
_AHEAD: Final = 2  # pieces of work a process that wait or are under way


class WorkerPool:
    """So many processes, started at the first work; with `jobs` 1 there is none, and the work is done here."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._submitting = threading.Lock()  # several threads may have work
        self._pool = (
            ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=serve_parent) if jobs > 1 else None
        )

    def map(self, work: Callable[[T], R], pieces: Iterable[T]) -> Iterator[R]:
        """Yield the result of each piece, in order. Takes pieces at most two a process ahead of the results."""
        if self._pool is None:
            yield from map(work, pieces)
            return
        waiting: deque[Future[R]] = deque()
        for piece in pieces:
            with self._submitting, nothing_imported_from_here():
                waiting.append(self._pool.submit(work, piece))
            if len(waiting) > _AHEAD * self.jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


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


def serve_parent() -> None:
    """In a new process: leave Ctrl-C to the parent, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
