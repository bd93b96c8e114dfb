"""The model of parse or skip, and policy iteration on it and on small processes with known answers."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import StrategyError
from honeyguide.learn.parse_or_skip_model import (
    PARSE,
    PENALTY,
    SKIP,
    STATES,
    Assumptions,
    FiniteMdp,
    State,
    action_values,
    improved,
    model_of,
    parses_by_state,
    policy_iteration,
    policy_values,
    published_policies,
    solve,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


OURS = Assumptions()
chances = st.floats(0, 1)
assumptions = st.builds(Assumptions, **{field.name: chances for field in fields(Assumptions)})
states = st.sampled_from(STATES)


def chance_of(assumed: Assumptions, state: State, action: int, **features: bool) -> float:
    """The chance that these features hold in the state that follows."""
    row = model_of(assumed).transitions[action, state.number]
    following = [x for x in STATES if all(getattr(x, name) == is_so for name, is_so in features.items())]
    return float(sum(row[x.number] for x in following))


@settings(max_examples=50, deadline=None)
@given(assumptions)
def test_whatever_is_assumed_chances_add_up_to_one(assumed: Assumptions) -> None:
    transitions = model_of(assumed).transitions
    assert transitions.sum(axis=2) == pytest.approx(np.ones((2, 16)))
    assert (transitions >= 0).all()


def test_the_reward_is_the_number_of_true_features_less_the_penalty_for_a_skip() -> None:
    rewards = model_of(OURS, skip_penalty=0.5).rewards
    assert rewards[State(True, False, True, True).number].tolist() == [2.5, 3.0]
    assert rewards[State(False, False, False, False).number].tolist() == [-0.5, 0.0]


@settings(max_examples=50, deadline=None)
@given(assumptions, states)
def test_on_one_host_the_definitions_leave_no_choice(assumed: Assumptions, state: State) -> None:
    one_host = replace(assumed, same_host=1.0)
    kept = chance_of(one_host, state, SKIP, current_host_relevant=state.current_host_relevant)
    assert kept == pytest.approx(1), "a skip leaves the mean as it is"
    if state.host_mostly_skipped:
        assert chance_of(one_host, state, SKIP, host_mostly_skipped=True) == pytest.approx(1)
    else:
        assert chance_of(one_host, state, PARSE, host_mostly_skipped=False) == pytest.approx(1)


@settings(max_examples=50, deadline=None)
@given(assumptions, states)
def test_the_previous_host_is_relevant_only_if_the_host_just_decided_on_is(assumed: Assumptions, state: State) -> None:
    if not state.current_host_relevant:
        assert chance_of(assumed, state, SKIP, previous_host_relevant=True) == 0
    elif not state.host_mostly_skipped:
        # It was parsed, and is relevant: a skip does not change that.
        assert chance_of(assumed, state, SKIP, previous_host_relevant=True) == pytest.approx(1)
    one_host = replace(assumed, same_host=1.0)
    assert chance_of(one_host, state, PARSE, previous_host_relevant=True, current_host_relevant=False) == 0


@settings(max_examples=50, deadline=None)
@given(assumptions, states, st.sampled_from([SKIP, PARSE]))
def test_the_next_address_does_not_depend_on_anything(assumed: Assumptions, state: State, action: int) -> None:
    assert chance_of(assumed, state, action, url_relevant=True) == pytest.approx(assumed.url_relevant)


def test_the_chances_of_a_host_that_looks_new_by_hand() -> None:
    # Of hosts elsewhere, half are new, and of the other half 1/2 · 1/5 look the same: never parsed in 0.5 of 0.55.
    new = 0.5 / 0.55
    assert OURS.never_parsed == pytest.approx(new)
    state = State(True, False, True, False)
    # Skipped: relevant as the previous host only if it was parsed after all.
    assert chance_of(OURS, state, SKIP, previous_host_relevant=True) == pytest.approx(1 - new)
    # Parsed: one new host in five turns out relevant, of the known ones one in twenty ceases to be.
    known = new * 0.2 + (1 - new) * 0.95
    assert chance_of(OURS, state, PARSE, previous_host_relevant=True) == pytest.approx(known)
    # The next link: this host with 0.8, else a new one with 1/2, else mostly skipped with 1/2 and relevant with 1/5.
    assert chance_of(OURS, state, SKIP, host_mostly_skipped=True) == pytest.approx(0.8 + 0.2 * (0.5 + 0.5 * 0.5))
    assert chance_of(OURS, state, PARSE, host_mostly_skipped=True) == pytest.approx(0.8 * 0.5 + 0.2 * 0.75)
    assert chance_of(OURS, state, PARSE, current_host_relevant=True) == pytest.approx(0.8 * known + 0.2 * 0.6)


def test_a_first_page_worth_exactly_nothing_leaves_a_new_host_counted_as_relevant() -> None:
    state = State(True, False, True, False)
    all_zero = Assumptions(same_host=1.0, new_host=1.0, zero=1.0)
    assert chance_of(all_zero, state, PARSE, current_host_relevant=True) == pytest.approx(1)
    assert chance_of(all_zero, state, PARSE, previous_host_relevant=True) == pytest.approx(0.2)


def test_the_published_policy_never_parses_and_neither_change_matters() -> None:
    policies = published_policies()
    assert list(policies) == ["published", "larger penalty for skipping", "discount 1"]
    for policy in policies.values():
        assert policy == {tuple(state): False for state in STATES}


@pytest.mark.parametrize("seed", range(10))
def test_the_outcome_does_not_depend_on_the_random_policy_it_starts_from(seed: int) -> None:
    for policy in published_policies(seed=seed).values():
        assert not any(policy.values())


@pytest.mark.parametrize("discount", [0.1, 0.5, 0.9, 0.99, 1.0])
def test_nor_on_the_discount(discount: float) -> None:
    assert not any(parses_by_state(solve(discount=discount)).values())


def test_skipping_is_better_by_more_than_the_penalty_tried_but_not_by_much() -> None:
    """Some penalty must turn any such policy round; the one of the ablation lies below it."""
    worth = solve().action_values
    margin = float((worth[:, SKIP] - worth[:, PARSE]).min())
    assert PENALTY < margin < 0.5
    assert any(parses_by_state(solve(skip_penalty=0.5)).values())
    assert all(parses_by_state(solve(skip_penalty=2.0)).values())


def test_the_policy_is_solved_for_and_follows_the_assumptions() -> None:
    """Where most hosts are relevant, unknown ones are parsed; what is known already still is not."""
    policy = parses_by_state(solve(Assumptions(relevant=0.95)))
    assert {state for state, parses in policy.items() if parses} == {
        state for state in STATES if state.host_mostly_skipped and state.current_host_relevant
    }


def test_without_looking_ahead_nothing_tells_the_actions_apart() -> None:
    assert solve(discount=0.0, seed=1).policy.tolist() != solve(discount=0.0, seed=2).policy.tolist()


@pytest.mark.parametrize("chance", [-0.1, 1.1, float("nan")])
def test_a_chance_that_is_none_is_refused(chance: float) -> None:
    with pytest.raises(StrategyError, match="zero"):
        Assumptions(zero=chance)


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
