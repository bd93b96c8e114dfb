"""One crawl of an experiment, and the folder of the experiment.

A crawl knows settings and a folder, and no labels unless it is to be told of them and its figures are marked so. It is
begun, continued after a stop, and timed. A folder belongs to one experiment: continuing it there is welcome,
putting another into it is refused.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import xxhash

from honeyguide.crawler import (
    CrawlOptions,
    CrawlStarted,
    CrawlStopped,
    LinkSkipped,
    PagesRead,
    StopReason,
    crawl,
    resume,
    word_vectors,
)
from honeyguide.errors import HoneyguideError, RunDamaged, RunExists, StoreError
from honeyguide.judge import StatelessJudge
from honeyguide.model import Evidence
from honeyguide.model.clock import RealClock
from honeyguide.runs import PageAnswer, Progress, open_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet
    from importlib.resources.abc import Traversable

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.crawler import Event
    from honeyguide.model import Page
    from honeyguide.settings import Settings, VectorSettings
    from honeyguide.text import WordVectors


@cache
def code_version() -> str:
    """The version of the package, and a hash of its sources: a changed line is another version."""
    digest = xxhash.xxh3_64()
    for source in sorted(_sources(resources.files("honeyguide")), key=str):
        digest.update(source.read_bytes())
    return f"{metadata.version('honeyguide')}+{digest.hexdigest()[:10]}"


def data_files(world: str) -> list[str]:
    """Names, sizes and times of the files a world is read from; nothing for one that is computed from its name."""
    named = world.partition(":")[2]
    # `site:` takes a folder before an @, or several files with commas between; a path may also have either in its name.
    paths = {Path(part) for part in (named, named.rpartition("@")[0], *named.split(",")) if part}
    files = {file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])}
    return [f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in sorted(files) if file.is_file()]


def _sources(folder: Traversable) -> Iterator[Traversable]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry)
        elif entry.name.endswith(".py"):
            yield entry


EXPERIMENT_FILE: Final = "experiment.json"


def refuse_foreign(folder: Path, about: dict[str, Any]) -> None:
    """Before the long work: a folder of another experiment, or of something else, is not to be written into.

    `about` is what the experiment is, of things that JSON can hold; under "honeyguide" the code that makes it.
    """
    file = folder / EXPERIMENT_FILE
    if file.is_file():
        _refuse_other(file, _as_read_back(about))
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunExists(f"{folder} exists and is not empty; choose another folder with -o")
    nearest = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        raise StoreError(f"{folder} cannot be made, because {nearest} cannot be written; choose another folder with -o")


def claim_folder(folder: Path, about: dict[str, Any]) -> None:
    """Make the folder if need be, and write down whose it is; ask `refuse_foreign` first."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(about, indent=2, ensure_ascii=False)
    (folder / EXPERIMENT_FILE).write_text(f"{text}\n", encoding="utf-8")


