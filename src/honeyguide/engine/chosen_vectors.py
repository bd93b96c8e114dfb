"""The word vectors that the settings name: whether they are those that a run began with, and know its topic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from honeyguide.errors import VectorsError
from honeyguide.settings.merging import shown
from honeyguide.text import WordVectors, open_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.domain import Topic
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


def check_topic(vectors: WordVectors, topic: Topic, source: str) -> None:
    """VectorsError if what the topic is told by has no vector at all: every page would be equally far from it.

    A topic that is empty is let through, because then nothing is expected to be relevant.
    """
    wanted = replace(topic, unlike=())  # what is not wanted says nothing of what is
    if wanted.is_empty or vectors.topic_vector(wanted).any():
        return
    told_by = ", ".join(topic.phrases) or topic.like[0]
    raise VectorsError(
        f"no word of the topic {shown(told_by)} is among the vectors of {source}: "
        "name it otherwise, or use other vectors"
    )
