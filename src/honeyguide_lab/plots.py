"""Plots of comparisons and reproductions, written as PNG and SVG.

`LinePlot` and `PanelPlot` hold what is to be drawn. matplotlib is an optional extra, loaded when the first plot is
drawn. A strategy keeps its colour in every figure of a comparison, and has a line style of its own for readers who see
no colours. Floors are grey. Under each figure stands what it was made with.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray


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


# Okabe and Ito's colours, told apart by most people; the yellow is left out as too pale for lines.
_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_GREYS: Final = ("#8c8c8c", "#5a5a5a")
_LINES: Final = ("-", "--", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)), (0, (7, 2)))
_MARKS: Final = ("o", "s", "^", "D", "v", "P")
_BINS: Final = 25
_PANELS_A_ROW: Final = 3


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def styles_for(names: Sequence[str], floors: Collection[str]) -> dict[str, dict[str, Any]]:
    """A colour, a line style and a label for each strategy, the same in all figures."""
    styles: dict[str, dict[str, Any]] = {}
    for group, colours, width, mark in ((False, _COLOURS, 1.8, ""), (True, _GREYS, 1.3, " (floor)")):
        for number, name in enumerate(each for each in names if (each in floors) is group):
            line = {"color": colours[number % len(colours)], "linestyle": _LINES[number % len(_LINES)]}
            styles[name] = {**line, "linewidth": width, "label": name + mark}
    return styles


def save_harvest_curves(
    stem: Path,
    *,
    title: str,
    curves: Mapping[str, Sequence[Sequence[int]]],
    oracle: Sequence[float],
    bound: Sequence[float],
    styles: Mapping[str, Mapping[str, Any]],
    note: str,
) -> None:
    """On-topic pages by fetches: the mean of each strategy's runs, one standard deviation around it, the oracle."""
    figure, axes = _figure(title, note)
    steps = np.arange(len(oracle))
    axes.plot(steps, bound, color="#bbbbbb", linewidth=1, linestyle=(0, (1, 2)))
    axes.plot(steps, oracle, color="black", linewidth=1.2, linestyle=(0, (4, 2)))
    ends = {"oracle": (float(oracle[-1]), "black")}
    top = 1.06 * max(float(oracle[-1]), *(max(run[-1] for run in runs) for runs in curves.values()))
    for name, runs in curves.items():
        values = np.array(runs, dtype=float)
        mean, spread = values.mean(axis=0), _spread(values)
        axes.plot(steps, mean, **styles[name])
        axes.fill_between(steps, mean - spread, mean + spread, color=styles[name]["color"], alpha=0.18, linewidth=0)
        ends[styles[name]["label"]] = (float(mean[-1]), styles[name]["color"])
    axes.set(xlabel="fetches", ylabel="on-topic pages found", xlim=(0, len(oracle) - 1), ylim=(0, top))
    if bound[-1] < top:
        ends["bound"] = (float(bound[-1]), "#999999")
    _name_ends(axes, ends, top)
    _save(figure, stem)


def save_relevance_histogram(
    stem: Path,
    *,
    title: str,
    relevance: Mapping[str, Sequence[float]],
    runs: int,
    styles: Mapping[str, Mapping[str, Any]],
    note: str,
) -> None:
    """How relevant the judge thought the pages that each strategy brought, in pages a run."""
    figure, axes = _figure(title, note)
    highest = max((max(values, default=0.0) for values in relevance.values()), default=0.0)
    edges = np.linspace(0, max(0.05, np.ceil(highest * 20) / 20), _BINS + 1)
    for name, values in relevance.items():
        counts, _ = np.histogram(values, edges)
        axes.stairs(counts / runs, edges, **styles[name])
    axes.set(xlabel="relevance, by the judge", ylabel="pages a run", xlim=(0, edges[-1]))
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    _save(figure, stem)


