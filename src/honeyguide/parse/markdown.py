"""The main content of an HTML page as Markdown: headings, lists, tables, code, quotes, links, images with their text.

Formulas in TeX, as MathJax and MathML have them, are code between dollars or in a block `math`, as GitHub reads it.

What is main content is decided as for the judge (`boilerplate`): what stands outside is left out; when nothing would be
left, the whole page is written. Links are resolved and written as the crawl writes URLs. Only http and https come out
as links, and text is escaped, so that no markup of a stranger comes alive.

Recursion goes so deep and no deeper; what nests deeper is written as plain text. So time and memory grow with the page.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from honeyguide.errors import InvalidUrl
from honeyguide.model import Url
from honeyguide.parse.boilerplate import CANDIDATES, Boilerplate, menus_beside_text
from honeyguide.parse.html import cut_before_first_paragraph
from honeyguide.parse.links import base_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from honeyguide.parse.links import PageRules

_INVISIBLE: Final = (
    "script, style, noscript, svg, iframe, noframes, template, button, input, textarea, dialog, [hidden]"
)
_DEEPEST: Final = 150  # elements within elements
_DEEPEST_LIST: Final = 12  # lists within lists, which are indented
_WIDEST_TABLE: Final = 100  # columns
_BREAK: Final = "\x1e"  # stands for a line break until a paragraph is whole
_SELF_LINKS: Final = frozenset(("¶", "#", "§", "🔗", "\uf0c1", ""))  # texts of links from a heading to itself
_BOLD: Final = frozenset(("b", "strong"))
_ITALIC: Final = frozenset(("em", "i", "cite", "dfn"))
_CODE: Final = frozenset(("code", "kbd", "samp", "tt"))
_INLINE: Final = frozenset(
    (
        "a", "abbr", "acronym", "bdi", "bdo", "big", "data", "del", "font", "img", "ins", "label", "mark", "math",
        "nobr", "q", "rb", "rp", "rt", "ruby", "s", "small", "span", "strike", "sub", "sup", "time", "u", "var", "wbr",
    )
) | _BOLD | _ITALIC | _CODE  # fmt: skip
_BLOCKS: Final = (
    "address, article, aside, blockquote, dd, details, div, dl, dt, fieldset, figure, form, h1, h2, h3, h4, h5, h6, hr,"
    " li, main, ol, p, pre, section, table, ul"
)
_LANGUAGE: Final = re.compile(r"(?:^|\s)(?:language|lang|highlight(?:-source)?)-([\w+#-]+)")
_NO_LANGUAGE: Final = frozenset(("default", "none", "text", "plaintext", "notranslate"))
_SPECIAL: Final = re.compile(r"[*`\[\]]|(?<![^\W_])_|_(?![^\W_])|<(?![\s\d=])|~(?=~)|(?<=~)~|\\(?=[!-/:-@\[-`{-~]|$)")
_REFERENCE: Final = re.compile(r"&(?=#?\w*(?:;|$))")
# At the beginning of a line: headings, lists, quotes, rules, numbers of lists.
_SPECIAL_FIRST: Final = re.compile(r"^(\s*)([#+=>-]|\d{1,9}(?=[.)]))")


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as it is, on one line."""
    return _escape_first(_escape_within(" ".join(text.split())))


