"""Start a crawl, go on with one: the two calls that the command line and other programs make."""

from __future__ import annotations

import asyncio
import gc
import logging
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from threadpoolctl import threadpool_limits

from honeyguide.clock import RealClock
from honeyguide.engine.build import Builder, open_world, transport_for, worker_count
from honeyguide.engine.checkpoint import let_hosts_rest, restore
from honeyguide.engine.core import CrawlCore
from honeyguide.engine.events import CrawlStarted
from honeyguide.engine.examples import with_examples_read
from honeyguide.engine.indexing import Indexing
from honeyguide.engine.known_pages import pages_to_refresh
from honeyguide.engine.listed_seeds import with_listed_seeds
from honeyguide.engine.loop import CrawlLoop
from honeyguide.engine.preparing import OBJECTS_BETWEEN_COLLECTIONS, Preparation
from honeyguide.engine.seed_warnings import SeedWarnings
from honeyguide.engine.web_memory import WebMemory
from honeyguide.engine.workers import Workers
from honeyguide.errors import RunDamaged, SettingsError
from honeyguide.settings import load_settings, to_toml, validate, with_overrides
from honeyguide.store import RunFolder, RunLock, body_packer, open_run, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Unpack

    from honeyguide.clock import Clock
    from honeyguide.domain import KnownPage, Url
    from honeyguide.engine.events import Listener
    from honeyguide.engine.parts import Parts
    from honeyguide.engine.steps import Dispatch
    from honeyguide.settings import Settings
    from honeyguide.store import Progress, Run, SqliteStore, StepRecord
    from honeyguide.text import WordVectors
    from honeyguide.text.vector_files import Converting
    from honeyguide.worlds import World

log = logging.getLogger(__name__)


class Surroundings(TypedDict, total=False):
    """What a crawl may be given besides its settings."""

    world: World  # takes the place of the one the settings name; to resume the run, give it again
    listeners: Sequence[Listener]  # told of every event, after it is stored
    is_interrupted: Callable[[], bool]  # asked between steps; True stops the crawl, to be resumed later
    vectors: WordVectors  # loaded already, to be shared by several crawls
    on_converting: Callable[[Converting], None]  # told how far a file of vectors is, when it is first met


def crawl(run: Path | str, settings: Settings, **around: Unpack[Surroundings]) -> Run:
    """Crawl into a new run folder and open it for reading.

    Raises `SettingsError`, `WorldError`, `VectorsError`, `JudgeError` or `RunExists` before anything is written,
    and `JudgeError` later where the judge breaks on 20 pages in a row; the run can then be resumed.
    Inside a running event loop, as in a notebook, await `crawl_async` instead.
    """
    refuse_in_running_loop("crawl_async")
    return asyncio.run(crawl_async(run, settings, **around))


def resume(run: Path | str, *, budget: str | int | None = None, **around: Unpack[Surroundings]) -> Run:
    """Go on with a run that was stopped or killed; offline, as if nothing had happened.

    `budget` is a new total of fetches, or "+N" for N more than the run's own. A run that had begun the last fetch of
    its old budget has chosen what one with the new budget would have; what it chooses from then on may differ, unless
    it makes one fetch at a time. Inside a running event loop, await `resume_async` instead.
    """
    refuse_in_running_loop("resume_async")
    return asyncio.run(resume_async(run, budget=budget, **around))


async def crawl_async(run: Path | str, settings: Settings, **around: Unpack[Surroundings]) -> Run:
    """As `crawl`, for callers with an event loop of their own. Steps are computed in that loop's thread."""
    _refuse_unknown(around)
    validate(settings)
    RunFolder(Path(run)).refuse_if_used()  # before anyone is asked for anything
    async with AsyncExitStack() as opened:
        opened.enter_context(_one_blas_thread())
        opened.enter_context(_fewer_collections())
        memory, known = WebMemory(), pages_to_refresh(settings)
        world = await _world(opened, settings, around, memory, known)
        _take_over(opened, settings, memory)
        settings = await with_listed_seeds(await with_examples_read(settings, world), world, memory)
        builder = _builder(settings, around)
        workers = await _workers(opened, builder, world)
        seeds, parts = _seeds(builder, world, known), builder.parts(is_live=not world.is_offline)
        folder, lock = RunFolder.create(Path(run), to_toml(builder.settings))
        opened.enter_context(lock)
        store = open_store(folder, settings)
        opened.callback(store.close)
        memory.keep_in(store)
        start = max((page.checked_at for page in known), default=0.0)
        transport, clock = transport_for(world, start, _with_home(workers, parts, builder))
        opened.push_async_callback(transport.close)
        core = CrawlCore(parts, settings)
        first = core.start(seeds, clock.now(), known).record
        store.record(_with_rests(first, core, parts, settings, memory))
        folder.mark_started()
        listeners = _listeners(around, parts, known)
        on_stored = _on_stored(memory, _indexing(opened, folder, settings, world, core.progress.steps))
        loop = CrawlLoop(core, transport, store, clock, listeners, _interruption(around), on_stored)
        loop.announce(CrawlStarted(core.progress, is_resumed=False))
        await loop.run()
    return open_run(run)


