"""`honeyguide export`: a run written for other programs."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import RunArgument  # noqa: TC001 - typer reads the annotations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HELP: Final = (
    "Write a run for other programs.\n\n"
    "[bold]edges[/bold]: the graph over all pages discovered, as text: the number of vertices, then one edge a line. "
    "Works while the crawl is going on, too.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide export my-run --format edges -o graph.txt"
)
_STDOUT: Final = Path("-")
_NAMES_OF_STDOUT: Final = (_STDOUT, Path("/dev/stdout"))


def export(
    run: RunArgument,
    file_format: Annotated[
        str, typer.Option("--format", metavar="NAME", show_default=False, help="What to write: edges.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to; - for stdout. Replaced when it is whole.")
    ] = _STDOUT,
) -> None:
    from honeyguide import exports, store  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load

    if output in _NAMES_OF_STDOUT:  # where nothing but the graph may go
        with store.open_run(run) as opened:
            exports.write(opened, sys.stdout, file_format)
        return
    with _progress_bar() as progress:
        written = exports.export(run, output, file_format, progress)
    print(f"{output}: {written}")


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("pages"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("")
        yield lambda done, all_: bars.update(task, completed=done, total=all_)
