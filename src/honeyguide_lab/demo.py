"""The command `honeyguide demo`: strategies compared on a synthetic web, over real HTTP, in about half a minute.

It shows a table, the harvest curves, the best pages, and what to type next.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

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
from honeyguide.crawler import StopReason, crawl, rank
from honeyguide.crawler.reporting import write_report
from honeyguide.errors import HoneyguideError, RunExists
from honeyguide.model.clock import RealClock
from honeyguide.model.counts import count_of
from honeyguide.runs import downsampled, harvest_curve, open_run
from honeyguide.search import search_runs
from honeyguide.settings import SETTINGS_BY_KEY, settings_from, validate, with_overrides
from honeyguide.settings.sections import OFFLINE_FETCHES
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.web.serving import open_browser, serving_beside
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.grading import grade, graded
from honeyguide_lab.labels import TruthLabels
from honeyguide_lab.oracle import Oracle
from honeyguide_lab.parallel import run_crawls
from honeyguide_lab.terminal import MARKERS, draw_curves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from honeyguide.cli.progress import CrawlScreen
    from honeyguide.crawler import Event as CrawlEvent
    from honeyguide.crawler import Listener
    from honeyguide.runs import Run
    from honeyguide.settings import Settings
    from honeyguide_lab.grading import Grade

CURVE_POINTS: Final = 101
_LOOK_EVERY_S: Final = 2.0
BEST_PAGES: Final = 5
FOUND_PAGES: Final = 2
RANKED_PAGES: Final = 3
WATCHED_DELAY_S: Final = 1.0  # between two requests to a host
GRADE: Final = "the generator's own truth about each page, never the judge that pays the strategies"

_COLOURS: Final = ("bright_black", "blue", "magenta", "green", "yellow", "cyan", "red", "white")


@dataclass(frozen=True, slots=True)
class Contest:
    """The conditions that are the same for every strategy of a demo."""

    topic: str
    budget: int  # fetches
    spec: str = ""  # of the synthetic web, as in seed=1,pages=20000
    seed: int = 0  # of every random choice of the crawls
    over_http: bool = True
    is_watched: bool = False  # slow enough for a person to follow and to answer, and searched while it grows

    def settings(self, strategy: str) -> Settings:
        """The settings of one contender, fit to crawl and to resume by; raises what is wrong with the contest."""
        world = "synthetic+http" if self.over_http else "synthetic"
        settings = settings_from(
            {
                "topic": {"name": self.topic, "keywords": self.web().keywords_for(self.topic)},
                "crawl": {"world": f"{world}:{self.spec}", "strategy": strategy, "seed": self.seed},
            }
        )
        # On loopback there is nobody to be polite to: robots.txt is obeyed, but its pauses are cut short.
        quick = {"politeness.delay_s": 0.0, "politeness.max_delay_s": 0.05, "politeness.delay_factor": 0.0}
        if self.is_watched:
            quick = {"politeness.delay_s": WATCHED_DELAY_S, "politeness.max_delay_s": 1.0}
        # The made-up servers fail in the same way every time, and offline and served crawls are to be alike.
        as_offline = {"fetch.retries": 0, "fetch.backoff_s": 0.0, "crawl.concurrency": OFFLINE_FETCHES}
        # The demo is about choosing; whoever wants to search a run can have it indexed later.
        search = "auto" if self.is_watched else "off"
        chosen = {"budget.fetches": self.budget, "search.live": search, **quick, **as_offline}
        settings = with_overrides(settings, chosen)
        validate(settings)
        return settings

    def web(self) -> SyntheticWorld:
        """The web itself, which knows what its pages are about."""
        return SyntheticWorld(SyntheticSpec.parse(self.spec))


@dataclass(frozen=True, slots=True)
class DemoCrawl:
    """A strategy and what came of its crawl."""

    strategy: str
    run: Path
    grade: Grade
    seconds: float  # by the crawl's clock: real ones over HTTP

    @property
    def pages_per_s(self) -> float:
        return self.grade.pages / self.seconds if self.seconds else 0.0

    def document(self, keep: Path | None) -> dict[str, Any]:
        figures = self.grade.document()
        return {
            "strategy": self.strategy,
            "run": None if keep is None else str(self.run),
            "stop_reason": self.grade.stop_reason,
            "fetches": self.grade.fetches,
            "pages": self.grade.pages,
            "on_topic": self.grade.relevant,
            "harvest_rate": round(figures["harvest_rate"], 6),
            "share_found": round(figures["target_recall"], 6),
            "area_under_curve": round(figures["area_under_curve"], 6),
            "judged_relevant": self.grade.judged_relevant,
            "seconds": round(self.seconds, 3),
            "pages_per_s": round(self.pages_per_s, 1),
            "curve": [list(point) for point in downsampled(self.grade.curve, CURVE_POINTS)],
        }


def crawl_with_each(
    contest: Contest,
    strategies: Sequence[str],
    folder: Path,
    *,
    listeners_for: Callable[[Settings], Sequence[Listener]] = lambda _: (),
    is_interrupted: Callable[[], bool] = lambda: False,
) -> Iterator[DemoCrawl]:
    """Crawl once with each strategy, into a run folder of its name, and grade each run as soon as it is there.

    Every mistake in the contest or the names is raised before the first crawl. Ends early when interrupted.
    """
    settings_by_strategy = {strategy: contest.settings(strategy) for strategy in strategies}
    grader, vectors = _Grader(contest), WordVectors(EnglishVectors())
    for strategy, settings in settings_by_strategy.items():
        if is_interrupted():
            return
        path, listeners = folder / strategy, listeners_for(settings)
        crawl(path, settings, listeners=listeners, is_interrupted=is_interrupted, vectors=vectors).close()
        yield grader.grade(strategy, path)


def crawl_side_by_side(
    contest: Contest,
    strategies: Sequence[str],
    folder: Path,
    *,
    is_interrupted: Callable[[], bool] = lambda: False,
    on_curves: Callable[[Mapping[str, Sequence[int]]], None] | None = None,
) -> list[DemoCrawl]:
    """Do the same in processes of their own, one a core; `on_curves` sees the curves grow.

    When interrupted, all crawls end, and those that had begun come back.
    """
    # The cores have enough to do; a worker for each crawl as well would only cost time.
    tasks = [
        DemoTask(folder / strategy, with_overrides(contest.settings(strategy), {"crawl.workers": 0}))
        for strategy in strategies
    ]
    grader, clock = _Grader(contest), RealClock()
    next_look = clock.now()

    def look(_: int) -> None:
        nonlocal next_look
        if on_curves is not None and clock.now() >= next_look:
            curves = {task.run.name: grader.curve_so_far(task.run) if task.is_begun else [0] for task in tasks}
            on_curves(curves)
            next_look = clock.now() + _LOOK_EVERY_S

    # The last named learn, and take longest: begun first, none of them runs alone at the end.
    run_crawls(tasks[::-1], is_interrupted=is_interrupted, on_progress=look)
    return [grader.grade(task.run.name, task.run) for task in tasks if task.is_begun]


@dataclass(frozen=True, slots=True)
class DemoTask:
    """A crawl of the demo, to be made in a process of its own."""

    run: Path
    settings: Settings
    is_done: ClassVar[bool] = False
    spent: ClassVar[int] = 0

    @property
    def budget(self) -> int:
        return self.settings.budget.fetches

    @property
    def is_begun(self) -> bool:
        """Whether there is a run that can be read."""
        try:
            open_run(self.run).close()
        except HoneyguideError:
            return False
        return True

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        crawl(self.run, self.settings, is_interrupted=is_interrupted).close()
        on_steps(self.budget)


class _Grader:
    """Grades runs by what the web itself knows of its pages."""

    def __init__(self, contest: Contest) -> None:
        web = contest.web()
        self._is_on_topic = TruthLabels(web, contest.topic).is_on_topic
        self._budget = contest.budget
        self._no_oracle = Oracle(reachable=web.on_topic_pages(contest.topic), bound=[0], curve=[0])

    def grade(self, strategy: str, path: Path) -> DemoCrawl:
        with open_run(path) as run:
            figures = grade(run, self._is_on_topic, self._budget, self._no_oracle)
            return DemoCrawl(strategy, path, figures, run.progress.spent_seconds)

    def curve_so_far(self, path: Path) -> Sequence[int]:
        with open_run(path) as run:
            steps = list(run.steps())
        return harvest_curve(graded(steps, self._is_on_topic), len(steps))


def print_report(contest: Contest, graded: Sequence[DemoCrawl], seconds: float, keep: Path | None) -> None:
    """Everything for a person to read, in colour where there is a terminal."""
    console = _console()
    there_are = graded[0].grade.oracle.reachable
    console.print(
        f"A synthetic web of {contest.web().spec.pages:,} pages over HTTP, {there_are:,} about {contest.topic};\n"
        f"{contest.budget:,} fetches for each strategy, {duration(seconds)} in all.\n\n"
        f"Graded by {GRADE}."
    )
    console.print(_table(graded))
    console.print(
        f"found: share of the {there_are:,} there are; judged: what the judge called relevant.\n", style="dim"
    )
    console.print(_curves({each.strategy: each.grade.curve for each in graded}, console.width))
    winner = max(graded, key=lambda each: each.grade.relevant)
    console.print(f"\nWhat the judge liked best of the pages that {winner.strategy} found:")
    with open_run(winner.run) as run:
        console.print(page_table(list(run.pages(best_first=True, limit=BEST_PAGES))))
        _print_search(console, run, " OR ".join(contest.settings(winner.strategy).topic.keywords[:2]))
        _print_ranks(console, run)
    console.print(_next_steps(contest, winner, keep), markup=False, soft_wrap=True)
    page = write_report(winner.run, None if keep else Path(mkdtemp(prefix="honeyguide-demo-")) / "report.html")
    console.print(f"\nLook at what {winner.strategy} found, in a browser: {page}", markup=False, soft_wrap=True)


def print_document(contest: Contest, graded: Sequence[DemoCrawl], seconds: float, keep: Path | None) -> None:
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
            "on_topic_pages_in_web": graded[0].grade.oracle.reachable,
            "seconds": round(seconds, 3),
            "strategies": [each.document(keep) for each in graded],
            "settings": values,
        }
    )


def interrupted(graded: Sequence[DemoCrawl], keep: Path | None) -> str:
    """Return the line to show after Ctrl-C: how to go on, or to start again."""
    stopped = [each.run for each in graded if each.grade.stop_reason == StopReason.INTERRUPTED]
    if keep is None or not stopped:
        return "stopped; start again with: honeyguide demo"
    return "\n  ".join(["stopped; go on with:", *(command("resume", run) for run in stopped)])


def _console() -> Console:
    """Plain and 80 columns wide where there is no terminal to ask."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, no_color=True, force_terminal=False, width=80)


