"""A file read as what it holds, whether plain, gzip or bzip2, in blocks of bounded size, with a count of bytes read.

What a file is, its first bytes say, not its name. Compressed streams may follow one another, as in a multistream dump.
The next block is unpacked in a thread of its own while the caller works on the last one.

A MediaWiki dump as a stream of pages: any export format, compressed or not, in memory that does not grow.

Elements are known by their local names, so that every version of the format reads alike. What older versions leave out
(the namespace of a page, whether it is a redirect) is left to whoever knows the wiki's rules.
"""

from __future__ import annotations

import bz2
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol
from xml.parsers import expat

from honeyguide.errors import WorldError
from honeyguide.worlds.wiki.titles import ARTICLES, SiteInfo

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

_READ_BYTES: Final = 1 << 18
_BLOCK_BYTES: Final = 1 << 20
_GZIP, _BZIP2 = b"\x1f\x8b", b"BZh"
_GZIP_WINDOW: Final = 31


class BrokenStream(Exception):  # noqa: N818 - turned into an error of the tree where the file is known
    """Bytes that cannot be unpacked. What came before them was good."""

    def __init__(self, message: str, *, is_cut_off: bool) -> None:
        super().__init__(message)
        self.is_cut_off = is_cut_off


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class CompressedFile:
    """One file, read once from its start. Close it, also when reading ends early."""

    def __init__(self, path: Path) -> None:
        try:
            self.size_bytes = path.stat().st_size
            self._file = path.open("rb")
        except OSError as error:
            raise WorldError(f"cannot read {path}: {error.strerror or error}") from error
        self._helper = ThreadPoolExecutor(1, thread_name_prefix="unpack")
        self.bytes_read = 0
        self.bytes_out = 0

    def blocks(self) -> Iterator[bytes]:
        """What the file holds, none of the blocks empty. Raises `BrokenStream` after the last good block."""
        unpacked = self._unpacked()
        ahead = self._helper.submit(next, unpacked, b"")
        while block := ahead.result():
            ahead = self._helper.submit(next, unpacked, b"")
            self.bytes_out += len(block)
            yield block

    def lines(self) -> Iterator[bytes]:
        """The same by lines, without their ends."""
        rest = b""
        for block in self.blocks():
            *whole, rest = (rest + block).split(b"\n")
            yield from whole
        if rest:
            yield rest

    def close(self) -> None:
        self._helper.shutdown(wait=True, cancel_futures=True)
        self._file.close()

    def _unpacked(self) -> Iterator[bytes]:
        data = self._read()
        if not data.startswith((_GZIP, _BZIP2)):
            while data:
                yield data
                data = self._read()
            return
        while data:
            data = yield from self._one_stream(data)

    def _one_stream(self, data: bytes) -> Generator[bytes, None, bytes]:
        """One compressed stream that starts with `data`; gives back what follows it, b"" at the end of the file."""
        if len(data) < len(_BZIP2):
            data += self._read()
        if not data.startswith((_GZIP, _BZIP2)):
            raise BrokenStream("compressed data is followed by something else", is_cut_off=False)
        stream: _Decompressor = bz2.BZ2Decompressor() if data.startswith(_BZIP2) else _Gunzip()
        while not stream.eof:
            if stream.needs_input and not data:
                data = self._read()
                if not data:
                    raise BrokenStream("the compressed data is cut off", is_cut_off=True)
            try:
                block = stream.decompress(data, _BLOCK_BYTES)
            except (OSError, EOFError, zlib.error) as error:
                raise BrokenStream(str(error), is_cut_off=False) from error
            data = b""
            if block:
                yield block
        # Some writers fill up the last block with zeros.
        return stream.unused_data.lstrip(b"\0") or self._read().lstrip(b"\0")

    def _read(self) -> bytes:
        data = self._file.read(_READ_BYTES)
        self.bytes_read += len(data)
        return data


