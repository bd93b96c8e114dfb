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
    spread: tuple[float, ...] = ()  # how far each point varies, up and down; empty where nobody knows


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


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several plots side by side, with a scale of its own."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class PanelPlot:
    """The same lines, or bars, for several subjects. A name has the same look in every panel."""

    name: str  # of its files
    title: str
    subtitle: str
    x_label: str
    y_label: str
    panels: tuple[Panel, ...]
    is_bars: bool = False  # the lines of a panel are bars beside one another; they must have the same places
