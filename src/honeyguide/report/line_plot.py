"""What a plot of lines shows, as values; `figures` draws it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """Points that belong together."""

    name: str
    points: tuple[tuple[float, float], ...]
    is_published: bool = False  # figures from a paper: marks in black, and no line of ours
    end: str = ""  # why it ends before the others, said beside its last point


@dataclass(frozen=True, slots=True)
class LinePlot:
    """Lines over one pair of axes."""

    name: str  # of its files
    title: str
    subtitle: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    is_log: bool = True  # both axes; what is not above 0 has no place on them and is left out
    x_marks: tuple[float, ...] = ()  # where the axis has its figures; empty: where matplotlib thinks fit
