"""`honeyguide refresh`: look at the pages of a run again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import AnySetting, JsonFlag, LogFile, Verbosity, parse_assignment, whole_number
from honeyguide.cli.summary import one_line

if TYPE_CHECKING:
    from honeyguide.runs import Revisit, Run

HELP: Final = (
    "Look at every page of an earlier run again, as a new run.\n\n"
    "Hosts are asked to send a page only if it has changed since. Pages that are old, that were seen to change, or "
    "that are relevant come first, so that a small budget is well spent. Pages that came are judged and stored again; "
    "the old run stays as it is. Refresh the new run to go on from there: what was seen to change is remembered.\n\n"
    "[bold]Examples[/bold]\n\n"
    "  honeyguide refresh my-run my-run-monday\n\n"
    "  honeyguide refresh my-run my-run-monday --budget 200 --set refresh.relevance_weight=1"
)
SHOWN: Final = 20
_TOLD: Final = ("changed", "moved", "gone", "failed")


def refresh(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="The run to look at again.", show_default=False)],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The run folder to make.", show_default=False)],
    budget: Annotated[
        str | None,
        typer.Option(metavar="FETCHES", show_default=False, help="Fetches to spend; without it, as many as it takes."),
    ] = None,
    set_: AnySetting = None,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:
    from honeyguide import crawler as engine  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load
    from honeyguide.cli.summary import print_summary  # noqa: PLC0415
    from honeyguide.cli.watching import watching  # noqa: PLC0415

    overrides: dict[str, Any] = dict(map(parse_assignment, set_ or []))
    if budget is not None:
        overrides["budget.fetches"] = whole_number(budget)
    settings = engine.settings_to_refresh(old, overrides)
    with watching(verbose, log_file) as watch:
        started = watch.clock.now()
        finished = engine.crawl(new, settings, **watch.surroundings(settings))
    with finished:
        further = {"pages": [_entry(each) for each in _told(finished)]} if as_json else {}
        print_summary(finished, watch.clock.now() - started, as_json=as_json, further=further)
        if not as_json:
            _print_table(finished)
    raise typer.Exit(watch.is_interrupted.exit_code)


def _told(run: Run) -> list[Revisit]:
    """The pages that are not what they were, by what became of them."""
    found = [revisit for revisit in run.revisits().all() if revisit.finding.value in _TOLD]
    return sorted(found, key=lambda revisit: _TOLD.index(revisit.finding.value))


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


def _print_table(run: Run) -> None:
    told = _told(run)
    if told:
        print()
    for revisit in told[:SHOWN]:
        what = one_line(revisit.title or revisit.detail)
        print(f"  {revisit.finding.value:8} {revisit.known.url.text}{f'  {what}' if what else ''}")
    if len(told) > SHOWN:
        print(f"  and {len(told) - SHOWN:,} more; --json lists them all")
