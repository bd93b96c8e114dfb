"""The index of a run's pages: a folder of tantivy's in the run folder, or in memory.

RUN/index/
  about.json    how the index is made; one that is made otherwise is thrown away and made anew
  pages/        tantivy's own files
  ranks.npz     PageRank by page
  meanings.npz  vectors by page
RUN/index.lock    held by the process that writes the index

A run with shards has an index in each shard, and these are searched as one: tantivy's parts never change, so those of
all shards, linked into one folder, are one index with the statistics of all pages. A page is known there by shard and
step, which `step` holds in one number.

All of it is derived from the run and may be deleted at any time. Pages go in by step, and a commit is complete or not
there at all, so the highest step in the index tells which pages it lacks.
"""

from __future__ import annotations

import json
import logging
import shutil
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import tantivy

from honeyguide.runs import FileLock
from honeyguide.search.index_files import IndexDamaged, check_files, opening_index
from honeyguide.search.matching import SPELLED, STEMMED, analyzer, document_of, schema, speller

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from honeyguide.search.indexing import IndexedPage

log = logging.getLogger(__name__)


FORMAT: Final = 2
FOLDER: Final = "index"
PAGES: Final = "pages"
STEP_BITS: Final = 32  # of a page's number in the index; the bits before them are its shard
_LOCK: Final = "index.lock"
_TRIES: Final = 5  # to link files that a crawl may be merging
_WRITER_BYTES: Final = 50_000_000  # tantivy's least is 15 MB a thread; with less than this it writes many small parts


class IndexBusy(Exception):  # noqa: N818 - reads as a statement; never leaves this package
    """Another process is writing the index."""


class IndexLock(FileLock):
    """Held while a process writes the index of a run."""

    def __init__(self, run: Path) -> None:
        """IndexBusy where another holds it, OSError where nobody can."""
        try:
            super().__init__(run / _LOCK)
        except BlockingIOError:
            raise IndexBusy(str(run)) from None


