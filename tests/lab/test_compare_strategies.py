"""A comparison from beginning to end: honest figures, everything written down, resumable."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.errors import RunExists, SettingsError
from honeyguide.model import Url
from honeyguide.runs import open_run
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.compare import Comparison, compare_strategies
from honeyguide_lab.plots import can_draw
from honeyguide_lab.spec import experiment_from

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from honeyguide_lab.spec import Experiment

SPEC = "seed=3,pages=400,hosts=6,topics=4"
EXPERIMENT = experiment_from(
    {
        "worlds": [f"synthetic:{SPEC}"],
        "topics": [{"name": "geology"}, {"name": "cooking", "labels": "word:recipe", "keywords": ["recipe", "oven"]}],
        "strategies": ["random", "best-first"],
        "budget": 60,
        "repeats": 2,
    }
)
ONE = replace(EXPERIMENT, topics=EXPERIMENT.topics[:1], contenders=EXPERIMENT.contenders[:1])


def compared(experiment: Experiment, folder: Path, jobs: int = 1) -> Comparison:
    done = compare_strategies(experiment, folder, jobs=jobs)
    assert done is not None
    return done


@pytest.fixture(scope="module")
def comparison(shared_folder: Callable[[str], AbstractContextManager[Path]]) -> Comparison:
    with shared_folder("comparison") as folder:
        return compared(EXPERIMENT, folder / "out")


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots take most of the time of a small comparison; the one that all tests share has them."""
    monkeypatch.setattr("honeyguide_lab.report_files.can_draw", lambda: False)


def figures(document: dict[str, Any]) -> list[Any]:
    """What does not depend on how fast the machine was."""
    return [
        (world["topic"], world["R"], world["oracle"], each["name"], each["relevant"], each["area_under_curve"])
        for world in document["worlds"]
        for each in world["strategies"]
    ]


def test_the_document_has_the_promised_shape(comparison: Comparison) -> None:
    written = json.loads((comparison.folder / "summary.json").read_text())
    assert figures(written) == figures(comparison.document)
    world = written["worlds"][0]
    assert {"world", "topic", "budget", "R", "bound", "oracle", "self_graded", "strategies"} <= world.keys()
    assert world["bound"] == min(world["budget"], world["R"])
    assert 0 < world["oracle"] <= world["bound"]
    for each in world["strategies"]:
        assert {"name", "relevant", "harvest_rate", "of_oracle", "seconds", "settings"} <= each.keys()
        assert len(each["relevant"]["runs"]) == 2
        assert each["harvest_rate"] == pytest.approx(each["relevant"]["mean"] / 60, abs=1e-6)
        assert each["of_oracle"] == pytest.approx(each["relevant"]["mean"] / world["oracle"], abs=1e-5)
    assert [each["is_floor"] for each in world["strategies"]] == [True, False]
    assert world["data_hash"]
    assert written["honeyguide"]


def test_a_run_is_graded_by_the_labels_and_not_by_the_judge(comparison: Comparison) -> None:
    web = SyntheticWorld(SyntheticSpec.parse(SPEC))
    best_first = comparison.document["worlds"][0]["strategies"][1]
    with open_run(comparison.folder / "runs" / "01-synthetic-geology" / "best-first-seed0" / "run") as run:
        on_topic = sum(web.topic_of(page.url) == "geology" for page in run.pages())
    assert best_first["relevant"]["runs"][0] == on_topic


