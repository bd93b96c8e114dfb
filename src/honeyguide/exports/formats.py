"""The formats by name: what the command line and other programs call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from honeyguide.errors import SettingsError
from honeyguide.exports.edges import write_edges
from honeyguide.exports.whole_file import whole_file
from honeyguide.store import open_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from honeyguide.exports.edges import EdgesWritten
    from honeyguide.store import Run

FORMATS: Final = ("edges",)


def export(
    run: Path | str,
    file: Path | str,
    file_format: str = "edges",
    progress: Callable[[int, int], None] | None = None,
) -> EdgesWritten:
    """Write a run to a file, which is replaced when the new one is whole; says what was written.

    `progress` is told now and then how much is done, and of how much. SettingsError for a format that does not exist.
    """
    if file_format not in FORMATS:
        raise _unknown(file_format)
    with open_run(run) as opened, whole_file(Path(file)) as out:
        return write(opened, out, file_format, progress)


def write(
    run: Run, out: TextIO, file_format: str = "edges", progress: Callable[[int, int], None] | None = None
) -> EdgesWritten:
    """As `export`, from a run that is open to a stream that is open."""
    match file_format:
        case "edges":
            return write_edges(run, out, progress)
        case _:
            raise _unknown(file_format)


def _unknown(file_format: str) -> SettingsError:
    return SettingsError([f"--format is {file_format!r}: choose one of {', '.join(FORMATS)}"])