class PageIndex:
    """Pages that can be searched. One thread adds; any number of searchers read what was committed."""

    def __init__(self, index: tantivy.Index, language: str) -> None:
        self._index = index
        self.language = language
        self.analyzer = analyzer(language)
        index.register_tokenizer(STEMMED, self.analyzer)
        index.register_tokenizer(SPELLED, speller())
        self._writer: tantivy.IndexWriter | None = None
        self._elsewhere: TemporaryDirectory[str] | None = None

    @classmethod
    def in_memory(cls, language: str) -> PageIndex:
        """Make an empty one that is gone when the process is."""
        return cls(tantivy.Index(schema()), language)

    @classmethod
    def to_write(cls, folder: Path, language: str) -> PageIndex:
        """Open the index in `folder`; where there is none, or it is broken or made otherwise, make an empty one.

        For the holder of the lock.
        """
        found = cls.to_read(folder, language)
        if found is not None:
            return found
        shutil.rmtree(folder, ignore_errors=True)
        (folder / PAGES).mkdir(parents=True)
        index = tantivy.Index(schema(), str(folder / PAGES))
        (folder / "about.json").write_text(json.dumps(_about(language), indent=2) + "\n", encoding="utf-8")
        return cls(index, language)

    @classmethod
    def to_read(cls, folder: Path, language: str) -> PageIndex | None:
        """Open the index in `folder`; None where there is none that can be used."""
        try:
            if _read_about(folder) != _about(language):
                return None
            check_files(folder / PAGES)
            with opening_index():
                index = tantivy.Index.open(str(folder / PAGES))
            found = cls(index, language)
            with opening_index():
                last_step(found.searcher())  # files that do not belong together show only now
        except (OSError, IndexDamaged) as error:
            if folder.exists():
                log.info("the index in %s cannot be used: %s", folder, error)
            return None
        return found

    @classmethod
    def through_links(cls, folder: Path, language: str) -> PageIndex | None:
        """Open it through links to its files: tantivy writes a lock even to read, and may not here. Close it."""
        elsewhere = TemporaryDirectory(prefix="honeyguide-index-")
        try:
            (Path(elsewhere.name) / PAGES).mkdir()
            for file in [folder / "about.json", *(folder / PAGES).iterdir()]:
                if not file.name.endswith(".lock"):
                    (Path(elsewhere.name) / file.relative_to(folder)).symlink_to(file.resolve())
            found = cls.to_read(Path(elsewhere.name), language)
        except OSError:
            found = None
        if found is None:
            elsewhere.cleanup()
        else:
            found._elsewhere = elsewhere  # noqa: SLF001 - of this class
        return found

    @classmethod
    def together(cls, folders: Iterable[Path], language: str) -> PageIndex:
        """Open several indexes as one that has the parts of all. Close it. IndexDamaged where a file is missing."""
        folders = list(folders)
        for further in range(_TRIES, 0, -1):
            elsewhere = TemporaryDirectory(prefix="honeyguide-index-")
            try:
                _link_together([folder / PAGES for folder in folders], Path(elsewhere.name))
                with opening_index():
                    found = cls(tantivy.Index.open(elsewhere.name), language)
                    last_step(found.searcher())
            except (OSError, IndexDamaged):  # a crawl has merged parts meanwhile
                elsewhere.cleanup()
                if further == 1:
                    raise
            else:
                found._elsewhere = elsewhere
                return found
        raise AssertionError

    def searcher(self) -> tantivy.Searcher:
        """Return a searcher of what was committed by now."""
        self._index.reload()
        return self._index.searcher()

    @property
    def schema(self) -> tantivy.Schema:
        return self._index.schema

    def add(self, page: IndexedPage) -> None:
        """Add a page; it is found, and safe, after the next `commit`. OSError where it cannot be written."""
        document = document_of(page)
        with _writing():
            if self._writer is None:
                self._writer = self._index.writer(_WRITER_BYTES, 1)
            self._writer.add_document(document)

    def commit(self) -> None:
        """Make all that was added safe and found. OSError where it cannot be written."""
        if self._writer is not None:
            with _writing():
                self._writer.commit()

    def close(self) -> None:
        """Wait until tantivy has merged its files; may be called twice. What was not committed is lost."""
        if self._elsewhere is not None:
            self._elsewhere.cleanup()
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with suppress(ValueError):
                writer.wait_merging_threads()

    def add_all(self, pages: Iterable[IndexedPage], commit_every: int) -> int:
        """Add pages, commit them every so often and at the end; return how many there were."""
        count = 0
        for count, page in enumerate(pages, 1):
            self.add(page)
            if count % commit_every == 0:
                self.commit()
        self.commit()
        return count


def last_step(searcher: tantivy.Searcher) -> int:
    """Return the highest step among the pages of a run or of a shard; 0 where there are none."""
    newest = searcher.search(tantivy.Query.all_query(), 1, count=False, order_by_field="step").hits
    return int(newest[0][0]) & ((1 << STEP_BITS) - 1) if newest else 0


def _link_together(folders: Iterable[Path], target: Path) -> None:
    """Link the parts of several of tantivy's folders into one. IndexDamaged where there are none."""
    about: dict[str, Any] = {}
    segments = []
    for folder in folders:
        try:
            about = json.loads((folder / "meta.json").read_bytes())
            for segment in about["segments"]:
                segments.append(segment)
                for file in folder.glob(f"{segment['segment_id'].replace('-', '')}.*"):
                    (target / file.name).symlink_to(file.resolve())
        except (ValueError, LookupError, TypeError) as error:
            raise IndexDamaged(f"{folder / 'meta.json'} is damaged: {error}") from error
    (target / "meta.json").write_text(json.dumps({**about, "segments": segments}), encoding="utf-8")


def _read_about(folder: Path) -> object:
    """Read how an index was made. IndexDamaged where that cannot be read."""
    try:
        return json.loads((folder / "about.json").read_bytes())
    except (ValueError, RecursionError) as error:
        raise IndexDamaged(f"{folder / 'about.json'} is damaged: {error}") from error


@contextmanager
def _writing() -> Iterator[None]:
    """Turn the ValueError that tantivy raises while it writes into an OSError. Put no code of ours inside."""
    try:
        yield
    except ValueError as error:
        raise OSError(str(error)) from error


def _about(language: str) -> dict[str, Any]:
    """Describe how an index is made; two with the same description can be used alike."""
    return {"format": FORMAT, "language": language, "tantivy": metadata.version("tantivy")}
