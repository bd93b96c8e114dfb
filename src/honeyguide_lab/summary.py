"""All figures of a comparison as one document, with everything needed to trust and repeat them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Final

from honeyguide.runs import downsampled
from honeyguide.settings import SETTINGS_BY_KEY
from honeyguide.settings.sections import WorldSettings
from honeyguide_lab.crawl_task import code_version
from honeyguide_lab.grading import MOST_UNKNOWN
from honeyguide_lab.statistics import paired_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.settings import Settings
    from honeyguide_lab.grading import Grade
    from honeyguide_lab.spec import Contender, Experiment
    from honeyguide_lab.survey import Cell, Start

CURVE_POINTS: Final = 101


@dataclass(frozen=True, slots=True)
class GradedCrawl:
    """One crawl of an experiment and its grade."""

    cell: Cell
    contender: Contender
    seed: int
    settings: Settings
    grade: Grade
    seconds_per_1000_steps: float

    @property
    def seconds(self) -> float:
        """Real time of the whole crawl, at the speed at which it was last at work."""
        return self.seconds_per_1000_steps * self.grade.fetches / 1000


def summary(experiment: Experiment, cells: Sequence[Cell], crawls: Sequence[GradedCrawl]) -> dict[str, Any]:
    """The document that `--json` prints and `summary.json` keeps."""
    return {
        "honeyguide": code_version(),
        "experiment": experiment.document(),
        "worlds": [_world(cell, experiment, [each for each in crawls if each.cell is cell]) for cell in cells],
        "told": _told(experiment, crawls),
        "paired": _paired(experiment, crawls),
    }


def is_headline(world: dict[str, Any]) -> bool:
    """Whether a figure may stand on its own: not graded by the topic's own words, and not by guesses."""
    return not world["self_graded"] and world["reliable"]


def _world(cell: Cell, experiment: Experiment, crawls: Sequence[GradedCrawl]) -> dict[str, Any]:
    answers = [start.oracle for start in cell.starts]
    unknown = max((each.grade.unknown_share for each in crawls), default=0.0)
    return {
        "world": cell.world,
        "topic": cell.topic.name,
        "keywords": list(cell.topic.keywords),
        "labels": cell.labels,
        "self_graded": cell.self_graded,
        "reliable": not _is_biased(cell, unknown),
        "missing": _missing(experiment) if cell.world.startswith("site:") else None,
        "unknown_share": round(unknown, 6),
        "budget": cell.budget,
        "R": _plain(fmean(answer.reachable for answer in answers)),
        "bound": _plain(fmean(answer.bound[-1] for answer in answers)),
        "oracle": _plain(fmean(answer.curve[-1] for answer in answers)),
        "oracle_curve": _mean_curve([answer.curve for answer in answers]),
        "starts": [_start(start) for start in cell.starts],
        "pages_in_world": cell.pages_in_world,
        "on_topic_in_world": len(cell.on_topic),
        "data_hash": cell.data_hash,
        "strategies": [
            _strategy(contender, [each for each in crawls if each.contender is contender])
            for contender in experiment.contenders
        ],
    }


def _start(start: Start) -> dict[str, Any]:
    return {
        "seed": start.seed,
        "seed_urls": [url.text for url in start.seed_urls],
        "R": start.oracle.reachable,
        "oracle": start.oracle.curve[-1],
    }


def _strategy(contender: Contender, crawls: Sequence[GradedCrawl]) -> dict[str, Any]:
    documents = [each.grade.document() for each in crawls]
    figures = {name: [document[name] for document in documents] for name in documents[0]}
    stop_reasons = figures.pop("stop_reason")
    figures["seconds_per_1000_steps"] = [round(each.seconds_per_1000_steps, 3) for each in crawls]
    means = {name: _mean(values) for name, values in figures.items() if name != "relevant"}
    return {
        "name": contender.name,
        "strategy": contender.strategy,
        "is_floor": contender.is_floor,
        "answers": contender.answers,
        "perfect_judge": contender.has_perfect_judge,
        "relevant": _spread(figures["relevant"]),
        **means,
        "seconds": round(fmean(each.seconds for each in crawls), 3),
        "runs": [
            {"seed": each.seed, "stop_reason": stop_reasons[number]}
            | {name: _rounded(values[number]) for name, values in figures.items()}
            for number, each in enumerate(crawls)
        ],
        "curve": _mean_curve([each.grade.curve for each in crawls]),
        "settings": {key: setting.value_in(crawls[0].settings) for key, setting in SETTINGS_BY_KEY.items()},
    }


