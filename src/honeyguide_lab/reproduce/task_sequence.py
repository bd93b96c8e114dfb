"""Crawling tasks in a row, each begun anew in everything but what the learner has learned so far.

Han et al. (2018), section 4: "the weight vector learned in the precedent task is maintained and all other data obtained
during a crawling task is initialized". A single crawl is a sequence of one task.

The tasks go through the one core, on an offline world, and are kept in no run folder: twenty of them would take a
hundred megabytes. What is kept is a small file, `sequence.npz`, written after every task: which page each step brought,
and what the judge said of it. A sequence that was stopped goes on after its last whole task. Pages and verdicts are
remembered by the process, because an experiment asks a world for the same pages hundreds of times.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, replace
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, Final, assert_never

import numpy as np
from threadpoolctl import threadpool_limits

from honeyguide.crawler import Builder, CrawlCore, Dispatch, Stop, Wait
from honeyguide.crawler.world_graph import opened_world
from honeyguide.errors import WorldError
from honeyguide.judge import Verdicts
from honeyguide.learn import LinearSarsa
from honeyguide.model import Fetched
from honeyguide.model.clock import SimulatedClock
from honeyguide.settings import with_overrides
from honeyguide_lab.crawl_task import data_files, shared_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.crawler import Parts
    from honeyguide.model import Answer, Page, Url, Verdict
    from honeyguide.runs import StepRecord
    from honeyguide.settings import Settings
    from honeyguide.worlds import World

MOST_PAGES: Final = 20_000
"""Above this many pages the memory is emptied: some 60 KB are kept of an encyclopaedia article."""

_STEPS_AT_A_TIME: Final = 20
_NO_SNAPSHOTS: Final = 1_000_000_000  # steps between two
_FILE: Final = "sequence.npz"


@dataclass(frozen=True, slots=True, eq=False)
class CrawledTask:
    """One crawl, step by step, without what it found: columns run over the fetches that it made."""

    urls: tuple[str, ...]
    is_page: NDArray[np.bool_]  # False for a redirect, a failure or a refusal
    is_relevant: NDArray[np.bool_]  # by the rule of the judge's settings; False where there is no page
    relevance: NDArray[np.float32]  # by the judge, from 0 to 1; 0 where there is no page
    weights: NDArray[np.float64]  # of a linear learner, in the end; empty for any other strategy

    @property
    def fetches(self) -> int:
        return len(self.urls)


@dataclass(frozen=True, slots=True)
class TaskSequence:
    """Tasks to be crawled, in a folder of their own. Task n, counted from 0, has the seed `settings.crawl.seed` + n."""

    folder: Path
    settings: Settings  # of every task; one fetch at a time
    tasks: int = 1

    @property
    def run(self) -> Path:
        """Where the file is: there is no run folder."""
        return self.folder

    @property
    def budget(self) -> int:
        """Fetches of all tasks together."""
        return self.tasks * self.settings.budget.fetches

    @property
    def is_done(self) -> bool:
        return len(self.crawled()) == self.tasks

    @property
    def spent(self) -> int:
        return len(self.crawled()) * self.settings.budget.fetches

    def crawled(self) -> tuple[CrawledTask, ...]:
        """The tasks that have been crawled up to now."""
        return self._read()[0]

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        """Crawl the tasks that are left, until the last or until interrupted; a task begun is then lost."""
        done, state = self._read()
        crawled = list(done)
        with opened_world(self.settings.crawl.world) as world, threadpool_limits(1, "blas"):
            while len(crawled) < self.tasks:
                settings = with_overrides(self.settings, {"crawl.seed": self.settings.crawl.seed + len(crawled)})
                task, state = _crawl(world, settings, state, is_interrupted, on_steps)
                if is_interrupted():
                    return
                crawled.append(task)
                self._write(crawled, state)

    def _read(self) -> tuple[tuple[CrawledTask, ...], bytes]:
        try:
            with (self.folder / _FILE).open("rb") as opened, np.load(opened, allow_pickle=False) as saved:
                return _unpack({name: saved[name] for name in saved.files})
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return (), b""

    def _write(self, crawled: Sequence[CrawledTask], state: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / f"draft-{_FILE}"
        np.savez_compressed(draft, allow_pickle=False, **_pack(crawled, state))
        draft.replace(self.folder / _FILE)


def _pack(crawled: Sequence[CrawledTask], state: bytes) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    """Write tasks as columns one behind the other; a URL is written once, and named by its number."""
    number_by_url: dict[str, int] = {}
    numbers = [number_by_url.setdefault(url, len(number_by_url)) for task in crawled for url in task.urls]
    return {
        "urls": np.frombuffer(json.dumps(list(number_by_url)).encode(), dtype=np.uint8),
        "fetches": np.array([task.fetches for task in crawled]),
        "numbers": np.array(numbers, dtype=np.int32),
        "is_page": np.concatenate([task.is_page for task in crawled]),
        "is_relevant": np.concatenate([task.is_relevant for task in crawled]),
        "relevance": np.concatenate([task.relevance for task in crawled]),
        "weights": np.array([task.weights for task in crawled]),
        "state": np.frombuffer(state, dtype=np.uint8),
    }


def _unpack(
    columns: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]],
) -> tuple[tuple[CrawledTask, ...], bytes]:
    urls = json.loads(columns["urls"].tobytes())
    ends = np.cumsum(columns["fetches"]).tolist()
    tasks = tuple(
        CrawledTask(
            urls=tuple(urls[number] for number in columns["numbers"][begin:end].tolist()),
            is_page=columns["is_page"][begin:end].astype(np.bool_),
            is_relevant=columns["is_relevant"][begin:end].astype(np.bool_),
            relevance=columns["relevance"][begin:end].astype(np.float32),
            weights=weights.astype(np.float64),
        )
        for begin, end, weights in zip([0, *ends], ends, columns["weights"], strict=False)
    )
    return tasks, columns["state"].tobytes()


def _crawl(
    world: World,
    settings: Settings,
    state: bytes,
    is_interrupted: Callable[[], bool],
    on_steps: Callable[[int], None],
) -> tuple[CrawledTask, bytes]:
    """Crawl to the end of the budget; return the crawl, and what the strategy has learned by then.

    `state` is what it learned in an earlier crawl, or nothing. The URLs are those that `honeyguide.crawler.crawl`
    fetches with the same settings, in the same order.
    """
    assert settings.crawl.concurrency == 1
    memory, settings = memory_for(settings), with_overrides(settings, {"store.snapshot_every": _NO_SNAPSHOTS})
    parts, seeds = _remembering_parts(settings, world, memory)
    if state:
        parts.strategy.load(state)
    core, time = CrawlCore(parts, settings), SimulatedClock()
    core.start(seeds, time.now())
    steps: list[tuple[str, bool, bool, float]] = []
    while not is_interrupted():
        choice = core.choose(time.now())
        match choice:
            case Dispatch():
                answer = memory.answer(world, choice.url)
                time.advance_to(time.now() + answer.elapsed_s)
                steps.append(_summarise(core.apply(choice, answer, time.now()).record, choice.url))
                if len(steps) % _STEPS_AT_A_TIME == 0:
                    on_steps(_STEPS_AT_A_TIME)
            case Wait():
                time.advance_to(choice.until)
            case Stop():
                break
            case _:
                assert_never(choice)
    on_steps(settings.budget.fetches - len(steps) // _STEPS_AT_A_TIME * _STEPS_AT_A_TIME)
    weights = parts.strategy.learned if isinstance(parts.strategy, LinearSarsa) else np.empty(0)
    urls, is_page, is_relevant, relevance = zip(*steps, strict=True) if steps else ((), (), (), ())
    task = CrawledTask(
        urls,
        np.array(is_page, dtype=np.bool_),
        np.array(is_relevant, dtype=np.bool_),
        np.array(relevance, dtype=np.float32),
        weights,
    )
    return task, parts.strategy.save()


def _summarise(record: StepRecord, url: Url) -> tuple[str, bool, bool, float]:
    visit = None if record.completion is None else record.completion.visit
    if visit is None:
        return url.text, False, False, 0.0
    return url.text, True, visit.verdict.is_relevant, visit.verdict.relevance


class Memory:
    """The pages of one world that one process has met, parsed in one way. Not thread-safe."""

    def __init__(self) -> None:
        self._answer_by_url: dict[str, Answer] = {}
        self._page_by_url: dict[str, Page] = {}
        self._verdicts: tuple[object, dict[str, Verdict]] = (None, {})

    def answer(self, world: World, url: Url) -> Answer:
        """Return what the world answers; the body of a page that was parsed before is left out."""
        if url.text in self._page_by_url:
            return self._answer_by_url[url.text]
        answer = _ask(world, url)
        if isinstance(answer.outcome, Fetched):
            self._answer_by_url[url.text] = replace(answer, outcome=replace(answer.outcome, body=b""))
        return answer

    def page(self, url: Url, fetched: Fetched, parse: Callable[[Url, Fetched], Page]) -> Page:
        """Return the page of an answer of this world, with its words but without its text."""
        page = self._page_by_url.get(url.text)
        if page is None:
            page = parse(url, fetched)
            page = replace(page, text="", words=tuple(map(intern, page.words)))
            if len(self._page_by_url) >= MOST_PAGES:
                self._page_by_url.clear()
            self._page_by_url[url.text] = page
        return page

    def verdicts(self, settings: Settings, judge: Verdicts) -> Verdicts:
        """Return the judge of a crawl; one that never changes its mind is asked once about each page."""
        if judge.keeps_statistics:
            return judge
        key = (settings.topic, settings.judge, settings.chosen_vectors)
        if self._verdicts[0] != key:
            self._verdicts = key, {}
        return _RememberedVerdicts(judge, self._verdicts[1])


class _RememberedVerdicts(Verdicts):
    """Verdicts by URL, as the judge first gave them."""

    def __init__(self, judge: Verdicts, known: dict[str, Verdict]) -> None:  # no `super`: it is the judge's part
        self._asked = judge
        self._known = known

    @property
    def keeps_statistics(self) -> bool:
        return False

    def judge(self, page: Page, description: object = None) -> Verdict:  # noqa: ARG002 - none of these learns
        verdict = self._known.get(page.url.text)
        if verdict is None:
            verdict = self._known[page.url.text] = self._asked.judge(page)
        return verdict

    def save(self) -> bytes:
        return self._asked.save()


def memory_for(settings: Settings) -> Memory:
    """Return this process's memory of the world that the settings name; one world is remembered at a time."""
    world = settings.crawl.world
    # Of all profiles, wikipedia alone reads pages in a way of its own; crawls of the others share what was parsed.
    return _memory(world, settings.crawl.profile == "wikipedia", repr(data_files(world)))


@lru_cache(maxsize=1)
def _memory(_world: str, _is_wikipedia: bool, _files: str) -> Memory:  # noqa: FBT001 - what the pages depend on
    return Memory()


def _remembering_parts(settings: Settings, world: World, memory: Memory) -> tuple[Parts, list[Url]]:
    builder = Builder(settings, shared_vectors(settings.chosen_vectors))
    parts = builder.parts(world=world)

    def parse(url: Url, fetched: Fetched) -> Page:
        return memory.page(url, fetched, parts.parse)

    return replace(parts, parse=parse, judge=memory.verdicts(settings, parts.judge)), list(builder.seed_urls(world))


def _ask(world: World, url: Url) -> Answer:
    """Return what an offline world answers, which it does without suspending."""
    asking = world.fetch(url)
    try:
        asking.send(None)
    except StopIteration as done:
        answer: Answer = done.value
        return answer
    asking.close()
    raise WorldError("the world waits for something outside: crawls are repeated on offline worlds, such as synthetic")
