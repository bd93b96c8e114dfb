"""Small worlds in rows, for learners that need no crawler: what is followed, what it pays, what is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.learn.deep_q import DeepQ, DqnSettings, PageDeepQ, pytorch
from honeyguide.learn.deep_q.networks import RowShape
from honeyguide.model import Transition
from pages import HERE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.model import Candidates, Page, ParentRules, ParentStats, Row, Rows

STATE_WIDTH: Final = 2
ROW_WIDTH: Final = 4


class RowsAsTheyAre:
    """Descriptions of nothing: rows come from the test."""

    parent_rules: ParentRules

    def __init__(self, outputs: int = 0) -> None:
        width = STATE_WIDTH + 3 if outputs else ROW_WIDTH
        self.shape = RowShape(STATE_WIDTH, width, np.ones(width, dtype=np.float32), outputs)
        self.parent_rules = None  # type: ignore[assignment]

    def of_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:
        raise NotImplementedError

    def of_links(self, candidates: Candidates) -> Rows:
        raise NotImplementedError


def learner(rules: DqnSettings, seed: int = 1, outputs: int = 0) -> DeepQ:
    kind = PageDeepQ if outputs else DeepQ
    return kind(pytorch("dqn", rules.device), RowsAsTheyAre(outputs), rules, np.random.default_rng(seed))


def row_of(*numbers: float) -> Row:
    return np.array(numbers, dtype=np.float16)


def transition_of(row: Row, reward: float, next_rows: list[Row], *, is_relevant: bool = False) -> Transition:
    rows = np.array(next_rows, dtype=np.float16).reshape(-1, len(row))
    return Transition(1, HERE, row, reward, 0.0, is_relevant, rows)


@dataclass(frozen=True)
class Place:
    """A page: links by name, each with its row, what it pays and where it leads."""

    rows: dict[str, Row]
    pays: dict[str, float]
    leads_to: dict[str, str]


# From the start, one link pays at once and leads nowhere; the other pays nothing and leads to a page with a treasure
# and a trap. With γ = 0.9 the second is worth 0.9 · 1, the first 0.5.
GAMMA: Final = 0.9
WORLD: Final = {
    "start": Place(
        {"snack": row_of(1, 0, 1, 0), "way": row_of(1, 0, 0, 1)},
        {"snack": 0.5, "way": 0.0},
        {"snack": "nowhere", "way": "inside"},
    ),
    "inside": Place(
        {"treasure": row_of(0, 1, 1, 0), "trap": row_of(0, 1, 0, 1)},
        {"treasure": 1.0, "trap": -1.0},
        {"treasure": "nowhere", "trap": "nowhere"},
    ),
    "nowhere": Place({}, {}, {}),
}
BEST: Final = {"start": "way", "inside": "treasure"}
VALUES: Final = {"snack": 0.5, "way": GAMMA * 1.0, "treasure": 1.0, "trap": -1.0}


def every_row() -> dict[str, Row]:
    return {name: row for place in WORLD.values() for name, row in place.rows.items()}


def random_walks(steps: int, seed: int = 0) -> Iterator[Transition]:
    """Transitions of somebody who follows any link, and begins anew with a seed that leads to the start."""
    chance = np.random.default_rng(seed)
    at = "seed"
    for _ in range(steps):
        if at == "seed":
            yield transition_of(row_of(0, 0, 0, 0), 0.0, list(WORLD["start"].rows.values()))
            at = "start"
            continue
        place = WORLD[at]
        name = list(place.rows)[chance.integers(len(place.rows))]
        there = WORLD[place.leads_to[name]]
        yield transition_of(place.rows[name], place.pays[name], list(there.rows.values()))
        at = place.leads_to[name] if there.rows else "seed"


def policy_of(strategy: DeepQ) -> dict[str, str]:
    """The best link of every page that has any."""
    policy = {}
    for name, place in WORLD.items():
        if place.rows:
            scores = strategy.score(np.stack(list(place.rows.values())))
            policy[name] = list(place.rows)[int(scores.argmax())]
    return policy


def return_of(policy: dict[str, str]) -> float:
    """The discounted reward of following a policy from the start."""
    at, factor, total = "start", 1.0, 0.0
    while at in policy:
        name = policy[at]
        total += factor * WORLD[at].pays[name]
        factor, at = factor * GAMMA, WORLD[at].leads_to[name]
    return total
