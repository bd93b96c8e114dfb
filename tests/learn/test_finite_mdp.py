"""Policy iteration: by hand, against value iteration, and against every policy there is."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import StrategyError
from honeyguide.learn.parse_or_skip_model import FiniteMdp, action_values, improved, policy_iteration, policy_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

STAY, MOVE = 0, 1
# Two states. Staying keeps the state, moving changes it for sure. The second state pays 1, the first nothing.
TWO_STATES = FiniteMdp(np.array([np.eye(2), 1 - np.eye(2)]), np.array([[0.0, 0.0], [1.0, 1.0]]))


@st.composite
def processes(draw: st.DrawFn) -> FiniteMdp:
    states, actions = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    weights = st.lists(st.integers(0, 5), min_size=states, max_size=states).filter(any)
    rows = draw(st.lists(weights, min_size=states * actions, max_size=states * actions))
    chances = np.array(rows, dtype=float).reshape(actions, states, states)
    rewards = draw(
        st.lists(
            st.integers(-8, 8).map(lambda number: number / 4), min_size=states * actions, max_size=states * actions
        )
    )
    return FiniteMdp(chances / chances.sum(axis=2, keepdims=True), np.array(rewards).reshape(states, actions))


def every_policy(mdp: FiniteMdp) -> list[NDArray[np.int64]]:
    return [np.array(actions) for actions in product(range(mdp.actions), repeat=mdp.states)]


def long_run(mdp: FiniteMdp, policy: NDArray[np.int64]) -> float:
    """The mean reward of a step: by the chances to be in each state after very many."""
    each = np.arange(mdp.states)
    chances = np.linalg.matrix_power(mdp.transitions[policy, each], 4096)
    return float(chances[0] @ mdp.rewards[each, policy])


def test_the_values_of_a_policy_by_hand() -> None:
    # V(2) = 1 + V(2)/2 = 2; V(1) = 0 + V(2)/2 = 1 when the first state moves and the second stays.
    assert policy_values(TWO_STATES, np.array([MOVE, STAY]), 0.5) == pytest.approx([1.0, 2.0])
    # Moving to and fro: V(1) = V(2)/2, V(2) = 1 + V(1)/2, so V(2) = 4/3.
    assert policy_values(TWO_STATES, np.array([MOVE, MOVE]), 0.5) == pytest.approx([2 / 3, 4 / 3])


def test_the_values_of_actions_by_hand() -> None:
    # After values 1 and 2: staying pays 0 + 1/2 and 1 + 2/2, moving 0 + 2/2 and 1 + 1/2.
    worth = action_values(TWO_STATES, np.array([1.0, 2.0]), 0.5)
    assert worth == pytest.approx(np.array([[0.5, 1.0], [2.0, 1.5]]))


def test_without_a_discount_the_rewards_of_so_many_steps_add_up() -> None:
    # In 3 and in 4 steps, one of which is on the way, the first state earns 2 and 3, the second 3 and 4.
    assert policy_values(TWO_STATES, np.array([MOVE, STAY]), 1.0, sweeps=4).tolist() == [2.5, 3.5]
    # To and fro: 1 and 2, 2 and 2.
    assert policy_values(TWO_STATES, np.array([MOVE, MOVE]), 1.0, sweeps=4).tolist() == [1.5, 2.0]


def test_an_action_is_changed_only_for_a_better_one() -> None:
    worth = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    assert improved(np.array([1, 0, 0]), worth).tolist() == [1, 1, 0]
    assert improved(np.array([0, 1, 1]), worth).tolist() == [0, 1, 0]


@pytest.mark.parametrize("discount", [0.5, 0.99, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_way_to_the_state_that_pays_from_any_start(discount: float, seed: int) -> None:
    solution = policy_iteration(TWO_STATES, discount, seed=seed)
    assert solution.policy.tolist() == [MOVE, STAY]
    assert solution.is_stable


@settings(deadline=None)
@given(processes(), st.sampled_from([0.0, 0.3, 0.9]), st.integers(0, 5))
def test_no_policy_is_worth_more_in_any_state(mdp: FiniteMdp, discount: float, seed: int) -> None:
    solution = policy_iteration(mdp, discount, seed=seed)
    best = np.max([policy_values(mdp, policy, discount) for policy in every_policy(mdp)], axis=0)
    assert solution.is_stable
    assert solution.values == pytest.approx(best, abs=1e-7)
    assert policy_values(mdp, solution.policy, discount) == pytest.approx(solution.values)


@settings(deadline=None)
@given(processes(), st.sampled_from([0.3, 0.9]))
def test_value_iteration_agrees(mdp: FiniteMdp, discount: float) -> None:
    values = np.zeros(mdp.states)
    for _ in range(400):
        values = action_values(mdp, values, discount).max(axis=1)
    assert policy_iteration(mdp, discount).values == pytest.approx(values, abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(processes())
def test_without_a_discount_no_policy_earns_more_in_the_long_run(mdp: FiniteMdp) -> None:
    """All chances are made positive, so that a policy earns the same in the long run from wherever it starts."""
    mdp = FiniteMdp(0.9 * mdp.transitions + 0.1 / mdp.states, mdp.rewards)
    solution = policy_iteration(mdp, 1.0, sweeps=200)
    best = max(long_run(mdp, policy) for policy in every_policy(mdp))
    assert solution.is_stable
    assert long_run(mdp, solution.policy) == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("discount", [-0.1, 1.1, float("nan")])
def test_a_discount_that_is_none_is_refused(discount: float) -> None:
    with pytest.raises(StrategyError, match="discount"):
        policy_iteration(TWO_STATES, discount)


@pytest.mark.parametrize(
    ("transitions", "rewards"),
    [
        (np.full((2, 2, 2), 0.6), np.zeros((2, 2))),
        (np.array([[[1.5, -0.5], [0.5, 0.5]]]), np.zeros((2, 1))),
        (np.full((2, 2, 2), np.nan), np.zeros((2, 2))),
        (np.full((2, 2, 2), 0.5), np.full((2, 2), np.nan)),
        (np.full((2, 2, 2), 0.5), np.zeros((2, 3))),
        (np.full((2, 2, 3), 1 / 3), np.zeros((2, 2))),
    ],
)
def test_a_process_that_is_none_is_refused(transitions: NDArray[np.float64], rewards: NDArray[np.float64]) -> None:
    with pytest.raises(StrategyError):
        FiniteMdp(transitions, rewards)
