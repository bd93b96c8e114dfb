"""What went over the wire for one answer: the evidence that an archive keeps, whatever a crawl makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]
"""Names and values as they were sent, in order; a name may stand twice."""


class Cut(StrEnum):
    """Why a body is not all there, in the words of the WARC standard."""

    LENGTH = "length"  # it was over the limit
    UNSPECIFIED = "unspecified"  # nobody wanted it


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response. The body of a page is in the outcome; here it is only where the outcome has none.

    `request_headers` are empty where nothing was sent, as by a world that holds its pages.
    """

    status_line: str  # as in "HTTP/1.1 200 OK"
    headers: Headers
    request_headers: Headers = ()
    body: bytes | None = None  # transfer and content encoding undone
    cut: Cut | None = None