def save_bars_by_topic(
    stem: Path,
    *,
    title: str,
    shares: Mapping[str, Mapping[str, Sequence[float]]],
    styles: Mapping[str, Mapping[str, Any]],
    note: str,
) -> None:
    """The share of the oracle's harvest by topic and strategy, with one standard deviation of the runs."""
    names = list(dict.fromkeys(name for by_name in shares.values() for name in by_name))
    figure, axes = _figure(title, note, width=max(7.5, 1.2 + 0.28 * len(names) * len(shares) + 0.5 * len(shares)))
    width = 0.8 / len(names)
    for number, name in enumerate(names):
        values = [np.array(by_name[name], dtype=float) for by_name in shares.values()]
        axes.bar(
            np.arange(len(shares)) + (number - (len(names) - 1) / 2) * width,
            [each.mean() for each in values],
            width * 0.92,
            yerr=[_spread(each) for each in values],
            color=styles[name]["color"],
            error_kw={"elinewidth": 0.9, "capsize": 2, "ecolor": "#333333"},
            label=styles[name]["label"],
        )
    highest = max(1.0, *(max(values) for by_name in shares.values() for values in by_name.values()))
    axes.set_xticks(np.arange(len(shares)), list(shares))
    axes.set_yticks(np.arange(0, highest + 0.01, 0.2))
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axes.set_ylabel("share of the oracle's harvest")
    axes.set_ylim(0, highest * 1.15)  # room for the legend above the bars
    axes.axhline(1.0, color="black", linewidth=1.2, linestyle=(0, (4, 2)))
    axes.legend(frameon=False, ncols=min(4, len(names)), loc="upper left")
    _save(figure, stem)


def save_answer_curves(stem: Path, shares: Mapping[str, Sequence[Mapping[str, Any]]], note: str) -> None:
    """Share of the oracle by how many questions the labels answered, with intervals; a perfect judge as a line."""
    figure, axes = _figure("Share of the oracle by answers", note)
    counts = sorted({share["answers"] for told in shares.values() for share in told})
    for number, (name, told) in enumerate(shares.items()):
        look = _look(number)
        curve = sorted((each for each in told if not each["perfect_judge"]), key=lambda each: each["answers"])
        places = [counts.index(each["answers"]) for each in curve]
        low, high = zip(*(each["interval"] for each in curve), strict=True)
        axes.fill_between(places, low, high, color=look["color"], alpha=0.18, linewidth=0)
        axes.plot(places, [each["mean"] for each in curve], label=name, **look)
        for perfect in (each for each in told if each["perfect_judge"]):
            axes.axhline(perfect["mean"], color=look["color"], linewidth=1, linestyle=(0, (1, 2)))
            axes.annotate(f"{name}, perfect judge", (0, perfect["mean"]), fontsize=8, color=look["color"], va="bottom")
    axes.set_xticks(range(len(counts)), [f"{count}" for count in counts])
    axes.set(xlabel="questions that the labels answered", ylabel="share of the oracle")
    axes.legend(frameon=False, fontsize=8.5)
    _save(figure, stem)


def save_line_plot(stem: Path, plot: LinePlot, note: str) -> None:
    """Lines in colours, dashes and marks of their own; what others have published in hollow black marks."""
    figure, axes = _figure(f"{plot.title}\n", note, width=8.5)
    axes.text(0, 1.02, plot.subtitle, transform=axes.transAxes, fontsize=8.5, color="#555555")
    if plot.is_log:
        axes.set(xscale="log", yscale="log")
    own = [line for line in plot.lines if not line.is_published]
    for number, line in enumerate(own):
        colour, place = _COLOURS[number % len(_COLOURS)], number % len(_LINES)
        look = {"color": colour, "linestyle": _LINES[place], "marker": _MARKS[place], "markersize": 4.5 - 0.4 * place}
        _draw_line(axes, plot, line, look | {"linewidth": 2.4 - 0.25 * place})
    for number, line in enumerate(line for line in plot.lines if line.is_published):
        marks = {"color": "black", "linestyle": "none", "marker": _MARKS[number % len(_MARKS)], "markersize": 8}
        _draw_line(axes, plot, line, marks | {"fillstyle": "none"})
    axes.set(xlabel=plot.x_label, ylabel=plot.y_label)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    if plot.x_marks:
        left, right = axes.get_xlim()
        axes.set_xticks([mark for mark in plot.x_marks if left <= mark <= right])
        axes.set_xticks([], minor=True)
    figure.legend(loc="outside right center", frameon=False, fontsize=8.5)
    _save(figure, stem)


