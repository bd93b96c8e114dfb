"""What is set reaches the learner: every field, each off its default."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.driving import script_settings
from honeyguide.crawler import Builder
from honeyguide.learn import Exploration, LinearSarsa, Mode, Phases, SarsaRules
from honeyguide.learn.deep_q import DqnSettings, Dueling, Loss, QRules, TargetRule, q_rules
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from honeyguide.settings import Settings

LFA = {
    "lfa__step_size": 0.25, "lfa__discount": 0.125, "lfa__exploration": 0.75, "lfa__exploration_end": 0.5,
    "lfa__exploration_steps": 7, "lfa__ends_at_relevant": False, "lfa__learns_without_links": False,
    "lfa__takes_best_next": True, "lfa__draws": "link",
}  # fmt: skip
DQN = {
    "dqn__layers": [3, 5], "dqn__target": "clipped-double", "dqn__dueling": "max", "dqn__loss": "squared",
    "dqn__discount": 0.125, "dqn__learning_rate": 0.25, "dqn__replay": 11, "dqn__batch": 13, "dqn__warm_up": 17,
    "dqn__train_every": 19, "dqn__refresh_every": 23, "dqn__target_share": 0.75, "dqn__dropout": 0.5,
    "dqn__weight_penalty": 0.375, "dqn__output_penalty": 0.625, "dqn__ends_at_relevant": True,
    "dqn__mode": "asynchronous", "dqn__draws": "link", "dqn__exploration": 0.875, "dqn__exploration_test": 0.0625,
    "dqn__training_steps": 29, "dqn__learns_in_test": False,
}  # fmt: skip


def learner(settings: Settings) -> LinearSarsa:
    strategy = Builder(settings, hashed_vectors()).parts(is_live=False).strategy
    assert isinstance(strategy, LinearSarsa)
    return strategy


def test_every_rule_of_linear_sarsa_is_as_set() -> None:
    wanted = SarsaRules(
        mode=Mode.MODERATED,
        step_size=0.25,
        discount=0.125,
        exploration=Exploration(0.75, 0.5, 7),
        ends_at_relevant=False,
        learns_without_links=False,
        takes_best_next=True,
        draws_pairs=False,
    )
    built = learner(script_settings("lfa-moderated", **LFA))
    assert all(getattr(wanted, each.name) != getattr(SarsaRules(), each.name) for each in fields(wanted))
    assert built.rules == wanted
    assert built.draws_rows is False
    assert learner(script_settings("lfa-sync")).rules == SarsaRules(), "the defaults are Han's"


@pytest.mark.parametrize(
    ("strategy", "mode"),
    [("lfa-sync", Mode.SYNCHRONOUS), ("lfa-async", Mode.ASYNCHRONOUS), ("lfa-moderated", Mode.MODERATED)],
)
def test_a_strategys_name_is_its_mode(strategy: str, mode: Mode) -> None:
    assert learner(script_settings(strategy)).rules.mode is mode


def test_features_and_the_start_are_as_set() -> None:
    widths = {name: learner(script_settings("lfa-sync", lfa__features=name)).row_width for name in ("han", "pertejo")}
    assert widths["han"] != widths["pertejo"]
    zero, drawn, other = (
        learner(script_settings("lfa-sync", lfa__starts_at=starts_at, crawl__seed=seed)).weights
        for starts_at, seed in (("zero", 1), ("uniform", 1), ("uniform", 2))
    )
    assert not zero.any()
    assert ((drawn > 0) & (drawn < 1)).all()
    assert not np.array_equal(drawn, other)


def test_every_rule_of_deep_q_learning_is_as_set() -> None:
    wanted = QRules(
        layers=(3, 5),
        target_rule=TargetRule.CLIPPED_DOUBLE,
        dueling=Dueling.MAX,
        loss=Loss.SQUARED,
        discount=0.125,
        learning_rate=0.25,
        replay=11,
        batch=13,
        warm_up=17,
        train_every=19,
        refresh_every=23,
        target_share=0.75,
        dropout=0.5,
        weight_penalty=0.375,
        output_penalty=0.625,
        ends_at_relevant=True,
        reprices=False,
        draws_pairs=False,
        phases=Phases(0.875, 0.0625, 29, learns_in_test=False),
    )
    assert all(getattr(wanted, each.name) != getattr(QRules(), each.name) for each in fields(wanted))
    assert q_rules(script_settings("dqn", **DQN).of(DqnSettings)) == wanted
    assert q_rules(script_settings("dqn").of(DqnSettings)) == QRules()
