"""Arrays kept in a file beside the index: there whole, or not there at all."""

from __future__ import annotations

import logging
import os
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

log = logging.getLogger(__name__)


def kept_arrays(file: Path) -> Arrays | None:
    """By name, what was kept; None where nothing was, or the file is damaged."""
    try:
        with file.open("rb") as raw, np.load(raw) as opened:  # NumPy leaves a file open that it cannot read
            return {name: opened[name] for name in opened.files}
    # What NumPy and zipfile stop with, for lack of a file or over bytes that are not theirs: a damaged header may ask
    # for a password, for a kind of compression that nobody has, or for more memory than there is.
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, MemoryError, zlib.error, zipfile.BadZipFile):
        return None


def keep_arrays(file: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays in place of what was kept. They can be made again, so trouble is logged and no more."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as opened:
            np.savez(opened, **arrays)  # type: ignore[arg-type] # its other argument is a bool
        draft.replace(file)
    except OSError as error:
        log.info("%s is not kept: %s", file, error)
    finally:
        draft.unlink(missing_ok=True)
