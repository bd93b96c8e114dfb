"""WARC files made for tests, with FastWARC; broken ones by breaking those."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from honeyguide.quiet_fastwarc import GzipWriter, WarcRecord, WarcRecordType

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TYPES = {
    "response": WarcRecordType.response,
    "request": WarcRecordType.request,
    "metadata": WarcRecordType.metadata,
    "warcinfo": WarcRecordType.warcinfo,
    "resource": WarcRecordType.resource,
    "revisit": WarcRecordType.revisit,
}


@dataclass(frozen=True)
class Made:
    """A record to be written."""

    url: str
    body: bytes = b"<html><title>A page</title><p>Words."
    status: str = "200 OK"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html"})
    kind: str = "response"
    date: str = "2024-01-01T00:00:00Z"
    more: dict[str, str] = field(default_factory=dict)  # headers of the record itself

    def content(self) -> bytes:
        if self.kind not in ("response", "revisit"):
            return self.body
        lines = [f"HTTP/1.1 {self.status}", *(f"{name}: {value}" for name, value in self.headers.items())]
        return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "surrogateescape") + b"\r\n" + self.body


def record_bytes(made: Made) -> bytes:
    """One record, not compressed."""
    record = WarcRecord()
    record.init_headers(TYPES[made.kind])
    is_http = made.kind in ("response", "revisit")
    extra = {"Content-Type": "application/http; msgtype=response" if is_http else "text/html", **made.more}
    for name, value in {"WARC-Target-URI": made.url, "WARC-Date": made.date, **extra}.items():
        record.headers[name] = value
    record.set_bytes_content(made.content())
    out = io.BytesIO()
    record.write(out)
    return out.getvalue()


def write_warc(path: Path, records: Sequence[Made]) -> Path:
    """A WARC file, compressed record by record if its name ends in .gz."""
    path.write_bytes(b"".join(packed(path, record_bytes(made)) for made in records))
    return path


def packed(path: Path, record: bytes) -> bytes:
    if path.suffix != ".gz":
        return record
    out = io.BytesIO()
    writer = GzipWriter(out, 6)
    writer.write(record)
    writer.finish()
    writer.flush()
    return out.getvalue()


def packed_in_one_piece(records: Sequence[Made]) -> bytes:
    return gzip.compress(b"".join(map(record_bytes, records)))
