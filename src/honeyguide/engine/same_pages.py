"""One page under several addresses: told by what it calls its own, believed where the text agrees.

A page may name another address as canonical. Its word alone hides nothing: it is taken for the same page only if a page
with the same main text has come before, at that address or naming it too. So a site whose pages all name its front page
loses none of them, circles of names end, and a page is never stored twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import xxhash

from honeyguide.domain import LinkId, registered_domain

if TYPE_CHECKING:
    from honeyguide.domain import Page, Url
    from honeyguide.engine.scope import Scope

FEWEST_WORDS: Final = 20
"""Of the main text: shorter ones are equal by chance."""


class Identity(NamedTuple):
    """What a page is known by: a hash of its main text, and the other address that it calls its own."""

    text: int
    canonical: Url | None


class SamePages:
    """The pages that have come, by the addresses they answer to: their own, and the ones they name."""

    def __init__(self) -> None:
        self._pages: dict[int, tuple[LinkId, int]] = {}  # by the hash of an address: the page, the hash of its text

    def same_as(self, url: Url, identity: Identity) -> LinkId | None:
        """The page that has come before and that this one is; None where it is a page of its own."""
        for address in (identity.canonical or url, url):
            known = self._pages.get(_hash(address.text))
            if known is not None and known[1] == identity.text:
                return known[0]
        return None

    def remember(self, link: LinkId, url: Url, identity: Identity) -> None:
        """A page of its own has come. What it says of its own address counts for more than what others said."""
        self._pages[_hash(url.text)] = (link, identity.text)
        if identity.canonical is not None:
            self._pages.setdefault(_hash(identity.canonical.text), (link, identity.text))


def identity_of(page: Page, scope: Scope) -> Identity | None:
    """What a page is known by; None where its text is too short to tell.

    An address that it calls its own counts where the crawl may go there, on the same registered domain.
    """
    words = page.main_words
    if len(words) < FEWEST_WORDS:
        return None
    canonical = page.directives.canonical
    if canonical is not None and (
        registered_domain(canonical.host) != registered_domain(page.url.host)
        or scope.objection(canonical, depth=0) is not None
    ):
        canonical = None
    return Identity(_hash(" ".join(words)), canonical)


def _hash(text: str) -> int:
    """A hash that fits SQLite's integers."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace")) >> 1
