"""Files that list pages: sitemaps and their indexes, RSS, Atom and RDF feeds, and plain lists of addresses.

XML from strangers is read as a stream. What it could be bombed with is refused, not expanded: no entity may be
declared, nothing outside the document is asked for, and elements nest only so deep.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final
from xml.parsers import expat

from honeyguide.errors import InvalidUrl, PageError
from honeyguide.model import Url
from honeyguide.parse.charset import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from honeyguide.model import Fetched

DEEPEST: Final = 64
_BASE: Final = "http://www.w3.org/XML/1998/namespace base"
MAX_BYTES: Final = 50_000_000
"""Of an unpacked file: what the sitemap protocol allows."""

_GZIP_START: Final = b"\x1f\x8b"
_ROOTS: Final = frozenset({"urlset", "sitemapindex", "rss", "feed", "RDF"})
_ITEMS: Final = frozenset({"item", "entry"})
_DATES: Final = frozenset({"lastmod", "updated", "published", "pubDate", "date"})
_KINDS: Final = "a sitemap, a feed or a list of URLs"


@dataclass(frozen=True, slots=True)
class Listing:
    """The addresses that a file lists, each once, in the order of the file."""

    pages: tuple[Url, ...]
    sitemaps: tuple[Url, ...] = ()  # further files, of an index
    unusable: int = 0  # addresses that are no http or https URL
    modified: Mapping[Url, float] = field(default_factory=dict)  # when pages were changed last, where the file says so


def read_listing(url: Url, fetched: Fetched) -> Listing:
    """Return what the file found at `url` lists. PageError with the reason where it lists nothing that we know."""
    text, _ = decode(_unpacked(url, fetched.body), fetched.content_type)
    text = text.strip("\ufeff \t\r\n")
    if not text.startswith("<"):
        return _plain_list(url, text)
    reader = _ListReader()
    try:
        reader.read(text)
    except _BadXmlError as error:
        raise PageError(f"{url} is not {_KINDS}: {error}; give another one") from None
    pages, unusable = _urls(url, reader.pages)
    told = ((_url(url, *page), _moment(text)) for page, text in reader.modified.items())
    modified = {page: moment for page, moment in told if page is not None and moment is not None}
    sitemaps, more_unusable = _urls(url, reader.sitemaps)
    return Listing(pages, sitemaps, unusable + more_unusable, modified)


def sitemaps_in_robots(url: Url, fetched: Fetched) -> tuple[Url, ...]:
    """Return the sitemaps that the robots.txt at `url` names."""
    lines = fetched.body.decode("utf-8-sig", "replace").splitlines()
    fields = (line.partition(":") for line in lines)
    named = (("", value.strip()) for name, _, value in fields if name.strip().lower() == "sitemap")
    return _urls(url, named)[0]


def _unpacked(url: Url, body: bytes) -> bytes:
    if not body.startswith(_GZIP_START):
        return body
    unpacker = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacker.decompress(body, MAX_BYTES)
    except zlib.error as error:
        raise PageError(f"{url} cannot be unpacked: {error}; give another one") from None
    if unpacker.unconsumed_tail:
        raise PageError(f"{url} is over {MAX_BYTES:,} bytes unpacked; name its parts one by one")
    if not unpacker.eof:
        raise PageError(f"{url} cannot be unpacked: it is cut off; give another one")
    return unpacked


def _plain_list(url: Url, text: str) -> Listing:
    lines = [("", line.strip()) for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    pages, unusable = _urls(None, lines)
    if not pages:
        why = "no line is a URL" if lines else "it is empty"
        raise PageError(f"{url} is not {_KINDS}: {why}; give another one")
    return Listing(pages, unusable=unusable)


def _moment(text: str) -> float | None:
    """Return the Unix time that a date stands for, as sitemaps and Atom or as RSS write it; None where it is none."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        try:
            found = parsedate_to_datetime(text.strip())
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    try:
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _urls(file: Url | None, written: Iterable[tuple[str, str]]) -> tuple[tuple[Url, ...], int]:
    """Addresses, each with what it is relative to, as URLs; and how many of them are none."""
    found: dict[Url, None] = {}
    unusable = 0
    for base, address in written:
        url = _url(file, base, address)
        if url is None:
            unusable += 1
        else:
            found[url] = None
    return tuple(found), unusable


