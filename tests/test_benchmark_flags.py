"""Flags of benchmarks that run long are looked at before anything begins."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TRAPS = Path(__file__).parent.parent / "benchmarks" / "traps.py"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--sites", "nowhere"), "argument --sites: nowhere has no index.html: name a folder of HTML"),
        (("--strategies", "breadth-first,nope"), "argument --strategies: no strategy is called 'nope'; known are "),
    ],
)
def test_what_does_not_exist_is_refused_in_a_line(tmp_path: Path, flags: tuple[str, ...], told: str) -> None:
    command = [sys.executable, str(TRAPS), "--out", str(tmp_path / "out.jsonl"), *flags]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
