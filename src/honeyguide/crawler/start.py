"""Start, resume and refresh crawls: the calls that the command line and programs make."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from contextlib import AsyncExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypedDict

from threadpoolctl import threadpool_limits

from honeyguide.ask.answer_files import read_answer_file
from honeyguide.ask.asking import AskingBeside, Respondent, asking_about
from honeyguide.ask.language_model import LanguageModel
from honeyguide.columns import keep_large_apart
from honeyguide.crawler.answering import answers_to_take_over, learning_judge
from honeyguide.crawler.answers import AnswerIntake
from honeyguide.crawler.between_steps import BetweenSteps
from honeyguide.crawler.build import Builder, most_workers, open_world, transport_for, worker_count
from honeyguide.crawler.core import CrawlCore
from honeyguide.crawler.events import CrawlStarted, SeedWarnings, StopReason
from honeyguide.crawler.hosts import HostMemory
from honeyguide.crawler.indexing import Indexing
from honeyguide.crawler.live import ask_synthetic
from honeyguide.crawler.loop import CrawlLoop, Neighbours
from honeyguide.crawler.machine_limits import MachineLimits
from honeyguide.crawler.named_pages import listed_again, with_examples_read, with_listed_seeds
from honeyguide.crawler.preparing import OBJECTS_BETWEEN_COLLECTIONS, Preparation, WithReadings
from honeyguide.crawler.questions import Questions
from honeyguide.crawler.refreshing import (
    new_among,
    origins_of_seeds,
    pages_to_refresh,
    settings_of_pass,
    settings_to_refresh,
)
from honeyguide.crawler.resume import (
    check_budget,
    kept_for_good,
    let_hosts_rest,
    refuse_if_lost,
    restore,
    settings_to_resume,
    with_budget,
)
from honeyguide.crawler.status import StatusFile
from honeyguide.crawler.workers import Workers
from honeyguide.errors import RunDamaged, SettingsError, StoreError
from honeyguide.model.clock import RealClock
from honeyguide.model.counts import count_of
from honeyguide.parse import manner_of_parsing
from honeyguide.runs import RunFolder, RunLock, StopRequest, body_packer, gather, open_run, open_store, remember
from honeyguide.runs.inbox import MOST_SEEN, take
from honeyguide.runs.passes import PassFolder
from honeyguide.runs.shards import MARK, is_sharded, mark_of_shard, refuse_shard
from honeyguide.settings import (
    load_run_settings,
    to_toml,
    validate,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Unpack

    from honeyguide.crawler.events import Dispatch, Listener
    from honeyguide.crawler.hooks import OnPage
    from honeyguide.crawler.parts import Parts
    from honeyguide.crawler.preparing import PagesRead, Preparer
    from honeyguide.crawler.questions import OnQuestion
    from honeyguide.judge import Judge
    from honeyguide.model import KnownPage, Page, Url, Verdict
    from honeyguide.model.clock import Clock
    from honeyguide.runs import Letter, PageAnswer, Run, SqliteStore, StepRecord
    from honeyguide.settings import Settings
    from honeyguide.text import WordVectors
    from honeyguide.text.vector_files import Converting
    from honeyguide.worlds import World

    Waiting = tuple[int, float, Page, Verdict]

log = logging.getLogger(__name__)

_PASS_GOES_ON: Final = (StopReason.INTERRUPTED, StopReason.DISK_FULL, StopReason.MEMORY)
"""Why a pass stops that has not ended, and goes on when it is asked for again."""
_GIVEN_HOOK: Final = "on_page"  # whether a run began with a hook that no setting names


class CrawlOptions(TypedDict, total=False):
    """Options of a crawl besides its settings."""

    world: World  # takes the place of the one the settings name; to resume the run, give it again
    listeners: Sequence[Listener]  # told of every event, after it is stored
    is_interrupted: Callable[[], bool]  # asked between steps; True stops the crawl, to be resumed later
    vectors: WordVectors  # loaded already, to be shared by several crawls
    readings: PagesRead  # pages read already, to be shared by several crawls in this process
    judge: Judge  # takes the place of the one the settings name; to resume the run, give it again
    answers: Sequence[PageAnswer]  # about pages, to begin with; those about pages that have not come wait for them
    on_page: OnPage  # is shown every page, in another process; see `hooks.HookedPage`; to resume the run, give it again
    on_question: OnQuestion  # asked about up to `ask.questions` pages while the crawl goes on, else about ten
    on_converting: Callable[[Converting], None]  # told how far a file of vectors is, when it is first met
    addresses: Mapping[str, tuple[str, int]]  # of the hosts of a synthetic web that another process serves, by name
    seat: Seat  # of a shard of a run that several crawl; its seeds are given, and its settings complete


class Seat(Neighbours, Protocol):
    """A shard's place among the others."""

    seeds: Sequence[Url]  # of the whole run

    def is_elsewhere(self, url: Url) -> bool:
        """Whether another shard has the host of a URL."""
        ...

    def begin(
        self,
        core: CrawlCore,
        store: SqliteStore,
        wake: Callable[[], None],
        give: Callable[[Sequence[Letter | PageAnswer], Sequence[bytes]], None],
    ) -> None:
        """The shard is about to crawl; `wake` ends its waiting for hosts, `give` is `BetweenSteps.give`."""
        ...


