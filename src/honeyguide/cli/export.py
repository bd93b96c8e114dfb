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

_STDOUT: Final = Path("-")
_NAMES_OF_STDOUT: Final = (_STDOUT, Path("/dev/stdout"))


def _formats(incomplete: str) -> list[str]:
    return [name for name in EXPORTS if name.startswith(incomplete)]


def export(
    run: RunArgument,
    file_format: Annotated[
        str,
        typer.Option(
            "--format", metavar="NAME", show_default=False,
            help=f"What to write: {', '.join(EXPORTS)}.", autocompletion=_formats,
        ),
    ] = "",
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="OUT", show_default=False,
            help="Where to: a file, or an address as s3://bucket/file (extras s3, gcs); - or nothing for stdout.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", show_default=False, help="The same as OUT."),
    ] = None,
    relevant: Annotated[bool, typer.Option("--relevant", metavar="", help="Only pages judged relevant.")] = False,
    no_text: Annotated[
        bool, typer.Option("--no-text", metavar="", help="Leave out the text of pages; much faster.")
    ] = False,
    one_file: Annotated[
        bool, typer.Option("--one-file", metavar="", help="Markdown as one file, not a folder.")
    ] = False,
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", metavar="", help="Leave near-duplicates in a corpus.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", metavar="", help="Replace a file that is there.")
    ] = False,
) -> None:  # fmt: skip
    """Write a run for other programs.

    Pages: [bold]jsonl[/bold], [bold]csv[/bold] (safe for spreadsheets), [bold]parquet[/bold] (extra parquet) and
    [bold]markdown[/bold] (a folder with a file a page). Databases of pages and links: [bold]sqlite[/bold],
    [bold]duckdb[/bold] (extra duckdb). A bulk request for OpenSearch or Elasticsearch: [bold]opensearch[/bold]. For
    language models: [bold]corpus[/bold], the main content as Markdown without near-duplicates, with token counts and
    licences; Parquet where OUT ends in .parquet. Answers as they came: [bold]warc[/bold]. The link graph:
    [bold]graphml[/bold], [bold]gexf[/bold], or [bold]edges[/bold] over all pages discovered, as text. Answers about
    pages: [bold]answers[/bold]. Keywords that satisfy a search phrase, where the judge is rake: [bold]keywords[/bold].

    Works while the crawl is going on, too: what is written is the run at one moment.

    [bold]Examples[/bold]

      honeyguide export my-run --format jsonl --relevant pages.jsonl

      honeyguide export my-run --format corpus corpus.parquet

      honeyguide export my-run --format parquet s3://bucket/pages.parquet

      honeyguide export my-run --format edges | head -1
    """
    if file is not None and output is not None and file != output:
        raise SettingsError([f"two places to write to, {file} and {output}; give one"])
    target = file or output or str(_STDOUT)
    options = exports.ExportOptions(relevant, not no_text, one_file, keep_duplicates)
    chosen = exports.find_format(file_format, options)
    if Path(target) in _NAMES_OF_STDOUT:
        _write_to_stdout(run, chosen, options)
        return
    if target.lower().startswith("memory://"):
        raise SettingsError([f"{target} would be gone with this command; name a file, or s3:// or gs://"])
    refuse_to_replace(target, overwrite=overwrite)
    with progress_bar("pages") as progress:
        written = exports.export(
            run, target, file_format, progress, relevant=relevant, text=not no_text, one_file=one_file,
            keep_duplicates=keep_duplicates,
        )  # fmt: skip
    print(f"{target}: {written}")


def _write_to_stdout(run: Path, chosen: exports.ExportFormat, options: exports.ExportOptions) -> None:
    """Write the export to stdout, and nothing else."""
    if chosen.is_binary and sys.stdout.isatty():
        raise SettingsError([f"--format {chosen.name} is no text for a terminal; name a file to write to"])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(newline=chosen.newline)
    with open_run(run) as opened:
        if sys.stdout.isatty():
            chosen.write(opened, TerminalText(sys.stdout), options, lambda *_: None)
            return
        with progress_bar("pages") as progress:
            chosen.write(opened, sys.stdout.buffer if chosen.is_binary else sys.stdout, options, progress)


def refuse_to_replace(file: Path | str, *, overwrite: bool) -> None:
    """Refuse a file that is there, unless it is to be replaced."""
    if overwrite:
        return
    if exports.is_taken(str(file)) if exports.is_address(file) else Path(file).is_file():
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

    One HTML file that needs nothing else and no network: the harvest, what was found and why, a map of the
    topic, hosts and outcomes, what was learned, traps, settings. Works while the crawl is going on, too.

    [bold]Example[/bold]

      honeyguide report my-run -o geology.html
    """
    from honeyguide.crawler.reporting import report_html, write_report  # noqa: PLC0415 - takes a while to load

    if output == _STDOUT:
        with open_run(run) as opened, progress_bar("fetches") as progress:
            html = report_html(opened, top=top, on_progress=progress)
        print(html, end="")
        return
    if output is not None:
        refuse_to_replace(output, overwrite=overwrite)
    with progress_bar("fetches") as progress:
        written = write_report(run, output, top=top, on_progress=progress)
    print(written)
