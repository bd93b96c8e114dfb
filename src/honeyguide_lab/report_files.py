"""The files that a comparison leaves in its folder: the document, a Markdown report and plots.

The report has a table for each topic, the differences between strategies, and reasons for doubt.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.extras import install_hint
from honeyguide.model.counts import count_of
from honeyguide_lab.plots import (
    can_draw,
    save_answer_curves,
    save_bars_by_topic,
    save_harvest_curves,
    save_relevance_histogram,
    styles_for,
)
from honeyguide_lab.statistics import TOPICS_NEEDED, markdown_table
from honeyguide_lab.summary import is_headline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from honeyguide_lab.spec import Experiment
    from honeyguide_lab.summary import GradedCrawl
    from honeyguide_lab.survey import Cell

_TITLES: Final = ("strategy", "relevant", "harvest", "of oracle", "recall", "area", "first", "KB/relevant", "s/1000")


def markdown(document: dict[str, Any]) -> str:
    """The comparison as a report: sound topics first, differences, then what may not make a headline."""
    sound = [world for world in document["worlds"] if is_headline(world)]
    doubtful = [world for world in document["worlds"] if not is_headline(world)]
    parts = ["# Comparison\n", _provenance(document) + "\n"]
    parts += [_section(world) for world in sound]
    if document["told"]:
        parts.append(_told(document["told"]))
    if document["paired"]:
        parts.append(_differences(document["paired"]))
    if doubtful:
        parts.append(
            "# Not for headlines\n\nGraded by words that the crawler was told (self-graded), or with more than 10% of "
            "a replayed run's answers unknown (unreliable).\n"
        )
        parts += [_section(world) for world in doubtful]
    return "\n".join(parts)


def _provenance(document: dict[str, Any]) -> str:
    experiment = document["experiment"]
    told = (
        f"Honeyguide {document['honeyguide']}; {count_of(experiment['repeats'], 'repeat')} from seed "
        f"{experiment['seed']}; mean ± "
        "standard deviation over repeats. The whole budget is charged. Settings: `summary.json`. "
    ) + _floors(document["worlds"][0]["strategies"])
    if experiment["repeats"] > 1 and not experiment["random_seeds"]:
        told += (
            " A strategy that leaves nothing to chance makes the same crawl in every repeat, and has ± 0.0; more "
            "topics or cold starts (`--seeds random:N`) tell more of it than more repeats."
        )
    return told


def _floors(strategies: Sequence[dict[str, Any]]) -> str:
    floors = [each["name"] for each in strategies if each["is_floor"]]
    if floors:
        return f"Floors, which do not look at the topic: {', '.join(floors)}."
    return "**No floor is among them**: add `random` or `breadth-first` to see what any strategy must beat."


def _section(world: dict[str, Any]) -> str:
    marks = " (self-graded)" if world["self_graded"] else ""
    marks += "" if world["reliable"] else " (unreliable)"
    title = f"## {world['topic']} in {world['world']}{marks}"
    facts = (
        f"Labels {world['labels']}; budget {world['budget']:,}; R = {world['R']:,} on-topic pages can be reached; bound"
        f" {world['bound']:,}, oracle {world['oracle']:,}; data {world['data_hash'][:12]}."
    )
    if world["missing"]:
        facts += f" Links that the archive does not hold: {world['missing']}."
    ordered = sorted(world["strategies"], key=lambda each: -each["relevant"]["mean"])
    return f"{title}\n\n{facts}\n\n{markdown_table(_TITLES, [_row(each) for each in ordered])}\n"


def _row(strategy: dict[str, Any]) -> list[str]:
    found = strategy["relevant"]
    return [
        strategy["name"] + (" (floor)" if strategy["is_floor"] else ""),
        f"{found['mean']:,.1f} ± {found['std']:,.1f}",
        f"{strategy['harvest_rate']:.1%}",
        f"{strategy['of_oracle']:.1%}",
        f"{strategy['target_recall']:.1%}",
        f"{strategy['area_under_curve']:.3f}",
        _number(strategy["steps_to_first_relevant"], 1),
        _number(strategy["bytes_per_relevant"], 1, 1e-3),
        f"{strategy['seconds_per_1000_steps']:.2f}",
    ]


def _number(value: float | None, digits: int, scale: float = 1.0) -> str:
    return "–" if value is None else f"{value * scale:,.{digits}f}"


def _told(strategies: Sequence[dict[str, Any]]) -> str:
    titles = [each["told"] for each in strategies[0]["of_oracle"]]
    rows = [[each["name"], *map(_share, each["of_oracle"])] for each in strategies]
    said = (
        "Share of the oracle: mean over topics and repeats, with a 95% bootstrap interval. `answers: N`: the labels "
        "that grade a crawl also answered up to N questions about its pages, listed in `answers/`. `perfect judge`: "
        "the labels judged every page."
    )
    return f"## Told of the labels\n\n{said}\n\n{markdown_table(('strategy', *titles), rows)}\n"


def _share(share: dict[str, Any]) -> str:
    low, high = share["interval"]
    return f"{share['mean']:.1%} ({low:.1%} to {high:.1%})"


def _differences(pairs: Sequence[dict[str, Any]]) -> str:
    rows = [
        [
            f"{pair['first']} − {pair['second']}",
            f"{pair['difference']:+.1%}",
            f"{pair['interval'][0]:+.1%} to {pair['interval'][1]:+.1%}",
            "yes" if pair["is_clear"] else "no" if pair["topics"] >= TOPICS_NEEDED else "too few topics",
        ]
        for pair in pairs
    ]
    said = (
        f"Difference in the share of the oracle, paired by topic and seed (topics: {pairs[0]['topics']}, "
        f"pairs: {pairs[0]['pairs']}), with a 95% bootstrap interval over topics and repeats. "
        f"`clear`: the interval leaves out zero, and there are at least {TOPICS_NEEDED} topics; with fewer it is too "
        "narrow to be believed."
    )
    return f"## Paired differences\n\n{said}\n\n{markdown_table(('pair', 'mean', '95% interval', 'clear'), rows)}\n"


PLOTS_ARE_MISSING: Final = f"plots are left out: matplotlib is not installed; {install_hint('plots')}"


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
    _draw_answers(folder, document)


def _draw_answers(folder: Path, document: dict[str, Any]) -> None:
    """Draw the share of the oracle over the number of answers, where contenders differ in it."""
    told = [each for each in document["told"] if any(share["answers"] for share in each["of_oracle"])]
    if told:
        worlds = [world for world in document["worlds"] if is_headline(world)]
        note = _note(document, worlds, "mean and 95% bootstrap interval over topics and repeats")
        save_answer_curves(folder / "answers", {each["name"]: each["of_oracle"] for each in told}, note)


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
    """Return the value that all worlds share for a key, or "by topic" where they differ."""
    values = {str(world[key]) for world in worlds}
    return values.pop() if len(values) == 1 else "by topic"


def _file_name(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)[:60]
