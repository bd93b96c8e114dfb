"""FastWARC, imported without the warning that it gives about its own older names (as of 1.1), which we do not use."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import GzipWriter
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

__all__ = ["ArchiveIterator", "GzipWriter", "WarcRecord", "WarcRecordType"]
