"""Small sites on disk, for tests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from honeyguide.model import Outcome, Url
from honeyguide.worlds.frozen import FolderWorld

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.worlds import World

BASE = Url.parse("http://docs.test/manual/")
PAGE = b"<!doctype html><html><head><title>A page</title></head><body><p>Words.</p></body></html>"


def site(folder: Path, *names: str) -> FolderWorld:
    """A world of pages with these names, besides what lies in the folder already."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(PAGE)
    return FolderWorld(folder, BASE)


def outcome_of(world: World, url: Url | str) -> Outcome:
    """What a world answers to a URL, or to an address below the base."""
    asked = Url.parse(url, BASE) if isinstance(url, str) else url
    return asyncio.run(world.fetch(asked)).outcome