def crawl(run: Path | str, settings: Settings, **options: Unpack[CrawlOptions]) -> Run:
    """Crawl into a new run folder and open it for reading.

    Raises `SettingsError`, `WorldError`, `VectorsError`, `JudgeError` or `RunExists` before anything is written,
    and `JudgeError` later where the judge breaks on 20 pages in a row; the run can then be resumed.
    Inside a running event loop, as in a notebook, await `crawl_async` instead.
    """
    refuse_in_running_loop("crawl_async")
    return asyncio.run(crawl_async(run, settings, **options))


def resume(
    run: Path | str,
    overrides: Mapping[str, Any] | None = None,
    *,
    budget: str | int | None = None,
    trust: bool = False,
    **options: Unpack[CrawlOptions],
) -> Run:
    """Go on with a run that was stopped or killed; offline, as if nothing had happened.

    `overrides` are settings by key, laid over those of the run and kept in it. A run that was not made here, in this
    folder, may name code, files or logins only where `overrides` give them again or `trust` says that its maker is
    trusted; SettingsError otherwise, and where its strategy, judge, seed or world is not what it began with.

    `budget` is a new total of fetches, or "+N" for N more than the run's own. A run that had begun the last fetch of
    its old budget has chosen what one with the new budget would have; what it chooses from then on may differ, unless
    it makes one fetch at a time. Inside a running event loop, await `resume_async` instead.
    """
    refuse_in_running_loop("resume_async")
    return asyncio.run(resume_async(run, overrides, budget=budget, trust=trust, **options))


async def crawl_async(run: Path | str, settings: Settings, **options: Unpack[CrawlOptions]) -> Run:
    """As `crawl`, for callers with an event loop of their own. Steps are computed in that loop's thread."""
    _refuse_unknown(options)
    validate(settings)
    _check_users_parts(settings, options)
    RunFolder(Path(run)).refuse_if_used()  # before anyone is asked for anything
    async with AsyncExitStack() as opened:
        hosts, known = HostMemory(settings), pages_to_refresh(settings, is_cut=False)
        world = await _world(opened, settings, options, hosts, known)
        _take_over(opened, settings, hosts)
        listed = await listed_again(settings, world, hosts, origins_of_seeds(settings)) if known else {}
        known = pages_to_refresh(settings, listed)
        if "seat" not in options:
            settings = await with_listed_seeds(await with_examples_read(settings, world), world, hosts)
        builder = _builder(settings, options)
        # Refuses seeds out of scope before anything is written.
        seeds = [*_seeds(builder, world, known, options.get("seat")), *new_among(listed, settings)]
        workers = await _workers(opened, builder, world)
        parts = _parts(builder, world, hosts, options.get("seat"))
        _leave_out_met(opened, settings, parts)
        options = _with_answers(options, builder.settings)  # the last that may be refused before anything is written
        began_with = {**kept_for_good(builder.settings), _GIVEN_HOOK: "on_page" in options}
        if "seat" in options and (mark := mark_of_shard(Path(run))):
            began_with[MARK] = mark
        folder, lock = RunFolder.create(Path(run), to_toml(builder.settings), began_with)
        opened.enter_context(lock)
        remember(folder.path, builder.settings)
        store = open_store(folder, settings, is_shard="seat" in options)
        opened.callback(store.close)
        hosts.keep_in(store)
        started = _Started(folder, store, settings, builder, world, hosts, known, parts, workers)
        await _run_to_the_end(opened, started, options, seeds)
    return open_run(run)


