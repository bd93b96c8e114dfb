"""`honeyguide lab`: strategies measured against one another and against an oracle, on offline worlds."""

from __future__ import annotations

import inspect
import sys
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeAlias

import typer
from rich.console import Console

from honeyguide.cli.options import OUTPUT_PANEL, JsonFlag, LogFile, Verbosity, parse_assignment, whole_number
from honeyguide.cli.watching import Interruption
from honeyguide.errors import SettingsError
from honeyguide.model.clock import RealClock
from honeyguide.settings import USUAL_STRATEGIES, read_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from honeyguide.model.clock import Clock

app = typer.Typer(
    name="lab",
    help="Measure strategies against one another, on offline worlds.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_LINE_EVERY_S: Final = 60
_PACE_S: Final = 600  # strategies differ in speed: the time left is told by the pace of ten minutes
_WHAT: Final = "What is looked for, and where"
_HOW: Final = "How it is measured"
_FILE_HELP: Final = (
    "Everything can stand in one TOML file instead (--config), for many topics at once; flags go over it. Called again "
    "with the same folder, it goes on where it stopped."
)
COMPARE_HELP: Final = (
    "Compare strategies on offline worlds, against labels that none of them sees.\n\n"
    "Every topic of every world is crawled by every strategy, once for each repeat, and graded by labels, never by the "
    "judge that pays the strategies. An oracle that knows the whole world says how well it could be done. "
    f"{_FILE_HELP}\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide lab compare --world synthetic:seed=1,pages=3000 \\\n"
    "      --topic geology --topic astronomy --budget 500 --repeats 3 -o comparison"
)
REPRODUCE_HELP: Final = (
    "Make the experiments of a paper again, with our figures beside the published ones.\n\n"
    "PAPER is one of [bold]han2018[/bold], [bold]lim2016[/bold], [bold]pertejo2021[/bold], [bold]wikicrawler[/bold]. "
    "The crawls are made on a synthetic web and on every wiki that is named with --world; han2018 and pertejo2021 do "
    "without the web where another world is named. Called again with the same folder, it goes on where it stopped.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide lab reproduce lim2016 --world wiki:simple -o lim2016"
)
SWEEP_HELP: Final = (
    "Try one setting of a strategy with several values.\n\n"
    f"The same as [bold]lab compare[/bold], with values in the place of strategies. {_FILE_HELP}\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide lab sweep --parameter online_ridge.regularisation --values 0.1,1,10 \\\n"
    "      --world synthetic:seed=1,pages=3000 --topic geology --budget 500 -o sweep"
)
ASK_HELP: Final = (
    "Measure what answers about pages bring.\n\n"
    "The same as [bold]lab compare --strategy online-ridge --ask 0,2,5,10,20,40[/bold]: the labels that grade a crawl "
    "also answer so many questions about its pages. Draws the harvest over the number of answers, with intervals. "
    f"{_FILE_HELP}\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide lab ask --world wiki:simple --topic geology --topic chess --budget R -o answers"
)
LEADERBOARD_HELP: Final = (
    "Rank all strategies on several webs, with paired intervals.\n\n"
    "In the first round every strategy crawls some topics of each web, in the second the best six crawl all of them, "
    "also with a larger budget and with ten answers. FOLDER gets leaderboard.md, .json and .csv. Called again with the "
    "same folder, it goes on where it stopped; crawls of other code are kept and named in the table, and made again "
    "once their files in FOLDER/crawls are removed.\n\n"
    "Without --config it takes the synthetic webs. A file names others, a dump or folders of HTML: "
    "benchmarks/leaderboard.toml is one, and says where its data comes from.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide lab leaderboard --quick -o leaderboard"
)
_USUAL_BY_COMMAND: Final[dict[str, dict[str, Any]]] = {
    "sweep": {"parameter": "", "values": []},
    "ask": {"strategies": ["online-ridge"], "ask": [0, 2, 5, 10, 20, 40]},
}
"""What a command has the experiment say where neither file nor flags do."""


def _option(*names: str, panel: str = _HOW, **more: Any) -> Any:  # noqa: ANN401
    return typer.Option(*names, show_default=False, rich_help_panel=panel, **more)


Jobs: TypeAlias = Annotated[
    int | None, _option("--jobs", metavar="N", min=1, help="Processes. [dim]\\[default: one a core][/dim]")
]
Output: TypeAlias = Annotated[
    Path,
    _option("-o", "--output", panel=OUTPUT_PANEL, metavar="FOLDER", help="Where runs, figures and plots are kept."),
]


Worlds: TypeAlias = Annotated[
    list[str] | None,
    _option("--world", panel=_WHAT, metavar="WORLD", help="An offline world; may be given several times."),
]
Topics: TypeAlias = Annotated[
    list[str] | None, _option("--topic", panel=_WHAT, metavar="TEXT", help="A topic; may be given several times.")
]
Keywords: TypeAlias = Annotated[
    list[str] | None,
    _option(
        "--keyword",
        panel=_WHAT,
        metavar="WORD",
        help="A word that the crawler is told of the topic; for one topic only. The synthetic web has its own.",
    ),
]
SeedUrls: TypeAlias = Annotated[
    list[str] | None,
    _option("--seed-url", panel=_WHAT, metavar="URL", help="Where to start. Without it: the world's entry pages."),
]
Seeds: TypeAlias = Annotated[
    str | None,
    _option("--seeds", panel=_WHAT, metavar="random:N", help="Start cold: from N off-topic pages, drawn each repeat."),
]
Labels: TypeAlias = Annotated[
    str | None,
    _option(
        "--labels",
        panel=_WHAT,
        metavar="RULE",
        help="What is on topic: truth (of a synthetic web), category:REGEX, url:REGEX, csv:FILE with columns url and "
        "label, or word:TERM in the text. {topic} stands for the topic. Without it: the world's own.",
    ),
]
Budget: TypeAlias = Annotated[
    str | None,
    _option(
        "--budget",
        metavar="FETCHES",
        help="Fetches each crawl may spend, or R for as many as there are on-topic pages. [dim]\\[default: 1000][/dim]",
    ),
]
Strategies: TypeAlias = Annotated[
    list[str] | None,
    _option(
        "--strategy",
        metavar="NAME",
        help=f"May be given several times. Without it: {', '.join(USUAL_STRATEGIES)}.",
    ),
]
Repeats: TypeAlias = Annotated[
    str | None, _option("--repeats", metavar="N", help="Crawls of each kind. [dim]\\[default: 3][/dim]")
]
FirstSeed: TypeAlias = Annotated[
    str | None, _option("--seed", metavar="N", help="Seed of the first repeat; the others count up from it.")
]
Answers: TypeAlias = Annotated[
    str | None,
    _option(
        "--ask",
        metavar="N,…",
        help="Let the labels answer N questions of each strategy once more; several numbers are compared.",
    ),
]
PerfectJudge: TypeAlias = Annotated[
    bool | None,
    _option(
        "--perfect-judge",
        metavar="",
        help="Let the labels judge for each strategy once more, to tell losses of the judge from others.",
    ),
]
Assignments: TypeAlias = Annotated[
    list[str] | None,
    _option("--set", metavar="SECTION.KEY=VALUE", help="Any other setting, for all strategies alike."),
]
ExperimentFile: TypeAlias = Annotated[
    Path | None,
    _option("--config", metavar="FILE", help="A TOML file of the experiment; see docs/howto/compare-strategies.md."),
]


def sweep(
    context: typer.Context,
    output: Output,
    parameter: Annotated[str | None, _option("--parameter", metavar="SECTION.KEY", help="The setting to vary.")] = None,
    values: Annotated[
        str | None, _option("--values", metavar="A,B,…", help="Its values, with commas between them.")
    ] = None,
    world: Worlds = None,
    topic: Topics = None,
    keyword: Keywords = None,
    seed_url: SeedUrls = None,
    seeds: Seeds = None,
    labels: Labels = None,
    budget: Budget = None,
    strategy: Strategies = None,
    repeats: Repeats = None,
    seed: FirstSeed = None,
    ask: Answers = None,
    perfect_judge: PerfectJudge = None,
    set_: Assignments = None,
    config: ExperimentFile = None,
    jobs: Jobs = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:
    from honeyguide.cli.output import print_json  # noqa: PLC0415 - the engine takes a while to load
    from honeyguide_lab.compare import compare_strategies  # noqa: PLC0415
    from honeyguide_lab.spec import experiment_from  # noqa: PLC0415

    tried = None if values is None else [parse_assignment(f"value={each.strip()}")[1] for each in values.split(",")]
    asked = None if ask is None else [whole_number(each) for each in ask.split(",")]
    usual = _USUAL_BY_COMMAND.get(str(context.info_name), {})
    given = {
        "worlds": world, "seed_urls": seed_url, "seeds": seeds, "labels": labels, "budget": whole_number(budget),
        "strategies": strategy, "repeats": whole_number(repeats), "seed": whole_number(seed),
        "parameter": parameter, "values": tried, "ask": asked, "perfect_judge": perfect_judge,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    experiment = experiment_from(usual | _document(config, topic, keyword, set_) | given)
    with _watching(verbose, log_file) as (is_interrupted, on_progress):
        done = compare_strategies(experiment, output, jobs=jobs, is_interrupted=is_interrupted, on_progress=on_progress)
    if done is None:
        _stop(is_interrupted)
    if as_json:
        print_json(done.document)
    else:
        print(done.table)
        print(f"Runs, steps, figures{' and plots' if done.has_plots else ''} are in {output}.")
    _tell_of_plots(has_plots=done.has_plots)


def _without(command: Callable[..., None], *names: str) -> Callable[..., None]:
    """Return the same command with fewer options."""
    kept = {
        name: parameter
        for name, parameter in inspect.signature(command, eval_str=True).parameters.items()
        if name not in names
    }

    def called(**given: Any) -> None:  # noqa: ANN401
        command(**given)

    called.__signature__ = inspect.Signature(list(kept.values()))  # type: ignore[attr-defined]
    called.__annotations__ = {name: parameter.annotation for name, parameter in kept.items()}
    return called


app.command("compare", help=COMPARE_HELP, short_help="Compare strategies with one another and with an oracle.")(
    _without(sweep, "parameter", "values")
)
app.command("ask", help=ASK_HELP, short_help="Measure what answers about pages bring.")(
    _without(sweep, "parameter", "values")
)
app.command("sweep", help=SWEEP_HELP, short_help="Try one setting of a strategy with several values.")(sweep)


@app.command("leaderboard", help=LEADERBOARD_HELP, short_help="Rank all strategies on several webs.")
def leaderboard(
    output: Annotated[
        Path, _option("-o", "--output", panel=OUTPUT_PANEL, metavar="FOLDER", help="Where results and tables are kept.")
    ],
    config: Annotated[
        Path | None,
        _option("--config", metavar="FILE", help="A TOML file of the webs; see docs/howto/compare-strategies.md."),
    ] = None,
    quick: Annotated[
        bool,
        _option("--quick", metavar="", help="Two topics, one repeat, 100 fetches and one round: minutes."),
    ] = False,
    jobs: Jobs = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:
    from honeyguide.cli.output import print_json  # noqa: PLC0415 - the engine takes a while to load
    from honeyguide_lab.leaderboard import SYNTHETIC_WEBS, leaderboard_from, make_leaderboard  # noqa: PLC0415

    board = leaderboard_from(SYNTHETIC_WEBS if config is None else read_toml(config))
    with _watching(verbose, log_file) as (is_interrupted, on_progress):
        done = make_leaderboard(
            board.quick() if quick else board, output, jobs=jobs, is_interrupted=is_interrupted, on_progress=on_progress
        )
    if done is None or not done.is_complete:
        _stop(is_interrupted)
    if as_json:
        print_json(done.document)
    else:
        print(done.table)
        print(f"The tables and the results of all crawls are in {output}.")


@app.command("reproduce", help=REPRODUCE_HELP, short_help="Make the experiments of a paper again.")
def reproduce(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="han2018, lim2016, pertejo2021 or wikicrawler.", show_default=False)
    ],
    output: Output,
    world: Annotated[
        list[str] | None,
        _option(
            "--world",
            panel=_WHAT,
            metavar="WORLD",
            help="wiki:PATH, or a synthetic web in the place of the paper's own; may be given several times.",
        ),
    ] = None,
    quick: Annotated[
        bool,
        _option("--quick", metavar="", help="Smaller in everything: about two minutes at most."),
    ] = False,
    vectors: Annotated[
        str | None,
        _option("--vectors", metavar="FILE", help="Word vectors to be tried beside the bundled ones."),
    ] = None,
    steps: Annotated[
        int | None,
        _option("--steps", metavar="N", min=1, help="Fetches of a crawling task; the paper's is 10000."),
    ] = None,
    tasks: Annotated[int | None, _option("--tasks", metavar="N", min=1, help="Crawling tasks in a row.")] = None,
    trials: Annotated[
        int | None, _option("--trials", metavar="N", min=1, help="Independent repeats of the whole.")
    ] = None,
    share: Annotated[
        list[float] | None,
        _option("--share", metavar="PART", help="Of a world, where only a part is crawled; may be repeated."),
    ] = None,
    ablations: Annotated[
        bool,
        _option("--ablations", metavar="", help="Look for the reasons as well."),
    ] = False,
    seed: Annotated[
        str, typer.Option("--seed", metavar="N", rich_help_panel=_HOW, help="Seed of every random choice.")
    ] = "0",
    jobs: Jobs = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:
    from honeyguide.cli.output import print_json  # noqa: PLC0415 - the engine takes a while to load
    from honeyguide_lab.reproduce import StudyOptions  # noqa: PLC0415
    from honeyguide_lab.reproduce import reproduce as make_again  # noqa: PLC0415

    number = whole_number(seed)
    if not isinstance(number, int):
        raise SettingsError([f"--seed is {seed!r}: give a whole number"])
    with _watching(verbose, log_file) as (is_interrupted, on_progress):
        done = make_again(
            paper, output, worlds=world or (), seed=number, is_quick=quick, jobs=jobs,
            options=StudyOptions(vectors or "", steps, tasks, trials, ablations, tuple(share or ())),
            is_interrupted=is_interrupted, on_progress=on_progress,
        )  # fmt: skip
    if done is None:
        _stop(is_interrupted)
    if as_json:
        print_json(done.document)
    else:
        print(done.text)
        print(f"The report, its tables{', plots' if done.has_plots else ''} and crawls are in {output}.")
    _tell_of_plots(has_plots=done.has_plots)


def _stop(is_interrupted: Interruption) -> NoReturn:
    typer.echo("stopped; the same command goes on where it stopped", err=True)
    raise typer.Exit(is_interrupted.exit_code)


def _tell_of_plots(*, has_plots: bool) -> None:
    from honeyguide_lab.report_files import PLOTS_ARE_MISSING  # noqa: PLC0415

    if not has_plots:
        typer.echo(PLOTS_ARE_MISSING, err=True)


def _document(
    config: Path | None, topics: list[str] | None, keywords: list[str] | None, assignments: list[str] | None
) -> dict[str, Any]:
    """The file, with what flags say of topics and settings laid over it."""
    document = {} if config is None else read_toml(config)
    if keywords and len(topics or ()) != 1:
        raise SettingsError(["--keyword belongs to one topic: give one --topic, or write [[topics]] in a file"])
    if topics:
        document["topics"] = [{"name": name, "keywords": keywords or []} for name in topics]
    if assignments:
        document["settings"] = document.get("settings", {}) | dict(map(parse_assignment, assignments))
    return document


@contextmanager
def _watching(verbose: int, log_file: Path | None) -> Iterator[tuple[Interruption, Callable[[str, int, int], None]]]:
    """A bar on stderr where there is a terminal, the log, and the hand on Ctrl-C."""
    from rich.console import Console  # noqa: PLC0415

    from honeyguide.cli.watching import Interruption, logging_to  # noqa: PLC0415

    console = Console(stderr=True)
    with Interruption() as is_interrupted, logging_to(console, verbose, log_file), _bar(console) as on_progress:
        yield is_interrupted, on_progress


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on a terminal; elsewhere a line a minute."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield MinuteLines(RealClock())
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, speed_estimate_period=_PACE_S) as progress:
        row = progress.add_task("", total=None)
        yield lambda what, done, total: progress.update(row, description=what, completed=done, total=total)


class MinuteLines:
    """Says on stderr at most once a minute how far the work is, and how long it will take at this pace."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = self._said = clock.now()
        self._what, self._done_before = "", 0

    def __call__(self, what: str, done: int, total: int) -> None:
        now = self._clock.now()
        if what != self._what:  # what was done in an earlier call is no measure of the pace
            self._what, self._began, self._done_before = what, now, done
        if now - self._said >= _LINE_EVERY_S and done > self._done_before:
            self._said = now
            left_s = (total - done) * (now - self._began) / (done - self._done_before)
            typer.echo(f"{what}: {done:,} of {total:,}, about {timedelta(seconds=round(left_s))} left", err=True)
