"""The shipped topics: presets that the papers experiment on, and general subjects, from the wide to the narrow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from honeyguide.errors import SettingsError
from honeyguide.model import Topic
from honeyguide.settings import nearest, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject in its place among the others."""

    name: str
    words: tuple[str, ...]  # words and phrases that belong to it, in lower case
    wider: tuple[str, ...]  # names of the subjects that hold it, the nearest first


@cache
def subjects() -> tuple[Subject, ...]:
    """Return the shipped subjects, each after those that hold it."""
    return tuple(read_subjects(resources.files("honeyguide.topic").joinpath("subjects.txt").read_text("utf-8")))


def subject_texts() -> list[str]:
    """Return the name and words of each shipped subject as one text."""
    return [" ".join((subject.name, *subject.words)) for subject in subjects()]


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
    """Return the lines that begin a subject, each with those that go on with its words."""
    lines: list[str] = []
    for line in text.splitlines():
        if ":" in line and not line.startswith("#"):
            lines.append(line)
        elif line.strip() and not line.startswith("#"):
            lines[-1] += f" {line.strip()}"
    return lines


@dataclass(frozen=True, slots=True)
class Preset:
    """A topic ready to crawl."""

    key: str  # what a user asks for it by
    topic: Topic
    seed_titles: tuple[str, ...]  # of the page to start from in a wiki world; the first that is there
    seed_urls: tuple[str, ...]  # of the same page on the live web
    step_size: float  # of the linear learners in the paper
    source: str


@cache
def presets() -> Mapping[str, Preset]:
    """Return all presets by their keys, in the order of the papers."""
    with resources.as_file(resources.files("honeyguide.topic") / "presets.toml") as shipped:
        document = read_toml(shipped)
    return {
        key: Preset(
            key=key,
            topic=Topic(table["name"], tuple(table["keywords"]), categories=tuple(table["categories"])),
            seed_titles=tuple(table["seed_titles"]),
            seed_urls=tuple(table["seed_urls"]),
            step_size=table["step_size"],
            source=table["source"],
        )
        for key, table in document.items()
    }


def preset(name: str) -> Preset:
    """Return the preset of this name, capitals or not. SettingsError if there is none."""
    known = presets()
    found = known.get(name.strip().lower())
    if found is None:
        hint = nearest(name.lower(), known) or f"choose one of {', '.join(known)}"
        raise SettingsError([f"no preset topic is called {name!r}; {hint}"])
    return found
