"""A model of parse or skip: what each action leads to, reasoned out and not measured, as in Lim (2016), section 4.2.

Lim gives no transition probabilities, only that they were "derived via analysis". These are ours. One part follows
from how the features are defined (`parse_or_skip_states`):

- a skip leaves a mostly skipped host mostly skipped, and a parse leaves any other host as it is;
- a skip leaves the mean relevance of its host as it is;
- the host just decided on is the previous host of the next link. It is relevant there if it was ever parsed and its
  mean is high enough; a host that is not mostly skipped, or that is not relevant, was parsed.

The other part is the numbers of `Assumptions`. A state does not tell whether a host that is mostly skipped and
relevant was ever parsed; the chance that it was not follows from the same numbers by Bayes' rule.
`docs/parse-or-skip.md` says what comes of it and which numbers matter.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.finite_mdp import SWEEPS, FiniteMdp, policy_iteration
from honeyguide.learn.parse_or_skip_states import PARSE, SKIP, STATES, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.learn.finite_mdp import Solution

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
