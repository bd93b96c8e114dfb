"""Where the bodies of a run's pages are kept, and how they are read back.

`store` keeps them in the database, `warc` in the archive. `none` keeps none for good; yet until the learner's next
snapshot a body lies in the database in any case, because a run that is killed tells its learner again what came since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import zstandard

from honeyguide.errors import RunDamaged
from honeyguide.store.archive import read_body

if TYPE_CHECKING:
    from pathlib import Path

NOT_HERE: Final = b""
"""What stands in the database for a body that lies elsewhere, or nowhere; an empty body is longer."""

ARCHIVE_FOLDER: Final = "archive"


class StoredBodies:
    """Reads the bodies of the run that a database belongs to."""

    def __init__(self, database_file: Path) -> None:
        self._path = database_file
        self._folder = database_file.parent / ARCHIVE_FOLDER

    def read(self, stored: bytes, file: int | None, offset: int | None) -> bytes | None:
        """The body as it was received; None where it was not kept. `file` and `offset` are its place in the archive."""
        if stored != NOT_HERE:
            return unpacked(stored, self._path)
        if file is None or offset is None:
            return None
        return read_body(self._folder, file, offset)


def unpacked(body: bytes, path: Path) -> bytes:
    """A body from the database; `path` is the database it was read from."""
    try:
        return zstandard.ZstdDecompressor().decompress(body)
    except zstandard.ZstdError as error:
        raise RunDamaged(f"{path} is damaged: {error}; restore it from a copy of the run") from error
