"""Work in processes comes back in order, and a process that dies ends it with an error."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

import pytest

from honeyguide.processes import WorkerPool
from pool_work import die_at_work, die_halfway, inverse, signals_held, square

if TYPE_CHECKING:
    from collections.abc import Callable


def test_results_come_in_the_order_of_the_work() -> None:
    with WorkerPool(2) as workers:
        assert list(workers.map(square, range(20))) == [each**2 for each in range(20)]


def test_what_the_work_raises_is_raised_here_and_the_pool_goes_on() -> None:
    with WorkerPool(2) as workers:
        with pytest.raises(ZeroDivisionError):
            list(workers.map(inverse, [1, 0, 2]))
        assert list(workers.map(inverse, [1, 2])) == [1.0, 0.5]


def test_several_threads_have_work_at_once() -> None:
    results: dict[int, list[int]] = {}

    def ask(start: int) -> None:
        results[start] = list(workers.map(square, range(start, start + 10)))

    with WorkerPool(2) as workers:
        threads = [threading.Thread(target=ask, args=(start,)) for start in (0, 100, 200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == {start: [each**2 for each in range(start, start + 10)] for start in (0, 100, 200)}


@pytest.mark.parametrize("die", [die_at_work, die_halfway])
def test_a_process_killed_at_work_or_while_it_answers_is_noticed(die: Callable[[int], object]) -> None:
    with WorkerPool(2) as workers, pytest.raises(BrokenProcessPool):
        list(workers.map(die, range(3)))


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals on this system")
def test_ctrl_c_ends_no_process_not_even_as_it_begins() -> None:
    with WorkerPool(2) as pool:
        for masked, process_id in pool.map(signals_held, range(2)):
            assert signal.SIGINT in masked  # so it began: nothing in the process does that
            assert signal.SIGTERM not in masked
            os.kill(process_id, signal.SIGINT)
        assert list(pool.map(abs, [-1, -2, -3])) == [1, 2, 3]
    assert not {signal.SIGINT, signal.SIGTERM} & signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_a_closed_pool_does_no_more_work() -> None:
    workers = WorkerPool(2)
    results = workers.map(square, range(100))
    assert next(results) == 0
    workers.close()
    workers.close()
    with pytest.raises((BrokenProcessPool, RuntimeError)):
        list(workers.map(square, range(100)))
