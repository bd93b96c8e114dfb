"""What a reproduction has to say, as values: sections of prose, tables and plots, and files for other programs.

The seam between the frame and a paper: what a paper is told, and what it must be able to say.

The word vectors that a reproduction is made with: a file like the paper's where one was given, and the bundled.

One crawl, graded twice: by the topic's own word, as the papers do, and by labels that nobody in the crawl sees.

The papers pay their crawlers for pages with the topic's word and count such pages afterwards: the crawler is graded by
its own teacher. That grade is kept, so that figures can be compared, and is called self-graded wherever it is shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide_lab import LinePlot, PanelPlot
    from honeyguide_lab.reproduce.unkept_crawl import CrawledTask
    from honeyguide_lab.run import Task

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
    """What a person may change of a reproduction. A paper names those that it heeds; others are refused."""

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
    """What a paper is reproduced on, and where the crawls are kept."""

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


class Reproduction(Protocol):
    """A paper set up on the worlds of a study."""

    @property
    def tasks(self) -> Sequence[Task]:
        """Every crawl that the report needs."""
        ...

    def report(self) -> Report:
        """What came of it; asked once all crawls are made."""
        ...


@runtime_checkable
class KnowsItsWorlds(Protocol):
    """A reproduction that has explored its worlds: a data hash need not be found from its crawls."""

    def data_hash_of(self, world: StudiedWorld) -> str:
        """Of every answer that the world has for who begins where the crawls begin."""
        ...

    def keep_worlds(self) -> None:
        """Write down what was explored; asked once the folder is ours."""
        ...


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


@dataclass(frozen=True, slots=True, eq=False)
class TwoGrades:
    """Pages found after 0, 1, 2, … fetches, over the whole budget."""

    self_graded: NDArray[np.int64]  # with the topic's word
    independent: NDArray[np.int64] | None  # on topic by the labels; None where there are too few of them to grade by


def two_grades(task: CrawledTask, budget: int, on_topic: frozenset[str] | None) -> TwoGrades:
    """Grade a crawl whose judge calls a page relevant that has the topic's word. `on_topic` are URLs of pages."""
    labelled = None
    if on_topic is not None:
        hits = np.fromiter((url in on_topic for url in task.urls), dtype=np.bool_, count=task.fetches)
        labelled = _added_up(hits & task.is_page, budget)
    return TwoGrades(_added_up(task.is_relevant & task.is_page, budget), labelled)


def _added_up(hits: NDArray[np.bool_], budget: int) -> NDArray[np.int64]:
    """What a crawl leaves unspent of its budget brings nothing."""
    curve = np.zeros(budget + 1, dtype=np.int64)
    curve[1 : len(hits) + 1] = hits[:budget]
    return np.cumsum(curve)
