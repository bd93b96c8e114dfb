"""What a reproduction has to say, as values: sections of prose, tables and plots, and files for other programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.report import LinePlot, PanelPlot

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
