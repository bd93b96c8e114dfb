"""What a comparison leaves in its folder: the document, a Markdown report and plots."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.counts import count_of
from honeyguide.experiments.markdown import markdown
from honeyguide.experiments.summary import is_headline
from honeyguide.report.figures import (
    can_draw,
    save_bars_by_topic,
    save_harvest_curves,
    save_relevance_histogram,
    styles_for,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from honeyguide.experiments.spec import Experiment
    from honeyguide.experiments.summary import GradedCrawl
    from honeyguide.experiments.survey import Cell

PLOTS_ARE_MISSING: Final = "plots are left out: matplotlib is not installed; pip install 'honeyguide[plots]'"


def write_outputs(
    folder: Path,
    experiment: Experiment,
    document: dict[str, Any],
    cells: Sequence[Cell],
    crawls: Sequence[GradedCrawl],
) -> tuple[str, bool]:
    """Write `summary.json`, `summary.md` and `plots/`; gives back the report, and whether there are plots."""
    (folder / "summary.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    table = markdown(document)
    (folder / "summary.md").write_text(table, encoding="utf-8")
    if can_draw():
        _draw(folder / "plots", experiment, document, cells, crawls)
    return table, can_draw()


def _draw(
    folder: Path,
    experiment: Experiment,
    document: dict[str, Any],
    cells: Sequence[Cell],
    crawls: Sequence[GradedCrawl],
) -> None:
    names = [contender.name for contender in experiment.contenders]
    styles = styles_for(names, {each.name for each in experiment.contenders if each.is_floor})
    for number, (cell, world) in enumerate(zip(cells, document["worlds"], strict=True)):
        here = [each for each in crawls if each.cell is cell]
        by_name = {name: [each.grade for each in here if each.contender.name == name] for name in names}
        stem = folder / f"{number + 1:02}-{_file_name(cell.topic.name)}"
        title = f"{cell.topic.name} in {cell.world}" + ("" if is_headline(world) else ", not for headlines")
        save_harvest_curves(
            stem.with_name(f"{stem.name}-harvest"),
            title=title,
            curves={name: [grade.curve for grade in grades] for name, grades in by_name.items()},
            oracle=np.mean([start.oracle.curve for start in cell.starts], axis=0).tolist(),
            bound=np.mean([start.oracle.bound for start in cell.starts], axis=0).tolist(),
            styles=styles,
            note=_note(document, [world], "mean and standard deviation"),
        )
        save_relevance_histogram(
            stem.with_name(f"{stem.name}-relevance"),
            title=f"What was found: {title}",
            relevance={name: list(chain(*(grade.relevance for grade in grades))) for name, grades in by_name.items()},
            runs=len(cell.starts),
            styles=styles,
            note=_note(document, [world], "mean"),
        )
    _draw_topics(folder, document, styles)


def _draw_topics(folder: Path, document: dict[str, Any], styles: dict[str, dict[str, Any]]) -> None:
    sound = [world for world in document["worlds"] if is_headline(world)]
    if not sound:
        return
    one_world = len({world["world"] for world in sound}) == 1
    shares = {
        world["topic"] if one_world else f"{world['topic']}\n{world['world']}": {
            each["name"]: [run["of_oracle"] for run in each["runs"]] for each in world["strategies"]
        }
        for world in sound
    }
    save_bars_by_topic(
        folder / "topics",
        title="Share of the oracle by topic",
        shares=shares,
        styles=styles,
        note=_note(document, sound, "mean and standard deviation"),
    )


def _note(document: dict[str, Any], worlds: Sequence[dict[str, Any]], shown: str) -> str:
    """The line under a plot: what is shown, of how many runs, and all that the figures depend on."""
    experiment = document["experiment"]
    last = experiment["seed"] + experiment["repeats"] - 1
    return (
        f"{shown} of {count_of(experiment['repeats'], 'run')} · budget {_all_of(worlds, 'budget')} · "
        f"seeds {experiment['seed']} to {last} · labels {_all_of(worlds, 'labels')}\n"
        f"data {_all_of(worlds, 'data_hash')[:12]} · Honeyguide {document['honeyguide']} · settings in summary.json"
    )


def _all_of(worlds: Sequence[dict[str, Any]], key: str) -> str:
    """What all of them have in common, or that they differ."""
    values = {str(world[key]) for world in worlds}
    return values.pop() if len(values) == 1 else "by topic"


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)[:60]
