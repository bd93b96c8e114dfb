"""The program as a user runs it: as a process of its own, and in this one where that is enough."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

import honeyguide
from honeyguide.cli.main import main

PROGRAM = (sys.executable, "-m", "honeyguide.cli.main")
FIRST_BUDGET = 60

RunProgram = Callable[..., "subprocess.CompletedProcess[str]"]
StartProgram = Callable[..., "subprocess.Popen[str]"]
Refusal = Callable[..., str]


@pytest.fixture
def run_program(tmp_path: Path) -> RunProgram:
    """Run the program to its end, in an empty folder."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PROGRAM, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )

    return run


@pytest.fixture
def start_program(tmp_path: Path) -> StartProgram:
    """Start the program and leave it running."""

    def start(*arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*PROGRAM, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    return start


@pytest.fixture
def refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Refusal:
    """Run a command that must be refused: status 2, one line on stderr, nothing on stdout, nothing left behind."""
    monkeypatch.chdir(tmp_path)

    def refused(*arguments: str) -> str:
        before = _contents(tmp_path)
        status = main(arguments)
        out, err = capfd.readouterr()
        assert status == 2
        assert out == ""
        assert err.startswith("honeyguide: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        assert _contents(tmp_path) == before
        return err

    return refused


def _contents(folder: Path) -> dict[str, bytes]:
    """Every file and folder below this one; SQLite's own files come and go with whoever looks."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
        if not path.name.startswith("crawl.sqlite") and path.name != "lock"
    }


@pytest.fixture(scope="session")
def finished_run_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral", "fossil"]},
            "crawl": {"world": "synthetic:pages=2000,hosts=20"},
            "budget": {"fetches": FIRST_BUDGET},
        }
    )
    path = tmp_path_factory.mktemp("cli") / "finished"
    honeyguide.crawl(path, settings).close()
    return path


@pytest.fixture
def finished_run(finished_run_once: Path, tmp_path: Path) -> Path:
    """A run that has spent its budget, for this test alone."""
    return Path(copytree(finished_run_once, tmp_path / "finished"))
