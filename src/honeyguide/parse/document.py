"""From a fetched body to a page: what type it is, then its text, links and directives."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from honeyguide.model import Cap, Page
from honeyguide.parse.charset import decode, is_declared_utf16
from honeyguide.parse.directives import Said, directives_of
from honeyguide.parse.html import read_html
from honeyguide.parse.links import WHOLE_PAGE, base_of, links_of, rules_of
from honeyguide.parse.marked_text import read_marked, read_plain
from honeyguide.settings import DOCUMENT_TYPES, DOCX, EPUB, ODT, PDF, ParseSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.model import Fetched, FieldValue, Occurrence, Url
    from honeyguide.parse.fields import FieldRule
    from honeyguide.parse.links import PageRules
    from honeyguide.parse.marked_text import MarkedText
    from honeyguide.settings import Settings

HTML: Final = "text/html"
XHTML: Final = "application/xhtml+xml"
PLAIN_TEXT: Final = "text/plain"
HTML_TYPES: Final = frozenset({HTML, XHTML, "application/vnd.wap.xhtml+xml"})

_XML_TYPES = frozenset({"application/xml", "text/xml"})
_SAYS_NOTHING = frozenset({"", "*/*", "application/unknown", "unknown/unknown"})
_SNIFFED_BYTES = 1024
_UNKNOWN_BINARY = "application/octet-stream"

_SIGNATURES = (
    (b"%PDF-", PDF),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
)
# Bytes that text does not hold: the control characters other than tab, line ends, form feed and escape.
_BINARY_BYTES = bytes([*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])
# Stray control characters occur on real pages; random bytes have one in ten.
_STRAY_SHARE = 1 / 32
_STRAY_BYTES = 8

_HTML_START = re.compile(
    rb"\s*<(?:!doctype\s+html|!--|html|head|body|title|script|style|meta|link|frameset|iframe"
    rb"|h[1-6]|div|p|a|b|i|br|ul|ol|dl|table|center|font|form|main|nav|header|section|article)[\s/>-]",
    re.IGNORECASE,
)
_XML_START = re.compile(rb"\s*<\?xml[\s?]", re.IGNORECASE)
_XHTML_ROOT = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)


def media_type_of(fetched: Fetched) -> str:
    """Return the declared type; the sniffed one where none is declared, or where declared text is a binary file."""
    declared = fetched.media_type
    if declared in _SAYS_NOTHING:
        return _sniff(fetched)
    if declared in _XML_TYPES:
        return XHTML if _XHTML_ROOT.search(fetched.body[:_SNIFFED_BYTES]) else declared
    if declared in HTML_TYPES or declared == PLAIN_TEXT:
        return _binary_type(fetched) or declared
    return declared


def _sniff(fetched: Fetched) -> str:
    binary = _binary_type(fetched)
    if binary is not None:
        return binary
    start = fetched.body[:_SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf")
    if _XML_START.match(start):
        return XHTML if _XHTML_ROOT.search(start) else "text/xml"
    return HTML if _HTML_START.match(start) else PLAIN_TEXT


def _binary_type(fetched: Fetched) -> str | None:
    """Return the type of a body that is not text, None where it is text."""
    start = fetched.body[:_SNIFFED_BYTES]
    for signature, media_type in _SIGNATURES:
        if start.startswith(signature):
            return _document_in_zip(start) or media_type
    if is_declared_utf16(fetched.body, fetched.content_type):
        return None
    binary_bytes = len(start) - len(start.translate(None, _BINARY_BYTES))
    return _UNKNOWN_BINARY if binary_bytes > max(len(start) * _STRAY_SHARE, _STRAY_BYTES) else None


def _document_in_zip(start: bytes) -> str | None:
    """Return the type of a document that is a ZIP file, by the first member's name and what follows it."""
    first = start[30:]
    for media_type in (EPUB, ODT):
        if first.startswith(f"mimetype{media_type}".encode()):
            return media_type
    return DOCX if start[:2] == b"PK" and first.startswith((b"[Content_Types].xml", b"word/")) else None


USUAL_LIMITS: Final = ParseSettings()


def parse(
    url: Url,
    fetched: Fetched,
    rules: PageRules = WHOLE_PAGE,
    agent: str = "",
    limits: ParseSettings = USUAL_LIMITS,
    fields: Sequence[FieldRule] = (),
    *,
    bounds_markup: bool = True,
) -> Page:
    """Return the page that `fetched` holds, found at `url`. Broken input gives what could be read of it.

    `rules` are for HTML only. `agent` is the name by which a page may address us. `fields` are read besides. Only who
    can end it after some time may do without `bounds_markup`.
    DocumentError for a document of which nothing can be read; nothing else raises.
    """
    media_type = media_type_of(fetched)
    if media_type in HTML_TYPES:
        return _html_page(url, media_type, fetched, rules, agent, limits, fields, bounds_markup=bounds_markup)
    if limits.documents and media_type in DOCUMENT_TYPES:
        written, has_more = read_document(fetched, media_type, limits)
        page = _html_page(url, media_type, written, WHOLE_PAGE, agent, limits, fields, bounds_markup=bounds_markup)
        return replace(page, cut_by=tuple(sorted((*page.cut_by, Cap.PAGES)))) if has_more else page
    directives = directives_of(Said(), fetched, agent, url, url)
    text, charset = decode(fetched.body, fetched.content_type) if media_type == PLAIN_TEXT else ("", "")
    reading = read_plain(text)
    reading, cut_by = _within_limits(reading, limits)
    return Page(
        url, media_type, charset, "", reading.text, reading.words, reading.main_spans, (), directives,
        tuple(sorted(cut_by)), _read_fields(fields, url, text) if fields else (),
    )  # fmt: skip


