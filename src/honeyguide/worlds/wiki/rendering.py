"""The second pass: every open link becomes a real one or plain text, and articles become pages."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.wiki.wikitext import LINK_ANCHOR, LINK_END, LINK_START

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OPEN_LINK = re.compile(f"{LINK_START}(\\d+){LINK_ANCHOR}([^{LINK_START}-{LINK_END}]*){LINK_END}")
_BROKEN_LINK = re.compile(f"{LINK_START}\\d*{LINK_ANCHOR}?|[{LINK_ANCHOR}{LINK_END}]")
NOWHERE: Final = -1


class Renderer:
    """Writes pages. `title_of` and `path_of` tell of an article by its number."""

    def __init__(self, title_of: Callable[[int], str], path_of: Callable[[int], str]) -> None:
        self._title_of = title_of
        self._path_of = path_of

    def body(self, html: str, targets: Sequence[int]) -> tuple[str, set[int]]:
        """`html` with its links closed, and the articles they lead to.

        `targets` are the articles that the open links number, `NOWHERE` for one that becomes plain text.
        """
        linked: set[int] = set()

        def closed(match: re.Match[str]) -> str:
            target, anchor = targets[int(match[1])], match[2]
            if target == NOWHERE:
                return anchor
            linked.add(target)
            return f'<a href="{self._path_of(target)}">{anchor.strip() or escape(self._title_of(target))}</a>'

        body = _OPEN_LINK.sub(closed, html)
        if LINK_START in body or LINK_ANCHOR in body or LINK_END in body:
            body = _BROKEN_LINK.sub("", body)
        return body, linked

    def page(self, number: int, body: str, further: Sequence[int] = ()) -> str:
        """The whole page of an article; links to `further` articles follow in a list at its end."""
        title = escape(self._title_of(number))
        return (
            f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head>'
            f"<body><h1>{title}</h1>\n{body}\n{self._list(further)}</body></html>"
        )

    def _list(self, articles: Sequence[int]) -> str:
        items = [f'<li><a href="{self._path_of(one)}">{escape(self._title_of(one))}</a></li>' for one in articles]
        return "\n".join(["<ul>", *items, "</ul>\n"]) if items else ""
