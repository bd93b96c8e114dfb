"""XML from strangers, read as a stream of elements. What it could be bombed with is refused, not expanded.

No entity may be declared, nothing outside the document is asked for, and elements nest only so deep.

Files that list pages: sitemaps and their indexes, RSS, Atom and RDF feeds, and plain lists of addresses.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol
from xml.parsers import expat

from honeyguide.errors import InvalidUrl, PageError
from honeyguide.model import Url
from honeyguide.parse.charset import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from honeyguide.model import Fetched

DEEPEST: Final = 64
_BASE: Final = "http://www.w3.org/XML/1998/namespace base"


class XmlTrouble(Exception):  # noqa: N818 - reads as a statement about the document
    """A document that cannot or will not be read; says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element as it begins: its name and attributes without namespaces, and `xml:base` where it has one."""

    name: str
    attributes: Mapping[str, str]
    base: str = ""


class Reader(Protocol):
    """Told of a document from its beginning to its end."""

    def begin(self, element: Element) -> None:
        """An element begins."""
        ...

    def text(self, characters: str) -> None:
        """Text inside the innermost element; one text may come in pieces."""
        ...

    def end(self) -> None:
        """The innermost element ends."""
        ...


def read_xml(text: str, reader: Reader) -> None:
    """Tell `reader` of a document. XmlTrouble where it is not well-formed, or not harmless."""
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise XmlTrouble(f"its elements nest deeper than {DEEPEST}")
        plain = {_local(key): value for key, value in attributes.items() if key != _BASE}
        reader.begin(Element(_local(name), plain, attributes.get(_BASE, "")))

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1
        reader.end()

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = _refuse_entity
    parser.ExternalEntityRefHandler = _refuse_outside
    parser.buffer_text = True
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)  # noqa: FBT003 - by position only
    except expat.ExpatError as error:
        raise XmlTrouble(f"it is not well-formed XML: {expat.ErrorString(error.code)} in line {error.lineno}") from None


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _refuse_entity(*_declared: object) -> None:
    raise XmlTrouble("it declares entities, which are not expanded here")


def _refuse_outside(*_referred: object) -> int:
    raise XmlTrouble("it refers to something outside itself")


MAX_BYTES: Final = 50_000_000
"""Of an unpacked file: what the sitemap protocol allows."""

_GZIP_START: Final = b"\x1f\x8b"
_ROOTS: Final = frozenset({"urlset", "sitemapindex", "rss", "feed", "RDF"})
_ITEMS: Final = frozenset({"item", "entry"})
_KINDS: Final = "a sitemap, a feed or a list of URLs"


@dataclass(frozen=True, slots=True)
class Listing:
    """What a file lists, each once, in its order."""

    pages: tuple[Url, ...]
    sitemaps: tuple[Url, ...] = ()  # further files, of an index
    unusable: int = 0  # addresses that are no http or https URL


def read_listing(url: Url, fetched: Fetched) -> Listing:
    """What the file found at `url` lists. PageError with the reason where it lists nothing that we know."""
    text, _ = decode(_unpacked(url, fetched.body), fetched.content_type)
    text = text.strip("\ufeff \t\r\n")
    if not text.startswith("<"):
        return _plain_list(url, text)
    reader = _ListReader()
    try:
        read_xml(text, reader)
    except XmlTrouble as trouble:
        raise PageError(f"{url} is not {_KINDS}: {trouble}; give another one") from None
    pages, unusable = _urls(url, reader.pages)
    sitemaps, more_unusable = _urls(url, reader.sitemaps)
    return Listing(pages, sitemaps, unusable + more_unusable)


def sitemaps_in_robots(url: Url, fetched: Fetched) -> tuple[Url, ...]:
    """The sitemaps that the robots.txt at `url` names."""
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


class _ListReader:
    """Picks the addresses out of a file, whichever kind it is."""

    def __init__(self) -> None:
        self.pages: list[tuple[str, str]] = []  # what it is relative to, and the address
        self.sitemaps: list[tuple[str, str]] = []
        self._open: list[Element] = []
        self._text: list[str] | None = None  # of an element whose text is an address
        self._item_link = self._item_id = ""

    def begin(self, element: Element) -> None:
        if not self._open and element.name not in _ROOTS:
            raise XmlTrouble("it is HTML" if element.name.lower() == "html" else f"it is <{element.name}>")
        inside = self._open[-1].name if self._open else ""
        if element.name in _ITEMS:
            self._item_link, self._item_id = "", element.attributes.get("about", "")
        elif inside in _ITEMS and element.name == "link" and element.attributes.get("rel", "alternate") == "alternate":
            self._item_link = self._item_link or element.attributes.get("href", "")
        self._open.append(element)
        self._text = [] if element.name in ("loc", "link", "guid") else None

    def text(self, characters: str) -> None:
        if self._text is not None:
            self._text.append(characters)

    def end(self) -> None:
        ended = self._open.pop()
        address = "".join(self._text or ()).strip(" \t\r\n")
        self._text = None
        inside = self._open[-1].name if self._open else ""
        match inside, ended.name:
            case "url", "loc":
                self.pages.append((self._base, address))
            case "sitemap", "loc":
                self.sitemaps.append((self._base, address))
            case "item", "link":
                self._item_link = self._item_link or address
            case "item", "guid" if ended.attributes.get("isPermaLink", "true") == "true":
                self._item_id = self._item_id or address
            case _, "item" | "entry" if self._item_link or self._item_id:
                self.pages.append((ended.base or self._base, self._item_link or self._item_id))

    @property
    def _base(self) -> str:
        """The innermost `xml:base`; those of several elements are seldom relative to one another."""
        return next((element.base for element in reversed(self._open) if element.base), "")