def _spread(values: Sequence[int]) -> dict[str, Any]:
    std = stdev(values) if len(values) > 1 else 0.0
    return {"mean": round(fmean(values), 4), "std": round(std, 4), "runs": list(values)}


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean over all runs; none where one run has none, because leaving that out would flatter the strategy."""
    known = [value for value in values if value is not None]
    return round(fmean(known), 6) if len(known) == len(values) else None


def _rounded(value: object) -> object:
    return round(value, 6) if isinstance(value, float) else value


def _missing(experiment: Experiment) -> str:
    """Return the rule for links that an archive does not hold; all of them where contenders differ in it."""
    shared, usual = dict(experiment.overrides), WorldSettings().missing
    rules = {(shared | dict(each.overrides)).get("world.missing", usual) for each in experiment.contenders}
    return " or ".join(sorted(rules))


def _is_biased(cell: Cell, unknown_share: float) -> bool:
    """Whether too much is unknown of what a strategy once chose; an archive is no strategy's choice."""
    return cell.world.startswith("replay:") and unknown_share > MOST_UNKNOWN


def _plain(value: float) -> int | float:
    """A whole number as one."""
    return int(value) if value == int(value) else round(value, 4)


def _mean_curve(curves: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    thinned = [downsampled(curve, CURVE_POINTS) for curve in curves]
    return [(points[0][0], round(fmean(pages for _, pages in points), 4)) for points in zip(*thinned, strict=True)]


def _sound(crawls: Sequence[GradedCrawl]) -> list[GradedCrawl]:
    """Return the crawls of all cells that may make a headline."""
    unsound = {id(each.cell) for each in crawls if _is_biased(each.cell, each.grade.unknown_share)}
    return [each for each in crawls if not each.cell.self_graded and id(each.cell) not in unsound]


def _told(experiment: Experiment, crawls: Sequence[GradedCrawl]) -> list[dict[str, Any]]:
    """Return the mean share of the oracle of each contender by how much of the labels it is told, if any is."""
    found = []
    for plain in experiment.contenders:
        alike = [each for each in experiment.contenders if each.untold_name == plain.name]
        if len(alike) > 1 and _sound(crawls):
            shares = [
                _share_told(each, [crawl for crawl in _sound(crawls) if crawl.contender is each]) for each in alike
            ]
            found.append({"name": plain.name, "of_oracle": shares})
    return found


def _share_told(contender: Contender, crawls: Sequence[GradedCrawl]) -> dict[str, Any]:
    by_topic: dict[int, list[float]] = {}
    for crawl in crawls:
        by_topic.setdefault(id(crawl.cell), []).append(crawl.grade.of_oracle)
    share = paired_difference(list(by_topic.values()))  # from nothing: the same interval over topics and repeats
    return {
        "told": contender.mark or "told nothing",
        "answers": contender.answers,
        "perfect_judge": contender.has_perfect_judge,
        "mean": round(share.mean, 6),
        "interval": [round(share.low, 6), round(share.high, 6)],
    }


def _paired(experiment: Experiment, crawls: Sequence[GradedCrawl]) -> list[dict[str, Any]]:
    """Every two contenders, by their share of the oracle, over all cells that may make a headline."""
    sound = _sound(crawls)
    shares = {(each.cell.world, each.cell.topic.name, each.seed, each.contender.name): each for each in sound}
    cells = list(dict.fromkeys((each.cell.world, each.cell.topic.name) for each in sound))
    pairs = []
    for first, second in combinations(experiment.contenders, 2):
        differences = [
            [
                shares[*cell, seed, first.name].grade.of_oracle - shares[*cell, seed, second.name].grade.of_oracle
                for seed in experiment.repeat_seeds
                if (*cell, seed, first.name) in shares and (*cell, seed, second.name) in shares
            ]
            for cell in cells
        ]
        differences = [each for each in differences if each]
        if differences:
            result = paired_difference(differences)
            pairs.append(
                {
                    "first": first.name,
                    "second": second.name,
                    "figure": "of_oracle",
                    "difference": round(result.mean, 6),
                    "interval": [round(result.low, 6), round(result.high, 6)],
                    "confidence": 0.95,
                    "is_clear": result.is_clear,
                    "topics": len(differences),
                    "pairs": result.pairs,
                }
            )
    return pairs
