"""Wikitext to HTML with the links still open: their targets are titles, which only the whole dump can resolve.

The converter works on the whole text at a time, with one regular expression for each kind of markup, in this order:
comments, what is quoted literally, footnotes, links from the innermost outwards, web addresses, templates from the
innermost outwards, tags; then the lines become headings, lists, tables and paragraphs. Every expression is linear in
the text, however broken.

- A template is left out, because its definition is elsewhere. Its arguments that hold links follow at the page's end.
- Footnotes, formulas, time lines and bare web addresses are left out: they are no prose.
- A category is a label. Neither its name nor any link to one is left in the text, wherever it stood.

`docs/decisions/wikitext.md` compares this with mwparserfromhell.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.wiki.titles import CATEGORIES, MAX_TITLE_BYTES, LinkKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from honeyguide.worlds.wiki.titles import LinkTarget, TitleRules

_LIST_MARKS: Final = "*#:;"
_MOST_TABLES: Final = 40  # inside one another


def write_blocks(text: str, asides: Sequence[str]) -> str:
    """Return the text as HTML, and after it a list of what templates had to say."""
    writer = _BlockWriter()
    for line in text.split("\n"):
        writer.write(line)
    writer.end_table(all_open=True)
    for aside in asides:
        writer.item(" ".join(aside.split()))
    writer.end_block()
    return "\n".join(writer.html)


class _BlockWriter:
    """Writes one line after another. At most one paragraph or list is open; tables may be nested."""

    def __init__(self) -> None:
        self.html: list[str] = []
        self._paragraph: list[str] = []
        self._is_in_list = False
        self._open_tables = 0

    def write(self, line: str) -> None:
        stripped = line.strip()
        mark = stripped[:1]
        if not stripped:
            self.end_block()
        elif mark == "=" and stripped[-1] == "=" and len(stripped) > 2:
            self._heading(stripped)
        elif mark in _LIST_MARKS and line[0] == mark and not stripped.lstrip(": ").startswith("{|"):
            self.item(stripped.lstrip(_LIST_MARKS).strip())
        elif mark in "{:" and stripped.lstrip(": ").startswith("{|"):
            self._start_table()
        elif self._open_tables and mark in "|!":
            self._table_line(stripped)
        elif stripped.startswith("----"):
            self.end_block()
        else:
            if self._is_in_list:
                self.end_block()
            self._paragraph.append(stripped)

    def item(self, text: str) -> None:
        if not self._is_in_list:
            self.end_block()
            self.html.append("<ul>")
            self._is_in_list = True
        if text:
            self.html.append(f"<li>{text}</li>")

    def end_block(self) -> None:
        if self._is_in_list:
            self.html.append("</ul>")
            self._is_in_list = False
        if self._paragraph:
            self.html.append(f"<p>{' '.join(self._paragraph)}</p>")
            self._paragraph.clear()

    def end_table(self, *, all_open: bool = False) -> None:
        self.end_block()
        closed = self._open_tables if all_open else min(1, self._open_tables)
        self.html += ["</table>"] * closed
        self._open_tables -= closed

    def _heading(self, stripped: str) -> None:
        self.end_block()
        text = stripped.strip("=").strip()
        level = min(6, max(2, len(stripped) - len(stripped.lstrip("="))))
        if text:
            self.html.append(f"<h{level}>{text}</h{level}>")

    def _start_table(self) -> None:
        """Its first line holds attributes alone."""
        self.end_block()
        if self._open_tables < _MOST_TABLES:
            self.html.append("<table>")
            self._open_tables += 1

    def _end_tables(self, stripped: str) -> None:
        """End one table for each mark; the rest is text."""
        while self._open_tables and stripped.startswith("|}"):
            self.end_table()
            stripped = stripped[2:].lstrip()
        if stripped:
            self._paragraph.append(stripped)

    def _table_line(self, stripped: str) -> None:
        self.end_block()
        if stripped.startswith("|}"):
            self._end_tables(stripped)
        elif stripped.startswith("|-"):
            self.html.append("<tr>")
        elif stripped.startswith("|+"):
            self.html.append(f"<caption>{_cell_content(stripped[2:])}</caption>")
        else:
            tag = "th" if stripped[0] == "!" else "td"
            cells = (stripped.replace("!!", "||") if tag == "th" else stripped)[1:].split("||")
            self.html += [f"<{tag}>{_cell_content(cell)}" for cell in cells]


def _cell_content(text: str) -> str:
    """Return the content of a cell; what stands before a single bar are its attributes."""
    attributes, bar, content = text.partition("|")
    return (content if bar and "\x02" not in attributes else text).strip()


LINK_START, LINK_ANCHOR, LINK_END = "\x02", "\x03", "\x04"
"""Around an open link: its number among the page's targets, then its anchor. XML has no way to write these."""

