"""Crawl on a cluster, and go on with such a crawl: the calls that the command line and programs make."""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from honeyguide.cluster.actors import Plan, import_ray
from honeyguide.cluster.on_ray import RayCluster
from honeyguide.crawler.build import Builder, open_world
from honeyguide.crawler.events import MEGABYTE, StopReason
from honeyguide.crawler.hosts import HostMemory
from honeyguide.crawler.live import synthetic_served
from honeyguide.crawler.named_pages import with_examples_read, with_listed_seeds
from honeyguide.crawler.resume import check_budget, kept_for_good, refuse_other_start, with_budget
from honeyguide.crawler.start import answers_named, model_asked
from honeyguide.crawler.status import write_status
from honeyguide.errors import RunDamaged, SettingsError, StoreError
from honeyguide.model.clock import RealClock
from honeyguide.model.counts import count_of
from honeyguide.runs import Letter, PageAnswer, RunFolder, RunLock, gather, open_run, remember, settings_to_build
from honeyguide.runs.inbox import MOST_SEEN, BudgetExtension, StopRequest, answers_waiting, take, withdraw
from honeyguide.runs.shards import refuse_mixed_copies, shard_count, shard_folders, write_cluster_file
from honeyguide.settings import shown, to_toml, validate, with_overrides, yield_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from honeyguide.cluster.actors import HubStatus
    from honeyguide.model import Url
    from honeyguide.runs import Run
    from honeyguide.settings import Settings

    Tell = Callable[[Sequence[Letter], Sequence[bytes]], None]

log = logging.getLogger(__name__)

_LOCAL: Final = re.compile(r"local:([1-9]\d{0,3})")
_ADDRESS: Final = re.compile(r"[\w.\-]+:\d{1,5}")
TICK_S: Final = 0.25
GATHER_EVERY_S: Final = 10.0
GATHER_SOON_S: Final = 1.0  # where somebody answers questions
GATHER_SHARE: Final = 0.05  # of the driver's time, at most
GROW_EVERY_S: Final = 5.0
DISK_EVERY_S: Final = 1.0
DISK_SHARE: Final = 0.02  # of the driver's time, at most
BACKGROUND_PAGES: Final = 300  # by which the judges of all shards learn the same from the same answers


@dataclass(frozen=True, slots=True)
class ClusterChoice:
    """Where to crawl: on a Ray cluster, or with so many workers on this machine."""

    address: str | None  # None: on this machine
    workers: int = 0  # 0: as many as the cluster has processors

    @classmethod
    def parse(cls, text: str) -> ClusterChoice:
        """Read `auto`, an address or `local:4`. SettingsError where it is neither."""
        local = _LOCAL.fullmatch(text)
        if local:
            return cls(None, int(local.group(1)))
        if text == "auto" or (_ADDRESS.fullmatch(text) and not text.startswith("local:")):
            return cls(text)
        raise SettingsError([f"--cluster is {shown(text)}: write auto, an address such as 10.0.0.1:6379, or local:4"])


@dataclass(frozen=True, slots=True)
class ClusterProgress:
    """How a crawl on a cluster stands."""

    workers: int
    shards: int
    deaths: int  # workers that died, and were replaced
    budget: int  # of fetches, as it was extended last
    pages_per_s: float  # lately
    status: HubStatus

    def as_json(self) -> dict[str, Any]:
        """The status file of the run."""
        status = self.status
        counts = ("fetches", "pages", "relevant", "waiting")
        return {
            "written_at": RealClock().now(),
            "budget": self.budget,
            "progress": {name: getattr(status, name) for name in counts},
            "cluster": {
                **{name: getattr(status, name) for name in (*counts, "in_flight", "in_transit")},
                "workers": self.workers,
                "shards": self.shards,
                "replaced": self.deaths,
                "pages_per_s": round(self.pages_per_s, 2),
            },
        }


