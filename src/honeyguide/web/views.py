"""Views of a run: each gathers plain values, which a template shows and `/api` gives as JSON.

The views themselves are in `numbers`, `traffic`, `finds` and `insights`; `app` lists them.

A gatherer looks at a `Reading`: the run at one moment, and what the crawl last said of itself. Every query in it has a
limit, or is a sum that is kept (`RunSums`), however large the run.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from honeyguide.runs import PageSnippets, RunSums, open_run
from honeyguide.runs.inbox import answers_waiting
from honeyguide.web.library import SPARK_POINTS, KeptByRun, card_of
from honeyguide.web.status import read_status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from honeyguide.runs import CrawledPage, PageAnswer, Run, Snippet
    from honeyguide.web.library import RunCard
    from honeyguide.web.status import CrawlStatus

_MOST_SUMS: Final = 30  # runs whose sums are kept
_MOST_SNIPPETS: Final = 5000


@dataclass(frozen=True, slots=True)
class Reading:
    """A run at one moment. `card` and `sums` are of that moment, `status` is what its crawl has last said of itself."""

    name: str
    run: Run
    card: RunCard
    sums: RunSums
    status: CrawlStatus  # empty where it has said nothing yet; older than the run where the crawl was killed
    snippets: SnippetCache
    waiting: Mapping[str, PageAnswer]  # answers that were not taken in yet, just before that moment
    memory: dict[str, Any]  # of this run, from one look to the next, for what a view need not make again

    @property
    def is_running(self) -> bool:
        return self.card.state == "running"


@dataclass(frozen=True, slots=True)
class View:
    """A part of a run's page, and its twin in `/api`."""

    name: str  # in addresses, and the id of the part
    shape: type  # the frozen dataclass that `gather` returns, of values that JSON has
    gather: Callable[[Reading], Any]
    template: str  # gets the value as `view`, and the `reading`
    every_s: float = 0.25  # how often it changes at most
    title: str = ""  # in the list of a page's parts; empty for one that needs no name
    is_half: bool = False  # stands beside another in a wide window


class SnippetCache:
    """Snippets of pages, kept because a page has to be parsed for one. For several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Path, int, int], Snippet | None] = OrderedDict()
        self._lock = Lock()

    def of(self, run: Run, pages: Sequence[CrawledPage]) -> list[Snippet | None]:
        """Return a snippet of each page around the words of the run's topic; None where no body is stored."""
        keys = [(run.path, page.link, page.step) for page in pages]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        if len(known) < len(keys):
            make = PageSnippets(run, run.crawled_pages())
            known |= {key: make.of(page) for key, page in zip(keys, pages, strict=True) if key not in known}
        with self._lock:
            self._kept |= known
            while len(self._kept) > _MOST_SNIPPETS:
                self._kept.popitem(last=False)
        return [known[key] for key in keys]


class Readings:
    """Opens runs to be looked at, and keeps their sums from one look to the next. For several threads."""

    def __init__(self) -> None:
        self._kept = KeptByRun[tuple[RunSums, dict[str, Any]]](lambda _: (RunSums(), {}), _MOST_SUMS)
        self._snippets = SnippetCache()

    @contextmanager
    def open(self, name: str, path: Path) -> Iterator[Reading]:
        """Open a run at one moment; its errors are those of `open_run`."""
        # First, or one that is taken in meanwhile would neither wait nor be in the run.
        waiting = answers_waiting(path)
        # Sums grow: whoever looks at them keeps others from adding to them. First: no moment is older than its sums.
        with self._kept.of(path) as (sums, memory), open_run(path) as run, run.at_one_moment():
            try:
                sums.extend(run)
            except BaseException:
                self._kept.forget(path)
                raise
            card = card_of(name, run, tuple(found for _, found in sums.curve(SPARK_POINTS + 1)))
            yield Reading(name, run, card, sums, read_status(path), self._snippets, waiting, memory)
