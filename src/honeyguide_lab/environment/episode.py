"""One crawl whose links an outside caller chooses: the one core, one offline world, and a store where it is kept.

`CrawlState` is what an agent knows of the crawl besides the links. `FeatureRows` describes links as the agent sees them
and leaves everything else to another strategy.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from honeyguide.crawler import CrawlCore, StopReason
from honeyguide.errors import WorldError
from honeyguide.learn import Strategy
from honeyguide.learn.features import COLUMNS, LinkFeatures
from honeyguide.model import weighted_sums
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import RunFolder, open_store
from honeyguide.settings import to_toml

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.crawler import Builder, Parts
    from honeyguide.model import (
        Candidates,
        Decision,
        LinkDescriptions,
        LinkId,
        ParentFacts,
        ParentStats,
        Row,
        Rows,
        Skipped,
        Transition,
        Url,
    )
    from honeyguide.runs import SqliteStore, StepRecord
    from honeyguide.runs.records import FoundLink
    from honeyguide.settings import BudgetSettings, Settings
    from honeyguide.worlds import World

RECENT: Final = 0.1  # weight of the last fetch in `recent_harvest`: a memory of about ten fetches
MANY_LINKS: Final = 20  # new links on a page that count as half of all there could be
MANY_WAITING: Final = 1000  # waiting links that count as half


@dataclass(frozen=True, slots=True)
class CrawlState:
    """The state features, all from 0 to 1. After a fetch without a page those of the last page are 0."""

    share_spent: float = 0.0  # of the budget of fetches
    waiting: float = 0.0  # w / (w + 1000), w links waiting
    harvest_rate: float = 0.0  # relevant pages per fetch so far
    recent_harvest: float = 0.0  # the same as a fading mean over about ten fetches
    has_page: float = 0.0  # 1 if the last fetch brought a page
    is_relevant: float = 0.0  # 1 if that page was relevant
    relevance: float = 0.0  # of that page
    relevant_nearness: float = 0.0  # 1 / (1 + its clicks from the last relevant page on the way)
    seed_nearness: float = 0.0  # 1 / (1 + its clicks from a seed)
    new_links: float = 0.0  # n / (n + 20), n links met on it for the first time

    def as_row(self) -> NDArray[np.float32]:
        return np.array(astuple(self), dtype=np.float32)


STATE_COLUMNS: Final = tuple(field.name for field in fields(CrawlState))


def state_after(before: CrawlState, record: StepRecord, budget: BudgetSettings) -> CrawlState:
    """The state once a step has been taken in; the first record of a crawl has no fetch to tell of."""
    progress, visit = record.progress, record.completion.visit if record.completion is not None else None
    is_relevant = float(visit is not None and visit.verdict.is_relevant)
    return CrawlState(
        share_spent=min(1.0, progress.charged / budget.fetches),
        waiting=progress.waiting / (progress.waiting + MANY_WAITING),
        harvest_rate=progress.relevant / max(progress.charged, 1),
        recent_harvest=before.recent_harvest + RECENT * (is_relevant - before.recent_harvest),
        has_page=float(visit is not None),
        is_relevant=is_relevant,
        relevance=0.0 if visit is None else visit.verdict.relevance,
        relevant_nearness=0.0 if visit is None else 1 / (1 + visit.distance),
        seed_nearness=0.0 if visit is None else 1 / (1 + visit.depth),
        new_links=0.0 if visit is None else len(record.new_links) / (len(record.new_links) + MANY_LINKS),
    )


WIDTH: Final = len(COLUMNS)
"""Numbers at the beginning of each row that are the link features; the scorer's own follow."""


