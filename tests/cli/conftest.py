"""The program as a user runs it: in this process, or as a process of its own where that is the point."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest

import honeyguide
from honeyguide.cli.main import main

if TYPE_CHECKING:
    from types import TracebackType

PROGRAM = (sys.executable, "-m", "honeyguide.cli.main")
FIRST_BUDGET = 60

RunProgram = Callable[..., "subprocess.CompletedProcess[Any]"]
StartProgram = Callable[..., "subprocess.Popen[str]"]
Refusal = Callable[..., str]


def _split(arguments: tuple[object, ...]) -> list[str]:
    """Split one string as a shell would; several arguments stay as they are."""
    return shlex.split(str(arguments[0])) if len(arguments) == 1 else [str(each) for each in arguments]


class Cli:
    """Runs commands in this process. `err` is what the last one wrote on stderr."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured
        self.err = ""

    def __call__(self, *arguments: object, status: int = 0) -> str:
        """Return what the command wrote on stdout."""
        self._captured.readouterr()
        given = main(_split(arguments))
        out, self.err = self._captured.readouterr()
        assert given == status, self.err
        return out

    def json(self, *arguments: object) -> Any:
        """Return the document that --json prints, and nothing else on either stream."""
        document = json.loads(self(*_split(arguments), "--json"))
        assert self.err == ""
        return document


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Cli:
    """Commands, run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Cli(capfd)


@pytest.fixture
def refusal(tmp_path: Path, cli: Cli) -> Refusal:
    """Run a command that must be refused: status 2, one line on stderr, nothing on stdout, nothing left behind."""

    def refused(*arguments: object) -> str:
        before = _contents(tmp_path)
        assert cli(*arguments, status=2) == ""
        assert cli.err.startswith("honeyguide: ")
        assert cli.err.endswith("\n")
        assert cli.err.count("\n") == 1
        assert _contents(tmp_path) == before
        return cli.err

    return refused


def _contents(folder: Path) -> dict[str, bytes]:
    """Return every file and folder below this one; SQLite's own files come and go with whoever looks."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
        if not path.name.startswith("crawl.sqlite") and path.name != "lock"
    }


@pytest.fixture
def run_program(tmp_path: Path) -> RunProgram:
    """Run the program to its end as a process, in an empty folder."""

    def run(*arguments: str, **further: Any) -> subprocess.CompletedProcess[Any]:
        options: dict[str, Any] = {"cwd": tmp_path, "capture_output": True, "text": True, "timeout": 60} | further
        return subprocess.run([*PROGRAM, *arguments], check=False, **options)

    return run


class Started(subprocess.Popen[str]):
    """A program that is killed where its test fails: waited for, it would hide why."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, error, traceback)


@pytest.fixture
def start_program(tmp_path: Path) -> StartProgram:
    """Start the program and leave it running."""

    def start(*arguments: str) -> subprocess.Popen[str]:
        return Started([*PROGRAM, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start


@pytest.fixture(scope="session")
def shared_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has spent its budget; only to be read."""
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
def finished_run(shared_run: Path, tmp_path: Path) -> Path:
    """The same run, for this test alone, as `finished` in its folder."""
    return Path(copytree(shared_run, tmp_path / "finished"))