_MOST_NESTING: Final = 40
_TARGETS_REMEMBERED: Final = 1 << 16

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LITERAL = re.compile(
    r"<(nowiki|pre|source|syntaxhighlight)\b[^<>]*>([^<]*(?:<(?!/?\1\b)[^<]*)*)</\1\s*>", re.IGNORECASE
)
_GALLERY = re.compile(r"<(gallery)\b[^<>]*>([^<]*(?:<(?!/?gallery\b)[^<]*)*)</gallery\s*>", re.IGNORECASE)
_NO_PROSE = re.compile(
    r"<(ref|math|timeline|hiero|score|imagemap|graph|templatedata|mapframe|maplink|chem|ce|includeonly|inputbox|categorytree)"
    r"(?:\s[^<>]*?)?(?:/>|>[^<]*(?:<(?!/?\1\b)[^<]*)*</\1\s*>)",
    re.IGNORECASE,
)
_ESCAPES = {ord(letter): f"&#{ord(letter)};" for letter in "[]{}|'=*#:;<_!"} | {ord("\n"): " "}
_IN_ANCHOR = {ord("|"): "&#124;", ord("\n"): " "}  # no line and no cell of a table ends inside a link
_LINK = re.compile(
    r"\[\[((?>[^\[\]]*(?:\[(?!\[)[^\[\]]*\][^\[\]]*)*))\]\]"
    "([a-zß-öø-ÿāăąćčďđēęěğģīįıķłļľńņňōőœřśşšťţūůűųźżžα-ωά-ώа-яёєіїґў]*)"
)
_EXTERNAL = re.compile(
    r"\[(?>(?:(?:https?|ftps?|irc|news|gopher|mailto):|(?=//))[^\s\[\]<>\"]*)[ \t]*([^\[\]\n]*)\]", re.IGNORECASE
)
# A literal start lets the search skip ahead: ten times as fast as any alternative to it.
_BARE_ADDRESS = re.compile(r"http(?:s?://[^\s\[\]<>\"|}\x02-\x04]+)")
_TEMPLATE = re.compile(r"\{\{((?>[^{}]*(?:\{(?!\{)[^{}]*\}(?!\})[^{}]*)*))\}\}")
_UNMATCHED_BRACES = re.compile(r"\{{2,}|\}{2,}")
_SWITCH = re.compile(r"__[A-Z]{3,}__")
_INLINE_TAG = re.compile(
    r"</?(?:abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|noinclude|nowiki|onlyinclude|q|rb|rp|rt|ruby|s|samp"
    r"|section|small|span|strike|strong|sub|sup|tt|u|var|wbr)(?:[\s/][^<>]*)?>",
    re.IGNORECASE,
)
_BLOCK_TAG = re.compile(
    r"</?(?:blockquote|br|caption|center|dd|div|dl|dt|gallery|h[1-6]|hr|li|ol|p|poem|pre|ref|references|table|tbody|td|th|tr"
    r"|ul)(?:[\s/][^<>]*)?>",
    re.IGNORECASE,
)
_FILE_OPTION = re.compile(
    r"(?:thumb|thumbnail|frame|framed|frameless|border|left|right|center|none|upright|baseline|middle|top|bottom|sub|super"
    r"|(?:alt|link|lang|page|class|upright|thumb)\s*=.*|\d*x?\d+\s*px)\Z",
    re.IGNORECASE | re.DOTALL,
)
_PIPE_TRICK = re.compile(r"\A:?(?:[^:|]*:)?(.*?)(?:\s*\([^()]*\)|, .*)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ConvertedArticle:
    """An article without its markup. `html` has open links that number `targets`, which are distinct titles."""

    html: str
    targets: tuple[str, ...]
    categories: tuple[str, ...]  # in order, each once; labels, never shown
    dropped_links: Mapping[str, int]  # how many led elsewhere than to an article, by the kind of place


class Converter:
    """Converts the wikitext of one wiki."""

    def __init__(self, rules: TitleRules) -> None:
        self._target = lru_cache(_TARGETS_REMEMBERED)(rules.target)
        names = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in rules.names_of(CATEGORIES))
        # What is no well-formed link to a category, and would leave its name standing.
        self._stray_category = re.compile(
            rf"\[\[[\s:]*(?:{names})\s*:[^\]\n]*\]*|\[(?>[^\s\[\]]*?(?:{names})(?::|%3A)[^\[\]\n]*)\]", re.IGNORECASE
        )
        self._category_names = re.compile(rf"(?:{names})\s*(?::|%3A)", re.IGNORECASE)

    def convert(self, wikitext: str) -> ConvertedArticle:
        """Return the article that `wikitext` describes. Never fails: what is broken is shown as text."""
        reading = _Reading(self._target)
        text = wikitext
        if "<" in text:
            text = _NO_PROSE.sub(" ", self._escape_literals(_COMMENT.sub("", text)))
        text = reading.open_links(text)
        if self._category_names.search(text):
            text = self._stray_category.sub("", text)
        text = _BARE_ADDRESS.sub("", _EXTERNAL.sub(r"\1", text))
        text = _strip_tags(reading.drop_templates(text))
        return ConvertedArticle(
            html=write_blocks(text, [_strip_tags(aside) for aside in reading.asides]),
            targets=tuple(reading.number_by_title),
            categories=tuple(reading.categories),
            dropped_links=reading.dropped,
        )

    def _escape_literals(self, text: str) -> str:
        """Escape what is quoted literally, so that no later expression takes it for markup."""

        def escaped(match: re.Match[str]) -> str:
            return self._stray_category.sub("", match[2]).translate(_ESCAPES)

        return _GALLERY.sub(_gallery_captions, _LITERAL.sub(escaped, text))


