"""`honeyguide doctor`: is everything there that a crawl needs?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.options import JsonFlag
from honeyguide.cli.output import folded, one_line, print_json


def doctor(
    host: Annotated[
        str, typer.Argument(metavar="HOST", show_default=False, help="A host or URL to look up and to connect to.")
    ] = "",
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where runs are to be kept.", show_default=False)
    ] = Path(),
    *,
    as_json: JsonFlag = False,
) -> None:
    """Check the installation: versions, extras, Chromium, names of hosts, disk.

    What is missing is only needed by some commands. Exit status 1 where there is a problem.

    [bold]Examples[/bold]

      honeyguide doctor

      honeyguide doctor https://example.org/
    """
    from honeyguide.crawler.installation import CheckState, check_installation  # noqa: PLC0415 - takes a while to load

    checks = check_installation(host, folder)
    problems = [check for check in checks if check.state is CheckState.PROBLEM]
    if as_json:
        print_json({"is_ok": not problems, "checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            remedy = f"; {check.remedy}" if check.remedy else ""
            print(folded(f"{check.state:8} {check.name:16} {one_line(check.detail)}{remedy}", indent=26))
    raise typer.Exit(int(bool(problems)))
