"""Which parts of a page are not its subject: navigation, site headers, footers, sidebars.

Elements and roles made for it decide first. Older pages only have names, so a class or id that is built from
navigation words and nothing else counts too: `site-footer` does, `has-sidebar` and `restaurant-menu` do not. Where a
page marks its main content, nothing that holds it is boilerplate, and all that stands outside is.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
        """What the page marks as its main content, none inside another; outside them all is boilerplate."""
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
    """The elements around `node`, innermost first, up to a bound."""
    return islice(_all_ancestors_of(node), _ANCESTORS_LOOKED_AT)


def _all_ancestors_of(node: LexborNode) -> Iterator[LexborNode]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent
