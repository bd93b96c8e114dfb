"""A run written for other programs, one module a format.

`export` opens a run and writes it to a file, which takes its name only when it is whole (`whole_file`). Writers read
from the store row by row, so that a run may be larger than memory: formats of pages write `reading.PageRecord`s, those
of graphs pages and the links between them (`graph_pages`), `warc` what the hosts had answered.
"""

from honeyguide.runs.exports.choice import (
    REPORT_NAME,
    Choice,
    EdgesWritten,
    PagesWritten,
    RecordsWritten,
    whole_binary_file,
    whole_file,
    whole_folder,
)
from honeyguide.runs.exports.formats import BINARY_FORMATS, FORMATS, checked, export, write, write_bytes
from honeyguide.runs.exports.graphs import write_edges

__all__ = [
    "BINARY_FORMATS",
    "FORMATS",
    "REPORT_NAME",
    "Choice",
    "EdgesWritten",
    "PagesWritten",
    "RecordsWritten",
    "checked",
    "export",
    "whole_binary_file",
    "whole_file",
    "whole_folder",
    "write",
    "write_bytes",
    "write_edges",
]
