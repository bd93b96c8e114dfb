"""One record of a WARC file read and turned into what its host had answered."""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from honeyguide.domain import Failed, FailureReason, Fetched, Outcome, Redirected, Url
from honeyguide.errors import InvalidUrl, WorldError
from honeyguide.worlds.frozen.quiet_fastwarc import ArchiveIterator, WarcRecordType
from honeyguide.worlds.frozen.warc_scan import MAX_HEADER_BYTES

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from honeyguide.worlds.frozen.quiet_fastwarc import WarcRecord

REDIRECTS: Final = frozenset({300, 301, 302, 303, 307, 308})

_READ_BYTES: Final = 16_384
_RAW_BYTE: Final = re.compile("[\udc80-\udcff]")


def read_outcome(file: Path, offset: int, url: Url, max_body_bytes: int) -> Outcome:
    """What the record at `offset` answers to `url`. WorldError when there is no such record any more."""
    try:
        with file.open("rb") as opened:
            return _outcome(opened, offset, url, max_body_bytes)
    except (OSError, StopIteration) as error:
        raise WorldError(f"{file} has changed: no record at byte {offset}; start the crawl again") from error


def _outcome(file: BinaryIO, offset: int, url: Url, max_body_bytes: int) -> Outcome:
    record = _record(file, offset)
    if record.record_type == WarcRecordType.resource:
        body = record.reader.read(max_body_bytes + 1)
        return _fetched(200, record.headers.get("Content-Type") or "", body, max_body_bytes)
    record.parse_http("none", MAX_HEADER_BYTES)
    headers = record.http_headers
    status = headers.status_code or 0
    if status in REDIRECTS:
        return _redirected(status, url, headers.get_bytes(b"Location") or b"")
    if not 200 <= status < 300:
        return Failed(FailureReason.HTTP_STATUS, f"{status} {headers.reason_phrase or ''}".strip(), status)
    content_type = (headers.get_bytes(b"Content-Type") or b"").decode("utf-8", "replace")
    outcome = _fetched(status, content_type, _body(record, file, offset, max_body_bytes + 1), max_body_bytes)
    tags = [value for name, value in headers.items() if name.lower() == "x-robots-tag"]
    return replace(outcome, robots_tag="\n".join(tags)) if tags and isinstance(outcome, Fetched) else outcome


def _record(file: BinaryIO, offset: int) -> WarcRecord:
    file.seek(offset)
    return next(iter(ArchiveIterator(file, parse_http=False, buffer_size=_READ_BYTES)))


def _body(record: WarcRecord, file: BinaryIO, offset: int, most_bytes: int) -> bytes:
    """The payload of a response, unpacked; as it lies where it is not encoded as its headers say."""
    headers = record.http_headers
    if "Content-Encoding" not in headers and "Transfer-Encoding" not in headers:
        return record.reader.read(most_bytes)
    with suppress(OSError):
        record = _record(file, offset)
        record.parse_http("all", MAX_HEADER_BYTES)
        return record.reader.read(most_bytes)
    # Some crawlers unpack a body and keep its headers, and `deflate` often lacks the zlib header it should have.
    record = _record(file, offset)
    record.parse_http("none", MAX_HEADER_BYTES)
    body = record.reader.read(most_bytes)
    with suppress(zlib.error):
        if (headers.get("Content-Encoding") or "").strip().lower() == "deflate":
            return zlib.decompressobj(wbits=-15).decompress(body, most_bytes)
    return body


def _fetched(status: int, content_type: str, body: bytes, max_body_bytes: int) -> Outcome:
    if len(body) > max_body_bytes:
        return Failed(FailureReason.TOO_LARGE, f"body is over {max_body_bytes} bytes", status)
    return Fetched(status, content_type, body)


def _redirected(status: int, url: Url, location: bytes) -> Outcome:
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
