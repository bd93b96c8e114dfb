"""The laboratory and the demo as a user runs them."""

from __future__ import annotations

import json
import re
import signal
from typing import TYPE_CHECKING

import httpx
import pytest

from cli.test_processes import wait_for_steps
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import open_run
from honeyguide_lab.cli import MinuteLines

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli, StartProgram

WORLD = "--world synthetic:seed=3,pages=400,hosts=6,topics=4"
GEOLOGY = f"{WORLD} --topic geology"
QUICK = "--budget 20 --repeats 2 --jobs 1 -o out"


@pytest.fixture(autouse=True)
def _without_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide_lab.report_files.can_draw", lambda: False)
    monkeypatch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)


def test_a_comparison_is_a_table_or_a_document_and_says_where_the_rest_is(cli: Cli, tmp_path: Path) -> None:
    compare = f"lab compare {GEOLOGY} --strategy random --strategy breadth-first {QUICK}"
    shown = cli(compare)
    assert "| random (floor)" in shown
    assert "are in out." in shown
    assert (tmp_path / "out" / "summary.md").read_text() in shown
    document = json.loads(cli(f"{compare} --json"))  # goes on where it stopped: at the end
    (world,) = document["worlds"]
    assert (world["topic"], world["budget"], world["self_graded"]) == ("geology", 20, False)
    assert [each["name"] for each in world["strategies"]] == ["random", "breadth-first"]
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == document
    assert cli.err.count("\n") == 1, "plots are left out with a word"
    assert "matplotlib" in cli.err
    assert not (tmp_path / "out" / "plots").exists()


