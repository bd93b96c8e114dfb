"""The word vectors that the settings name, and whether they are those that a run began with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.errors import VectorsError
from honeyguide.text import WordVectors, open_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.settings import VectorSettings
    from honeyguide.text.vector_files import Converting


def word_vectors(settings: VectorSettings, on_converting: Callable[[Converting], None] = lambda _: None) -> WordVectors:
    """The vectors that are named. A file met for the first time is converted, and `on_converting` told how far."""
    return WordVectors(open_vectors(settings.source, settings.cache_path, on_converting))


def check_vectors(vectors: WordVectors, settings: VectorSettings) -> None:
    """VectorsError if the settings have the digest of other vectors: a crawl must not go on with these unnoticed."""
    if settings.digest and vectors.digest and vectors.digest != settings.digest:
        raise VectorsError(
            f"the vectors of {settings.source} are not those that the run began with (digest {vectors.digest}, then "
            f"{settings.digest}): put the old ones back, or begin a new run; to go on all the same, empty "
            "vectors.digest in its settings.toml"
        )
