"""How often does a 90% interval of the outlook hold?

`python benchmarks/forecast.py OUT… [--plot FILE.png] [--json]`, where OUT was written by `honeyguide lab compare
--config benchmarks/harvest_held_out.toml --budget 1000 --perfect-judge --set crawl.blind_spots=0.05 -o OUT`,
or is a run.

Every crawl of a comparison is looked at after 100, 200, … fetches, as `honeyguide stats` would have done then. The next
100 and 500 fetches are known from the rest of the crawl. Where the labels were the judge, it is known, too, which links
that waited lead to relevant pages, and how many of these can be reached at all. Points of one crawl are alike, so a
share over crawls is less certain than the number of points suggests.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.runs import forecast, open_run
from honeyguide.runs.forecast import HORIZONS, MOST_LOOKED_AT, relevant_waiting
from honeyguide_lab.spec import experiment_from
from honeyguide_lab.survey import survey
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.runs import CrawledStep, Estimate, Run

EVERY: Final = 100
PHASES: Final = ((100, 200), (300, 400), (500, 900))
WAITING, REACHABLE = "waiting links that lead to a relevant page", "relevant pages that can be reached"


@dataclass(frozen=True, slots=True)
class Point:
    """An interval and the truth."""

    crawl: str
    about: str
    after: int  # fetches
    expected: float
    low: int
    high: int
    truth: int

    @property
    def holds(self) -> bool:
        return self.low <= self.truth <= self.high


def point(crawl: str, about: str, after: int, told: Estimate, truth: int) -> Point:
    return Point(crawl, about, after, told.expected, told.low, told.high, truth)


def next_fetches(crawl: str, steps: Sequence[CrawledStep]) -> Iterator[Point]:
    """Yield what was told of the next fetches."""
    flags = [step.is_relevant for step in steps]
    for after in range(EVERY, len(flags), EVERY):
        for ahead in HORIZONS:
            told = forecast(flags[max(0, after - MOST_LOOKED_AT) : after], after, ahead)
            if told is not None and after + ahead <= len(flags):
                truth = sum(flags[after : after + ahead])
                yield point(crawl, f"the next {ahead} fetches", after, told.relevant, truth)


def left(
    crawl: str, run: Run, steps: Sequence[CrawledStep], on_topic: frozenset[str], reachable: int
) -> Iterator[Point]:
    """Yield what was told of the waiting links."""
    fetched_at = {step.url.text: place for place, step in enumerate(steps, 1)}
    found_at: dict[str, int] = {}
    for page, target in run.edges():
        came = fetched_at.get(page.text, len(steps) + 1)
        found_at[target.text] = min(came, found_at.get(target.text, came))
    for after in range(EVERY, len(steps) + 1, EVERY):
        waiting = [url for url, came in found_at.items() if came <= after < fetched_at.get(url, len(steps) + 1)]
        drawn = [step.is_relevant for step in steps[after // 2 : after] if step.explored]
        if drawn:
            told = relevant_waiting(len(drawn), sum(drawn), len(waiting))
            yield point(crawl, WAITING, after, told, sum(url in on_topic for url in waiting))
            found = sum(step.is_relevant for step in steps[:after])
            yield point(crawl, REACHABLE, after, told, reachable - found)


def points_of(folder: Path) -> Iterator[Point]:
    """Yield every point of a comparison, or of one run."""
    if (folder / "crawl.sqlite").is_file():
        with open_run(folder) as run:
            yield from next_fetches(str(folder), [step for step in run.steps() if step.outcome != "unknown"])
        return
    about = json.loads((folder / "experiment.json").read_text(encoding="utf-8"))
    names = ("worlds", "topics", "budget", "repeats", "seed")
    document: dict[str, Any] = {name: about[name] for name in names} | {"strategies": ["online-ridge"]}
    if about["random_seeds"]:
        document["seeds"] = f"random:{about['random_seeds']}"
    cells = survey(experiment_from(document), folder / "graphs").cells
    for number, cell in enumerate(cells, 1):
        for path in sorted(folder.glob(f"runs/{number:02}-*/*/run")):
            crawl = f"{folder.name}/{path.parent.parent.name}/{path.parent.name}"
            with open_run(path) as run:
                steps = [step for step in run.steps() if step.outcome != "unknown"]
                yield from next_fetches(crawl, steps)
                if "perfect-judge" in crawl:
                    start = next(each for each in cell.starts if crawl.endswith(f"seed{each.seed}"))
                    yield from left(crawl, run, steps, cell.on_topic, start.oracle.reachable)


def row(about: str, when: str, points: Sequence[Point]) -> dict[str, Any]:
    """Sum up points."""
    count = len(points)
    return {
        "about": about,
        "after": when,
        "points": count,
        "crawls": len({each.crawl for each in points}),
        "holds": sum(each.holds for each in points) / count,
        "too_high": sum(each.truth < each.low for each in points) / count,
        "expected": sum(each.expected for each in points) / count,
        "truth": sum(each.truth for each in points) / count,
        "width": sum(each.high - each.low for each in points) / count,
    }


def draw(points: Sequence[Point], file: Path) -> None:
    """Draw the truth over what was expected, with the intervals."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra

    subjects = list(dict.fromkeys(each.about for each in points))
    figure, axes = plt.subplots(1, len(subjects), figsize=(4 * len(subjects), 4), squeeze=False)
    for about, axis in zip(subjects, axes[0], strict=True):
        here = sorted((each for each in points if each.about == about), key=lambda each: (each.expected, each.truth))
        axis.vlines(range(len(here)), [each.low for each in here], [each.high for each in here], color="#c9d6e2")
        for holds, colour, name in ((True, "#1f5f8b", "truth, inside"), (False, "#c0392b", "truth, outside")):
            places = [place for place, each in enumerate(here) if each.holds == holds]
            axis.plot(places, [here[place].truth for place in places], ".", color=colour, markersize=3, label=name)
        axis.set_yscale("symlog", linthresh=10)
        axis.set_title(f"{about}\n{sum(each.holds for each in here) / len(here):.0%} inside", fontsize=9)
        axis.set_xlabel("forecasts, by what was expected")
    axes[0][0].set_ylabel("relevant pages")
    axes[0][0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="OUT", help="runs, or folders of lab compare")
    parser.add_argument("--plot", type=Path, metavar="FILE.png")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    for folder in given.folders:
        if not any((folder / name).is_file() for name in ("experiment.json", "crawl.sqlite")):
            parser.error(f"{folder} is neither a run nor a folder that honeyguide lab compare has written")
    points = [each for folder in given.folders for each in points_of(folder)]
    by_subject: dict[str, list[Point]] = defaultdict(list)
    for each in points:
        judge = "labels" if "perfect-judge" in each.crawl else "own judge"
        by_subject[f"{each.about}, {judge}"].append(each)
    rows = [
        row(about, f"{first} to {last}", chosen)
        for about, here in by_subject.items()
        for first, last in (*PHASES, (EVERY, 10**9))
        if (chosen := [each for each in here if first <= each.after <= last])
    ]
    if given.plot is not None:
        draw(points, given.plot)
    if given.json:
        print(json.dumps({"machine": machine(), "rows": rows, "points": [asdict(each) for each in points]}))
        return
    print("| relevant pages | after fetches | points | crawls | holds | too high | expected | truth | width |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for line in rows:
        after = line["after"].replace(f"{EVERY} to {10**9}", "all")
        print(
            f"| {line['about']} | {after} | {line['points']} | {line['crawls']} | {line['holds']:.0%} | "
            f"{line['too_high']:.0%} | {line['expected']:.1f} | {line['truth']:.1f} | {line['width']:.1f} |"
        )


if __name__ == "__main__":
    main()
