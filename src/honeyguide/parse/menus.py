"""Menus that nothing names: blocks of links beside the text of a page.

From the body inwards, as long as one element holds nearly all the words that are not links, the elements beside it
that consist of links are menus. Where the text is spread over several elements it has been reached, and a list of links
there is part of it. So is a list that is longer than the text: such a page may be there for its links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.text.tokens import WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborNode

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
    """The unnamed menus of a page with so many links and so much text that does not mark its main content."""
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
    """How many words in links there are before each link, and in all."""
    words = _word_count(body)
    before = [0]
    for link in body.css("a[href]"):
        # Links do not nest, but a broken page can make it seem so; then the rest is not worth reading.
        before.append(before[-1] + _word_count(link) if before[-1] <= words else before[-1])
    return before


def _unwrapped(level: LexborNode) -> LexborNode:
    """`level`, or the first element within it that is not all its parent holds."""
    for _ in range(_WRAPPINGS):
        inner = list(level.iter())
        if len(inner) != 1 or inner[0].tag not in _HOLDERS:
            break
        level = inner[0]
    return level


def _parts(level: LexborNode, first_link: int, linked_before: Sequence[int]) -> list[_Part]:
    """The child elements of `level`. `linked_before` has the words in links before each link of the page."""
    parts = []
    for node in level.iter():
        links = len(node.css("a[href]"))
        linked_words = linked_before[first_link + links] - linked_before[first_link]
        parts.append(_Part(node, _word_count(node), linked_words, links, first_link))
        first_link += links
    return parts


def _text_among(parts: Sequence[_Part]) -> _Part | None:
    """The one that holds nearly all the text; None where no single element does."""
    text = max(parts, key=lambda part: part.own_words, default=None)
    if text is None or text.node.tag not in _HOLDERS:
        return None
    all_own_words = sum(part.own_words for part in parts)
    return text if text.own_words >= max(_FEWEST_WORDS, _NEARLY_ALL * all_own_words) else None


def _word_count(node: LexborNode) -> int:
    return len(WORD.findall(node.text()))
