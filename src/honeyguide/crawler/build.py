"""The composition root: settings in, wired crawler out. Nothing else decides which implementation serves a seam."""

from __future__ import annotations

import os
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

import numpy as np
import xxhash

from honeyguide.crawler.hosts import HostMemory
from honeyguide.crawler.learned_weights import begin_with_earlier
from honeyguide.crawler.links import LinkTable, link_chances
from honeyguide.crawler.live import open_live, serve_synthetic
from honeyguide.crawler.parents import ParentTable
from honeyguide.crawler.parts import Parts
from honeyguide.crawler.preparing import Recipe
from honeyguide.crawler.scope import Scope, staying_with
from honeyguide.crawler.transport import LiveTransport, SimulatedTransport
from honeyguide.errors import JudgeError, SettingsError, StoreError, VectorsError, WorldError
from honeyguide.fetch.schedule import HostSchedule
from honeyguide.frontier import (
    BeamFrontier,
    BestFirstFrontier,
    ByDepthFrontier,
    LevelledBeam,
    LevelledFrontier,
    LevelledRows,
    Patience,
    SharedRowsFrontier,
)
from honeyguide.guard import FIRM_LEVEL
from honeyguide.guard.web_guard import WebGuard
from honeyguide.judge import JudgeIngredients, Verdicts, build_judge, check_topic, kinds_of
from honeyguide.learn import FoundAgain, Ingredients, Order
from honeyguide.model import HostKey, Topic, Url, registered_domain
from honeyguide.model.clock import RealClock, SimulatedClock
from honeyguide.parse import parser_for
from honeyguide.processes import cores
from honeyguide.registry import JUDGES, STRATEGIES, WORLDS
from honeyguide.runs import RankRules, RefreshedRanks, open_run
from honeyguide.settings import SETTINGS_BY_KEY, with_overrides
from honeyguide.settings.schema import files_named, with_absolute_paths
from honeyguide.text import WordVectors, open_encoder, open_vectors
from honeyguide.topic.presets import subject_texts
from honeyguide.topic.starting_points import starting_urls
from honeyguide.worlds import World

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from honeyguide.crawler.hooks import OnPage
    from honeyguide.crawler.preparing import Preparer
    from honeyguide.crawler.transport import Transport
    from honeyguide.frontier import Frontier, HostReadiness
    from honeyguide.guard import Guard
    from honeyguide.judge import Judge
    from honeyguide.learn import Strategy
    from honeyguide.model import Fetched, KnownPage, Page
    from honeyguide.model.clock import Clock
    from honeyguide.settings import Settings, VectorSettings
    from honeyguide.text import VectorSource
    from honeyguide.text.vector_files import Converting


def plain_frontier(strategy: Strategy, hosts: HostReadiness, links: LinkTable) -> Frontier:
    """One in which all links wait on one level."""
    if strategy.found_again is FoundAgain.EVERY:
        return _shared_rows(strategy, hosts)
    if strategy.order is Order.SHALLOWEST:
        return ByDepthFrontier(hosts, strategy.row_width)
    if strategy.capacity:
        return _beam(strategy, hosts)
    return BestFirstFrontier(hosts, strategy.row_width, link_chances(links, strategy))


def levelled_frontier(
    strategy: Strategy, hosts: HostReadiness, links: LinkTable, patience: Patience
) -> LevelledFrontier[Any]:
    """One in which links may wait behind others whatever their scores."""
    if strategy.found_again is FoundAgain.EVERY:
        return LevelledRows(lambda: _shared_rows(strategy, hosts), patience)
    if strategy.capacity and strategy.order is not Order.SHALLOWEST:
        return LevelledBeam(lambda: _beam(strategy, hosts), strategy.capacity, patience)
    return LevelledFrontier(lambda: plain_frontier(strategy, hosts, links), patience)


def _shared_rows(strategy: Strategy, hosts: HostReadiness) -> SharedRowsFrontier:
    return SharedRowsFrontier(hosts, strategy.row_width, draws_rows=strategy.draws_rows)


def _beam(strategy: Strategy, hosts: HostReadiness) -> BeamFrontier:
    return BeamFrontier(hosts, strategy.capacity, strategy.row_width)


@runtime_checkable
class _Numbered(World, Protocol):
    """A world that tells the number of a page by its URL, or by one that redirects to it."""

    def number_of(self, url: Url) -> int | None: ...


@runtime_checkable
class ListedWorld(World, Protocol):
    """A world that lists its pages, always in the same order."""

    def urls(self) -> Iterator[Url]: ...


