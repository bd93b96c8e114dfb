"""A lock is held by one at a time, and by nobody who is dead."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from honeyguide.runs import FileLock

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys, time
from pathlib import Path
from honeyguide.runs import FileLock
with FileLock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_holder_is_turned_away_until_the_first_lets_go(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with FileLock(file) as lock:
        with pytest.raises(BlockingIOError):
            FileLock(file)
        lock.close()
        lock.close()
        FileLock(file).close()
    with FileLock(file):
        pass


def test_a_lock_dies_with_the_process_that_held_it(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(file)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError):
            FileLock(file)
        holder.kill()
        holder.wait()
        FileLock(file).close()


def test_a_file_that_cannot_be_made_is_not_taken_for_one_that_is_held(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file") as caught:
        FileLock(tmp_path / "nowhere" / "lock")
    assert not isinstance(caught.value, BlockingIOError)
