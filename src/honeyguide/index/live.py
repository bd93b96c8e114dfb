"""Pages put into the index while they are crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from honeyguide.errors import HoneyguideError
from honeyguide.index.catching_up import catch_up, index_language
from honeyguide.index.indexed_page import IndexedPage
from honeyguide.index.page_index import FOLDER, IndexBusy, IndexLock, PageIndex, last_step
from honeyguide.store import open_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from honeyguide.domain import Page, Verdict
    from honeyguide.settings import Settings


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