@dataclass(frozen=True, slots=True)
class _Watch:
    """Who looks at a crawl, and may end it."""

    is_interrupted: Callable[[], bool]
    on_progress: Callable[[ClusterProgress], None]
    on_cluster: Callable[[RayCluster], None]


def crawl_on_cluster(
    run: Path | str,
    settings: Settings,
    cluster: str,
    *,
    is_interrupted: Callable[[], bool] = lambda: False,
    on_progress: Callable[[ClusterProgress], None] = lambda _: None,
    on_cluster: Callable[[RayCluster], None] = lambda _: None,
) -> Run:
    """Crawl into a new run folder on a cluster: `auto`, the address of one, or `local:4`; and open it for reading.

    Raises what `crawl` raises, and ClusterError where the cluster cannot be used, before anything is written.
    `on_progress` hears how the crawl stands, `on_cluster` gets the cluster, to add workers to it.
    """
    choice = ClusterChoice.parse(cluster)
    validate(settings)
    _refuse_unfit(choice, settings.cluster.shards, cluster, settings)
    path = Path(run).absolute()
    RunFolder(path).refuse_if_used()
    is_ours = not path.exists()
    with ExitStack() as opened:
        addresses = opened.enter_context(_served(settings))
        settings, seeds, is_live = asyncio.run(_prepared(settings))
        given = answers_named(settings)
        plan = Plan(path, settings.cluster.shards, settings, seeds, addresses)
        with _interrupted_with("stopped before the crawl began; nothing was written"):
            cluster_used = RayCluster(plan, choice.workers, choice.address, is_live=is_live)
            opened.enter_context(closing(cluster_used))
            folder, lock = RunFolder.create(path, to_toml(settings), kept_for_good(settings))
            opened.enter_context(lock)
            remember(path, settings)
            write_cluster_file(path, settings.cluster.shards)
            try:
                cluster_used.begin(is_interrupted)
            except BaseException:
                _clear(path, with_folder=is_ours)
                raise
        desk = AnswerDesk(path, cluster_used.answer, given)
        _run(
            folder, plan, cluster_used, desk, _Watch(is_interrupted, on_progress, on_cluster), grows=not choice.workers
        )
    return open_run(path)


def resume_on_cluster(
    run: Path | str,
    cluster: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    budget: str | int | None = None,
    trust: bool = False,
    is_interrupted: Callable[[], bool] = lambda: False,
    on_progress: Callable[[ClusterProgress], None] = lambda _: None,
    on_cluster: Callable[[RayCluster], None] = lambda _: None,
) -> Run:
    """Go on with a run of several shards, on this machine with two workers unless `cluster` says otherwise."""
    choice = ClusterChoice.parse(cluster or "local:2")
    folder = RunFolder.open(Path(run).absolute())
    shards = shard_count(folder.path)
    if cluster is None:
        choice = ClusterChoice(None, min(2, shards))
    with ExitStack() as opened:
        with take(folder.path, StopRequest, MOST_SEEN):  # those that wait before the lock is held: for an earlier crawl
            opened.enter_context(RunLock(folder))
        own = settings_to_build(folder, overrides or {}, trust=trust)
        settings = with_budget(with_overrides(own, overrides or {}), budget)
        refuse_other_start(folder, settings, overrides or {})
        if "cluster.shards" in (overrides or {}) and settings.cluster.shards != shards:
            raise SettingsError([f"cluster.shards is {settings.cluster.shards}, but {folder.path} began with {shards}"])
        validate(settings)
        _refuse_unfit(choice, shards, cluster or "local:2", settings)
        seeds: Sequence[Url] = ()
        has_answers = False
        lately: Sequence[bool] = ()
        addresses = opened.enter_context(_served(settings))
        if folder.has_started:
            _refuse_repaired(folder.path)
            gather(folder.path, lock_is_held=True)  # the driver may have been killed before it did
            refuse_mixed_copies(folder.path)
            _refuse_passes(folder.path)
            with open_run(folder.path) as gathered:
                check_budget(gathered.progress, settings, budget)
                has_answers = any(gathered.answers())
                rule = yield_rule(settings.budget.stop_when)
                lately = gathered.last_fetches(rule.fetches) if rule else ()
            is_live = settings.crawl.world.partition(":")[0] in ("live", "synthetic+http")
        else:
            settings, seeds, is_live = asyncio.run(_prepared(settings))
        given = () if has_answers and "ask.answers" not in (overrides or {}) else answers_named(settings)
        plan = Plan(folder.path, shards, settings, seeds, addresses)
        with _interrupted_with(f"stopped before the crawl went on; go on with: honeyguide resume {run}"):
            cluster_used = RayCluster(plan, choice.workers, choice.address, is_live=is_live, lately=lately)
            opened.enter_context(closing(cluster_used))
            cluster_used.begin(is_interrupted)
        if budget is not None or overrides:  # a run that cannot go on keeps its old settings
            folder.save_settings(to_toml(settings))
        desk = AnswerDesk(folder.path, cluster_used.answer, given)
        _run(
            folder, plan, cluster_used, desk, _Watch(is_interrupted, on_progress, on_cluster), grows=not choice.workers
        )
    return open_run(folder.path)


