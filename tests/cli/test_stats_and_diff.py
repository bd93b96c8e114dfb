"""`honeyguide stats` and `honeyguide diff` as a person types them."""

from __future__ import annotations

import json
from dataclasses import asdict
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.cli.main import main
from honeyguide.runs import RunFolder, SqliteStore
from honeyguide.settings import Settings, to_toml

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal


@pytest.fixture
def empty_run(tmp_path: Path) -> Path:
    folder, lock = RunFolder.create(tmp_path / "empty", to_toml(Settings()))
    lock.close()
    SqliteStore(folder.database_file).close()
    return folder.path


def test_stats_are_told_in_lines_and_as_json(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(finished_run), "--top", "3"]) == 0
    shown = capsys.readouterr().out
    counted = honeyguide.stats(finished_run, top=3)
    for words in (
        "fetches       60 of ",
        f"pages         {counted.pages}, of which relevant {counted.relevant}",
        "Outcomes",
        "Time by stage",
        f"Hosts, 3 of {counted.hosts} asked",
        f"hosts         {counted.hosts} asked, of {counted.domains} domains; {counted.hosts_with_pages} gave pages",
        counted.top_hosts[2].host,
        counted.patterns[0].pattern,
        "Clicks from a seed",
    ):
        assert words in shown
    assert main(["stats", str(finished_run), "--top", "3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads(json.dumps(asdict(counted)))


def test_a_run_without_pages_has_stats_and_differs_from_none(
    empty_run: Path, finished_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", str(empty_run)]) == 0
    assert "pages         0, of which relevant 0" in capsys.readouterr().out
    assert main(["diff", str(empty_run), str(finished_run)]) == 0
    assert "0 pages in both; settings differ" in capsys.readouterr().out


def test_a_diff_is_told_in_lines_and_as_json(
    finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    longer = copytree(finished_run, tmp_path / "longer")
    honeyguide.resume(longer, budget="+20").close()
    capsys.readouterr()
    assert main(["diff", str(finished_run), str(longer), "--top", "2"]) == 0
    shown = capsys.readouterr().out
    found = honeyguide.diff(finished_run, longer)
    assert f"Gained, in B alone: {len(found.gained)} pages" in shown
    assert "Lost, in A alone: 0 pages" in shown
    assert found.gained[1].url in shown
    assert found.gained[2].url not in shown
    assert f"… and {len(found.gained) - 2} more; --top shows them, --json has all" in shown
    assert "settings differ" in shown
    assert main(["diff", str(finished_run), str(longer), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [page["url"] for page in document["gained"]] == [page.url for page in found.gained]
    assert document["common"] == found.common


def test_one_is_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock"]},
            "crawl": {"world": "synthetic:pages=200,hosts=4"},
            "budget": {"fetches": 1},
        }
    )
    honeyguide.crawl(tmp_path / "run", settings).close()
    assert main(["stats", str(tmp_path / "run")]) == 0
    assert "  hosts         1 asked, of 1 domain; 1 gave pages\n" in capsys.readouterr().out
    assert main(["results", str(tmp_path / "run")]) == 0
    assert "1 fetch, 1 page, " in capsys.readouterr().out
    assert main(["report", str(tmp_path / "run"), "-o", "-"]) == 0
    page = capsys.readouterr().out
    for words in ("of 1 fetch<", "of 1 page<", "of 1 domain<", " after 1 fetch. Where"):
        assert words in page


@pytest.mark.parametrize("value", ["0", "-1", "some"])
def test_a_number_that_is_none_is_named(refusal: Refusal, finished_run: Path, value: str) -> None:
    told = refusal("stats", str(finished_run), "--top", value)
    assert "'--top'" in told
    assert value in told.split(":", 2)[2]


@pytest.mark.parametrize("command", ["stats", "diff"])
def test_there_is_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Example" in shown
    assert f"honeyguide {command} " in shown
    assert "--json" in shown


def test_no_run_is_refused(refusal: Refusal, finished_run: Path) -> None:
    assert "nowhere is not a run folder" in refusal("stats", "nowhere")
    assert "nowhere is not a run folder" in refusal("diff", str(finished_run), "nowhere")
    assert "nowhere is not a run folder" in refusal("diff", "nowhere", str(finished_run))
