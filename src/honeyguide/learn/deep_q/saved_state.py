"""Arrays as one compressed block of bytes, and back."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import zstandard

from honeyguide.errors import StrategyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LEVEL: Final = 1  # of compression: higher ones take longer and gain little on weights


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The same arrays give the same bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return zstandard.ZstdCompressor(level=LEVEL).compress(buffer.getvalue())


def unpacked(state: bytes) -> dict[str, NDArray[Any]]:
    """What was packed; StrategyError if it was not."""
    try:
        plain = zstandard.ZstdDecompressor().decompress(state)
        with np.load(io.BytesIO(plain), allow_pickle=False) as saved:
            return {name: saved[name] for name in saved.files}
    except (zstandard.ZstdError, OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise StrategyError(f"not a saved state of deep Q-learning: {error}") from error


def under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays with a prefix to their names."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def within(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays whose names have the prefix, without it."""
    return {name.removeprefix(f"{prefix}/"): array for name, array in arrays.items() if name.startswith(f"{prefix}/")}
