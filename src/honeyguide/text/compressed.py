"""Read a file as what it holds, whether plain or compressed; its first bytes say which, not its name.

Compressed streams may follow one another, as in a multistream dump. A thread unpacks the next block while the caller
works on the last one. With processes, the streams of a bzip2 file are unpacked there, some at a time.
"""

from __future__ import annotations

import bz2
import lzma
import os
import re
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, Protocol

import zstandard

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from honeyguide.processes import WorkerPool

BLOCK_BYTES: Final = 1 << 20  # the most that a block holds, but for zstandard
_READ_BYTES: Final = 1 << 18
_ZSTD_BYTES: Final = 1 << 14  # fed to zstandard at once, which gives back all that comes of it
_LONGEST_START: Final = 10
_PART_BYTES: Final = 1 << 18  # the least of a file that a process unpacks at once; a part ends where a stream ends
_LONGEST_PART_BYTES: Final = 1 << 23
_LARGEST_PART_BYTES: Final = 1 << 26  # unpacked
_STARTS: Final = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "zip": re.compile(rb"PK\x03\x04"),
}
_UNREADABLE: Final = (OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile)


class BrokenStream(Exception):  # noqa: N818 - callers turn it into an error of the tree that names their file
    """A file that cannot be unpacked. What came before was good."""

    def __init__(self, message: str, *, is_cut_off: bool = False, remedy: str = "get it again") -> None:
        super().__init__(message)
        self.is_cut_off = is_cut_off
        self.remedy = remedy


