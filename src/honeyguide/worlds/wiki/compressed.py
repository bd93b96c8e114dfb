"""A file read as what it holds, whether plain, gzip or bzip2, in blocks of bounded size, with a count of bytes read.

What a file is, its first bytes say, not its name. Compressed streams may follow one another, as in a multistream dump.
The next block is unpacked in a thread of its own while the caller works on the last one.
"""

from __future__ import annotations

import bz2
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, Protocol

from honeyguide.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

_READ_BYTES: Final = 1 << 18
_BLOCK_BYTES: Final = 1 << 20
_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"
_GZIP_WINDOW: Final = 31


class BrokenStream(Exception):  # noqa: N818 - turned into an error of the tree where the file is known
    """Bytes that cannot be unpacked. What came before them was good."""

    def __init__(self, message: str, *, is_cut_off: bool) -> None:
        super().__init__(message)
        self.is_cut_off = is_cut_off


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class CompressedFile:
    """One file, read once from its start. Close it, also when reading ends early."""

    def __init__(self, path: Path) -> None:
        try:
            self.size_bytes = path.stat().st_size
            self._file = path.open("rb")
        except OSError as error:
            raise WorldError(f"cannot read {path}: {error.strerror or error}") from error
        self._helper = ThreadPoolExecutor(1, thread_name_prefix="unpack")
        self.bytes_read = 0
        self.bytes_out = 0

    def blocks(self) -> Iterator[bytes]:
        """What the file holds, none of the blocks empty. Raises `BrokenStream` after the last good block."""
        unpacked = self._unpacked()
        ahead = self._helper.submit(next, unpacked, b"")
        while block := ahead.result():
            ahead = self._helper.submit(next, unpacked, b"")
            self.bytes_out += len(block)
            yield block

    def lines(self) -> Iterator[bytes]:
        """The same by lines, without their ends."""
        rest = b""
        for block in self.blocks():
            *whole, rest = (rest + block).split(b"\n")
            yield from whole
        if rest:
            yield rest

    def close(self) -> None:
        self._helper.shutdown(wait=True, cancel_futures=True)
        self._file.close()

    def _unpacked(self) -> Iterator[bytes]:
        data = self._read()
        if not data.startswith((_GZIP, _BZIP2)):
            while data:
                yield data
                data = self._read()
            return
        while data:
            data = yield from self._one_stream(data)

    def _one_stream(self, data: bytes) -> Generator[bytes, None, bytes]:
        """One compressed stream that starts with `data`; gives back what follows it, b"" at the end of the file."""
        if len(data) < len(_BZIP2):
            data += self._read()
        if not data.startswith((_GZIP, _BZIP2)):
            raise BrokenStream("compressed data is followed by something else", is_cut_off=False)
        stream: _Decompressor = bz2.BZ2Decompressor() if data.startswith(_BZIP2) else _Gunzip()
        while not stream.eof:
            if stream.needs_input and not data:
                data = self._read()
                if not data:
                    raise BrokenStream("the compressed data is cut off", is_cut_off=True)
            try:
                block = stream.decompress(data, _BLOCK_BYTES)
            except (OSError, EOFError, zlib.error) as error:
                raise BrokenStream(str(error), is_cut_off=False) from error
            data = b""
            if block:
                yield block
        # Some writers fill up the last block with zeros.
        return stream.unused_data.lstrip(b"\0") or self._read().lstrip(b"\0")

    def _read(self) -> bytes:
        data = self._file.read(_READ_BYTES)
        self.bytes_read += len(data)
        return data


class _Gunzip:
    """One gzip member, with the interface of the decompressor of bzip2."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_WINDOW)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