def _url(file: Url | None, base: str, address: str) -> Url | None:
    try:
        return Url.parse(address, Url.parse(base, file) if base else file) if address else None
    except InvalidUrl:
        return None


class _BadXmlError(Exception):
    """A document that cannot or will not be read; says why, in a few words."""


@dataclass(frozen=True, slots=True)
class _Element:
    """An element as it begins: its name and attributes without namespaces, and `xml:base` where it has one."""

    name: str
    attributes: Mapping[str, str]
    base: str = ""


class _ListReader:
    """Picks the addresses out of a file, whichever kind it is."""

    def __init__(self) -> None:
        self.pages: list[tuple[str, str]] = []  # what it is relative to, and the address
        self.sitemaps: list[tuple[str, str]] = []
        self._open: list[_Element] = []
        self._text: list[str] | None = None  # of an element whose text is an address
        self._item_link = self._item_id = self._item_date = ""
        self.modified: dict[tuple[str, str], str] = {}  # of pages, as it is written

    def read(self, text: str) -> None:
        """Read a whole document. _BadXmlError where it is not well-formed, or not harmless."""
        parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._add_text
        parser.EntityDeclHandler = _refuse_entity
        parser.ExternalEntityRefHandler = _refuse_outside
        parser.buffer_text = True
        try:
            parser.Parse(text.encode("utf-8", "replace"), True)  # noqa: FBT003 - by position only
        except expat.ExpatError as error:
            reason = f"{expat.ErrorString(error.code)} in line {error.lineno}"
            raise _BadXmlError(f"it is not well-formed XML: {reason}") from None

    def _begin(self, full_name: str, attributes: dict[str, str]) -> None:
        plain = {_local(key): value for key, value in attributes.items() if key != _BASE}
        element = _Element(_local(full_name), plain, attributes.get(_BASE, ""))
        if len(self._open) >= DEEPEST:
            raise _BadXmlError(f"its elements nest deeper than {DEEPEST}")
        if not self._open and element.name not in _ROOTS:
            raise _BadXmlError("it is HTML" if element.name.lower() == "html" else f"it is <{element.name}>")
        inside = self._open[-1].name if self._open else ""
        if element.name in _ITEMS:
            self._item_link, self._item_id, self._item_date = "", element.attributes.get("about", ""), ""
        elif inside in _ITEMS and element.name == "link" and element.attributes.get("rel", "alternate") == "alternate":
            self._item_link = self._item_link or element.attributes.get("href", "")
        self._open.append(element)
        self._text = [] if element.name in ("loc", "link", "guid") or element.name in _DATES else None

    def _add_text(self, characters: str) -> None:
        if self._text is not None:
            self._text.append(characters)

    def _end(self, _name: str) -> None:
        ended = self._open.pop()
        address = "".join(self._text or ()).strip(" \t\r\n")
        self._text = None
        inside = self._open[-1].name if self._open else ""
        match inside, ended.name:
            case "url", "loc":
                self.pages.append((self._base, address))
            case "url", "lastmod" if self.pages:
                self.modified[self.pages[-1]] = address
            case "item" | "entry", name if name in _DATES:
                self._item_date = address if name == "updated" else self._item_date or address
            case "sitemap", "loc":
                self.sitemaps.append((self._base, address))
            case "item", "link":
                self._item_link = self._item_link or address
            case "item", "guid" if ended.attributes.get("isPermaLink", "true") == "true":
                self._item_id = self._item_id or address
            case _, "item" | "entry" if self._item_link or self._item_id:
                self.pages.append((ended.base or self._base, self._item_link or self._item_id))
                if self._item_date:
                    self.modified[self.pages[-1]] = self._item_date

    @property
    def _base(self) -> str:
        """Return the innermost `xml:base`; those of several elements are seldom relative to one another."""
        return next((element.base for element in reversed(self._open) if element.base), "")


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _refuse_entity(*_declared: object) -> None:
    raise _BadXmlError("it declares entities, which are not expanded here")


def _refuse_outside(*_referred: object) -> int:
    raise _BadXmlError("it refers to something outside itself")