def page_numbers(world: World | None) -> Callable[[Url], int | None] | None:
    """Return what tells the number of a page of this world, from 0; None where it does not list its pages."""
    if isinstance(world, _Numbered):
        return world.number_of
    if isinstance(world, ListedWorld):
        return {url: number for number, url in enumerate(world.urls())}.get
    return None


def word_vectors(settings: VectorSettings, on_converting: Callable[[Converting], None] = lambda _: None) -> WordVectors:
    """Open the vectors that are named. A file met for the first time is converted, and `on_converting` told how far."""
    return beside_encoder(open_vectors(settings.source, settings.cache_path, on_converting), settings)


def beside_encoder(source: VectorSource, settings: VectorSettings) -> WordVectors:
    """Return vectors of this source, with the encoder that is named beside them."""
    return WordVectors(
        source, open_encoder(settings.encoder, source, settings.cache_path) if settings.encoder else None
    )


def _check_vectors(vectors: WordVectors, settings: VectorSettings) -> None:
    """VectorsError if the settings have the digest of other vectors: a crawl must not go on with these unnoticed."""
    if settings.digest and vectors.digest and vectors.digest != settings.digest:
        raise VectorsError(
            f"the vectors of {settings.source} are not those that the run began with (digest {vectors.digest}, then "
            f"{settings.digest}): put the old ones back, or begin a new run; to go on all the same, empty "
            "vectors.digest in its settings.toml"
        )


def _judge_files(settings: Settings) -> list[Path]:
    """Return the files that the judge reads."""
    methods = {JUDGES[kind].settings_type for kind in kinds_of(settings)}
    own = [setting for setting in SETTINGS_BY_KEY.values() if setting.section in methods]
    return [path for _, path in files_named(settings, own)]


def _digest(files: Sequence[Path]) -> str:
    """Name the content of some files; empty where there are none, or one cannot be read, as the judge will say."""
    together = xxhash.xxh3_128()
    for path in files:
        try:
            together.update(xxhash.xxh3_128_digest(path.read_bytes()))
        except OSError:
            return ""
    return together.hexdigest() if files else ""


RANKS_EVERY: Final = 100
"""Pages after which ranks are computed again, for a strategy that looks at them, where the settings do not say."""

FETCHES_FOR_A_WORKER: Final = 500
"""Smaller crawls are over soon after a process that reads pages for them is ready."""


