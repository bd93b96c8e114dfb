"""Files of an index that are not as tantivy wrote them.

Each file of a segment ends with a footer: a line of JSON that has the CRC-32 of all before it, the length of that line
and a mark, 4 bytes each. Tantivy does not look at the sum when it opens an index, and may then stop with a panic, or
find what is not there; and it misses a file of positions only when a phrase is looked for. Whatever it dislikes, a bad
query too, it raises as a ValueError. So an error says nothing of damage: the files do.
"""

from __future__ import annotations

import json
import mmap
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from uuid import UUID

from honeyguide.errors import HoneyguideError, RunDamaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_ENDINGS: Final = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term")  # of the files that every segment has
_MARK: Final = 1337
_AT_ONCE: Final = 1 << 20  # bytes


class IndexDamaged(Exception):  # noqa: N818 - reads as a statement; never leaves this package
    """A file of an index is missing, or not as it was written."""


def check_files(folder: Path) -> None:
    """IndexDamaged where a file of what was committed to a folder of tantivy's is missing or not as it was written."""
    segments = _committed(folder)
    while True:
        try:
            for segment in segments:
                for ending in _ENDINGS:
                    _check(folder / f"{segment}{ending}")
        except FileNotFoundError as error:
            newer = _committed(folder)
            if newer == segments:
                raise IndexDamaged(f"{error.filename} is missing") from error
            segments = newer  # another process has put the files together meanwhile
        else:
            return


@contextmanager
def opening_told() -> Iterator[None]:
    """What tantivy raises for an index that it cannot open, as IndexDamaged. Put nothing of ours under it."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, ValueError) and not _is_panic(error):
            raise
        raise IndexDamaged(str(error)) from error


@contextmanager
def damage_told(folders: Sequence[Path]) -> Iterator[None]:
    """An error for which the files of an index are to blame, as a RunDamaged that says which to delete.

    Any other stays what it is. `folders` are tantivy's.
    """
    try:
        yield
    except HoneyguideError:
        raise
    except BaseException as error:
        damaged = [folder for folder in folders if _is_damaged(folder)] if _may_be_damage(error) else []
        if not damaged:
            raise
        shown = ", ".join(str(folder.parent) for folder in damaged)
        reason = " ".join(str(error).split())[:120]
        raise RunDamaged(f"the index is damaged ({reason}): delete {shown}; the next search makes it anew") from error


def _is_panic(error: BaseException) -> bool:
    """Whether this is how a panic of tantivy's arrives, whose class cannot be imported."""
    return type(error).__name__ == "PanicException"


def _may_be_damage(error: BaseException) -> bool:
    """Anything may come of numbers that are none: of an interruption it is known that nothing is damaged."""
    return isinstance(error, Exception) or _is_panic(error)


def _is_damaged(folder: Path) -> bool:
    try:
        check_files(folder)
    except IndexDamaged:
        return True
    except OSError:  # who may not look cannot tell
        return False
    return False


def _committed(folder: Path) -> list[str]:
    """How the files of each segment are called."""
    try:
        listed = json.loads((folder / "meta.json").read_bytes())["segments"]
        return [UUID(segment["segment_id"]).hex for segment in listed]
    except FileNotFoundError as error:
        raise IndexDamaged(f"{error.filename} is missing") from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise IndexDamaged(f"{folder / 'meta.json'} is damaged: {error}") from error


def _check(file: Path) -> None:
    if not _is_whole(file):
        raise IndexDamaged(f"{file} is damaged")


def _is_whole(file: Path) -> bool:
    if file.stat().st_size < 8:  # the least that a footer has; and nothing cannot be mapped
        return False
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
        length, mark = (int.from_bytes(content[at : at + 4], "little") for at in (len(content) - 8, len(content) - 4))
        end = len(content) - 8 - length
        if mark != _MARK or end < 0:
            return False
        try:
            expected = json.loads(content[end:-8])["crc"]
        except (ValueError, KeyError, TypeError):
            return False
        found = 0
        for at in range(0, end, _AT_ONCE):
            found = zlib.crc32(content[at : min(at + _AT_ONCE, end)], found)
        return bool(found == expected)
