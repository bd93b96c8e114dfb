"""Files of an index that are not as tantivy wrote them.

Each file of a segment ends with a footer: a line of JSON that has the CRC-32 of all before it, the length of that line
and a mark, 4 bytes each. Tantivy does not look at the sum when it opens an index, and may then stop with a panic, or
find what is not there.
"""

from __future__ import annotations

import json
import mmap
import zlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from honeyguide.errors import HoneyguideError, RunDamaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_ENDINGS: Final = frozenset({".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term"})
_MARK: Final = 1337
_AT_ONCE: Final = 1 << 20  # bytes


def check_files(folder: Path) -> None:
    """ValueError where a file in a folder of tantivy's belongs to what was committed and is not as it was written.

    Some other error where the list of what was committed is damaged. Files that are gone, perhaps because another
    process has put them together, are left for tantivy to miss.
    """
    listed = json.loads((folder / "meta.json").read_bytes())["segments"]
    segments = {str(segment["segment_id"]).replace("-", "") for segment in listed}
    for file in sorted(folder.iterdir()):
        if file.suffix in _ENDINGS and file.stem in segments:
            with suppress(FileNotFoundError):
                _check(file)


def is_panic(error: BaseException) -> bool:
    """Whether this is how a panic of tantivy's arrives, whose class cannot be imported."""
    return type(error).__name__ == "PanicException"


@contextmanager
def damage_told(folders: Sequence[Path]) -> Iterator[None]:
    """Whatever tantivy stops with, as a RunDamaged that says which indexes to delete."""
    try:
        yield
    except HoneyguideError:
        raise
    except BaseException as error:
        if not isinstance(error, ValueError) and not is_panic(error):
            raise
        shown = ", ".join(map(str, folders))
        reason = " ".join(str(error).split())[:120]
        raise RunDamaged(f"the index is damaged ({reason}): delete {shown}; the next search makes it anew") from error


def _check(file: Path) -> None:
    if not _is_whole(file):
        raise ValueError(f"{file} is damaged")


def _is_whole(file: Path) -> bool:
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
