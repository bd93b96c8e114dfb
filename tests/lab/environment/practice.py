"""Small environments for the tests: hashed word vectors, few pages, and ways to play them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from honeyguide.settings import settings_from, with_overrides
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.environment import FocusedCrawlEnv, TableSpec
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.settings import Settings
    from honeyguide.text import WordVectors
    from scripted_world import Script

Seen: TypeAlias = "tuple[dict[str, Any], float, bool, bool, dict[str, Any]]"
"""What a step gives back."""

SMALL_WEB = "synthetic:seed=5,pages=1000,hosts=20"


def settings_for(**overrides: object) -> Settings:
    """Settings of a crawl for rocks; `budget__fetches=3` sets `budget.fetches`."""
    settings = settings_from({"topic": {"name": "geology", "keywords": ["rock", "mineral"]}})
    chosen: dict[str, Any] = {"crawl.world": SMALL_WEB, "judge.kind": "keyword", "budget.fetches": 40}
    return with_overrides(settings, chosen | {key.replace("__", "."): value for key, value in overrides.items()})


@cache
def small_web() -> tuple[SyntheticWorld, WordVectors]:
    """The web that the settings name and the vectors of its words, made once for all tests."""
    return SyntheticWorld(SyntheticSpec.parse(SMALL_WEB.removeprefix("synthetic:"))), hashed_vectors()


def small_env(table: TableSpec | None = None, run: Path | None = None, **overrides: object) -> FocusedCrawlEnv:
    """An environment over the small synthetic web."""
    web, vectors = small_web()
    return FocusedCrawlEnv(settings_for(**overrides), table or TableSpec(rows=16), world=web, vectors=vectors, run=run)


def scripted_env(script: Script, table: TableSpec | None = None, **overrides: object) -> FocusedCrawlEnv:
    """An environment over a world written down in a test; a crawl starts at its first URL."""
    world = ScriptedWorld(script)
    return FocusedCrawlEnv(settings_for(**overrides), table or TableSpec(rows=4), world=world, vectors=hashed_vectors())


def rocks_with(*targets: str) -> str:
    """A page about rocks, with links."""
    return page_with(*targets).replace("<main>", "<main><p>rock and mineral, mineral and rock</p>")


def play(env: FocusedCrawlEnv, seed: int, steps: int = 1_000_000) -> list[Seen]:
    """Random open rows until the episode is over, or for so many steps."""
    chance = np.random.default_rng(seed)
    observation, _ = env.reset(seed=seed)
    seen: list[Seen] = []
    while len(seen) < steps and not (seen and (seen[-1][2] or seen[-1][3])):
        seen.append(env.step(chance.choice(np.flatnonzero(observation["mask"]))))
        observation = seen[-1][0]
    return seen
