"""A comparison as a Markdown report: a table for each topic, differences between strategies, and what to doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from honeyguide.experiments.summary import is_headline
from honeyguide.report import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

_TITLES: Final = ("strategy", "relevant", "harvest", "of oracle", "recall", "area", "first", "KB/relevant", "s/1000")


def markdown(document: dict[str, Any]) -> str:
    """The comparison as a report: sound topics first, differences, then what may not make a headline."""
    sound = [world for world in document["worlds"] if is_headline(world)]
    doubtful = [world for world in document["worlds"] if not is_headline(world)]
    parts = ["# Comparison\n", _provenance(document) + "\n"]
    parts += [_section(world) for world in sound]
    if document["paired"]:
        parts.append(_differences(document["paired"]))
    if doubtful:
        parts.append(
            "# Not for headlines\n\nGraded by words that the crawler was told (self-graded), or with more than 10% of "
            "the answers unknown (unreliable).\n"
        )
        parts += [_section(world) for world in doubtful]
    return "\n".join(parts)


def _provenance(document: dict[str, Any]) -> str:
    experiment = document["experiment"]
    told = (
        f"Honeyguide {document['honeyguide']}; {experiment['repeats']} repeats from seed {experiment['seed']}; mean ± "
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


def _differences(pairs: Sequence[dict[str, Any]]) -> str:
    rows = [
        [
            f"{pair['first']} − {pair['second']}",
            f"{pair['difference']:+.1%}",
            f"{pair['interval'][0]:+.1%} to {pair['interval'][1]:+.1%}",
            "yes" if pair["is_clear"] else "no",
        ]
        for pair in pairs
    ]
    said = (
        f"Difference in the share of the oracle, paired by topic and seed (topics: {pairs[0]['topics']}, "
        f"pairs: {pairs[0]['pairs']}), with a 95% bootstrap interval over topics and repeats."
    )
    return f"## Paired differences\n\n{said}\n\n{markdown_table(('pair', 'mean', '95% interval', 'clear'), rows)}\n"