def save_panel_plot(stem: Path, plot: PanelPlot, note: str) -> None:
    """Panels side by side, three a row, with one legend for all; the spread of a line is a band around it."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional extra

    columns = min(_PANELS_A_ROW, len(plot.panels))
    rows = -(-len(plot.panels) // columns)
    figure = Figure(figsize=(3.4 * columns + 1.6, 2.7 * rows + 1.0), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).flatten()
    names = list(dict.fromkeys(line.name for panel in plot.panels for line in panel.lines))
    looks = {name: _look(number) for number, name in enumerate(names)}
    for axes, panel in zip(grid, plot.panels, strict=False):
        _draw_panel(axes, panel, looks, is_bars=plot.is_bars)
    for axes in grid[len(plot.panels) :]:
        axes.set_visible(False)
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False, fontsize=8.5)
    figure.suptitle(f"{plot.title}\n{plot.subtitle}", x=0.01, ha="left", fontsize=10)
    figure.supxlabel(f"{plot.x_label}\n{note}", fontsize=8)
    figure.supylabel(plot.y_label, fontsize=8.5)
    _save(figure, stem)


def _look(number: int) -> dict[str, Any]:
    """A colour with a line style; after the last colour they come again with other styles."""
    rounds, place = divmod(number, len(_COLOURS))
    return {"color": _COLOURS[place], "linestyle": _LINES[(place + rounds) % len(_LINES)]}


def _draw_panel(axes: Axes, panel: Panel, looks: Mapping[str, Mapping[str, Any]], *, is_bars: bool) -> None:
    axes.set_title(panel.title, loc="left", fontsize=9.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    for number, line in enumerate(panel.lines):
        look = looks[line.name]
        xs, ys = np.array([x for x, _ in line.points]), np.array([y for _, y in line.points])
        if is_bars:
            gap = float(np.diff(xs).min()) if len(xs) > 1 else 1.0
            width = 0.85 * gap / len(panel.lines)
            places = xs + (number - (len(panel.lines) - 1) / 2) * width
            axes.bar(places, ys, width, color=look["color"], label=line.name)
        else:
            axes.plot(xs, ys, label=line.name, linewidth=1.5, **look)
            if line.spread:
                spread = np.array(line.spread)
                axes.fill_between(xs, ys - spread, ys + spread, color=look["color"], alpha=0.15, linewidth=0)
    axes.set_ylim(bottom=0)


def _draw_line(axes: Axes, plot: LinePlot, line: Line, look: Mapping[str, Any]) -> None:
    points = [(x, y) for x, y in line.points if not plot.is_log or (x > 0 and y > 0)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    axes.plot(xs, ys, label=line.name, **look)
    if line.end and points:
        axes.annotate(
            line.end, points[-1], (6, -10), textcoords="offset points", fontsize=8, color=look["color"], clip_on=False
        )


def _figure(title: str, note: str, width: float = 7.5) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure  # noqa: PLC0415 - an optional extra

    figure = Figure(figsize=(width, 4.6), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_axisbelow(True)
    figure.supxlabel(note, x=0.01, ha="left", fontsize=6.5, color="#777777")
    return figure, axes


def _spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One standard deviation over the runs; 0 for a single one."""
    if len(values) < 2:
        return np.zeros_like(values[0]) if len(values) else np.zeros(())
    return values.std(axis=0, ddof=1)


def _name_ends(axes: Axes, ends: Mapping[str, tuple[float, str]], top: float) -> None:
    """Write each name beside the end of its line, moved apart where two would meet."""
    top = top or 1.0  # where nothing was found, every line ends at 0
    room = top * 0.05
    ordered = sorted(ends.items(), key=lambda item: item[1][0])
    places = _apart([end for _, (end, _) in ordered], room, top)
    for (name, (end, colour)), place in zip(ordered, places, strict=True):
        axes.annotate(
            f"{name} {end:,.1f}".removesuffix(".0"),
            (1.01, place / top),
            xycoords="axes fraction",
            color=colour,
            fontsize=8.5,
            va="center",
            annotation_clip=False,
        )


def _apart(heights: Iterable[float], room: float, top: float) -> list[float]:
    """Rising heights with at least `room` between them, as near as can be to those given, and below the top."""
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] + room) if places else height)
    excess = max(0.0, places[-1] - top) if places else 0.0
    for number in range(len(places) - 1, -1, -1):
        ceiling = top if number == len(places) - 1 else places[number + 1] - room
        places[number] = min(places[number], ceiling) if excess else places[number]
    return places


def _save(figure: Figure, stem: Path) -> None:
    from matplotlib import rc_context  # noqa: PLC0415

    stem.parent.mkdir(parents=True, exist_ok=True)
    # The same figures give the same files: SVG has random names and a date in it unless told otherwise.
    with rc_context({"svg.hashsalt": stem.name, "svg.fonttype": "none"}):
        figure.savefig(stem.with_name(f"{stem.name}.png"), dpi=150)
        figure.savefig(stem.with_name(f"{stem.name}.svg"), metadata={"Date": None})
