"""`honeyguide export` and `honeyguide report`: a run written for other programs, and for a browser."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from honeyguide.cli.options import RunArgument
from honeyguide.cli.output import TerminalText, progress_bar
from honeyguide.errors import SettingsError
from honeyguide.registry import EXPORTS
from honeyguide.runs import exports, open_run
from honeyguide.runs.report import report_html, write_report

_STDOUT: Final = Path("-")
_NAMES_OF_STDOUT: Final = (_STDOUT, Path("/dev/stdout"))


def export(
    run: RunArgument,
    file_format: Annotated[
        str,
        typer.Option(
            "--format", metavar="NAME", show_default=False,
            help=f"What to write: {', '.join(EXPORTS)}.",
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
        bool, typer.Option("--overwrite", metavar="", help="Replace a file that is there.")
    ] = False,
) -> None:  # fmt: skip
    """Write a run for other programs.

    Pages: [bold]jsonl[/bold], [bold]csv[/bold] (safe for spreadsheets), [bold]parquet[/bold] (extra parquet) and
    [bold]markdown[/bold] (a folder with a file a page). Answers as they came: [bold]warc[/bold]. The link graph:
    [bold]graphml[/bold], [bold]gexf[/bold], or [bold]edges[/bold] over all pages discovered, as text. Answers about
    pages: [bold]answers[/bold]. Keywords that satisfy a search phrase, where the judge is rake: [bold]keywords[/bold].

    Works while the crawl is going on, too: what is written is the run at one moment.

    [bold]Examples[/bold]

      honeyguide export my-run --format jsonl --relevant pages.jsonl

      honeyguide export my-run --format edges | head -1
    """
    if file is not None and output is not None and file != output:
        raise SettingsError([f"two places to write to, {file} and {output}; give one"])
    target = file or output or _STDOUT
    options = exports.ExportOptions(relevant, not no_text, one_file)
    chosen = exports.find_format(file_format, options)
    if target in _NAMES_OF_STDOUT:
        _write_to_stdout(run, chosen, options)
        return
    _refuse_to_replace(target, overwrite=overwrite)
    with progress_bar("pages") as progress:
        written = exports.export(
            run, target, file_format, progress, relevant=relevant, text=not no_text, one_file=one_file
        )
    print(f"{target}: {written}")


def _write_to_stdout(run: Path, chosen: exports.ExportFormat, options: exports.ExportOptions) -> None:
    """Write the export to stdout, and nothing else."""
    if chosen.is_binary and sys.stdout.isatty():
        raise SettingsError([f"--format {chosen.name} is no text for a terminal; name a file to write to"])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(newline=chosen.newline)
    with open_run(run) as opened:
        text = TerminalText(sys.stdout) if sys.stdout.isatty() else sys.stdout
        chosen.write(opened, sys.stdout.buffer if chosen.is_binary else text, options, lambda *_: None)


def _refuse_to_replace(file: Path, *, overwrite: bool) -> None:
    if file.is_file() and not overwrite:
        raise SettingsError([f"{file} is there already; name another file, or give --overwrite to replace it"])


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
    """Write a page about a run, to open in a browser.

    One HTML file that needs nothing else and no network: the harvest, what was found, a map of the topic, hosts and
    outcomes, traps, settings. Works while the crawl is going on, too.

    [bold]Example[/bold]

      honeyguide report my-run -o geology.html
    """
    if output == _STDOUT:
        with open_run(run) as opened:
            print(report_html(opened, top=top), end="")
        return
    if output is not None:
        _refuse_to_replace(output, overwrite=overwrite)
    print(write_report(run, output, top=top))
