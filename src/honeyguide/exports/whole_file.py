"""Files that appear in whole or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A new text file that takes the place of `path` at the end; if something fails before, `path` is as it was.

    What is there and is no plain file, such as a device or a pipe, is written to as it is. FileNotFoundError where the
    folder is missing.
    """
    if path.exists() and not path.is_file():  # before it is resolved: /dev/stdout leads to a pipe, which has no path
        with path.open("w", encoding="utf-8") as opened:
            yield opened
        return
    asked, path = path, path.resolve()  # a link stays one
    if not path.parent.exists():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist; make it first", str(asked))
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("x", encoding="utf-8") as opened:
            yield opened
            opened.flush()
            os.fsync(opened.fileno())  # or a power cut may leave an empty file under the new name
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