async def resume_async(
    run: Path | str,
    overrides: Mapping[str, Any] | None = None,
    *,
    budget: str | int | None = None,
    trust: bool = False,
    **options: Unpack[CrawlOptions],
) -> Run:
    """As `resume`, for callers with an event loop of their own."""
    _refuse_unknown(options)
    folder = RunFolder.open(Path(run))
    if is_sharded(folder.path):
        raise StoreError(f"{run} has shards: go on with honeyguide resume {run} --cluster local:2")
    if "seat" not in options:
        refuse_shard(folder)
    async with AsyncExitStack() as opened:
        with take(folder.path, StopRequest, MOST_SEEN):  # those that wait before the lock is held: for an earlier crawl
            opened.enter_context(RunLock(folder))
        settings = settings_to_resume(folder, overrides or {}, budget, trust=trust)
        validate(settings)
        _check_users_parts(settings, options)
        _warn_of_missing_hook(folder, settings.crawl.on_page, options)
        refuse_if_lost(folder)
        store = open_store(folder, settings, is_shard="seat" in options)
        opened.callback(store.close)
        progress = store.progress()
        check_budget(progress, settings, budget)
        hosts = HostMemory(settings)
        known = pages_to_refresh(settings) if progress is None else list(store.known())
        world = await _world(opened, settings, options, hosts, known)
        if progress is None:
            _take_over(opened, settings, hosts)
        builder = _builder(settings, options)
        workers = await _workers(opened, builder, world)
        parts = _parts(builder, world, hosts, options.get("seat"), is_restored=progress is not None)
        _leave_out_met(opened, settings, parts)
        seeds = _seeds(builder, world, known, options.get("seat")) if progress is None else ()
        if "ask.answers" in (overrides or {}) or not ((progress and progress.steps) or any(store.answers())):
            options = _with_answers(options, builder.settings)
        started = _Started(folder, store, settings, builder, world, hosts, known, parts, workers)
        if trust or overrides:
            remember(folder.path, builder.settings)
        is_changed = budget is not None or bool(overrides)
        await _run_to_the_end(opened, started, options, seeds, is_resumed=True, is_changed=is_changed)
    return open_run(run)


@dataclass(frozen=True, slots=True, eq=False)
class _Started:
    """A crawl with all that it needs opened."""

    folder: RunFolder
    store: SqliteStore
    settings: Settings
    builder: Builder
    world: World
    hosts: HostMemory
    known: Sequence[KnownPage]  # of the run that is looked at again
    parts: Parts
    workers: Workers | None


