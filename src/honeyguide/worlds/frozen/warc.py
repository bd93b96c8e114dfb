"""WARC files as a world: what a crawler once got from any number of hosts, answered again.

Of all captures of a URL one answers. The newest page wins; where there is no page, the newest redirect; else the newest
error. A revisit, which says that the page was still the same, counts as a capture of its own date with the bytes of the
record it refers to; one that refers to a record that is not there counts for nothing.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from honeyguide.errors import InvalidUrl, WorldError
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Outcome, Redirected, Url
from honeyguide.quiet_fastwarc import ArchiveIterator, WarcRecordType
from honeyguide.worlds.frozen.answers import UNRECORDED, answer_in_time
from honeyguide.worlds.frozen.warc_scan import COLUMNS, MAX_HEADER_BYTES, captures_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from honeyguide.quiet_fastwarc import WarcRecord

# Not in memory: a crawl of a million pages has an index of a hundred megabytes.
_TEMPORARY_FILE: Final = ""

_CREATE: Final = f"""
    PRAGMA journal_mode = OFF;
    CREATE TABLE captures (file INTEGER, {", ".join(COLUMNS)});
    CREATE TABLE answers (url TEXT PRIMARY KEY, file INTEGER, offset INTEGER, is_page INTEGER) WITHOUT ROWID;
"""
_RESOLVE_REVISITS: Final = """
    CREATE INDEX by_id ON captures (id_key) WHERE NOT is_revisit;
    CREATE INDEX by_place ON captures (place_key) WHERE NOT is_revisit;
    CREATE INDEX by_digest ON captures (digest_key) WHERE NOT is_revisit;
    INSERT INTO captures (url, file, offset, date, status, is_html, is_revisit)
      SELECT same.url, original.file, original.offset, same.date, original.status, original.is_html, 0
      FROM captures same JOIN captures original ON original.rowid = coalesce(
        (SELECT min(rowid) FROM captures WHERE id_key = same.id_key AND id_key AND NOT is_revisit),
        (SELECT min(rowid) FROM captures WHERE place_key = same.place_key AND place_key AND NOT is_revisit),
        (SELECT min(rowid) FROM captures WHERE digest_key = same.digest_key AND digest_key AND NOT is_revisit))
      WHERE same.is_revisit;
"""
_CHOOSE: Final = """
    INSERT INTO answers SELECT url, file, offset, rank = 0 AND is_html FROM (
      SELECT *, row_number() OVER (PARTITION BY url ORDER BY rank, date DESC, file DESC, offset DESC) AS place FROM (
        SELECT *, CASE WHEN status BETWEEN 200 AND 299 THEN 0 WHEN status BETWEEN 300 AND 399 THEN 1 ELSE 2 END AS rank
        FROM captures WHERE NOT is_revisit))
    WHERE place = 1;
    DROP TABLE captures;
    CREATE INDEX pages ON answers (file, offset) WHERE is_page;
"""


class WarcIndex:
    """Where the answer to each URL lies. Close it, or leave that to the world that owns it."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = tuple(files)
        self._database = sqlite3.connect(_TEMPORARY_FILE)
        try:
            self._build()
        except BaseException:
            self.close()
            raise

    def find(self, url: Url) -> tuple[Path, int] | None:
        """Return the file and the place in it of the record that answers `url`."""
        row = self._database.execute("SELECT file, offset FROM answers WHERE url = ?", (url.text,)).fetchone()
        return None if row is None else (self._files[row[0]], row[1])

    def pages(self) -> Iterator[Url]:
        """Yield URLs whose answer is an HTML page, in the order of the files and of the records in them."""
        rows = self._database.execute("SELECT url FROM answers WHERE is_page ORDER BY file, offset, url")
        return (Url(text) for (text,) in rows)

    def close(self) -> None:
        """Drop the index; may be called twice."""
        self._database.close()

    def _build(self) -> None:
        database = self._database
        try:
            database.executescript(_CREATE)
            places = ", ".join("?" * (len(COLUMNS) + 1))
            for number, file in enumerate(self._files):
                rows = ((number, *capture) for capture in captures_of(file))
                database.executemany(f"INSERT INTO captures VALUES ({places})", rows)  # noqa: S608 - question marks
            if database.execute("SELECT 1 FROM captures WHERE is_revisit LIMIT 1").fetchone():
                database.executescript(_RESOLVE_REVISITS)
            database.executescript(_CHOOSE)
        except sqlite3.Error as error:
            raise WorldError(f"cannot index {self._files[0]} and others: {error}; make room for it") from error


REDIRECTS: Final = frozenset({300, 301, 302, 303, 307, 308})

_READ_BYTES: Final = 16_384
_RAW_BYTE: Final = re.compile("[\udc80-\udcff]")


