"""The parts of deep Q-learning that need no PyTorch: replay, links of a state, targets, outputs, exact layers."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn.deep_q.networks import (
    BLOCK_ROWS,
    DIGITS,
    MOST_OUTPUTS,
    ROW_BITS,
    UNIT_BITS,
    ExactLayers,
    RowShape,
    baseline,
    digits_of,
    on_grid,
)
from honeyguide.learn.deep_q.training import (
    KEPT,
    MOST_NEXT,
    Experience,
    Replay,
    StateLinks,
    bootstrapped,
    clipped_double,
    distinct,
    double,
    ordinary,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def experience(number: int, links: int = 0) -> Experience:
    return Experience(
        np.array([number, 1], dtype=np.float16),
        float(number),
        np.arange(2 * links, dtype=np.float16).reshape(links, 2),
    )


def rewards_in(replay: Replay) -> set[float]:
    return set(replay.arrays(2)["rewards"].tolist())


@given(capacity=st.integers(1, 8), count=st.integers(0, 30))
def test_the_last_ones_are_kept(capacity: int, count: int) -> None:
    replay = Replay(capacity)
    for number in range(count):
        replay.add(experience(number))
    assert len(replay) == min(capacity, count)
    assert rewards_in(replay) == set(map(float, range(max(0, count - capacity), count)))


def test_draws_are_even_and_repeat_under_a_seed() -> None:
    replay = Replay(10)
    for number in range(10):
        replay.add(experience(number))
    drawn = [each.reward for each in replay.drawn(20_000, np.random.default_rng(1))]
    again = [each.reward for each in replay.drawn(20_000, np.random.default_rng(1))]
    assert drawn == again
    shares = np.bincount(np.array(drawn, dtype=int)) / len(drawn)
    assert np.abs(shares - 0.1).max() < 0.01


@given(links=st.lists(st.integers(0, 5), max_size=12), more=st.integers(0, 5))
def test_a_memory_brought_back_goes_on_as_before(links: list[int], more: int) -> None:
    one, two = Replay(7), Replay(7)
    for number, count in enumerate(links):
        one.add(experience(number, count))
    two.restore(one.arrays(2))
    for number in range(more):
        one.add(experience(100 + number, 2))
        two.add(experience(100 + number, 2))
    first, second = one.arrays(2), two.arrays(2)
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert len(one) == len(two)
    if len(one):
        drawn = [replay.drawn(5, np.random.default_rng(3)) for replay in (one, two)]
        assert [each.reward for each in drawn[0]] == [each.reward for each in drawn[1]]
        assert all(np.array_equal(a.next_rows, b.next_rows) for a, b in zip(*drawn, strict=True))


def test_links_that_look_alike_are_kept_once() -> None:
    rows = np.array([[1, 2], [3, 4], [1, 2]], dtype=np.float16)
    assert distinct(rows, np.random.default_rng(1)).tolist() == [[1, 2], [3, 4]]


def test_of_a_huge_page_some_links_are_kept() -> None:
    rows = np.arange(2 * (MOST_NEXT + 500), dtype=np.float16).reshape(-1, 2)
    kept = distinct(rows, np.random.default_rng(1))
    assert len(kept) == MOST_NEXT == len(np.unique(kept, axis=0))
    assert {row.tobytes() for row in kept} < {row.tobytes() for row in rows}


def test_what_is_kept_does_not_hold_on_to_the_page() -> None:
    rows = np.zeros((1, 2), dtype=np.float16)
    kept = distinct(rows, np.random.default_rng(1))
    rows[0, 0] = 9
    assert kept.tolist() == [[0, 0]]


def rows_in(state: int, links: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
    return np.array([[state, link] for link in links], dtype=np.float16).reshape(-1, 2)


@given(links=st.lists(st.integers(0, 200), min_size=1, max_size=120), cut=st.integers(0, 120), data=st.data())
def test_the_sample_does_not_depend_on_the_order_of_pages(links: list[int], cut: int, data: st.DataObject) -> None:
    one, two = StateLinks(1, 2), StateLinks(1, 2)
    one.add(rows_in(3, links))
    shuffled = data.draw(st.permutations(links))
    for part in (shuffled[:cut], shuffled[cut:]):
        two.add(rows_in(3, part))
    state = one.state_of(rows_in(3, [0])[0])
    assert np.array_equal(one.of(state), two.of(state))
    assert len(one.of(state)) == min(KEPT, len(set(links)))
    assert {row[1] for row in one.of(state)} <= set(links)


def test_states_do_not_mix() -> None:
    links = StateLinks(1, 2)
    links.add(rows_in(1, [10, 11]))
    links.add(rows_in(2, [12]))
    links.add(rows_in(5, []))
    assert len(links) == 2
    assert links.of(links.state_of(rows_in(2, [0])[0])).tolist() == [[2, 12]]
    assert links.of(links.state_of(rows_in(9, [0])[0])).shape == (0, 2)


def test_negative_zero_is_zero() -> None:
    links = StateLinks(1, 2)
    links.add(np.array([[-0.0, 1]], dtype=np.float16))
    assert len(links.of(links.state_of(rows_in(0, [1])[0]))) == 1


def test_links_brought_back_are_the_same() -> None:
    one, two = StateLinks(1, 2), StateLinks(1, 2)
    two.restore(one.arrays())
    assert len(two) == 0
    one.add(rows_in(1, list(range(100))))
    one.add(rows_in(4, [7]))
    two.restore(one.arrays())
    assert one.states() == two.states()
    assert all(np.array_equal(one.of(state), two.of(state)) for state in one.states())


ONLINE = np.array([1.0, 5.0, 4.0])
TARGET = np.array([2.0, 3.0, 7.0])
OTHER = np.array([9.0, 2.5, 0.0])


def test_ordinary_takes_the_best_by_the_target_network() -> None:
    assert ordinary(TARGET) == 7.0


def test_double_takes_the_choice_of_the_one_network_at_the_value_of_the_other() -> None:
    # The learning network likes the second link best, and the target network finds that one worth 3.
    assert double(ONLINE, TARGET) == 3.0


def test_clipped_double_takes_the_lower_of_two_values() -> None:
    # The second link again: 3 by the one target network, 2.5 by the other.
    assert clipped_double(ONLINE, TARGET, OTHER) == 2.5
    assert clipped_double(ONLINE, OTHER, TARGET) == 2.5


def test_of_equal_links_the_first_is_chosen() -> None:
    assert double(np.array([4.0, 4.0]), np.array([1.0, 2.0])) == 1.0


def test_a_reward_and_what_follows_at_a_discount() -> None:
    assert bootstrapped(30.0, 7.0, 0.3) == pytest.approx(30 + 0.3 * 7)
    assert bootstrapped(-1.0, 2.5, 0.0) == -1.0


def test_where_nothing_follows_only_the_reward_counts() -> None:
    assert bootstrapped(-1.0, None, 0.9) == -1.0


def test_an_advantage_is_measured_from_the_mean_or_the_best() -> None:
    advantages = np.array([-1.0, 1.0, 6.0])
    assert [baseline(advantages, dueling) for dueling in ("mean", "max")] == [2.0, 6.0]


FIXED = RowShape(2, 2 + DIGITS, np.ones(2, dtype=np.float32), outputs=30_000)


def output_rows(outputs: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
    return np.concatenate((np.ones((len(outputs), 2), dtype=np.float16), digits_of(np.array(outputs))), axis=1)


@given(st.lists(st.integers(0, MOST_OUTPUTS - 1), min_size=1, max_size=20))
def test_a_number_is_told_exactly_in_half_precision(outputs: list[int]) -> None:
    assert FIXED.which(output_rows(outputs)).tolist() == outputs


def test_a_number_too_large_to_be_told_has_no_value() -> None:
    assert FIXED.has_value(output_rows([MOST_OUTPUTS + 5, 10**12])).tolist() == [False, False]


def test_links_beyond_the_outputs_and_seeds_have_no_value() -> None:
    seed = np.zeros((1, 2 + DIGITS), dtype=np.float16)
    rows = np.concatenate((output_rows([0, 29_999, 30_000]), seed))
    assert FIXED.has_value(rows).tolist() == [True, True, False, False]


def test_every_link_has_a_value_where_links_go_in() -> None:
    pair = RowShape(2, 5, np.ones(5, dtype=np.float32))
    rows = np.zeros((3, 5), dtype=np.float16)
    assert pair.has_value(rows).all()
    assert (pair.inputs, FIXED.inputs) == (5, 2)


Layers = list[tuple["NDArray[np.floating]", "NDArray[np.floating]"]]


def random_layers(sizes: tuple[int, ...], seed: int = 1) -> Layers:
    chance = np.random.default_rng(seed)
    return [
        (chance.normal(0, 0.4, (inputs, units)).astype(np.float32), chance.normal(0, 0.4, units).astype(np.float32))
        for inputs, units in pairwise(sizes)
    ]


def random_rows(count: int, width: int, seed: int = 2) -> NDArray[np.float16]:
    return np.random.default_rng(seed).normal(0, 3, (count, width)).astype(np.float16)


def plain_outputs(layers: Layers, rows: NDArray[np.float16]) -> NDArray[np.float64]:
    activity = rows.astype(np.float64)
    for weights, bias in layers[:-1]:
        activity = np.tanh(activity @ weights.astype(np.float64) + bias)
    return activity @ layers[-1][0].astype(np.float64) + layers[-1][1]


def test_by_hand() -> None:
    layers: Layers = [
        (np.array([[1.0], [-0.5]]), np.array([0.25])),
        (np.array([[2.0]]), np.array([-1.0])),
    ]
    # The unit: tanh(0.5 - 0.5 + 0.25); the output: twice that, less 1.
    outputs = ExactLayers(layers).outputs(np.array([[0.5, 1.0]], dtype=np.float16))
    assert outputs == pytest.approx([2 * np.tanh(0.25) - 1], abs=1e-5)


@given(seed=st.integers(0, 2**32), count=st.integers(1, 70), data=st.data())
def test_a_row_has_the_same_output_in_any_batch(seed: int, count: int, data: st.DataObject) -> None:
    network = ExactLayers(random_layers((21, 37, 64, 1), seed))
    rows = random_rows(count, 21, seed)
    together = network.outputs(rows)
    order = data.draw(st.permutations(range(count)))
    assert np.array_equal(network.outputs(rows[order]), together[order])
    assert np.array_equal(np.concatenate([network.outputs(row[None]) for row in rows]), together)
    assert np.array_equal(network.outputs(np.asfortranarray(rows)), together)


def test_plain_arithmetic_would_not_do() -> None:
    layers, rows = random_layers((21, 128, 256, 1)), random_rows(1000, 21)
    alone = np.concatenate([plain_outputs(layers, row[None]) for row in rows])
    if np.array_equal(plain_outputs(layers, rows), alone):
        pytest.skip("the matrix product of this machine does not depend on the batch")
    network = ExactLayers(layers)
    assert np.array_equal(network.outputs(rows), np.concatenate([network.outputs(row[None]) for row in rows]))


def test_many_rows_are_taken_block_by_block() -> None:
    network = ExactLayers(random_layers((5, 8, 1)))
    rows = random_rows(BLOCK_ROWS + 3, 5)
    assert np.array_equal(network.outputs(rows)[-4:], network.outputs(rows[-4:]))


def test_little_is_lost_by_rounding() -> None:
    layers, rows = random_layers((21, 128, 256, 1)), random_rows(500, 21)
    assert ExactLayers(layers).outputs(rows) == pytest.approx(plain_outputs(layers, rows)[:, 0], abs=1e-3)
    indexes = np.round(rows)
    assert ExactLayers(layers).outputs(indexes) == pytest.approx(plain_outputs(layers, indexes)[:, 0], abs=2e-5)


def test_one_of_many_outputs_is_the_one_asked_for() -> None:
    layers, rows = random_layers((4, 9, 50)), np.round(random_rows(20, 4))
    which = np.arange(20) * 2
    outputs = ExactLayers(layers).outputs(rows, which)
    assert outputs == pytest.approx(plain_outputs(layers, rows)[np.arange(20), which], abs=1e-5)
    assert np.array_equal(outputs[7:9], ExactLayers(layers).outputs(rows[7:9], which[7:9]))


@given(
    weights=st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=40),
    bits=st.sampled_from([ROW_BITS, UNIT_BITS]),
)
def test_no_sum_of_weights_on_the_grid_needs_rounding(weights: list[float], bits: int) -> None:
    column = on_grid(np.array(weights)[:, None], bits)[:, 0]
    largest_inputs = np.full(len(column), 2.0**bits)
    exact = sum((Fraction(float(weight)) * 2**bits for weight in np.abs(column)), start=Fraction(0))
    assert Fraction(float(np.abs(column) @ largest_inputs)) == exact
    # With the smallest step of an input beside the largest sum, there is still room for it.
    smallest = min((Fraction(float(weight)) for weight in np.abs(column) if weight), default=Fraction(0))
    assert Fraction(float(exact) - float(smallest)) == exact - smallest


def test_weights_of_nothing_and_rows_beyond_all_bounds_give_numbers() -> None:
    layers = [(np.zeros((3, 4)), np.zeros(4)), (np.zeros((4, 1)), np.ones(1))]
    rows = np.array([[0, 0, 0], [65504, -65504, 1]], dtype=np.float16)
    assert ExactLayers(layers).outputs(rows).tolist() == [1.0, 1.0]
    assert np.isfinite(ExactLayers(random_layers((3, 4, 1))).outputs(rows)).all()
    assert ExactLayers(layers).outputs(rows[:0]).shape == (0,)
