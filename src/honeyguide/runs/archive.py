"""Responses stored as WARC files during a crawl: `archive/pages-00000.warc.gz` and so on in the run folder.

A fetch is two records: the request that was sent and the response that came. A body is stored with its transfer and
content encoding undone, because that is how the HTTP library hands it on. So the headers about the encoded bytes are
renamed (`X-Crawler-Content-Encoding`), as other crawlers do, and `Content-Length` is that of the bytes in the record.

The database has the place of the records of each step. Records are written before their step is committed, and what
lies behind the last committed end is cut off: when a step fails, and when a run is resumed after a kill. So the files
hold the steps that the store holds, and no others.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import uuid
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.errors import DiskFull, RunDamaged, StoreError
from honeyguide.locks import OPEN_FLAGS
from honeyguide.quiet_fastwarc import ArchiveIterator, GzipWriter, WarcRecord, WarcRecordType
from honeyguide.settings import MOST_BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from honeyguide.model import Exchange, Url
    from honeyguide.model.outcome import Headers

_OF_THE_ENCODED_BODY: Final = frozenset({b"content-encoding", b"transfer-encoding", b"content-length"})
_RENAMED: Final = b"X-Crawler-"
_GZIP_LEVEL: Final = 6
_SECRET: Final = frozenset({b"authorization", b"proxy-authorization"})

Fields = dict[str, str]


def warcinfo_record(about: Fields, date: str, file_name: str) -> bytes:
    """Return the record that a file begins with: who made it, and how."""
    content = "".join(f"{name}: {value}\r\n" for name, value in about.items()).encode("utf-8", "replace")
    fields = {"WARC-Date": date, "WARC-Filename": file_name, "Content-Type": "application/warc-fields"}
    return _packed(WarcRecordType.warcinfo, warcinfo_id(about, file_name), fields, content)


def warcinfo_id(about: Fields, file_name: str) -> str:
    """Return the id of a file's first record, the same each time."""
    return _record_id("warcinfo", file_name, *map(str, about.items()))


def fetch_records(exchange: Exchange, url: Url, fields: Fields, step: int) -> Iterator[bytes]:
    """Yield response and request, each compressed on its own; no request where none was sent. `fields` go into both."""
    response_id = _record_id("response", url.text, str(step), fields["WARC-Date"])
    about = {"WARC-Target-URI": url.text, **fields}
    body = exchange.body or b""
    head = _head(exchange.status_line.encode("utf-8", "surrogateescape"), _stored_headers(exchange.headers, len(body)))
    cut = {} if exchange.cut is None else {"WARC-Truncated": exchange.cut.value}
    response = {**about, **cut, "Content-Type": "application/http; msgtype=response"}
    yield _packed(WarcRecordType.response, response_id, response, head + body, hashlib.sha1(body).digest())  # noqa: S324 - what the standard's readers expect
    if exchange.request_headers:
        sent = [pair for pair in exchange.request_headers if pair[0].lower() not in _SECRET]
        head = _head(f"GET {url.path_and_query} HTTP/1.1".encode(), sent)
        request = {
            **about,
            "WARC-Concurrent-To": f"<urn:uuid:{response_id}>",
            "Content-Type": "application/http; msgtype=request",
        }
        request_id = _record_id("request", response_id)
        yield _packed(WarcRecordType.request, request_id, request, head, hashlib.sha1(b"").digest())  # noqa: S324


def warc_date(moment: float) -> str:
    """Format a moment on the crawl's clock for WARC; simulated time counts from 1970."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _stored_headers(headers: Headers, length: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the headers of a response, those renamed that do not fit its body as it is stored."""
    has_length = False
    for name, value in headers:
        key = name.lower()
        if key == b"content-length" and value.strip() == b"%d" % length and not has_length:
            has_length = True
            yield name, value
        else:
            yield (_RENAMED + name if key in _OF_THE_ENCODED_BODY else name), value
    if not has_length:
        yield b"Content-Length", b"%d" % length


