"""Work that tests have done in other processes, which can import this module but no test."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def square(number: int) -> int:
    return number**2


def inverse(number: int) -> float:
    return 1 / number


def die_at_work(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def die_halfway(_: int) -> bytes:
    """Return a large result, and end this process when a part of it has been sent."""

    def send_a_part(line: Connection, message: bytes) -> None:
        os.write(line.fileno(), bytes(message[:1000]))
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send_a_part  # type: ignore[attr-defined]
    return bytes(1_000_000)


def signals_held(_: int) -> tuple[set[int], int]:
    """Return the signals that do not reach this process, and its number."""
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, [])), os.getpid()


class ShortOrLong:
    """A task of the lab that ends at once, or waits until it is stopped; it writes down the number of its process."""

    is_done = False
    spent = 0

    def __init__(self, note: Path, *, is_short: bool) -> None:
        self.run = note
        self.is_short = is_short

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        self.run.write_text(str(os.getpid()), encoding="utf-8")
        while not self.is_short and not is_interrupted():
            time.sleep(0.05)