def _clear(path: Path, *, with_folder: bool) -> None:
    """Remove what was written; an empty folder that was there before stays."""
    for entry in path.iterdir():
        rmtree(entry) if entry.is_dir() else entry.unlink()
    if with_folder:
        path.rmdir()


@contextmanager
def _interrupted_with(words: str) -> Iterator[None]:
    """Let a KeyboardInterrupt in here say what has become of the run."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(words) from None


def _run(folder: RunFolder, plan: Plan, cluster: RayCluster, desk: AnswerDesk, watch: _Watch, *, grows: bool) -> None:
    """Crawl until all shards have ended, whatever happens to workers meanwhile, and gather what they have."""
    watch.on_cluster(cluster)
    with model_asked(folder.path, Builder(plan.settings)) if plan.settings.ask.model else nullcontext():
        _attend(folder, plan, cluster, desk, watch, grows=grows)
    for said in cluster.new_warnings():
        log.warning("%s", said)
    status = cluster.status()
    write_cluster_file(
        folder.path, plan.shards, exchanges=status.exchanges, stalest=status.stalest, deaths=cluster.deaths
    )
    gather(folder.path, lock_is_held=True)
    desk.tell_gathered()  # so that no answer waits that the run has


def _attend(
    folder: RunFolder, plan: Plan, cluster: RayCluster, desk: AnswerDesk, watch: _Watch, *, grows: bool
) -> None:
    pace, disk, is_stopping = _Pace(), _DiskBudget(folder, plan.settings.budget.disk_megabytes), False
    next_gathering, next_growth = monotonic(), monotonic() + GROW_EVERY_S
    while not cluster.attend(TICK_S):
        status = cluster.status()
        if status.has_all and not folder.has_started:
            folder.mark_started()
        progress = ClusterProgress(
            cluster.worker_count, plan.shards, cluster.deaths, cluster.budget, pace(status), status
        )
        watch.on_progress(progress)
        for said in cluster.new_warnings():
            log.warning("%s", said)
        with suppress(OSError):  # the crawl goes on without it
            write_status(folder.path, progress.as_json())
        if not is_stopping and (watch.is_interrupted() or _obey(folder, plan, cluster)):
            is_stopping = True
            cluster.stop(StopReason.INTERRUPTED)
        if not is_stopping and disk.is_full():
            is_stopping = True
            cluster.stop(StopReason.DISK)
        if desk.tell_waiting():
            next_gathering = min(next_gathering, monotonic() + GATHER_SOON_S)
        if monotonic() > next_gathering and folder.has_started:
            began = monotonic()
            with suppress(ConnectionError):  # a worker is gone; another will have its shards
                gather(folder.path, lock_is_held=True, read=None if cluster.is_local else cluster.read)
                desk.tell_gathered()
            pause_s = GATHER_SOON_S if plan.settings.ask.questions or desk.has_waiting else GATHER_EVERY_S
            next_gathering = monotonic() + max(pause_s, (monotonic() - began) / GATHER_SHARE)
        if grows and cluster.can_grow and monotonic() > next_growth:
            next_growth = monotonic() + GROW_EVERY_S
            if cluster.worker_count < min(plan.shards, cluster.processors()):
                cluster.add_worker()


def _obey(folder: RunFolder, plan: Plan, cluster: RayCluster) -> bool:
    """Take the commands in the run's inbox; whether one asks to stop."""
    is_to_stop = False
    with take(folder.path, StopRequest | BudgetExtension) as letters:
        for each in letters:
            match each.message:
                case StopRequest():
                    is_to_stop = True
                case BudgetExtension() as extension:
                    total = extension.extended(cluster.budget)
                    cluster.extend_budget(total)
                    folder.save_settings(to_toml(with_budget(plan.settings, total)))
    return is_to_stop


