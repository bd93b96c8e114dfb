"""The policy for the sixteen states, as published and under the two changes that Lim tried: section 7.3.2."""

from __future__ import annotations

from typing import Any, Final

from honeyguide.learn.parse_or_skip_model import DISCOUNT, PARSE, PENALTY, SKIP, STATES, published_policies, solve
from honeyguide_lab.reproduce.lim2016.published import PARSES_BY_STATE
from honeyguide_lab.reproduce.study import Section, Table

_WORDS: Final = {False: "skip", True: "parse"}
_EXPLAINED: Final = (
    "Four features of a link make sixteen states; policy iteration finds what to do in each. Lim's policy skips in "
    "every state, and neither a penalty for skipping nor a discount of 1 changes that. He prints no transition "
    "probabilities; ours are reasoned from his definitions and a few stated assumptions; the discount and "
    "the penalty are ours too."
)


def policy_section(seed: int) -> tuple[Section, dict[str, Any]]:
    """The section, and the policies as JSON files by name, in the shape that Lim's program prints."""
    policies = published_policies(seed=seed)
    worth = solve(seed=seed).action_values
    margins = worth[:, SKIP] - worth[:, PARSE]
    table = Table(
        "policy",
        "What to do with a link",
        (
            "host mostly skipped", "previous host relevant", "current host relevant", "URL relevant", "published",
            f"ours, discount {DISCOUNT:g}", f"ours, penalty {PENALTY:g} for skipping", "ours, discount 1",
            "skipping worth more by",
        ),
        tuple(
            (
                *map(str, state),
                _WORDS[PARSES_BY_STATE[state]],
                *(_WORDS[policy[state]] for policy in policies.values()),
                round(float(margins[state.number]), 6),
            )
            for state in STATES
        ),
        note=f"*Skipping worth more by*: the difference of the two actions' values at a discount of {DISCOUNT:g}, "
        "where the reward is the number of true features. The published column holds for all three settings.",
    )  # fmt: skip
    parsed = {name: sum(policy.values()) for name, policy in policies.items()}
    outcome = "; ".join(f"{name}: {_counted(states)}" for name, states in parsed.items())
    document = {name: {str(state): parses for state, parses in policy.items()} for name, policy in policies.items()}
    section = Section("The policy (7.3.2)", (_EXPLAINED, f"States parsed by ours: {outcome}."), (table,))
    return section, {"policy": document}


def _counted(states: int) -> str:
    return f"{states} of {len(STATES)}" if states else "none"
