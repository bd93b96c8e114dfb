"""Puts the pages of a crawl into its index while it goes on, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from queue import Empty, Queue
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.model import Page, Verdict
    from honeyguide.runs import StepRecord
    from honeyguide.settings import Settings

    Waiting = tuple[int, float, Page, Verdict]

log = logging.getLogger(__name__)

_PAGES_WAITING: Final = 1_000  # a crawl that is quicker than the index waits for it then
_LOOK_EVERY_S: Final = 0.2
"""Seconds between two looks for pages. A thread that is woken for each takes the crawl's turn every time."""


class Indexing:
    """Hands the pages of a crawl on as they are stored. What goes wrong here is logged, and never stops the crawl.

    The thread is started, and the libraries loaded, when the first page comes.
    """

    def __init__(self, run: Path, settings: Settings, steps: int) -> None:
        """`steps` is how many the run has already."""
        self._run = run
        self._settings = settings
        self._steps = steps
        self._waiting: Queue[Waiting] = Queue(_PAGES_WAITING)
        self._is_over = threading.Event()
        self._is_closing = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, record: StepRecord) -> None:
        """A step was stored: put its page into the index, if it brought one that may be indexed."""
        done = record.completion
        if done is None or done.visit is None or done.visit.not_kept or self._is_over.is_set():
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._index_all, name="honeyguide-index", daemon=True)
            self._thread.start()
        self._waiting.put((record.progress.steps, done.finished_at, done.visit.page, done.visit.verdict))

    def close(self) -> None:
        """Wait until everything is indexed; may be called twice."""
        self._is_closing.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _index_all(self) -> None:
        from honeyguide.search.indexing import StoredPage, index_as_they_come  # noqa: PLC0415 - tantivy

        pages = (StoredPage(*each) for each in self._pages())
        reason = "a bug, told above"
        try:
            reason = index_as_they_come(self._run, self._settings, self._steps, pages)
        except Exception:
            log.exception("indexing %s stopped", self._run)
        finally:  # also after a panic of tantivy's, which is no Exception
            if reason:
                log.warning("pages do not go into the index of %s now: %s; searching will catch up", self._run, reason)
                self._is_over.set()
                for _ in self._pages():  # so that the crawl does not wait
                    pass

    def _pages(self) -> Iterator[Waiting]:
        """All pages that come until the end; again for whoever reads on after trouble with the last commit."""
        is_last_look = False
        while not is_last_look:
            is_last_look = self._is_closing.wait(_LOOK_EVERY_S)
            with suppress(Empty):
                while True:
                    yield self._waiting.get_nowait()
