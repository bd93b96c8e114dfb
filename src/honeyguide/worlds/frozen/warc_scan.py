"""Read a WARC file from end to end, once, for what it captured and where each capture lies.

Responses and revisits count, and `resource` records of http addresses; requests, metadata and the rest do not. A file
that is broken is refused. A last record that is cut off, as by a crawl that was killed, is left out.

The captures are kept beside the file in `FILE.honeyguide-index`, a small SQLite database that is tied to the size and
the modification time of its WARC file and to the version of its own format. One that does not fit is made anew; where
it cannot be written, as in a read-only folder, the file is read each time. It can be deleted at any time.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import zlib
from contextlib import closing, nullcontext, suppress
from dataclasses import astuple, dataclass, fields
from enum import Enum, auto
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import xxhash

from honeyguide.drafts import holding, remove_abandoned
from honeyguide.errors import InvalidUrl, WorldError
from honeyguide.model import Url
from honeyguide.quiet_fastwarc import ArchiveIterator, WarcRecordType
from honeyguide.worlds.frozen.answers import SNIFFED_BYTES, is_html_type, looks_like_html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from honeyguide.quiet_fastwarc import WarcRecord

_CHUNK_BYTES: Final = 1 << 16
_GZIP_START: Final = b"\x1f\x8b"
_FIRST_LINE: Final = b"WARC/"  # and a version of three characters
_HEADER_END: Final = b"\r\n\r\n"
_CONTENT_LENGTH: Final = re.compile(rb"^content-length:[ \t]*(\d+)[ \t]*\r$", re.IGNORECASE | re.MULTILINE)


class Extent(Enum):
    """How a record lies in its file."""

    WHOLE = auto()
    CUT = auto()  # the file ends within it
    SHARED = auto()  # compressed in one piece with others


def measure_extent(path: Path, offset: int) -> Extent:
    """Return how the record lies that begins at `offset`. Reads no more of the file than the record."""
    with path.open("rb") as file:
        is_packed, pieces = _blocks_from(file, offset)
        start, length = _read_header(pieces)
        if length is None:
            return Extent.CUT
        seen = len(start)
        for piece in pieces:
            if seen > length + len(_HEADER_END):
                break
            seen += len(piece)
    if seen < length:
        return Extent.CUT
    return Extent.SHARED if is_packed and seen > length + len(_HEADER_END) else Extent.WHOLE


def find_cut(path: Path, offset: int) -> int | None:
    """Return where the next record begins if the file ends within its first few bytes; None if not.

    A record that got further than that can be read, and `measure_extent` tells. `offset` is that of the record before.
    """
    with path.open("rb") as file:
        end = _find_end(file, offset)
        if end >= file.seek(0, os.SEEK_END):
            return None
        _, pieces = _blocks_from(file, end)
        try:
            tail = b"".join(islice(pieces, 2))
        except zlib.error:
            return None
    return end if _FIRST_LINE.startswith(tail[: len(_FIRST_LINE)]) and len(tail) <= len(_FIRST_LINE) + 3 else None


def _read_header(pieces: Iterator[bytes]) -> tuple[bytes, int | None]:
    """Return the bytes up to the end of the header, and the length of header and content; None if it has no end."""
    start = b""
    for piece in pieces:
        start += piece
        head, end, _ = start.partition(_HEADER_END)
        if end:
            declared = _CONTENT_LENGTH.search(head + b"\r\n")
            return start, len(head) + len(end) + (int(declared[1]) if declared else 0)
    return start, None


def _find_end(file: BinaryIO, offset: int) -> int:
    """Return the place in the file behind the record at `offset`."""
    is_packed, pieces = _blocks_from(file, offset)
    if not is_packed:
        return offset + (_read_header(pieces)[1] or 0) + len(_HEADER_END)
    unpacker = zlib.decompressobj(wbits=31)
    file.seek(offset)
    while not unpacker.eof and (packed := file.read(_CHUNK_BYTES)):
        unpacker.decompress(packed)
    return file.tell() - len(unpacker.unused_data)


def _blocks_from(file: BinaryIO, offset: int) -> tuple[bool, Iterator[bytes]]:
    """Yield the bytes from `offset` on, of one compressed member or of the rest of a plain file."""
    file.seek(offset)
    start = file.read(2)
    is_packed = bool(start) and _GZIP_START.startswith(start)  # one byte, where the file ends behind it
    file.seek(offset)
    return is_packed, (_inflate(file) if is_packed else iter(lambda: file.read(_CHUNK_BYTES), b""))


def _inflate(file: BinaryIO) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    while not unpacker.eof and (packed := file.read(_CHUNK_BYTES)):
        yield unpacker.decompress(packed)


MAX_HEADER_BYTES: Final = 65_536
_USEFUL: Final = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource


@dataclass(frozen=True, slots=True)
class Capture:
    """One record that answers a URL.

    The three keys are hashes of what a record can be referred to by: its id, its URL and date, the digest of its
    payload; 0 where it has none. Those of a revisit are of the record that it refers to.
    """

    url: str
    offset: int
    date: str
    status: int  # of the HTTP response; of a revisit 0, since the original tells
    is_html: bool
    is_revisit: bool
    id_key: int
    place_key: int
    digest_key: int


class WarcScan:
    """One reading of one file. `cut_at` is where a last record begins, or would, that is not all there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.cut_at: int | None = None  # known once all captures are read

    def captures(self) -> Iterator[Capture]:
        """Yield the captures, in the order of the file. WorldError when it is broken or no WARC at all."""
        path, offset = self._path, -1
        held: Capture | None = None  # the newest, kept back until the record after it shows that it is whole
        try:
            for record in ArchiveIterator(str(path), parse_http=False, max_header_len=MAX_HEADER_BYTES):
                _check_separate(path, offset, record.stream_pos)
                offset = record.stream_pos
                if held is not None:
                    yield held
                held = _describe(record) if record.record_type & _USEFUL else None
        except OSError as error:
            if offset < 0:
                raise WorldError(f"{path} is not a WARC file ({error}); give .warc or .warc.gz files") from error
            if find_cut(path, offset) is None:
                raise WorldError(
                    f"{path} is broken after the record at byte {offset} ({error}); get a whole copy of it"
                ) from error
        if offset < 0:
            raise WorldError(f"{path} is an empty file; give .warc or .warc.gz files")
        if measure_extent(path, offset) is Extent.CUT:
            self.cut_at = offset
            return
        self.cut_at = find_cut(path, offset)
        if held is not None:
            yield held