class _Gunzip:
    """One gzip member, with the interface of the decompressor of bzip2."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_WINDOW)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return not self._stream.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._stream.decompress(self._stream.unconsumed_tail + data, max_length)


_ROOT: Final = "mediawiki"
_PAGE_LEVEL: Final = 2  # depth of <page> and <siteinfo> below the root


class BrokenDump(WorldError):  # noqa: N818
    """A dump that ends too soon or is damaged. What came before is whole."""


@dataclass(frozen=True, slots=True)
class DumpPage:
    """A page as the dump has it, with its latest revision."""

    page_id: int
    title: str
    namespace: int | None  # None where the dump does not say
    redirect: str | None  # the title that the dump says it leads to
    text: str


class Dump:
    """A dump that is open for reading, once, from its start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = CompressedFile(path)
        self._handler = _Handler()
        self.page_count = 0  # whole pages so far, of every kind

    @property
    def site(self) -> SiteInfo:
        """What the head of the dump says; known from the first page on."""
        return self._handler.site

    @property
    def bytes_read(self) -> int:
        """Bytes of the file itself, compressed as it is."""
        return self._file.bytes_read

    @property
    def size_bytes(self) -> int:
        return self._file.size_bytes

    @property
    def xml_bytes(self) -> int:
        return self._file.bytes_out

    def pages(self) -> Iterator[DumpPage]:
        """Every page in order. Raises `BrokenDump` where the file ends too soon or makes no sense any more."""
        parser = _parser(self._handler)
        blocks = self._file.blocks()
        try:
            while not self._handler.is_complete and (block := next(blocks, b"")):
                # Whatever follows the root element is no part of the dump.
                _feed(parser, block, self._handler)
                yield from self._taken()
        except (BrokenStream, expat.ExpatError) as error:
            yield from self._taken()
            raise self._broken(error) from error
        if not self._handler.is_complete:
            raise self._broken(None)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _taken(self) -> Iterator[DumpPage]:
        pages, self._handler.pages = self._handler.pages, []
        self.page_count += len(pages)
        yield from pages

    def _broken(self, error: Exception | None) -> WorldError:
        if not self.size_bytes:
            return WorldError(f"{self._path} is empty; give a MediaWiki XML dump, as from dumps.wikimedia.org")
        if not self._handler.has_root and not self._cannot_be_unpacked(error):
            return WorldError(f"{self._path} is not a MediaWiki dump: there is no <mediawiki> at its start")
        is_cut_off = error is None or (isinstance(error, BrokenStream) and error.is_cut_off)
        trouble = "ends too soon" if is_cut_off else f"is damaged ({error})"
        return BrokenDump(
            f"{self._path} {trouble}: read {self.bytes_read:,} of {self.size_bytes:,} bytes, {self.page_count:,} whole "
            "pages; get it again, or keep what is whole with --keep-partial"
        )

    def _cannot_be_unpacked(self, error: Exception | None) -> bool:
        """Whether this is a compressed file that is broken before it has said what is in it."""
        if not isinstance(error, BrokenStream) or isinstance(error.__cause__, _NotADump):
            return False
        with self._path.open("rb") as opened:
            head = opened.read(10)
        return head.startswith(b"\x1f\x8b\x08") or (head.startswith(b"BZh") and head.endswith(b"1AY&SY"))


class _NotADump(Exception):  # noqa: N818 - never leaves this module
    """The document has another root, or declares a type of its own."""


def _feed(parser: expat.XMLParserType, block: bytes, handler: _Handler) -> None:
    try:
        parser.Parse(block, False)  # noqa: FBT003 - as the parser has it
    except _NotADump as error:
        raise BrokenStream(str(error), is_cut_off=False) from error
    except expat.ExpatError:
        if not handler.is_complete:
            raise


def _parser(handler: _Handler) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 1 << 18
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.characters
    parser.StartDoctypeDeclHandler = _refuse_doctype  # entities of its own could grow without bounds
    return parser


def _refuse_doctype(*_: object) -> None:
    raise _NotADump("a dump declares no document type")


class _Handler:
    """Gathers pages while the XML goes by."""

    def __init__(self) -> None:
        self.site = SiteInfo()
        self.pages: list[DumpPage] = []
        self.has_root = False
        self.is_complete = False
        self._path: list[str] = []
        self._text: list[str] = []
        self._is_wanted = False
        self._fields: dict[str, str] = {}
        self._head: dict[str, str] = {}
        self._number_by_namespace: dict[str, int] = {}
        self._namespace_key = ARTICLES

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        if not self._path:
            if name != _ROOT:
                raise _NotADump(f"its first element is <{name}>")
            self.has_root = True
        self._path.append(name)
        match name:
            case "page":
                self._fields = {}
            case "redirect" if len(self._path) == _PAGE_LEVEL + 1:
                self._fields["redirect"] = attributes.get("title", "")
            case "namespace":
                self._namespace_key = _number(attributes.get("key")) or ARTICLES
                if self._namespace_key == ARTICLES and "case" in attributes:
                    self._head["case of articles"] = attributes["case"]
        self._text = []
        self._is_wanted = name in _WANTED

    def characters(self, text: str) -> None:
        if self._is_wanted:
            self._text.append(text)

    def end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        depth = len(self._path)
        self._path.pop()
        if self._is_wanted:
            self._take(name, depth, "".join(self._text))
            self._is_wanted = False
        elif name == "page" and depth == _PAGE_LEVEL:
            self._end_page()
        elif name == "siteinfo":
            self._end_head()
        elif not self._path:
            self.is_complete = True

    def _take(self, name: str, depth: int, text: str) -> None:
        if name == "namespace":
            self._number_by_namespace[text.replace("_", " ").lower()] = self._namespace_key
        elif name in _IN_HEAD:
            self._head[name] = text
        elif depth == _PAGE_LEVEL + (2 if name == "text" else 1):  # revisions have an <id>, their slots a <text> too
            self._fields[name] = text

    def _end_head(self) -> None:
        self.site = SiteInfo(
            name=self._head.get("sitename", ""),
            base=self._head.get("base", "").strip(),
            has_capital_titles=self._head.get("case of articles", self._head.get("case")) != "case-sensitive",
            number_by_namespace=self._number_by_namespace,
        )

    def _end_page(self) -> None:
        fields = self._fields
        self.pages.append(
            DumpPage(
                page_id=_number(fields.get("id")) or 0,
                title=fields.get("title", ""),
                namespace=_number(fields.get("ns")),
                redirect=fields.get("redirect") or None,
                text=fields.get("text", ""),
            )
        )


def _number(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


_IN_HEAD: Final = frozenset({"sitename", "base", "case"})
_WANTED: Final = _IN_HEAD | {"namespace", "title", "ns", "id", "text"}
