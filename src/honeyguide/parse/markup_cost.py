"""Bounds what the markup of a page can cost its parser.

The parser's time grows with the square of the depth, of the attributes of one tag, of the names of tags and attributes
that differ, and of formatting that is left open: a document of 0.8 MB that opens 160,000 elements and closes none takes
it over a minute, one of 64 KB with a `<font>` of another colour in every paragraph 12 s and 1.9 GB. So all are bounded.
No page that a person wrote comes near the limits; from where one is passed, a document is cut off.

What stands in a comment, in a tag or in a script closes nothing outside of it, whatever it looks like. Where these end,
only the parser knows for certain. So these limits save time and promise nothing; the promise is that of `is_quick`,
which counts every tag that may be one, and takes none for closed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

QUICK_BYTES: Final = 32_000
QUICK_TAGS: Final = 3000
QUICK_COPIES: Final = 100_000
"""Bounds of a page that is quick: of any markup within them, the parser makes a tree in a third of a second."""
DEEPEST: Final = 6000
STEPS: Final = 50_000_000  # depths of all tags together: a step takes some 8 ns, and a usual page has 100,000
MOST_ATTRIBUTES: Final = 500  # of one tag
# Names looked up, of tags and attributes, times the names before: the parser's table does not grow with them. A step
# takes 3 ns where all are chosen to collide. A large script that is read as tags comes to 20 million.
NAME_STEPS: Final = 250_000_000
COPIES: Final = 500_000  # of formatting elements that were left open; one takes 2 µs and 300 bytes
FEW_TAGS: Final = 2 * DEEPEST  # a document with fewer cannot be worth a closer look
FEW_CHARACTERS: Final = 20_000  # likewise, for attributes

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([\s/]+[^\s/>])?")
_FORMATTING: Final = frozenset(
    ("b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)  # fmt: skip
_VARIED_FORMATTING: Final = re.compile(rf"<(?:{'|'.join(sorted(_FORMATTING))})[\s/]+[^\s/>]", re.IGNORECASE)
_CELLS: Final = frozenset({"td", "th"})
_USUALLY_OPEN: Final = 10  # formatting elements
# Never nested in themselves by the parser: void elements, and those whose end is implied by the next of their kind.
_FLAT: Final = frozenset(
    (
        "area", "base", "body", "br", "caption", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
        "input", "li", "link", "meta", "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr",
        "track", "wbr",
    )
)  # fmt: skip
# As the parser reads them, possessive throughout: no character is looked at twice.
_ATTRIBUTE: Final = r"""[\s/]++(?:([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+)?+)?+)?+"""
_TAG_WITH_ATTRIBUTES: Final = re.compile(rf"</?([a-zA-Z][^\s/>]*+)(?:{_ATTRIBUTE})*+")
_COMMENT_OR_TAG: Final = re.compile(rf"<!--[^-]*+(?:-(?!->)[^-]*+)*+|{_TAG_WITH_ATTRIBUTES.pattern}")
_END_OF_TEXT: Final = {  # of elements in which markup is text
    name: re.compile(f"</{name}(?![^\\s/>])", re.IGNORECASE)
    for name in ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
}
_ONE_ATTRIBUTE: Final = re.compile(_ATTRIBUTE)
# With these, other bytes than those of `<font` may come to mean it: UTF-16 and ISO-2022-JP.
_STATEFUL: Final = re.compile(rb"[\x00\x1b]")
_REMEMBERED: Final = 3
# Whole where it is clear where it ends; else only the name, which may be anything's.
_FORMATTING_START: Final = re.compile(
    rf"""<(?:{"|".join(sorted(_FORMATTING))})(?![a-z0-9])"""
    r"""(?:(?:\s++[\w:-]++(?:="[^"<>]*+"|=[\w#-]++)?+)*+\s*+>)?+""".encode(),
    re.IGNORECASE,
)


def is_quick(body: bytes) -> bool:
    """Return whether reading a page takes little time for certain, however its markup was made.

    The parser holds on to at most three formatting elements with the same name and attributes, and copies each at most
    once for every tag.
    """
    tags = body.count(b"<")
    if len(body) > QUICK_BYTES or tags > QUICK_TAGS or _STATEFUL.search(body):
        return False
    starts = _FORMATTING_START.findall(body)
    plain = {start for start in starts if start.endswith(b">")}
    unclear = sum(not start.endswith(b">") for start in starts)
    return _REMEMBERED * (len(plain) + unclear) * tags <= QUICK_COPIES


def affordable_part(html: str) -> str:
    """Return the document up to where its markup costs too much; nearly always, the document itself.

    Elements may nest only so deep, a tag may have only so many attributes, only so many names differ, and formatting
    be left open only so often.
    """
    return _up_to_copies(_up_to_depths(_up_to_many_names(html)))


def _up_to_many_names(html: str) -> str:
    if len(html) < FEW_CHARACTERS:
        return html
    names: set[str] = set()
    counts: dict[str, int] = {}  # of the names in a tag, by its text: most tags were seen before
    steps = 0
    for tag in _TAG_WITH_ATTRIBUTES.finditer(html):
        text = tag[0]
        count = counts.get(text)
        if count is None:
            found = [tag[1].lower(), *_ONE_ATTRIBUTE.findall(text.lower())]
            names.update(found)
            count = counts[text] = len(found)
        steps += len(names) * count
        if count > MOST_ATTRIBUTES + 1 or steps > NAME_STEPS:
            return html[: tag.start()]
    return html


class _Seen(NamedTuple):
    """What looks like a tag."""

    start: int
    is_end: bool
    name: str
    has_attributes: bool
    inside: int  # where the comment, tag or script begins that it stands in; -1 outside of all


def _tags(html: str) -> Iterator[_Seen]:
    """Find all that looks like a tag."""
    end = 0
    while (found := _COMMENT_OR_TAG.search(html, end)) is not None:
        begin, end = found.span()
        tag = _TAG.match(html, begin)
        inner = begin + 1
        if tag is not None:
            name = tag[2].lower()
            yield _Seen(begin, bool(tag[1]), name, tag[3] is not None, -1)
            inner = tag.start(3) if tag[3] else tag.end()
            if name in _END_OF_TEXT and not tag[1]:
                close = _END_OF_TEXT[name].search(html, end)
                end = len(html) if close is None else close.start()
        if end - inner > 2 and "<" in html[inner:end]:
            for each in _TAG.finditer(html, inner, end):
                yield _Seen(each.start(), bool(each[1]), each[2].lower(), each[3] is not None, begin)


def _up_to_depths(html: str) -> str:
    """Count what is open, by name. An end closes nothing that is not open, or was opened outside the table it is in."""
    if html.count("<") < FEW_TAGS:
        return html
    opened: defaultdict[str, list[int]] = defaultdict(list)  # for each, how many tables were open before it
    inner: Counter[str] = Counter()  # open in the same comment, tag or script
    depth = steps = tables = 0
    inside = -1
    for start, is_end, name, _, now_inside in _tags(html):
        if now_inside != inside:
            inside = now_inside
            inner.clear()
        if name in _FLAT:
            pass
        elif inside >= 0:
            if not is_end or inner[name]:
                inner[name] += -1 if is_end else 1
                depth += -1 if is_end else 1
        elif not is_end:
            opened[name].append(tables)
            depth += 1
            tables += name == "table"
        elif opened[name] and (name == "table" or opened[name][-1] >= tables):
            before = opened[name].pop()
            tables = before if name == "table" else tables
            depth -= 1
        steps += depth
        if depth > DEEPEST or steps > STEPS:
            return html[:start]
    return html


class _OpenFormatting:
    """The formatting elements that were left open. Of those without attributes the parser remembers few."""

    def __init__(self) -> None:
        self._plain: Counter[str] = Counter()
        self._varied: list[str] = []  # names of those with attributes
        self._hidden = 0  # of these, not looked at by the parser: they were opened before the cell that it is in
        self._tables: list[tuple[int, bool]] = []  # for each that is open, what is hidden, and whether by its own cell

    @property
    def copied(self) -> int:
        """How many are copied into every block."""
        return len(self._varied) - self._hidden

    def begin(self, name: str, *, has_attributes: bool) -> None:
        self._plain[name] += not has_attributes
        self._varied += [name] * has_attributes

    def end(self, name: str) -> None:
        copied = self._varied[self._hidden :]
        if self._plain[name]:
            self._plain[name] -= 1
        elif name in copied:
            del self._varied[len(self._varied) - 1 - copied[::-1].index(name)]

    def begin_table(self) -> None:
        self._tables.append((self._hidden, False))

    def begin_cell(self) -> None:
        if self._tables:
            self._leave_table(is_sure=True)
            self._hidden = len(self._varied)
            self._tables.append((self._hidden, True))

    def end_table(self, *, is_sure: bool) -> None:
        if self._tables:
            self._leave_table(is_sure=is_sure)
            self._hidden = self._tables[-1][0] if self._tables else 0

    def _leave_table(self, *, is_sure: bool) -> None:
        """At the end of a cell the parser forgets what was opened in it."""
        begin, has_cell = self._tables.pop()
        if has_cell and is_sure:
            del self._varied[begin:]


def _up_to_copies(html: str) -> str:
    """Count the copies of formatting elements that the parser makes: of all that were left open, in every block."""
    if len(_VARIED_FORMATTING.findall(html)) * html.count("<") < COPIES:
        return html
    formatting, copies = _OpenFormatting(), 0
    for start, is_end, name, has_attributes, inside in _tags(html):
        is_sure = inside < 0
        if name in _FORMATTING and not is_end:
            formatting.begin(name, has_attributes=has_attributes)
        elif name == "table" and is_end:
            formatting.end_table(is_sure=is_sure)
        elif not is_sure:
            pass
        elif name in _FORMATTING:
            formatting.end(name)
        elif name == "table":
            formatting.begin_table()
        elif name in _CELLS and not is_end:
            formatting.begin_cell()
        copies += max(0, formatting.copied - _USUALLY_OPEN)
        if copies > COPIES:
            return html[:start]
    return html