class _Reading:
    """Collects links, labels and asides while one article is read."""

    def __init__(self, target: Callable[[str], LinkTarget]) -> None:
        self._target = target
        self.number_by_title: dict[str, int] = {}
        self.categories: dict[str, None] = {}
        self.dropped: Counter[str] = Counter()
        self.asides: list[str] = []

    def open_links(self, text: str) -> str:
        """Replace every link by its text. A file's caption may hold links, so it is read after them."""
        for _ in range(_MOST_NESTING):
            text, count = _LINK.subn(self._open_link, text)
            if not count:
                break
        return text

    def drop_templates(self, text: str) -> str:
        for _ in range(_MOST_NESTING):
            text, count = _TEMPLATE.subn(self._drop_template, text)
            if not count:
                break
        return text

    def _open_link(self, match: re.Match[str]) -> str:
        """Return the text for a link. Called a hundred times a page: the commonest kind comes first."""
        content, trail = match.groups()
        written, pipe, anchor = content.partition("|")
        target = self._target(written)
        if LINK_START in content and target.kind is not LinkKind.FILE:
            return f"{anchor}{trail}"  # a link around a link is none
        if target.kind is LinkKind.ARTICLE:
            number = self.number_by_title.setdefault(target.title, len(self.number_by_title))
            shown = anchor if anchor and not anchor.isspace() else _default_anchor(written, is_piped=bool(pipe))
            if "|" in shown or "\n" in shown:
                shown = shown.translate(_IN_ANCHOR)
            return f"{LINK_START}{number}{LINK_ANCHOR}{shown}{trail}{LINK_END}"
        return self._open_other_link(target, content, trail)

    def _open_other_link(self, target: LinkTarget, content: str, trail: str) -> str:
        """Return the text for a link that leads to no article."""
        match target.kind:
            case LinkKind.ADDRESS:
                return f"[{content}]{trail}"
            case LinkKind.CATEGORY:
                if not target.is_mention and target.title:
                    self.categories[target.title] = None
                shown = ""
            case LinkKind.FILE:
                shown = f" {_file_caption(content)} "
            case LinkKind.LANGUAGE:
                shown = ""
            case _:
                written, _, anchor = content.partition("|")
                shown = anchor or written.strip().lstrip(":#")
        self.dropped[target.kind.value] += 1
        return shown + trail

    def _drop_template(self, match: re.Match[str]) -> str:
        if LINK_START in match[1]:
            self.asides += [_name_argument(part) for part in match[1].split("|") if LINK_START in part]
        return ""


def _strip_tags(text: str) -> str:
    """Text without emphasis, switches, tags, and braces that nothing closes; what else looks like a tag is text."""
    text = text.replace("'''", "").replace("''", "")
    if "{{" in text or "}}" in text:
        text = _UNMATCHED_BRACES.sub("", text)
    if "__" in text:
        text = _SWITCH.sub("", text)
    if "<" in text:
        text = _BLOCK_TAG.sub(" ", _INLINE_TAG.sub("", text)).replace("<", "&lt;")
    return text


def _gallery_captions(match: re.Match[str]) -> str:
    """Return the captions of a gallery; each line names a file first."""
    return "\n".join(f"\n{line.partition('|')[2]}" for line in match[2].split("\n"))


def _file_caption(content: str) -> str:
    """Return the caption of a file: the last part that is no option."""
    parts = [part.strip() for part in _TEMPLATE.sub("", content).split("|")[1:]]
    return next((part for part in reversed(parts) if not _FILE_OPTION.match(part)), "")


def _default_anchor(written: str, *, is_piped: bool) -> str:
    """Return the text of a link without an anchor: its title, after a bar without namespace and disambiguation."""
    found = _PIPE_TRICK.match(written[:MAX_TITLE_BYTES]) if is_piped else None
    return found[1] if found is not None else written.strip().lstrip(":")


def _name_argument(argument: str) -> str:
    """Return an argument of a template as "name: value"."""
    name, equals, value = argument.partition("=")
    if not equals or LINK_START in name:
        return argument.strip()
    return f"{name.strip().replace('_', ' ')}: {value.strip()}"
