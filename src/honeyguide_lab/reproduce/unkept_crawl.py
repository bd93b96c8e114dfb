"""Pages and word rows that one process has met before, so that crawls of the same pages cost a fraction of the first.

An experiment of hundreds of crawls asks a world for the same pages again and again. Parsing a page and looking its
words up is most of the work of a step, and gives the same each time: here it is done once in each process. Nothing
else is shared, and nothing a crawl does depends on it.

A crawl that is kept nowhere: the one core on an offline world, one fetch at a time, told as columns.

Crawling tasks in a row: each begins anew in everything but what the learner has learned so far.

Han et al. (2018), section 4: "the weight vector learned in the precedent task is maintained and all other data obtained
during a crawling task is initialized". So frontier, parents, links and the crawl's chance are new in every task, and
the strategy goes on from its saved state.

The tasks go through the one core, on an offline world, and are kept in no run folder: twenty of them would take a
hundred megabytes. What is kept is a small file, `sequence.npz`, written after every task: which page each step brought,
and what the judge made of it. A sequence that was stopped goes on after its last whole task.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
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
from honeyguide.model.clock import RealClock, SimulatedClock
from honeyguide.settings import with_overrides
from honeyguide.text import WordVectors, open_vectors
from honeyguide.text.vectors import WordRows
from honeyguide_lab.crawl_task import data_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.crawler import Parts
    from honeyguide.model import Answer, Page, Url, Verdict
    from honeyguide.runs import StepRecord
    from honeyguide.settings import Settings, VectorSettings
    from honeyguide.text.vectors import VectorSource
    from honeyguide.worlds import World

MOST_PAGES: Final = 20_000
"""Above this many pages everything is forgotten and learned anew: some 60 KB are kept of an encyclopaedia article."""


_UNCHANGING: Final = frozenset({"embedding", "keyword"})
"""Judges whose verdict on a page does not depend on the pages before it."""


class Memory:
    """What one process remembers of one world, read in one way. Not thread-safe."""

    def __init__(self) -> None:
        self._answer_by_url: dict[str, Answer] = {}
        self._page_by_url: dict[str, Page] = {}
        self._vectors: tuple[VectorSettings, RememberingVectors] | None = None
        self._verdicts: tuple[object, dict[str, Verdict]] = (None, {})

    def answer(self, world: World, url: Url) -> Answer:
        """What the world answers; the body of a page that was parsed before is left out."""
        if url.text in self._page_by_url:
            return self._answer_by_url[url.text]
        answer = _answer_of(world, url)
        if isinstance(answer.outcome, Fetched):
            self._answer_by_url[url.text] = replace(answer, outcome=replace(answer.outcome, body=b""))
        return answer

    def page(self, url: Url, fetched: Fetched, parse: Callable[[Url, Fetched], Page]) -> Page:
        """The page of an answer of this world, with its words but without its text."""
        page = self._page_by_url.get(url.text)
        if page is None:
            page = parse(url, fetched)
            page = replace(page, text="", words=tuple(map(intern, page.words)))
            if len(self._page_by_url) >= MOST_PAGES:
                self._page_by_url.clear()
            self._page_by_url[url.text] = page
        return page

    def vectors(self, settings: VectorSettings) -> RememberingVectors:
        """The vectors that the settings name; the last ones asked for are kept."""
        if self._vectors is None or self._vectors[0] != settings:
            self._vectors = settings, RememberingVectors(open_vectors(settings.source, settings.cache_path))
        return self._vectors[1]

    def verdicts(self, settings: Settings, judge: Verdicts) -> Verdicts:
        """The judge of a crawl; one that never changes its mind is asked once about each page."""
        if settings.judge.kind not in _UNCHANGING:
            return judge
        key = (settings.topic, settings.judge, settings.vectors)
        if self._verdicts[0] != key:
            self._verdicts = key, {}
        return _RememberedVerdicts(judge, self._verdicts[1])


class _RememberedVerdicts(Verdicts):
    """Verdicts by URL, as the judge first gave them."""

    def __init__(self, judge: Verdicts, known: dict[str, Verdict]) -> None:  # no `super`: it is the judge's part
        self._asked = judge
        self._known = known

    def judge(self, page: Page) -> Verdict:
        verdict = self._known.get(page.url.text)
        if verdict is None:
            verdict = self._known[page.url.text] = self._asked.judge(page)
        return verdict

    def save(self) -> bytes:
        return self._asked.save()


class RememberingVectors(WordVectors):
    """Word vectors that keep the rows of whole pages, to be told apart by identity."""

    def __init__(self, source: VectorSource) -> None:
        super().__init__(source)
        self._known: dict[int, tuple[tuple[str, ...], _RememberedRows]] = {}

    def remember(self, words: tuple[str, ...]) -> None:
        """Keep the rows of this very text: it will be asked about again."""
        if id(words) not in self._known:
            if len(self._known) >= MOST_PAGES:
                self._known.clear()
            rows = super().look_up(words)
            self._known[id(words)] = words, _RememberedRows(rows.table, rows.numbers)

    def look_up(self, words: tuple[str, ...]) -> WordRows:
        known = self._known.get(id(words))
        return super().look_up(words) if known is None else known[1]


class _RememberedRows(WordRows):
    """Rows that keep their parts and their text vector."""

    def within(self, spans: Sequence[tuple[int, int]]) -> WordRows:
        key = tuple(spans)
        part = self._parts.get(key)
        if part is None:
            rows = super().within(spans)
            part = self._parts[key] = _RememberedRows(rows.table, rows.numbers)
        return part

    def text_vector(self) -> NDArray[np.float64]:
        return self._text_vector

    @cached_property
    def _parts(self) -> dict[tuple[tuple[int, int], ...], _RememberedRows]:
        return {}

    @cached_property
    def _text_vector(self) -> NDArray[np.float64]:
        vector = super().text_vector()
        vector.setflags(write=False)
        return vector


def memory_for(settings: Settings) -> Memory:
    """The memory of this process for the world of these settings; only one world is remembered at a time."""
    world = settings.crawl.world
    # Of all profiles, wikipedia alone reads pages in a way of its own; crawls of the others share what was parsed.
    rules = "wikipedia" if settings.crawl.profile == "wikipedia" else ""
    return _memory(world, rules, repr(data_files(world)))


@lru_cache(maxsize=1)
def _memory(world: str, rules: str, files: str) -> Memory:  # noqa: ARG001 - what the pages depend on
    return Memory()


def _answer_of(world: World, url: Url) -> Answer:
    """What an offline world answers, which it does without suspending."""
    asking = world.fetch(url)
    try:
        asking.send(None)
    except StopIteration as done:
        answer: Answer = done.value
        return answer
    asking.close()
    raise WorldError("the world waits for something outside: crawls are repeated on offline worlds, such as synthetic")


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

    `state` is what it learned in an earlier crawl, or nothing. The URLs are those that `honeyguide.crawler.crawl`
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


_FILE: Final = "sequence.npz"


@dataclass(frozen=True, slots=True)
class TaskSequence:
    """Tasks to be crawled, in a folder of their own. Task n, counted from 0, has the seed `settings.crawl.seed` + n."""

    folder: Path
    settings: Settings  # of every task; one fetch at a time
    tasks: int = 1
    is_carried: bool = True  # whether a task begins with what was learned in those before it

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
        clock = RealClock()
        with opened_world(self.settings.crawl.world) as world, threadpool_limits(1, "blas"):
            crawl = partial(crawl_unkept, world, memory_for(self.settings), clock, is_interrupted, on_steps)
            while len(crawled) < self.tasks:
                settings = with_overrides(self.settings, {"crawl.seed": self.settings.crawl.seed + len(crawled)})
                task, state = crawl(settings, state if self.is_carried else b"")
                if is_interrupted():
                    return
                crawled.append(task)
                self._write(crawled, state)

    def _read(self) -> tuple[tuple[CrawledTask, ...], bytes]:
        try:
            with (self.folder / _FILE).open("rb") as opened, np.load(opened, allow_pickle=False) as saved:
                return _unpacked({name: saved[name] for name in saved.files})
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return (), b""

    def _write(self, crawled: Sequence[CrawledTask], state: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / f"draft-{_FILE}"
        np.savez_compressed(draft, allow_pickle=False, **_packed(crawled, state))
        draft.replace(self.folder / _FILE)


def _packed(
    crawled: Sequence[CrawledTask], state: bytes
) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    """Tasks as columns one behind the other; a URL is written once, and named by its number."""
    number_by_url: dict[str, int] = {}
    numbers = [number_by_url.setdefault(url, len(number_by_url)) for task in crawled for url in task.urls]
    about = {"fetches": [task.fetches for task in crawled], "seconds": [task.seconds for task in crawled]}
    return {
        "urls": np.frombuffer("\n".join(number_by_url).encode(), dtype=np.uint8),
        "numbers": np.array(numbers, dtype=np.int32),
        "is_page": np.concatenate([task.is_page for task in crawled]),
        "is_relevant": np.concatenate([task.is_relevant for task in crawled]),
        "relevance": np.concatenate([task.relevance for task in crawled]),
        "weights": np.array([task.weights for task in crawled]),
        "state": np.frombuffer(state, dtype=np.uint8),
        "about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
    }


def _unpacked(
    columns: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]],
) -> tuple[tuple[CrawledTask, ...], bytes]:
    about = json.loads(columns["about"].tobytes())
    urls = columns["urls"].tobytes().decode().split("\n")
    ends = np.cumsum(about["fetches"]).tolist()
    begins = [0, *ends[:-1]]
    tasks = tuple(
        CrawledTask(
            urls=tuple(urls[number] for number in columns["numbers"][begin:end].tolist()),
            is_page=columns["is_page"][begin:end].astype(np.bool_),
            is_relevant=columns["is_relevant"][begin:end].astype(np.bool_),
            relevance=columns["relevance"][begin:end].astype(np.float32),
            weights=weights.astype(np.float64),
            seconds=seconds,
        )
        for begin, end, weights, seconds in zip(begins, ends, columns["weights"], about["seconds"], strict=True)
    )
    return tasks, columns["state"].tobytes()
