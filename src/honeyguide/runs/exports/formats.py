"""The formats by name: what the command line and other programs call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, overload

from honeyguide.errors import SettingsError
from honeyguide.runs import opened
from honeyguide.runs.exports.choice import EVERYTHING, Choice, whole_binary_file, whole_file, whole_folder
from honeyguide.runs.exports.graphs import write_edges, write_gexf, write_graphml
from honeyguide.runs.exports.markdown import write_markdown_file, write_markdown_folder
from honeyguide.runs.exports.tables import write_csv, write_json_lines, write_parquet
from honeyguide.runs.exports.warc import write_warc

if TYPE_CHECKING:
    from typing import BinaryIO, TextIO

    from honeyguide.runs import Run
    from honeyguide.runs.exports.choice import EdgesWritten, PagesWritten, Progress, RecordsWritten

    Written: TypeAlias = EdgesWritten | PagesWritten | RecordsWritten

FORMATS: Final = ("edges", "jsonl", "csv", "parquet", "warc", "graphml", "gexf", "markdown")
BINARY_FORMATS: Final = frozenset({"parquet", "warc"})
WITHOUT_TEXT: Final = frozenset({"edges", "warc", "graphml", "gexf"})


@overload
def export(
    run: Run | Path | str,
    file: Path | str,
    file_format: Literal["edges", "graphml", "gexf"] = "edges",
    progress: Progress | None = None,
    *,
    relevant: bool = False,
    text: bool = True,
    one_file: bool = False,
) -> EdgesWritten: ...


@overload
def export(
    run: Run | Path | str,
    file: Path | str,
    file_format: str,
    progress: Progress | None = None,
    *,
    relevant: bool = False,
    text: bool = True,
    one_file: bool = False,
) -> Written: ...


def export(
    run: Run | Path | str,
    file: Path | str,
    file_format: str = "edges",
    progress: Progress | None = None,
    *,
    relevant: bool = False,
    text: bool = True,
    one_file: bool = False,
) -> Written:
    """Write a run to a file, which is replaced when the new one is whole; says what was written.

    Of `markdown` the file is a folder, which must be new or empty, unless all goes into `one_file`. `relevant` leaves
    out all pages but the relevant ones, `text=False` leaves out the text of pages. `progress` is told now and then how
    much is done, and of how much. SettingsError for a format that does not exist, ExportError for what cannot be
    written.
    """
    choice = checked(file_format, Choice(relevant, text, one_file))
    path = Path(file)
    with opened(run) as source:
        if file_format == "markdown" and not one_file:
            with whole_folder(path) as folder:
                return write_markdown_folder(source, folder, choice, progress)
        if file_format in BINARY_FORMATS:
            with whole_binary_file(path) as binary:
                return write_bytes(source, binary, file_format, progress, choice)
        with whole_file(path, newline="" if file_format == "csv" else None) as out:
            return write(source, out, file_format, progress, choice)


def write(
    run: Run,
    out: TextIO,
    file_format: str = "edges",
    progress: Progress | None = None,
    choice: Choice = EVERYTHING,
) -> Written:
    """As `export`, from a run that is open to a stream that is open; Markdown as one file."""
    match file_format:
        case "edges":
            return write_edges(run, out, progress)
        case "jsonl":
            return write_json_lines(run, out, choice, progress)
        case "csv":
            return write_csv(run, out, choice, progress)
        case "graphml":
            return write_graphml(run, out, choice, progress)
        case "gexf":
            return write_gexf(run, out, choice, progress)
        case "markdown":
            return write_markdown_file(run, out, choice, progress)
        case _:
            raise _unknown(file_format)


def write_bytes(
    run: Run, out: BinaryIO, file_format: str, progress: Progress | None = None, choice: Choice = EVERYTHING
) -> Written:
    """As `write`, for the formats that are bytes."""
    match file_format:
        case "parquet":
            return write_parquet(run, out, choice, progress)
        case "warc":
            return write_warc(run, out, choice, progress)
        case _:
            raise _unknown(file_format)


def checked(file_format: str, choice: Choice) -> Choice:
    """The choice, where the format exists and has it. SettingsError where not."""
    if file_format not in FORMATS:
        raise _unknown(file_format)
    if file_format == "edges" and choice.relevant_only:
        raise SettingsError(["the format edges has all pages met, not the relevant ones alone; take graphml or gexf"])
    if choice.one_file and file_format != "markdown":
        raise SettingsError([f"all in one file is for the format markdown: {file_format} is one file anyway"])
    if not choice.with_text and file_format in WITHOUT_TEXT:
        raise SettingsError([f"only jsonl, csv, parquet and markdown can leave out text; {file_format} cannot"])
    return choice


def _unknown(file_format: str) -> SettingsError:
    given = repr(file_format) if file_format else "missing"
    return SettingsError([f"the format is {given}: choose one of {', '.join(FORMATS)}"])
