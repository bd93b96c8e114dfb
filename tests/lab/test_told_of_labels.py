"""Contenders that are told of the labels: rewarded by them alone, and marked wherever their figures stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

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


def compared(folder: Path, **document: Any) -> Comparison:
    given = {
        "worlds": [f"synthetic:{SPEC}"],
        "topics": [{"name": "geology"}],
        "strategies": ["random", "online-ridge"],
        "budget": 60,
        "repeats": 1,
        "settings": {"judge.kind": "keyword"},
    }
    done = compare_strategies(experiment_from(given | document), folder, jobs=1)
    assert done is not None
    return done


def test_a_perfect_judge_rewards_by_the_labels_and_says_so_everywhere(tmp_path: Path) -> None:
    done = compared(tmp_path / "out", perfect_judge=True)
    web = SyntheticWorld(SyntheticSpec.parse(SPEC))
    place = tmp_path / "out" / "runs" / "01-synthetic-geology"
    with open_run(place / "online-ridge-perfect-judge-seed0" / "run") as run:
        rewards = {(page.reward, page.is_relevant, web.topic_of(page.url) == "geology") for page in run.pages()}
    assert rewards == {(1.0, True, True), (0.0, False, False)}
    with open_run(place / "online-ridge-seed0" / "run") as run:
        assert any(page.reward not in (0.0, 1.0) for page in run.pages())
    strategies = {each["name"]: each for each in done.document["worlds"][0]["strategies"]}
    assert strategies["online-ridge (perfect judge)"]["perfect_judge"]
    assert not strategies["online-ridge"]["perfect_judge"]
    (told,) = done.document["told"]
    assert told["name"] == "online-ridge"
    assert told["of_oracle"].keys() == {"told nothing", "perfect judge"}
    assert told["of_oracle"]["perfect judge"] == pytest.approx(
        strategies["online-ridge (perfect judge)"]["of_oracle"], abs=1e-6
    )
    assert "| online-ridge (perfect judge) " in done.table
    assert "| perfect judge |" in done.table


def test_a_comparison_in_which_nobody_is_told_of_the_labels_does_not_speak_of_it(tmp_path: Path) -> None:
    done = compared(tmp_path / "out")
    assert done.document["told"] == []
    assert "Told of the labels" not in done.table
