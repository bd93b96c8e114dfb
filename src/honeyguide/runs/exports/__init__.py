"""A run written for other programs, one module a format.

A module has a format's writer and its `ExportFormat`, by which `formats` finds it. `export` opens a run and writes it
to a file, which takes its name only when it is complete (`files`). Writers read from the store row by row (`rows`), so
that a run may be larger than memory.
"""

from honeyguide.registry import EXPORTS
from honeyguide.runs.exports.addresses import is_address, is_taken
from honeyguide.runs.exports.edges import read_edge_file, write_edge_file, write_edges
from honeyguide.runs.exports.files import atomic_file, atomic_folder
from honeyguide.runs.exports.formats import export, find_format, write
from honeyguide.runs.exports.rows import (
    AnswersWritten,
    CorpusWritten,
    EdgesWritten,
    ExportFormat,
    ExportOptions,
    PagesWritten,
    RecordsWritten,
    iso_time,
    to_datetime,
)

__all__ = [
    "EXPORTS",
    "AnswersWritten",
    "CorpusWritten",
    "EdgesWritten",
    "ExportFormat",
    "ExportOptions",
    "PagesWritten",
    "RecordsWritten",
    "atomic_file",
    "atomic_folder",
    "export",
    "find_format",
    "is_address",
    "is_taken",
    "iso_time",
    "read_edge_file",
    "to_datetime",
    "write",
    "write_edge_file",
    "write_edges",
]
