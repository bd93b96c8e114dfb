"""A crawl that is kept nowhere: the one core on an offline world, one fetch at a time, told as columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, assert_never

import numpy as np

from honeyguide.clock import SimulatedClock
from honeyguide.engine import Builder, CrawlCore, Dispatch, Stop, Wait
from honeyguide.learn import LinearSarsa
from honeyguide.settings import with_overrides

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from honeyguide.clock import RealClock
    from honeyguide.domain import Fetched, Page, Url
    from honeyguide.engine import Parts
    from honeyguide.experiments.reproduce.memory import Memory
    from honeyguide.settings import Settings
    from honeyguide.store import StepRecord
    from honeyguide.worlds import World

_STEPS_AT_A_TIME: Final = 20
_NO_SNAPSHOTS: Final = 1_000_000_000  # steps between two


@dataclass(frozen=True, slots=True, eq=False)
class CrawledTask:
    """One crawl, step by step, without what it found: columns run over the fetches that it made."""

    urls: tuple[str, ...]
    is_page: NDArray[np.bool_]  # False for a redirect, a failure or a refusal
    is_relevant: NDArray[np.bool_]  # by the rule of the judge's settings; False where there is no page
    relevance: NDArray[np.float32]  # by the judge, from 0 to 1; 0 where there is no page
    weights: NDArray[np.float64]  # of a linear learner, in the end; empty for any other strategy
    seconds: float  # of real time, with pages remembered: no measure of a crawl on its own

    @property
    def fetches(self) -> int:
        return len(self.urls)


def crawl_unkept(
    world: World,
    memory: Memory,
    clock: RealClock,
    is_interrupted: Callable[[], bool],
    on_steps: Callable[[int], None],
    settings: Settings,
    state: bytes,
) -> tuple[CrawledTask, bytes]:
    """Crawl to the end of the budget; gives back the crawl, and what the strategy has learned by then.

    `state` is what it learned in an earlier crawl, or nothing. The URLs are those that `honeyguide.engine.crawl`
    fetches with the same settings, in the same order.
    """
    assert settings.crawl.concurrency == 1
    started = clock.now()
    settings = with_overrides(settings, {"store.snapshot_every": _NO_SNAPSHOTS})
    parts, seeds = _parts(settings, world, memory)
    if state:
        parts.strategy.load(state)
    core, time = CrawlCore(parts, settings), SimulatedClock()
    core.start(seeds, time.now())
    columns = _Columns()
    while not is_interrupted():
        choice = core.choose(time.now())
        match choice:
            case Dispatch():
                answer = memory.answer(world, choice.url)
                time.advance_to(time.now() + answer.elapsed_s)
                columns.add(core.apply(choice, answer, time.now()).record, choice.url)
                if len(columns.urls) % _STEPS_AT_A_TIME == 0:
                    on_steps(_STEPS_AT_A_TIME)
            case Wait():
                time.advance_to(choice.until)
            case Stop():
                break
            case _:
                assert_never(choice)
    on_steps(settings.budget.fetches - len(columns.urls) // _STEPS_AT_A_TIME * _STEPS_AT_A_TIME)
    weights = parts.strategy.weights if isinstance(parts.strategy, LinearSarsa) else np.empty(0)
    return columns.task(weights, clock.now() - started), parts.strategy.save()


def _parts(settings: Settings, world: World, memory: Memory) -> tuple[Parts, list[Url]]:
    vectors = memory.vectors(settings.vectors)
    builder = Builder(settings, vectors)
    parts = builder.parts()

    def parse(url: Url, fetched: Fetched) -> Page:
        page = memory.page(url, fetched, parts.parse)
        vectors.remember(page.words)
        return page

    return replace(parts, parse=parse, judge=memory.verdicts(settings, parts.judge)), list(builder.seed_urls(world))


class _Columns:
    """What is kept of steps as they are made."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self._is_page: list[bool] = []
        self._is_relevant: list[bool] = []
        self._relevance: list[float] = []

    def add(self, record: StepRecord, url: Url) -> None:
        visit = None if record.completion is None else record.completion.visit
        self.urls.append(url.text)
        self._is_page.append(visit is not None)
        self._is_relevant.append(visit is not None and visit.verdict.is_relevant)
        self._relevance.append(0.0 if visit is None else visit.verdict.relevance)

    def task(self, weights: NDArray[np.float64], seconds: float) -> CrawledTask:
        return CrawledTask(
            tuple(self.urls),
            np.array(self._is_page, dtype=np.bool_),
            np.array(self._is_relevant, dtype=np.bool_),
            np.array(self._relevance, dtype=np.float32),
            weights,
            seconds,
        )
