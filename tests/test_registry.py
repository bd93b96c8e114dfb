"""Strategies, judges, worlds and export formats are found by name; other packages add theirs by entry points."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from honeyguide.cli.main import main
from honeyguide.errors import SettingsError
from honeyguide.registry import EXPORTS, JUDGES, STRATEGIES, WORLDS, Registry

EXAMPLE = Path(__file__).parent.parent / "examples" / "own_strategy"


def installed(folder: Path, entry_points: dict[str, dict[str, str]]) -> None:
    """Write what an installer leaves beside a package."""
    metadata = folder / "own_strategy-0.1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: own-strategy\nVersion: 0.1\n")
    sections = [
        "\n".join([f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())])
        for group, entries in entry_points.items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(sections) + "\n")


def honeyguide(*arguments: str, path: tuple[Path, ...]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    command = [sys.executable, "-m", "honeyguide", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


CRAWL = ("--world", "synthetic", "--budget", "10", "--strategy", "short-address")


def test_the_strategy_of_another_package_crawls_with_its_own_settings_and_the_run_outlives_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    installed(tmp_path / "site", project["entry-points"])
    run, path = tmp_path / "run", (tmp_path / "site", EXAMPLE)
    done = honeyguide("crawl", str(run), *CRAWL, "--set", "short_address.per_part=2", path=path)
    assert done.returncode == 0, done.stderr
    written = tomllib.loads((run / "settings.toml").read_text())
    assert written["crawl"]["strategy"] == "short-address"
    assert written["short_address"] == {"wanted": [], "per_part": 2.0}
    wrong = honeyguide("crawl", str(tmp_path / "no"), *CRAWL, "--set", "short_address.per_part=-2", path=path)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "short_address.per_part is -2.0: it must be at least 0 and at most 100" in wrong.stderr
    for reading in ("results", "stats", "search", "export"):
        further = {"search": ["rock"], "export": ["--format", "csv", str(tmp_path / "pages.csv")]}
        assert main([reading, str(run), *further.get(reading, [])]) == 0
    capsys.readouterr()
    assert main(["resume", str(run), "--budget", "+10"]) == 2
    (refused,) = capsys.readouterr().err.splitlines()
    assert "strategy 'short-address' is not installed" in refused


def test_a_run_keeps_no_settings_of_a_package_that_it_does_not_use(tmp_path: Path) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    installed(tmp_path / "site", project["entry-points"])
    run = tmp_path / "run"
    done = honeyguide("crawl", str(run), *CRAWL[:-1], "breadth-first", path=(tmp_path / "site", EXAMPLE))
    assert done.returncode == 0, done.stderr
    assert "short_address" not in tomllib.loads((run / "settings.toml").read_text())
    assert main(["resume", str(run), "--budget", "+10"]) == 0


@pytest.mark.thorough
def test_a_strategy_that_cannot_be_loaded_is_named_and_harms_nobody_else(tmp_path: Path) -> None:
    installed(tmp_path / "site", {"honeyguide.strategies": {"short-address": "not_there:Anything"}})
    path = (tmp_path / "site",)
    done = honeyguide("crawl", str(tmp_path / "run"), *CRAWL, path=path)
    assert done.returncode == 2
    assert "the strategy 'short-address' of the package own-strategy cannot be loaded" in done.stderr
    assert not (tmp_path / "run").exists()
    fine = honeyguide("crawl", str(tmp_path / "run"), *CRAWL[:-1], "breadth-first", path=path)
    assert fine.returncode == 0, fine.stderr


@pytest.mark.parametrize("registry", [STRATEGIES, JUDGES, WORLDS, EXPORTS], ids=lambda registry: registry.kind)
def test_everything_that_is_listed_is_there(registry: Registry) -> None:
    assert len(list(registry)) == len(registry) >= 6
    for name in registry:
        assert name in registry
        assert registry[name] is not None
    assert "nothing of the kind" not in registry
    with pytest.raises(KeyError):
        registry["nothing of the kind"]


def test_a_name_of_ours_cannot_be_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    installed(tmp_path, {"test.kinds": {"ours": "elsewhere:Thing", "theirs": "elsewhere:Thing"}})
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = Registry("kind", "test.kinds", {"ours": "honeyguide.errors:SettingsError"})
    assert list(registry) == ["ours", "theirs"]
    assert registry["ours"] is SettingsError
    assert [record.getMessage() for record in caplog.records] == [
        "the kind 'ours' of the package own-strategy is left out: honeyguide has one of that name; rename it there"
    ]
    with pytest.raises(SettingsError, match=r"kind 'theirs' of the package own-strategy cannot be loaded"):
        registry["theirs"]