def _as_read_back(about: dict[str, Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(json.dumps(about)))


def _refuse_other(file: Path, now: dict[str, Any]) -> None:
    try:
        before = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunExists(f"{file} cannot be read ({error}); choose another folder with -o") from error
    changed = [name for name in now if before.get(name) != now[name]]
    if changed:
        what = "other code" if changed == ["honeyguide"] else f"another experiment ({', '.join(changed)} differ)"
        raise RunExists(f"{file.parent} was made by {what}; choose another folder with -o")


_TIMING_FILE: Final = "timing.json"
_UNTIMED: Final = {"seconds": 0.0, "processor_s": 0.0, "steps": 0.0}
_STEPS_AT_A_TIME: Final = 20


class PerfectJudge(StatelessJudge):
    """Gives an on-topic page 1 and any other 0."""

    needs_topic = False
    is_yes_or_no = True
    threshold = 0.5

    def __init__(self, on_topic: AbstractSet[str]) -> None:
        """`on_topic` has the final URLs of all on-topic pages."""
        self._on_topic = on_topic

    def relevance(self, page: Page) -> float:
        return float(page.url.text in self._on_topic)

    def evidence(self, page: Page) -> Evidence:
        return Evidence("labels", self.relevance(page), self.threshold)


def _told_by_labels(on_topic: AbstractSet[str], *, has_perfect_judge: bool) -> CrawlOptions:
    """Return the options of a crawl that is told which pages are on topic; `ask.questions` is how often it may ask."""

    def answered(page: PageQuestion) -> PageAnswer:
        return PageAnswer(page.url, "yes" if page.url.text in on_topic else "no", "labels")

    return {"judge": PerfectJudge(on_topic)} if has_perfect_judge else {"on_question": answered}


@dataclass(frozen=True, slots=True)
class CrawlTask:
    """A crawl to be made, in a folder of its own."""

    folder: Path
    settings: Settings
    told: frozenset[str] | None = None  # URLs of all on-topic pages, where it is told of them
    has_perfect_judge: bool = False  # told by the reward of every page; else by answers to `ask.questions` questions

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def budget(self) -> int:
        return self.settings.budget.fetches

    @property
    def is_done(self) -> bool:
        """Whether the crawl has come to its end; one that has spent a smaller budget can go on."""
        progress = self._progress
        if progress.stop_reason == StopReason.FETCHES:
            return progress.charged >= self.settings.budget.fetches
        return bool(progress.stop_reason) and StopReason(progress.stop_reason).is_final

    @property
    def spent(self) -> int:
        """How much of the budget is behind it; all of it once the crawl has ended."""
        return self.settings.budget.fetches if self.is_done else self._progress.steps

    @property
    def _progress(self) -> Progress:
        try:
            with open_run(self.run) as run:
                return run.progress
        except HoneyguideError:
            return Progress()

    @property
    def seconds_per_1000_steps(self) -> float:
        """How fast the crawl was from its first step on, in real time; 0 where nobody knows."""
        timing = self._timing()
        return 1000 * timing["seconds"] / timing["steps"] if timing["steps"] else 0.0

    @property
    def seconds(self) -> float:
        """Real time of all its steps together; 0 where nobody knows."""
        return self._timing()["seconds"]

    @property
    def processor_s_per_step(self) -> float:
        """Processor time of a step, for crawls that run side by side; 0 where nobody knows."""
        timing = self._timing()
        return timing["processor_s"] / timing["steps"] if timing["steps"] else 0.0

    def _timing(self) -> dict[str, float]:
        """Seconds and steps of all the times it was at work, without loading and opening."""
        try:
            timing = json.loads((self.folder / _TIMING_FILE).read_text(encoding="utf-8"))
            return {name: float(timing[name]) for name in _UNTIMED}
        except (OSError, ValueError, KeyError, TypeError):
            return dict(_UNTIMED)

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        """Crawl, or go on with it, until it ends or is interrupted; `on_steps` hears of a few steps at a time."""
        counter = _StepCounter(on_steps)
        options: CrawlOptions = {
            "listeners": [counter],
            "is_interrupted": is_interrupted,
            "vectors": shared_vectors(self.settings.chosen_vectors),
            "readings": shared_readings(),
        }
        if self.told is not None:
            options |= _told_by_labels(self.told, has_perfect_judge=self.has_perfect_judge)
        _clear_what_never_began(self.run)
        if self.run.exists():
            finished = resume(self.run, budget=self.settings.budget.fetches, **options)
        else:
            finished = crawl(self.run, self.settings, **options)
        finished.close()
        timing = {name: before + getattr(counter, name) for name, before in self._timing().items()}
        (self.folder / _TIMING_FILE).write_text(json.dumps(timing) + "\n", encoding="utf-8")


def _clear_what_never_began(run: Path) -> None:
    """A process killed while it made its folder leaves one that cannot be gone on with, and nothing of worth."""
    try:
        if run.exists():
            open_run(run).close()
    except RunDamaged:
        shutil.rmtree(run)


class _ProcessorClock:
    """Seconds for which processors worked for a crawl, whatever else the machine does.

    A page that an earlier crawl has read, or another process, counts with what reading it took.
    """

    def now(self) -> float:
        return time.process_time() + shared_readings().elsewhere_s


class _StepCounter:
    """Counts the steps made in this process, and the seconds from the first on."""

    def __init__(self, on_steps: Callable[[int], None]) -> None:
        self.steps = 0
        self.seconds = 0.0
        self.processor_s = 0.0
        self._clock, self._processor = RealClock(), _ProcessorClock()
        self._started = (0.0, 0.0)
        self._before = 0
        self._reported = 0
        self._on_steps = on_steps

    def __call__(self, event: Event) -> None:
        if isinstance(event, LinkSkipped):
            return
        if isinstance(event, CrawlStarted):
            self._before = event.progress.steps
            self._started = self._clock.now(), self._processor.now()
        self.seconds = self._clock.now() - self._started[0]
        self.processor_s = self._processor.now() - self._started[1]
        self.steps = event.progress.steps - self._before
        if self.steps - self._reported >= _STEPS_AT_A_TIME or isinstance(event, CrawlStopped):
            self._on_steps(self.steps - self._reported)
            self._reported = self.steps


@cache
def shared_readings() -> PagesRead:
    """Return the pages that the crawls of this process have read."""
    return PagesRead()


@lru_cache(maxsize=1)
def shared_vectors(settings: VectorSettings) -> WordVectors:
    """Loaded once in each process, as long as the crawls agree on them."""
    return word_vectors(settings)