async def resume_async(run: Path | str, *, budget: str | int | None = None, **around: Unpack[Surroundings]) -> Run:
    """As `resume`, for callers with an event loop of their own."""
    _refuse_unknown(around)
    folder = RunFolder.open(Path(run))
    async with AsyncExitStack() as opened:
        opened.enter_context(_one_blas_thread())
        opened.enter_context(_fewer_collections())
        opened.enter_context(RunLock(folder))
        settings = with_budget(load_settings(folder.settings_file), budget)
        validate(settings)
        store = open_store(folder, settings)
        opened.callback(store.close)
        progress = store.progress()
        _check_resumable(folder, progress, settings, budget)
        memory = WebMemory()
        known = pages_to_refresh(settings) if progress is None else list(store.known())
        world = await _world(opened, settings, around, memory, known)
        builder = _builder(settings, around)
        workers = await _workers(opened, builder, world)
        parts = builder.parts(is_live=not world.is_offline, is_restored=progress is not None)
        start = 0.0 if progress is None else progress.now
        transport, clock = transport_for(world, start, _with_home(workers, parts, builder))
        opened.push_async_callback(transport.close)
        if progress is None:
            _take_over(opened, settings, memory)
        memory.recall(store, clock.now(), settings.politeness)
        in_flight: list[Dispatch] = []
        if progress is None:  # killed before its first step was whole: start anew in the same folder
            core = CrawlCore(parts, settings)
            first = core.start(_seeds(builder, world, known), clock.now(), known).record
            store.record(_with_rests(first, core, parts, settings, memory))
            folder.mark_started()
        else:
            core, in_flight = _restored(folder, parts, settings, store, clock)
        if budget is not None:
            folder.save_settings(to_toml(builder.settings))
        listeners = _listeners(around, parts, known)
        on_stored = _on_stored(memory, _indexing(opened, folder, settings, world, core.progress.steps))
        loop = CrawlLoop(core, transport, store, clock, listeners, _interruption(around), on_stored)
        loop.announce(CrawlStarted(core.progress, is_resumed=True))
        await loop.run(in_flight)
    return open_run(run)


def _restored(
    folder: RunFolder, parts: Parts, settings: Settings, store: SqliteStore, clock: Clock
) -> tuple[CrawlCore, list[Dispatch]]:
    try:
        return restore(parts, settings, store, clock)
    except (ValueError, TypeError, LookupError, AssertionError) as error:
        # The store has checked what SQLite can; rows that contradict one another show only here.
        raise RunDamaged(
            f"{folder.database_file} holds what no crawl wrote ({error!r}); restore it from a copy of the run"
        ) from error


def _check_resumable(
    folder: RunFolder, progress: Progress | None, settings: Settings, budget: str | int | None
) -> None:
    if progress is None and folder.has_started:
        raise RunDamaged(f"{folder.database_file} has lost its steps; restore it from a copy of the run")
    if budget is not None and progress is not None and settings.budget.fetches < progress.charged:
        spent, total = progress.charged, settings.budget.fetches
        raise SettingsError([f"budget is {total}: the run has spent {spent} already; give more, or +{total}"])


def _builder(settings: Settings, around: Surroundings) -> Builder:
    return Builder(settings, around.get("vectors"), around.get("on_converting", lambda _: None))


def _seeds(builder: Builder, world: World, known: Sequence[KnownPage]) -> Sequence[Url]:
    return [page.url for page in known] or builder.seed_urls(world)


