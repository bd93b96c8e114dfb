"""The model of parse or skip: chances that follow from the definitions, and the published policy that comes of them."""

from __future__ import annotations

from dataclasses import fields, replace

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
    State,
    model_of,
    parses_by_state,
    published_policies,
    solve,
)

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