@pytest.mark.thorough
def test_one_file_describes_it_all_and_flags_go_over_it(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(
        f'worlds = ["{WORLD.split()[1]}"]\nstrategies = ["random"]\nbudget = 500\n[[topics]]\nname = "geology"\n'
        '[[topics]]\nname = "cooking"\n'
    )
    document = json.loads(cli(f"lab compare --config lab.toml {QUICK} --json"))
    assert [(world["topic"], world["budget"]) for world in document["worlds"]] == [("geology", 20), ("cooking", 20)]


@pytest.mark.thorough
def test_a_sweep_tries_every_value(cli: Cli, tmp_path: Path) -> None:
    flags = "--parameter online_ridge.regularisation --values 0.1,10"
    (world,) = json.loads(cli(f"lab sweep {flags} {GEOLOGY} {QUICK} --json"))["worlds"]
    assert [each["settings"]["online_ridge.regularisation"] for each in world["strategies"]] == [0.1, 10]
    assert (tmp_path / "out" / "summary.md").exists()


def test_a_leaderboard_is_a_table_or_a_document_and_says_where_the_rest_is(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "board.toml").write_text(
        'strategies = ["random", "best-first"]\n[[compare]]\nname = "small web"\n'
        f'worlds = ["{WORLD.split()[1]}"]\ntopics = [{{ name = "geology" }}]\n'
    )
    command = "lab leaderboard --config board.toml --quick --jobs 1 -o out"
    shown = cli(command)
    assert (tmp_path / "out" / "leaderboard.md").read_text() in shown
    assert re.search(r"^\| strategy +\| +mean \| small web \|", shown, re.MULTILINE)
    assert shown.endswith("are in out.\n")
    document = json.loads(cli(f"{command} --json"))  # goes on where it stopped: at the end
    (played,) = document["rounds"]
    (table,) = played["budgets"]
    assert (played["crawls_made"], table["budget"]) == (2, "100")
    assert {each["strategy"] for each in table["standings"]} == {"random", "best-first"}
    assert json.loads((tmp_path / "out" / "leaderboard.json").read_text()) == document


def test_without_a_terminal_a_line_a_minute_says_how_long_it_will_take(capsys: pytest.CaptureFixture[str]) -> None:
    clock = SimulatedClock()
    lines = MinuteLines(clock)
    for done in range(1000, 1400, 100):  # the first thousand were done before
        lines("crawling", done, 2000)
        clock.advance_to(clock.now() + 40)
    assert capsys.readouterr().err == "crawling: 1,200 of 2,000, about 0:05:20 left\n"


def test_a_reproduction_shows_its_report_and_says_where_the_rest_is(cli: Cli, tmp_path: Path) -> None:
    shown = cli(f"lab reproduce wikicrawler {WORLD} --quick --jobs 1 -o out --seed 5")
    assert (tmp_path / "out" / "report.md").read_text() in shown
    assert shown.endswith("The report, its tables and crawls are in out.\n")
    assert "matplotlib" in cli.err
    document = json.loads(cli(f"lab reproduce wikicrawler {WORLD} --quick --jobs 1 -o out --seed 5 --json"))
    assert (document["paper"], document["seed"], document["quick"]) == ("wikicrawler", 5, True)
    assert json.loads((tmp_path / "out" / "report.json").read_text()) == document


def test_the_demo_as_json_has_everything_to_draw_it_again(cli: Cli, tmp_path: Path) -> None:
    document = cli.json("demo --budget 100")
    assert list(tmp_path.iterdir()) == []
    on_topic = {each["strategy"]: each["on_topic"] for each in document["strategies"]}
    assert list(on_topic) == ["random", "breadth-first", "best-first", "online-ridge"]
    assert document["settings"]["crawl.world"] == document["world"] == "synthetic+http:seed=1,pages=20000"
    for each in document["strategies"]:
        assert each["fetches"] == 100
        assert (each["curve"][0], each["curve"][-1]) == ([0, 0], [100, each["on_topic"]])
        assert each["harvest_rate"] == pytest.approx(each["on_topic"] / 100, abs=1e-6)
    assert min(on_topic["best-first"], on_topic["online-ridge"]) > max(on_topic["random"], on_topic["breadth-first"])


@pytest.mark.thorough
def test_the_demo_draws_curves_without_colour_and_keeps_runs_that_can_be_read(cli: Cli, tmp_path: Path) -> None:
    shown = cli("demo --budget 60 --keep kept --topic chess --strategy best-first --strategy random")
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    for words in ("on-topic pages", "fetches", "harvest", "about chess", "The runs are in kept."):
        assert words in shown
    assert re.search(r'honeyguide search finds [1-9]\d* pages? for ".* OR .*":\n  0\.\d{3}  \w', shown)
    assert sorted(folder.name for folder in (tmp_path / "kept").iterdir()) == ["best-first", "random"]
    report = shown.splitlines()[-1].partition("in a browser: ")[2]
    assert (tmp_path / report).read_text(encoding="utf-8").startswith("<!doctype html>")
    with open_run(tmp_path / "kept" / "random") as run:
        assert run.progress.steps == 60


@pytest.mark.thorough
def test_an_interrupted_demo_stops_and_says_how_to_go_on(start_program: StartProgram, tmp_path: Path) -> None:
    with start_program("demo", "--keep", "kept", "--json") as running:
        wait_for_steps(tmp_path / "kept" / "online-ridge", 20)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (130, "")
    first, *commands = err.splitlines()
    assert first == "stopped; go on with:"
    assert "  honeyguide resume kept/online-ridge" in commands
    assert {command.rpartition("/")[2] for command in commands} == {run.name for run in (tmp_path / "kept").iterdir()}


@pytest.mark.thorough
def test_the_served_demo_shows_its_crawl_and_stays_until_ctrl_c(start_program: StartProgram, tmp_path: Path) -> None:
    with start_program("demo", "--serve", "--no-browser", "--keep", "kept", "--budget", "40") as running:
        assert running.stderr is not None
        address = running.stderr.readline().split()[-1]
        wait_for_steps(tmp_path / "kept" / "online-ridge", 40)
        while "stays until Ctrl-C" not in (line := running.stderr.readline()):
            assert line, "it has ended by itself"
        card = httpx.get(f"{address}api/runs/online-ridge", timeout=60).json()
        assert (card["topic"], card["state"], card["fetches"]) == ("geology", "finished", 40)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "What the judge liked best of the pages that online-ridge found" in out