class AnswerDesk:
    """Hands answers about pages to all shards, each with the description of its page as soon as the run has that.

    An answer stays in the inbox until the gathered run has it: a shard has stored it then. Shards drop what they have,
    so all answers are told again when a crawl is resumed, those among them that were given in between.
    """

    def __init__(self, run: Path, tell: Tell, given: Sequence[PageAnswer] = ()) -> None:
        """`given` are answers to begin with."""
        self._run = run
        self._tell_all = tell
        self._told: dict[tuple[str, PageAnswer], bool] = {}  # answers, and whether with a description
        self._waiting: dict[str, PageAnswer] = {}
        self._tell([("", each) for each in given])

    @property
    def has_waiting(self) -> bool:
        """Whether answers wait that the run does not have yet."""
        return bool(self._waiting)

    def tell_waiting(self) -> bool:
        """Tell the answers in the inbox; whether there are new ones."""
        self._waiting = answers_waiting(self._run)
        return self._tell(list(self._waiting.items()))

    def tell_gathered(self) -> None:
        """Tell the answers of the gathered run, and clear those from the inbox that it has."""
        with open_run(self._run) as run:
            records = list(run.answers())
        for each in records:
            if each.message in self._waiting:
                withdraw(self._run, each.message)
        self._tell([
            (each.message, PageAnswer(each.url, each.answer, each.by, each.name, each.description))  # type: ignore[arg-type]
            for each in records
        ])  # fmt: skip

    def _tell(self, answers: Sequence[tuple[str, PageAnswer]]) -> bool:
        """Tell answers that were not told, or without the description that their page has by now."""
        untold = {(name, replace(answer, description=b"")): answer for name, answer in answers}
        untold = {key: answer for key, answer in untold.items() if not self._told.get(key)}
        if not untold:
            return False
        background: Sequence[bytes] = ()
        if RunFolder(self._run).database_file.exists():
            with open_run(self._run) as run:
                untold = {key: _described(run, key[0], answer) for key, answer in untold.items()}
                background = run.descriptions_unasked(BACKGROUND_PAGES)
        fresh = {key: answer for key, answer in untold.items() if key not in self._told or answer.description}
        self._told |= {key: bool(answer.description) for key, answer in fresh.items()}
        if fresh:
            self._tell_all([Letter(name, answer) for (name, _), answer in fresh.items()], background)
        return bool(fresh)


def _described(run: Run, name: str, answer: PageAnswer) -> PageAnswer:
    """The answer with the description of its page; as it is where that has not come.

    It is about the page to which redirects have led, so that it can be taken back at either address. One without a name
    is never taken back, and known by its address.
    """
    page = run.page_at(answer.url)
    if page is None:
        return answer
    (description,) = run.page_descriptions(run.link_numbers([page])).values() or (b"",)
    return replace(answer, url=page if name else answer.url, description=description)


