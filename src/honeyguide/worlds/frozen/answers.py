"""Content types by name or first bytes, and the time that a page on disk would have taken over a network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import xxhash

from honeyguide.model import Answer, Failed, FailureReason, Unknown
from honeyguide.settings import DOCX, ODT

if TYPE_CHECKING:
    from honeyguide.model import Outcome, Url

MISSING: Final = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)
UNRECORDED: Final = Unknown("not in these files")

HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
SNIFFED_BYTES: Final = 1024

# A table of our own: the system's would make one crawl differ between two machines.
_TYPE_BY_SUFFIX: Final = {
    "html": "text/html", "htm": "text/html", "shtml": "text/html",
    "xhtml": "application/xhtml+xml", "xht": "application/xhtml+xml",
    "txt": "text/plain", "text": "text/plain", "md": "text/plain", "rst": "text/plain", "csv": "text/csv",
    "css": "text/css", "js": "text/javascript", "mjs": "text/javascript", "json": "application/json",
    "xml": "application/xml", "rss": "application/rss+xml", "atom": "application/atom+xml",
    "pdf": "application/pdf", "ps": "application/postscript", "epub": "application/epub+zip",
    "docx": DOCX, "odt": ODT,
    "doc": "application/msword", "rtf": "application/rtf",
    "png": "image/png", "gif": "image/gif", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    "svg": "image/svg+xml", "ico": "image/vnd.microsoft.icon", "avif": "image/avif", "bmp": "image/bmp",
    "mp3": "audio/mpeg", "ogg": "audio/ogg", "mp4": "video/mp4", "webm": "video/webm",
    "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
    "zip": "application/zip", "gz": "application/gzip", "bz2": "application/x-bzip2", "xz": "application/x-xz",
    "tar": "application/x-tar", "tgz": "application/gzip", "jar": "application/java-archive",
}  # fmt: skip

_LOOKS_LIKE_HTML: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<\?xml[^>]*>|<!--.*?-->)*<(?:!doctype\s+html|html|head|title|body|meta)[\s>]",
    re.IGNORECASE | re.DOTALL,
)


def type_by_name(name: str) -> str | None:
    """Return the content type that the end of a file name tells; None where it tells nothing we know."""
    _, dot, suffix = name.rpartition("/")[2].rpartition(".")
    return _TYPE_BY_SUFFIX.get(suffix.lower()) if dot else None


def looks_like_html(start: bytes) -> bool:
    """Return whether the first bytes of a body begin an HTML page."""
    return _LOOKS_LIKE_HTML.match(start[:SNIFFED_BYTES]) is not None


def is_html_type(content_type: str) -> bool:
    """Return whether a Content-Type header declares HTML."""
    return content_type.partition(";")[0].strip().lower() in HTML_TYPES


FASTEST_S: Final = 0.03
SLOWEST_S: Final = 5.0


def simulated_latency_s(url: Url) -> float:
    """Return seconds with a heavy tail: half of all URLs under 0.06, one in a hundred over 0.3."""
    share = xxhash.xxh3_64_intdigest(url.text.encode()) / 2**64
    return round(min(FASTEST_S / (1.0 - share) ** 0.5 + 0.01, SLOWEST_S), 4)


def answer_in_time(outcome: Outcome, url: Url) -> Answer:
    """Return the answer that an outcome is; what nobody was asked for takes no time."""
    return Answer(outcome, 0.0 if isinstance(outcome, Unknown) else simulated_latency_s(url))
