"""What a newcomer sees first."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.crawl import FLAGS, STRATEGY_LINES
from honeyguide.cli.main import COMMANDS, main
from honeyguide.registry import EXPORTS
from honeyguide.settings import SETTINGS_BY_KEY, STRATEGIES

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


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_within_80_columns(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"honeyguide {command} " in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_everyday_help_of_crawl_fits_two_screens_and_all_of_it_is_there_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["crawl", "--help"]) == 0
    everyday = capsys.readouterr().out
    assert everyday.count("\n") <= 100
    assert "--max-pages-per-host" not in everyday
    assert main(["crawl", "--help-all"]) == 0
    assert "--max-pages-per-host" in capsys.readouterr().out


def test_the_help_of_export_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--help"]) == 0
    shown = capsys.readouterr().out
    assert [name for name in EXPORTS if name not in shown] == []


def test_the_help_of_crawl_loads_no_strategy_and_shows_defaults_that_hold() -> None:
    script = (
        "import sys; from honeyguide.cli.main import main; main(['crawl', '--help-all']);"
        "print(sorted({'honeyguide.crawler', 'honeyguide.learn', 'aiohttp', 'wordllama'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
    written = {flag.key: flag.text_default for flag in FLAGS if flag.text_default}
    assert written == {key: SETTINGS_BY_KEY[key].default for key in written} != {}


def test_neither_import_nor_help_loads_the_engine() -> None:
    script = (
        "import sys, honeyguide; from honeyguide.cli.main import COMMANDS, main; main(['--help']);"
        "print(sorted({'honeyguide.crawler', 'honeyguide.settings', 'honeyguide_lab', 'aiohttp', 'numpy', 'wordllama'}"
        " & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