def _escape_within(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", _REFERENCE.sub("&amp;", text.replace(_BREAK, " ")))


def _escape_first(line: str) -> str:
    return _SPECIAL_FIRST.sub(lambda found: found[1] + _escaped_mark(found[2]), line)


def _escaped_mark(mark: str) -> str:
    return mark + "\\" if mark.isdigit() else "\\" + mark


def plain_markdown(text: str) -> str:
    """Return a plain text with its line breaks and indentation, as a block of code has them."""
    return "\n\n".join(_code_block(text, ""))


def main_markdown(tree: LexborHTMLParser, url: Url, rules: PageRules) -> str:
    """Return the main content of the page at `url`. Changes the tree: what no reader sees is taken out."""
    base = tree.css_first("base[href]")
    links_from = base_of(url, "" if base is None else base.attributes["href"] or "")
    for node in tree.css(_INVISIBLE):
        node.decompose(recursive=False)
    body = tree.body
    if body is None or (rules.from_first_paragraph and not cut_before_first_paragraph(body)):
        return ""
    roots, left_out = _main_part(body)
    return _written(roots, left_out, links_from, url) or _written([body], frozenset(), links_from, url)


def _main_part(body: LexborNode) -> tuple[list[LexborNode], frozenset[int]]:
    """Return the elements that hold the main content, and those within them that are none of it."""
    boilerplate = Boilerplate()
    for node in body.css(CANDIDATES):
        boilerplate.look_at(node, node.tag, node.attributes)
    left_out = boilerplate.elements
    if not boilerplate.main_elements:
        left_out += menus_beside_text(body, len(body.css("a[href]")), len(body.text()))
    return boilerplate.main_elements or [body], frozenset(node.mem_id for node in left_out)


def _written(roots: Iterable[LexborNode], left_out: frozenset[int], base: Url, url: Url) -> str:
    writer = _Writer(left_out, base, url)
    return "\n\n".join(block for root in roots for block in writer.blocks(root, 0))


class _Writer:
    """Writes elements, but for those left out. A block is the Markdown of a paragraph, a heading, or a list."""

    def __init__(self, left_out: frozenset[int], base: Url, page: Url) -> None:
        """Links are relative to `base`. A link to the page itself is written as its text."""
        self._left_out = left_out
        self._base = base
        self._page = page
        self._list_depth = 0
        self._blocks: dict[str, Callable[[LexborNode, int], list[str]]] = {
            **{f"h{level}": self._heading for level in range(1, 7)},
            "blockquote": self._quote, "dl": self._list, "hr": lambda *_: ["---"], "ol": self._list,
            "pre": self._code, "table": self._table, "ul": self._list, "menu": self._list,
        }  # fmt: skip

    def blocks(self, node: LexborNode, depth: int) -> list[str]:
        """Return what is in an element."""
        if depth > _DEEPEST:
            return _paragraph(_escape_within(node.text()))
        found: list[str] = []
        run: list[str] = []  # of text and inline elements
        for child in node.iter(include_text=True):
            tag = child.tag or ""
            if tag == "br" or self._is_inline(child, tag):
                run.append(self._inline(child, tag, depth))
            elif not self._is_left_out(child, tag):
                found += _paragraph("".join(run))
                run = []
                formula = "" if tag == "p" else _tex_in(child)  # a paragraph that begins so may be about them
                write = self._blocks.get(tag, self.blocks)
                found += _code_block(formula, "math") if formula else write(child, depth + 1)
        return found + _paragraph("".join(run))

    def _is_left_out(self, node: LexborNode, tag: str) -> bool:
        return tag.startswith(("-", "!")) or node.mem_id in self._left_out

    def _is_inline(self, node: LexborNode, tag: str) -> bool:
        if tag == "-text":
            return True
        if tag not in _INLINE or node.mem_id in self._left_out:
            return False
        return tag == "a" or node.child is None or node.css_first(_BLOCKS) is None

    def _inline(self, node: LexborNode, tag: str, depth: int) -> str:  # noqa: PLR0911 - one for each kind
        """Return an element as part of a line; blocks within it are joined by spaces."""
        if tag == "-text":
            return _escape_within(node.text_content or "")
        if tag == "br":
            return _BREAK
        if tag == "img":
            return self._image(node)
        if tag in _CODE or tag == "pre":
            return _code_span(node.text())
        formula = (node.attributes.get("alttext") or node.text()) if tag == "math" else _tex_in(node)
        if formula:
            return f"${_code_span(formula)}$"
        text = self._line(node, depth)
        if tag == "a":
            return self._link(node, text)
        mark = "**" if tag in _BOLD else "*" if tag in _ITALIC else ""
        return _marked(text, mark) if mark else text

    def _line(self, node: LexborNode, depth: int) -> str:
        if depth > _DEEPEST:
            return _escape_within(node.text())
        pieces = []
        for child in node.iter(include_text=True):
            tag = child.tag or ""
            if tag == "-text" or not self._is_left_out(child, tag):
                space = "" if tag in _INLINE or tag in ("-text", "br") else " "
                pieces += [space, self._inline(child, tag, depth + 1), space]
        return "".join(pieces)

    def _link(self, node: LexborNode, text: str) -> str:
        text = text.replace(_BREAK, " ")
        href = node.attributes.get("href")
        if href is None:
            return text
        shown = text.strip()
        if shown in _SELF_LINKS or shown.replace("\\", "") in _SELF_LINKS:
            return " "
        target = self._address(href)
        return text if target is None else _around(text, "[", f"]({target})")

    def _image(self, node: LexborNode) -> str:
        text = _escape_within(" ".join((node.attributes.get("alt") or "").split()))
        target = self._address(node.attributes.get("src") or "") if text else None
        return text if target is None else f"![{text}]({target})"

    def _address(self, written: str) -> str | None:
        try:
            address = Url.parse(written, self._base)
        except InvalidUrl:
            return None
        if address == self._page:
            return None
        return f"<{address.text}>" if re.search(r"[()]", address.text) else address.text

    def _heading(self, node: LexborNode, depth: int) -> list[str]:
        text = " ".join(self._line(node, depth).replace(_BREAK, " ").split())
        return [f"{'#' * int((node.tag or 'h1')[1])} {text}"] if text else []

    def _quote(self, node: LexborNode, depth: int) -> list[str]:
        if self._list_depth >= _DEEPEST_LIST:
            return self.blocks(node, depth)
        self._list_depth += 1
        inner = "\n\n".join(self.blocks(node, depth))
        self._list_depth -= 1
        return ["\n".join(f"> {line}".rstrip() for line in inner.split("\n"))] if inner else []

    def _code(self, node: LexborNode, _depth: int) -> list[str]:
        return _code_block(node.text(), _language(node))

    def _list(self, node: LexborNode, depth: int) -> list[str]:
        if self._list_depth >= _DEEPEST_LIST:
            return self.blocks(node, depth)
        self._list_depth += 1
        items: list[str] = []
        number = _number(node.attributes.get("start"), 1)
        for child in _items(node):
            if self._is_left_out(child, child.tag or ""):
                continue
            blocks = self._blocks.get(child.tag or "", self.blocks)(child, depth + 1)
            if child.tag == "dd" and items and blocks:
                items[-1] += _indented("\n\n" + "\n\n".join(blocks), 2)
            elif blocks:
                mark = f"{number + len(items)}. " if node.tag == "ol" else "- "
                items.append(mark + _indented(_item(blocks), len(mark)))
        self._list_depth -= 1
        return [("\n\n" if any("\n\n" in item for item in items) else "\n").join(items)] if items else []

    def _table(self, node: LexborNode, depth: int) -> list[str]:
        """Return a table, or what is in it where it is there for the layout."""
        has_header = node.css_first("th") is not None
        blocks = "table table, h1, h2, h3, td.linenos" if has_header else "table table, h1, h2, h3, pre, ul, ol, dl"
        if node.attributes.get("role") == "presentation" or node.css_first(blocks) is not None:
            return self.blocks(node, depth)
        rows = [cells for row in node.css("tr") if any(cells := self._cells(row, depth))]
        width = max(map(len, rows), default=0)
        if not (1 if has_header else 2) <= width <= _WIDEST_TABLE:
            return self.blocks(node, depth)
        caption = node.css_first("caption")
        rows = [row + [""] * (width - len(row)) for row in rows]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "|" + " --- |" * width)
        above = [] if caption is None else _paragraph(self._line(caption, depth))
        return [*above, "\n".join(lines)]

    def _cells(self, row: LexborNode, depth: int) -> list[str]:
        cells: list[str] = []
        for cell in row.iter():
            if cell.tag in ("td", "th"):
                text = " ".join(self._line(cell, depth + 2).replace(_BREAK, " ").split())
                further = _number(cell.attributes.get("colspan"), 1) - 1
                cells += [text.replace("|", "\\|"), *[""] * min(further, _WIDEST_TABLE)]
        return cells


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 5 else otherwise


