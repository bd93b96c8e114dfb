"""A run written for other programs, one module a format.

`export` opens a run and writes it to a file, which takes its name only when it is whole (`whole_file`). Writers read
from the store row by row, so that a run may be larger than memory.
"""

from honeyguide.exports.edges import EdgesWritten, write_edges
from honeyguide.exports.formats import FORMATS, export, write
from honeyguide.exports.whole_file import whole_file

__all__ = ["FORMATS", "EdgesWritten", "export", "whole_file", "write", "write_edges"]
