"""What the demo shows when the crawls are over: a table, the curves, the best pages, what to type next.

`honeyguide demo`: the strategies compared on a synthetic web, over real HTTP, in about a minute.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from honeyguide.cli.options import OUTPUT_PANEL, JsonFlag, LogFile, Verbosity
from honeyguide.cli.output import command, duration, one_line, percent, print_json
from honeyguide.cli.results import page_table
from honeyguide.cli.search import snippet_text
from honeyguide.crawler import rank
from honeyguide.errors import RunExists
from honeyguide.model.counts import count_of
from honeyguide.runs import downsampled, open_run
from honeyguide.runs.report import write_report
from honeyguide.search import search_runs
from honeyguide.settings import SETTINGS_BY_KEY
from honeyguide_lab.terminal import MARKERS, draw_curves

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.cli.watching import Watch
    from honeyguide.runs import Run
    from honeyguide_lab.compare import Contest, Graded

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
    results = search_runs(run, query, per_page=FOUND_PAGES)
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


STRATEGIES: Final = ("random", "breadth-first", "best-first", "online-ridge")
PAGES: Final = 20_000
HELP: Final = (
    "Compare the strategies on a synthetic web; about a minute, no network needed.\n\n"
    f"Serves a made-up web of {PAGES:,} pages over HTTP on loopback, with dead links, redirects, misleading words and "
    "robots.txt, and crawls it once with each strategy. The web knows what each of its pages is about, and that alone "
    "grades them: the judge that pays the strategies while they crawl has no say in it.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide demo --topic astronomy --keep demo-runs"
)


def demo(
    topic: Annotated[
        str, typer.Option(metavar="NAME", help="One of the topics of the synthetic web, such as astronomy or chess.")
    ] = "geology",
    budget: Annotated[int, typer.Option(metavar="FETCHES", help="Fetches each strategy may spend.")] = 1500,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", show_default=False,
            help=f"A strategy to show; may be given several times. \\[default: {', '.join(STRATEGIES)}]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the web and of every random choice.")] = 1,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", show_default=False, rich_help_panel=OUTPUT_PANEL,
            help="Keep the runs in this folder; else they are deleted at the end.",
        ),
    ] = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:  # fmt: skip
    from honeyguide.cli.watching import watching  # noqa: PLC0415
    from honeyguide_lab.compare import Contest  # noqa: PLC0415

    contest = Contest(topic, budget, spec=f"seed={seed},pages={PAGES}", seed=seed)
    names = list(dict.fromkeys(strategy or STRATEGIES))
    with _runs_in(keep) as folder:
        with watching(verbose, log_file) as watch:
            started = watch.clock.now()
            graded = _crawl_with_each(contest, names, folder, watch)
        if watch.is_interrupted():
            typer.echo(interrupted(graded, keep), err=True)
            raise typer.Exit(watch.is_interrupted.exit_code)
        seconds = watch.clock.now() - started
        if as_json:
            print_document(contest, graded, seconds, keep)
        else:
            print_report(contest, graded, seconds, keep)


def _crawl_with_each(contest: Contest, strategies: list[str], folder: Path, watch: Watch) -> list[Graded]:
    from honeyguide_lab.compare import compare  # noqa: PLC0415

    width = max(map(len, strategies))
    return list(
        compare(
            contest,
            strategies,
            folder,
            listeners_for=lambda settings: watch.listeners(settings, f"{settings.crawl.strategy:{width}}"),
            is_interrupted=watch.is_interrupted,
        )
    )


@contextmanager
def _runs_in(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
            raise RunExists(f"{keep} exists and is not empty; choose another folder for --keep")
        yield keep
        return
    with TemporaryDirectory(prefix="honeyguide-demo-") as folder:
        yield Path(folder)
