"""One crawl of a web with a trap in it, by us or by Scrapy, and how it is graded: what `benchmarks/traps.py` runs."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.crawler import crawl
from honeyguide.errors import InvalidUrl
from honeyguide.model import Fetched, Url
from honeyguide.settings import SETTINGS_BY_KEY, settings_from
from honeyguide.settings.profiles import VALUES_BY_PROFILE
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.synthetic.server import SyntheticServer
from honeyguide_lab.traps import Waste

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.runs import Run

OFF, ON, PROFILE, SCRAPY, SCRAPY_DEFAULT = ARMS = ("off", "on", "loop-detection", "scrapy", "scrapy-default")
"""Ours without and with the guard, and by the profile; Scrapy in breadth-first order, and in its own."""

PROFILE_STRATEGY: Final = str(VALUES_BY_PROFILE[PROFILE]["crawl.strategy"])

_SCRAPY_S: Final = 900.0  # a crawl of Scrapy is given up after so long


@dataclass(frozen=True, slots=True)
class Task:
    """One crawl."""

    scenario: str
    seed: int
    arm: str
    strategy: str  # of ours; "" for Scrapy
    over_http: bool
    budget: int
    is_polite: bool  # of ours: with the pauses and fetches at a time that a crawl has by default
    web: str  # of the synthetic web, besides seed and trap
    peers: str = ""  # the interpreter that has Scrapy
    depth_limit: int = 0

    @property
    def spec(self) -> SyntheticSpec:
        return replace(SyntheticSpec.parse(self.web), seed=self.seed, trap=self.scenario)

    @property
    def key(self) -> str:
        """What tells the crawl from others in a file of results."""
        where = ("http" if self.over_http else "in process") + (", polite" if self.is_polite else "")
        depth = f"depth {self.depth_limit}" if self.arm in (SCRAPY, SCRAPY_DEFAULT) else ""
        parts = (self.scenario, self.seed, self.arm, self.strategy, where, self.budget, self.web, depth)
        return "|".join(map(str, parts))


@dataclass(frozen=True, slots=True)
class Fetch:
    """A fetch of a crawl: its address, and whether a page of HTML came and was judged part of a trap or a copy."""

    url: Url
    is_page: bool
    is_found: bool = False


@dataclass(frozen=True, slots=True)
class Grade:
    """What a crawl made of its budget. Pages are those of HTML that arrived."""

    fetches: int
    pages: int
    wasted: int  # pages that were worthless, or a second copy
    honest: int  # pages that were worth it, those of the trap's site included
    of_trap: int  # of these, pages of the trap's own
    true_findings: int  # wasted pages that were found out
    false_findings: int  # pages that were worth it and were taken for a trap or a copy
    near_copies_found: int  # pages of the honest web that do nearly repeat another; they count neither way
    seconds: float


def run(task: Task) -> Grade:
    started = time.perf_counter()
    fetches = _by_scrapy(task) if task.arm in (SCRAPY, SCRAPY_DEFAULT) else _by_us(task)
    return grade(_world(task.spec), fetches, time.perf_counter() - started)


def grade(world: SyntheticWorld, fetches: Iterable[Fetch], seconds: float) -> Grade:
    """Count what each fetch, in order, was worth."""
    waste = Waste()
    count = pages = wasted = of_trap = right = wrong = neither = 0
    for fetch in fetches:
        count += 1
        truth = world.truth(fetch.url) if fetch.is_page else None
        if truth is None:
            continue
        pages += 1
        is_wasted = waste.is_wasted(truth)
        wasted += is_wasted
        of_trap += bool(truth.trap) and not is_wasted
        right += fetch.is_found and is_wasted
        neither += fetch.is_found and not is_wasted and bool(truth.nearly)
        wrong += fetch.is_found and not is_wasted and not truth.nearly
    return Grade(count, pages, wasted, waste.worthwhile, of_trap, right, wrong, neither, round(seconds, 1))


def has_guard() -> bool:
    return "guard.on" in SETTINGS_BY_KEY


def guard_table(arm: str) -> dict[str, Any]:
    """The settings of an arm but for its strategy, for `settings_from`."""
    if not has_guard():
        return {}
    tables: dict[str, Any] = {"guard": {"on": arm != OFF}}
    for key, value in VALUES_BY_PROFILE[PROFILE].items() if arm == PROFILE else ():
        table, name = key.split(".")
        if table != "crawl":
            tables.setdefault(table, {})[name] = value
    return tables


def found_steps(run: Run, arm: str) -> set[int]:
    """The steps whose page the guard judged a loop, a trap or a copy."""
    if arm == OFF:
        return set()
    findings: Any = run.guard_findings()  # type: ignore[attr-defined, unused-ignore]
    return {finding.step for finding in findings}


@cache
def vectors() -> WordVectors:
    return WordVectors(EnglishVectors())


@cache
def _world(spec: SyntheticSpec) -> SyntheticWorld:
    return SyntheticWorld(spec)


def _by_us(task: Task) -> list[Fetch]:
    """One fetch at a time and without pauses but those that hosts ask for; sixteen at a time over HTTP.

    With the pauses of a crawl, as many at a time as it has by default.
    """
    world = _world(task.spec)
    topic = world.trap_topic
    name = f"synthetic+http:{task.web},seed={task.seed},trap={task.scenario}" if task.over_http else "synthetic"
    pauses = {} if task.is_polite else {"politeness": {"delay_s": 0.0, "delay_factor": 0.0}}
    at_a_time = {} if task.is_polite else {"concurrency": 16 if task.over_http else 1}
    settings = settings_from(
        {
            "topic": {"name": topic, "keywords": list(world.keywords_for(topic))},
            "crawl": {"world": name, "strategy": task.strategy, "seed": task.seed} | at_a_time,
            "budget": {"fetches": task.budget},
        }
        | pauses
        | guard_table(task.arm)
    )
    with tempfile.TemporaryDirectory() as folder:
        around: Any = {"vectors": vectors()} | ({} if task.over_http else {"world": world})
        with crawl(Path(folder) / "run", settings, **around) as done:
            found = found_steps(done, task.arm)
            html = {page.step for page in done.pages() if "html" in page.media_type}
            return [Fetch(step.url, step.step in html, step.step in found) for step in done.steps()]


def _by_scrapy(task: Task) -> list[Fetch]:
    """What the server was asked for, in order, robots.txt apart; no more than the budget."""
    world = _world(task.spec)
    with SyntheticServer.in_thread(world) as server, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "task.json"
        told = {
            "addresses": dict(server.addresses),
            "start_urls": [url.text for url in world.entry_urls()],
            # Scrapy counts every host's robots.txt among its answers, which the budget does not.
            "answers": task.budget + 2 * len(server.addresses),
            "order": "breadth-first" if task.arm == SCRAPY else "default",
            "depth_limit": task.depth_limit,
        }
        file.write_text(json.dumps(told), encoding="utf-8")
        script = Path(__file__).parent / "peers" / "scrapy_web.py"
        subprocess.run([task.peers, str(script), str(file)], check=True, timeout=_SCRAPY_S, cwd=folder)
        asked = [f"http://{record.host}{record.path}" for record in server.requests if record.path != "/robots.txt"]
    return [fetch for text in asked[: task.budget] if (fetch := _asked(world, text)) is not None]


def _asked(world: SyntheticWorld, text: str) -> Fetch | None:
    try:
        url = Url.parse(text)
    except InvalidUrl:
        return None
    outcome = world.serve(url).outcome
    return Fetch(url, isinstance(outcome, Fetched) and "html" in outcome.content_type)
