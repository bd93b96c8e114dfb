"""How much of a crawl's budget do traps take, with our guard, without it, and with Scrapy's usual limits?

`python benchmarks/traps.py --out FILE.jsonl [--seeds 5-14] [--scenarios ring,maze]
[--arms off,on,loop-detection,scrapy]
[--strategies breadth-first,online-ridge] [--budget 5000] [--http] [--polite]
[--peers PEERS/bin/python] [--jobs 2] [--json]`
`python benchmarks/traps.py --reach [--seeds 5] [--scenarios ...]`
`python benchmarks/traps.py --sites FOLDER [FOLDER...] [--links 1,4,15] [--arms off,on] [--json]`
`python benchmarks/traps.py --wiki WORLD [--links 1] [--strategies online-ridge] [--arms off,on] [--json]`

Every scenario of `docs/explanation/lab.md` on the synthetic web of every seed is crawled by every arm and graded by
what the web knows of its pages. Each crawl is a line of FILE as soon as it has ended; what is there already is not
run again, so a long run can be stopped and taken up, and seeds, arms and scenarios can be added later. The table is
made from FILE.
A FILE belongs to one state of the code: begin another one when guard, web or strategy have changed.

- *off*, *on*: ours, breadth-first and with the default strategy, looking for the topic that half of the trap's pages
  are about (a focused crawler meets the traps of sites on its topic), one fetch at a time in process, without pauses
  but those that hosts ask for; with `--http` the same web served on loopback, sixteen fetches at a time; with
  `--polite` with a second's pause and as many at a time as a crawl has by default (in process: simulated time).
- *loop-detection*: `--profile loop-detection`, its guard and its order by the links to a page; for `--sites` and
  `--wiki` its guard with the strategies named.
- *scrapy*, *scrapy-default*: Scrapy, always over HTTP, in breadth-first order and in its own, with `--depth-limit`, its
  own limit of the length of URLs and its own filter of requests; with `--peers`, an interpreter that has Scrapy, made
  with `python3 -m venv PEERS && PEERS/bin/pip install 'scrapy==2.19.*'`.

*Wasted* is the share of the budget that went to worthless pages and to second copies. *Honest* are the pages that were
worth it, against what the same crawl finds where there is no trap (for *on*: what it finds there without guard).
Precision and recall are of the guard's findings, over the pages that were fetched, all seeds together.

`--reach` follows every link of honest pages from the entry pages of each web and counts what it reaches.

`--sites` crawls folders of HTML with and without guard, each alone and all together with a budget of half their pages.
In Debian: `apt install postgresql-doc-15 python3.11-doc sqlite3-doc`; the folders are then
`/usr/share/doc/postgresql-doc-15/html`, `/usr/share/doc/python3.11/html` and `/usr/share/doc/sqlite3`.
Seeds are trusted, so `--links N` has each site met through N links instead, one from each of N little made-up hosts
that are the seeds, beside an honest synthetic web of 1,000 pages, with a budget of 500 fetches more than the site has
pages; with and without guard, for each N of `--links N,N`. `--wiki` does the same with a world that `honeyguide wiki
build` made, through one link if nothing else is said, beside 4,000 pages, with a budget of 500 and the topic of war.
Findings on pages that are no copies are listed below the table.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict, deque
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import HoneyguideError
from honeyguide.model import Fetched, Redirected, Url
from honeyguide.parse import parse
from honeyguide.settings import STRATEGIES as KNOWN_STRATEGIES
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.wiki import WikiWorld
from honeyguide_lab.traps import Scenario
from machine import machine
from trap_links import compare_linked, sites_to_meet, wiki_to_meet
from trap_runs import (
    ARMS,
    OFF,
    ON,
    PROFILE,
    PROFILE_STRATEGY,
    SCRAPY,
    SCRAPY_DEFAULT,
    Grade,
    Task,
    has_guard,
    run,
)
from trap_sites import SiteGrade, compare_sites

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WEB: Final = "mean_links=4"
STRATEGIES: Final = ("breadth-first", "online-ridge")
DEPTH_LIMIT: Final = 8
Results = dict[str, tuple[Task, Grade]]


def tasks_of(chosen: argparse.Namespace) -> list[Task]:
    """Every crawl that was asked for; the web without a trap is always among them, to compare with."""
    scenarios = list(dict.fromkeys([Scenario.NONE.value, *chosen.scenarios]))
    tasks = []
    for seed, scenario, arm in product(chosen.seeds, scenarios, chosen.arms):
        task = Task(scenario, seed, arm, "", over_http=True, budget=chosen.budget, is_polite=False, web=chosen.web)
        if arm in (SCRAPY, SCRAPY_DEFAULT):
            tasks.append(replace(task, peers=chosen.peers, depth_limit=chosen.depth_limit))
        else:
            ours = replace(task, over_http=chosen.http, is_polite=chosen.polite)
            strategies = [PROFILE_STRATEGY] if arm == PROFILE else chosen.strategies
            tasks += [replace(ours, strategy=strategy) for strategy in strategies]
    return tasks


def run_all(tasks: Sequence[Task], file: Path, jobs: int) -> Results:
    """Run what the file does not have yet, and add it, crawl by crawl."""
    known = _read(file)
    missing = [task for task in tasks if task.key not in known]
    results = {task.key: (task, known[task.key]) for task in tasks if task.key in known}
    print(f"{len(missing)} of {len(tasks)} crawls to run", file=sys.stderr, flush=True)
    with ProcessPoolExecutor(jobs) as workers, file.open("a", encoding="utf-8") as lines:
        running = {workers.submit(run, task): task for task in missing}
        for done in as_completed(running):
            task, grade = running[done], done.result()
            results[task.key] = (task, grade)
            lines.write(json.dumps({"key": task.key, "machine": machine(), "grade": asdict(grade)}) + "\n")
            lines.flush()
            print(
                f"{task.key}: {grade.wasted} of {grade.fetches} wasted, {grade.seconds} s", file=sys.stderr, flush=True
            )
    return results


def _read(file: Path) -> dict[str, Grade]:
    if not file.exists():
        return {}
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return {row["key"]: Grade(**row["grade"]) for row in rows}


def table(results: Results) -> list[dict[str, Any]]:
    """A row for each scenario and way of crawling, over all seeds."""
    groups: dict[tuple[str, str], list[tuple[Task, Grade]]] = defaultdict(list)
    for task, grade in results.values():
        groups[task.scenario, _crawl(task)].append((task, grade))
    order = [scenario.value for scenario in Scenario]
    ways = sorted({way for _, way in groups})
    rows = [_row(scenario, way, groups[scenario, way], results) for scenario in order for way in ways
            if (scenario, way) in groups]  # fmt: skip
    for way in ways:
        of_traps = [each for scenario in order[1:] for each in groups.get((scenario, way), [])]
        if of_traps:
            rows.append(_row("all but none", way, of_traps, results))
    return rows


def _crawl(task: Task) -> str:
    if task.arm in (SCRAPY, SCRAPY_DEFAULT):
        return f"{task.arm}, depth {task.depth_limit}"
    how = f"{', http' if task.over_http else ''}{', polite' if task.is_polite else ''}"
    return f"guard {task.arm}, {task.strategy}{how}"


def _row(scenario: str, way: str, crawls: Sequence[tuple[Task, Grade]], results: Results) -> dict[str, Any]:
    wasted = [grade.wasted / max(1, grade.fetches) for _, grade in crawls]
    kept = [grade.honest / base.honest for task, grade in crawls if (base := _untrapped(task, results)) is not None]
    right = sum(grade.true_findings for _, grade in crawls)
    wrong = sum(grade.false_findings for _, grade in crawls)
    bad = sum(grade.wasted for _, grade in crawls)
    is_guarded = crawls[0][0].arm in (ON, PROFILE)
    return {
        "scenario": scenario,
        "crawl": way,
        "seeds": len({task.seed for task, _ in crawls}),
        "fetches": statistics.mean(grade.fetches for _, grade in crawls),
        "wasted": statistics.mean(wasted),
        "most_wasted": max(wasted),
        "honest": statistics.mean(grade.honest for _, grade in crawls),
        "of_trap": statistics.mean(grade.of_trap for _, grade in crawls),
        "of_untrapped": statistics.mean(kept) if kept else None,
        "precision": right / (right + wrong) if is_guarded and right + wrong else None,
        "recall": right / bad if is_guarded and bad else None,
        "near_copies_found": sum(grade.near_copies_found for _, grade in crawls) if is_guarded else None,
        "seconds": statistics.mean(grade.seconds for _, grade in crawls),
    }


def _untrapped(task: Task, results: Results) -> Grade | None:
    """The same crawl of the same web without a trap, and without guard."""
    same = replace(task, scenario=Scenario.NONE.value)
    for base in (replace(same, arm=OFF), same) if task.arm == ON else (same,):
        if base.key in results:
            return results[base.key][1]
    return None


def markdown(rows: Iterable[dict[str, Any]]) -> str:
    heads = ("scenario", "crawl", "seeds", "wasted (most)", "honest pages (the trap site's)", "of those without a trap",
             "precision", "recall")  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
    for row in rows:
        shares = [_percent(row[name]) for name in ("of_untrapped", "precision", "recall")]
        lines.append(
            f"| {row['scenario']} | {row['crawl']} | {row['seeds']} | {_percent(row['wasted'])} "
            f"({_percent(row['most_wasted'])}) | {row['honest']:,.0f} ({row['of_trap']:,.0f}) | {' | '.join(shares)} |"
        )
    return "\n".join(lines)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def reach(chosen: argparse.Namespace) -> None:
    """Count the honest pages that links of honest pages lead to, and their hosts."""
    for seed, scenario in product(chosen.seeds, chosen.scenarios):
        world = SyntheticWorld(replace(SyntheticSpec.parse(chosen.web), seed=seed, trap=scenario))
        pages, hosts, shown = _reached(world)
        print(
            f"{scenario}, seed {seed}: {pages:,} honest pages on {hosts} hosts, {shown} links into the trap", flush=True
        )


def _reached(world: SyntheticWorld) -> tuple[int, int, int]:
    waiting = deque(world.entry_urls())
    met = set(waiting)
    hosts: set[str] = set()
    pages = into_trap = 0
    while waiting:
        url = waiting.popleft()
        outcome = world.answer(url).outcome
        targets: list[Url] = []
        if isinstance(outcome, Redirected):
            targets = [outcome.target]
        elif isinstance(outcome, Fetched) and "html" in outcome.content_type:
            pages += 1
            hosts.add(url.host)
            targets = [link.target for link in parse(url, outcome).links]
        for target in targets:
            if target in met:
                continue
            met.add(target)
            truth = world.truth(target)
            if truth is not None and truth.trap:
                into_trap += 1
            else:
                waiting.append(target)
    return pages, len(hosts), into_trap


def show_sites(grades: Sequence[SiteGrade], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"machine": machine(), "crawls": [asdict(grade) for grade in grades]}, indent=2))
        return
    print(
        "| site | strategy | guard | fetches | pages | findings | … on copies | on other pages | seconds |\n|"
        + " --- |" * 9
    )
    for each in grades:
        print(f"| {each.site} | {each.strategy} | {each.arm} | {each.fetches} | {each.pages} | {each.findings} | "
              f"{each.on_copies} | {each.findings - each.on_copies} | {each.seconds:.0f} |")  # fmt: skip
    for each in grades:
        for other in each.others:
            print(f"{each.site}, {each.strategy}: {other}")


def _site_grades(chosen: argparse.Namespace) -> list[SiteGrade]:
    if not chosen.wiki and not chosen.links:
        return compare_sites(chosen.sites, chosen.arms, chosen.strategies)
    sites = sites_to_meet(chosen.sites or []) + ([wiki_to_meet(chosen.wiki)] if chosen.wiki else [])
    grades = []
    for grade in compare_linked(sites, chosen.links or [1], chosen.arms, chosen.strategies):
        grades.append(grade)
        told = f"{grade.pages} pages, {grade.findings} with a finding, {grade.seconds:.0f} s"
        print(f"{grade.site}, {grade.strategy}, guard {grade.arm}: {told}", file=sys.stderr, flush=True)
    return grades


def _seeds(text: str) -> list[int]:
    """`5-14`, `3` or `0,2,7`."""
    parts = (part.partition("-") for part in text.split(","))
    return [seed for first, dash, last in parts for seed in range(int(first), int(last if dash else first) + 1)]


def _of(known: Sequence[str], what: str) -> Any:
    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"no {what} is called {name!r}; known are {', '.join(known)}")
        return names

    return read


def _links(text: str) -> list[int]:
    """`1,4,15`."""
    numbers = [int(part) if part.isdecimal() else 0 for part in text.split(",")]
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers from 1 on, as in 1,4,15")
    return numbers


def _wiki(text: str) -> Path:
    try:
        WikiWorld(text).shut()
    except HoneyguideError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return Path(text)


def _site(text: str) -> Path:
    folder = Path(text)
    if not (folder / "index.html").is_file():
        raise argparse.ArgumentTypeError(f"{text} has no index.html: name a folder of HTML")
    return folder


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [scenario.value for scenario in Scenario]
    options.add_argument("--out", type=Path, metavar="FILE", help="where each crawl becomes a line; taken up again")
    options.add_argument("--seeds", type=_seeds, default=_seeds("5-14"), help="0 to 4 served to set thresholds")
    options.add_argument("--scenarios", type=_of(names, "scenario"), default=names)
    options.add_argument("--arms", type=_of(ARMS, "arm"), default=[OFF, ON])
    options.add_argument("--strategies", type=_of(list(KNOWN_STRATEGIES), "strategy"), default=list(STRATEGIES))
    options.add_argument("--budget", type=int, default=5000)
    options.add_argument("--web", default=WEB, metavar="SPEC", help="of the synthetic web, besides seed and trap")
    options.add_argument("--http", action="store_true", help="crawl the served web with our arms too")
    options.add_argument(
        "--polite", action="store_true", help="with the pauses and fetches at a time that a crawl has by default"
    )
    options.add_argument("--peers", default="", metavar="PYTHON", help="of the environment that has Scrapy")
    options.add_argument("--depth-limit", type=int, default=DEPTH_LIMIT, help="of Scrapy; 0 for none")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--json", action="store_true")
    options.add_argument("--reach", action="store_true", help="count the honest pages that can be reached")
    options.add_argument("--sites", type=_site, nargs="+", metavar="FOLDER", help="with an index.html in it")
    options.add_argument("--links", type=_links, default=[], metavar="N[,N...]", help="through which a site is met")
    options.add_argument("--wiki", type=_wiki, metavar="WORLD", help="made by honeyguide wiki build")
    chosen = options.parse_args()
    if chosen.reach:
        reach(chosen)
        return
    if ON in chosen.arms and not has_guard():
        options.error("this version has no setting guard.on; run with --arms off")
    if chosen.sites or chosen.wiki:
        show_sites(_site_grades(chosen), as_json=chosen.json)
        return
    if chosen.links:
        options.error("--links is about --sites or --wiki: name one of them")
    if chosen.out is None:
        options.error("--out FILE is needed: a run takes long, and FILE keeps what is done")
    if not chosen.peers and {SCRAPY, SCRAPY_DEFAULT} & set(chosen.arms):
        options.error("Scrapy needs --peers PYTHON")
    rows = table(run_all(tasks_of(chosen), chosen.out, chosen.jobs))
    if chosen.json:
        print(json.dumps({"machine": machine(), "web": chosen.web, "budget": chosen.budget, "rows": rows}, indent=2))
    else:
        print(machine(), f"web: {chosen.web}, budget: {chosen.budget}")
        print(markdown(rows))


if __name__ == "__main__":
    main()
