"""One crawl whose links an outside caller chooses: the one core, one offline world, and a store where it is kept."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from honeyguide.clock import SimulatedClock
from honeyguide.engine import CrawlCore, StopReason, limit_reached
from honeyguide.envs.feature_rows import FeatureRows
from honeyguide.errors import WorldError
from honeyguide.learn.features import LinkFeatures
from honeyguide.settings import to_toml
from honeyguide.store import RunFolder, open_store

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    import numpy as np

    from honeyguide.domain import LinkId
    from honeyguide.engine import Builder, Parts
    from honeyguide.settings import Settings
    from honeyguide.store import StepRecord, Store
    from honeyguide.worlds import World

Result = TypeVar("Result")


class Episode:
    """A crawl from its seeds to its end, one link at a time. Kept in `run` if that is given, else nowhere.

    Time is simulated: following a link waits until its host is ready, and as long as the world says the answer takes.
    """

    def __init__(
        self, builder: Builder, settings: Settings, world: World, chance: np.random.Generator, run: Path | None
    ) -> None:
        self._settings = settings
        self._world = world
        self._clock = SimulatedClock()
        self._opened = ExitStack()
        seeds = builder.seed_urls(world)
        self._parts = _parts(builder, chance)
        self.core = CrawlCore(self._parts, settings)
        folder = self._make_folder(run, builder.settings)
        self._store = self._open_store(folder)
        self.first = self._kept(self.core.start(seeds, self._clock.now()).record)
        if folder is not None:
            folder.mark_started()

    @property
    def is_exhausted(self) -> bool:
        """Nothing is left to crawl."""
        return not len(self.core.frontier)

    @property
    def limit(self) -> StopReason | None:
        """The limit of the budget that has been reached, if one has."""
        disk_bytes = 0 if self._store is None else self._store.size_bytes()
        return limit_reached(self._settings.budget, self.core.progress, disk_bytes)

    @property
    def stop_reason(self) -> StopReason | None:
        """Why there is no next step; None while there is one."""
        return self.limit or (StopReason.EXHAUSTED if self.is_exhausted else None)

    def follow(self, link: LinkId) -> StepRecord:
        """Fetch a waiting link and take in what comes of it. KeyError if it does not wait."""
        if link not in self.core.frontier:
            raise KeyError(link)
        (host,) = self.core.links.hosts([link])
        self._clock.advance_to(float(self._parts.clocks.ready_at(host + 1)[host]))
        dispatch = self.core.choose_link(link, self._clock.now())
        answer = at_once(self._world.fetch(dispatch.url))
        self._clock.advance_to(self._clock.now() + answer.elapsed_s)
        return self._kept(self.core.apply(dispatch, answer, self._clock.now()).record)

    def close(self) -> None:
        """Note why the crawl stops, and let go of the run folder; may be called twice."""
        if self._store is not None:
            self._kept(self.core.stop(self.stop_reason or StopReason.INTERRUPTED, self._clock.now()).record)
        self._store = None
        self._opened.close()

    def _make_folder(self, run: Path | None, settings: Settings) -> RunFolder | None:
        if run is None:
            return None
        folder, lock = RunFolder.create(run, to_toml(settings))
        self._opened.enter_context(lock)
        return folder

    def _open_store(self, folder: RunFolder | None) -> Store | None:
        if folder is None:
            return None
        store = open_store(folder, self._settings)
        self._opened.callback(store.close)
        return store

    def _kept(self, record: StepRecord) -> StepRecord:
        if self._store is not None:
            self._store.record(record)
        return record


def _parts(builder: Builder, chance: np.random.Generator) -> Parts:
    """The parts that the settings name, but with rows that an agent can read, and its chance for every draw."""
    parts = builder.parts()
    strategy = FeatureRows(parts.strategy, LinkFeatures(builder.topic, builder.vectors))
    return replace(parts, strategy=strategy, frontier=builder.frontier(strategy, parts.clocks), chance=chance)


def at_once(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What a coroutine that never suspends returns: as offline worlds promise, with no event loop to get in the way."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    coroutine.close()
    raise WorldError("the world waits for something outside: an environment needs an offline one, as synthetic")
