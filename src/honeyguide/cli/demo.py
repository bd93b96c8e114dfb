"""`honeyguide demo`: the strategies compared on a synthetic web, over real HTTP, in about a minute."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import OUTPUT_PANEL, JsonFlag, LogFile, Verbosity
from honeyguide.errors import RunExists

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.cli.watching import Watch
    from honeyguide.experiments import Contest, Graded

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
    from honeyguide.cli import demo_report  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load
    from honeyguide.cli.watching import watching  # noqa: PLC0415
    from honeyguide.experiments import Contest  # noqa: PLC0415

    contest = Contest(topic, budget, spec=f"seed={seed},pages={PAGES}", seed=seed)
    names = list(dict.fromkeys(strategy or STRATEGIES))
    with _runs_in(keep) as folder:
        with watching(verbose, log_file) as watch:
            started = watch.clock.now()
            graded = _crawl_with_each(contest, names, folder, watch)
        if watch.is_interrupted():
            typer.echo(demo_report.interrupted(graded, keep), err=True)
            raise typer.Exit(watch.is_interrupted.exit_code)
        seconds = watch.clock.now() - started
        if as_json:
            demo_report.print_document(contest, graded, seconds, keep)
        else:
            demo_report.print_report(contest, graded, seconds, keep)


def _crawl_with_each(contest: Contest, strategies: list[str], folder: Path, watch: Watch) -> list[Graded]:
    from honeyguide.experiments import compare  # noqa: PLC0415

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
