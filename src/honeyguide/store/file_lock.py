"""A file that one process at a time holds."""

from __future__ import annotations

import fcntl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import IO, Self


class FileLock:
    """Held from when it is made until it is closed; the system lets go of it when the process dies.

    The file stays behind, empty: who deletes one that is held lets a second process hold its successor.
    """

    def __init__(self, file: Path) -> None:
        """BlockingIOError where another holds it, in this process or elsewhere; any other OSError where nobody can."""
        self._file: IO[bytes] | None = file.open("wb")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Let others in; may be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