def read_document(fetched: Fetched, media_type: str, limits: ParseSettings) -> tuple[Fetched, bool]:
    """Return a document as if its host had sent it as HTML, and whether it has more pages than were read."""
    if media_type == PDF:
        from honeyguide.parse.pdf import read_pdf  # noqa: PLC0415 - few crawls read documents

        html, has_more = read_pdf(fetched.body, limits.max_pages, limits.max_words)
    else:
        from honeyguide.parse.office import read_office  # noqa: PLC0415 - likewise

        html, has_more = read_office(fetched.body, media_type), False
    return replace(fetched, content_type=f"{HTML}; charset=utf-8", body=html.encode("utf-8", "replace")), has_more


def parser_for(
    settings: Settings, *, with_fields: bool = False, bounds_markup: bool = True
) -> Callable[[Url, Fetched], Page]:
    """Return the function that makes pages of bodies in a crawl with these settings, see `parse`.

    With `with_fields` it reads the fields that they name, too. SettingsError where one of them cannot be read.
    """
    rules = rules_of(settings.crawl)
    fields: Sequence[FieldRule] = ()
    if with_fields and settings.parse.fields:
        from honeyguide.parse.fields import compile_fields  # noqa: PLC0415 - most crawls have none

        fields = compile_fields(settings.parse.fields)
    agent = settings.fetch.product
    return partial(parse, rules=rules, agent=agent, limits=settings.parse, fields=fields, bounds_markup=bounds_markup)


def manner_of_parsing(settings: Settings) -> str:
    """Name all that `parser_for` goes by: where it is the same, equal bodies make equal pages."""
    return repr((rules_of(settings.crawl), settings.fetch.product, settings.parse))


def _read_fields(fields: Sequence[FieldRule], url: Url, html: str) -> tuple[tuple[str, FieldValue], ...]:
    from honeyguide.parse.fields import read_fields  # noqa: PLC0415 - most crawls have none

    return read_fields(fields, url, html)


def _html_page(
    url: Url,
    media_type: str,
    fetched: Fetched,
    rules: PageRules,
    agent: str,
    limits: ParseSettings,
    fields: Sequence[FieldRule],
    *,
    bounds_markup: bool,
) -> Page:
    html, charset = decode(fetched.body, fetched.content_type)
    document = read_html(
        html,
        limits.max_links,
        from_first_paragraph=rules.from_first_paragraph,
        tag_paths=rules.tag_paths,
        agent=agent,
        bounds_markup=bounds_markup,
    )
    reading, cut_by = _within_limits(read_marked(document.marked_text), limits)
    links, has_longer_urls = links_of(
        url, document.base_href, document.anchors, reading.places, rules, limits.max_url_characters
    )
    title = document.title[: limits.max_title_characters]
    cut_by |= document.cut_by
    if has_longer_urls:
        cut_by.add(Cap.URL)
    if len(title) < len(document.title):
        cut_by.add(Cap.TITLE)
    return Page(
        url=url,
        media_type=media_type,
        charset=charset,
        title=title,
        text=reading.text,
        words=reading.words,
        main_spans=reading.main_spans,
        links=links,
        directives=directives_of(document.said, fetched, agent, url, base_of(url, document.base_href)),
        cut_by=tuple(sorted(cut_by)),
        fields=_read_fields(fields, url, html) if fields else (),
    )


def _within_limits(reading: MarkedText, limits: ParseSettings) -> tuple[MarkedText, set[Cap]]:
    """Return as much of a text as may be, and the limits that it was over. `text` stays whole."""
    words, main_spans, places = reading.words, reading.main_spans, reading.places
    cut_by = set()
    most, longest = limits.max_words, limits.max_word_characters
    if len(words) > most:
        cut_by.add(Cap.WORDS)
        words = words[:most]
        main_spans = tuple((start, min(end, most)) for start, end in main_spans if start < most)
        places = tuple(place._replace(start=min(place.start, most), end=min(place.end, most)) for place in places)
    if max(map(len, words), default=0) > longest:
        cut_by.add(Cap.WORD)
        words = tuple(word[:longest] for word in words)
    longest = limits.max_anchor_characters
    if max((len(place.anchor) for place in places), default=0) > longest:
        cut_by.add(Cap.ANCHOR)
        places = tuple(each if len(each.anchor) <= longest else _cut_anchor(each, words, longest) for each in places)
    return (replace(reading, words=words, main_spans=main_spans, places=places) if cut_by else reading), cut_by


def _cut_anchor(place: Occurrence, words: Sequence[str], longest: int) -> Occurrence:
    room, end = longest + 1, place.start
    while end < place.end and room > len(words[end]):
        room -= len(words[end]) + 1
        end += 1
    return place._replace(anchor=place.anchor[:longest].rstrip(), end=max(end, min(place.start + 1, place.end)))