def _table(graded: Sequence[DemoCrawl]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("strategy", no_wrap=True)
    for title in ("fetches", "pages", "on topic", "harvest", "found", "judged", "pages/s"):
        table.add_column(title, justify="right")
    best = max(each.grade.relevant for each in graded)
    for each in graded:
        found, figures = each.grade, each.grade.document()
        table.add_row(
            each.strategy,
            f"{found.fetches:,}",
            f"{found.pages:,}",
            f"{found.relevant:,}",
            percent(figures["harvest_rate"]),
            percent(figures["target_recall"]),
            f"{found.judged_relevant:,}",
            f"{each.pages_per_s:,.0f}",
            style="bold" if found.relevant == best else "",
        )
    return table


def _curves(curves: Mapping[str, Sequence[int]], width: int) -> Text:
    drawn = Text(draw_curves(curves, x_title="fetches", y_title="on-topic pages", width=min(width, 100)))
    for marker, colour in zip(MARKERS, _COLOURS, strict=True):
        drawn.highlight_regex(f"[{marker}]+", colour)
    return drawn


def _print_search(console: Console, run: Run, query: str) -> None:
    """Print the first pages that a search of the run finds."""
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


def _next_steps(contest: Contest, winner: DemoCrawl, keep: Path | None) -> str:
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
WATCHED_STRATEGY: Final = "online-ridge"
PAGES: Final = 20_000
HELP: Final = (
    "Compare the strategies on a synthetic web; half a minute, no network needed.\n\n"
    f"Serves a made-up web of {PAGES:,} pages over HTTP on loopback, with dead links, redirects, misleading words and "
    "robots.txt, and crawls it once with each strategy, one a core; with -v, --log-file or --serve one after the "
    "other. The web knows what each of its pages is about, and that alone "
    "grades them: the judge that pays the strategies while they crawl has no say in it.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide demo --topic astronomy --keep demo-runs\n\n"
    "  honeyguide demo --serve"
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
    serve: Annotated[
        bool,
        typer.Option(
            "--serve", metavar="",
            help=f"Watch it in the dashboard, as honeyguide serve shows it, until Ctrl-C: {WATCHED_STRATEGY} alone, "
            "unless --strategy names others, and slowly enough to follow.",
        ),
    ] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", metavar="", help="With --serve: print the address, open no browser.")
    ] = False,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:  # fmt: skip
    from honeyguide.cli.watching import watching  # noqa: PLC0415

    contest = Contest(topic, budget, spec=f"seed={seed},pages={PAGES}", seed=seed, is_watched=serve)
    names = list(dict.fromkeys(strategy or ((WATCHED_STRATEGY,) if serve else STRATEGIES)))
    with _runs_in(keep) as folder, ExitStack() as stack:
        shown = stack.enter_context(_dashboard(folder, browser=not no_browser)) if serve else ()
        with watching(verbose, log_file) as watch:
            started = watch.clock.now()
            if serve or verbose or log_file or len(names) == 1:  # followed step by step, so one after the other
                width = max(map(len, names))
                crawls = crawl_with_each(
                    contest,
                    names,
                    folder,
                    listeners_for=lambda settings: [
                        *watch.listeners(settings, f"{settings.crawl.strategy:{width}}"),
                        *shown,
                    ],
                    is_interrupted=watch.is_interrupted,
                )
                graded = list(crawls)
            else:
                graded = crawl_side_by_side(
                    contest, names, folder, is_interrupted=watch.is_interrupted, on_curves=_curves_on(watch.live)
                )
        if watch.is_interrupted():
            typer.echo(interrupted(graded, keep), err=True)
            raise typer.Exit(watch.is_interrupted.exit_code)
        seconds = watch.clock.now() - started
        if as_json:
            print_document(contest, graded, seconds, keep)
        else:
            print_report(contest, graded, seconds, keep)
        if serve:
            typer.echo("\nThe dashboard stays until Ctrl-C.", err=True)
            with suppress(KeyboardInterrupt):
                Event().wait()


def _curves_on(screen: CrawlScreen | None) -> Callable[[Mapping[str, Sequence[int]]], None] | None:
    """Return what draws the curves while they grow; None where there is no terminal."""
    if screen is None:
        return None

    def draw(curves: Mapping[str, Sequence[int]]) -> None:
        fetches = sum(len(curve) - 1 for curve in curves.values())
        drawn = _curves(curves, screen.console.width)
        screen.update(Text(f"{fetches:,} fetches so far\n").append_text(drawn), refresh=True)

    return draw


@contextmanager
def _dashboard(folder: Path, *, browser: bool) -> Iterator[tuple[Listener]]:
    """Serve the runs of a folder; yields a listener that shows the first run as soon as there is one."""
    folder.mkdir(parents=True, exist_ok=True)
    with serving_beside([folder]) as address:
        is_open = not browser

        def show(event: CrawlEvent) -> None:
            nonlocal is_open
            del event
            if not is_open:
                is_open = True
                open_browser(f"{address}runs/{next(folder.iterdir()).name}")

        typer.echo(f"The dashboard is at {address}\nStop it with Ctrl-C.\n", err=True)
        yield (show,)


@contextmanager
def _runs_in(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
            raise RunExists(f"{keep} exists and is not empty; choose another folder for --keep")
        yield keep
        return
    with TemporaryDirectory(prefix="honeyguide-demo-") as folder:
        yield Path(folder)