async def _run_to_the_end(
    opened: AsyncExitStack,
    crawl: _Started,
    options: CrawlOptions,
    seeds: Sequence[Url],
    *,
    is_resumed: bool = False,
    is_changed: bool = False,
) -> None:
    """Begin the crawl, or bring it back if its run has a first step, and run it until it stops."""
    # Products here are small: with a second thread they took eight times as long on two busy cores (0.29 ms, 0.04 ms).
    opened.enter_context(threadpool_limits(1, "blas"))
    opened.enter_context(_fewer_collections())
    keep_large_apart()
    store, settings, parts = crawl.store, crawl.settings, crawl.parts
    progress = store.progress()
    begin = max((page.checked_at for page in crawl.known), default=0.0) if progress is None else progress.now
    preparer: Preparer | None = _with_home(crawl.workers, parts, crawl.builder)
    if "readings" in options and not crawl.builder.is_hooked:
        manner = f"{settings.crawl.world} {manner_of_parsing(crawl.builder.settings)}"
        preparer = WithReadings(options["readings"], manner, preparer, Preparation(parts.parse))
    transport, clock = transport_for(crawl.world, begin, preparer)
    opened.push_async_callback(transport.close)
    if is_resumed:
        crawl.hosts.go_on(store, clock.now())
    in_flight: list[Dispatch] = []
    if progress is None:
        core = CrawlCore(parts, settings)
        first = core.start(seeds, clock.now(), crawl.known).record
        store.record(_with_rests(first, parts, crawl.hosts))
        crawl.folder.mark_started()
    else:
        core, in_flight = _restored(crawl.folder, parts, settings, store, clock)
    if is_changed:  # a run that cannot go on keeps its old settings
        crawl.folder.save_settings(to_toml(crawl.builder.settings))
    on_stored = _indexing(opened, crawl.folder, settings, crawl.world, core.progress.steps)
    # Of a new pass over a run every page is a seed, and the run itself tells what became of it.
    warnings = () if crawl.known else (SeedWarnings(parts.links),)
    listeners = (*options.get("listeners", ()), *warnings)
    is_interrupted = options.get("is_interrupted", lambda: False)
    answers, on_question = AnswerIntake(core, parts, store), options.get("on_question")
    between = BetweenSteps(
        crawl.folder.path,
        core,
        answers,
        options.get("answers", ()),
        on_question and Questions(crawl.folder.path, core, parts, store, answers, on_question, settings.ask.limit),
        on_budget=lambda fetches: crawl.folder.save_settings(to_toml(with_budget(crawl.builder.settings, fetches))),
        status=None if "seat" in options else StatusFile(crawl.folder.path, core, parts, store, answers),
    )
    if settings.ask.model and "judge" not in options:
        opened.enter_context(model_asked(crawl.folder.path, crawl.builder, options.get("vectors")))
    limits = MachineLimits(crawl.folder.path, settings.budget)
    seat = options.get("seat")
    if seat is not None:
        seat.begin(core, store, transport.wake, between.give)
    loop = CrawlLoop(core, transport, store, clock, listeners, is_interrupted, on_stored, limits, between, seat)
    loop.announce(CrawlStarted(core.progress, is_resumed=is_resumed))
    await loop.run(in_flight)


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


def _with_answers(options: CrawlOptions, settings: Settings) -> CrawlOptions:
    """The options with the answers of the run or file that the settings name. AnswerError where it is neither."""
    return {**options, "answers": [*options.get("answers", ()), *answers_named(settings)]}


def answers_named(settings: Settings) -> list[PageAnswer]:
    """Return the answers of the run or file that the settings name. AnswerError where it is neither."""
    named = Path(settings.ask.answers).expanduser()
    if not settings.ask.answers:
        return []
    found = answers_to_take_over(named, settings) if named.is_dir() else read_answer_file(named)
    log.info("%s taken over from %s", count_of(len(found), "answer"), named)
    return found


def model_asked(run: Path, builder: Builder, vectors: WordVectors | None = None) -> AskingBeside:
    """The language model of the settings, asked about pages while the crawl goes on."""
    settings, ask = builder.settings, builder.settings.ask
    model = Respondent("model", ask.model, LanguageModel(ask, builder.topic).reply)
    return AskingBeside(lambda: asking_about(run, lambda: learning_judge(run, settings, vectors), model, ask.limit))


def _check_users_parts(settings: Settings, options: CrawlOptions) -> None:
    """SettingsError, before anyone is asked for anything, for fields and hooks that cannot be used."""
    if settings.parse.fields:
        from honeyguide.parse.fields import compile_fields  # noqa: PLC0415 - most crawls have none

        compile_fields(settings.parse.fields)
    if settings.crawl.on_page and "on_page" not in options:
        from honeyguide.crawler.hooks import load_hook  # noqa: PLC0415 - nor a hook

        load_hook(settings.crawl.on_page)
    if (settings.crawl.on_page or "on_page" in options) and os.name != "posix":
        raise SettingsError(
            ["crawl.on_page needs a POSIX system, where a hook that hangs can be cut off; leave it out"]
        )


