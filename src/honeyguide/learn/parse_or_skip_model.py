"""A model of parse or skip, solved by policy iteration: Lim (2016), sections 4.2, 4.3 and 5.2.1.

The sixteen states are four features, each true or false, of the link whose turn has come. N counts decisions on a host,
T the pages of it whose relevance has come in, R the sum of those:

    host mostly skipped       N_parsed = 0  or  (N_skipped > 0 and N_parsed / N_skipped < x)      x = 1
    previous host relevant    T > 0 and R / T ≥ x, of the host of the link decided before         x = 2/3
    current host relevant     R = 0  or  (T > 0 and R / T ≥ x)                                    x = 2/3
    URL relevant              relevance predicted from the address ≥ x                            x = 2/3

This is the definition to the letter, with two oddities. R = 0 makes the third true for a host that was never parsed,
which is meant, and also for one all of whose pages were worth exactly nothing, which the text beside the formula
denies. And T is defined nowhere; with several fetches at once there are fewer pages in than decisions made, hence our
reading.

Policy iteration (4.3): a policy π names an action for each state. Its values are the fixed point of

    V(s) = R(s, π(s)) + γ Σ_x T(s, π(s), x) V(x),

and an action is worth Q(s, a) = R(s, a) + γ Σ_x T(s, a, x) V(x). It starts anywhere and repeats: compute V, take the
action of the greatest Q in each state, until the policy stays as it is. A reward belongs to the state that is left, as
in Lim's formula; paid on arrival it makes the same policy the best. Below a discount of 1 the values are solved for
exactly. At 1 there is no fixed point, because rewards add up for ever. Then the evaluation is bounded, to the rewards
of so many steps: only differences between values count, and those settle. It is a mean over the later half of the
steps, because a policy that goes to and fro between a good state and a bad one is worth the same from both after an
even number of steps, and nothing better would be found.

The transition probabilities (4.2) are ours: Lim says only that they were "derived via analysis". One part follows from
how the features are defined: a skip leaves a mostly skipped host mostly skipped, and a parse leaves any other host as
it is; a skip leaves the mean relevance of its host as it is; the host just decided on is the previous host of the next
link, and is relevant there if it was ever parsed and its mean is high enough (a host that is not mostly skipped, or
that is not relevant, was parsed). The other part is the numbers of `Assumptions`. A state does not tell whether a host
that is mostly skipped and relevant was ever parsed; the chance that it was not follows by Bayes' rule.
`docs/explanation/parse-or-skip.md` says what comes of it and which numbers matter.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from honeyguide.errors import StrategyError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from honeyguide.learn.parse_or_skip import HostTally


class State(NamedTuple):
    """The features of a link whose turn has come."""

    host_mostly_skipped: bool
    previous_host_relevant: bool
    current_host_relevant: bool
    url_relevant: bool

    @property
    def number(self) -> int:
        """Place in `STATES`."""
        return 8 * self[0] + 4 * self[1] + 2 * self[2] + self[3]

    def __str__(self) -> str:
        return f"({', '.join(str(bool(feature)) for feature in self)})"


SKIP: Final = 0  # Lim's False
PARSE: Final = 1  # Lim's True
STATES: Final = tuple(State(*features) for features in product((False, True), repeat=4))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the features of hosts begin to be true; the defaults are Lim's."""

    ratio: float = 1.0
    previous_relevance: float = 2 / 3
    current_relevance: float = 2 / 3


def state_of(previous: HostTally, current: HostTally, thresholds: Thresholds, *, url_relevant: bool) -> State:
    """The state of a link on a host with the tally `current`, decided on after a link of a host with `previous`."""
    return State(
        host_mostly_skipped=is_mostly_skipped(current, thresholds.ratio),
        previous_host_relevant=is_known_relevant(previous, thresholds.previous_relevance),
        current_host_relevant=current.relevance == 0 or is_known_relevant(current, thresholds.current_relevance),
        url_relevant=url_relevant,
    )


def is_mostly_skipped(tally: HostTally, ratio: float) -> bool:
    """Whether the host was never parsed, or less than `ratio` times as often as skipped."""
    return tally.parsed == 0 or (tally.skipped > 0 and tally.parsed / tally.skipped < ratio)


def is_known_relevant(tally: HostTally, threshold: float) -> bool:
    """Whether pages of the host have come in, with a mean relevance of at least `threshold`."""
    return tally.judged > 0 and tally.relevance / tally.judged >= threshold


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
    """Return the value of each state under a policy: exactly, or at a discount of 1 over up to `sweeps` steps."""
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
    """Return the value of each action in each state, if states are worth `values` afterwards."""
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


