"""What a run knows of the hosts that it has asked, for a later run that will ask them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.store.plain_errors import told_plainly
from honeyguide.store.records import HostRecord, Progress
from honeyguide.store.robots_table import RobotsTable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.domain import RobotsFile


class HostsAsked:
    """Until when the hosts of a run rest, and their robots.txt; usable while the run is open."""

    def __init__(self, database: sqlite3.Connection, path: Path, progress: Progress) -> None:
        self._db = database
        self._path = path
        self._progress = progress

    def progress(self) -> Progress:
        return self._progress

    def ready_at_by_host(self) -> dict[str, float]:
        with told_plainly(self._path):
            return dict(self._db.execute("SELECT host, ready_at FROM hosts"))

    def live_hosts(self) -> list[HostRecord]:
        with told_plainly(self._path):
            if not self._has("live_hosts"):
                return []
            rows = self._db.execute("SELECT host, address, address_ready_at, troubles FROM live_hosts")
            return [HostRecord(*row) for row in rows]

    def robots_file(self, origin: str) -> RobotsFile | None:
        with told_plainly(self._path):
            return RobotsTable(self._db).find(origin) if self._has("robots") else None

    def robots_files(self) -> Iterator[RobotsFile]:
        """All of them, one by one; some may have expired."""
        with told_plainly(self._path):
            if self._has("robots"):
                yield from RobotsTable(self._db).all()

    def _has(self, table: str) -> bool:
        """Whether the run was made by a version that kept this."""
        found = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return found is not None
