"""The file of a wiki world: how it is made, and how it is opened without reading it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from honeyguide.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

FILE_NAME: Final = "wiki.sqlite"
FORMAT: Final = 1
_APPLICATION_ID: Final = 0x686E7977  # says in the file's head whose it is
_WRITE_CACHE_KB: Final = 65_536


def create(folder: Path) -> sqlite3.Connection:
    """A new, empty world in `folder`, to be written in one go: whoever fails throws the folder away."""
    database = fast_database(folder / FILE_NAME)
    database.executescript(resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8"))
    return database


def fast_database(path: Path) -> sqlite3.Connection:
    """A database that is not safe against a crash, because nothing half-made is ever kept."""
    database = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_WRITE_CACHE_KB}", "page_size = 8192"):
        database.execute(f"PRAGMA {pragma}")
    return database


def finish(database: sqlite3.Connection, facts: Mapping[str, Any]) -> None:
    """Write what is known of the whole, then the marks that say it is whole."""
    database.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [(key, fact if isinstance(fact, bytes) else json.dumps(fact)) for key, fact in facts.items()],
    )
    database.execute("CREATE INDEX labels_by_category ON labels (category, number)")
    database.execute("ANALYZE")
    database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {FORMAT}")


def open_world_file(folder: Path) -> sqlite3.Connection:
    """The file of a finished world, for reading alone; several processes may read it at once."""
    path = folder / FILE_NAME
    if not path.is_file():
        raise WorldError(f"{folder} is not a wiki world; make one with honeyguide wiki build DUMP {folder}")
    database = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True, check_same_thread=False
    )
    try:
        with told_plainly(folder):
            _check(database, path)
    except WorldError:
        database.close()
        raise
    return database


def read_fact(database: sqlite3.Connection, key: str) -> Any:  # noqa: ANN401 - what JSON holds, or bytes
    found = database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if found is None:
        raise sqlite3.DatabaseError(f"no {key} in it")
    return found[0] if isinstance(found[0], bytes) else json.loads(found[0])


@contextmanager
def told_plainly(folder: Path) -> Iterator[None]:
    """SQLite's errors as ours, in words that say what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise WorldError(f"the wiki world {folder} is damaged ({error}); build it again") from error


def _check(database: sqlite3.Connection, path: Path) -> None:
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION_ID:
        raise sqlite3.DatabaseError("its file is not that of a wiki world")
    if version > FORMAT:
        raise WorldError(
            f"the wiki world {path.parent} has format {version}, newer than this program's; update honeyguide"
        )
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = database.execute("PRAGMA page_size").fetchone()
    if path.stat().st_size < pages * page_bytes:
        raise sqlite3.DatabaseError("its file is cut off")
    read_fact(database, "pages")
