"""The store of a run folder, as its settings want it."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Final

from honeyguide.store.archive import WarcArchive
from honeyguide.store.bodies import ARCHIVE_FOLDER
from honeyguide.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from honeyguide.settings import Settings
    from honeyguide.store.run_folder import RunFolder

_MEGABYTE: Final = 1_000_000


def open_store(folder: RunFolder, settings: Settings) -> SqliteStore:
    """Open the database of a run for writing, and its archive where the settings name one."""
    if settings.store.archive != "warc":
        return SqliteStore(folder.database_file, keeps_bodies=settings.store.archive == "store")
    file_bytes = int(settings.store.archive_file_megabytes * _MEGABYTE)
    archive = WarcArchive(folder.path / ARCHIVE_FOLDER, _about(settings), file_bytes)
    return SqliteStore(folder.database_file, archive)


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
