"""From a run to what can be searched of it now: the index brought up to date, or what is missing held in memory.

Pages put into the index while they are crawled.
"""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.errors import HoneyguideError
from honeyguide.model.clock import RealClock
from honeyguide.parse import rules_of
from honeyguide.runs import open_run
from honeyguide.search.page_index import FOLDER, IndexBusy, IndexLock, PageIndex, last_step
from honeyguide.search.pages import IndexedPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    import tantivy

    from honeyguide.model import Page, Verdict
    from honeyguide.runs import Run
    from honeyguide.settings import Settings

    OnProgress = Callable[[int, int], None]

log = logging.getLogger(__name__)

COMMIT_EVERY: Final = 5_000
FEW_PAGES: Final = 2_000
"""So many are indexed in memory at once; where more are missing, it is worth waiting for the process that indexes."""
PATIENCE_S: Final = 60.0
_LOOK_AGAIN_S: Final = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class OpenIndex:
    """An index as it was at one moment: what is committed later, by whomever, `searcher` does not see."""

    index: PageIndex
    searcher: tantivy.Searcher

    @classmethod
    def now(cls, index: PageIndex) -> OpenIndex:
        return cls(index, index.searcher())

    @property
    def last_step(self) -> int:
        return last_step(self.searcher)


@dataclass(frozen=True, slots=True)
class Indexes:
    """All pages of a run: those in its folder, and those that could not be put there."""

    parts: tuple[OpenIndex, ...]
    is_written: bool  # whether this process could write the folder


def indexes_of(run: Run, on_progress: OnProgress = lambda *_: None, *, patience_s: float = PATIENCE_S) -> Indexes:
    """Everything that the run has stored by now, indexed.

    Only the process that holds the lock writes the folder. Where another does, a crawl or a search, what the folder
    lacks is indexed in memory; if that is much, its writer is waited for first. A folder that cannot be written is left
    alone. `on_progress` hears how many pages are done, and of how many.
    """
    language = index_language(run.settings)
    folder = run.path / FOLDER
    if not os.access(run.path, os.W_OK):
        return _with_rest_in_memory(run, PageIndex.through_links(folder, language), language, on_progress)
    clock = RealClock()
    deadline = clock.now() + patience_s
    while True:
        try:
            with IndexLock(run.path):
                index = _brought_up_to_date(run, folder, language, on_progress)
                return Indexes((OpenIndex.now(index),), is_written=True)
        except IndexBusy:
            there = PageIndex.to_read(folder, language)
            step = 0 if there is None else last_step(there.searcher())
            if len(run.crawled_pages(after_step=step)) <= FEW_PAGES or clock.now() >= deadline:
                return _with_rest_in_memory(run, there, language, on_progress)
            time.sleep(_LOOK_AGAIN_S)
        except OSError as error:  # a full disk, a folder that only looks writable
            log.warning("the index of %s cannot be written: %s; its pages are searched in memory", run.path, error)
            return _with_rest_in_memory(run, PageIndex.to_read(folder, language), language, on_progress)


def catch_up(
    run: Run,
    index: PageIndex,
    after_step: int,
    on_progress: OnProgress = lambda *_: None,
    up_to_step: int | None = None,
) -> int:
    """Add the pages that came after a step, and up to another where that is given; says how many."""
    if after_step == up_to_step:
        return 0
    pages = _read(run, after_step, on_progress)
    wanted = pages if up_to_step is None else takewhile(lambda page: page.step <= up_to_step, pages)
    return index.add_all(wanted, COMMIT_EVERY)


def index_language(settings: Settings) -> str:
    """Whose stems the index of a run with these settings knows."""
    return settings.judge.language if settings.search.language == "judge" else settings.search.language


def _brought_up_to_date(run: Run, folder: Path, language: str, on_progress: OnProgress) -> PageIndex:
    index = PageIndex.to_write(folder, language)
    try:
        catch_up(run, index, last_step(index.searcher()), on_progress)
    finally:
        index.close()
    return index


def _with_rest_in_memory(run: Run, there: PageIndex | None, language: str, on_progress: OnProgress) -> Indexes:
    kept = () if there is None else (OpenIndex.now(there),)
    rest = PageIndex.in_memory(language)
    catch_up(run, rest, kept[0].last_step if kept else 0, on_progress)
    rest.close()
    return Indexes((*kept, OpenIndex.now(rest)), is_written=False)


def _read(run: Run, after_step: int, on_progress: OnProgress) -> Iterator[IndexedPage]:
    rules = rules_of(run.settings.crawl.profile)
    pages = run.crawled_pages(after_step=after_step)
    total = len(pages)
    for done, page in enumerate(pages.all(), 1):
        yield IndexedPage.read(page, pages.body(page), rules)
        on_progress(done, max(done, total))


class StoredPage(NamedTuple):
    """A page that is safe in the store."""

    step: int
    fetched_at: float
    page: Page
    verdict: Verdict


def index_as_they_come(run: Path, settings: Settings, steps: int, pages: Iterable[StoredPage]) -> str:
    """Index the pages of a crawl, which come by and by; the lock is held until the last.

    `steps` is how many the run has already: pages of these that the index lacks are read from the store. Returns why
    it had to be given up, empty if it had not; what was committed by then stays, and a search catches up with the rest.
    """
    try:
        with IndexLock(run):
            index = PageIndex.to_write(run / FOLDER, index_language(settings))
            try:
                with open_run(run) as opened:
                    catch_up(opened, index, last_step(index.searcher()), up_to_step=steps)
                index.add_all(_indexed(pages), settings.search.commit_every)
            finally:
                index.close()
    except IndexBusy:
        return "another process is writing it"
    except (OSError, HoneyguideError) as error:
        return str(error) or type(error).__name__
    return ""


def _indexed(pages: Iterable[StoredPage]) -> Iterator[IndexedPage]:
    for stored in pages:
        yield IndexedPage.of(
            stored.page,
            step=stored.step,
            fetched_at=stored.fetched_at,
            relevance=stored.verdict.relevance,
            is_relevant=stored.verdict.is_relevant,
        )
