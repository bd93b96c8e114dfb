"""Bounds what the markup of a page can cost its parser.

The parser's time grows with the square of the depth, of the attributes of one tag, and of formatting that is left open:
a document of 0.8 MB that opens 160,000 elements and closes none takes it over a minute, one of 64 KB with a `<font>` of
another colour in every paragraph 12 s and 1.9 GB. So all are bounded. No page that a person wrote comes near the
limits; from where one is passed, a document is cut off.

Where a tag ends, only the parser knows for certain. So these limits save time and promise nothing; the promise is that
of `is_quick`, which counts every tag that may be one, and takes none for closed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Final

QUICK_BYTES: Final = 32_000
QUICK_TAGS: Final = 3000
QUICK_COPIES: Final = 100_000
"""Bounds of a page that is quick: of any markup within them, the parser makes a tree in a third of a second."""
DEEPEST: Final = 6000
STEPS: Final = 50_000_000  # depths of all tags together: a step takes some 8 ns, and a usual page has 100,000
MOST_ATTRIBUTES: Final = 500  # of one tag
COPIES: Final = 500_000  # of formatting elements that were left open; one takes 2 µs and 300 bytes
FEW_TAGS: Final = 2 * DEEPEST  # a document with fewer cannot be worth a closer look
FEW_CHARACTERS: Final = 20_000  # likewise, for attributes

_TAG: Final = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")
_TAG_AND_ATTRIBUTE: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([\s/]+[^\s/>])?")
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
_ATTRIBUTE: Final = r"""[\s/]++(?:[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+)?+)?+)?+"""
_TAG_WITH_ATTRIBUTES: Final = re.compile(rf"</?[a-zA-Z][^\s/>]*+(?:{_ATTRIBUTE})*+")
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

    Elements may nest only so deep, a tag may have only so many attributes, and formatting be left open only so often.
    """
    return _up_to_copies(_up_to_depths(_up_to_many_attributes(html)))


def _up_to_many_attributes(html: str) -> str:
    if len(html) < FEW_CHARACTERS:
        return html
    for tag in _TAG_WITH_ATTRIBUTES.finditer(html):
        start, end = tag.span()
        if end - start > 2 * MOST_ATTRIBUTES and len(_ONE_ATTRIBUTE.findall(tag[0])) > MOST_ATTRIBUTES:
            return html[:start]
    return html


def _up_to_depths(html: str) -> str:
    """Count what is open, by name. An end closes nothing that is not open, or was opened outside the table it is in."""
    if html.count("<") < FEW_TAGS:
        return html
    opened: defaultdict[str, list[int]] = defaultdict(list)  # for each, how many tables were open before it
    depth = steps = tables = 0
    for tag in _TAG.finditer(html):
        name = tag[1].lower()
        if name in _FLAT:
            pass
        elif html[tag.start() + 1] != "/":
            opened[name].append(tables)
            depth += 1
            tables += name == "table"
        elif opened[name] and (name == "table" or opened[name][-1] >= tables):
            before = opened[name].pop()
            tables = before if name == "table" else tables
            depth -= 1
        steps += depth
        if depth > DEEPEST or steps > STEPS:
            return html[: tag.start()]
    return html


def _up_to_copies(html: str) -> str:
    """Count the copies of formatting elements that the parser makes: of all that were left open, in every block.

    Of elements without attributes it remembers few, and at the end of a cell of a table it forgets those of the cell.
    """
    if len(_VARIED_FORMATTING.findall(html)) * html.count("<") < COPIES:
        return html
    plain: Counter[str] = Counter()
    varied: Counter[str] = Counter()
    is_in_table = False
    open_count = copies = 0
    for tag in _TAG_AND_ATTRIBUTE.finditer(html):
        end, name, attribute = tag[1], tag[2].lower(), tag[3]
        is_in_table |= name == "table"
        if name in _CELLS and is_in_table:
            varied.clear()
            open_count = 0
        elif name in _FORMATTING and not end:
            (varied if attribute else plain)[name] += 1
            open_count += bool(attribute)
        elif name in _FORMATTING and plain[name]:
            plain[name] -= 1
        elif name in _FORMATTING and varied[name]:
            varied[name] -= 1
            open_count -= 1
        copies += max(0, open_count - _USUALLY_OPEN)
        if copies > COPIES:
            return html[: tag.start()]
    return html
