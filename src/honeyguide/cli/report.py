"""`honeyguide report`: a page about a run, to look at in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from honeyguide.cli.options import RunArgument
from honeyguide.errors import SettingsError

HELP: Final = (
    "Write a page about a run, to look at in a browser.\n\n"
    "One HTML file that needs nothing else and no network: the harvest, what was found, a map of the topic, hosts and "
    "outcomes, traps, settings. Works while the crawl is going on, too.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide report my-run -o geology.html"
)


def report(
    run: RunArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default=False,
            help="Where to; - for stdout. \\[default: report.html in the run folder, replaced each time]",
        ),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", min=1, max=200, help="How many pages to show.")] = 50,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", metavar="", help="Replace a file that is there.")
    ] = False,
) -> None:  # fmt: skip
    from honeyguide.runs import open_run  # noqa: PLC0415
    from honeyguide.runs.report import report_html, write_report  # noqa: PLC0415 - these take a while to load

    if output == Path("-"):
        with open_run(run) as opened:
            print(report_html(opened, top=top), end="")
        return
    if output is not None and output.is_file() and not overwrite:
        raise SettingsError([f"{output} is there already; name another file, or give --overwrite to replace it"])
    print(write_report(run, output, top=top))
