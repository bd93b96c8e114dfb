"""Responses kept as WARC files while a crawl goes on: `archive/pages-00000.warc.gz` and so on in the run folder.

The database notes where the records of each step lie and end. Records are written before their step is committed, and
what lies behind the last committed end is cut off: when a step fails, and when a run is taken up after a kill. So the
files hold the steps that the store holds, and no others.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.errors import DiskFull, RunDamaged, StoreError
from honeyguide.store.fastwarc_quietly import ArchiveIterator
from honeyguide.store.warc_records import fetch_records, warc_date, warcinfo_id, warcinfo_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from honeyguide.domain import Exchange, Url

_READ_BYTES: Final = 16_384


class ArchivePlace(NamedTuple):
    """Where the response of a step lies, and where the last record of that step ends."""

    file: int
    offset: int
    end: int


class WarcArchive:
    """The files of one run, open for writing. `go_on_from` comes first, `settle` or `cut_back` after each step."""

    def __init__(self, folder: Path, about: dict[str, str], file_bytes: int) -> None:
        """`about` goes into the first record of each file; a new file is begun when one has `file_bytes`."""
        self._folder = folder
        self._about = about
        self._file_bytes = file_bytes
        self._number, self._settled = 0, 0  # the file that is written, and its committed length
        self._settled_number = 0
        self._end = 0
        self._file: BinaryIO | None = None

    def go_on_from(self, place: ArchivePlace | None) -> None:
        """Take up the files after the last place that was committed; what lies behind it is cut off."""
        self._settled_number, self._settled = (0, 0) if place is None else (place.file, place.end)
        with _told(self._folder):
            self._folder.mkdir(exist_ok=True)
            self.cut_back()

    def append(self, exchange: Exchange, url: Url, address: str, moment: float, step: int) -> ArchivePlace:
        """Write request and response of a step; they are there when this returns."""
        with _told(self._folder):
            if self._end >= self._file_bytes:
                self._open(self._number + 1)
            date = warc_date(moment)
            if not self._end:
                self._write(warcinfo_record(self._about, date, file_name(self._number)))
            fields = {"WARC-Date": date, "WARC-Warcinfo-ID": f"<urn:uuid:{self._info_id}>"}
            if address:
                fields["WARC-IP-Address"] = address
            offset = self._end
            for record in fetch_records(exchange, url, fields, step):
                self._write(record)
        return ArchivePlace(self._number, offset, self._end)

    def settle(self) -> None:
        """The step is committed: what was written belongs to the run."""
        self._settled_number, self._settled = self._number, self._end

    def cut_back(self) -> None:
        """Take back what was written since the last `settle`."""
        if (self._number, self._end) == (self._settled_number, self._settled) and self._file is not None:
            return
        with _told(self._folder):
            for path in self._folder.glob("pages-*.warc.gz"):
                if path.name > file_name(self._settled_number):
                    path.unlink()
            self._open(self._settled_number)

    def sync(self) -> None:
        """Have the system write what it holds back."""
        if self._file is not None:
            with _told(self._folder):
                os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def _info_id(self) -> str:
        return warcinfo_id(self._about, file_name(self._number))

    def _open(self, number: int) -> None:
        """Write file `number` from its committed end on."""
        self.close()
        path = self._folder / file_name(number)
        end = self._settled if number == self._settled_number else 0
        self._file = path.open("r+b" if path.exists() else "w+b", buffering=0)
        if self._file.seek(0, os.SEEK_END) < end:
            raise RunDamaged(f"{path} has lost its end; restore it from a copy of the run")
        self._file.truncate(end)
        self._file.seek(end)
        self._number, self._end = number, end

    def _write(self, record: bytes) -> None:
        assert self._file is not None, "go_on_from comes first"
        written = 0
        while written < len(record):
            written += self._file.write(record[written:]) or 0
        self._end += written


def file_name(number: int) -> str:
    return f"pages-{number:05}.warc.gz"


def read_body(folder: Path, file: int, offset: int) -> bytes:
    """The body in the response at `offset` of file `file`. RunDamaged if there is none."""
    path = folder / file_name(file)
    try:
        with path.open("rb") as opened:
            opened.seek(offset)
            record = next(iter(ArchiveIterator(opened, parse_http=False, buffer_size=_READ_BYTES)))
            record.parse_http("none")
            return record.reader.read()
    except (OSError, StopIteration) as error:
        raise RunDamaged(f"{path} has no record at byte {offset}; restore it from a copy of the run") from error


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """The system's errors as ours."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(
                f"no room to write {folder}: {error.strerror}; free some space, then resume: all earlier steps are safe"
            ) from error
        raise StoreError(f"cannot write {folder}: {error.strerror}; make the folder writable, then resume") from error