class Builder:
    """Makes the parts of one crawl from its settings. Vectors are loaded only if a part needs them.

    `settings` are those to be kept beside the run: files are named by absolute paths, and once vectors or files of the
    judge are loaded, their digests are among them.
    """

    def __init__(
        self,
        settings: Settings,
        vectors: WordVectors | None = None,
        on_converting: Callable[[Converting], None] = lambda _: None,
        judge: Judge | None = None,
        on_page: OnPage | None = None,
    ) -> None:
        """`vectors`, `judge` and `on_page` take the place of those that the settings name."""
        self.settings = with_absolute_paths(settings)
        self._given_vectors = vectors
        self._given_judge = judge
        self._given_hook = b""
        if on_page is not None:
            from honeyguide.crawler.hooks import pickled_hook  # noqa: PLC0415 - few crawls have one

            self._given_hook = pickled_hook(on_page)
        self._on_converting = on_converting
        topic = settings.topic
        self.topic = Topic(topic.name, topic.keywords, topic.like, topic.unlike, topic.categories)

    def parts(
        self,
        *,
        is_restored: bool = False,
        is_live: bool = False,
        schedule: HostSchedule | None = None,
        world: World | None = None,
    ) -> Parts:
        """Everything a core is made of: of a new crawl, or of one whose learner will be loaded from its run.

        `is_live` is for a world that is not offline. `schedule` is that of the gate, where the world has one. `world`
        is that to be crawled, for strategies that tell its pages apart by their numbers.
        """
        if schedule is None:
            settings = self.settings
            schedule = HostSchedule(settings.politeness, settings.fetch, is_live=is_live, seed=settings.crawl.seed)
        strategy, judge = self.strategy(is_restored=is_restored, world=world), self.judge()
        rules, ranks = strategy.parent_rules, self.ranks(strategy)
        told = ranks if strategy.reads_ranks else None
        links = LinkTable()
        return Parts(
            links=links,
            schedule=schedule,
            frontier=self.frontier(strategy, schedule, links),
            strategy=strategy,
            judge=judge,
            scope=Scope(self.settings.scope, self.settings.directives),
            parse=self.parser(),
            chance=np.random.default_rng(self.settings.crawl.seed),
            parents=None if rules is None else ParentTable(rules, judge.score, told),
            ranks=ranks,
            is_live=is_live,
            guard=self.guard(),
            encoder=self.vectors.encoder if self.settings.vectors.encoder else None,
            window_words=self.settings.parse.window_words,
            spare_urls=self.spare_urls(is_live=is_live) if self.settings.restart.is_on else {},
        )

    @property
    def is_hooked(self) -> bool:
        """Whether a function of the user's is to see every page."""
        return bool(self._given_hook or self.settings.crawl.on_page)

    @property
    def is_guarded(self) -> bool:
        """Whether the crawl has a guard. One over the pages of an earlier run has none: it follows no links."""
        return self.settings.guard.on and not self.settings.refresh.run

    def guard(self) -> Guard | None:
        """Make what looks out for loops, traps and near-duplicates, where the settings want it."""
        if not self.is_guarded:
            return None
        registered_domain(HostKey("example.org"))  # reads its list of suffixes now, not within the first step
        return WebGuard(self.settings.guard)

    def spare_urls(self, *, is_live: bool = False) -> dict[str, list[Url]]:
        """Seeds to start anew from, by where they come from. Shipped starting points are for the live web alone."""
        crawl = self.settings.crawl
        spare = {"urls": [Url.parse(text) for text in self.settings.restart.urls]}
        if crawl.has_starting_points and (is_live or crawl.starting_points or crawl.world != "live"):
            own_list = Path(crawl.starting_points) if crawl.starting_points else None
            spare["starting-points"] = list(starting_urls(self.topic, own_list))
        return spare

    def strategy(self, *, is_restored: bool = False, world: World | None = None) -> Strategy:
        name = self.settings.crawl.strategy
        if name not in STRATEGIES:
            raise SettingsError([f"crawl.strategy is {name!r}: choose one of {', '.join(STRATEGIES)}"])
        chosen: type[Strategy] = STRATEGIES[name]
        given = Ingredients(self.settings, self.topic, self._topic_vectors, lambda: page_numbers(world))
        strategy = chosen.build(given)
        if self.settings.crawl.learn_from and not is_restored:  # else it has begun already
            begin_with_earlier(strategy, self.settings)
        return strategy

    def ranks(self, strategy: Strategy) -> RefreshedRanks | None:
        """PageRank kept while the crawl goes on, where the settings or the strategy ask for it."""
        asked = self.settings.ranks
        every = asked.every or (RANKS_EVERY if strategy.reads_ranks else 0)
        return RefreshedRanks(every, RankRules(epsilon=asked.epsilon)) if every else None

    def parser(self, *, bounds_markup: bool = True) -> Callable[[Url, Fetched], Page]:
        """Return the function that makes a page from a body, and reads the fields that the settings name."""
        return parser_for(self.settings, with_fields=True, bounds_markup=bounds_markup)

    def recipe(self) -> Recipe:
        """Return what other processes need to prepare pages for this crawl."""
        recipe = replace(Recipe.of(self.settings, self._given_vectors), hook=self._given_hook)
        return recipe if self._given_judge is None else replace(recipe, source=None, judges=False)

    def frontier(self, strategy: Strategy, hosts: HostReadiness, links: LinkTable) -> Frontier:
        """Where the links of this strategy wait; on levels, where there is a guard."""
        if self.is_guarded:
            return levelled_frontier(strategy, hosts, links, Patience(self.settings.guard.patience_s, FIRM_LEVEL))
        return plain_frontier(strategy, hosts, links)

    def judge(self) -> Verdicts:
        """Make what the crawl asks about every page: the judge, and the rules for relevance and reward."""
        judge = self.relevance_judge()
        return Verdicts.build(self._judge_ingredients(), judge)

    def relevance_judge(self) -> Judge:
        """Make the judge alone, or take the one given. JudgeError if the run began with other files of the judge."""
        if self._given_judge is not None:
            return self._given_judge
        files, then = _judge_files(self.settings), self.settings.judge.digest
        digest = _digest(files)
        if then and digest and digest != then:
            raise JudgeError(
                f"the judge's file {' and '.join(map(str, files))} is not the one that the run began with (digest "
                f"{digest}, then {then}): put the old one back, or begin a new run; to go on all the same, empty "
                "judge.digest in its settings.toml"
            )
        self.settings = with_overrides(self.settings, {"judge.digest": digest or None})
        return build_judge(self._judge_ingredients(), self.settings.judge.kind)

    def _judge_ingredients(self) -> JudgeIngredients:
        return JudgeIngredients(self.settings, self.topic, lambda: self.vectors, subject_texts)

    @cached_property
    def vectors(self) -> WordVectors:
        """The vectors given, or those that the settings name. VectorsError if the run began with others."""
        vectors = self._given_vectors or word_vectors(self.settings.chosen_vectors, self._on_converting)
        _check_vectors(vectors, self.settings.vectors)
        self.settings = with_overrides(self.settings, {"vectors.digest": vectors.digest or None})
        return vectors

    def _topic_vectors(self) -> WordVectors:
        check_topic(self.vectors, self.topic, self.settings.chosen_vectors.source)
        return self.vectors

    def seed_urls(self, world: World) -> Sequence[Url]:
        """The user's seeds, else those of the world's entry points or of the topic's starting points that are in scope.

        What they add to the scope is among the settings from now on.
        SettingsError for a seed of the user's that the scope rules keep out, and where they keep all others out.
        """
        given = [Url.parse(text) for text in self.settings.crawl.seed_urls]
        own_list = self.settings.crawl.starting_points
        found = given or world.entry_urls() or starting_urls(self.topic, Path(own_list) if own_list else None)
        self.settings = staying_with(self.settings, found)
        scope = Scope(self.settings.scope)
        objections = {url: scope.objection(url, depth=0) for url in found}
        kept_out = [
            f"{url} is out of scope: {objection} keeps it out" for url, objection in objections.items() if objection
        ]
        if given and kept_out:
            raise SettingsError([f"seed URL {each}; change one of them" for each in kept_out])
        if found and len(kept_out) == len(objections):
            raise SettingsError([f"no entry page is in scope: {kept_out[0]}; give --seed-url, or change the scope"])
        return [url for url in found if objections[url] is None]


