"""The input and output of a reproduction: a study with its worlds, and a report of tables and plots."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from honeyguide_lab.parallel import Task
    from honeyguide_lab.plots import LinePlot, PanelPlot
    from honeyguide_lab.reproduce.world_topics import WorldTopics

Cell: TypeAlias = str | int | float | None  # None: there is no such figure


@dataclass(frozen=True, slots=True)
class Table:
    """Figures in rows. What a paper has published stands in a column of its own, beside ours."""

    name: str  # of its CSV file
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    most_shown: int = 50  # rows in the report; the CSV file has all of them


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot, and the worlds whose data it shows."""

    plot: LinePlot | PanelPlot
    worlds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report: what was done, what came of it, what to make of it."""

    title: str
    text: tuple[str, ...] = ()  # paragraphs
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All of it. No two tables have one name, nor two plots, nor two files."""

    title: str
    source: str  # the paper, in a line
    sections: tuple[Section, ...]
    left_out: tuple[str, ...] = ()  # what could not be done here, and why
    documents: Mapping[str, Any] = field(default_factory=dict)  # JSON files, by name
    texts: Mapping[str, str] = field(default_factory=dict)  # other text files, by path below the folder

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(figure for section in self.sections for figure in section.figures)


@dataclass(frozen=True, slots=True)
class StudiedWorld:
    """A world that a paper is reproduced on."""

    number: int  # from 1, in the order given
    name: str  # as in `wiki:PATH`

    @property
    def kind(self) -> str:
        return self.name.partition(":")[0]

    @property
    def slug(self) -> str:
        """A name for files and folders, which no two worlds of a study share."""
        last = PurePath(self.name.partition(":")[2]).name if self.kind == "wiki" else ""
        parts = (str(self.number), self.kind, re.sub(r"[^A-Za-z0-9]+", "-", last)[:30].strip("-"))
        return "-".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """The options of a reproduction. A paper names those that it heeds; others are refused."""

    vectors: str = ""  # a file of word vectors, to be tried beside the bundled ones
    steps: int | None = None  # fetches of a crawling task; None takes what suits the world
    tasks: int | None = None  # crawling tasks in a row
    trials: int | None = None  # independent repeats
    ablations: bool = False  # whether to look for the reasons as well
    shares: tuple[float, ...] = ()  # of a world's pages, where a paper crawls a part of it

    @property
    def given(self) -> tuple[str, ...]:
        """The names of those that are not as usual."""
        return tuple(each.name for each in fields(self) if getattr(self, each.name) != each.default)


def _tell_nobody(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class Study:
    """The worlds, seed and options that a paper is reproduced with, and the folder for its crawls."""

    folder: Path
    worlds: tuple[StudiedWorld, ...]
    seed: int = 0
    is_quick: bool = False  # smaller in everything, to see whether it works
    options: StudyOptions = field(default_factory=StudyOptions)
    tell: Callable[[str, int, int], None] = field(default=_tell_nobody, compare=False)  # what is done, how far, of what

    def run_folder(self, world: StudiedWorld, name: str) -> Path:
        return self.folder / "runs" / world.slug / name

    @property
    def has_wiki(self) -> bool:
        return any(world.kind == "wiki" for world in self.worlds)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A paper set up on the worlds of a study."""

    tasks: tuple[Task, ...]  # every crawl that the report needs
    report: Callable[[], Report]  # called once all crawls are made
    explored: tuple[WorldTopics, ...] = ()  # worlds whose graph is known; the data of others is hashed from the crawls


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper that can be reproduced."""

    name: str
    title: str
    own_world: str  # where nobody names a synthetic web, this one is taken
    quick_world: str
    begin: Callable[[Study], Reproduction]  # raises what is wrong with the worlds, and writes nothing
    options: frozenset[str] = frozenset()  # those of `StudyOptions` that it heeds
    has_own_world_always: bool = True  # False: only where no world is named at all


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
