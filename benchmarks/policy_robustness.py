"""When is it best never to parse? The published policy of Lim (2016) under other assumptions than ours.

Run `python benchmarks/policy_robustness.py [--draws N] [--json]`. Solves the model of parse or skip while one
assumption runs from 0 to 1 and the others stay, while the penalty for a skip grows, with other rewards, and for many
draws of all assumptions at once, from anywhere and from what may be so. Takes a minute; nothing is crawled.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from honeyguide.learn.parse_or_skip_model import (
    DISCOUNT,
    PARSE,
    SKIP,
    STATES,
    Assumptions,
    State,
    model_of,
    parses_by_state,
    policy_iteration,
    solve,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

STEP = 0.01
NAMES = tuple(field.name for field in fields(Assumptions))
PLAUSIBLE = {
    "same_host": (0.5, 1.0),
    "relevant": (0.0, 0.5),
    "zero": (0.0, 0.5),
    "ratio_moves": (0.25, 1.0),
    "mean_moves": (0.0, 0.1),
}
"""Most links stay on their host, at most half the hosts are relevant, and one page seldom changes what a host is."""
NEW_HOST = tuple(state for state in STATES if state.host_mostly_skipped and state.current_host_relevant)


@dataclass(frozen=True, slots=True)
class Range:
    """Where one number may lie without a state in which parsing is better; and how many there are at the worst."""

    name: str
    ours: float
    low: float
    high: float
    most_parsing: int


def parsing(assumptions: Assumptions, **changes: float) -> set[State]:
    """The states in which it is best to parse."""
    return {state for state, parses in parses_by_state(solve(assumptions, **changes)).items() if parses}  # type: ignore[arg-type]


def ranges() -> list[Range]:
    """For each assumption, the stretch around our value in which no state is parsed."""
    found = []
    for name in NAMES:
        ours = getattr(Assumptions(), name)
        counts = {step: len(parsing(replace(Assumptions(), **{name: step * STEP}))) for step in range(101)}
        here = round(ours / STEP)
        low = next((step + 1 for step in range(here, -1, -1) if counts[step]), 0)
        high = next((step - 1 for step in range(here, 101) if counts[step]), 100)
        found.append(Range(name, ours, low * STEP, high * STEP, max(counts.values())))
    return found


def first_penalty(discount: float, has_changed: Callable[[set[State]], bool]) -> float:
    """The least penalty for a skip, to a hundredth, that changes the policy so."""
    step = 0
    while not has_changed(parsing(Assumptions(), discount=discount, skip_penalty=step * STEP)):
        step += 1
    return step * STEP


def with_reward(features: Iterable[str]) -> set[State]:
    """The states that are parsed if only some of the features pay."""
    mdp = model_of(Assumptions())
    pays = np.array([[getattr(state, name) for name in features] for state in STATES], dtype=float).sum(axis=1)
    solution = policy_iteration(replace(mdp, rewards=np.stack((pays, pays), axis=1)), DISCOUNT)
    return {state for state in STATES if solution.policy[state.number] == PARSE}


def drawn(draws: int, bounds: dict[str, tuple[float, float]]) -> dict[str, float]:
    """Shares of policies when all assumptions are drawn at once, from 0 to 1 or within their bounds."""
    chance = np.random.default_rng(0)
    counts = {"never parse": 0, "parse what looks new, and nothing else": 0, "always parse": 0}
    for _ in range(draws):
        states = parsing(Assumptions(**{name: chance.uniform(*bounds.get(name, (0.0, 1.0))) for name in NAMES}))
        counts["never parse"] += not states
        counts["parse what looks new, and nothing else"] += states == set(NEW_HOST)
        counts["always parse"] += len(states) == len(STATES)
    return {name: count / draws for name, count in counts.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--draws", type=int, default=5000)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    worth = solve().action_values
    margins = (worth[:, SKIP] - worth[:, PARSE]).tolist()
    discounts = (DISCOUNT, 1.0)
    result: dict[str, Any] = {
        "margins": {str(state): margin for state, margin in zip(STATES, margins, strict=True)},
        "ranges": [[each.name, each.ours, each.low, each.high, each.most_parsing] for each in ranges()],
        "penalty that changes a state": {g: first_penalty(g, bool) for g in discounts},
        "penalty that changes all states": {g: first_penalty(g, lambda s: len(s) == len(STATES)) for g in discounts},
        "parsed with another reward": {
            name: len(with_reward(features))
            for name, features in {
                "without host_mostly_skipped": STATES[0]._fields[1:],
                "without current_host_relevant": [*STATES[0]._fields[:2], "url_relevant"],
                "without either": ["previous_host_relevant", "url_relevant"],
            }.items()
        },
        "drawn from anywhere": drawn(chosen.draws, {}),
        "drawn from what is plausible": drawn(chosen.draws, PLAUSIBLE),
    }
    if chosen.json:
        print(json.dumps(result, indent=2))
        return
    for name, value in result.items():
        print(f"{name}:")
        for each in value.items() if isinstance(value, dict) else value:
            print("  ", *(f"{part:.3g}" if isinstance(part, float) else part for part in each))


if __name__ == "__main__":
    main()