def _warn_of_missing_hook(folder: RunFolder, named: str, options: CrawlOptions) -> None:
    """Tell of a hook that was given as a function when the run began, and is missing now."""
    if folder.began_with.get(_GIVEN_HOOK) is True and not named and "on_page" not in options:
        log.warning(
            "%s was crawled with a Python function as on_page, which no later page is shown to: go on from Python with "
            "on_page=, or name it with --set crawl.on_page=FILE.py:function",
            folder.path,
        )


def _builder(settings: Settings, options: CrawlOptions) -> Builder:
    on_converting = options.get("on_converting", lambda _: None)
    return Builder(settings, options.get("vectors"), on_converting, options.get("judge"), options.get("on_page"))


def _seeds(builder: Builder, world: World, known: Sequence[KnownPage], seat: Seat | None) -> Sequence[Url]:
    if seat is not None:
        return [url for url in seat.seeds if not seat.is_elsewhere(url)]
    return [page.url for page in known] or builder.seed_urls(world)


def _parts(
    builder: Builder, world: World, memory: HostMemory, seat: Seat | None, *, is_restored: bool = False
) -> Parts:
    is_live = not world.is_offline
    parts = builder.parts(
        is_live=is_live, is_restored=is_restored, schedule=memory.schedule if is_live else None, world=world
    )
    if seat is None:
        return parts
    parts.strategy.begin_sharing()
    if is_live:
        memory.schedule.presume_all_asked(RealClock().now())  # another process may have asked for their lists of pages
    spare = {name: [url for url in urls if not seat.is_elsewhere(url)] for name, urls in parts.spare_urls.items()}
    return replace(parts, is_elsewhere=seat.is_elsewhere, spare_urls=spare)


async def _world(
    opened: AsyncExitStack, settings: Settings, options: CrawlOptions, memory: HostMemory, known: Sequence[KnownPage]
) -> World:
    """The world given, or the one that the settings name, closed with everything else that was opened."""
    if "world" in options:
        return options["world"]
    if options.get("addresses"):
        return await opened.enter_async_context(ask_synthetic(options["addresses"], settings, memory))
    if settings.crawl.world == "live" and not settings.fetch.has_contact:
        log.warning("no site owner can reach you: give --contact with a mail address or page of yours (fetch.contact)")
    return await opened.enter_async_context(open_world(settings, memory, known))


def _take_over(opened: AsyncExitStack, settings: Settings, memory: HostMemory) -> None:
    """A new pass over a live run asks its hosts no sooner than that run would have, nor again for their robots.txt."""
    if settings.refresh.run and memory.gate is not None:
        earlier = opened.enter_context(open_run(settings.refresh.run))
        memory.take_over(earlier.hosts_asked(), RealClock().now())


def _leave_out_met(opened: AsyncExitStack, settings: Settings, parts: Parts) -> None:
    """A pass over a run follows the links that the run has not met."""
    if settings.refresh.run and settings.scope.follow_links:
        parts.scope.leave_out(opened.enter_context(open_run(settings.refresh.run)).has_met)


def _with_rests(first: StepRecord, parts: Parts, memory: HostMemory) -> StepRecord:
    """The first step of a run, after which those hosts of its seeds rest that an earlier run has asked just now."""
    hosts = {found.url.host for found in first.new_links}
    rests = [rest for rest in memory.earlier_rests if rest.host in hosts]
    let_hosts_rest(parts, rests)
    return replace(first, hosts=tuple(rests))


async def _workers(opened: AsyncExitStack, builder: Builder, world: World) -> Workers | None:
    """The processes that read pages for this crawl, where it needs any; they get ready while its parts are made."""
    count = worker_count(builder.settings, world)
    if os.name != "posix" or (world.writes_pages and not count and not builder.is_hooked):
        return None
    most = most_workers(builder.settings, count)
    return await opened.enter_async_context(
        Workers(count, builder.recipe, reads_all=builder.is_hooked, most=most, bounds_markup=world.is_offline)
    )


