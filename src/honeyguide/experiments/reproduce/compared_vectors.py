"""The word vectors that a reproduction is made with: a file like the paper's where one was given, and the bundled."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from honeyguide.experiments.reproduce.study import Study

BUNDLED: Final = "wordllama"


def vector_sources(study: Study) -> tuple[str, ...]:
    """The file that was given, if one was, and the bundled vectors."""
    return tuple(dict.fromkeys(filter(None, (study.options.vectors, BUNDLED))))


def vectors_name(source: str) -> str:
    """Vectors as a reader knows them."""
    return "bundled vectors" if source == BUNDLED else PurePath(source).name.partition(".")[0]


def vectors_slug(source: str) -> str:
    """The same for names of files and folders."""
    return vectors_name(source).replace(" ", "-")
