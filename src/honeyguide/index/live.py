"""Pages put into the index while they are crawled, by a thread of its own, so that the crawl does not wait for it."""

from __future__ import annotations

import logging
import threading
from queue import Queue
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.errors import HoneyguideError
from honeyguide.index.catching_up import catch_up, index_language
from honeyguide.index.indexed_page import IndexedPage
from honeyguide.index.page_index import FOLDER, IndexBusy, IndexLock, PageIndex, last_step
from honeyguide.store import open_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from honeyguide.domain import Page, Verdict
    from honeyguide.settings import Settings
    from honeyguide.store import StepRecord

log = logging.getLogger(__name__)

_PAGES_WAITING: Final = 1_000  # a crawl that is quicker than the index waits for it then


class _Stored(NamedTuple):
    """A page that is safe in the store."""

    step: int
    fetched_at: float
    page: Page
    verdict: Verdict


class LiveIndex:
    """Takes in the pages of a crawl as they are stored. What goes wrong here is logged, and never stops the crawl.

    Held from the first page to the last: others search what was committed, and index the rest in memory.
    """

    def __init__(self, run: Path, settings: Settings, steps: int) -> None:
        """`steps` is how many the run has already: the pages of later ones will be given to `add`."""
        self._run = run
        self._steps = steps
        self._language = index_language(settings)
        self._commit_every = settings.search.commit_every
        self._waiting: Queue[_Stored | None] = Queue(_PAGES_WAITING)
        self._has_failed = threading.Event()
        self._thread = threading.Thread(target=self._index_all, name="honeyguide-index", daemon=True)
        self._thread.start()

    def add(self, record: StepRecord) -> None:
        """A step was stored: put its page into the index, if it brought one that may be indexed."""
        done = record.completion
        if done is None or done.visit is None or done.visit.is_unindexed or self._has_failed.is_set():
            return
        self._waiting.put(_Stored(record.progress.steps, done.finished_at, done.visit.page, done.visit.verdict))

    def close(self) -> None:
        """Commit everything and let others write; may be called twice."""
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _index_all(self) -> None:
        try:
            with IndexLock(self._run):
                self._index_under_lock()
        except IndexBusy:
            self._give_up("another process is writing it")
        except (OSError, ValueError, HoneyguideError) as error:  # tantivy raises ValueError for whatever is wrong
            self._give_up(str(error))

    def _index_under_lock(self) -> None:
        index = PageIndex.to_write(self._run / FOLDER, self._language)
        try:
            with open_run(self._run) as run:  # of a crawl that was stopped, pages may be missing
                catch_up(run, index, last_step(index.searcher()), up_to_step=self._steps)
            index.add_all(self._pages(), self._commit_every)
        finally:
            index.close()

    def _pages(self) -> Iterator[IndexedPage]:
        """Pages as they come, until the crawl is over."""
        while (stored := self._waiting.get()) is not None:
            yield IndexedPage.of(
                stored.page,
                step=stored.step,
                fetched_at=stored.fetched_at,
                relevance=stored.verdict.relevance,
                is_relevant=stored.verdict.is_relevant,
            )

    def _give_up(self, reason: str) -> None:
        log.warning("pages do not go into the index of %s now: %s; searching will catch up", self._run, reason)
        self._has_failed.set()
        while self._waiting.get() is not None:  # so that the crawl does not wait
            pass