class FeatureRows(Strategy):
    """Scores, learns and saves as its scorer does; its rows begin with the link features."""

    def __init__(self, scorer: Strategy, features: LinkFeatures) -> None:
        self._scorer = scorer
        self._features = features
        self.order = scorer.order
        self.row_width = WIDTH + scorer.row_width
        own = scorer.description_type or np.dtype((np.float16, (scorer.row_width,)))
        self.description_type = np.dtype([("features", features.description_type), ("scorer", own)])
        self.capacity = scorer.capacity
        self.found_again = scorer.found_again
        self.reads_first_occurrence = scorer.reads_first_occurrence
        self.reads_next_rows = scorer.reads_next_rows

    @property
    def weights(self) -> NDArray[np.float64] | None:
        weights = self._scorer.weights
        return None if weights is None else np.concatenate((np.zeros(WIDTH), weights))

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        described = np.empty(len(candidates), dtype=self.description_type)
        described["features"] = self._features.describe(candidates)
        described["scorer"] = self._scorer.describe(candidates)
        return described

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        features = self._features.rows(described["features"], parents)
        return np.concatenate((features, self._scorer.rows(described["scorer"], parents)), axis=1)

    def with_parents(self, rows: Rows, parents: ParentStats) -> Rows:
        return np.concatenate((rows[:, :WIDTH], self._scorer.with_parents(rows[:, WIDTH:], parents)), axis=1)

    def scorer_record(self, record: StepRecord) -> StepRecord:
        """A step as it would be if the scorer alone had described the links: what a run folder keeps."""
        features = self._features.description_type.itemsize

        def own_links(links: Sequence[FoundLink]) -> tuple[FoundLink, ...]:
            return tuple(replace(link, description=link.description[features:]) for link in links)

        def own_rows(rows: bytes) -> bytes:
            return np.frombuffer(rows, dtype=np.float16).reshape(-1, self.row_width)[:, WIDTH:].tobytes()

        journal = tuple(
            replace(entry, row=own_rows(entry.row), next_rows=entry.next_rows and own_rows(entry.next_rows))
            if entry.kind in ("fetch", "skip", "learn")
            else entry
            for entry in record.journal
        )
        return replace(
            record,
            new_links=own_links(record.new_links),
            found_again=own_links(record.found_again),
            journal=journal,
        )

    def score(self, rows: Rows) -> NDArray[np.float64]:
        # With weights, the sum that the frontier makes from them, so that the two agree to the last bit.
        weights = self.weights
        return self._scorer.score(rows[:, WIDTH:]) if weights is None else weighted_sums(rows, weights)

    def explores(self, chance: np.random.Generator) -> bool:
        return self._scorer.explores(chance)

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:
        return self._scorer.skip(url, row[WIDTH:], chance)

    def notice(self, decision: Decision) -> None:
        self._scorer.notice(replace(decision, row=decision.row[WIDTH:]))

    def expands(self, url: Url) -> bool:
        return self._scorer.expands(url)

    def learn(self, transition: Transition) -> bool:
        own = replace(transition, row=transition.row[WIDTH:], next_rows=transition.next_rows[:, WIDTH:])
        return self._scorer.learn(own)

    def save(self) -> bytes:
        return self._scorer.save()

    def load(self, state: bytes) -> None:
        self._scorer.load(state)


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
        self._parts, self._strategy = _parts(builder, chance)
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
        self.core.note_disk_use(disk_bytes)
        return self.core.limit

    @property
    def stop_reason(self) -> StopReason | None:
        """Why there is no next step; None while there is one."""
        return self.limit or (StopReason.EXHAUSTED if self.is_exhausted else None)

    def follow(self, link: LinkId) -> StepRecord:
        """Fetch a waiting link and take in what comes of it. KeyError if it does not wait."""
        if link not in self.core.frontier:
            raise KeyError(link)
        (host,) = self.core.links.hosts([link])
        self._clock.advance_to(float(self._parts.schedule.ready_at(host + 1)[host]))
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

    def _open_store(self, folder: RunFolder | None) -> SqliteStore | None:
        if folder is None:
            return None
        store = open_store(folder, self._settings)
        self._opened.callback(store.close)
        return store

    def _kept(self, record: StepRecord) -> StepRecord:
        if self._store is not None:
            self._store.record(self._strategy.scorer_record(record))
        return record


def _parts(builder: Builder, chance: np.random.Generator) -> tuple[Parts, FeatureRows]:
    """The parts that the settings name, but with rows that an agent can read, and its chance for every draw."""
    parts = builder.parts()
    strategy = FeatureRows(parts.strategy, LinkFeatures(builder.topic, builder.vectors))
    frontier = builder.frontier(strategy, parts.schedule, parts.links)
    return replace(parts, strategy=strategy, frontier=frontier, chance=chance), strategy


def at_once(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of an offline world's coroutine, run without an event loop. WorldError if it suspends."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    coroutine.close()
    raise WorldError("the world waits for something outside: an environment needs an offline one, as synthetic")
