"""Networks without rounding: a row has the same output in any batch, and nearly that of plain arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn.deep_q.networks import BLOCK_ROWS, ROW_BITS, UNIT_BITS, ExactLayers, on_grid

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
