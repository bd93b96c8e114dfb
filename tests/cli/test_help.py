"""What a newcomer sees first."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.crawl import STRATEGY_LINES
from honeyguide.cli.main import main
from honeyguide.settings import STRATEGIES

if TYPE_CHECKING:
    from cli.conftest import RunProgram


def test_without_arguments_there_is_help(run_program: RunProgram) -> None:
    done = run_program()
    assert done.returncode == 0
    assert done.stderr == ""
    for command in ("demo", "crawl", "resume", "results"):
        assert f" {command} " in done.stdout


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"honeyguide {metadata.version('honeyguide')}\n"


def test_the_help_of_crawl_tells_of_every_strategy() -> None:
    assert set(STRATEGY_LINES) == set(STRATEGIES)


@pytest.mark.parametrize("command", ["demo", "crawl", "resume", "results"])
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Example" in shown
    assert f"honeyguide {command} " in shown
    assert "--json" in shown


def test_help_does_not_load_the_engine() -> None:
    script = (
        "import sys; from honeyguide.cli.main import main; main(['--help']);"
        "print(sorted({'honeyguide.crawler', 'honeyguide.runs', 'aiohttp', 'wordllama'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
