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
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
USUALLY_OPEN: Final = 10  # formatting elements
PAIRS_IN_PAIRS: Final = 40  # so deep we look for ends that match; a page that a person wrote has some fifteen
FEW_TAGS: Final = 2 * DEEPEST  # a document with fewer cannot be worth a closer look
FEW_CHARACTERS: Final = 20_000  # likewise, for attributes

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([\s/]+[^\s/>])?")
_FORMATTING: Final = frozenset(
    ("b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)  # fmt: skip


def _spelled(name: str) -> str:
    """Spell out both cases: the engine then jumps from one "<" to the next, which it does not where case is ignored."""
    return "".join(f"[{letter}{letter.upper()}]" for letter in name)


def _one_of(patterns: Iterable[str], names: Iterable[str]) -> str:
    """Return a pattern for any of these, each of which begins with the name beside it."""
    return f"(?=[{''.join(sorted({_spelled(name[0])[1:-1] for name in names}))}])(?:{'|'.join(patterns)})"


_ANY_FORMATTING_NAME: Final = _one_of(map(_spelled, sorted(_FORMATTING)), _FORMATTING)
# Up to the next "<" at most, so that no character is looked at for more than one tag.
_REST_OF_TAG: Final = r"""(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*+>"""
# Formatting with attributes, but for what is closed again behind nothing but text and spans: that is never left open.
_VARIED_FORMATTING: Final = re.compile(
    rf"<({_ANY_FORMATTING_NAME})[\s/](?!{_REST_OF_TAG}(?:[^<]++|</?span(?:\s{_REST_OF_TAG}|>))*+</\1\s*+>)[\s/]*+[^\s/>]"
)
_ANY_FORMATTING: Final = re.compile(rf"<{_ANY_FORMATTING_NAME}(?![a-zA-Z0-9])")
_CELLS: Final = frozenset({"td", "th"})
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
# As most people write them, then any: the same, but sooner found.
_ATTRIBUTES: Final = f"""(?: [a-z-]++="[^"]*+")*+(?:{_ATTRIBUTE.replace("([^", "(?:[^")})*+"""
_TAG_WITH_ATTRIBUTES: Final = re.compile(rf"</?[a-zA-Z][^\s/>]*+{_ATTRIBUTES}")
_COMMENT: Final = "!--[^-]*+(?:-(?!->)[^-]*+)*+"
_COMMENT_OR_TAG: Final = re.compile(
    rf"<{_COMMENT}|<(/?)([a-zA-Z][a-zA-Z0-9]*+)(?=([\s/]++[^\s/>])?)[^\s/>]*+{_ATTRIBUTES}"
)
_TEXT: Final = ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")  # their markup is text
_END_OF_TEXT: Final = {name: re.compile(f"</{name}(?![^\\s/>])", re.IGNORECASE) for name in _TEXT}
_ANY_TEXT_ELEMENT: Final = _one_of(
    (
        rf"{_spelled(name)}(?![a-zA-Z0-9])[^\s/>]*+{_ATTRIBUTES}[^<]*+(?:<(?!(?i:/{name}(?![^\s/>])))[^<]*+)*+"
        for name in _TEXT
    ),
    _TEXT,
)
# Comments and text elements whole, without a name.
_NAMES_OUTSIDE: Final = re.compile(
    rf"<(?:{_COMMENT}|{_ANY_TEXT_ELEMENT}|(/?[a-zA-Z][a-zA-Z0-9]*+)[^\s/>]*+{_ATTRIBUTES})"
)
_PAIR: Final = re.compile("<([^/<>]++)></\\1>")
_NOT_NESTED: Final = frozenset(slash + name for name in (*_FLAT, *_TEXT) for slash in ("", "/")) | {""}
_FORMATTING_MARKS: Final = {
    slash + name: f"<{slash}{name}>" for name in _FORMATTING for slash in ("", "/")
} | dict.fromkeys(("table", "/table", *_CELLS), "|")
_ONE_ATTRIBUTE: Final = re.compile(_ATTRIBUTE)
_TAG_NAME: Final = re.compile(r"</?([^\s/>]++)")
# With these, other bytes than those of `<font` may come to mean it: UTF-16 and ISO-2022-JP.
_STATEFUL: Final = (b"\x00", b"\x1b")
_REMEMBERED: Final = 3
# Whole where it is clear where it ends; else only the name, which may be anything's.
_FORMATTING_START: Final = re.compile(
    rf"<{_ANY_FORMATTING_NAME}(?![a-zA-Z0-9])".encode()
    + rb"""(?:(?:\s++[\w:-]++(?:="[^"<>]*+"|=[\w#-]++)?+)*+\s*+>)?+"""
)


def is_quick(body: bytes) -> bool:
    """Return whether reading a page takes little time for certain, however its markup was made.

    The parser holds on to at most three formatting elements with the same name and attributes, and copies each at most
    once for every tag.
    """
    if body.startswith(b"PK\x03\x04") or b"%PDF-" in body[:1024]:  # a document, whose reader promises nothing
        return False
    tags = body.count(b"<")
    if len(body) > QUICK_BYTES or tags > QUICK_TAGS or any(code in body for code in _STATEFUL):
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
    if len(html) < FEW_CHARACTERS or _has_few_names(html):
        return html
    names: set[str] = set()
    counts: dict[str, int] = {}  # of the names in a tag, by its text: most tags were seen before
    steps = 0
    for tag in _TAG_WITH_ATTRIBUTES.finditer(html):
        text = tag[0]
        count = counts.get(text)
        if count is None:
            found = _names(text)
            names.update(found)
            count = counts[text] = len(found)
        steps += len(names) * count
        if count > MOST_ATTRIBUTES + 1 or steps > NAME_STEPS:
            return html[: tag.start()]
    return html


def _names(tag: str) -> list[str]:
    """Return the names in a tag: its own and those of its attributes."""
    lower = tag.lower()
    return [*_TAG_NAME.findall(lower)[:1], *_ONE_ATTRIBUTE.findall(lower)]


def _has_few_names(html: str) -> bool:
    """Return whether counts over all tags show that no tag has too many names, nor all tags together.

    Every name but that of the tag itself stands behind white space or a slash, and so takes two characters of the tag.
    The names of one tag are looked up together among all before and themselves: of `n`, each among `n / 2` on average,
    and among no more than differ.
    """
    tags = _TAG_WITH_ATTRIBUTES.findall(html)
    longest = 2 * MOST_ATTRIBUTES
    if max(map(len, tags), default=0) > longest and any(
        len(tag) > longest and len(_names(tag)) > MOST_ATTRIBUTES + 1 for tag in tags
    ):
        return False
    text = ">".join(tags)
    most = len(tags) + len(text.split()) + text.count("/") + 1
    if most * (most + MOST_ATTRIBUTES + 1) <= 2 * NAME_STEPS:
        return True
    text = ">".join(set(tags)).lower()
    return len({*_TAG_NAME.findall(text), *_ONE_ATTRIBUTE.findall(text)}) * most <= NAME_STEPS


_Seen: TypeAlias = tuple[int, bool, str, bool, int]
"""Something that looks like a tag: where it starts, whether it is an end, its name, whether it has attributes, and
where the comment, tag or script begins that it stands in; -1 outside of all."""


def _tags(html: str) -> Iterator[_Seen]:
    """Find all that looks like a tag."""
    end = 0
    search, find = _COMMENT_OR_TAG.search, html.find
    while (found := search(html, end)) is not None:
        begin, end = found.span()
        slash, name, attribute = found.groups()
        inner = begin + 1
        if name is not None:
            inner = found.start(3) if attribute else found.end(2)
            name = name.lower()
            yield begin, slash == "/", name, attribute is not None, -1
            if not slash and name in _END_OF_TEXT:
                close = _END_OF_TEXT[name].search(html, end)
                end = len(html) if close is None else close.start()
        if end - inner > 2 and find("<", inner, end) >= 0:
            for each in _TAG.finditer(html, inner, end):
                yield each.start(), bool(each[1]), each[2].lower(), each[3] is not None, begin


def _most_open(tags: str) -> int:
    """Return a number that is at no time exceeded by the elements open, given tags one after another: `<b><i></i>`.

    A start and an end of one name with nothing between them leave behind what was open before. So they are taken out,
    and then those that have come together, until there are none; only as deep as that, and as there are starts left,
    can anything be open.
    """
    for depth in range(PAIRS_IN_PAIRS):
        tags, pairs = _PAIR.subn("", tags)
        if not pairs:
            return depth + tags.count("<") - tags.count("</")
    return PAIRS_IN_PAIRS + tags.count("<") - tags.count("</")


def _names_outside(html: str) -> list[str]:
    """Return the names of all tags in lower case, empty ones for comments and text elements."""
    names = _NAMES_OUTSIDE.findall(html)
    return " ".join(names).lower().split(" ") if names else []


def _is_shallow(html: str) -> bool:
    """Return whether the tags that are closed show that the document is not too deep."""
    tags = html.count("<")
    names = _names_outside(html)
    nested = "".join([f"<{name}>" for name in names if name not in _NOT_NESTED])
    inside = tags - len(names)
    deepest = _most_open(nested) + inside + 1  # one for a text element
    return deepest <= DEEPEST and deepest * tags <= STEPS


def _is_closed(html: str) -> bool:
    """Return whether nearly all formatting is closed, in the cell that it was opened in."""
    marks = "".join(filter(None, map(_FORMATTING_MARKS.get, _names_outside(html))))
    inside = len(_ANY_FORMATTING.findall(html)) - (marks.count("<") - marks.count("</"))
    return _most_open(marks) + inside <= USUALLY_OPEN


def _up_to_depths(html: str) -> str:
    """Count what is open, by name. An end closes nothing that is not open, or was opened outside the table it is in."""
    if html.count("<") < FEW_TAGS or _is_shallow(html):
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
    tags = html.count("<")
    if tags * tags < COPIES or tags * len(_VARIED_FORMATTING.findall(html)) < COPIES or _is_closed(html):
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
        copies += max(0, formatting.copied - USUALLY_OPEN)
        if copies > COPIES:
            return html[:start]
    return html
