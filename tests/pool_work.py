"""Work that tests have done in other processes, which can import this module but no test."""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection


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