DISCOUNT: Final = 0.9  # ours; Lim says only that it is below 1
PENALTY: Final = 0.25  # of the ablation, ours: a quarter of what one feature pays


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Chances that the definitions leave open."""

    same_host: float = 0.8  # the next link is on the same host: most links of a page lead to its own
    new_host: float = 0.5  # else its host was never parsed, and so is mostly skipped and counts as relevant
    mostly_skipped: float = 0.5  # else its host is mostly skipped
    relevant: float = 0.2  # a known host is relevant; a new one is, once its first page is in
    zero: float = (
        0.0  # the first page of an irrelevant host scores exactly 0, which leaves the host counted as relevant
    )
    ratio_moves: float = 0.5  # one decision carries the parse-skip ratio over its threshold, where it can
    mean_moves: float = 0.05  # one page carries the mean relevance of a known host over its threshold
    url_relevant: float = 0.2  # the address of the next link is relevant

    def __post_init__(self) -> None:
        for field in fields(self):
            chance = getattr(self, field.name)
            if not 0 <= chance <= 1:  # also refuses NaN
                raise StrategyError(f"the chance {field.name} is {chance}; give a number from 0 to 1")

    @property
    def never_parsed(self) -> float:
        """Of the hosts that are mostly skipped and count as relevant, those that were never parsed."""
        known = (1 - self.new_host) * self.mostly_skipped * self.relevant
        return self.new_host / (self.new_host + known) if self.new_host else 0.0


class _Host(NamedTuple):
    """A host as its two features have it."""

    mostly_skipped: bool
    relevant: bool
    known_relevant: bool = False  # relevant, and not for want of a page


def model_of(assumptions: Assumptions, skip_penalty: float = 0.0) -> FiniteMdp:
    """The process of the sixteen states. It pays the number of true features, less a penalty for a skip."""
    transitions = np.zeros((2, len(STATES), len(STATES)))
    for state in STATES:
        for action in (SKIP, PARSE):
            for following, chance in _transitions(state, action, assumptions):
                transitions[action, state.number, following.number] += chance
    features = np.array([sum(state) for state in STATES], dtype=np.float64)
    return FiniteMdp(transitions, np.stack((features - skip_penalty, features), axis=1))


def solve(
    assumptions: Assumptions | None = None,
    *,
    discount: float = DISCOUNT,
    skip_penalty: float = 0.0,
    seed: int = 0,
    sweeps: int = SWEEPS,
) -> Solution:
    """Policy iteration on the model, from a random policy."""
    return policy_iteration(model_of(assumptions or Assumptions(), skip_penalty), discount, seed=seed, sweeps=sweeps)


def parses_by_state(solution: Solution) -> dict[State, bool]:
    """A policy as Lim prints it: for each state whether to parse."""
    return {state: bool(solution.policy[state.number] == PARSE) for state in STATES}


def published_policies(assumptions: Assumptions | None = None, seed: int = 0) -> dict[str, dict[State, bool]]:
    """The policy of Lim's section 7.3.2 and of the two changes he tried there, as the model has them."""
    return {
        "published": parses_by_state(solve(assumptions, seed=seed)),
        "larger penalty for skipping": parses_by_state(solve(assumptions, seed=seed, skip_penalty=PENALTY)),
        "discount 1": parses_by_state(solve(assumptions, seed=seed, discount=1.0)),
    }


def _transitions(state: State, action: int, assumed: Assumptions) -> Iterator[tuple[State, float]]:
    """The states that may follow, with chances that add up to 1; the same state may come several times."""
    for decided, chance in _decided(state, action, assumed):
        for host, host_chance in _next_hosts(decided, assumed):
            for by_url, url_chance in _flip(assumed.url_relevant):
                following = State(host.mostly_skipped, decided.known_relevant, host.relevant, by_url)
                yield following, chance * host_chance * url_chance


def _decided(state: State, action: int, assumed: Assumptions) -> Iterator[tuple[_Host, float]]:
    """The host of a link after the decision on it."""
    neglected = state.host_mostly_skipped
    moves = assumed.ratio_moves if neglected == (action == PARSE) else 0.0
    for is_moved, ratio_chance in _flip(moves):
        for relevant, known_relevant, chance in _relevance_after(state, action, assumed):
            yield _Host(neglected != is_moved, relevant, known_relevant), ratio_chance * chance


def _relevance_after(state: State, action: int, assumed: Assumptions) -> Iterator[tuple[bool, bool, float]]:
    """Whether the host of a link counts as relevant after the decision on it, and whether that is known of it."""
    if not state.current_host_relevant:
        moves = assumed.mean_moves if action == PARSE else 0.0
        yield True, True, moves
        yield False, False, 1 - moves
        return
    new = assumed.never_parsed if state.host_mostly_skipped else 0.0
    if action == SKIP:
        yield True, False, new
        yield True, True, 1 - new
        return
    irrelevant = new * (1 - assumed.relevant)
    yield True, True, new * assumed.relevant + (1 - new) * (1 - assumed.mean_moves)
    yield True, False, irrelevant * assumed.zero
    yield False, False, irrelevant * (1 - assumed.zero) + (1 - new) * assumed.mean_moves


def _next_hosts(decided: _Host, assumed: Assumptions) -> Iterator[tuple[_Host, float]]:
    yield decided, assumed.same_host
    elsewhere = 1 - assumed.same_host
    yield _Host(mostly_skipped=True, relevant=True), elsewhere * assumed.new_host
    for neglected, ratio_chance in _flip(assumed.mostly_skipped):
        for relevant, chance in _flip(assumed.relevant):
            yield _Host(neglected, relevant), elsewhere * (1 - assumed.new_host) * ratio_chance * chance


def _flip(chance: float) -> tuple[tuple[bool, float], ...]:
    return (True, chance), (False, 1 - chance)
