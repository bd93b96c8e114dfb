"""`honeyguide repair`: save what a damaged run still holds."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.options import JsonFlag
from honeyguide.cli.output import command, print_json
from honeyguide.model.counts import count_of
from honeyguide.runs.folder import RunFolder
from honeyguide.runs.repair import repair as repair_run
from honeyguide.runs.shards import MARK


def repair(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The damaged run.", show_default=False)],
    new: Annotated[
        Path | None,
        typer.Argument(metavar="[NEW]", help="The run folder to make; without it, RUN-repaired.", show_default=False),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Save what the database of a damaged run still holds, into a new run folder.

    The damaged run stays as it is. What is saved can be looked at, searched, exported and refreshed; its crawl goes on
    only if nothing was lost.

    [bold]Example[/bold]

      honeyguide repair my-run my-run-repaired
    """
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that the draft is removed
    saved = repair_run(run, new or run.absolute().with_name(f"{run.absolute().name}-repaired"))
    if as_json:
        print_json(
            {
                "run": str(saved.run),
                "pages": saved.pages,
                "pages_before": saved.pages_before,
                "is_whole": saved.is_whole,
                "rows": saved.rows_by_table,
            }
        )
        return
    of_all = "" if saved.pages_before is None else f" of {saved.pages_before:,}"
    print(f"{saved.run}: {saved.pages:,}{of_all} {'page' if saved.pages == 1 else 'pages'} saved")
    rows = saved.rows_by_table
    print(f"  {count_of(rows['links'], 'URL')}, {count_of(rows['steps'], 'fetch', 'fetches')}")
    if saved.is_whole:
        if RunFolder.open(saved.run).began_with.get(MARK):
            print("nothing was lost; put it in the place of that shard, and go on with the whole run")
        else:
            print(f"nothing was lost; go on with: {command('resume', saved.run)}")
    else:
        print(f"fetch its pages again with: {command('refresh', saved.run, 'NEW')}")
