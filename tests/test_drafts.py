"""Drafts of killed processes go, those of living ones stay."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.drafts import holding, remove_abandoned
from honeyguide.runs.exports.files import atomic_file, atomic_folder
from honeyguide.text import training
from honeyguide.worlds.wiki.building import _new_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

_IMPORTS = """
import os, signal
from pathlib import Path
import numpy as np
from honeyguide.runs.exports.files import atomic_file, atomic_folder
from honeyguide.text import training
from honeyguide.worlds.wiki.building import _new_folder
class Killing:
    def __iter__(self): os.kill(os.getpid(), signal.SIGKILL)
    def __len__(self): return 1
"""


def _killed(tmp_path: Path, script: str) -> None:
    done = subprocess.run([sys.executable, "-c", _IMPORTS + script], cwd=tmp_path, check=False)
    assert done.returncode < 0
    assert any(tmp_path.iterdir()), "it was killed before it began"


@pytest.mark.parametrize("maker", [atomic_file, atomic_folder, _new_folder])
def test_the_next_writer_removes_what_a_killed_one_left(
    tmp_path: Path, maker: Callable[[Path], AbstractContextManager[object]]
) -> None:
    _killed(tmp_path, f"with {maker.__name__}(Path('out')): os.kill(os.getpid(), signal.SIGKILL)")
    with maker(tmp_path / "out"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_training_left_goes_too(tmp_path: Path) -> None:
    _killed(tmp_path, "training._write(Path('out').absolute(), Killing(), np.zeros((1, 2), dtype=np.float32))")
    training._write(tmp_path / "out", ["rock"], np.zeros((1, 2), dtype=np.float32))
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("maker", [atomic_file, atomic_folder])
def test_a_draft_that_is_being_written_stays(tmp_path: Path, maker: object) -> None:
    with maker(tmp_path / "out"):  # type: ignore[operator]
        (draft,) = tmp_path.iterdir()
        remove_abandoned(tmp_path, ".out")
        assert draft.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_only_drafts_of_the_name_are_looked_at(tmp_path: Path) -> None:
    for name in (".out.draft", ".out-1.draft.txt", ".other.draft"):
        (tmp_path / name).write_text("precious", encoding="utf-8")
    (tmp_path / ".out-link.draft").symlink_to(tmp_path / ".other.draft")
    with holding(tmp_path / ".out.draft"):
        remove_abandoned(tmp_path, ".out")
        assert len(list(tmp_path.iterdir())) == 4
    remove_abandoned(tmp_path, ".out")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.draft", ".out-1.draft.txt", ".out-link.draft"]


def test_sigterm_ends_a_command_and_leaves_no_draft(tmp_path: Path) -> None:
    command = """
import honeyguide.cli.main
def command(*_, **__):
    with atomic_file(Path("out")):
        os.kill(os.getpid(), signal.SIGTERM)
honeyguide.cli.main.app = command
honeyguide.cli.main.main([])
"""
    done = subprocess.run([sys.executable, "-c", _IMPORTS + command], cwd=tmp_path, check=False)
    assert done.returncode == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []
