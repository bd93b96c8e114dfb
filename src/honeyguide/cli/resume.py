"""`honeyguide resume`: go on with a run that was stopped or killed, or give a finished one more to spend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import JsonFlag, LogFile, RunArgument, Verbosity
from honeyguide.crawler import StopReason
from honeyguide.settings import load_settings

if TYPE_CHECKING:
    from honeyguide.runs import Run

HELP: Final = (
    "Go on with a run that was stopped, or give it more to spend.\n\n"
    "No page of the run is fetched twice, and what was learned is kept. Offline, a run that was interrupted or killed "
    "becomes what it would have been, to the last bit. One that has spent its budget goes on when it is given a larger "
    "one. Where several fetches were under way it has their answers by then, and so may choose otherwise than a run "
    "that had the larger budget from the start.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide resume my-run --budget +1000"
)


def resume(
    run: RunArgument,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="FETCHES",
            show_default=False,
            help="A new budget: 2000 is the total for the whole run, +1000 is a thousand fetches more than it had.",
        ),
    ] = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:
    from honeyguide import crawler as engine  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load
    from honeyguide.cli.summary import print_summary  # noqa: PLC0415
    from honeyguide.cli.watching import watching  # noqa: PLC0415
    from honeyguide.runs import RunFolder  # noqa: PLC0415

    folder = RunFolder.open(run)
    settings = engine.with_budget(load_settings(folder.settings_file), budget)
    if budget is None and folder.database_file.exists() and _says_nothing_is_left(run, as_json=as_json):
        return
    with watching(verbose, log_file) as watch:
        started = watch.clock.now()
        finished = engine.resume(run, budget=budget, **watch.surroundings(settings))
    with finished:
        print_summary(finished, watch.clock.now() - started, as_json=as_json)
    raise typer.Exit(watch.is_interrupted.exit_code)


def spent(run: Run) -> StopReason | None:
    """Why going on with this run would do nothing; None when there is something left to do."""
    from honeyguide.crawler import StopReason, limit_reached  # noqa: PLC0415

    progress = run.progress
    if not progress.stop_reason or not StopReason(progress.stop_reason).is_final:
        return None
    if progress.stop_reason == StopReason.EXHAUSTED:
        return StopReason.EXHAUSTED
    # Someone may have raised a limit in the run's settings by hand.
    return limit_reached(run.settings.budget, progress, run.size_bytes())


def _says_nothing_is_left(path: Path, *, as_json: bool) -> bool:
    """Look whether going on would do anything; if not, say why and how to extend the run."""
    from honeyguide.cli.summary import print_json, summary  # noqa: PLC0415
    from honeyguide.runs import open_run  # noqa: PLC0415

    with open_run(path) as run:
        reason = spent(run)
        if reason is None:
            return False
        if as_json:
            print_json(summary(run) | {"seconds": 0.0})
        else:
            print(_nothing_to_do(run, reason))
    return True


def _nothing_to_do(run: Run, reason: StopReason) -> str:
    from honeyguide.crawler import StopReason  # noqa: PLC0415

    match reason:
        case StopReason.FETCHES:
            remedy = "; extend it with --budget +1000"
        case StopReason.EXHAUSTED:
            remedy = "; start another run with other seeds"
        case _:
            remedy = f"; raise the limit under [budget] in {run.path / 'settings.toml'}"
    return f"nothing to do: {reason.value}{remedy}"