class CompressedFile:
    """One file, read once from its start. `compression` is empty where there is none."""

    def __init__(self, path: Path, workers: WorkerPool | None = None) -> None:
        """Open the file; OSError where that fails."""
        self.path = path
        self._workers = workers
        self._file = path.open("rb")
        self.size_bytes = os.fstat(self._file.fileno()).st_size
        start = self._file.peek(_LONGEST_START)
        self.compression = next((name for name, pattern in _STARTS.items() if pattern.match(start)), "")
        self._helper = ThreadPoolExecutor(1, thread_name_prefix="unpack")
        self._unpacked_to: int | None = None  # while processes are unpacking
        self.bytes_out = 0

    @property
    def bytes_read(self) -> int:
        """Bytes of the file as it lies on disk that have been read so far."""
        return self._file.tell() if self._unpacked_to is None else self._unpacked_to

    def blocks(self) -> Iterator[bytes]:
        """Yield what the file holds, no block empty. Raises `BrokenStream` after the last good block."""
        content = self._checked()
        ahead = self._helper.submit(next, content, b"")
        while block := ahead.result():
            ahead = self._helper.submit(next, content, b"")
            self.bytes_out += len(block)
            yield block

    def lines(self) -> Iterator[bytes]:
        """Yield the lines, without their ends."""
        rest = b""
        for block in self.blocks():
            *whole, rest = (rest + block).split(b"\n")
            yield from whole
        if rest:
            yield rest

    def close(self) -> None:
        self._helper.shutdown(wait=True, cancel_futures=True)
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _checked(self) -> Iterator[bytes]:
        """Yield the content; raise every trouble with it as a `BrokenStream`."""
        data = f"the {self.compression or 'file'} data"
        try:
            yield from self._content()
        except EOFError:
            raise BrokenStream(f"{data} is cut off after {self.bytes_read:,} bytes", is_cut_off=True) from None
        except _UNREADABLE as error:
            raise BrokenStream(f"{data} cannot be read near byte {self.bytes_read:,} ({error})") from error

    def _content(self) -> Iterator[bytes]:
        match self.compression:
            case "":
                while block := self._file.read(BLOCK_BYTES):
                    yield block
            case "zip":
                yield from self._only_member()
            case _:
                if self.compression == "bzip2" and self._workers is not None and self._workers.jobs > 1:
                    yield from self._unpack_parts(self._workers)
                data = self._file.read(_READ_BYTES)
                while data:
                    data = yield from self._stream(data)

    def _unpack_parts(self, workers: WorkerPool) -> Iterator[bytes]:
        """Yield what processes unpack; the file then stands at the first part that they could not, or at its end."""
        self._unpacked_to = 0
        for end, content in workers.map(_unpack_part, self._parts()):
            if content is None:
                break
            for start in range(0, len(content), BLOCK_BYTES):
                yield content[start : start + BLOCK_BYTES]
            self._unpacked_to = end
        self._file.seek(self._unpacked_to)
        self._unpacked_to = None

    def _parts(self) -> Iterator[tuple[int, bytes]]:
        """Yield whole streams, some at a time, and where they end; up to a stream that is too long for a part."""
        data, start = b"", 0
        while more := self._file.read(_READ_BYTES):
            searched = max(_PART_BYTES, len(data) - _LONGEST_START)
            data += more
            while found := _STARTS["bzip2"].search(data, searched):
                yield start + found.start(), data[: found.start()]
                data, start, searched = data[found.start() :], start + found.start(), _PART_BYTES
            if len(data) > _LONGEST_PART_BYTES:
                return
        if data:
            yield start + len(data), data

    def _stream(self, data: bytes) -> Generator[bytes, None, bytes]:
        """Unpack one stream that starts with `data`; return what follows it, b"" at the end of the file."""
        if len(data) < _LONGEST_START:
            data += self._file.read(_READ_BYTES)
        if not _STARTS[self.compression].match(data):
            raise BrokenStream("compressed data is followed by something else")
        stream = _DECOMPRESSORS[self.compression]()
        while not stream.eof:
            if stream.needs_input and not data:
                data = self._file.read(_READ_BYTES)
                if not data:
                    raise EOFError
            block = stream.decompress(data, BLOCK_BYTES)
            data = b""
            if block:
                yield block
        # Some writers fill up the last block with zeros.
        return stream.unused_data.lstrip(b"\0") or self._file.read(_READ_BYTES).lstrip(b"\0")

    def _only_member(self) -> Iterator[bytes]:
        try:
            archive = zipfile.ZipFile(self._file)
            names = [member.filename for member in archive.infolist() if not member.is_dir()]
            if len(names) != 1:
                listed = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
                raise BrokenStream(f"it holds {len(names)} files ({listed})", remedy="unpack it and name one of them")
            member = archive.open(names[0])
        except (RuntimeError, NotImplementedError) as error:  # encrypted, or packed in an unknown way
            raise BrokenStream(f"the zip data cannot be read ({error})") from error
        while block := member.read(BLOCK_BYTES):
            yield block


def _unpack_part(part: tuple[int, bytes]) -> tuple[int, bytes | None]:
    """Return where the part ends and its content; None where it is broken, or larger than `_LARGEST_PART_BYTES`."""
    end, data = part
    content: list[bytes] = []
    left = _LARGEST_PART_BYTES
    while data := data.lstrip(b"\0"):
        stream = bz2.BZ2Decompressor()
        try:
            content.append(stream.decompress(data, left))
        except OSError:
            return end, None
        left -= len(content[-1])
        if not stream.eof or left <= 0:
            return end, None
        data = stream.unused_data
    return end, b"".join(content)


class _Decompressor(Protocol):
    """The interface that the standard library's decompressors of bzip2 and xz have."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Gunzip:
    """One gzip member."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

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


class _Unzstd:
    """One zstandard frame. The library's own reader takes a file that is cut off for a whole one."""

    def __init__(self) -> None:
        self._stream = zstandard.ZstdDecompressor().decompressobj()
        self._rest = b""

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._rest

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data + self._rest

    def decompress(self, data: bytes, max_length: int) -> bytes:
        del max_length
        data = self._rest + data
        self._rest = data[_ZSTD_BYTES:]
        return self._stream.decompress(data[:_ZSTD_BYTES])


_DECOMPRESSORS: Final[dict[str, Callable[[], _Decompressor]]] = {
    "gzip": _Gunzip,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "zstd": _Unzstd,
}
