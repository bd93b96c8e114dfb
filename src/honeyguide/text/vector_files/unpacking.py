"""A file read as what it holds, whether plain or compressed; its first bytes say which, not its name."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, cast

import zstandard

from honeyguide.errors import VectorsError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from pathlib import Path

BLOCK_BYTES: Final = 1 << 20
_PACKED_BYTES: Final = 1 << 14  # fed to zstandard at once, which gives back all that comes of it
_MAGIC: Final = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}
_BROKEN: Final = (OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, zstandard.ZstdError)


class _Content(Protocol):
    def read(self, size: int, /) -> bytes: ...


class PackedFile:
    """One file, read once from its start. `compression` is empty where there is none."""

    def __init__(self, path: Path, packed: BufferedReader, compression: str) -> None:
        self.path = path
        self.compression = compression
        self.size_bytes = path.stat().st_size
        self._packed = packed
        self._content = self._opened()

    @property
    def bytes_read(self) -> int:
        """How much of the file, as it lies on disk, is behind us."""
        return self._packed.tell()

    def blocks(self) -> Iterator[bytes]:
        """What the file holds, none of the blocks empty."""
        while block := self._read():
            yield block

    def _read(self) -> bytes:
        try:
            return self._content.read(BLOCK_BYTES)
        except EOFError:
            after = f"after {self.bytes_read:,} bytes"
            raise VectorsError(f"{self.path}: the {self.compression} data is cut off {after}; get it again") from None
        except _BROKEN as error:
            raise self._is_broken(error) from error

    def _opened(self) -> _Content:
        match self.compression:
            case "gzip":
                return gzip.GzipFile(fileobj=self._packed)
            case "bzip2":
                return bz2.BZ2File(self._packed)
            case "xz":
                return lzma.LZMAFile(self._packed)
            case "zstd":
                return _ZstdContent(self._packed)
            case "zip":
                return self._only_member()
            case _:
                return self._packed

    def _only_member(self) -> _Content:
        try:
            archive = zipfile.ZipFile(self._packed)
            names = [member.filename for member in archive.infolist() if not member.is_dir()]
            if len(names) == 1:
                return cast("_Content", archive.open(names[0]))
        except (*_BROKEN, RuntimeError, NotImplementedError) as error:  # encrypted, or packed in an unknown way
            raise self._is_broken(error) from error
        listed = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        raise VectorsError(f"{self.path} holds {len(names)} files ({listed}): unpack it and name one of them")

    def _is_broken(self, error: Exception) -> VectorsError:
        where = f"{self.path}, near byte {self.bytes_read:,}"
        return VectorsError(f"{where}: the {self.compression or 'file'} data cannot be read ({error}); get it again")


class _ZstdContent:
    """Zstandard frames, one after another. The library's own reader takes a file that is cut off for a whole one."""

    def __init__(self, packed: BufferedReader) -> None:
        self._packed = packed
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._rest = b""
        self._is_inside = False

    def read(self, size: int) -> bytes:
        """Some of what the frames hold, not more than one piece of the file holds; empty at the end."""
        del size
        while True:
            data = self._rest or self._packed.read(_PACKED_BYTES)
            if not data:
                if self._is_inside:
                    raise EOFError
                return b""
            content = self._frame.decompress(data)
            self._rest = self._frame.unused_data
            self._is_inside = not self._frame.eof
            if self._frame.eof:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            if content:
                return content


def opened(path: Path) -> BufferedReader:
    """The file as it lies on disk. VectorsError where there is none that can be read."""
    if path.is_dir():
        raise VectorsError(f"{path} is a folder: name one file of vectors in it")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise VectorsError(f"there is no file of vectors {path}: check the path, or take wordllama's") from None
    except OSError as error:
        raise VectorsError(f"cannot read {path}: {error.strerror or error}; check who may read it") from error


@contextmanager
def unpacked(path: Path) -> Iterator[PackedFile]:
    """The file as what it holds, closed again at the end."""
    with opened(path) as packed:
        start = packed.peek(max(map(len, _MAGIC)))
        compression = next((name for magic, name in _MAGIC.items() if start.startswith(magic)), "")
        yield PackedFile(path, packed, compression)
