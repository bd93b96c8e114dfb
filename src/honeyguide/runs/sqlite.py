"""The store in SQLite: one database, one transaction a step, write-ahead log, so readers never wait for the crawl."""

from __future__ import annotations

import sqlite3
from importlib import metadata
from typing import TYPE_CHECKING, Final

from honeyguide.model import ROBOTS_TXT
from honeyguide.runs.archive import ArchivePlace, WarcArchive
from honeyguide.runs.bodies import ARCHIVE_FOLDER, StoredBodies, wrap_sqlite_errors
from honeyguide.runs.folder import folder_bytes
from honeyguide.runs.schema import create_tables, refuse_strange_tables
from honeyguide.runs.state import SiteFileTable, StoredState
from honeyguide.runs.step_writer import StepWriter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from honeyguide.model import SiteFile
    from honeyguide.runs.folder import RunFolder
    from honeyguide.runs.records import StepRecord
    from honeyguide.settings import Settings


# A killed process loses nothing with NORMAL; only a power cut may lose the last steps, never damage. A shard must not
# lose steps that others know of. The log is copied into the database every 16 MB, not every 4: pages that change at
# each step are then copied less often.
_PRAGMAS: Final = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = {};
    PRAGMA cache_size = -16000;
    PRAGMA wal_autocheckpoint = 4000;
"""


class SqliteStore(StoredState):
    """A run's database, open for writing, and its archive if it has one. One thread.

    A step is in whole or not at all, also when the process is killed while writing it.

    Without an archive, `keeps_bodies` says whether bodies stay in the database; see `bodies`. With
    `survives_power_cuts` every step waits for the disk, and then even a power cut loses none.
    """

    def __init__(
        self,
        path: Path,
        archive: WarcArchive | None = None,
        *,
        keeps_bodies: bool = True,
        survives_power_cuts: bool = False,
    ) -> None:
        self._archive = archive
        self._pragmas = _PRAGMAS.format("FULL" if survives_power_cuts else "NORMAL")
        with wrap_sqlite_errors(path):
            database = sqlite3.connect(path, isolation_level=None)
            super().__init__(path, database, StoredBodies(path))
            try:
                self._prepare()
                self._writer = StepWriter(database, archive, keeps_bodies=keeps_bodies)
            except BaseException:
                self.close()
                raise
        self._site_files = SiteFileTable(database)

    def _prepare(self) -> None:
        refuse_strange_tables(self._db, self._path)
        # Asked of the tables, not of the file: a process killed just here leaves a file without any.
        is_new = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        if is_new:
            self._db.execute("PRAGMA journal_mode = MEMORY")  # a process killed just here leaves no journal file
        self._db.executescript(self._pragmas)
        if is_new:
            create_tables(self._db)
        if self._archive is not None:
            own = "SELECT file, offset, end FROM archive WHERE file >= 0 ORDER BY step DESC LIMIT 1"  # not a shard's
            last = self._db.execute(own).fetchone()
            self._archive.go_on_from(None if last is None else ArchivePlace(*last))

    def record(self, step: StepRecord) -> None:
        """Write one step and return when a killed process would no longer lose it. DiskFull when there is no room."""
        with wrap_sqlite_errors(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._writer.write(step)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if self._archive is not None:
                    self._archive.cut_back()
                raise
            if self._archive is not None:
                self._archive.settle()

    def site_file(self, origin: str, path: str = ROBOTS_TXT) -> SiteFile | None:
        """Return the newest robots.txt of an origin that is kept, or another such file."""
        with wrap_sqlite_errors(self._path):
            return self._site_files.find(origin, path)

    def keep_site_file(self, file: SiteFile) -> None:
        """Keep such a file; a killed process does not lose it."""
        with wrap_sqlite_errors(self._path):
            self._site_files.keep(file)

    def note_acknowledged(self, marks: Mapping[int, int], done: int) -> None:
        """Note up to which number each shard has what was for it; no shard lacks anything up to `done`."""
        with wrap_sqlite_errors(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR REPLACE INTO outbox_marks VALUES (?,?)", marks.items())
            self._db.execute("DELETE FROM outbox WHERE number <= ?", (done,))
            self._db.execute("COMMIT")

    def size_bytes(self) -> int:
        """Room taken on disk."""
        return folder_bytes(self._path.parent)

    def close(self) -> None:
        """Release the folder; may be called twice."""
        self._db.close()
        if self._archive is not None:
            self._archive.close()


_MEGABYTE: Final = 1_000_000


def open_store(folder: RunFolder, settings: Settings, *, is_shard: bool = False) -> SqliteStore:
    """Open the database of a run for writing, and its archive where the settings name one."""
    if settings.store.archive != "warc":
        keeps_bodies = settings.store.archive == "store"
        return SqliteStore(folder.database_file, keeps_bodies=keeps_bodies, survives_power_cuts=is_shard)
    file_bytes = int(settings.store.archive_file_megabytes * _MEGABYTE)
    archive = WarcArchive(folder.path / ARCHIVE_FOLDER, _about(settings), file_bytes)
    return SqliteStore(folder.database_file, archive, survives_power_cuts=is_shard)


def _about(settings: Settings) -> dict[str, str]:
    about = {
        "software": f"Honeyguide/{metadata.version('honeyguide')}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "http-header-user-agent": settings.fetch.identity,
        "robots": "obey" if settings.politeness.obey_robots else "ignore",
        "description": f"a focused crawl, {settings.crawl.world.partition(':')[0]}",
    }
    return {name: " ".join(value.split()) for name, value in about.items()}
