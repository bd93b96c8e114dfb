"""Where a record ends, found from the bytes themselves: what a reader of records does not tell of a broken file."""

from __future__ import annotations

import os
import re
import zlib
from enum import Enum, auto
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

_CHUNK_BYTES: Final = 1 << 16
_GZIP_START: Final = b"\x1f\x8b"
_FIRST_LINE: Final = b"WARC/"  # and a version of three characters
_HEADER_END: Final = b"\r\n\r\n"
_CONTENT_LENGTH: Final = re.compile(rb"^content-length:[ \t]*(\d+)[ \t]*\r$", re.IGNORECASE | re.MULTILINE)


class Extent(Enum):
    """How a record lies in its file."""

    WHOLE = auto()
    CUT = auto()  # the file ends within it
    SHARED = auto()  # compressed in one piece with others


def extent_of(path: Path, offset: int) -> Extent:
    """How the record lies that begins at `offset`. Reads no more of the file than the record."""
    with path.open("rb") as file:
        is_packed, pieces = _unpacked(file, offset)
        start, length = _header(pieces)
        if length is None:
            return Extent.CUT
        seen = len(start)
        for piece in pieces:
            if seen > length + len(_HEADER_END):
                break
            seen += len(piece)
    if seen < length:
        return Extent.CUT
    return Extent.SHARED if is_packed and seen > length + len(_HEADER_END) else Extent.WHOLE


def cut_after(path: Path, offset: int) -> int | None:
    """Where the next record begins, if all that is wrong with it is that the file ends within its first few bytes.

    A record that got further than that can be read, and `extent_of` tells. `offset` is that of the record before.
    """
    with path.open("rb") as file:
        end = _end_of(file, offset)
        if end >= file.seek(0, os.SEEK_END):
            return None
        _, pieces = _unpacked(file, end)
        try:
            tail = b"".join(islice(pieces, 2))
        except zlib.error:
            return None
    return end if _FIRST_LINE.startswith(tail[: len(_FIRST_LINE)]) and len(tail) <= len(_FIRST_LINE) + 3 else None


def _header(pieces: Iterator[bytes]) -> tuple[bytes, int | None]:
    """What was read to see the whole header, and the length of header and content together; None if it has no end."""
    start = b""
    for piece in pieces:
        start += piece
        head, end, _ = start.partition(_HEADER_END)
        if end:
            declared = _CONTENT_LENGTH.search(head + b"\r\n")
            return start, len(head) + len(end) + (int(declared[1]) if declared else 0)
    return start, None


def _end_of(file: BinaryIO, offset: int) -> int:
    """The place in the file behind the record at `offset`."""
    is_packed, pieces = _unpacked(file, offset)
    if not is_packed:
        return offset + (_header(pieces)[1] or 0) + len(_HEADER_END)
    unpacker = zlib.decompressobj(wbits=31)
    file.seek(offset)
    while not unpacker.eof and (packed := file.read(_CHUNK_BYTES)):
        unpacker.decompress(packed)
    return file.tell() - len(unpacker.unused_data)


def _unpacked(file: BinaryIO, offset: int) -> tuple[bool, Iterator[bytes]]:
    """The bytes from `offset` on: of one compressed member, or of all the rest of a file that is not compressed."""
    file.seek(offset)
    start = file.read(2)
    is_packed = bool(start) and _GZIP_START.startswith(start)  # one byte, where the file ends behind it
    file.seek(offset)
    return is_packed, (_inflated(file) if is_packed else iter(lambda: file.read(_CHUNK_BYTES), b""))


def _inflated(file: BinaryIO) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    while not unpacker.eof and (packed := file.read(_CHUNK_BYTES)):
        yield unpacker.decompress(packed)
