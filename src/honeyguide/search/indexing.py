"""Bring the index of a run up to date: while it is crawled, or when somebody searches."""

from __future__ import annotations

import logging
import os
import re
import time
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

import xxhash

from honeyguide.errors import HoneyguideError
from honeyguide.model import Fetched
from honeyguide.model.clock import RealClock
from honeyguide.parse import parser_for
from honeyguide.runs import open_run
from honeyguide.runs.shards import number_of_shard
from honeyguide.search.index_files import naming_full_disk
from honeyguide.search.matching import marked
from honeyguide.search.page_index import FOLDER, STEP_BITS, IndexBusy, IndexLock, PageIndex, last_step
from honeyguide.settings.sections import INDEX_LANGUAGES
from honeyguide.text import main_text, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Sequence
    from pathlib import Path

    import tantivy

    from honeyguide.model import Page, Url, Verdict
    from honeyguide.runs import CrawledPage, Run
    from honeyguide.settings import Settings

    OnProgress = Callable[[int, int], None]

log = logging.getLogger(__name__)

COMMIT_EVERY: Final = 5_000
FEW_PAGES: Final = 2_000
"""Missing pages that are indexed in memory at once; for more it is worth waiting for the process that indexes."""
PATIENCE_S: Final = 60.0
_LOOK_AGAIN_S: Final = 0.25

ENOUGH_WORDS: Final = 30
WORDS_LOOKED_AT: Final = 500
USUAL_VARIETY: Final = 0.3
WORDS_PER_PUNCTUATION: Final = 40
_ASCII: Final = bytes(range(128))
_ASCII_MARKS: Final = b".,;:!?"
_OTHER_MARKS: Final = re.compile("[。、，．！？；：।॥؟،۔]")


def text_quality(text: str, words: Sequence[str]) -> float:
    """Guess cheaply how much a text reads like prose, from 0 to 1.

        quality = enough · varied · punctuated

    enough      words / 30, at most 1: a page of a few words says little
    varied      distinct words / words among the first 500, over 0.3, at most 1: lists of keywords repeat themselves;
                prose has 0.4 to 0.7 there
    punctuated  40 marks / words, at most 1: prose has a mark every five to twenty words, a menu hardly any

    It underrates poetry, tables and source code, so nothing is left out for it unless `search.min_quality` asks for it.
    """
    if not words:
        return 0.0
    first = words[:WORDS_LOOKED_AT]
    enough = min(1.0, len(words) / ENOUGH_WORDS)
    varied = min(1.0, len(set(first)) / len(first) / USUAL_VARIETY)
    punctuated = min(1.0, _count_marks(text) * WORDS_PER_PUNCTUATION / len(words))
    return enough * varied * punctuated


