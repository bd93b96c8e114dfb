"""A MediaWiki dump as a stream of pages: any export format, compressed or not, in memory that does not grow.

Elements are known by their local names, so that every version of the format reads alike. What older versions leave out
(the namespace of a page, whether it is a redirect) is left to whoever knows the wiki's rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.parsers import expat

from honeyguide.errors import WorldError
from honeyguide.text.compressed import BrokenStream, CompressedFile
from honeyguide.worlds.wiki.titles import ARTICLES, SiteInfo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from honeyguide.processes import WorkerPool

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

    def __init__(self, path: Path, workers: WorkerPool | None = None) -> None:
        try:
            self.file = CompressedFile(path, workers)
        except OSError as error:
            raise WorldError(f"cannot read {path}: {error.strerror or error}; check the path") from error
        self._handler = _Handler()
        self.page_count = 0  # whole pages so far, of every kind

    @property
    def site(self) -> SiteInfo:
        """The head of the dump; known from the first page on."""
        return self._handler.site

    def pages(self) -> Iterator[DumpPage]:
        """Yield every page in order. Raises `BrokenDump` where the file ends too soon or makes no sense any more."""
        handler, parser, blocks = self._handler, _parser(self._handler), self.file.blocks()
        block = b""
        trouble: Exception | None = None
        # Whatever follows the root element is no part of the dump.
        while not handler.is_complete and trouble is None:
            try:
                block = next(blocks, b"")
                parser.Parse(block, False)  # noqa: FBT003 - as the parser has it
            except (BrokenStream, expat.ExpatError, _NotADump) as error:
                trouble = error
            pages, handler.pages = handler.pages, []
            self.page_count += len(pages)
            yield from pages
            if not block:
                break
        if not handler.is_complete:
            raise self._broken(trouble) from trouble

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _broken(self, trouble: Exception | None) -> WorldError:
        if not self.file.size_bytes:
            return WorldError(f"{self.file.path} is empty; give a MediaWiki XML dump, as from dumps.wikimedia.org")
        if not self._handler.has_root and not isinstance(trouble, BrokenStream):
            return WorldError(f"{self.file.path} is not a MediaWiki dump: there is no <mediawiki> at its start")
        is_cut_off = trouble is None or (isinstance(trouble, BrokenStream) and trouble.is_cut_off)
        what = "ends too soon" if is_cut_off else f"is damaged ({trouble})"
        read = f"read {self.file.bytes_read:,} of {self.file.size_bytes:,} bytes, {self.page_count:,} whole pages"
        return BrokenDump(f"{self.file.path} {what}: {read}; get it again, or keep what is whole with --keep-partial")


class _NotADump(Exception):  # noqa: N818 - never leaves this module
    """The document has another root, or declares a type of its own."""


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
