"""Many crawls at once, in processes of their own, stopped together and gone on with later."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, Any, Final, Protocol

from honeyguide.errors import HoneyguideError
from honeyguide.processes import cores, nothing_imported_from_here, serve_parent, signals_left_to_us

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.synchronize import Event as StopEvent
    from pathlib import Path

    from honeyguide.settings import Settings

_LOOK_S: Final = 0.1


class Task(Protocol):
    """A crawl to be made, in this process or in another, to which it is sent as a value."""

    @property
    def run(self) -> Path:
        """Where the run folder is, or will be."""
        ...

    @property
    def settings(self) -> Settings: ...

    @property
    def budget(self) -> int:
        """Fetches that it may spend in all."""
        ...

    @property
    def is_done(self) -> bool: ...

    @property
    def spent(self) -> int:
        """How much of the budget is behind it; all of it once the crawl has ended."""
        ...

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        """Crawl until it ends or is interrupted; `on_steps` hears of a few steps at a time."""
        ...


def run_crawls(
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> bool:
    """Make all crawls that are not made yet; False when interrupted before the last has ended.

    `jobs` processes share the work, as many as there are cores unless told; 1 works in this one. They are spawned, so
    a program that calls this with more needs the usual `if __name__ == "__main__"`. `on_progress` hears how much of
    the budget of all crawls together is spent.
    """
    left = [task for task in tasks if not task.is_done]
    spent = sum(task.spent for task in tasks)
    on_progress(spent)
    jobs = min(jobs or cores(), len(left))
    if jobs > 1:
        return _run_in_processes(left, jobs, is_interrupted, lambda steps: on_progress(spent + steps))
    return _run_here(left, is_interrupted, lambda steps: on_progress(spent + steps))


def _run_here(tasks: Sequence[Task], is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> bool:
    steps = 0

    def count(more: int) -> None:
        nonlocal steps
        steps += more
        on_steps(steps)

    for task in tasks:
        task.make(is_interrupted, count)
        if is_interrupted():
            return False
    return True


def _run_in_processes(
    tasks: Sequence[Task], jobs: int, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]
) -> bool:
    with nothing_imported_from_here():
        return _run_in_spawned(tasks, jobs, is_interrupted, on_steps)


def _run_in_spawned(
    tasks: Sequence[Task], jobs: int, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]
) -> bool:
    # Not forked: a fork of a process with threads, such as those of BLAS, may lock up.
    context = get_context("spawn")
    stop, steps = context.Event(), context.Value("q", 0)
    others = active_children()
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(stop, steps)) as workers:
        with signals_left_to_us():  # a process starts when work is submitted
            left = {workers.submit(_make, task) for task in tasks}
        ours = [process for process in active_children() if process not in others]
        try:
            while left:
                done, left = wait(left, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()  # raises what went wrong
                on_steps(steps.value)
                if is_interrupted() and not stop.is_set():
                    stop.set()
                    left = {future for future in left if not future.cancel()}
        except BrokenProcessPool:
            for process in ours:  # a broken pool asks them to end by SIGTERM, which is left to us, and waits for that
                process.kill()
            if not is_interrupted():  # else a signal went to all processes, and each crawl is safe where it was
                raise HoneyguideError(
                    "a crawl process was ended from outside (out of memory?); the same command goes on where it stopped"
                ) from None
            stop.set()
        finally:
            if left:  # something went wrong, or someone is in a hurry
                stop.set()
                for future in left:
                    future.cancel()
    return not stop.is_set()


_shared: dict[str, Any] = {}
"""In a worker process: the event that stops it, and the steps that all workers have made."""


def _begin(stop: StopEvent, steps: object) -> None:
    serve_parent()
    _shared.update(stop=stop, steps=steps)


def _make(task: Task) -> None:
    def count(more: int) -> None:
        with _shared["steps"].get_lock():
            _shared["steps"].value += more

    if not _shared["stop"].is_set():
        task.make(_shared["stop"].is_set, count)