def _head(first_line: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    lines = [first_line, *(name + b": " + value for name, value in headers)]
    # A line break inside a header, as a folded one has, would start another header.
    return b"".join(b" ".join(line.splitlines()) + b"\r\n" for line in lines) + b"\r\n"


def _packed(
    kind: WarcRecordType, record_id: str, fields: Fields, content: bytes, payload_digest: bytes | None = None
) -> bytes:
    record = WarcRecord()
    record.init_headers(kind, record_urn=f"uuid:{record_id}".encode())
    for name, value in fields.items():
        record.headers[name] = value
    record.set_bytes_content(content)
    out = io.BytesIO()
    writer = GzipWriter(out, _GZIP_LEVEL)
    record.write(writer, checksum_data=True, payload_digest=payload_digest)
    writer.finish()
    writer.flush()
    return out.getvalue()


def _record_id(*parts: str) -> str:
    """Make a record's id from its content: the same crawl offline gives the same file."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, " ".join(parts)))


_READ_BYTES: Final = 16_384
_MOST_HEADER_BYTES: Final = 1 << 24  # all headers of an answer; the HTTP client bounds each of them


class ArchivePlace(NamedTuple):
    """Where the response of a step begins, and where the last record of that step ends."""

    file: int
    offset: int
    end: int


class WarcArchive:
    """The files of one run, open for writing. Call `go_on_from` first, `settle` or `cut_back` after each step."""

    def __init__(self, folder: Path, about: dict[str, str], file_bytes: int) -> None:
        """`about` goes into the first record of each file; a new file is started when one has `file_bytes`."""
        self._folder = folder
        self._about = about
        self._file_bytes = file_bytes
        self._number = self._end = 0  # the file that is written, and its length
        self._settled_number = self._settled = 0  # the same as committed
        self._file: BinaryIO | None = None

    def go_on_from(self, place: ArchivePlace | None) -> None:
        """Continue after the last place that was committed; what lies behind it is cut off."""
        self._settled_number, self._settled = (0, 0) if place is None else (place.file, whole_number(place.end))
        with _wrap_os_errors(self._folder):
            self._folder.mkdir(exist_ok=True)
            self.cut_back()

    def append(self, exchange: Exchange, url: Url, address: str, moment: float, step: int) -> ArchivePlace:
        """Write request and response of a step; they are in the file when this returns."""
        with _wrap_os_errors(self._folder):
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
        """Make what was written belong to the run: its step is committed."""
        self._settled_number, self._settled = self._number, self._end

    def cut_back(self) -> None:
        """Remove what was written since the last `settle`."""
        if (self._number, self._end) == (self._settled_number, self._settled) and self._file is not None:
            return
        with _wrap_os_errors(self._folder):
            for path in self._folder.glob("pages-*.warc.gz"):
                if path.name > file_name(self._settled_number):
                    path.unlink()
            self._open(self._settled_number)

    def sync(self) -> None:
        """Flush to the disk."""
        if self._file is not None:
            with _wrap_os_errors(self._folder):
                os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def _info_id(self) -> str:
        return warcinfo_id(self._about, file_name(self._number))

    def _open(self, number: int) -> None:
        """Open file `number` to write from its committed end on."""
        self.close()
        path = self._folder / file_name(number)
        end = self._settled if number == self._settled_number else 0
        handle = _open_without_link(str(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        self._file = os.fdopen(handle, "r+b", buffering=0)
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
    return f"pages-{whole_number(number):05}.warc.gz"


def whole_number(value: object) -> int:
    """Return a number of the database as it is. RunDamaged where it is none, or a negative one: no crawl wrote that."""
    if not isinstance(value, int) or value < 0:
        raise RunDamaged(f"the database has {value!r} for a place in the archive; restore it from a copy of the run")
    return value


def open_to_read(path: Path) -> BinaryIO:
    """Open an archive file; OSError where it is a symbolic link."""
    return open(path, "rb", opener=_open_without_link)


def _open_without_link(path: str, flags: int) -> int:
    return os.open(path, flags | OPEN_FLAGS, 0o666)


def read_body(folder: Path, file: int, offset: int) -> bytes:
    """Read the body of the response at `offset` of file `file`. RunDamaged if there is none, or one too long."""
    path = folder / file_name(file)
    try:
        with open_to_read(path) as opened:
            opened.seek(whole_number(offset))
            records = ArchiveIterator(
                opened, parse_http=False, buffer_size=_READ_BYTES, max_header_len=_MOST_HEADER_BYTES
            )
            record = next(iter(records))
            record.parse_http("none", _MOST_HEADER_BYTES)
            body = record.reader.read(MOST_BODY_BYTES + 1)
    except (OSError, StopIteration) as error:
        raise RunDamaged(f"{path} has no record at byte {offset}; restore it from a copy of the run") from error
    if len(body) > MOST_BODY_BYTES:
        raise RunDamaged(
            f"{path} has a body over {MOST_BODY_BYTES:,} bytes, which no crawl wrote; restore it from a copy"
        )
    return body


@contextmanager
def _wrap_os_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(
                f"no room to write {folder}: {error.strerror}; free some space, then resume: all earlier steps are safe"
            ) from error
        raise StoreError(f"cannot write {folder}: {error.strerror}; make the folder writable, then resume") from error
