"""Which code a figure was made by, and from which files."""

from __future__ import annotations

from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable


@cache
def code_version() -> str:
    """The version of the package, and a hash of its sources: a changed line is another version."""
    digest = xxhash.xxh3_64()
    for source in sorted(_sources(resources.files("honeyguide")), key=str):
        digest.update(source.read_bytes())
    return f"{metadata.version('honeyguide')}+{digest.hexdigest()[:10]}"


def data_files(world: str) -> list[str]:
    """Names, sizes and times of the files a world is read from; nothing for one that is computed from its name."""
    named = world.partition(":")[2]
    # `site:` takes a folder before an @, or several files with commas between; a path may also have either in its name.
    paths = {Path(part) for part in (named, named.rpartition("@")[0], *named.split(",")) if part}
    files = {file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])}
    return [f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in sorted(files) if file.is_file()]


def _sources(folder: Traversable) -> Iterator[Traversable]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry)
        elif entry.name.endswith(".py"):
            yield entry
