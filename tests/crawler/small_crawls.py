"""Settings and helpers for crawls of a second or two on the synthetic web."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from honeyguide.crawler import StopReason, crawl, resume
from honeyguide.runs import open_run
from honeyguide.settings import settings_from, with_overrides
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.crawler import CrawlOptions
    from honeyguide.runs.inbox import Reply
    from honeyguide.settings import Settings

SMALL_WEB = "synthetic:seed=5,pages=3000,hosts=25"


def settings_for(
    strategy: str = "online-ridge",
    *,
    budget: int = 200,
    concurrency: int = 4,
    found_again: str = "best",
    **overrides: object,
) -> Settings:
    """A crawl of the small web that exercises exploration, snapshots and politeness."""
    settings = settings_from({"topic": {"name": "geology", "keywords": ["rock", "mineral"]}})
    return with_overrides(
        settings,
        {
            "crawl.world": SMALL_WEB,
            "crawl.strategy": strategy,
            "crawl.concurrency": concurrency,
            "budget.fetches": budget,
            "frontier.found_again": found_again,
            "politeness.delay_s": 0.5,
            "online_ridge.exploration": 0.1,
            "beam.width": 40,
            "parse_or_skip.relevant": 0.95,  # else it skips everything
            "parse_or_skip_q.reserve": 30,
            "dqn.warm_up": 20,
            "dqn.batch": 8,
            "dqn.refresh_every": 3,
            "dqn.dropout": 0.2,
            "dqn.outputs": 1500,
            "store.snapshot_every": 17,
            **{key.replace("__", "."): value for key, value in overrides.items()},
        },
    )


def crawl_in_pieces(path: Path, settings: Settings, chance: random.Random, *, most_turns: int = 40) -> int:
    """Crawl with an interruption every few turns of the loop, resumed each time until the end; return how many."""
    for interruptions in count():
        patience = iter(range(chance.randint(1, most_turns)))
        options: CrawlOptions = {
            "vectors": hashed_vectors(),
            "is_interrupted": lambda: next(patience, None) is None,  # noqa: B023 - used within this turn
        }
        with resume(path, **options) if interruptions else crawl(path, settings, **options) as run:
            if run.progress.stop_reason != StopReason.INTERRUPTED:
                return interruptions
    raise AssertionError("it never ends")


def reply_to(page: PageQuestion) -> Reply:
    """Answer a question by the address alone."""
    return ("yes", "no", "skip")[sum(page.url.text.encode()) % 3]


def story(path: Path) -> list[tuple[object, ...]]:
    """Everything a run decided and saw, in order, to the last bit."""
    with open_run(path) as run:
        return [
            (step.url, step.outcome, step.score, step.explored, step.reward, step.is_relevant) for step in run.steps()
        ]


def contents(path: Path) -> tuple[object, ...]:
    """What a run holds besides its story: pages and edges."""
    with open_run(path) as run:
        return tuple(run.pages()), tuple(run.edges())
