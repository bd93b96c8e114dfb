"""A crawl from the command line, gone on with and extended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.main import main
from honeyguide.cli.options import parse_assignment
from honeyguide.runs import open_run

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import RunProgram

WORLD = "synthetic:pages=2000,hosts=20"


def test_a_crawl_ends_with_a_summary_and_what_to_type_next(run_program: RunProgram) -> None:
    done = run_program("crawl", "my run", "--world", WORLD, "--topic", "geology", "--keyword", "rock", "--budget", "40")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "Stopped: budget of fetches spent." in done.stdout
    assert "40 of 40" in done.stdout
    assert "honeyguide results 'my run'" in done.stdout
    assert "honeyguide resume 'my run' --budget +1000" in done.stdout


def test_json_is_one_document_and_all_there_is_on_stdout(run_program: RunProgram, tmp_path: Path) -> None:
    flags = ("--world", WORLD, "--topic", "geology", "--budget", "40", "--json", "-v", "--log-file", "story.log")
    done = run_program("crawl", "run", *flags)
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["fetches"] == 40
    assert document["stop_reason"] == "budget of fetches spent"
    assert document["run"] == "run"
    assert "starting: topic 'geology'" in done.stderr
    assert "stopped: budget of fetches spent" in (tmp_path / "story.log").read_text(encoding="utf-8")


def test_flags_go_over_the_config_file(tmp_path: Path) -> None:
    config = tmp_path / "run.toml"
    config.write_text(
        f'[topic]\nname = "chess"\nkeywords = ["pawn"]\n[crawl]\nworld = "{WORLD}"\n[budget]\nfetches = 7\n',
        encoding="utf-8",
    )
    flags = ("--topic", "geology", "--seed", "0", "--set", "politeness.delay_s=0.5", "--strategy", "breadth-first")
    assert main(["crawl", str(tmp_path / "run"), "--config", str(config), *flags]) == 0
    with open_run(tmp_path / "run") as run:
        assert run.settings.topic.name == "geology"
        assert run.settings.topic.keywords == ("pawn",)
        assert run.settings.budget.fetches == 7
        assert run.settings.politeness.delay_s == 0.5
        assert run.settings.crawl.strategy == "breadth-first"


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("judge.kind=keyword", "judge.kind", "keyword"),
        ('topic.name="2024"', "topic.name", "2024"),
        ("fetch.timeout_s = 3.5", "fetch.timeout_s", 3.5),
        ("politeness.obey_robots=false", "politeness.obey_robots", False),
        ('crawl.seed_urls=["http://a.test/?b=c"]', "crawl.seed_urls", ["http://a.test/?b=c"]),
        ("topic.name=1\nother = 2", "topic.name", "1\nother = 2"),
    ],
)
def test_an_assignment_is_toml_where_it_can_be_and_text_elsewhere(text: str, key: str, value: object) -> None:
    assert parse_assignment(text) == (key, value)


def test_resuming_a_finished_run_says_that_there_is_nothing_to_do(
    finished_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["resume", str(finished_run)]) == 0
    assert capsys.readouterr().out == "nothing to do: budget of fetches spent; extend it with --budget +1000\n"


@pytest.mark.parametrize(("budget", "total"), [("+15", 75), ("80", 80)])
def test_a_finished_run_can_be_extended(
    finished_run: Path, capsys: pytest.CaptureFixture[str], budget: str, total: int
) -> None:
    assert main(["resume", str(finished_run), "--budget", budget, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["fetches"] == document["budget"] == total


def test_a_limit_raised_by_hand_lets_a_finished_run_go_on(
    finished_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = finished_run / "settings.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace("fetches = 60", "fetches = 64"), encoding="utf-8")
    assert main(["resume", str(finished_run)]) == 0
    assert "64 of 64" in capsys.readouterr().out