def read_outcome(file: Path, offset: int, url: Url, max_body_bytes: int) -> Outcome:
    """Read the answer of the record at `offset` to `url`. WorldError when the record is gone."""
    try:
        with file.open("rb") as opened:
            return _parse_record(opened, offset, url, max_body_bytes)
    except (OSError, StopIteration) as error:
        raise WorldError(f"{file} has changed: no record at byte {offset}; start the crawl again") from error


def _parse_record(file: BinaryIO, offset: int, url: Url, max_body_bytes: int) -> Outcome:
    record = _open_record(file, offset)
    if record.record_type == WarcRecordType.resource:
        body = record.reader.read(max_body_bytes + 1)
        return _check_size(200, record.headers.get("Content-Type") or "", body, max_body_bytes)
    record.parse_http("none", MAX_HEADER_BYTES)
    headers = record.http_headers
    status = headers.status_code or 0
    if status in REDIRECTS:
        return _parse_redirect(status, url, headers.get_bytes(b"Location") or b"")
    if not 200 <= status < 300:
        return Failed(FailureReason.HTTP_STATUS, f"{status} {headers.reason_phrase or ''}".strip(), status)
    content_type = (headers.get_bytes(b"Content-Type") or b"").decode("utf-8", "replace")
    outcome = _check_size(status, content_type, _read_body(record, file, offset, max_body_bytes + 1), max_body_bytes)
    tags = [value for name, value in headers.items() if name.lower() == "x-robots-tag"]
    tdm = " ".join((headers.get(name) or "").strip() for name in ("TDM-Reservation", "TDM-Policy")).strip()
    if not isinstance(outcome, Fetched) or not (tags or tdm):
        return outcome
    return replace(outcome, robots_tag="\n".join(tags), tdm=tdm)


def _open_record(file: BinaryIO, offset: int) -> WarcRecord:
    file.seek(offset)
    return next(iter(ArchiveIterator(file, parse_http=False, buffer_size=_READ_BYTES)))


def _read_body(record: WarcRecord, file: BinaryIO, offset: int, most_bytes: int) -> bytes:
    """Return the payload of a response, unpacked; as it lies where it is not encoded as its headers say."""
    headers = record.http_headers
    if "Content-Encoding" not in headers and "Transfer-Encoding" not in headers:
        return record.reader.read(most_bytes)
    with suppress(OSError):
        record = _open_record(file, offset)
        record.parse_http("all", MAX_HEADER_BYTES)
        return record.reader.read(most_bytes)
    # Some crawlers unpack a body and keep its headers, and `deflate` often lacks the zlib header it should have.
    record = _open_record(file, offset)
    record.parse_http("none", MAX_HEADER_BYTES)
    body = record.reader.read(most_bytes)
    with suppress(zlib.error):
        if (headers.get("Content-Encoding") or "").strip().lower() == "deflate":
            return zlib.decompressobj(wbits=-15).decompress(body, most_bytes)
    return body


def _check_size(status: int, content_type: str, body: bytes, max_body_bytes: int) -> Outcome:
    if len(body) > max_body_bytes:
        return Failed(FailureReason.TOO_LARGE, f"body is over {max_body_bytes} bytes", status)
    return Fetched(status, content_type, body)


def _parse_redirect(status: int, url: Url, location: bytes) -> Outcome:
    # Bytes beyond ASCII that are not UTF-8 are escaped one by one, as a browser does.
    text = _RAW_BYTE.sub(
        lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", location.decode("utf-8", "surrogateescape")
    ).strip()
    if not text:
        return Failed(FailureReason.BAD_RESPONSE, f"{status} without a Location", status)
    try:
        return Redirected(status, Url.parse(text, base=url))
    except InvalidUrl as error:
        return Failed(FailureReason.BAD_RESPONSE, f"bad Location: {error}", status)


class WarcWorld:
    """A `World` of what some WARC files hold; a URL that they do not is `missing`.

    Opening it reads each file from end to end, unless an index lies beside it; a fetch reads one record.
    """

    is_offline = True
    writes_pages = False

    def __init__(
        self, files: Sequence[Path], *, max_body_bytes: int = 5_000_000, missing: Outcome = UNRECORDED
    ) -> None:
        self._missing = missing
        self._max_body_bytes = max_body_bytes
        self._index = WarcIndex(files)
        self._entry_urls = tuple(islice(self._index.pages(), 1))
        if not self._entry_urls:
            self._index.close()
            named = ", ".join(map(str, files))
            raise WorldError(f"{named} holds no HTML page; give WARC files with responses in them")

    async def fetch(self, url: Url) -> Answer:
        place = self._index.find(url)
        return answer_in_time(self._missing if place is None else read_outcome(*place, url, self._max_body_bytes), url)

    def entry_urls(self) -> Sequence[Url]:
        """Return the first HTML page of the first file."""
        return self._entry_urls

    def urls(self) -> Iterator[Url]:
        """For grading: every URL that answers with an HTML page."""
        return self._index.pages()

    async def close(self) -> None:
        self._index.close()
