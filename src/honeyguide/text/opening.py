"""Vectors by the name that settings and flags give them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from honeyguide.text.wordllama_vectors import WordllamaVectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.text.vector_files import Converting, FileVectors

    OpenedVectors: TypeAlias = WordllamaVectors | FileVectors


def open_vectors(source: str, cache: Path, on_progress: Callable[[Converting], None] = lambda _: None) -> OpenedVectors:
    """The bundled vectors where `source` is "wordllama", else those of the file at that path.

    A file is converted into a folder of `cache` when it is first met, which takes a while and which `on_progress` is
    told of. VectorsError where it cannot be used.
    """
    if source == WordllamaVectors.name:
        return WordllamaVectors()
    from honeyguide.text.vector_files import FileVectors  # noqa: PLC0415 - all kinds of unpackers, for files alone

    return FileVectors(Path(source).expanduser(), cache, on_progress)
