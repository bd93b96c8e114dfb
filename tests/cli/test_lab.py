"""The laboratory as a user runs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal

WORLD = ("--world", "synthetic:seed=3,pages=400,hosts=6,topics=4")
GEOLOGY = (*WORLD, "--topic", "geology")
QUICK = ("--budget", "20", "--repeats", "2", "--jobs", "1", "-o", "out")


@pytest.fixture(autouse=True)
def _in_an_empty_folder_and_without_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("honeyguide_lab.writing.can_draw", lambda: False)
    monkeypatch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)


def test_json_is_the_document_and_nothing_else(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status = main(["lab", "compare", *GEOLOGY, "--strategy", "random", "--strategy", "breadth-first", *QUICK, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert status == 0
    (world,) = document["worlds"]
    assert (world["topic"], world["budget"], world["self_graded"]) == ("geology", 20, False)
    assert [each["name"] for each in world["strategies"]] == ["random", "breadth-first"]
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == document


def test_a_table_is_shown_and_says_where_the_rest_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["lab", "compare", *GEOLOGY, "--strategy", "random", *QUICK]) == 0
    shown = capsys.readouterr().out
    assert "| random (floor) |" in shown
    assert "are in out." in shown
    assert (tmp_path / "out" / "summary.md").read_text() in shown


def test_one_file_describes_it_all_and_flags_go_over_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(
        f'worlds = ["{WORLD[1]}"]\nstrategies = ["random"]\nbudget = 500\n[[topics]]\nname = "geology"\n'
        '[[topics]]\nname = "cooking"\n'
    )
    assert main(["lab", "compare", "--config", "lab.toml", *QUICK, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(world["topic"], world["budget"]) for world in document["worlds"]] == [("geology", 20), ("cooking", 20)]


def test_a_sweep_tries_every_value(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    flags = ("--parameter", "online_ridge.regularisation", "--values", "0.1,10")
    assert main(["lab", "sweep", *flags, *GEOLOGY, *QUICK, "--json"]) == 0
    (world,) = json.loads(capsys.readouterr().out)["worlds"]
    assert [each["settings"]["online_ridge.regularisation"] for each in world["strategies"]] == [0.1, 10]
    assert (tmp_path / "out" / "summary.md").exists()


def test_without_matplotlib_plots_are_left_out_with_a_word(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["lab", "compare", *GEOLOGY, "--strategy", "random", *QUICK, "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["worlds"]
    assert err.count("\n") == 1
    assert "matplotlib" in err
    assert not (tmp_path / "out" / "plots").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--world", "live", "--topic", "geology"), "live"),
        (("--world", "synthetic+http", "--topic", "geology"), "synthetic+http"),
        (("--world", "nowhere", "--topic", "geology"), "nowhere"),
        ((*WORLD, "--topic", "alchemy"), "alchemy"),
        ((*GEOLOGY, "--labels", "word:xyzzy"), "match none"),
        ((*GEOLOGY, "--labels", "category:geology"), "no categories"),
        ((*GEOLOGY, "--seed-url", "http://nowhere.test/"), "http://nowhere.test/"),
        ((*GEOLOGY, "--strategy", "wander"), "wander"),
        ((*GEOLOGY, "--budget", "many"), "many"),
        ((*GEOLOGY, "--set", "judge.kind=dice"), "judge.kind"),
        ((*WORLD, "--topic", "geology", "--topic", "cooking", "--keyword", "rock"), "--keyword"),
        ((*WORLD,), "no topic"),
        ((*GEOLOGY, "--config", "none.toml"), "none.toml"),
    ],
)
def test_what_cannot_be_compared_is_refused(refusal: Refusal, arguments: tuple[str, ...], told: str) -> None:
    assert told in refusal("lab", "compare", *arguments, "-o", "out")


def test_a_sweep_of_nothing_is_refused(refusal: Refusal) -> None:
    assert "parameter" in refusal("lab", "sweep", *GEOLOGY, "-o", "out")
    assert "0.5x" in refusal(
        "lab", "sweep", *GEOLOGY, "--parameter", "online_ridge.exploration", "--values", "0.5x", "-o", "out"
    )


def test_a_folder_with_other_things_in_it_is_left_alone(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("Dear")
    assert "not empty" in refusal("lab", "compare", *GEOLOGY, "-o", "out")


class TestReproduce:
    QUICK = ("--quick", "--jobs", "1", "-o", "out")

    def test_json_is_the_document_and_nothing_else(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        assert main(["lab", "reproduce", "wikicrawler", *WORLD, *self.QUICK, "--seed", "5", "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert (document["paper"], document["seed"], document["quick"]) == ("wikicrawler", 5, True)
        assert json.loads((tmp_path / "out" / "report.json").read_text()) == document

    def test_the_report_is_shown_and_says_where_the_rest_is(
        self, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        assert main(["lab", "reproduce", "lim2016", *WORLD, *self.QUICK]) == 0
        out, err = capsys.readouterr()
        assert "| 50         | breadth-first        |" in out
        assert (tmp_path / "out" / "report.md").read_text() in out
        assert out.endswith("The report, its tables and crawls are in out.\n")
        assert "matplotlib" in err

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (("lim2061",), "did you mean lim2016?"),
            (("han2019",), "did you mean han2018?"),
            (("newton",), "choose one of han2018, lim2016, pertejo2021, wikicrawler"),
            (("lim2016", "--tasks", "3"), "lim2016 takes no --tasks"),
            (("pertejo2021", "--share", "2"), "--share is 2: give a part between 0 and 1"),
            (("han2018", "--quick", "--vectors", "nowhere.txt"), "nowhere.txt"),
            (("lim2016", "--world", "live"), "live"),
            (("lim2016", "--world", "wiki:nowhere"), "nowhere"),
            (("lim2016", "--seed", "-1"), "crawl.seed is -1"),
            (("wikicrawler", "--seed", "some"), "some"),
            (("lim2016", "--jobs", "0"), "--jobs"),
            ((), "PAPER"),
        ],
    )
    def test_what_cannot_be_reproduced_is_refused(
        self, refusal: Refusal, arguments: tuple[str, ...], told: str
    ) -> None:
        assert told in refusal("lab", "reproduce", *arguments, "-o", "out")

    def test_a_folder_with_other_things_in_it_is_left_alone(self, refusal: Refusal, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "letter.txt").write_text("Dear")
        assert "not empty" in refusal("lab", "reproduce", "lim2016", *WORLD, "-o", "out")


@pytest.mark.parametrize("command", ["compare", "reproduce", "sweep"])
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", command, "--help"]) == 0
    assert f"honeyguide lab {command} " in capsys.readouterr().out