def _check_separate(path: Path, before: int, offset: int) -> None:
    """Refuse a file compressed as one piece: no record of it could be read without all before it."""
    is_one_piece = before >= 0 and offset <= before
    if before < 0 or is_one_piece:
        is_one_piece = is_one_piece or measure_extent(path, offset) is Extent.SHARED
    if is_one_piece:
        raise WorldError(
            f"{path} is compressed as one piece, not record by record; rewrite it with: fastwarc recompress"
        )


def _describe(record: WarcRecord) -> Capture | None:
    """Describe a record; None when it has no http address or no readable response."""
    headers = record.headers
    try:
        url = Url.parse((headers.get("WARC-Target-URI") or "").strip("<>"))
    except InvalidUrl:  # dns: and the like
        return None
    date = headers.get("WARC-Date") or ""
    is_revisit = record.record_type == WarcRecordType.revisit
    status, is_html = (0, False) if is_revisit else _status_and_type(record)
    if not status and not is_revisit:
        return None
    if is_revisit:
        name = headers.get("WARC-Refers-To")
        place = (headers.get("WARC-Refers-To-Target-URI"), headers.get("WARC-Refers-To-Date"))
    else:
        name, place = headers.get("WARC-Record-ID"), (url.text, date)
    keys = _key(name), _place_key(*place), _key(headers.get("WARC-Payload-Digest"))
    return Capture(url.text, record.stream_pos, date, status, is_html, is_revisit, *keys)


def _status_and_type(record: WarcRecord) -> tuple[int, bool]:
    """Return the status of a response, 0 when it cannot be read, and whether it is HTML."""
    if record.record_type == WarcRecordType.resource:
        return 200, is_html_type(record.headers.get("Content-Type") or "")
    try:
        record.parse_http(max_header_len=MAX_HEADER_BYTES)
    except OSError:
        return 0, False
    if not record.is_http_parsed:
        return 0, False
    headers = record.http_headers
    content_type = headers.get("Content-Type") or record.headers.get("WARC-Identified-Payload-Type") or ""
    if content_type:
        return headers.status_code or 0, is_html_type(content_type)
    return headers.status_code or 0, looks_like_html(record.reader.read(SNIFFED_BYTES))


