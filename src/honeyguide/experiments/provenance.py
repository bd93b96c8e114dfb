"""Which code a figure was made by."""

from __future__ import annotations

from functools import cache
from importlib import metadata, resources
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


def _sources(folder: Traversable) -> Iterator[Traversable]:
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry)
        elif entry.name.endswith(".py"):
            yield entry
