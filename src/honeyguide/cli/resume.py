"""`honeyguide resume` and `honeyguide refresh`: go on with a run, or fetch its pages again."""

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
    JsonFlag,
    LogFile,
    RunArgument,
    TrustFlag,
    Verbosity,
    limit_flags,
    parse_assignment,
    stop_flags,
    takes_flags,
    whole_number,
)
from honeyguide.cli.output import one_line, print_json
from honeyguide.cli.summary import print_summary, summary
from honeyguide.cli.watching import watching
from honeyguide.crawler import StopReason
from honeyguide.runs import RunFolder, open_run
from honeyguide.runs.inbox import with_waiting_budget

if TYPE_CHECKING:
    from honeyguide.runs import Revisit, Run

PAGES_SHOWN: Final = 20
_SHOWN_FINDINGS: Final = ("changed", "moved", "gone", "failed")
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
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:  # fmt: skip
    """Go on with a run that was stopped, or give it more to spend.

    No page is fetched twice, and what was learned is kept. Offline, a run that was interrupted or killed becomes what
    it would have been, to the last bit. A run that has spent its budget goes on when it is given a larger one.
    Strategy, judge, seed and world stay what they were. A run that comes from someone else may name code, files,
    logins and private addresses of yours only if you give them again with --set, or --trust it.

    [bold]Example[/bold]

      honeyguide resume my-run --budget +1000
    """
    folder = RunFolder.open(run)
    overrides = dict(map(parse_assignment, set_ or [])) | dict(given)
    settings = crawler.settings_to_resume(folder, overrides, budget, trust=trust)
    if budget is None and not overrides and folder.database_file.exists() and _nothing_is_left(run, as_json=as_json):
        return
    with watching(verbose, log_file) as watch, asking_beside(run, settings, watch.live):
        started = watch.clock.now()
        finished = crawler.resume(run, overrides, budget=budget, trust=trust, **watch.crawl_options(settings))
    with finished:
        print_summary(finished, watch.clock.now() - started, as_json=as_json)
    raise typer.Exit(watch.is_interrupted.exit_code)


def _nothing_is_left(path: Path, *, as_json: bool) -> bool:
    """Return whether going on would do nothing, and if so say why and how to extend the run."""
    with open_run(path) as run:
        reason = _final_reason(run)
        if reason is None:
            return False
        if as_json:
            print_json(summary(run) | {"seconds": 0.0})
            return True
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


@takes_flags(_LIMITS)
def refresh(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="The run to look at again.", show_default=False)],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The run folder to make.", show_default=False)],
    budget: Annotated[
        str | None,
        typer.Option(metavar="FETCHES", show_default=False, help="Fetches to spend; without it, as many as it takes."),
    ] = None,
    *,
    given: Mapping[str, Any],
    set_: AnySetting = None,
    trust: TrustFlag = False,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:
    """Fetch every page of an earlier run again, as a new run.

    Hosts are asked to send a page only if it has changed since. Pages that are old, that were seen to change, or that
    are relevant come first. Pages that came are judged and stored again; the old run stays as it is. Refresh the new
    run to go on from there.

    [bold]Examples[/bold]

      honeyguide refresh my-run my-run-monday

      honeyguide refresh my-run my-run-monday --budget 200
    """
    overrides: dict[str, Any] = dict(map(parse_assignment, set_ or [])) | dict(given)
    if budget is not None:
        overrides["budget.fetches"] = whole_number(budget)
    settings = crawler.settings_to_refresh(old, overrides, trust=trust)
    with watching(verbose, log_file) as watch:
        started = watch.clock.now()
        finished = crawler.crawl(new, settings, **watch.crawl_options(settings))
    with finished:
        pages = _changed_pages(finished)
        further = {"pages": [_entry(page) for page in pages]} if as_json else {}
        print_summary(finished, watch.clock.now() - started, as_json=as_json, further=further)
        if not as_json:
            _print_changes(pages)
    raise typer.Exit(watch.is_interrupted.exit_code)


def _changed_pages(run: Run) -> list[Revisit]:
    """Return the pages that are not what they were, by what became of them."""
    found = [revisit for revisit in run.revisits().all() if revisit.finding.value in _SHOWN_FINDINGS]
    return sorted(found, key=lambda revisit: _SHOWN_FINDINGS.index(revisit.finding.value))


def _entry(revisit: Revisit) -> dict[str, Any]:
    return {
        "url": revisit.known.url.text,
        "finding": revisit.finding.value,
        "title": revisit.title,
        "relevance": round(revisit.now.relevance, 6),
        "relevance_before": round(revisit.known.relevance, 6),
        "relevant": revisit.is_relevant,
        "changes": revisit.now.changes,
        "detail": revisit.detail,
    }


def _print_changes(pages: list[Revisit]) -> None:
    if pages:
        print()
    for page in pages[:PAGES_SHOWN]:
        title = one_line(page.title or page.detail)
        print(f"  {page.finding.value:8} {page.known.url.text}{f'  {title}' if title else ''}")
    if len(pages) > PAGES_SHOWN:
        print(f"  and {len(pages) - PAGES_SHOWN:,} more; --json lists them all")
