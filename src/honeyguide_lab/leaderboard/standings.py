"""Standings: the results of a leaderboard's crawls as tables, with paired intervals.

Strategies are ranked by their mean share of the oracle's harvest; every topic counts alike. Only conditions (topic and
seed) that every strategy of a round has crawled count, so that no table compares different conditions.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field, fields
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, TypeAlias

from honeyguide_lab.crawl_task import code_version
from honeyguide_lab.leaderboard.spec import BASELINE
from honeyguide_lab.statistics import markdown_table, paired_difference

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from honeyguide_lab.leaderboard.spec import Budget
    from honeyguide_lab.survey import Cell

Topic: TypeAlias = tuple[str, str, str]
"""Names of the webs, of the world and of the topic in it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One crawl at one budget."""

    webs: str
    world: str
    topic: str
    seed: int
    strategy: str
    budget: Budget
    fetches: int  # what the budget comes to
    relevant: int
    oracle: int
    processor_ms_per_fetch: float  # of the whole crawl
    honeyguide: str  # the code that made it

    @property
    def of_oracle(self) -> float:
        return self.relevant / self.oracle if self.oracle else 0.0

    @property
    def where(self) -> Topic:
        return self.webs, self.world, self.topic


@dataclass(frozen=True, slots=True)
class Round:
    """The crawls of some strategies: those asked for, and those made so far."""

    title: str
    strategies: tuple[str, ...]
    budgets: tuple[Budget, ...]
    cells: tuple[Mapping[Budget, Cell], ...] = field(repr=False)
    crawls: int  # asked for
    rows: tuple[Row, ...] = field(repr=False)

    @property
    def crawls_made(self) -> int:
        return len(self.rows) // len(self.budgets)

    @property
    def is_complete(self) -> bool:
        return self.crawls_made == self.crawls


@dataclass(frozen=True, slots=True)
class Standings:
    """The tables of a leaderboard; its folder has them, too."""

    document: dict[str, Any] = field(repr=False)
    table: str  # Markdown
    is_complete: bool  # whether every crawl has been made


def best_of(rows: Sequence[Row], count: int) -> list[str]:
    """Return the strategies with the largest mean shares; topics and budgets count alike."""
    shares: dict[str, dict[Any, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        shares[row.strategy][row.where, row.budget].append(row.of_oracle)
    means = {name: fmean(map(fmean, by_topic.values())) for name, by_topic in shares.items()}
    return sorted(means, key=lambda name: -means[name])[:count]


def complete(rows: Sequence[Row], strategies: Collection[str]) -> list[Row]:
    """Return the rows of the topics and seeds that every strategy has crawled."""
    seen = Counter((row.where, row.seed) for row in rows)
    return [row for row in rows if seen[row.where, row.seed] == len(strategies)]


def ranked(rows: Sequence[Row], strategies: Sequence[str]) -> list[dict[str, Any]]:
    """Return the figures of every strategy at one budget, the best first; the rows are complete."""
    by_name: dict[str, dict[Topic, dict[int, Row]]] = {name: defaultdict(dict) for name in strategies}
    for row in rows:
        by_name[row.strategy][row.where][row.seed] = row
    means = {
        name: fmean(fmean(row.of_oracle for row in seeds.values()) for seeds in topics.values())
        for name, topics in by_name.items()
    }
    order = sorted(strategies, key=lambda name: -means[name])
    return [
        {
            "strategy": name,
            "of_oracle": round(means[name], 6),
            "by_webs": _by_webs(by_name[name]),
            "over_baseline": _difference(by_name[name], by_name[BASELINE]),
            "over_best": _difference(by_name[name], by_name[order[0]]),
            "time": _time(by_name[name], by_name[BASELINE]),
        }
        for name in order
    ]


def _by_webs(topics: Mapping[Topic, Mapping[int, Row]]) -> dict[str, float]:
    shares: dict[str, list[float]] = defaultdict(list)
    for (webs, _, _), seeds in topics.items():
        shares[webs].append(fmean(row.of_oracle for row in seeds.values()))
    return {webs: round(fmean(each), 6) for webs, each in shares.items()}


def _difference(
    first: Mapping[Topic, Mapping[int, Row]], second: Mapping[Topic, Mapping[int, Row]]
) -> dict[str, Any] | None:
    """Return the difference in the share of the oracle, paired by topic and seed; None of a strategy from itself."""
    if first is second:
        return None
    result = paired_difference(
        [
            [row.of_oracle - second[topic][seed].of_oracle for seed, row in seeds.items()]
            for topic, seeds in first.items()
        ]
    )
    return {
        "mean": round(result.mean, 6),
        "interval": [round(result.low, 6), round(result.high, 6)],
        "is_clear": result.is_clear,
    }


def _time(first: Mapping[Topic, Mapping[int, Row]], second: Mapping[Topic, Mapping[int, Row]]) -> float | None:
    """Return the median ratio of processor times of a fetch, paired by topic and seed; None where none is known."""
    ratios = [
        row.processor_ms_per_fetch / second[topic][seed].processor_ms_per_fetch
        for topic, seeds in first.items()
        for seed, row in seeds.items()
        if second[topic][seed].processor_ms_per_fetch
    ]
    return round(median(ratios), 3) if ratios else None


def write_standings(folder: Path, rounds: Sequence[Round], *, is_complete: bool) -> Standings:
    """Write `leaderboard.json`, `leaderboard.csv` with a line for every crawl and budget, and `leaderboard.md`."""
    document = _document(rounds)
    table = markdown(document)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["round", *(each.name for each in fields(Row)), "of_oracle"])
    for each in rounds:
        for row in each.rows:
            figures = asdict(row) | {"budget": _named(row.budget), "of_oracle": round(row.of_oracle, 6)}
            writer.writerow([each.title, *figures.values()])
    (folder / "leaderboard.csv").write_text(lines.getvalue(), encoding="utf-8")
    text = json.dumps(document, indent=2, ensure_ascii=False)
    (folder / "leaderboard.json").write_text(f"{text}\n", encoding="utf-8")
    (folder / "leaderboard.md").write_text(table, encoding="utf-8")
    return Standings(document, table, is_complete)


def _named(budget: Budget) -> str:
    return "R" if budget is None else str(budget)


def _document(rounds: Sequence[Round]) -> dict[str, Any]:
    return {"honeyguide": code_version(), "rounds": [_round(each) for each in rounds]}


def _round(played: Round) -> dict[str, Any]:
    tables = []
    made_by_all: dict[tuple[str, str], set[int]] = defaultdict(set)
    for budget in played.budgets:
        rows = complete([row for row in played.rows if row.budget == budget], played.strategies)
        for row in rows:
            made_by_all[row.world, row.topic].add(row.seed)
        tables.append(
            {
                "budget": _named(budget),
                "topics": len({row.where for row in rows}),
                "conditions": len({(row.where, row.seed) for row in rows}),
                "standings": ranked(rows, played.strategies) if rows else [],
            }
        )
    made_by: dict[str, dict[str, int]] = defaultdict(Counter)
    for row in played.rows:
        if row.budget == played.budgets[0]:
            made_by[row.honeyguide][row.strategy] += 1
    return {
        "title": played.title,
        "crawls": played.crawls,
        "crawls_made": played.crawls_made,
        "made_by": made_by,
        "budgets": tables,
        "topics": [_topic(cells, played, made_by_all) for cells in played.cells],
    }


def _topic(
    cells: Mapping[Budget, Cell], played: Round, made_by_all: Mapping[tuple[str, str], set[int]]
) -> dict[str, Any]:
    cell = cells[played.budgets[0]]
    return {
        "world": cell.world,
        "pages": cell.pages_in_world,
        "data": cell.data_hash,
        "topic": cell.topic.name,
        "labels": cell.labels,
        "R": max(start.oracle.reachable for start in cell.starts),
        "seeds": [start.seed for start in cell.starts],
        "seeds_made": sorted(made_by_all.get((cell.world, cell.topic.name), ())),
        "oracle": {
            _named(budget): round(fmean(start.oracle.curve[-1] for start in cells[budget].starts), 2)
            for budget in played.budgets
        },
    }


def markdown(document: dict[str, Any]) -> str:
    """The standings as a page."""
    said = (
        "Share of the oracle's harvest with the same budget, in percent: mean over topics, each the mean of its seeds. "
        "The oracle knows the whole web. Differences are paired by topic and seed, with a 95% bootstrap interval over "
        "topics and repeats; **bold** where it leaves out zero over at least six topics. `time` is processor time of a "
        f"fetch, reading its page included, as a multiple of `{BASELINE}`'s. R: as many fetches as on-topic pages can "
        "be reached."
    )
    parts = ["# Leaderboard\n", said + "\n"]
    for each in document["rounds"]:
        parts += [f"## {each['title'].capitalize()}\n", _measured(each) + "\n"]
        parts += [_standings(table) for table in each["budgets"]]
    parts += ["## Topics\n", _topics(document["rounds"][-1]["topics"])]
    return "\n".join(parts)


def _measured(played: dict[str, Any]) -> str:
    text = f"{played['crawls_made']:,} of {played['crawls']:,} crawls are made"
    versions = sorted(played["made_by"].items(), key=lambda item: -sum(item[1].values()))
    text += "".join(f"; {sum(made.values()):,} by Honeyguide {version}" for version, made in versions)
    text += "." if versions else ", none yet."
    for version, made in versions[1:]:
        text += f" By {version}: {', '.join(sorted(made))}."
    if played["crawls_made"] < played["crawls"]:
        text += " The tables have the topics and seeds that all strategies have crawled."
    return text


def _standings(table: dict[str, Any]) -> str:
    title = f"### Budget {table['budget']}\n\n"
    if not table["standings"]:
        return f"{title}No topic has been crawled by all strategies yet.\n"
    webs = list(table["standings"][0]["by_webs"])
    titles = ("strategy", "mean", *webs, f"− {BASELINE}", "− best", "time")
    rows = [
        [
            each["strategy"],
            f"{each['of_oracle']:.1%}",
            *(f"{each['by_webs'][name]:.0%}" for name in webs),
            _interval(each["over_baseline"]),
            _interval(each["over_best"]),
            "–" if each["time"] is None else f"{each['time']:.2f}",
        ]
        for each in table["standings"]
    ]
    facts = f"Topics: {table['topics']}; topics and seeds: {table['conditions']}.\n\n"
    return f"{title}{facts}{markdown_table(titles, rows)}\n"


def _interval(difference: dict[str, Any] | None) -> str:
    if difference is None:
        return "–"
    low, high = (100 * each for each in difference["interval"])
    mark = "**" if difference["is_clear"] else ""
    mean = f"{mark}{100 * difference['mean']:+.1f}{mark}"
    return mean if low == high else f"{mean} ({low:+.1f} to {high:+.1f})"  # one without width says nothing


def _topics(topics: Sequence[dict[str, Any]]) -> str:
    budgets = list(topics[0]["oracle"])
    titles = ("world", "pages", "topic", "labels", "seeds made", "R", *(f"oracle at {budget}" for budget in budgets))
    rows = [
        [
            f"`{each['world']}`",
            f"{each['pages']:,}",
            each["topic"],
            f"`{each['labels']}`",
            f"{len(each['seeds_made'])} of {len(each['seeds'])}",
            f"{each['R']:,}",
            *(f"{each['oracle'][budget]:,.0f}" for budget in budgets),
        ]
        for each in topics
    ]
    return markdown_table(titles, rows, texts={0, 2, 3}) + "\n"
