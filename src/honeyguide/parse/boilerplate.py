"""Parts of a page that are not its subject: navigation, site headers, footers, sidebars, menus.

Elements and roles made for it decide first. Older pages only have names, so a class or id that is built from
navigation words and nothing else counts too: `site-footer` does, `has-sidebar` and `restaurant-menu` do not. Where a
page marks its main content, nothing that holds it is boilerplate, and all that stands outside is.

Some menus have no name: blocks of links beside the text. From the body inwards, as long as one element holds nearly all
the words that are not links, the elements beside it that consist of links are menus. Where the text is spread over
several elements it has been reached, and a list of links there is part of it. So is a list that is longer than the
text: such a page may be there for its links.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from honeyguide.text.tokens import WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from selectolax.lexbor import LexborNode

CANDIDATES: Final = (
    "main, nav, header, footer, aside, select, [role]:not(a, area, img),"
    "div[class], div[id], section[class], section[id], ul[class], ul[id], table[class], table[id], p[class]"
)
"""Selects every element that `Boilerplate` wants to be shown."""

_ELEMENTS = frozenset({"nav", "footer", "aside", "select"})
_ROLES = frozenset({"banner", "complementary", "contentinfo", "menu", "menubar", "navigation", "search"})
_CONTENT_ELEMENTS = frozenset({"main", "article"})

_KIND = (
    "nav|navbar|navigation|navheader|navfooter|navlinks|menu|menubar|sidebar|sphinxsidebar|footer|site-?header|masthead"
    "|breadcrumbs?|pagination|pager|cookies?"
)
_WHICH = "site|page|main|global|primary|secondary|top|bottom|left|right|side|header|footer|mobile|local|sub|prev-?next"
_PART = "bar|banner|block|bottom|consent|container|inner|left|links?|list|menu|nav|notice|right|top|wrap|wrapper"
_NAME = re.compile(
    rf"(?:^|\s)(?:(?:{_WHICH})[-_]?)?(?:{_KIND})(?:[-_]?(?:{_PART}))?(?=\s|$)",
    re.IGNORECASE,
)
# Boxes of text within an article are called so too; a site's sidebar has at least this share of its words in links.
_TEXT_BOX = "sidebar"
_LINKED_SHARE = 0.25
_BOXES_READ = 20  # a bound for the same reason as the next
# Deeper than any page that means it; a bound because nesting is in the hands of the page.
_ANCESTORS_LOOKED_AT = 50


class Boilerplate:
    """Collects the boilerplate of one document, from its candidates in document order."""

    def __init__(self) -> None:
        self._found_by_id: dict[int, LexborNode] = {}
        self._main_by_id: dict[int, LexborNode] = {}
        self._boxes_read = 0

    @property
    def elements(self) -> list[LexborNode]:
        return list(self._found_by_id.values())

    @property
    def main_elements(self) -> list[LexborNode]:
        """Return what the page marks as its main content, none inside another; outside them all is boilerplate."""
        return list(self._main_by_id.values())

    def look_at(self, node: LexborNode, tag: str | None, attributes: Mapping[str, str | None]) -> None:
        """Take note of a candidate, which has this tag and these attributes."""
        if tag == "main" or attributes.get("role") == "main":
            around = [above.mem_id for above in ancestors_of(node)]
            for above in around:
                self._found_by_id.pop(above, None)
            if not any(above in self._main_by_id for above in around):
                self._main_by_id[node.mem_id] = node
        elif self._is_boilerplate(node, tag, attributes):
            self._found_by_id[node.mem_id] = node

    def _is_boilerplate(self, node: LexborNode, tag: str | None, attributes: Mapping[str, str | None]) -> bool:
        if tag in _ELEMENTS or attributes.get("role") in _ROLES:
            return True
        if tag == "header":
            return not any(above.tag in _CONTENT_ELEMENTS for above in ancestors_of(node))
        if _NAME.search(attributes.get("id") or ""):
            return True
        named = _NAME.search(attributes.get("class") or "")
        return named is not None and not (named[0].strip().lower() == _TEXT_BOX and self._is_text(node))

    def _is_text(self, box: LexborNode) -> bool:
        self._boxes_read += 1
        if self._boxes_read > _BOXES_READ:
            return False
        linked_words = sum(len(link.text().split()) for link in box.css("a[href]"))
        return linked_words < _LINKED_SHARE * len(box.text().split())


def ancestors_of(node: LexborNode) -> Iterator[LexborNode]:
    """Return the elements around `node`, innermost first, up to a bound."""
    return islice(_all_ancestors_of(node), _ANCESTORS_LOOKED_AT)


def _all_ancestors_of(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


_HOLDERS: Final = frozenset({"article", "center", "div", "font", "form", "section", "table", "tbody", "td", "tr"})
_NEARLY_ALL: Final = 0.9
_FEWEST_WORDS: Final = 50  # outside links, in what is taken for the text
_MENU_LINKS: Final = 5  # at least
_MENU_SHARE: Final = 0.7  # of a menu's words, at least, are links
_CHARACTERS_PER_LINK: Final = 60  # a page with more than that has no menu worth looking for
_LEVELS: Final = 8  # looked at; the page is read once for each
_WRAPPINGS: Final = 50  # around a level


@dataclass(frozen=True, slots=True)
class _Part:
    """An element, how much of it is links, and the number of its first link on the page."""

    node: LexborNode
    words: int
    linked_words: int
    links: int
    first_link: int

    @property
    def own_words(self) -> int:
        return self.words - self.linked_words

    def is_menu_beside(self, text: _Part) -> bool:
        is_of_links = self.links >= _MENU_LINKS and self.linked_words >= _MENU_SHARE * self.words
        return is_of_links and self.words <= text.own_words


def menus_beside_text(body: LexborNode, links: int, characters: int) -> list[LexborNode]:
    """Return the unnamed menus of a page with so many links and so much text that does not mark its main content."""
    if characters > _CHARACTERS_PER_LINK * links:
        return []
    linked_before = _linked_before(body)
    menus: list[LexborNode] = []
    level, first_link = body, 0
    for _ in range(_LEVELS):
        level = _unwrapped(level)
        parts = _parts(level, first_link, linked_before)
        text = _text_among(parts)
        if text is None:
            break
        menus += [part.node for part in parts if part is not text and part.is_menu_beside(text)]
        level, first_link = text.node, text.first_link
    return menus


def _linked_before(body: LexborNode) -> list[int]:
    """Count the words in links before each link, and in all."""
    words = _word_count(body)
    before = [0]
    for link in body.css("a[href]"):
        # Links do not nest, but a broken page can make it seem so; then the rest is not worth reading.
        before.append(before[-1] + _word_count(link) if before[-1] <= words else before[-1])
    return before


def _unwrapped(level: LexborNode) -> LexborNode:
    """Return `level`, or the first element within it that is not all its parent holds."""
    for _ in range(_WRAPPINGS):
        inner = list(level.iter())
        if len(inner) != 1 or inner[0].tag not in _HOLDERS:
            break
        level = inner[0]
    return level


def _parts(level: LexborNode, first_link: int, linked_before: Sequence[int]) -> list[_Part]:
    """Return the child elements of `level`. `linked_before` has the words in links before each link of the page."""
    parts = []
    for node in level.iter():
        links = len(node.css("a[href]"))
        linked_words = linked_before[first_link + links] - linked_before[first_link]
        parts.append(_Part(node, _word_count(node), linked_words, links, first_link))
        first_link += links
    return parts


def _text_among(parts: Sequence[_Part]) -> _Part | None:
    """Return the one that holds nearly all the text; None where no single element does."""
    text = max(parts, key=lambda part: part.own_words, default=None)
    if text is None or text.node.tag not in _HOLDERS:
        return None
    all_own_words = sum(part.own_words for part in parts)
    return text if text.own_words >= max(_FEWEST_WORDS, _NEARLY_ALL * all_own_words) else None


def _word_count(node: LexborNode) -> int:
    return len(WORD.findall(node.text()))
