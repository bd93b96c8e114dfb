"""The robots.txt files of a run, kept so that a crawl that goes on need not ask for them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import zstandard

from honeyguide.domain import FailureReason, RefusalReason, RobotsFile
from honeyguide.errors import RunDamaged

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

MOST_KEPT: Final = 100_000
LOOK_EVERY: Final = 1000  # files kept between two looks at how many there are


class RobotsTable:
    """At most some `MOST_KEPT` files, those that expire last. Every one is safe as soon as it is kept."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self._kept = 0

    def find(self, origin: str) -> RobotsFile | None:
        row = self._db.execute(
            "SELECT expires, body, closed_by, detail, troubles FROM robots WHERE origin = ?", (origin,)
        ).fetchone()
        if row is None:
            return None
        expires, body, closed_by, detail, troubles = row
        try:
            unpacked = None if body is None else zstandard.ZstdDecompressor().decompress(body)
            return RobotsFile(origin, expires, unpacked, _reason(closed_by), detail, troubles)
        except (zstandard.ZstdError, ValueError) as error:
            raise RunDamaged(f"the robots.txt kept of {origin} cannot be read ({error}); restore the run") from error

    def all(self) -> Iterator[RobotsFile]:
        """Every file, one by one; some may have expired."""
        for (origin,) in self._db.execute("SELECT origin FROM robots"):
            file = self.find(origin)
            if file is not None:
                yield file

    def keep(self, file: RobotsFile) -> None:
        body = None if file.body is None else zstandard.ZstdCompressor(level=3).compress(file.body)
        self._db.execute(
            "INSERT OR REPLACE INTO robots VALUES (?,?,?,?,?,?)",
            (file.origin, file.expires, body, file.closed_by or "", file.detail, file.troubles),
        )
        self._kept += 1
        if self._kept % LOOK_EVERY == 0:
            self._db.execute(
                """DELETE FROM robots WHERE origin IN
                   (SELECT origin FROM robots ORDER BY expires DESC LIMIT -1 OFFSET ?)""",
                (MOST_KEPT,),
            )


def _reason(text: str) -> RefusalReason | FailureReason | None:
    if not text:
        return None
    return RefusalReason(text) if text in {reason.value for reason in RefusalReason} else FailureReason(text)
