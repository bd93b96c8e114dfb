"""Text documents as HTML: .docx, .odt and .epub, each a ZIP file with XML in it.

From HTML a page is made as from any other: words, links, main content. Nothing is unpacked to the disk, what is
unpacked is bounded, and XML with a DTD, which such files never have and bombs need, is refused. No tree is built:
`_Writer` turns tags into tags as they come. DocumentError, in one line, for a file that cannot be read.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from html import escape
from typing import Final, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from selectolax.lexbor import LexborHTMLParser

from honeyguide.errors import DocumentError
from honeyguide.settings import DOCX, EPUB, ODT

MOST_UNPACKED: Final = 50_000_000  # bytes of one document
_MOST_CHAPTERS: Final = 2000
_RELATION_ID: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_HEADING: Final = re.compile(r"(?:heading|berschrift|titre)\s*([1-6])$", re.IGNORECASE)
# Tags that mean the same in HTML; those of tables and lists are named alike in both formats, or nearly.
_PLAIN: Final = {
    "tbl": "table", "tr": "tr", "tc": "td",
    "table": "table", "table-row": "tr", "table-cell": "td", "list": "ul", "list-item": "li",
}  # fmt: skip
_NOT_TEXT: Final = frozenset((
    "instrText", "delText", "tracked-changes", "annotation", "note-citation", "del", "pPrChange",
    "Fallback",  # what stands beside it says the same
))  # fmt: skip
_LEVELS: Final = frozenset("123456")  # of headings


class Described(NamedTuple):
    """What a document says of itself."""

    title: str = ""
    author: str = ""
    created: str = ""
    modified: str = ""
    language: str = ""


def as_html(said: Described, body: str) -> str:
    """Return a page with this body, which is HTML, and with what the document says of itself in its head."""
    metas = {"author": said.author, "dcterms.created": said.created, "dcterms.modified": said.modified}
    head = "".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in metas.items() if value)
    language = f' lang="{escape(said.language)}"' if said.language else ""
    title = f"<title>{escape(said.title)}</title>"
    return f"<html{language}><head>{title}{head}</head><body><main>{body}</main></body></html>"


def read_office(body: bytes, media_type: str) -> str:
    """Return a document of one of the three types as HTML."""
    archive = _Archive(body)
    read = {DOCX: _read_docx, ODT: _read_odt, EPUB: _read_epub}[media_type]
    return read(archive)


class _Archive:
    """A ZIP file, of which only so many bytes are unpacked."""

    def __init__(self, body: bytes) -> None:
        if not body.startswith(b"PK\x03\x04"):
            raise DocumentError("the file is no ZIP file, as documents of its type are: it does not begin as one")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise DocumentError(f"the file is no whole ZIP file, as documents of its type are: {error}") from None
        self._left = MOST_UNPACKED

    def read(self, name: str, *, optional: bool = False) -> bytes:
        """Return a member; nothing where it is missing and optional."""
        try:
            if self._zip.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise DocumentError(f"the part {name!r} of the document is packed in a way that documents are not")
            with self._zip.open(name) as member:
                data = member.read(self._left + 1)
        except KeyError:
            if optional:
                return b""
            raise DocumentError(f"the document has no part {name!r}: it is cut or of another kind") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise DocumentError(f"the part {name!r} of the document is damaged: {error}") from None
        except RuntimeError:
            raise DocumentError("the document is encrypted and asks for a password") from None
        self._left -= len(data)
        if self._left < 0:
            raise DocumentError(f"the document unpacks to over {MOST_UNPACKED:,} bytes")
        return data


class _Target:
    """Handles the tags of an XML file; names come without their namespaces."""

    def doctype(self, name: str, *_: object) -> None:
        raise DocumentError(f"the document has a DTD ({name}), which such files never have")

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...

    def end(self, tag: str) -> None: ...

    def data(self, text: str) -> None: ...


def _feed(data: bytes, target: _Target) -> None:
    parser = ET.XMLParser(target=target)  # noqa: S314 - a DTD, without which there are no entities, is refused
    try:
        parser.feed(data)
        parser.close()
    except (ET.ParseError, ValueError, LookupError) as error:
        raise DocumentError(f"the document has broken XML: {error}") from None


class _Leaves(_Target):
    """Collects the texts of elements by name, and the attributes of all, with their names."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {}
        self.elements: list[tuple[str, dict[str, str]]] = []
        self._name = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._name = _local(tag)
        self.elements.append((self._name, attributes))
        self.texts.setdefault(self._name, []).append("")

    def end(self, tag: str) -> None:  # noqa: ARG002 - of the interface
        self._name = ""

    def data(self, text: str) -> None:
        if self._name:
            self.texts[self._name][-1] += text


def _leaves(data: bytes) -> _Leaves:
    leaves = _Leaves()
    if data:
        _feed(data, leaves)
    return leaves


