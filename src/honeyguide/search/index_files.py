"""Files of an index: damage is found, and arrays beside it are replaced as a whole.

Tantivy does not verify its files when it opens an index: over damaged ones it may panic, or find what is not there, and
it misses a file of positions only when a phrase is looked for. Whatever it dislikes, a bad query too, it raises as a
ValueError. So not errors but the files tell damage: each ends with a footer, which is a line of JSON with the CRC-32 of
all before it, the length of that line and a magic number, 4 bytes each.
"""

from __future__ import annotations

import errno
import json
import logging
import mmap
import os
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np

from honeyguide.drafts import holding, remove_abandoned
from honeyguide.errors import HoneyguideError, RunDamaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

log = logging.getLogger(__name__)


def load_arrays(file: Path) -> Arrays | None:
    """Return saved arrays by name; None where there are none, or the file is damaged."""
    try:
        with file.open("rb") as raw, np.load(raw) as opened:  # NumPy leaves a file open that it cannot read
            return {name: opened[name] for name in opened.files}
    # A damaged header may ask for a password, for an unknown compression, or for more memory than there is.
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, MemoryError, zlib.error, zipfile.BadZipFile):
        return None


def save_arrays(file: Path, **arrays: NDArray[Any]) -> None:
    """Replace a file of arrays. They can be made again, so an error is only logged."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.draft")
    try:
        file.parent.mkdir(exist_ok=True)  # a run with shards has no index of its own
        remove_abandoned(file.parent, f"{file.name}.")
        with draft.open("wb") as opened, holding(draft):
            np.savez(opened, **arrays)  # type: ignore[arg-type] # its other argument is a bool
        draft.replace(file)
    except OSError as error:
        log.info("%s is not saved: %s", file, error)
    finally:
        draft.unlink(missing_ok=True)


_ENDINGS: Final = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term")  # of the files that every segment has
_MAGIC_NUMBER: Final = 1337
_AT_ONCE: Final = 1 << 20  # bytes


class IndexDamaged(Exception):  # noqa: N818 - reads as a statement; never leaves this package
    """A file of an index is missing, or not as it was written."""


def check_files(folder: Path) -> None:
    """IndexDamaged where a committed file of a folder of tantivy's is missing or not as it was written."""
    segments = _segments(folder)
    while True:
        try:
            for segment in segments:
                for ending in _ENDINGS:
                    if not _is_intact(file := folder / f"{segment}{ending}"):
                        raise IndexDamaged(f"{file} is damaged")
        except FileNotFoundError as error:
            newer = _segments(folder)
            if newer == segments:
                raise IndexDamaged(f"{error.filename} is missing") from error
            segments = newer  # another process has merged segments meanwhile
        else:
            return


@contextmanager
def opening_index() -> Iterator[None]:
    """Turn what tantivy raises for an index that it cannot open into IndexDamaged. Put no code of ours inside."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, ValueError) and not _is_panic(error):
            raise
        raise IndexDamaged(str(error)) from error


@contextmanager
def naming_full_disk() -> Iterator[None]:
    """Turn what tantivy raises for want of room into the system's own error."""
    try:
        yield
    except ValueError as error:
        if f"os error {errno.ENOSPC}" not in str(error):
            raise
        raise OSError(errno.ENOSPC, "no space is left on the disk") from error


@contextmanager
def reporting_damage(folders: Sequence[Path]) -> Iterator[None]:
    """Turn an error caused by damaged index files into a RunDamaged that names the folders to delete.

    Any other error stays as it is. `folders` are tantivy's.
    """
    try:
        yield
    except HoneyguideError:
        raise
    except BaseException as error:
        may_be_damage = isinstance(error, Exception) or _is_panic(error)  # an interruption is not
        damaged = [folder for folder in folders if _is_damaged(folder)] if may_be_damage else []
        if not damaged:
            raise
        shown = ", ".join(str(folder.parent) for folder in damaged)
        reason = " ".join(str(error).split())[:120]
        raise RunDamaged(f"the index is damaged ({reason}): delete {shown}; the next search makes it anew") from error


def _is_panic(error: BaseException) -> bool:
    """Say whether this is a panic of tantivy's, whose class cannot be imported."""
    return type(error).__name__ == "PanicException"


def _is_damaged(folder: Path) -> bool:
    try:
        check_files(folder)
    except IndexDamaged:
        return True
    except OSError:  # unreadable, so nobody can tell
        return False
    return False


def _segments(folder: Path) -> list[str]:
    """Return the file names, without endings, of the committed segments."""
    try:
        listed = json.loads((folder / "meta.json").read_bytes())["segments"]
        return [UUID(segment["segment_id"]).hex for segment in listed]
    except FileNotFoundError as error:
        raise IndexDamaged(f"{error.filename} is missing") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise IndexDamaged(f"{folder / 'meta.json'} is damaged: {error}") from error


def _is_intact(file: Path) -> bool:
    if file.stat().st_size < 8:  # the least that a footer has; an empty file cannot be mapped
        return False
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
        length, magic = (int.from_bytes(content[at : at + 4], "little") for at in (len(content) - 8, len(content) - 4))
        end = len(content) - 8 - length
        if magic != _MAGIC_NUMBER or end < 0:
            return False
        try:
            expected = json.loads(content[end:-8])["crc"]
        except (ValueError, KeyError, TypeError):
            return False
        found = 0
        for at in range(0, end, _AT_ONCE):
            found = zlib.crc32(content[at : min(at + _AT_ONCE, end)], found)
        return bool(found == expected)
