"""General subjects, from the wide to the narrow, with words that belong to each: a shipped list, written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject in its place among the others."""

    name: str
    words: tuple[str, ...]  # words and phrases that belong to it, in lower case
    wider: tuple[str, ...]  # names of the subjects that hold it, the nearest first


@cache
def subjects() -> tuple[Subject, ...]:
    """The shipped subjects, each after those that hold it."""
    return tuple(read_subjects(resources.files("honeyguide.topics").joinpath("subjects.txt").read_text("utf-8")))


def read_subjects(text: str) -> Iterator[Subject]:
    """Read `Name: word, word`, each subject two spaces further in than the one that holds it."""
    above: list[str] = []
    for line in _whole_lines(text):
        depth = (len(line) - len(line.lstrip())) // len(_INDENT)
        name, _, words = (part.strip() for part in line.partition(":"))
        assert depth <= len(above), f"{name} stands further in than anything above it"
        above = above[:depth]
        yield Subject(name, tuple(word.strip() for word in words.split(",")), tuple(reversed(above)))
        above.append(name)


def _whole_lines(text: str) -> list[str]:
    """The lines that begin a subject, each with those that go on with its words."""
    lines: list[str] = []
    for line in text.splitlines():
        if ":" in line and not line.startswith("#"):
            lines.append(line)
        elif line.strip() and not line.startswith("#"):
            lines[-1] += f" {line.strip()}"
    return lines
