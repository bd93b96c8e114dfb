"""`python -m honeyguide` is the same command line, exit status included."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def test_the_module_gives_the_commands_exit_status(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "honeyguide", "results", str(tmp_path / "nowhere")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