def _count_marks(text: str) -> int:
    """Count the marks of punctuation; an expression for them all takes five times as long."""
    encoded = text.encode("utf-8", "surrogatepass")
    marks = len(encoded) - len(encoded.translate(None, _ASCII_MARKS))
    if len(encoded) == len(text):
        return marks
    rare = encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return marks + len(_OTHER_MARKS.findall(rare))


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page as the index stores it. Its text is the main text, or all of it where there is no main text."""

    step: int  # in a shard, with the shard's number in front (`page_index`)
    url: Url
    title: str
    text: str
    vocabulary: str  # the distinct words of title and text in lower case, between spaces
    fetched_at: float
    relevance: float
    is_relevant: bool
    quality: float
    text_print: int  # 63 bits, equal for equal texts

    @property
    def url_print(self) -> int:
        """63 bits, equal for equal addresses."""
        return xxhash.xxh3_64_intdigest(self.url.text.encode()) >> 1

    @classmethod
    def of(cls, page: Page, *, step: int, fetched_at: float, relevance: float, is_relevant: bool) -> IndexedPage:
        """Make one from a parsed page."""
        words: Sequence[str] = page.main_words
        text = main_text(page) if words else page.text
        words = words or page.words
        return cls(
            step=step,
            url=page.url,
            title=marked(page.title),
            text=marked(text),
            vocabulary=marked(" ".join(dict.fromkeys((*words_of(page.title), *words)))),
            fetched_at=fetched_at,
            relevance=relevance,
            is_relevant=is_relevant,
            quality=text_quality(text, words),
            text_print=_text_print(page.title, words),
        )

    @classmethod
    def read(cls, page: CrawledPage, body: bytes | None, parse: Callable[[Url, Fetched], Page]) -> IndexedPage:
        """Make one from a stored page; without a body it has the title alone."""
        if body is None:
            return cls(
                step=page.step,
                url=page.url,
                title=marked(page.title),
                text="",
                vocabulary=marked(" ".join(words_of(page.title))),
                fetched_at=page.fetched_at,
                relevance=page.relevance,
                is_relevant=page.is_relevant,
                quality=0.0,
                text_print=_text_print(page.url.text, ()),
            )
        return cls.of(
            parse(page.url, Fetched(page.status, page.content_type, body)),
            step=page.step,
            fetched_at=page.fetched_at,
            relevance=page.relevance,
            is_relevant=page.is_relevant,
        )


def _text_print(title: str, words: Sequence[str]) -> int:
    # Pages without words are told apart by their titles, or all pictures would be one page.
    text = " ".join(words) if words else f"\n{title}"
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass")) >> 1


@dataclass(frozen=True, slots=True, eq=False)
class OpenIndex:
    """An index as it was at one moment: `searcher` does not see what is committed later."""

    index: PageIndex
    searcher: tantivy.Searcher

    @classmethod
    def now(cls, index: PageIndex) -> OpenIndex:
        return cls(index, index.searcher())


@dataclass(frozen=True, slots=True)
class RunIndexes:
    """All pages of a run: those in its folder, and those that could not be put there."""

    parts: tuple[OpenIndex, ...]
    is_written: bool  # whether this process could write the folder

    @property
    def is_stored(self) -> bool:
        """Whether the first part is in the folder, and not in memory."""
        return self.is_written or len(self.parts) > 1


def open_indexes(run: Run, on_progress: OnProgress = lambda *_: None, *, patience_s: float = PATIENCE_S) -> RunIndexes:
    """Index everything that the run has stored by now.

    Only the process that holds the lock writes the folder. Where another does, a crawl or a search, what the folder
    lacks is indexed in memory; if that is much, its writer is waited for first. A folder that cannot be written is left
    alone. `on_progress` hears how many pages are done, and of how many.
    """
    language = index_language(run.settings)
    folder = run.path / FOLDER
    if shards := run.shards():
        return _shards_together(shards, language, on_progress, patience_s)
    if not os.access(run.path, os.W_OK):
        return _rest_in_memory(run, PageIndex.through_links(folder, language), language, on_progress)
    clock = RealClock()
    deadline = clock.now() + patience_s
    while True:
        try:
            with IndexLock(run.path), naming_full_disk():
                return RunIndexes((OpenIndex.now(_update(run, folder, language, on_progress)),), is_written=True)
        except IndexBusy:
            stored = PageIndex.to_read(folder, language)
            step = 0 if stored is None else last_step(stored.searcher())
            if len(run.crawled_pages(after_step=step)) <= FEW_PAGES or clock.now() >= deadline:
                return _rest_in_memory(run, stored, language, on_progress)
            time.sleep(_LOOK_AGAIN_S)
        except OSError as error:  # a full disk, a folder that only looks writable
            log.warning("the index of %s cannot be written: %s; its pages are searched in memory", run.path, error)
            return _rest_in_memory(run, PageIndex.to_read(folder, language), language, on_progress)


def _shards_together(shards: Sequence[Path], language: str, on_progress: OnProgress, patience_s: float) -> RunIndexes:
    """Bring the index of each shard up to date, and open them as one."""
    stored: list[Path] = []
    in_memory: list[OpenIndex] = []
    are_written = True
    for folder in shards:
        with open_run(folder) as shard:
            if not shard.has_begun:
                continue
            found = open_indexes(shard, on_progress, patience_s=patience_s)
        are_written = are_written and found.is_written
        for part in found.parts[:1] if found.is_stored else ():
            part.index.close()
            stored.append(folder / FOLDER)
        in_memory += found.parts[1:] if found.is_stored else found.parts
    together = [OpenIndex.now(PageIndex.together(stored, language))] if stored else []
    return RunIndexes((*together, *in_memory), is_written=are_written)


def index_language(settings: Settings) -> str:
    """Return the language whose stems the index of a run with these settings uses; none where it knows no stems."""
    if settings.search.language != "judge":
        return settings.search.language
    return settings.judge.language if settings.judge.language in INDEX_LANGUAGES else "none"


def _update(run: Run, folder: Path, language: str, on_progress: OnProgress) -> PageIndex:
    index = PageIndex.to_write(folder, language)
    try:
        index.add_all(_stored_pages(run, last_step(index.searcher()), on_progress), COMMIT_EVERY)
    finally:
        index.close()
    return index


def _rest_in_memory(run: Run, stored: PageIndex | None, language: str, on_progress: OnProgress) -> RunIndexes:
    parts = () if stored is None else (OpenIndex.now(stored),)
    rest = PageIndex.in_memory(language)
    rest.add_all(_stored_pages(run, last_step(parts[0].searcher) if parts else 0, on_progress), COMMIT_EVERY)
    rest.close()
    return RunIndexes((*parts, OpenIndex.now(rest)), is_written=False)


def _stored_pages(
    run: Run, after_step: int, on_progress: OnProgress = lambda *_: None
) -> Generator[IndexedPage, None, None]:
    parse, shard = parser_for(run.settings), number_of_shard(run.path) << STEP_BITS
    pages = run.crawled_pages(after_step=after_step)
    total = len(pages)
    for done, page in enumerate(pages.all(), 1):
        read = IndexedPage.read(page, pages.body(page), parse)
        yield replace(read, step=shard | read.step) if shard else read
        on_progress(done, max(done, total))


class StoredPage(NamedTuple):
    """A page that is safe in the store."""

    step: int
    fetched_at: float
    page: Page
    verdict: Verdict


def index_as_they_come(run: Path, settings: Settings, steps: int, pages: Iterable[StoredPage]) -> str:
    """Index the pages of a crawl as they come; the lock is held until the last.

    `steps` is how many the run has already: pages of these that the index lacks are read from the store. Returns why
    indexing had to be given up, empty if it had not; what was committed stays, and a search catches up with the rest.
    """
    shard = number_of_shard(run) << STEP_BITS
    try:
        with IndexLock(run), naming_full_disk():
            index = PageIndex.to_write(run / FOLDER, index_language(settings))
            try:
                with open_run(run) as opened, closing(_stored_pages(opened, last_step(index.searcher()))) as earlier:
                    # Closed, because a query that is not read to its end would keep the database from tidying its log.
                    index.add_all(takewhile(lambda page: page.step <= shard | steps, earlier), COMMIT_EVERY)
                index.add_all((_indexed(page, shard) for page in pages), settings.search.commit_every)
            finally:
                index.close()
    except IndexBusy:
        return "another process is writing it"
    except (OSError, HoneyguideError) as error:
        return str(error) or type(error).__name__
    return ""


def _indexed(stored: StoredPage, shard: int) -> IndexedPage:
    return IndexedPage.of(
        stored.page,
        step=shard | stored.step,
        fetched_at=stored.fetched_at,
        relevance=stored.verdict.relevance,
        is_relevant=stored.verdict.is_relevant,
    )