async def _world(
    opened: AsyncExitStack, settings: Settings, around: Surroundings, memory: WebMemory, known: Sequence[KnownPage]
) -> World:
    """The world given, or the one that the settings name, closed with everything else that was opened."""
    if "world" in around:
        return around["world"]
    if settings.crawl.world == "live" and not settings.fetch.has_contact:
        log.warning("no site owner can reach you: give --contact with a mail address or page of yours (fetch.contact)")
    return await opened.enter_async_context(open_world(settings, memory, known))


def _take_over(opened: AsyncExitStack, settings: Settings, memory: WebMemory) -> None:
    """A new pass over a live run asks its hosts no sooner than that run would have, nor again for their robots.txt."""
    if settings.refresh.run and memory.turns is not None:
        earlier = opened.enter_context(open_run(settings.refresh.run))
        memory.take_over(earlier.hosts_asked(), RealClock().now(), settings.politeness)


def _with_rests(first: StepRecord, core: CrawlCore, parts: Parts, settings: Settings, memory: WebMemory) -> StepRecord:
    """The first step of a run, after which those hosts of its seeds rest that an earlier run has asked just now."""
    hosts = {found.url.host for found in first.new_links}
    rests = [rest for rest in memory.earlier_rests if rest.host in hosts]
    let_hosts_rest(core, parts, settings.politeness, rests)
    return replace(first, ready_at_by_host={rest.host: rest.ready_at for rest in rests})


async def _workers(opened: AsyncExitStack, builder: Builder, world: World) -> Workers | None:
    """The processes that read pages for this crawl, where it has any; they get ready while its parts are made."""
    count = worker_count(builder.settings, world)
    return await opened.enter_async_context(Workers(count, builder.recipe())) if count else None


def _with_home(workers: Workers | None, parts: Parts, builder: Builder) -> Workers | None:
    if workers is not None:
        judge = parts.judge if builder.recipe().judges else None
        workers.home = Preparation(parts.parse, judge, body_packer(), is_guarded=builder.is_guarded)
    return workers


def _indexing(
    opened: AsyncExitStack, folder: RunFolder, settings: Settings, world: World, steps: int
) -> Indexing | None:
    """What puts the pages of the crawl into its index, where that is wanted."""
    wanted = settings.search.live
    if wanted == "off" or (wanted == "auto" and world.is_offline):
        return None
    return opened.enter_context(Indexing(folder.path, settings, steps))


def _on_stored(memory: WebMemory, index: Indexing | None) -> Callable[[StepRecord], None]:
    """What is told of every step."""
    if index is None:
        return memory.note_rests

    def tell_both(step: StepRecord) -> None:
        memory.note_rests(step)
        index.add(step)

    return tell_both


def _listeners(around: Surroundings, parts: Parts, known: Sequence[KnownPage]) -> Sequence[Listener]:
    given = around.get("listeners", ())
    # Of a new pass over a run every page is a seed, and the run itself tells what became of it.
    return given if known else (*given, SeedWarnings(parts.links))


def _one_blas_thread() -> threadpool_limits:
    # Products here are small: with a second thread they took eight times as long on two busy cores (0.29 ms, 0.04 ms).
    return threadpool_limits(1, "blas")


@contextmanager
def _fewer_collections() -> Iterator[None]:
    """Look for cycles of garbage less often: pages and steps make many objects and no cycles."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], OBJECTS_BETWEEN_COLLECTIONS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _refuse_unknown(around: Surroundings) -> None:
    unknown = sorted(around.keys() - Surroundings.__annotations__.keys())
    if unknown:
        known = ", ".join(Surroundings.__annotations__)
        raise TypeError(f"unknown argument {unknown[0]!r}; a crawl takes {known}")


def refuse_in_running_loop(instead: str) -> None:
    """RuntimeError if this thread has an event loop at work, in which a second cannot be run."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError(f"an event loop is running here, as in a notebook: await honeyguide.{instead}(...) instead")


def _interruption(around: Surroundings) -> Callable[[], bool]:
    return around.get("is_interrupted", lambda: False)


def with_budget(settings: Settings, budget: str | int | None) -> Settings:
    """The settings with the budget that `resume` was given: a new total, "+N" for N more, None for no change."""
    if budget is None:
        return settings
    text = str(budget).strip()
    digits = text.removeprefix("+")
    if not digits.isdecimal() or int(digits) < 1:
        raise SettingsError([f"budget is {text!r}: give a total such as 2000, or +1000 for a thousand more"])
    total = settings.budget.fetches + int(digits) if text.startswith("+") else int(digits)
    return with_overrides(settings, {"budget.fetches": total})
