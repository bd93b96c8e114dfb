"""Crawls wired by hand, for what `crawl` does not let a caller change: the strategy, the transport, the core itself."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from honeyguide.crawler import Builder, CrawlCore, CrawlLoop
from honeyguide.crawler.build import levelled_frontier, transport_for
from honeyguide.crawler.resume import restore
from honeyguide.frontier import LevelledFrontier, LevelledRows, Patience, SharedRowsFrontier
from honeyguide.guard import FIRM_LEVEL
from honeyguide.learn import Order
from honeyguide.learn.strategy import Unlearned
from honeyguide.model import LinkId, Skipped, Url
from honeyguide.runs import RunFolder, SqliteStore
from honeyguide.settings import settings_from, to_toml, with_overrides
from plain_parents import all_parents
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.crawler import Dispatch, Event, Parts, StopReason
    from honeyguide.crawler.transport import Transport
    from honeyguide.guard import Guard
    from honeyguide.learn import Strategy
    from honeyguide.model import Candidates, Row, Rows, Transition
    from honeyguide.settings import Settings
    from scripted_world import ScriptedWorld


def script_settings(strategy: str = "breadth-first", **overrides: object) -> Settings:
    """Settings for a scripted world; `budget__fetches=3` sets `budget.fetches`."""
    settings = settings_from({"topic": {"name": "geology", "keywords": ["rock", "mineral"]}})
    chosen: dict[str, Any] = {
        "crawl.world": "synthetic",
        "crawl.strategy": strategy,
        "crawl.concurrency": 1,
        "crawl.workers": 0,
        "judge.kind": "keyword",  # ready at once
    }
    return with_overrides(settings, chosen | {key.replace("__", "."): value for key, value in overrides.items()})


class ByAnchorNumber(Unlearned):
    """Follows the link whose anchor is the highest number. Remembers what it is told; skips URLs that match."""

    order = Order.BEST_SCORE
    row_width = 1
    reads_next_rows = True

    def __init__(self, skipping: str | None = None) -> None:
        self.told: list[Transition] = []
        self._skipping = skipping

    def describe(self, candidates: Candidates) -> Rows:
        anchors = [candidates.words[start:end] for _, start, end, _ in candidates.spans.tolist()]
        numbers = [float(anchor[0]) if anchor and anchor[0].isdecimal() else 0.0 for anchor in anchors]
        return np.array(numbers, dtype=np.float16)[:, None]

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:
        if self._skipping is not None and re.search(self._skipping, url.text):
            return Skipped(f"matches {self._skipping}")
        return None

    def learn(self, transition: Transition) -> bool:
        self.told.append(transition)
        return False


@dataclass
class HandWired:
    """One crawl with its parts in the open: a new one, or one brought back where the folder has one."""

    path: Path
    world: ScriptedWorld
    settings: Settings
    strategy: Strategy | None = None
    wrap: Callable[[Transport], Transport] = lambda transport: transport
    is_interrupted: Callable[[], bool] = lambda: False
    events: list[Event] = field(default_factory=list)
    is_live: bool = False
    guard: Guard | None = None
    is_elsewhere: Callable[[Url], bool] | None = None  # in a run of several shards

    def __post_init__(self) -> None:
        is_new = not self.path.exists()
        if is_new:
            RunFolder.create(self.path, to_toml(self.settings))[1].close()
        builder = Builder(self.settings, hashed_vectors())
        self.parts: Parts = builder.parts(is_live=self.is_live or not self.world.is_offline)
        self.parts = replace(self.parts, is_elsewhere=self.is_elsewhere)
        if self.strategy is not None:
            frontier = builder.frontier(self.strategy, self.parts.schedule, self.parts.links)
            self.parts = replace(self.parts, strategy=self.strategy, frontier=frontier)
        if self.guard is not None:
            patience = Patience(self.settings.guard.patience_s, FIRM_LEVEL)
            levels = levelled_frontier(self.parts.strategy, self.parts.schedule, self.parts.links, patience)
            self.parts = replace(self.parts, guard=self.guard, frontier=levels)
        self.store = SqliteStore(RunFolder(self.path).database_file)
        progress = self.store.progress()
        transport, self.clock = transport_for(self.world, start=0.0 if progress is None else progress.now)
        self.transport = self.wrap(transport)
        self.in_flight: list[Dispatch] = []
        if progress is None:
            self.core = CrawlCore(self.parts, self.settings)
            self.store.record(self.core.start(builder.seed_urls(self.world), self.clock.now()).record)
        else:
            self.core, self.in_flight = restore(self.parts, self.settings, self.store, self.clock)

    def run(self) -> StopReason:
        """Crawl to the end and close."""
        try:
            return asyncio.run(self._run())
        finally:
            self.close()

    def link(self, url: str) -> LinkId:
        """The number of a URL that was met."""
        link = self.parts.links.find(Url.parse(url))
        assert link is not None, f"{url} was never met"
        return link

    def follow(self, url: str, now: float = 0.0) -> None:
        """Choose a waiting link by hand, take in its answer and store the step."""
        dispatch = self.core.choose_link(self.link(url), now)
        self.store.record(self.core.apply(dispatch, self.world.answer(dispatch.url), now).record)

    def close(self) -> None:
        self.store.close()

    async def _run(self) -> StopReason:
        loop = CrawlLoop(self.core, self.transport, self.store, self.clock, [self.events.append], self.is_interrupted)
        try:
            return await loop.run(self.in_flight)
        finally:
            await self.transport.close()


def everything(wired: HandWired) -> dict[str, object]:
    """The whole state of a crawl, to the last bit."""
    links, frontier = wired.parts.links, wired.parts.frontier
    numbers = [LinkId(number) for number in range(len(links))]
    waiting = [link for link in numbers if link in frontier]
    scores, rows = frontier.peek(waiting)
    return {
        "links": [(links.url(n), links.state(n), links.depth(n), links.distance(n), links.hops(n)) for n in numbers],
        "hosts": links.hosts(numbers),
        "waiting": waiting,
        "scores": scores.tolist(),
        "rows": rows.tolist(),
        "all rows": [
            frontier.rows_of(n).tolist() for n in waiting if isinstance(frontier, SharedRowsFrontier | LevelledRows)
        ],
        "levels": frontier.levels(waiting).tolist() if isinstance(frontier, LevelledFrontier) else [],
        "carried": [links.carried(n) for n in numbers],
        "found on": [links.found_on(n) for n in numbers],
        "guard": None if wired.parts.guard is None else wired.parts.guard.save(),
        "parents": None if wired.parts.parents is None else all_parents(wired.parts.parents),
        "strategy": wired.parts.strategy.save(),
        "ready": wired.parts.schedule.ready_at(max(links.hosts(numbers)) + 1).tolist(),
        "chance": wired.parts.chance.bit_generator.state,
        "progress": wired.core.progress._replace(stop_reason=""),
        "in flight": wired.core.in_flight,
    }
