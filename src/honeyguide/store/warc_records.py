"""One fetch as WARC records: the request that was sent and the response that came, as near to the wire as we get.

A body is kept with its transfer and content encoding undone, because that is how the HTTP library hands it on. So the
headers that spoke of the encoded bytes are kept under names of their own (`X-Crawler-Content-Encoding`), as other
crawlers do, and `Content-Length` is that of the bytes in the record.
"""

from __future__ import annotations

import hashlib
import io
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from honeyguide.store.fastwarc_quietly import GzipWriter, WarcRecord, WarcRecordType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from honeyguide.domain import Exchange, Url
    from honeyguide.domain.exchange import Headers

_OF_THE_ENCODED_BODY: Final = frozenset({b"content-encoding", b"transfer-encoding", b"content-length"})
_RENAMED: Final = b"X-Crawler-"
_GZIP_LEVEL: Final = 6
_SECRET: Final = frozenset({b"authorization", b"proxy-authorization"})

Fields = dict[str, str]


def warcinfo_record(about: Fields, date: str, file_name: str) -> bytes:
    """The record that a file begins with: who made it, and how."""
    content = "".join(f"{name}: {value}\r\n" for name, value in about.items()).encode("utf-8", "replace")
    fields = {"WARC-Date": date, "WARC-Filename": file_name, "Content-Type": "application/warc-fields"}
    return _packed(WarcRecordType.warcinfo, warcinfo_id(about, file_name), fields, content)


def warcinfo_id(about: Fields, file_name: str) -> str:
    """The name of a file's first record, the same each time it is asked for."""
    return _name("warcinfo", file_name, *map(str, about.items()))


def fetch_records(exchange: Exchange, url: Url, fields: Fields, step: int) -> Iterator[bytes]:
    """Response and request, each compressed for itself; no request where none was sent. `fields` go into both."""
    response_id = _name("response", url.text, str(step), fields["WARC-Date"])
    about = {"WARC-Target-URI": url.text, **fields}
    body = exchange.body or b""
    head = _head(exchange.status_line.encode("utf-8", "surrogateescape"), _told_of_body(exchange.headers, len(body)))
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
        request_id = _name("request", response_id)
        yield _packed(WarcRecordType.request, request_id, request, head, hashlib.sha1(b"").digest())  # noqa: S324


def warc_date(moment: float) -> str:
    """A moment on the crawl's clock as WARC writes it; simulated time counts from 1970."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _told_of_body(headers: Headers, length: int) -> Iterator[tuple[bytes, bytes]]:
    """The headers of a response, with those set aside that do not fit its body as it is kept."""
    is_told = False
    for name, value in headers:
        key = name.lower()
        if key == b"content-length" and value.strip() == b"%d" % length and not is_told:
            is_told = True
            yield name, value
        else:
            yield (_RENAMED + name if key in _OF_THE_ENCODED_BODY else name), value
    if not is_told:
        yield b"Content-Length", b"%d" % length


def _head(first_line: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    lines = [first_line, *(name + b": " + value for name, value in headers)]
    # A line break inside a header, as a folded one has, would begin another.
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


def _name(*parts: str) -> str:
    """A record's id, made from what the record is about: the same crawl offline gives the same file."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, " ".join(parts)))
