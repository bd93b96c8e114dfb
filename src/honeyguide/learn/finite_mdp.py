"""Finite Markov decision processes, solved by policy iteration as Lim (2016), section 4.3, lists it.

A policy π names an action for each state. Its values are the fixed point of

    V(s) = R(s, π(s)) + γ Σ_x T(s, π(s), x) V(x),

and an action is worth Q(s, a) = R(s, a) + γ Σ_x T(s, a, x) V(x). Policy iteration starts anywhere and repeats: compute
V, take the action of the greatest Q in each state, until the policy stays as it is.

A reward belongs to the state that is left, as in Lim's formula; paid on arrival it makes the same policy the best.
Below a discount of 1 the values are solved for exactly. At 1 there is no fixed point, because rewards add up for ever.
Then the evaluation is bounded, to the rewards of so many steps: only differences between values count, and those
settle. It is a mean over the later half of the steps, because a policy that goes to and fro between a good state and a
bad one is worth the same from both after an even number of steps, and nothing better would be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import StrategyError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SWEEPS: Final = 1000  # steps that a bounded evaluation looks ahead
MOST_ROUNDS: Final = 1000  # a bounded evaluation could go round in circles
_ROUNDING: Final = 1e-10  # relative to the greatest value: a smaller gain is none


@dataclass(frozen=True, slots=True, eq=False)
class FiniteMdp:
    """States and actions by number, what they lead to and what they pay."""

    transitions: NDArray[np.float64]  # (actions, states, states): T[a, s, x] is the chance to get from s to x by a
    rewards: NDArray[np.float64]  # (states, actions)

    def __post_init__(self) -> None:
        actions, states = self.transitions.shape[:2]
        if self.transitions.shape != (actions, states, states) or self.rewards.shape != (states, actions):
            raise StrategyError(
                f"transitions of shape {self.transitions.shape} and rewards of shape {self.rewards.shape} do not fit: "
                "give (actions, states, states) and (states, actions)"
            )
        is_chance = (self.transitions >= 0).all() and np.allclose(self.transitions.sum(axis=2), 1)
        if not is_chance or not np.isfinite(self.rewards).all():
            raise StrategyError("each row of transitions must be chances that add up to 1, and rewards finite")

    @property
    def states(self) -> int:
        return len(self.rewards)

    @property
    def actions(self) -> int:
        return len(self.transitions)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Where policy iteration ended."""

    policy: NDArray[np.int64]  # an action a state
    values: NDArray[np.float64]  # of the policy
    action_values: NDArray[np.float64]  # (states, actions): Q above
    rounds: int
    is_stable: bool  # False only where a bounded evaluation went round in circles


def policy_values(
    mdp: FiniteMdp, policy: NDArray[np.int64], discount: float, sweeps: int = SWEEPS
) -> NDArray[np.float64]:
    """What each state is worth under a policy: exactly, or at a discount of 1 over up to `sweeps` steps."""
    each = np.arange(mdp.states)
    chances, rewards = mdp.transitions[policy, each], mdp.rewards[each, policy]
    if discount < 1:
        return np.asarray(np.linalg.solve(np.eye(mdp.states) - discount * chances, rewards), dtype=np.float64)
    values, total = np.zeros(mdp.states), np.zeros(mdp.states)
    half = sweeps // 2
    for steps in range(1, sweeps + 1):
        values = rewards + chances @ values
        if steps > half:
            total += values
    return total / (sweeps - half)


def action_values(mdp: FiniteMdp, values: NDArray[np.float64], discount: float) -> NDArray[np.float64]:
    """What each action is worth in each state, if states are worth `values` afterwards."""
    return mdp.rewards + discount * (mdp.transitions @ values).T


def improved(policy: NDArray[np.int64], worth: NDArray[np.float64]) -> NDArray[np.int64]:
    """The best action in each state; the one that the policy has already where nothing is better."""
    each = np.arange(len(policy))
    best = worth.argmax(axis=1)
    gain = worth[each, best] - worth[each, policy]
    return np.where(gain > _ROUNDING * max(1.0, float(np.abs(worth).max())), best, policy)


def policy_iteration(mdp: FiniteMdp, discount: float, *, seed: int = 0, sweeps: int = SWEEPS) -> Solution:
    """Start from a policy drawn by the seed, evaluate and improve until it stays."""
    if not 0 <= discount <= 1:
        raise StrategyError(f"the discount is {discount}; give a number from 0 to 1")
    policy = np.random.default_rng(seed).integers(mdp.actions, size=mdp.states)
    for rounds in range(1, MOST_ROUNDS + 1):
        values = policy_values(mdp, policy, discount, sweeps)
        worth = action_values(mdp, values, discount)
        better = improved(policy, worth)
        if np.array_equal(better, policy):
            return Solution(policy, values, worth, rounds, is_stable=True)
        policy = better
    return Solution(policy, values, worth, MOST_ROUNDS, is_stable=False)