class _DiskBudget:
    """Says whether the whole run, with its shards, takes as much disk as it may."""

    def __init__(self, folder: RunFolder, megabytes: float) -> None:
        self._folder = folder
        self._most = megabytes * MEGABYTE
        self._next_look = monotonic()

    def is_full(self) -> bool:
        """Look now and then: there may be many files, and far away."""
        began = monotonic()
        if not self._most or began < self._next_look:
            return False
        size = self._folder.size_bytes()
        self._next_look = monotonic() + max(DISK_EVERY_S, (monotonic() - began) / DISK_SHARE)
        return size >= self._most


class _Pace:
    """Pages a second, over the last ten seconds or so."""

    def __init__(self) -> None:
        self._marks: list[tuple[float, int]] = []

    def __call__(self, status: HubStatus) -> float:
        now = monotonic()
        self._marks = [mark for mark in self._marks if mark[0] > now - 10.0] + [(now, status.pages)]
        (then, before), (_, pages) = self._marks[0], self._marks[-1]
        return (pages - before) / (now - then) if now > then else 0.0


def _refuse_unfit(choice: ClusterChoice, shards: int, cluster: str, settings: Settings) -> None:
    """ClusterError or SettingsError for what cannot be crawled so."""
    import_ray()
    if choice.workers > shards:
        remedy = f"ask for local:{shards} at most, or begin a run with --set cluster.shards={4 * choice.workers}"
        wanted = f"--cluster {cluster} asks for {choice.workers} workers"
        raise SettingsError([f"{wanted}, and the run has {count_of(shards, 'shard')}: {remedy}"])
    if settings.refresh.run:
        raise SettingsError(["a run that looks at pages again cannot be crawled on a cluster: leave out --cluster"])


def _refuse_repaired(run: Path) -> None:
    """RunDamaged where a shard is missing, or is what was left of a damaged one."""
    for shard in shard_folders(run):
        if RunFolder(shard).is_repaired:
            raise RunDamaged(
                f"{shard} was repaired, and does not fit the other shards: the run can be read, and to go on, restore "
                "all of it from a copy"
            )


def _refuse_passes(run: Path) -> None:
    with open_run(run) as opened:
        if len(opened.passes()) > 1:
            raise StoreError(f"{run} was looked at again in place, and its shards are behind: start another run")


@contextmanager
def _served(settings: Settings) -> Iterator[Mapping[str, tuple[str, int]]]:
    """Serve the synthetic web of the settings to all workers; nothing where they name another world."""
    kind, _, spec = settings.crawl.world.partition(":")
    if kind != "synthetic+http":
        yield {}
        return
    with synthetic_served(spec) as (addresses, _):
        yield dict(addresses)


async def _prepared(settings: Settings) -> tuple[Settings, Sequence[Url], bool]:
    """Settings with all that is read once for all shards, the seeds, and whether the world is live.

    Refuses what cannot be built, before anything is written.
    """
    hosts = HostMemory(settings)
    async with open_world(settings, hosts) as world:
        settings = await with_listed_seeds(await with_examples_read(settings, world), world, hosts)
        builder = Builder(settings)
        seeds = builder.seed_urls(world)
        is_live = not world.is_offline
        parts = builder.parts(is_live=is_live, world=world)
    if not parts.strategy.begin_sharing():
        log.warning("%s learns in each shard by itself: it has nothing that adds up", settings.crawl.strategy)
    if not parts.judge.shares_all:
        log.warning("the judge %s keeps statistics in each shard by itself", settings.judge.kind)
    if settings.scope.max_pages:
        most = f"{settings.scope.max_pages:,} in each of {settings.cluster.shards} shards"
        log.warning("scope.max_pages counts in each shard by itself: it lets %s be considered", most)
    if settings.crawl.world == "live" and settings.politeness.per_address:
        log.warning("politeness.per_address holds within a shard: domains at one address may be asked at the same time")
    return builder.settings, seeds, is_live