def test_every_step_of_every_run_is_in_a_csv(comparison: Comparison) -> None:
    files = sorted((comparison.folder / "steps").rglob("*.csv"))
    assert len(files) == 8
    with (comparison.folder / "steps" / "01-synthetic-geology" / "random-seed1.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["step", "url", "outcome", "relevant", "reward", "score"]
    assert [int(row["step"]) for row in rows] == list(range(1, 61))
    found = comparison.document["worlds"][0]["strategies"][0]["relevant"]["runs"][1]
    assert sum(int(row["relevant"]) for row in rows) == found


@pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed")
def test_every_topic_has_its_plots_and_there_is_one_across_topics(comparison: Comparison) -> None:
    names = {"01-geology-harvest", "01-geology-relevance", "02-cooking-harvest", "02-cooking-relevance", "topics"}
    assert {file.name for file in (comparison.folder / "plots").iterdir()} == {
        f"{name}.{ending}" for name in names for ending in ("png", "svg")
    }


def test_a_self_graded_topic_makes_no_headline(comparison: Comparison) -> None:
    geology, cooking = comparison.document["worlds"]
    assert (geology["self_graded"], cooking["self_graded"]) == (False, True)
    assert {pair["topics"] for pair in comparison.document["paired"]} == {1}
    headlines, _, rest = comparison.table.partition("# Not for headlines")
    assert "cooking" not in headlines
    assert "cooking" in rest


def test_called_again_it_crawls_nothing_and_says_the_same(comparison: Comparison) -> None:
    runs = sorted((comparison.folder / "runs").rglob("settings.toml"))
    before = [file.stat().st_mtime_ns for file in runs]
    again = compared(EXPERIMENT, comparison.folder)
    assert figures(again.document) == figures(comparison.document)
    assert [file.stat().st_mtime_ns for file in runs] == before


@pytest.mark.thorough
def test_an_interrupted_comparison_goes_on_to_the_same_figures(comparison: Comparison, tmp_path: Path) -> None:
    answers = iter([False] * 150 + [True] * 10_000)
    stopped = compare_strategies(EXPERIMENT, tmp_path / "out", jobs=1, is_interrupted=lambda: next(answers))
    assert stopped is None
    assert not (tmp_path / "out" / "summary.json").exists()
    # A process killed while it makes a folder leaves one without anything in it that could be read.
    (tmp_path / "out" / "runs" / "02-synthetic-cooking" / "best-first-seed1" / "run").mkdir(parents=True)
    assert figures(compared(EXPERIMENT, tmp_path / "out").document) == figures(comparison.document)


@pytest.mark.thorough
def test_processes_of_their_own_crawl_the_same(comparison: Comparison, tmp_path: Path) -> None:
    both = replace(EXPERIMENT, topics=EXPERIMENT.topics[:1], repeats=1)
    document = compared(both, tmp_path / "out", jobs=2).document
    alone = [each["relevant"]["runs"][0] for each in comparison.document["worlds"][0]["strategies"]]
    assert [each["relevant"]["runs"][0] for each in document["worlds"][0]["strategies"]] == alone


@pytest.mark.thorough
def test_a_crawl_that_runs_dry_is_charged_for_the_whole_budget(tmp_path: Path) -> None:
    small = replace(ONE, worlds=("synthetic:seed=3,pages=200,hosts=4,topics=4",), budget=800, repeats=1)
    document = compared(small, tmp_path / "out").document
    (run,) = document["worlds"][0]["strategies"][0]["runs"]
    assert run["stop_reason"] == "nothing left to crawl"
    assert run["fetches"] < 800
    assert run["harvest_rate"] == pytest.approx(run["relevant"] / 800, abs=1e-6)
    assert run["target_recall"] == 1.0
    assert run["of_oracle"] == 1.0


def test_a_budget_of_r_is_as_many_fetches_as_there_are_pages_to_find(tmp_path: Path) -> None:
    (world,) = compared(replace(ONE, budget=None, repeats=1), tmp_path / "out").document["worlds"]
    assert world["budget"] == world["R"]
    assert world["strategies"][0]["harvest_at_R"] == world["strategies"][0]["relevant"]["mean"]


def test_cold_starts_are_off_topic_pages_and_the_same_for_all_strategies(tmp_path: Path) -> None:
    cold = replace(EXPERIMENT, topics=EXPERIMENT.topics[:1], random_seeds=3, budget=20)
    (world,) = compared(cold, tmp_path / "out").document["worlds"]
    first, second = ([Url(url) for url in start["seed_urls"]] for start in world["starts"])
    web = SyntheticWorld(SyntheticSpec.parse(SPEC))
    assert len(first) == len(second) == 3
    assert first != second
    assert all(web.topic_of(url) != "geology" for url in first + second)
    for name in ("random", "best-first"):
        with open_run(tmp_path / "out" / "runs" / "01-synthetic-geology" / f"{name}-seed0" / "run") as run:
            assert set(run.settings.crawl.seed_urls) == {url.text for url in first}


@pytest.mark.parametrize("changed", [{"repeats": 3}, {"budget": 61}])
def test_a_folder_of_another_experiment_is_refused(comparison: Comparison, changed: dict[str, int]) -> None:
    with pytest.raises(RunExists, match="another experiment"):
        compare_strategies(replace(EXPERIMENT, **changed), comparison.folder)  # type: ignore[arg-type]


def test_mistakes_that_only_the_world_shows_are_told_together_and_leave_nothing(tmp_path: Path) -> None:
    topics = tuple(
        replace(EXPERIMENT.topics[0], **change)
        for change in (
            {"name": "alchemy"},
            {"labels": "word:xyzzy"},
            {"name": "cooking", "seed_urls": ("http://nowhere.test/",)},
            {"labels": "csv:none.csv"},
        )
    )
    with pytest.raises(SettingsError) as caught:
        compare_strategies(replace(EXPERIMENT, topics=topics), tmp_path / "out")
    assert len(caught.value.mistakes) == 4
    assert list(tmp_path.iterdir()) == []
