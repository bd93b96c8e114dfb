"""`honeyguide resume`: go on with a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide import crawler
from honeyguide.cli.asking import asking_beside
from honeyguide.cli.options import (
    AnySetting,
    ClusterOption,
    JsonFlag,
    LogFile,
    RunArgument,
    TrustFlag,
    Verbosity,
    limit_flags,
    parse_assignment,
    stop_flags,
    takes_flags,
)
from honeyguide.cli.output import print_json
from honeyguide.cli.run_document import summary
from honeyguide.cli.summary import exit_status, print_summary
from honeyguide.cli.watching import watching
from honeyguide.crawler import StopReason
from honeyguide.errors import StoreError
from honeyguide.runs import RunFolder, open_run
from honeyguide.runs.advice import advise
from honeyguide.runs.inbox import with_waiting_budget
from honeyguide.runs.shards import is_sharded
from honeyguide.settings import load_run_settings

if TYPE_CHECKING:
    from honeyguide.runs import Run

_LIMITS: Final = limit_flags("Options")


@takes_flags((*stop_flags("Options"), *_LIMITS))
def resume(
    run: RunArgument,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="FETCHES", show_default=False,
            help="A new budget: 2000 is the total for the whole run, +1000 is a thousand fetches more than it had; "
            "1,000,000,000 in all at most.",
        ),
    ] = None,
    *,
    given: Mapping[str, Any],
    set_: AnySetting = None,
    trust: TrustFlag = False,
    cluster: ClusterOption = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:  # fmt: skip
    """Go on with a run that was stopped, or give it more to spend.

    What was learned is kept, and no stored page is fetched again; pages under way are. An offline run of one
    machine that was interrupted or killed becomes what it would have been, to the last bit. A run that has spent
    its budget goes on when it is given a larger one. Strategy, judge, seed and world stay what they were. A run
    that comes from someone else may name code, files, logins and private addresses of yours only if you give them
    again with --set, or --trust it.

    [bold]Example[/bold]

      honeyguide resume my-run --budget +1000
    """
    folder = RunFolder.open(run)
    overrides = dict(map(parse_assignment, set_ or [])) | dict(given)
    if is_sharded(run):
        _resume_shards(run, cluster, overrides, budget, trust=trust, as_json=as_json, watch=(verbose, log_file))
    if cluster is not None:
        raise StoreError(f"{run} was not crawled on a cluster: go on with honeyguide resume {run}, without --cluster")
    settings = crawler.settings_to_resume(folder, overrides, budget, trust=trust)
    if budget is None and not overrides and folder.database_file.exists() and _nothing_is_left(run, as_json=as_json):
        return
    before = _last_fetches(run) if folder.database_file.exists() else []
    with watching(verbose, log_file) as watch, asking_beside(run, settings, watch.live):
        started = watch.clock.now()
        finished = crawler.resume(run, overrides, budget=budget, trust=trust, **watch.crawl_options(settings, before))
    with finished:
        print_summary(finished, watch.clock.now() - started, as_json=as_json)
        status = exit_status(finished, watch.is_interrupted)
    raise typer.Exit(status)


def _resume_shards(
    run: Path,
    cluster: str | None,
    overrides: Mapping[str, Any],
    budget: str | None,
    *,
    trust: bool,
    as_json: bool,
    watch: tuple[int, Path | None],
) -> None:
    """Go on with a run of several shards, on Ray."""
    from honeyguide.cluster.crawling import resume_on_cluster  # noqa: PLC0415 - few runs have shards

    if budget is None and not overrides and RunFolder(run).has_started and _nothing_is_left(run, as_json=as_json):
        raise typer.Exit(0)
    settings = load_run_settings(RunFolder(run).settings_file)
    with watching(*watch) as watched, asking_beside(run, settings, watched.live):
        started = watched.clock.now()
        options = watched.cluster_options()
        finished = resume_on_cluster(run, cluster, overrides, budget=budget, trust=trust, **options)
    with finished:
        print_summary(finished, watched.clock.now() - started, as_json=as_json)
        status = exit_status(finished, watched.is_interrupted)
    raise typer.Exit(status)


def _last_fetches(path: Path) -> list[bool]:
    with open_run(path) as run:
        return run.last_fetches()


def _nothing_is_left(path: Path, *, as_json: bool) -> bool:
    """Return whether going on would do nothing, and if so say why and how to extend the run."""
    with open_run(path) as run:
        reason = _final_reason(run)
        if reason is None:
            return False
        if as_json:
            print_json(summary(run) | {"seconds": 0.0})
            return True
        advice = None if run.progress.pages else advise(run)
        if advice is not None:
            print(f"nothing to do: no page came. {advice.words}\n  {advice.command}")
            raise typer.Exit(1)
        match reason:
            case StopReason.FETCHES:
                remedy = "extend it with --budget +1000"
            case StopReason.DISK:
                remedy = "give it more with --max-disk"
            case StopReason.RELEVANT:
                remedy = "ask for more with --target, or all with --target 0"
            case StopReason.YIELD:
                remedy = "go on with another --stop-when, or none: --stop-when ''"
            case StopReason.EXHAUSTED:
                remedy = "start another run with other seeds"
            case _:
                remedy = f"raise the limit under [budget] in {run.path / 'settings.toml'}"
        print(f"nothing to do: {reason.value}; {remedy}")
    return True


def _final_reason(run: Run) -> StopReason | None:
    """Return why going on with this run would do nothing; None when there is something left to do."""
    progress = run.progress
    if not progress.stop_reason or not StopReason(progress.stop_reason).is_final:
        return None
    if progress.stop_reason in (StopReason.EXHAUSTED, StopReason.YIELD):
        return StopReason(progress.stop_reason)
    # Someone may have raised a limit in the run's settings by hand, or sent a larger budget.
    budget = run.settings.budget
    budget = replace(budget, fetches=with_waiting_budget(run.path, budget.fetches))
    return crawler.limit_reached(budget, progress, run.size_bytes())
