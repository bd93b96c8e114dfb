"""Crawling tasks in a row: each begins anew in everything but what the learner has learned so far.

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
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from threadpoolctl import threadpool_limits

from honeyguide.clock import RealClock
from honeyguide.experiments.offline_world import opened_world
from honeyguide.experiments.reproduce.memory import memory_for
from honeyguide.experiments.reproduce.unkept_crawl import CrawledTask, crawl_unkept
from honeyguide.settings import with_overrides

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from honeyguide.settings import Settings

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