def _paragraph(text: str) -> list[str]:
    """Return inline text as a block of lines; none where nothing is in it."""
    lines = [" ".join(line.split()) for line in text.split(_BREAK)]
    return ["\\\n".join(map(_escape_first, filter(None, lines)))] if any(lines) else []


def _code_block(text: str, language: str) -> list[str]:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return [f"{fence}{language}\n{text}\n{fence}"] if text.strip() else []


def _around(text: str, before: str, after: str) -> str:
    """Put marks around the words of a text; the spaces at its ends stay outside."""
    inner = text.strip()
    if not inner:
        return text
    start = len(text) - len(text.lstrip())
    return f"{text[:start]}{before}{' '.join(inner.split())}{after}{text[start + len(inner) :]}"


def _marked(text: str, mark: str) -> str:
    return text if _BREAK in text or text.strip().startswith("*") else _around(text, mark, mark)


def _code_span(text: str) -> str:
    code = " ".join(text.replace(_BREAK, " ").split())
    if not code:
        return text and " "
    ticks = "`" * (1 + max(map(len, re.findall("`+", code)), default=0))
    space = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{ticks}{space}{code}{space}{ticks}"


def _tex_in(node: LexborNode) -> str:
    """Return the TeX of an element that is a formula between the marks of MathJax and KaTeX; of others nothing."""
    first = node.child
    if first is None or first.tag != "-text" or not (first.text_content or "").lstrip().startswith(("\\(", "\\[")):
        return ""
    text = node.text().strip()
    return text[2:-2].strip() if text.endswith(("\\)", "\\]")) and text.count(text[:2]) == 1 else ""


def _language(pre: LexborNode) -> str:
    """Return the language of a code block, where a class of the block, the code in it or what is around names one."""
    inner, parent = pre.css_first("code"), pre.parent
    around = None if parent is None else parent.parent
    for node in (pre, inner, parent, around):
        found = None if node is None else _LANGUAGE.search(node.attributes.get("class") or "")
        if found is not None and found[1] not in _NO_LANGUAGE:
            return found[1]
    return ""


def _items(node: LexborNode) -> Iterable[LexborNode]:
    """Return the elements of a list; those of a definition list may stand in a `div`."""
    for child in node.iter():
        if node.tag == "dl" and child.tag == "div":
            yield from child.iter()
        else:
            yield child


def _item(blocks: list[str]) -> str:
    """Join the blocks of a list item; a list follows its line at once."""
    text = blocks[0]
    for before, block in pairwise(blocks):
        is_sublist = block.startswith(("- ", "1. ")) and "\n\n" not in block and "\n" not in before
        text += ("\n" if is_sublist else "\n\n") + block
    return text


def _indented(text: str, spaces: int) -> str:
    return re.sub(r"\n(?=[^\n])", "\n" + " " * spaces, text)
