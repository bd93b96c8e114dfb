"""The export formats by name."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from honeyguide.errors import SettingsError
from honeyguide.registry import EXPORTS
from honeyguide.runs.exports.addresses import is_address, sent_to
from honeyguide.runs.exports.files import atomic_file, atomic_folder
from honeyguide.runs.exports.rows import ExportOptions
from honeyguide.runs.run import opened_run

if TYPE_CHECKING:
    from honeyguide.runs.exports.rows import ExportFormat, OnProgress, Written
    from honeyguide.runs.run import Run


def export(
    run: Run | Path | str,
    file: Path | str,
    file_format: str = "edges",
    on_progress: OnProgress = lambda *_: None,
    *,
    relevant: bool = False,
    text: bool = True,
    one_file: bool = False,
    keep_duplicates: bool = False,
) -> Written:
    """Write a run to a file, which is replaced when the new one is complete; return what was written.

    The file may be an address of fsspec, as `s3://bucket/pages.parquet`. For `markdown` it is a folder, which must be
    new or empty, unless all goes into `one_file`. A `corpus` is Parquet where the file's name ends in .parquet, else
    JSON Lines; `keep_duplicates` leaves its near-duplicates in. `relevant` writes the relevant pages alone,
    `text=False` leaves out the text of pages. `on_progress` is called now and then with how much is done, and of how
    much. SettingsError for a format that does not exist, ExportError for what cannot be written.
    """
    options = ExportOptions(relevant, text, one_file, keep_duplicates)
    chosen = find_format(file_format, options).for_file(Path(file))
    is_folder = chosen.write_folder is not None and not one_file
    to_place = sent_to(str(file), is_folder=is_folder) if is_address(file) else nullcontext(Path(file))
    with opened_run(run) as source, to_place as place:
        if chosen.write_folder is not None and is_folder:
            with atomic_folder(place) as folder:
                return chosen.write_folder(source, folder, options, on_progress)
        with atomic_file(place, chosen.newline, is_binary=chosen.is_binary) as out:
            return chosen.write(source, out, options, on_progress)


def write(
    run: Run,
    out: IO[Any],
    file_format: str = "edges",
    options: ExportOptions = ExportOptions(),  # noqa: B008 - frozen
    on_progress: OnProgress = lambda *_: None,
) -> Written:
    """Write an open run to an open file, text or binary as the format is; Markdown as one file."""
    return find_format(file_format, options).write(run, out, options, on_progress)


def find_format(name: str, options: ExportOptions) -> ExportFormat:
    """Return a format by its name. SettingsError where there is none, or it does not have these options."""
    if name not in EXPORTS:
        given = repr(name) if name else "missing"
        raise SettingsError([f"the format is {given}: choose one of {', '.join(EXPORTS)}"])
    found: ExportFormat = EXPORTS[name]
    if found.needs_all_pages and options.relevant_only:
        raise SettingsError([f"the format {name} does not tell relevant pages from others; take csv or graphml"])
    if options.one_file and found.write_folder is None:
        raise SettingsError([f"all in one file is for the format markdown: {name} is one file anyway"])
    if options.keep_duplicates and name != "corpus":
        raise SettingsError([f"near-duplicates are left out of the format corpus alone: {name} has all pages anyway"])
    if not options.with_text and not found.has_text:
        with_text = ", ".join(each.name for each in EXPORTS.values() if each.has_text)
        raise SettingsError([f"only {with_text} can leave out text; {name} cannot"])
    return found
