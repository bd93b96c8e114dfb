"""States of strategies, judges and guards, as they are read from a run that may be a stranger's: none without bound."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import zstandard

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BYTES: Final = 300_000_000
"""Of an unpacked state; the largest that a crawl writes is the memory of deep Q-learning, some tens of megabytes."""


def inflate(packed: bytes, most_bytes: int = MOST_BYTES) -> bytes:
    """Unpack what zlib has packed. ValueError where it is damaged, or unpacks to more bytes than it may."""
    unpacker = zlib.decompressobj()
    try:
        plain = unpacker.decompress(packed, most_bytes)
        is_whole = unpacker.eof or not unpacker.decompress(unpacker.unconsumed_tail, 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not is_whole:
        raise ValueError(f"it unpacks to more than {most_bytes:,} bytes")
    if not unpacker.eof:
        raise ValueError("it is cut short")
    return plain


def unpack_zstandard(
    packed: bytes, most_bytes: int = MOST_BYTES, unpacker: zstandard.ZstdDecompressor | None = None
) -> bytes:
    """Unpack what zstandard has packed, likewise. Its size stands in front, and no more is unpacked than that."""
    try:
        size = zstandard.frame_content_size(packed)
        if size > most_bytes:
            raise ValueError(f"it unpacks to {size:,} bytes, more than {most_bytes:,}")
        return (unpacker or zstandard.ZstdDecompressor()).decompress(packed)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


def load_arrays(saved: bytes, most_bytes: int = MOST_BYTES) -> dict[str, NDArray[Any]]:
    """Return the arrays that `numpy.savez` has written, likewise."""
    try:
        with zipfile.ZipFile(io.BytesIO(saved)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > most_bytes:
            raise ValueError(f"it unpacks to {size:,} bytes, more than {most_bytes:,}")
        with np.load(io.BytesIO(saved), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, EOFError, KeyError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
