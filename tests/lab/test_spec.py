"""An experiment is read in whole: what is wrong with it is told at once, before anything is done."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from honeyguide.errors import SettingsError
from honeyguide.learn import OnlineRidgeSettings
from honeyguide.settings import USUAL_STRATEGIES
from honeyguide_lab.spec import experiment_from

SMALLEST: dict[str, Any] = {"worlds": ["synthetic"], "topics": [{"name": "geology"}]}
FILE = """
worlds = ["synthetic:seed=1", "synthetic:seed=2"]
strategies = ["random", "online-ridge"]
budget = "R"
repeats = 4
seed = 10
seeds = "random:3"
labels = "word:{topic}"

[settings.judge]
kind = "keyword"

[[topics]]
name = "geology"
keywords = ["rock"]

[[topics]]
name = "opera"
labels = "truth"
"""


def mistakes_in(document: dict[str, Any]) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        experiment_from(document)
    return caught.value.mistakes


def test_a_file_describes_many_topics_in_many_worlds() -> None:
    experiment = experiment_from(tomllib.loads(FILE))
    assert experiment.worlds == ("synthetic:seed=1", "synthetic:seed=2")
    assert [(topic.name, topic.keywords, topic.labels) for topic in experiment.topics] == [
        ("geology", ("rock",), "word:{topic}"),
        ("opera", (), "truth"),
    ]
    assert experiment.budget is None
    assert list(experiment.repeat_seeds) == [10, 11, 12, 13]
    assert experiment.random_seeds == 3
    assert [contender.is_floor for contender in experiment.contenders] == [True, False]


def test_what_is_left_out_has_a_default() -> None:
    experiment = experiment_from(SMALLEST)
    assert [contender.strategy for contender in experiment.contenders] == list(USUAL_STRATEGIES)
    assert experiment.budget == 1000
    assert experiment.has_floor


def test_settings_go_to_every_crawl_and_a_contenders_own_over_them() -> None:
    experiment = experiment_from(
        SMALLEST
        | {"settings": {"judge.kind": "keyword", "online_ridge": {"exploration": 0.5}}}
        | {"parameter": "online_ridge.exploration", "values": [0.1, 0.2]}
    )
    crawls = [
        experiment.settings("synthetic", experiment.topics[0], contender, seed=7, budget=50)
        for contender in experiment.contenders
    ]
    assert [settings.of(OnlineRidgeSettings).exploration for settings in crawls] == [0.1, 0.2]
    assert {settings.judge.kind for settings in crawls} == {"keyword"}
    assert {(settings.crawl.seed, settings.budget.fetches, settings.crawl.concurrency) for settings in crawls} == {
        (7, 50, 1)
    }


def test_a_sweep_has_a_contender_for_each_value_of_the_strategy_the_setting_belongs_to() -> None:
    experiment = experiment_from(SMALLEST | {"parameter": "online_ridge.regularisation", "values": [0.1, 1, 10]})
    assert [contender.name for contender in experiment.contenders] == [
        "online-ridge regularisation=0.1",
        "online-ridge regularisation=1",
        "online-ridge regularisation=10",
    ]
    assert experiment.swept == "online_ridge.regularisation"


def test_a_table_that_strategies_share_belongs_to_each_of_them() -> None:
    sweep = SMALLEST | {"parameter": "dqn.discount", "values": [0.1]}
    assert [contender.strategy for contender in experiment_from(sweep).contenders] == ["dqn", "dqn-fixed"]


def test_a_sweep_of_a_setting_that_a_strategy_does_not_look_at_is_refused() -> None:
    swept = {"parameter": "online_ridge.regularisation", "values": [1], "strategies": ["best-first"]}
    assert "strategy best-first does not look at online_ridge.regularisation" in "; ".join(
        mistakes_in(SMALLEST | swept)
    )


def test_a_topics_own_seeds_and_cold_starts_exclude_each_other() -> None:
    topics = [{"name": "geology", "seed_urls": ["http://a.test/"]}]
    assert "both given" in "; ".join(mistakes_in(SMALLEST | {"topics": topics, "seeds": "random:2"}))


def test_every_mistake_is_told_at_once() -> None:
    mistakes = mistakes_in(
        {
            "worlds": ["live", "nowhere"],
            "topics": [{"name": "a", "colour": "red", "seed_urls": ["not a url"]}, {"name": "a"}, {}],
            "strategies": ["wander"],
            "budget": 0,
            "repeats": 1.5,
            "seeds": "all",
            "labels": "guess",
            "budgets": 3,
        }
    )
    told = "; ".join(mistakes)
    for word in ("live", "colour", "not a url", "twice", "no name", "wander", "budget", "repeats", "all", "guess"):
        assert word in told
    assert "unknown key budgets" in told


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"settings": {"crawl": {"seed": 3}}}, "experiment's own: use seed"),
        ({"settings": {"judge": {"kind": "dice"}}}, "judge.kind"),
        ({"settings": {"judge": {"kin": "keyword"}}}, "judge.kin"),
        ({"worlds": ["nowhere"]}, "nowhere"),
        ({"worlds": []}, "no world"),
        ({"topics": []}, "no topic"),
        ({"topics": "geology"}, "[[topics]]"),
        ({"seeds": "random:5", "seed_urls": ["http://a.test/"]}, "both"),
        ({"parameter": "no.such", "values": [1]}, "no.such"),
        ({"parameter": "online_ridge.exploration", "values": []}, "values"),
        ({"parameter": "online_ridge.exploration", "values": [2]}, "at most 1"),
        ({"parameter": "judge.threshold", "values": [0.1]}, "--strategy"),
    ],
)
def test_a_mistake_is_told_by_name(more: dict[str, Any], told: str) -> None:
    assert any(told in mistake for mistake in mistakes_in(SMALLEST | more))


def test_each_strategy_that_looks_at_the_topic_is_also_told_of_the_labels_where_that_is_asked_for() -> None:
    told = {
        "strategies": ["random", "best-first"], "ask": [0, 2, 5], "perfect_judge": True,
        "settings": {"judge.kind": "learned"},
    }  # fmt: skip
    experiment = experiment_from(SMALLEST | told)
    assert [(each.name, each.answers, each.has_perfect_judge) for each in experiment.contenders] == [
        ("random", 0, False),
        ("best-first", 0, False),
        ("best-first (answers: 2)", 2, False),
        ("best-first (answers: 5)", 5, False),
        ("best-first (perfect judge)", 0, True),
    ]
    assert experiment_from(SMALLEST | told | {"ask": 5}).contenders[2].name == "best-first (answers: 5)"
    asked = [
        experiment.settings("synthetic", experiment.topics[0], each, seed=0, budget=9).ask.questions
        for each in experiment.contenders
    ]
    assert asked == [0, 0, 2, 5, 0]


@pytest.mark.parametrize("ask", [-1, "ten", [2, True], [2, -1], 10**6])
def test_a_number_of_answers_is_a_number(ask: object) -> None:
    (mistake,) = mistakes_in(SMALLEST | {"ask": ask})
    assert mistake.startswith(f"ask is {ask!r}: give a number")


def test_a_perfect_judge_is_there_or_not() -> None:
    (mistake,) = mistakes_in(SMALLEST | {"perfect_judge": "yes"})
    assert mistake.startswith("perfect_judge is 'yes'")
