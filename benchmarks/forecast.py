"""How often does a 90% interval of the outlook hold?

`python benchmarks/forecast.py OUT… [--plot FILE.png] [--json] [--fit]`, where OUT was written by `honeyguide lab
compare --config benchmarks/harvest_held_out.toml --budget 1000 --perfect-judge --set crawl.blind_spots=0.05 -o OUT`,
or is a run.

Every crawl of a comparison is looked at after 100, 200, … fetches, as `honeyguide stats` would have done then. The next
100 and 500 fetches are known from the rest of the crawl. Where the labels were the judge, it is known, too, which links
that waited lead to relevant pages, and how many of these can be reached at all. Points of one crawl are alike, so a
share over crawls is less certain than the number of points suggests; beside it stands that of one look a crawl, the
middle one.

`--fit` prints the ends of `runs/forecast.py` as these crawls would have them, instead of the table.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.runs import forecast, open_run
from honeyguide.runs.forecast import HORIZONS, MOST_LOOKED_AT, REACHABLE_FACTOR, relevant_left, share_lately
from honeyguide_lab.spec import experiment_from
from honeyguide_lab.survey import survey
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.runs import CrawledStep, Estimate, Run

EVERY: Final = 100
FITTED: Final = (25, 50, 100, 200, 300, 500)  # fetches ahead
TAIL: Final = 0.04  # of a fit: on webs that it has not seen, a tenth lies outside then
PHASES: Final = ((100, 200), (300, 400), (500, 900))
WAITING, REACHABLE = "waiting links that lead to a relevant page", "relevant pages that can be reached"


@dataclass(frozen=True, slots=True)
class Point:
    """An interval and the truth."""

    crawl: str
    about: str
    after: int  # fetches
    ahead: int  # fetches; 0 where it is not about these
    expected: float
    low: int
    high: int
    truth: int

    @property
    def holds(self) -> bool:
        return self.low <= self.truth <= self.high


def point(crawl: str, about: str, after: int, ahead: int, told: Estimate, truth: int) -> Point:
    return Point(crawl, about, after, ahead, told.expected, told.low, told.high, truth)


def next_fetches(crawl: str, steps: Sequence[CrawledStep], horizons: Sequence[int]) -> Iterator[Point]:
    """Yield what was told of the next fetches."""
    flags = [step.is_relevant for step in steps]
    for after in range(EVERY, len(flags), EVERY):
        for ahead in horizons:
            told = forecast(flags[max(0, after - MOST_LOOKED_AT) : after], after, ahead)
            if told is not None and after + ahead <= len(flags):
                truth = sum(flags[after : after + ahead])
                yield point(crawl, f"the next {ahead} fetches", after, ahead, told.relevant, truth)


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
        half = steps[after // 2 : after]
        drawn = [step.is_relevant for step in half if step.explored]
        if drawn:
            flags = [step.is_relevant for step in steps[:after]]
            share = (sum(step.is_relevant for step in half) + 0.5) / (len(half) + 1)
            among, all_left = relevant_left(len(waiting), share_lately(flags, after), share, len(drawn), sum(drawn))
            yield point(crawl, WAITING, after, 0, among, sum(url in on_topic for url in waiting))
            yield point(crawl, REACHABLE, after, 0, all_left, reachable - sum(flags))


def points_of(folder: Path, horizons: Sequence[int]) -> Iterator[Point]:
    """Yield every point of a comparison, or of one run."""
    if (folder / "crawl.sqlite").is_file():
        with open_run(folder) as run:
            yield from next_fetches(str(folder), [step for step in run.steps() if step.outcome != "unknown"], horizons)
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
                yield from next_fetches(crawl, steps, horizons)
                if "perfect-judge" in crawl:
                    start = next(each for each in cell.starts if crawl.endswith(f"seed{each.seed}"))
                    yield from left(crawl, run, steps, cell.on_topic, start.oracle.reachable)


def row(about: str, when: str, points: Sequence[Point]) -> dict[str, Any]:
    """Sum up points."""
    count = len(points)
    by_crawl: dict[str, list[bool]] = defaultdict(list)
    for each in points:
        by_crawl[each.crawl].append(each.holds)
    return {
        "about": about,
        "after": when,
        "points": count,
        "crawls": len(by_crawl),
        "holds_once": sum(held[len(held) // 2] for held in by_crawl.values()) / len(by_crawl),
        "holds": sum(each.holds for each in points) / count,
        "too_high": sum(each.truth < each.low for each in points) / count,
        "expected": sum(each.expected for each in points) / count,
        "truth": sum(each.truth for each in points) / count,
        "width": sum(each.high - each.low for each in points) / count,
    }


def fit(points: Sequence[Point]) -> None:
    """Print the ends that hold for these points: quantile regressions of square roots of what came."""
    kinds = {"next fetches": [each for each in points if each.ahead]}
    kinds |= {about: [each for each in points if each.about == about] for about in (WAITING, REACHABLE)}
    for kind, here in kinds.items():
        scale = REACHABLE_FACTOR if kind == REACHABLE else 1.0
        root = np.sqrt([each.expected / scale for each in here])
        far = np.log1p([each.ahead / each.after for each in here])
        came = np.sqrt([each.truth + 0.25 for each in here])
        for tail, last in ((TAIL, far), (1 - TAIL, far * root)):
            columns = [np.ones(len(here)), root, last][: 3 if kind == "next fetches" else 2]
            print(kind, f"{tail:.0%}:", np.round(quantile(np.column_stack(columns), came, tail), 2))


def quantile(columns: NDArray[np.float64], values: NDArray[np.float64], tail: float) -> NDArray[np.float64]:
    """Return the weights of columns whose sum has this share of the values below it."""
    from scipy.optimize import linprog  # noqa: PLC0415
    from scipy.sparse import hstack, identity  # noqa: PLC0415

    count, width = columns.shape
    costs = np.concatenate([np.zeros(width), np.full(count, tail), np.full(count, 1 - tail)])
    errors = identity(count, format="csr")
    bounds = [(None, None)] * width + [(0, None)] * (2 * count)
    found = linprog(costs, A_eq=hstack([columns, errors, -errors], format="csc"), b_eq=values, bounds=bounds)
    weights: NDArray[np.float64] = found.x[:width]
    return weights


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
    parser.add_argument("--fit", action="store_true", help="print the ends as these crawls would have them")
    given = parser.parse_args()
    for folder in given.folders:
        if not any((folder / name).is_file() for name in ("experiment.json", "crawl.sqlite")):
            parser.error(f"{folder} is neither a run nor a folder that honeyguide lab compare has written")
    horizons = FITTED if given.fit else HORIZONS
    points = [each for folder in given.folders for each in points_of(folder, horizons)]
    if given.fit:
        fit(points)
        return
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
    print(
        "| relevant pages | after fetches | points | crawls | holds | one look | too high | expected | truth | width |"
    )
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for line in rows:
        after = line["after"].replace(f"{EVERY} to {10**9}", "all")
        print(
            f"| {line['about']} | {after} | {line['points']} | {line['crawls']} | {line['holds']:.0%} | "
            f"{line['holds_once']:.0%} | {line['too_high']:.0%} | {line['expected']:.1f} | {line['truth']:.1f} | "
            f"{line['width']:.1f} |"
        )


if __name__ == "__main__":
    main()
