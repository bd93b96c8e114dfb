"""Online ridge: the update on numbers worked out by hand, against the closed form, and on a toy world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from honeyguide.errors import StrategyError
from honeyguide.learn import BestFirst, OnlineRidge, OnlineRidgeSettings
from honeyguide.learn.online_ridge import COUNTED, Ridge
from honeyguide.model import ParentStats, Topic, Transition
from pages import HERE, candidates_of, rows_of, sighting_of
from vectors_by_hash import hashed_vectors

TOPIC = Topic("geology", ("rock", "mineral"))


def test_one_update_by_hand() -> None:
    # λ = 2, so P = I/2. x = (1, 2): Px = (1/2, 1), 1 + xᵀPx = 1 + 5/2 = 7/2, k = (1/7, 2/7).
    # w0 = (1, 0): error = 3 - 1 = 2, so w = (1 + 2/7, 4/7).
    ridge = Ridge.prior(np.array([1.0, 0.0]), np.array([2.0, 2.0])).updated(np.array([1.0, 2.0]), 3.0)
    assert ridge.weights == pytest.approx([9 / 7, 4 / 7])
    # P - k (Px)ᵀ = [[1/2 - 1/14, -1/7], [-1/7, 1/2 - 2/7]]
    assert ridge.inverse == pytest.approx(np.array([[3 / 7, -1 / 7], [-1 / 7, 3 / 14]]))


@given(
    arrays.arrays(float, (6, 3), elements=st.floats(-2, 2)),
    arrays.arrays(float, 6, elements=st.floats(-2, 2)),
    arrays.arrays(float, 3, elements=st.floats(0.1, 10)),
)
def test_any_sequence_of_updates_equals_the_closed_form(
    rows: np.ndarray, rewards: np.ndarray, pulls: np.ndarray
) -> None:
    prior = np.array([0.5, -0.25, 0.0])
    ridge = Ridge.prior(prior, pulls)
    for row, reward in zip(rows, rewards, strict=True):
        ridge = ridge.updated(row, float(reward))
    closed = prior + np.linalg.solve(np.diag(pulls) + rows.T @ rows, rows.T @ (rewards - rows @ prior))
    assert ridge.weights == pytest.approx(closed, abs=1e-8)


def test_it_starts_in_the_order_of_best_first() -> None:
    candidates = candidates_of(
        *(sighting_of(f"http://a.test/{word}", word, relevance=0.0) for word in ("rock", "soup", "lava", "mineral"))
    )
    ridge, plain = OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings()), BestFirst(TOPIC, hashed_vectors())
    learned, unlearned = ridge.score(rows_of(ridge, candidates)), plain.score(rows_of(plain, candidates))
    assert np.argsort(learned).tolist() == np.argsort(unlearned).tolist()


def test_it_learns_a_word_that_pays_though_it_is_not_the_topics() -> None:
    """A world of two kinds of links: anchors that say "rock" never pay, anchors that say "webring" always do."""
    strategy = OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings(exploration=0.0))
    rows = rows_of(
        strategy,
        candidates_of(
            sighting_of("http://a.test/x", "rock", relevance=0.2),
            sighting_of("http://a.test/y", "webring", relevance=0.2),
        ),
    )
    assert np.argmax(strategy.score(rows)) == 0
    for step in range(20):
        choice = step % 2  # a little exploration: greedy alone would never try the other kind
        strategy.learn(Transition(step, HERE, rows[choice], float(choice), float(choice), bool(choice), rows[:0]))
    assert np.argmax(strategy.score(rows)) == 1
    assert strategy.score(rows)[1] > 0.5


def test_with_page_ranks_it_starts_as_before_and_learns_that_important_pages_pay() -> None:
    strategy = OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings(page_rank=True))
    plain = OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings())
    candidates = candidates_of(sighting_of("http://a.test/x", "rock", relevance=0.2))
    (low,), (high,) = (rows_of(strategy, replace(candidates, importance=value)) for value in (0.25, 9.0))
    assert low[:-1].tolist() == high[:-1].tolist() == rows_of(plain, candidates)[0].tolist()
    assert (low[-1], high[-1]) == (np.float16(0.2), np.float16(0.9))
    rows = np.array([low, high])
    assert strategy.score(rows).tolist() == plain.score(rows_of(plain, candidates)).tolist() * 2
    for step in range(20):
        strategy.learn(Transition(step, HERE, rows[step % 2], float(step % 2), 0.0, False, rows[:0]))
    first, second = strategy.score(rows)
    assert second > first + 0.3


def shown_by(*relevances: tuple[float, ...]) -> ParentStats:
    """The parents of links, each with the relevances of the pages that show it."""
    count = np.array([len(each) for each in relevances])
    mean, greatest = (np.array([of(each) if each else 0.0 for each in relevances]) for of in (np.mean, max))
    return ParentStats(count, mean, mean, greatest, np.zeros(len(count), dtype=np.int64))


def test_a_row_tells_how_relevant_the_pages_are_that_show_the_link_and_how_many() -> None:
    strategy = OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings(page_rank=True))
    candidates = candidates_of(*(sighting_of(f"http://a.test/{n}", "rock", relevance=0.4) for n in range(3)))
    described = strategy.describe(candidates)
    plain = strategy.rows(described, candidates.parents)
    parents = shown_by((), (0.4,), (0.4, 0.8, 0.0))
    rows = strategy.rows(described, replace(candidates.parents, all=parents))
    # Greatest, sum over one more than there are, logarithm of one more.
    assert rows[:, COUNTED] == pytest.approx(np.array([(0, 0, 0), (0.4, 0.2, 0.693), (0.8, 0.3, 1.386)]), abs=1e-3)
    assert np.delete(rows, COUNTED, axis=1).tolist() == np.delete(plain, COUNTED, axis=1).tolist()
    assert strategy.with_parents(plain, parents).tobytes() == rows.tobytes()
    assert not plain[:, COUNTED].any(), "the rows given stay as they were"
    assert (np.diff(strategy.score(rows)) > 0).all(), "from the start, the more such pages the better"


def test_a_run_of_poor_pages_does_not_lower_all_scores_alike() -> None:
    strategy = OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings())
    near, far = rows_of(
        strategy, candidates_of(*(sighting_of(f"http://a.test/{word}", word) for word in ("rock", "soup")))
    )
    before = strategy.score(np.array([near]))[0]
    for step in range(20):
        strategy.learn(Transition(step, HERE, far, 0.0, 0.0, False, np.empty((0, len(far)), dtype=np.float16)))
    assert strategy.score(np.array([near]))[0] > 0.9 * before


def test_a_state_of_another_width_is_refused() -> None:
    plain = OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings())
    with pytest.raises(StrategyError, match="has 48 weights, this version has 49"):
        OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings(page_rank=True)).load(plain.save())


@pytest.mark.parametrize("state", [b"", b"nonsense", b"PK\x03\x04"])
def test_a_state_that_is_none_is_refused_and_changes_nothing(state: bytes) -> None:
    strategy = OnlineRidge(TOPIC, hashed_vectors(), OnlineRidgeSettings())
    before = strategy.save()
    with pytest.raises(StrategyError, match="online-ridge"):
        strategy.load(state)
    assert strategy.save() == before
