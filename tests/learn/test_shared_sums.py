"""Learners of several shards that tell one another their sums know what one learner of all pages knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.learn import SharedSums
from honeyguide.learn.linucb import LinUcb, LinUcbSettings
from honeyguide.learn.online_ridge import OnlineRidge, OnlineRidgeSettings
from honeyguide.learn.parse_or_skip_q import ParseOrSkipQ, ParseOrSkipQSettings
from honeyguide.model import Topic, Transition, Url
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

TOPIC = Topic("geology", ("rock", "mineral"))


def ridge() -> OnlineRidge:
    return OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings())


def linucb() -> LinUcb:
    return LinUcb(TOPIC, hashed_vectors(), LinUcbSettings())


def transitions(width: int) -> list[Transition]:
    chance = np.random.default_rng(5)
    rows, none = chance.random((40, width)).astype(np.float16), np.empty((0, width), dtype=np.float16)
    return [
        Transition(step, Url(f"http://h{step % 5}.test/{step}"), row, float(row[:3].sum()), 0.5, False, none, 1.0)
        for step, row in enumerate(rows, 1)
    ]


@pytest.mark.parametrize("make", [ridge, linucb])
def test_two_shards_that_exchange_sums_score_as_one_learner_of_all_pages(
    make: Callable[[], OnlineRidge | LinUcb],
) -> None:
    alone, one, other = make(), make(), make()
    assert one.begin_sharing()
    assert other.begin_sharing()
    met = transitions(alone.row_width)
    for place, transition in enumerate(met):
        alone.learn(transition)
        (one if place % 3 else other).learn(transition)
    shared = other.share()
    assert shared is not None
    one.take_shared(shared)
    one.take_shared(shared)  # in place of what was told before
    rows = np.stack([each.row for each in met])
    assert one.score(rows) == pytest.approx(alone.score(rows), abs=1e-9)
    resumed = make()
    resumed.begin_sharing()
    resumed.load(one.save())
    assert np.array_equal(resumed.score(rows), one.score(rows))
    told, again = one.share(), resumed.share()
    assert told is not None
    assert again is not None
    assert np.array_equal(told.sums["rows"], again.sums["rows"])


def test_a_linucb_that_had_learned_before_it_shared_tells_that_as_well() -> None:
    before, shard = linucb(), linucb()
    for transition in transitions(before.row_width):
        before.learn(transition)
    shard.begin_sharing()
    shard.load(before.save())
    rows = np.stack([each.row for each in transitions(before.row_width)])
    shard.take_shared(SharedSums({"rows": np.zeros((len(rows[0]),) * 2), "rewards": np.zeros(len(rows[0]))}))
    assert shard.score(rows) == pytest.approx(before.score(rows), abs=1e-9)


def test_values_of_a_table_are_averaged_by_how_often_each_was_learned() -> None:
    strategy = ParseOrSkipQ(TOPIC, hashed_vectors(), ParseOrSkipQSettings())
    nothing = strategy.share()
    assert nothing is not None
    lessons = np.zeros_like(nothing.sums["lessons"])
    lessons[0, 1] = 4.0
    strategy.take_shared(SharedSums({"values": lessons * 0.5, "lessons": lessons}))
    assert strategy.values[0, 1] == 0.5
    assert np.count_nonzero(strategy.values) == 1
    resumed = ParseOrSkipQ(TOPIC, hashed_vectors(), ParseOrSkipQSettings())
    resumed.load(strategy.save())
    assert np.array_equal(resumed.values, strategy.values)
    told = strategy.share()
    assert told is not None
    assert not told.sums["values"].any(), "what others have told is not sent back to them"