def _described(texts: dict[str, list[str]]) -> Described:
    """Return what Dublin Core elements, as all three formats have them, say: the first of each, and all authors.

    In an .odt file the plain date and creator are those of the last change.
    """

    def first(*names: str) -> str:
        return next((text for name in names for text in texts.get(name, ()) if text.strip()), "")

    authors = [text.strip() for text in texts.get("initial-creator") or texts.get("creator", []) if text.strip()]
    modified = first("modified", *(("date",) if "creation-date" in texts else ()))
    created = first("created", "creation-date", "date")
    return Described(first("title"), ", ".join(authors), created, modified, first("language"))


class _Writer(_Target):
    """Writes the text of a .docx or .odt file as HTML, tag by tag."""

    def __init__(self, addresses: dict[str, str]) -> None:
        """`addresses` are those that links name by id."""
        self._addresses = addresses
        self._pieces: list[str] = []
        self._open: list[str] = []  # what ends with each element, "" for nothing
        self._hidden = 0  # elements around that are not text

    @property
    def html(self) -> str:
        return "".join(self._pieces).replace("</li></ul><ul><li>", "</li><li>")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _local(tag)
        given = {_local(key): value for key, value in attributes.items()}
        self._hidden += name in _NOT_TEXT
        closing = ""
        if self._hidden:
            pass
        elif name in _PLAIN:
            closing = self._begin(_PLAIN[name])
        elif name == "p":
            closing = self._begin("p")
        elif name == "h":
            level = given.get("outline-level", "1")
            closing = self._begin(f"h{level if level in _LEVELS else 6}")
        elif name == "pStyle":
            self._restyle(given.get("val", ""))
        elif name == "numPr":
            self._rename_paragraph("<ul><li>", "</li></ul>")
        elif name in ("hyperlink", "a"):
            address = self._addresses.get(attributes.get(_RELATION_ID, ""), "") or given.get("href", "")
            closing = self._begin("a", f' href="{escape(address)}"') if address.startswith("http") else ""
        elif name in ("br", "line-break", "cr"):
            self._pieces.append("<br>")
        elif name in ("tab", "s"):
            self._pieces.append(" ")
        self._open.append(closing)

    def end(self, tag: str) -> None:
        self._hidden -= _local(tag) in _NOT_TEXT
        closing = self._open.pop()
        if closing:
            self._pieces.append(closing)

    def data(self, text: str) -> None:
        if not self._hidden:
            self._pieces.append(escape(text, quote=False))

    def _begin(self, html_tag: str, attributes: str = "") -> str:
        self._pieces.append(f"<{html_tag}{attributes}>")
        return f"</{html_tag}>"

    def _restyle(self, style: str) -> None:
        """Make a heading of the paragraph that was begun, if its style is one."""
        found = _HEADING.search(style)
        level = found[1] if found else "1" if style.lower() == "title" else ""
        if level:
            self._rename_paragraph(f"<h{level}>", f"</h{level}>")

    def _rename_paragraph(self, start: str, end: str) -> None:
        """Let the paragraph that was begun, and has no text yet, begin and end otherwise."""
        while self._pieces and self._pieces[-1].isspace():
            self._pieces.pop()
        if self._pieces[-1:] == ["<p>"] and "</p>" in self._open:
            self._pieces[-1] = start
            self._open[len(self._open) - 1 - self._open[::-1].index("</p>")] = end


def _read_docx(archive: _Archive) -> str:
    relations = _leaves(archive.read("word/_rels/document.xml.rels", optional=True))
    writer = _Writer({each.get("Id", ""): each.get("Target", "") for _, each in relations.elements})
    _feed(archive.read("word/document.xml"), writer)
    return as_html(_described(_leaves(archive.read("docProps/core.xml", optional=True)).texts), writer.html)


def _read_odt(archive: _Archive) -> str:
    writer = _Writer({})
    _feed(archive.read("content.xml"), writer)
    return as_html(_described(_leaves(archive.read("meta.xml", optional=True)).texts), writer.html)


def _read_epub(archive: _Archive) -> str:
    """Return the chapters of a book in the order of its spine."""
    container = _leaves(archive.read("META-INF/container.xml")).elements
    package = next((each["full-path"] for name, each in container if name == "rootfile" and "full-path" in each), "")
    book = _leaves(archive.read(package))
    names = {each.get("id"): each.get("href", "") for name, each in book.elements if name == "item"}
    spine = [names.get(each.get("idref"), "") for name, each in book.elements if name == "itemref"]
    folder = posixpath.dirname(package)
    files = [posixpath.join(folder, unquote(name)) for name in dict.fromkeys(filter(None, spine[:_MOST_CHAPTERS]))]
    chapters = [_chapter(archive.read(file, optional=True)) for file in files]
    return as_html(_described(book.texts), "".join(chapters))


def _chapter(data: bytes) -> str:
    """Return the inside of a chapter; links within the book become text."""
    tree = LexborHTMLParser(data.decode("utf-8", "replace"))
    for link in tree.css("a[href]"):
        if not (link.attributes["href"] or "").startswith("http"):
            del link.attrs["href"]
    for image in tree.css("img[src]"):
        del image.attrs["src"]
    return (tree.body.inner_html or "") if tree.body is not None else ""


def _local(name: str) -> str:
    return name.rpartition("}")[2]