def _with_home(workers: Workers | None, parts: Parts, builder: Builder) -> Workers | None:
    if workers is not None:
        workers.make_home = lambda recipe: Preparation(
            parts.parse, parts.judge if recipe.judges else None, body_packer(), is_guarded=builder.is_guarded
        )
    return workers


def _indexing(
    opened: AsyncExitStack, folder: RunFolder, settings: Settings, world: World, steps: int
) -> Callable[[StepRecord], None]:
    """Return what puts the pages of a stored step into the index; it does nothing where none is wanted."""
    wanted = settings.search.live
    if wanted == "off" or (wanted == "auto" and world.is_offline):
        return lambda _: None
    return opened.enter_context(closing(Indexing(folder.path, settings, steps))).add


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


def _refuse_unknown(options: CrawlOptions) -> None:
    unknown = sorted(options.keys() - CrawlOptions.__annotations__.keys())
    if unknown:
        known = ", ".join(CrawlOptions.__annotations__)
        raise TypeError(f"unknown argument {unknown[0]!r}; a crawl takes {known}")


def refuse_in_running_loop(instead: str) -> None:
    """RuntimeError if this thread has an event loop at work, in which a second cannot be run."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise RuntimeError(f"an event loop is running here, as in a notebook: await honeyguide.{instead}(...) instead")


def refresh(
    run: Path | str,
    overrides: Mapping[str, Any] | None = None,
    *,
    new_run: Path | str | None = None,
    trust: bool = False,
    **options: Unpack[CrawlOptions],
) -> Run:
    """Look at the pages of a run again, as a new pass of it, and open it for reading.

    Killed or interrupted, the pass goes on when this is called again; until it has ended, the run is as it was.
    `run.passes()` tells them, `open_run("RUN@1")` opens the run as it was after one, `diff` compares them. With
    `new_run`, what came is a run of its own instead, whose `revisits()` say what became of each page, and the run stays
    as it is.

    The pass has the settings of the run, with `overrides` laid over them. Raises what `crawl` raises, and SettingsError
    where the run names what nobody here has given, unless it is to be trusted (`trust`). Inside a running event loop,
    await `refresh_async` instead.
    """
    refuse_in_running_loop("refresh_async")
    return asyncio.run(refresh_async(run, overrides, new_run=new_run, trust=trust, **options))


async def refresh_async(
    run: Path | str,
    overrides: Mapping[str, Any] | None = None,
    *,
    new_run: Path | str | None = None,
    trust: bool = False,
    **options: Unpack[CrawlOptions],
) -> Run:
    """As `refresh`, for callers with an event loop of their own."""
    if new_run is not None:
        return await crawl_async(new_run, settings_to_refresh(run, overrides or {}, trust=trust), **options)
    folder = RunFolder.open(Path(run))
    refuse_shard(folder)
    gather(folder.path)
    with RunLock(folder):
        with open_run(run) as opened:
            if not opened.is_at_rest:
                raise StoreError(f"{run} was killed while it was crawled; go on with it first: honeyguide resume {run}")
            stopped = opened.progress.stop_reason
            if is_sharded(folder.path) and not (stopped and StopReason(stopped).is_final):
                raise StoreError(
                    f"{run} was not crawled to its end, and its shards cannot go on once its pages were looked at "
                    f"again: first honeyguide resume {run}, or look into a new folder with --new-run NEW"
                )
            budget = opened.fetch_budget
            named = (overrides or {}).get("crawl.on_page", opened.settings.crawl.on_page)
            _warn_of_missing_hook(folder, named, options)
        beside = PassFolder(folder)
        if beside.is_begun:
            given = {**(overrides or {}), "refresh.run": str(folder.path.absolute())}
            done = await resume_async(beside.path, given, trust=trust, **options)
        else:
            done = await crawl_async(beside.path, settings_of_pass(run, overrides or {}, trust=trust), **options)
        with done:
            progress = done.progress
        if progress.stop_reason not in _PASS_GOES_ON:
            budget += progress.fetches
            beside.take_in(budget)
            folder.save_settings(to_toml(with_budget(load_run_settings(folder.settings_file), budget)))
    return open_run(run)
