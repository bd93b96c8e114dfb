"""Does a learner that may only skip links, in a queue, find more than one that skips as many at random?

Run `python benchmarks/parse_or_skip.py [--first-seed N] [--seeds N] [--fetches N] [--set KEY=VALUE] [--json]`. Every
pair of a synthetic web of 60 hosts (one a seed) and a topic is crawled by parse-or-skip-q; then by random-skip with the
share of links that the learner has skipped; and by breadth-first. One fetch at a time and without pauses but those that
hosts ask for, so that little but the choice of links differs. Graded by the generator's labels, which no judge or
strategy sees. Differences are paired by web and topic, with a 95% bootstrap interval that draws webs, then topics in
them. Starts at seed 10: defaults were chosen on the webs of seeds 0 to 3. Also says how often each feature of a state
was true.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from honeyguide.cli.options import parse_assignment
from honeyguide.crawler import Builder, crawl
from honeyguide.crawler.journal import JournaledStages
from honeyguide.learn import ParseOrSkipQ
from honeyguide.learn.parse_or_skip_model import STATES
from honeyguide.runs import SqliteStore
from honeyguide.settings import settings_from, with_overrides
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.statistics import paired_difference
from machine import machine

if TYPE_CHECKING:
    from honeyguide.settings import Settings

TOPICS = ("geology", "opera", "chess", "oncology", "finance", "cycling")
HOSTS = 60
LEARNER, BY_CHANCE, PLAIN = "parse-or-skip-q", "random-skip", "breadth-first"


@dataclass(frozen=True, slots=True)
class Task:
    topic: str
    seed: int
    fetches: int
    overrides: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Graded:
    strategy: str
    on_topic: int
    fetches: int
    skip_share: float  # of the links other than seeds whose turn came


@dataclass(frozen=True, slots=True)
class Contest:
    """One web and topic, crawled by all three."""

    seed: int
    topic: str
    crawls: tuple[Graded, ...]
    feature_shares: tuple[float, ...]  # of the learner's decisions, in the order of a state


@cache
def vectors() -> WordVectors:
    return WordVectors(EnglishVectors())


@cache
def world(seed: int) -> SyntheticWorld:
    return SyntheticWorld(SyntheticSpec(seed=seed, hosts=HOSTS))


def held(task: Task) -> Contest:
    """Let all three crawl."""
    with tempfile.TemporaryDirectory() as folder:
        learner = graded(task, LEARNER, Path(folder) / "learner")
        shares = feature_shares(settings_of(task, LEARNER), Path(folder) / "learner")
        by_chance = graded(task, BY_CHANCE, Path(folder) / "chance", {"random_skip.share": learner.skip_share})
        plain = graded(task, PLAIN, Path(folder) / "plain")
    return Contest(task.seed, task.topic, (learner, by_chance, plain), shares)


def settings_of(task: Task, strategy: str) -> Settings:
    settings = settings_from(
        {
            "topic": {"name": task.topic, "keywords": list(world(task.seed).keywords_for(task.topic))},
            "crawl": {"world": "synthetic", "strategy": strategy, "seed": task.seed, "concurrency": 1},
            "budget": {"fetches": task.fetches},
            "politeness": {"delay_s": 0.0},
        }
    )
    return with_overrides(settings, dict(task.overrides))


def graded(task: Task, strategy: str, folder: Path, overrides: dict[str, Any] | None = None) -> Graded:
    web, settings = world(task.seed), with_overrides(settings_of(task, strategy), overrides or {})
    with crawl(folder, settings, world=web, vectors=vectors()) as run:
        on_topic = sum(web.topic_of(page.url) == task.topic for page in run.pages())
        progress = run.progress
    return Graded(strategy, on_topic, progress.steps, progress.skips / max(progress.decisions - progress.seeds, 1))


def feature_shares(settings: Settings, folder: Path) -> tuple[float, ...]:
    """How often each feature was true, from the lessons in the learner's last state."""
    parts = Builder(settings, vectors()).parts()
    store = SqliteStore(folder / "crawl.sqlite")
    snapshot = store.learner_snapshot()
    store.close()
    assert snapshot is not None
    assert isinstance(parts.strategy, ParseOrSkipQ)
    JournaledStages(parts).load(snapshot.state)
    lessons = parts.strategy.lessons_learned.sum(axis=1)
    return tuple((np.array(STATES, dtype=float).T @ lessons / lessons.sum()).tolist())


def summary(contests: list[Contest]) -> dict[str, Any]:
    """What to print: a row a strategy, and the learner's lead over both others."""
    rows, leads = [], {}
    for place, strategy in enumerate((LEARNER, BY_CHANCE, PLAIN)):
        crawls = [contest.crawls[place] for contest in contests]
        found = np.array([each.on_topic for each in crawls], dtype=float)
        rows.append(
            {
                "strategy": strategy,
                "mean": float(found.mean()),
                "std": float(found.std(ddof=1)),
                "skip_share": float(np.mean([each.skip_share for each in crawls])),
                "least_fetches": min(each.fetches for each in crawls),
            }
        )
    for place, strategy in ((1, BY_CHANCE), (2, PLAIN)):
        by_web: dict[int, list[float]] = {}
        for contest in contests:
            difference = contest.crawls[0].on_topic - contest.crawls[place].on_topic
            by_web.setdefault(contest.seed, []).append(float(difference))
        leads[strategy] = asdict(paired_difference(list(by_web.values())))
    shares = np.mean([contest.feature_shares for contest in contests], axis=0).tolist()
    return {"rows": rows, "leads": leads, "feature_shares": dict(zip(STATES[0]._fields, shares, strict=True))}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--first-seed", type=int, default=10, help="webs 0 to 3 served to choose defaults")
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--fetches", type=int, default=1000)
    options.add_argument("--topics", nargs="+", default=list(TOPICS))
    options.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="any setting, for all three")
    options.add_argument("--workers", type=int, default=None)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    overrides = tuple(map(parse_assignment, chosen.set))
    pairs = product(range(chosen.first_seed, chosen.first_seed + chosen.seeds), chosen.topics)
    tasks = [Task(topic, seed, chosen.fetches, overrides) for seed, topic in pairs]
    with ProcessPoolExecutor(chosen.workers) as workers:
        contests = list(workers.map(held, tasks))
    summed = summary(contests)
    if chosen.json:
        print(json.dumps({"machine": machine(), **summed, "contests": [asdict(each) for each in contests]}, indent=2))
        return
    print(machine(), f"{len(tasks)} crawls a strategy, {chosen.fetches} fetches each")
    for row in summed["rows"]:
        print(
            f"{row['strategy']:>16}: {row['mean']:6.1f} ± {row['std']:5.1f} on-topic pages, {row['skip_share']:.3f} of "
            f"links skipped, at least {row['least_fetches']} fetches spent"
        )
    for strategy, lead in summed["leads"].items():
        print(f"{LEARNER} over {strategy}: {lead['mean']:+.1f} [{lead['low']:+.1f}, {lead['high']:+.1f}]")
    print("true:", ", ".join(f"{name} {share:.3f}" for name, share in summed["feature_shares"].items()))


if __name__ == "__main__":
    main()
