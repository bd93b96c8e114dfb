"""What the demo shows when the crawls are over: a table, the curves, the best pages, what to type next."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from honeyguide.cli.results import page_table
from honeyguide.cli.search import snippet_text
from honeyguide.cli.summary import print_json
from honeyguide.cli.words import command, duration, one_line, percent
from honeyguide.counts import count_of
from honeyguide.index import search
from honeyguide.ranking import rank
from honeyguide.report import MARKERS, downsampled, draw_curves
from honeyguide.report.run_page import write_report
from honeyguide.settings import SETTINGS_BY_KEY
from honeyguide.store import open_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.experiments import Contest, Graded
    from honeyguide.store import Run

CURVE_POINTS: Final = 101
BEST_PAGES: Final = 5
FOUND_PAGES: Final = 2
RANKED_PAGES: Final = 3
GRADE: Final = "the generator's own truth about each page, never the judge that pays the strategies"

_COLOURS: Final = ("bright_black", "blue", "magenta", "green", "yellow", "cyan", "red", "white")


def print_report(contest: Contest, graded: Sequence[Graded], seconds: float, keep: Path | None) -> None:
    """Everything for a person to read, in colour where there is a terminal."""
    console = _console()
    there_are = graded[0].on_topic_in_web
    console.print(
        f"A synthetic web of {contest.web().spec.pages:,} pages over HTTP, {there_are:,} about {contest.topic};\n"
        f"{contest.budget:,} fetches for each strategy, {duration(seconds)} in all.\n\n"
        f"Graded by {GRADE}."
    )
    console.print(_table(graded))
    console.print(
        f"found: share of the {there_are:,} there are; judged: what the judge called relevant.\n", style="dim"
    )
    console.print(_curves(graded, console.width))
    winner = max(graded, key=lambda each: each.on_topic)
    console.print(f"\nWhat the judge liked best of the pages that {winner.strategy} found:")
    with open_run(winner.run) as run:
        console.print(page_table(list(run.pages(best_first=True, limit=BEST_PAGES))))
        _print_search(console, run, " OR ".join(contest.settings(winner.strategy).topic.keywords[:2]))
        _print_ranks(console, run)
    console.print(_next_steps(contest, winner, keep), markup=False, soft_wrap=True)
    page = write_report(winner.run, None if keep else Path(mkdtemp(prefix="honeyguide-demo-")) / "report.html")
    console.print(f"\nLook at what {winner.strategy} found, in a browser: {page}", markup=False, soft_wrap=True)


def print_document(contest: Contest, graded: Sequence[Graded], seconds: float, keep: Path | None) -> None:
    """The same for programs."""
    shared = contest.settings(graded[0].strategy)
    values = {key: setting.value_in(shared) for key, setting in SETTINGS_BY_KEY.items() if key != "crawl.strategy"}
    print_json(
        {
            "honeyguide": metadata.version("honeyguide"),
            "topic": contest.topic,
            "keywords": list(shared.topic.keywords),
            "world": shared.crawl.world,
            "budget": contest.budget,
            "seed": contest.seed,
            "grade": GRADE,
            "on_topic_pages_in_web": graded[0].on_topic_in_web,
            "seconds": round(seconds, 3),
            "strategies": [_document(each, keep) for each in graded],
            "settings": values,
        }
    )


def interrupted(graded: Sequence[Graded], keep: Path | None) -> str:
    """What is left after Ctrl-C."""
    if keep is None or not graded:
        return "stopped; start again with: honeyguide demo"
    return f"stopped; go on with: {command('resume', graded[-1].run)}"


def _document(graded: Graded, keep: Path | None) -> dict[str, Any]:
    return {
        "strategy": graded.strategy,
        "run": None if keep is None else str(graded.run),
        "stop_reason": graded.stop_reason,
        "fetches": graded.fetches,
        "pages": graded.pages,
        "on_topic": graded.on_topic,
        "harvest_rate": round(graded.harvest_rate, 6),
        "share_found": round(graded.share_found, 6),
        "area_under_curve": round(graded.area_under_curve, 6),
        "judged_relevant": graded.judged_relevant,
        "seconds": round(graded.seconds, 3),
        "pages_per_s": round(graded.pages_per_s, 1),
        "curve": [list(point) for point in downsampled(graded.curve, CURVE_POINTS)],
    }


def _console() -> Console:
    """Plain and 80 columns wide where there is no terminal to ask."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, no_color=True, force_terminal=False, width=80)


def _table(graded: Sequence[Graded]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("strategy", no_wrap=True)
    for title in ("fetches", "pages", "on topic", "harvest", "found", "judged", "pages/s"):
        table.add_column(title, justify="right")
    best = max(each.on_topic for each in graded)
    for each in graded:
        table.add_row(
            each.strategy,
            f"{each.fetches:,}",
            f"{each.pages:,}",
            f"{each.on_topic:,}",
            percent(each.harvest_rate),
            percent(each.share_found),
            f"{each.judged_relevant:,}",
            f"{each.pages_per_s:,.0f}",
            style="bold" if each.on_topic == best else "",
        )
    return table


def _curves(graded: Sequence[Graded], width: int) -> Text:
    curves = {each.strategy: each.curve for each in graded}
    drawn = Text(draw_curves(curves, x_title="fetches", y_title="on-topic pages", width=min(width, 100)))
    for marker, colour in zip(MARKERS, _COLOURS, strict=True):
        drawn.highlight_regex(f"[{marker}]+", colour)
    return drawn


def _print_search(console: Console, run: Run, query: str) -> None:
    """What a search of the run finds."""
    results = search(run, query, per_page=FOUND_PAGES)
    console.print(f'honeyguide search finds {count_of(results.total, "page")} for "{query}":', markup=False)
    for hit in results.hits:
        console.print(Text.assemble(f"  {hit.score:.3f}  ", (one_line(hit.title), "bold")))
        console.print(Padding(snippet_text(hit.snippet), (0, 0, 0, 9)))
    console.print()


def _print_ranks(console: Console, run: Run) -> None:
    """The pages that the relevant ones lead to most, by PageRank."""
    ranking = rank(run, personal="relevant" if run.progress.relevant else ())
    console.print(f"honeyguide rank finds these best linked around the topic, of {ranking.graph.vertices:,} URLs met:")
    for url, value in ranking.top(RANKED_PAGES):
        console.print(f"  {value:.4f}  {url}", markup=False, soft_wrap=True)
    console.print()


def _next_steps(contest: Contest, winner: Graded, keep: Path | None) -> str:
    if keep is None:
        runs = ["honeyguide demo --keep demo-runs"]
    else:
        runs = [command("results", winner.run), command("resume", winner.run, "--budget", "+1000")]
        runs += [command("search", winner.run, contest.topic), command("report", winner.run)]
    keywords = contest.settings(winner.strategy).topic.keywords[1:3]
    lines = [
        "Next:",
        *runs,
        f"honeyguide crawl my-run --world synthetic --topic {contest.topic} \\",
        "    " + " ".join(f"--keyword {word}" for word in keywords),
    ]
    return "\n  ".join(lines) + ("" if keep is None else f"\n\nThe runs are in {keep}.")