def transport_for(world: World, start: float, preparer: Preparer | None = None) -> tuple[Transport, Clock]:
    """Return how answers of this world arrive, and by which clock; an offline clock goes on from `start`.

    With a preparer, pages are read beside the crawl.
    """
    if world.is_offline:
        simulated = SimulatedClock(start)
        return SimulatedTransport(world, simulated, preparer), simulated
    real = RealClock()
    return LiveTransport(world, real, preparer), real


def worker_count(settings: Settings, world: World) -> int:
    """Return how many processes read pages for a crawl of this world."""
    if settings.crawl.workers >= 0:
        return settings.crawl.workers
    is_worth_it = settings.budget.fetches >= FETCHES_FOR_A_WORKER and cores() > 1
    return int(is_worth_it and not world.is_offline and os.name == "posix")


def most_workers(settings: Settings, count: int) -> int:
    """Return how many processes may come to read pages, where a crawl begins with so many and they are its limit."""
    return cores() if settings.crawl.workers < 0 and count else count


@asynccontextmanager
async def open_world(
    settings: Settings, memory: HostMemory | None = None, known: Sequence[KnownPage] = ()
) -> AsyncIterator[World]:
    """The world that the settings name, closed again at the end.

    For a live one: `memory` keeps what is learned of hosts, and `known` pages are wanted only if they have changed.
    """
    kind, _, spec = settings.crawl.world.partition(":")
    if kind not in WORLDS:
        raise WorldError(f"no world is called {kind!r}; choose {', '.join(WORLDS)}")
    opened: World | AbstractAsyncContextManager[World]
    match kind:
        case "live":
            opened = open_live(settings, memory or HostMemory(settings), known)
        case "synthetic+http":
            opened = serve_synthetic(spec, settings, memory or HostMemory(settings))
        case _:
            opened = WORLDS[kind](spec, settings)
    if isinstance(opened, AbstractAsyncContextManager):
        async with opened as world:
            yield world
        return
    try:
        yield opened
    finally:
        await opened.close()


@asynccontextmanager
async def open_replay(spec: str, settings: Settings) -> AsyncIterator[World]:  # noqa: ARG001
    """Open the run that stands behind `replay:` in the settings."""
    from honeyguide.worlds.replay import ReplayWorld  # noqa: PLC0415

    if not spec:
        raise WorldError("replay: names no run; write replay:RUN")
    try:
        opened = open_run(spec)
    except StoreError as error:
        raise WorldError(f"replay:{spec}: {error}") from error
    with opened:
        if opened.settings.store.archive == "none":
            raise WorldError(f"replay:{spec}: this run has kept no pages; crawl with --archive store or warc")
        yield ReplayWorld(opened.recorded_answers(), spec)