def _place_key(address: str | None, date: str | None) -> int:
    with suppress(InvalidUrl):
        if address and date:
            return _key(f"{Url.parse(address.strip('<>'))} {date}")
    return 0


def _key(text: str | None) -> int:
    """Return a hash that fits SQLite's integers, never 0 for a text."""
    return (xxhash.xxh3_64_intdigest(text.encode()) >> 1) | 1 if text else 0


log = logging.getLogger(__name__)

FORMAT: Final = 1
SUFFIX: Final = ".honeyguide-index"
COLUMNS: Final = tuple(field.name for field in fields(Capture))

_SCHEMA: Final = f"""
    CREATE TABLE about (format INTEGER, warc_bytes INTEGER, warc_mtime_ns INTEGER, cut_at INTEGER);
    CREATE TABLE captures ({", ".join(COLUMNS)});
"""
_ROWS: Final = f"SELECT {', '.join(COLUMNS)} FROM captures ORDER BY rowid"  # noqa: S608 - names of our own


def captures_of(warc: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the captures of a WARC file as rows of `COLUMNS`. WorldError if it is unusable."""
    try:
        now = warc.stat()
    except OSError as error:
        raise WorldError(f"cannot read {warc}: {error.strerror}; give .warc or .warc.gz files") from error
    stamp = (FORMAT, now.st_size, now.st_mtime_ns)
    sidecar = Path(f"{warc}{SUFFIX}")
    with closing(_open_index(sidecar, stamp) or _make_index(sidecar, stamp, warc)) as database:
        (cut_at,) = database.execute("SELECT cut_at FROM about").fetchone()
        if cut_at is not None:
            log.warning("%s is cut off in the record at byte %s, which is left out", warc, cut_at)
        yield from database.execute(_ROWS)


def _open_index(sidecar: Path, stamp: tuple[int, ...]) -> sqlite3.Connection | None:
    """Open the index beside the file, if it is there, whole and of this very file."""
    if not sidecar.exists():
        return None
    # Immutable: no lock and no journal, which a read-only folder could not hold.
    database = sqlite3.connect(f"{sidecar.resolve().as_uri()}?immutable=1", uri=True)
    with suppress(sqlite3.DatabaseError):
        if database.execute("SELECT format, warc_bytes, warc_mtime_ns FROM about").fetchone() == stamp:
            return database
    database.close()
    return None


def _make_index(sidecar: Path, stamp: tuple[int, ...], warc: Path) -> sqlite3.Connection:
    """Return a new index of the file, put in its place when it is whole."""
    log.info("reading %s from end to end, once", warc)
    remove_abandoned(sidecar.parent, f"{sidecar.name}.")
    draft = sidecar.with_name(f"{sidecar.name}.{os.getpid()}.draft")
    database, is_kept = _create_draft(draft)
    scan = WarcScan(warc)
    try:
        with holding(draft) if is_kept else nullcontext():
            places = ", ".join("?" * len(COLUMNS))
            database.executemany(f"INSERT INTO captures VALUES ({places})", map(astuple, scan.captures()))  # noqa: S608
            database.execute("INSERT INTO about VALUES (?, ?, ?, ?)", (*stamp, scan.cut_at))
            database.commit()
            if is_kept:
                draft.replace(sidecar)
    except BaseException as error:
        database.close()
        draft.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise WorldError(f"cannot keep the index of {warc} in {sidecar}: {error}; make room for it") from error
        raise
    return database


def _create_draft(draft: Path) -> tuple[sqlite3.Connection, bool]:
    """Return an empty index at `draft`; where nothing can be written there, in a temporary file that nobody sees."""
    try:
        return _create_database(str(draft)), True
    except sqlite3.OperationalError:
        log.info("cannot write %s: the index is made again each time", draft)
        return _create_database(""), False


def _create_database(place: str) -> sqlite3.Connection:
    database = sqlite3.connect(place)
    try:
        database.executescript(f"PRAGMA journal_mode = OFF; {_SCHEMA}")
    except BaseException:
        database.close()
        raise
    return database
