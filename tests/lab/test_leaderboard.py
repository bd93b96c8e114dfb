"""A leaderboard: the figures of comparisons in one table, made in two rounds, and killed at any moment."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import RunExists, SettingsError, StoreError
from honeyguide_lab.compare import compare_strategies
from honeyguide_lab.leaderboard import SYNTHETIC_WEBS, leaderboard_from, make_leaderboard
from honeyguide_lab.leaderboard.standings import Row, best_of, complete, ranked

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path
    from random import Random

    from honeyguide_lab.leaderboard import Leaderboard, Standings

pytestmark = pytest.mark.thorough

SMALL = "synthetic:seed=3,pages=400,hosts=6,topics=4"
OTHER = "synthetic:seed=4,pages=400,hosts=6,topics=4"
DOCUMENT: dict[str, Any] = {
    "strategies": ["random", "best-first", "url-heuristic"],
    "topics_each": 1,
    "budgets": [40, 20],
    "repeats": 2,
    "best": {"strategies": 1, "budgets": [50], "ask": 2},
    "compare": [
        {"name": "small", "worlds": [SMALL], "topics": [{"name": "geology"}, {"name": "astronomy"}]},
        {"name": "other", "worlds": [OTHER], "seeds": "random:2", "topics": [{"name": "geology"}]},
    ],
}
BOARD = leaderboard_from(DOCUMENT)
ONE = replace(BOARD, webs=BOARD.webs[1:], best=0)


def made(board: Leaderboard, folder: Path) -> Standings:
    done = make_leaderboard(board, folder, jobs=1)
    assert done is not None
    assert done.is_complete
    return done


def rows_of(folder: Path) -> list[dict[str, str]]:
    """Every line of the CSV, without what depends on the machine."""
    with (folder / "leaderboard.csv").open() as lines:
        return [
            {name: value for name, value in row.items() if name != "processor_ms_per_fetch"}
            for row in csv.DictReader(lines)
        ]


@pytest.fixture(scope="module")
def leaderboard(shared_folder: Callable[[str], AbstractContextManager[Path]]) -> tuple[Path, Standings]:
    with shared_folder("leaderboard") as folder:
        return folder / "out", made(BOARD, folder / "out")


def test_the_first_round_has_all_strategies_and_the_second_the_best_on_every_topic(
    leaderboard: tuple[Path, Standings],
) -> None:
    folder, done = leaderboard
    first, second = done.document["rounds"]
    assert first["crawls"] == first["crawls_made"] == 3 * 2 * 2
    assert [(table["budget"], table["topics"]) for table in first["budgets"]] == [("40", 2), ("20", 2)]
    best = first["budgets"][0]["standings"][0]["strategy"]
    names = {each["strategy"] for each in second["budgets"][0]["standings"]}
    assert names == {name + told for name in {best, "best-first"} for told in ("", " (answers: 2)")}
    assert second["budgets"][0]["topics"] == 3
    assert json.loads((folder / "leaderboard.json").read_text()) == done.document
    assert (folder / "leaderboard.md").read_text() == done.table
    assert not (folder / "runs").exists()


def rows_of_one(leaderboard: tuple[Path, Standings]) -> list[dict[str, str]]:
    """The lines of the first round on the second webs: what `ONE` is to find."""
    webs = [row for row in rows_of(leaderboard[0]) if row["webs"] == "other"]
    return [row for row in webs if row["round"] == "all strategies"]


def test_its_figures_at_a_smaller_budget_are_those_of_a_comparison(
    leaderboard: tuple[Path, Standings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide_lab.report_files.can_draw", lambda: False)
    compared = compare_strategies(replace(ONE.webs[0][1], budget=20), tmp_path / "out", jobs=1)
    assert compared is not None
    (world,) = compared.document["worlds"]
    assert {
        (each["name"], str(run["seed"]), str(run["relevant"]), str(start["oracle"]))
        for each in world["strategies"]
        for run, start in zip(each["runs"], world["starts"], strict=True)
    } == {
        (row["strategy"], row["seed"], row["relevant"], row["oracle"])
        for row in rows_of_one(leaderboard)
        if row["budget"] == "20"
    }


def test_killed_in_the_middle_it_keeps_what_is_finished_and_ends_with_the_same_figures(
    leaderboard: tuple[Path, Standings], tmp_path: Path
) -> None:
    document = DOCUMENT | {"compare": DOCUMENT["compare"][1:], "best": {"strategies": 0}}
    (tmp_path / "board.toml").write_text(_as_toml(document))
    command = [sys.executable, "-m", "honeyguide", "lab", "leaderboard", "--config", "board.toml", "-o", "out"]
    process = subprocess.Popen([*command, "--jobs", "1"], cwd=tmp_path, stderr=subprocess.PIPE)
    while len(finished := list((tmp_path / "out" / "crawls").rglob("*.json"))) < 2:
        assert process.poll() is None, "it must not end before it is killed"
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    times = {file: file.stat().st_mtime_ns for file in finished}
    made(ONE, tmp_path / "out")
    assert {file: file.stat().st_mtime_ns for file in finished} == times
    assert rows_of(tmp_path / "out") == rows_of_one(leaderboard)


def _as_toml(document: dict[str, Any]) -> str:
    return "\n".join(f"{key} = {_value(value)}" for key, value in document.items())


def _value(value: object) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_value, value)) + "]"
        case _:
            return json.dumps(value)


def test_interrupted_it_writes_what_it_knows_and_goes_on_later(tmp_path: Path) -> None:
    def is_interrupted() -> bool:
        return len(list((tmp_path / "out" / "crawls").rglob("*.json"))) >= 4

    done = make_leaderboard(ONE, tmp_path / "out", jobs=1, is_interrupted=is_interrupted)
    assert done is not None
    assert not done.is_complete
    (first,) = done.document["rounds"]
    assert first["crawls_made"] == 4
    assert {table["conditions"] for table in first["budgets"]} == {1}, "only what all three strategies have crawled"
    assert "4 of 6 crawls are made" in done.table
    assert [topic["seeds_made"] for topic in first["topics"]] == [[0]]
    assert "to +" not in done.table, "one crawl of each has no interval"
    assert made(ONE, tmp_path / "out").document["rounds"][0]["crawls_made"] == 6


def test_files_of_other_code_are_kept_and_named_those_of_other_crawls_made_again(tmp_path: Path) -> None:
    board = replace(ONE, webs=((ONE.webs[0][0], replace(ONE.webs[0][1], repeats=1)),))
    made(board, tmp_path / "out")
    before = rows_of(tmp_path / "out")
    (file,) = (tmp_path / "out").rglob("url-heuristic-40-seed0.json")
    whole = file.read_text()
    now = json.loads(whole)["result"]["honeyguide"]
    file.write_text(whole.replace(now, "0.0.9+older"))
    assert "1 by Honeyguide 0.0.9+older. By 0.0.9+older: url-heuristic." in made(board, tmp_path / "out").table
    for damaged in (None, "[]", whole[:-30], whole.replace("geology", "opera"), whole.replace("found_at", "found")):
        file.unlink() if damaged is None else file.write_text(damaged)
        assert f"3 by Honeyguide {now}." in made(board, tmp_path / "out").table
        assert rows_of(tmp_path / "out") == before


def test_quick_is_the_same_webs_and_strategies_in_one_short_round() -> None:
    board = leaderboard_from(SYNTHETIC_WEBS)
    quick = board.quick()
    assert [name for name, _ in quick.webs] == [name for name, _ in board.webs]
    assert quick.contenders == board.contenders
    assert (quick.best, quick.budgets, quick.webs[0][1].repeats) == (0, (100,), 1)


def test_every_mistake_of_a_file_is_told_at_once() -> None:
    document = {
        "strategy": ["random"],
        "strategies": ["random"],
        "budgets": [0, "Q"],
        "topics_each": 0,
        "best": {"count": 3, "ask": -1},
        "compare": [
            {"worlds": [SMALL]},
            {"name": "a", "worlds": ["live"], "topics": [{"name": "x"}], "budget": 3},
        ],
    }
    with pytest.raises(SettingsError) as caught:
        leaderboard_from(document)
    for told in ("unknown key strategy;", "leave out best-first", "budgets is 0", "budgets is 'Q'", "topics_each is 0",
                 "best: unknown key count", "best.ask is -1", "name is None", "compare a: unknown key budget",
                 "compare a: world live is not offline"):  # fmt: skip
        assert sum(told in mistake for mistake in caught.value.mistakes) == 1, told
    with pytest.raises(SettingsError, match=r"write \[\[compare\]\]"):
        leaderboard_from({})


def test_worlds_and_labels_that_are_not_there_are_told_together_and_leave_nothing(tmp_path: Path) -> None:
    compare = [
        {"name": "a", "worlds": [f"wiki:{tmp_path}/none"], "topics": [{"name": "x"}]},
        {"name": "b", "worlds": [SMALL], "topics": [{"name": "geology"}, {"name": "x", "labels": "url:nowhere"}]},
        {"name": "c", "worlds": [SMALL], "topics": [{"name": "rocks", "labels": "word:rock"}]},
    ]
    with pytest.raises(SettingsError) as caught:
        make_leaderboard(leaderboard_from(DOCUMENT | {"compare": compare}), tmp_path / "out")
    assert [mistake.partition(":")[0] for mistake in caught.value.mistakes] == ["compare a", "compare b", "compare c"]
    assert "graded by a word that the crawler is told" in caught.value.mistakes[2]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_something_else_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunExists, match="not empty"):
        make_leaderboard(BOARD, tmp_path)
    with pytest.raises(StoreError, match="cannot be made"):
        make_leaderboard(BOARD, tmp_path / "notes.txt" / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


NAMES = ("best-first", "one", "two")


def row(strategy: str, topic: int, seed: int, relevant: int, milliseconds: float = 1.0) -> Row:
    return Row(
        f"webs {topic % 2}", "world", f"topic {topic}", seed, strategy, 100, 100, relevant, 80, milliseconds, "code"
    )


found = st.lists(
    st.lists(st.tuples(*[st.integers(0, 80)] * 3), min_size=1, max_size=3), min_size=1, max_size=6
)  # by topic, then by seed: what each strategy found


@given(found, st.randoms(use_true_random=False))
def test_differences_are_between_equal_conditions_and_topics_count_alike(
    by_topic: list[list[tuple[int, int, int]]],
    chance: Random,
) -> None:
    rows = [
        row(name, topic, seed, relevant)
        for topic, seeds in enumerate(by_topic)
        for seed, each in enumerate(seeds)
        for name, relevant in zip(NAMES, each, strict=True)
    ]
    standings = ranked(rows, NAMES)
    means = [fmean(fmean(each[number] / 80 for each in seeds) for seeds in by_topic) for number in range(3)]
    for each in standings:
        mean = means[NAMES.index(each["strategy"])]
        assert each["of_oracle"] == pytest.approx(mean, abs=1e-5)
        for key, other in (("over_baseline", means[0]), ("over_best", max(means))):
            if (difference := each[key]) is not None:
                assert difference["mean"] == pytest.approx(mean - other, abs=1e-5)
                assert difference["interval"][0] <= difference["interval"][1]
    assert [each["of_oracle"] for each in standings] == sorted((each["of_oracle"] for each in standings), reverse=True)
    assert standings[0]["over_best"] is None
    shuffled = list(rows)
    chance.shuffle(shuffled)
    assert {each["strategy"]: each["of_oracle"] for each in ranked(shuffled, NAMES)} == {
        each["strategy"]: each["of_oracle"] for each in standings
    }


def test_the_same_lead_on_every_topic_is_a_clear_difference_without_doubt() -> None:
    rows = [row(name, topic, seed, 20 + 8 * (name == "one") + topic)
            for topic in range(8) for seed in range(2) for name in NAMES]  # fmt: skip
    rows = [replace(each, relevant=each.relevant + each.seed) if each.strategy == "one" else each for each in rows]
    first, *_ = ranked(rows, NAMES)
    assert first["strategy"] == "one"
    assert first["over_baseline"]["is_clear"]
    assert 0.1 <= first["over_baseline"]["interval"][0] <= 0.10625 <= first["over_baseline"]["interval"][1] <= 0.1125


def test_time_is_a_multiple_of_the_baselines_under_the_same_conditions() -> None:
    rows = [row(name, topic, 0, 1, milliseconds=(topic + 1) * (3 if name == "two" else 2))
            for topic in range(3) for name in NAMES]  # fmt: skip
    times = {each["strategy"]: each["time"] for each in ranked(rows, NAMES)}
    assert times == {"best-first": 1.0, "one": 1.0, "two": 1.5}


def test_conditions_that_one_strategy_lacks_do_not_count() -> None:
    rows = [row(name, topic, 0, 10) for topic in range(2) for name in NAMES]
    assert complete(rows[:-1], NAMES) == rows[:3]


def test_the_best_are_those_with_the_largest_mean_share() -> None:
    rows = [row(name, topic, 0, 10 * NAMES.index(name) + topic) for topic in range(2) for name in NAMES]
    assert best_of(rows, 2) == ["two", "one"]
