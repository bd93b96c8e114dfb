"""`honeyguide export`: a run written for other programs."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import RunArgument
from honeyguide.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from honeyguide.runs.exports import Choice

HELP: Final = (
    "Write a run for other programs.\n\n"
    "Pages: [bold]jsonl[/bold], [bold]csv[/bold] (safe for spreadsheets), [bold]parquet[/bold] (needs the extra "
    "parquet), [bold]markdown[/bold] (a folder with a file a page). What was answered: [bold]warc[/bold]. The link "
    "graph: [bold]graphml[/bold] and [bold]gexf[/bold] with all columns of the pages but text and parents, "
    "[bold]edges[/bold] over all pages discovered, as text. docs/exports.md has the columns.\n\n"
    "Works while the crawl is going on, too: what is written is the run at one moment.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide export my-run --format jsonl --relevant pages.jsonl\n\n"
    "  honeyguide export my-run --format edges | head -1"
)
_STDOUT: Final = Path("-")
_NAMES_OF_STDOUT: Final = (_STDOUT, Path("/dev/stdout"))


def export(
    run: RunArgument,
    file_format: Annotated[
        str,
        typer.Option(
            "--format", metavar="NAME", show_default=False,
            help="What to write, and needed: edges, jsonl, csv, parquet, warc, graphml, gexf or markdown.",
        ),
    ] = "",
    file: Annotated[
        Path | None,
        typer.Argument(metavar="OUT", show_default=False, help="Where to; - or nothing for stdout."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", show_default=False, help="The same as OUT."),
    ] = None,
    relevant: Annotated[bool, typer.Option("--relevant", metavar="", help="Only pages judged relevant.")] = False,
    no_text: Annotated[
        bool, typer.Option("--no-text", metavar="", help="Leave out the text of pages; much faster.")
    ] = False,
    one_file: Annotated[
        bool, typer.Option("--one-file", metavar="", help="Markdown as one file, not a folder.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", metavar="", help="Replace a file that is there, by a whole one.")
    ] = False,
) -> None:  # fmt: skip
    from honeyguide.runs import exports  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load

    target = _target(file, output)
    choice = exports.checked(file_format, exports.Choice(relevant, not no_text, one_file))
    if target in _NAMES_OF_STDOUT:
        _write_to_stdout(run, file_format, choice)
        return
    if target.is_file() and not overwrite:
        raise SettingsError([f"{target} is there already; name another file, or give --overwrite to replace it"])
    with _progress_bar() as progress:
        written = exports.export(
            run, target, file_format, progress, relevant=relevant, text=not no_text, one_file=one_file
        )
    print(f"{target}: {written}")


def _target(file: Path | None, output: Path | None) -> Path:
    if file is not None and output is not None and file != output:
        raise SettingsError([f"two places to write to, {file} and {output}; give one"])
    return file or output or _STDOUT


def _write_to_stdout(run: Path, file_format: str, choice: Choice) -> None:
    """Write to where nothing but the export may go."""
    from honeyguide import runs as store  # noqa: PLC0415
    from honeyguide.runs import exports  # noqa: PLC0415

    if file_format in exports.BINARY_FORMATS and sys.stdout.isatty():
        raise SettingsError([f"--format {file_format} is no text for a terminal; name a file to write to"])
    with store.open_run(run) as opened:
        if file_format in exports.BINARY_FORMATS:
            exports.write_bytes(opened, sys.stdout.buffer, file_format, choice=choice)
            return
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(newline="" if file_format == "csv" else None)
        exports.write(opened, sys.stdout, file_format, choice=choice)


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
