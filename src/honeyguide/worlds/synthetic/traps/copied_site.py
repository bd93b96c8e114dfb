"""A small honest site that only its traps make large: its numbered pages, their texts and their links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.traps.ground import in_paragraphs

if TYPE_CHECKING:
    from honeyguide.worlds.synthetic.traps.ground import Ground

PAGES: Final = 400
"""Pages of the site, the front page included, which is number 0."""

_LINKS: Final = 20
_CHILDREN: Final = 3
_PATH: Final = re.compile(r"/[a-z]+/([a-z]+-)+(0|[1-9][0-9]{0,3})")


class CopiedSite:
    """Pages that hang from the front page in a tree and link across it; each text is its page's own."""

    def __init__(self, ground: Ground, key: int) -> None:
        self._ground = ground
        self._key = key
        self._sections = ground.words(key, 6)

    def path(self, page: int) -> str:
        """`/` for the front page, else without a slash at its end."""
        if page == 0:
            return "/"
        words = self._ground.words(hash_int(self._key, page), 2)
        return f"/{self._sections[page % len(self._sections)]}/{'-'.join(words)}-{page}"

    def find(self, path: str) -> int | None:
        """The page with this path."""
        if path == "/":
            return 0
        match = _PATH.fullmatch(path)
        page = int(match[2]) if match else PAGES
        return page if page < PAGES and self.path(page) == path else None

    def title(self, page: int) -> str:
        return self._ground.title(hash_int(self._key, page))

    def text(self, page: int) -> list[str]:
        key = hash_int(self._key, page)
        return in_paragraphs(self._ground.paragraphs(key, 2 + key % 5))

    def targets(self, page: int) -> list[int]:
        """The pages that a page links to."""
        children = range(page * _CHILDREN + 1, min(PAGES, (page + 1) * _CHILDREN + 1))
        others = [hash_int(self._key, page, place) % PAGES for place in range(_LINKS)]
        return list(dict.fromkeys([*children, *others]))
