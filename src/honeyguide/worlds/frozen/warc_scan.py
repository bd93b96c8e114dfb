"""A WARC file read from end to end, once, for what it captured and where each capture lies.

Responses and revisits count, and `resource` records of http addresses; requests, metadata and the rest do not. A file
that is broken is refused. A last record that is cut off, as by a crawl that was killed, is left out.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import xxhash

from honeyguide.domain import Url
from honeyguide.errors import InvalidUrl, WorldError
from honeyguide.worlds.frozen.content_types import SNIFFED_BYTES, is_html_type, looks_like_html
from honeyguide.worlds.frozen.quiet_fastwarc import ArchiveIterator, WarcRecordType
from honeyguide.worlds.frozen.warc_extent import Extent, cut_after, extent_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.worlds.frozen.quiet_fastwarc import WarcRecord

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
        """The captures, in the order of the file. WorldError when it is broken or no WARC at all."""
        path, offset = self._path, -1
        held: Capture | None = None  # the newest, kept back until the record after it shows that it is whole
        try:
            for record in ArchiveIterator(str(path), parse_http=False, max_header_len=MAX_HEADER_BYTES):
                _check_separate(path, offset, record.stream_pos)
                offset = record.stream_pos
                if held is not None:
                    yield held
                held = _capture(record) if record.record_type & _USEFUL else None
        except OSError as error:
            if offset < 0:
                raise WorldError(f"{path} is not a WARC file ({error}); give .warc or .warc.gz files") from error
            if cut_after(path, offset) is None:
                raise WorldError(
                    f"{path} is broken after the record at byte {offset} ({error}); get a whole copy of it"
                ) from error
        if offset < 0:
            raise WorldError(f"{path} is an empty file; give .warc or .warc.gz files")
        if extent_of(path, offset) is Extent.CUT:
            self.cut_at = offset
            return
        self.cut_at = cut_after(path, offset)
        if held is not None:
            yield held


def _check_separate(path: Path, before: int, offset: int) -> None:
    """Refuse a file compressed as one piece: no record of it could be read without all before it."""
    is_one_piece = before >= 0 and offset <= before
    if before < 0 or is_one_piece:
        is_one_piece = is_one_piece or extent_of(path, offset) is Extent.SHARED
    if is_one_piece:
        raise WorldError(
            f"{path} is compressed as one piece, not record by record; rewrite it with: fastwarc recompress"
        )


def _capture(record: WarcRecord) -> Capture | None:
    """What a record answers; None when that is no http address or no readable response."""
    headers = record.headers
    try:
        url = Url.parse((headers.get("WARC-Target-URI") or "").strip("<>"))
    except InvalidUrl:  # dns: and the like
        return None
    date = headers.get("WARC-Date") or ""
    is_revisit = record.record_type == WarcRecordType.revisit
    status, is_html = (0, False) if is_revisit else _answer_of(record)
    if not status and not is_revisit:
        return None
    if is_revisit:
        name = headers.get("WARC-Refers-To")
        place = (headers.get("WARC-Refers-To-Target-URI"), headers.get("WARC-Refers-To-Date"))
    else:
        name, place = headers.get("WARC-Record-ID"), (url.text, date)
    keys = _key(name), _place_key(*place), _key(headers.get("WARC-Payload-Digest"))
    return Capture(url.text, record.stream_pos, date, status, is_html, is_revisit, *keys)


def _answer_of(record: WarcRecord) -> tuple[int, bool]:
    """Status of a response, 0 when it has none that can be read, and whether it declares or shows itself as HTML."""
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
    """A hash that fits SQLite's integers, never 0 for a text."""
    return (xxhash.xxh3_64_intdigest(text.encode()) >> 1) | 1 if text else 0
