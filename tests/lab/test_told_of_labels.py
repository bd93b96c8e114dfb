"""Contenders that are told of the labels: rewarded by them alone, and marked wherever their figures stand."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.model import Url
from honeyguide.runs import open_run
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.compare import Comparison, compare_strategies
from honeyguide_lab.spec import experiment_from

if TYPE_CHECKING:
    from pathlib import Path

SPEC = "seed=3,pages=400,hosts=6,topics=4"


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide_lab.report_files.can_draw", lambda: False)


GIVEN = {
    "worlds": [f"synthetic:{SPEC}"],
    "topics": [{"name": "geology"}],
    "strategies": ["random", "online-ridge"],
    "budget": 60,
    "repeats": 1,
    "settings": {"judge.kind": "learned"},
}


def compared(folder: Path, **document: Any) -> Comparison:
    done = compare_strategies(experiment_from(GIVEN | document), folder, jobs=1)
    assert done is not None
    return done


@pytest.mark.thorough
def test_a_perfect_judge_rewards_by_the_labels_and_says_so_everywhere(tmp_path: Path) -> None:
    done = compared(tmp_path / "out", perfect_judge=True)
    web = SyntheticWorld(SyntheticSpec.parse(SPEC))
    place = tmp_path / "out" / "runs" / "01-synthetic-geology"
    with open_run(place / "online-ridge-perfect-judge-seed0" / "run") as run:
        pages = [(page.reward, page.is_relevant, web.topic_of(page.url) == "geology") for page in run.pages()]
    assert {((reward or 0.0) >= 0.5, *told) for reward, *told in pages} == {(True, True, True), (False, False, False)}
    assert len({reward for reward, is_relevant, _ in pages if not is_relevant}) > 1
    with open_run(place / "online-ridge-seed0" / "run") as run:
        assert any(page.reward not in (0.0, 1.0) for page in run.pages())
    strategies = {each["name"]: each for each in done.document["worlds"][0]["strategies"]}
    assert strategies["online-ridge (perfect judge)"]["perfect_judge"]
    assert not strategies["online-ridge"]["perfect_judge"]
    (told,) = done.document["told"]
    assert told["name"] == "online-ridge"
    assert [share["told"] for share in told["of_oracle"]] == ["told nothing", "perfect judge"]
    share = told["of_oracle"][1]
    assert share["mean"] == pytest.approx(strategies["online-ridge (perfect judge)"]["of_oracle"], abs=1e-6)
    assert share["interval"][0] <= share["mean"] <= share["interval"][1]
    assert "| online-ridge (perfect judge) " in done.table
    assert "perfect judge |" in done.table


def test_a_comparison_in_which_nobody_is_told_of_the_labels_does_not_speak_of_it(tmp_path: Path) -> None:
    done = compared(tmp_path / "out")
    assert done.document["told"] == []
    assert "Told of the labels" not in done.table


def test_the_labels_answer_questions_and_every_answer_is_listed(tmp_path: Path) -> None:
    done = compared(tmp_path / "out", ask=[0, 3])
    web = SyntheticWorld(SyntheticSpec.parse(SPEC))
    listed = tmp_path / "out" / "answers" / "01-synthetic-geology"
    assert [file.name for file in listed.iterdir()] == ["online-ridge-answers-3-seed0.csv"]
    with (listed / "online-ridge-answers-3-seed0.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert 1 <= len(rows) <= 3
    for row in rows:
        assert row["by"] == "labels"
        assert (row["answer"] == "yes") == (web.topic_of(Url.parse(row["url"])) == "geology")
    strategies = {each["name"]: each for each in done.document["worlds"][0]["strategies"]}
    assert strategies["online-ridge (answers: 3)"]["answers"] == 3
    assert [share["told"] for share in done.document["told"][0]["of_oracle"]] == ["told nothing", "answers: 3"]
    assert "answers: 3 |" in done.table


@pytest.mark.thorough
def test_answers_are_the_same_whenever_the_comparison_is_repeated_or_goes_on(tmp_path: Path) -> None:
    whole = compared(tmp_path / "whole", ask=3, strategies=["online-ridge"])
    looks = iter([False] * 130 + [True] * 10_000)
    document = experiment_from(GIVEN | {"ask": 3, "strategies": ["online-ridge"]})
    assert compare_strategies(document, tmp_path / "broken", jobs=1, is_interrupted=lambda: next(looks)) is None
    again = compared(tmp_path / "broken", ask=3, strategies=["online-ridge"])
    place = "answers/01-synthetic-geology/online-ridge-answers-3-seed0.csv"
    assert (tmp_path / "broken" / place).read_text() == (tmp_path / "whole" / place).read_text()
    assert [each["relevant"] for each in again.document["worlds"][0]["strategies"]] == [
        each["relevant"] for each in whole.document["worlds"][0]["strategies"]
    ]
