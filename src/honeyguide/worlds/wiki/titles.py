"""Titles as MediaWiki writes them, and what a link in wikitext means by one.

A title is normalised as the wiki itself does it: character references and percent-escapes decoded, Unicode composed
(NFC), underscores and every kind of space folded to single spaces, direction marks dropped, the fragment cut off, the
first letter a capital where the wiki says so. Normalising twice equals normalising once.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from html import unescape
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote

from honeyguide.worlds.wiki.siteinfo import ARTICLES, CATEGORIES, FILES
from honeyguide.worlds.wiki.wiki_prefixes import LANGUAGES, SISTER_PROJECTS

if TYPE_CHECKING:
    from honeyguide.worlds.wiki.siteinfo import SiteInfo

MAX_TITLE_BYTES: Final = 255

_SPACES = re.compile("[ _\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e]")
_FORBIDDEN = re.compile("[<>\\[\\]{}|\x00-\x1f\x7f\ufffd]|~~~|^\\.{1,2}(?:/|$)|/\\.{1,2}(?:/|$)")
_PERCENT_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_WEB_ADDRESS = re.compile(r"(?:https?|ftps?|mailto|news|irc|gopher)?:?//|mailto:", re.IGNORECASE)
# A title that is normal but for its first letter; most links have one.
_NORMAL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9,.()'-]| (?! |\Z)){,99}")
# What a path may hold as it is. The rest is escaped, so that the canonical form of an address is the address.
_PLAIN_IN_PATH: Final = "/:@!$*(),;-._~"


class LinkKind(Enum):
    """What a link in wikitext leads to."""

    ARTICLE = "article"
    SECTION = "section"  # of the page it stands on
    FILE = "file"  # shown in its place, with a caption
    CATEGORY = "category"
    LANGUAGE = "language"  # the same article in another language; shown beside the page, not in it
    NAMESPACE = "namespace"  # any other namespace, or a file that is only spoken of
    INTERWIKI = "interwiki"
    ADDRESS = "address"  # a web address in double brackets
    INVALID = "invalid"


class LinkTarget(NamedTuple):
    """Where a link leads; the title is normalised, and empty where the kind has none."""

    kind: LinkKind
    title: str = ""
    is_spoken_of: bool = False  # written with a colon in front: a category or file to read about, not to use


class TitleRules:
    """The titles of one wiki: how they are written, and which of them are articles."""

    def __init__(self, site: SiteInfo) -> None:
        self._number_by_namespace = site.all_namespaces
        self._has_capitals = site.has_capital_titles
        self.home = site.home

    def normalise(self, text: str) -> str:
        """The title that `text` means, with its namespace as it stands; empty where it cannot be a title."""
        if "&" in text:
            text = unescape(text)
        if "%" in text and _PERCENT_ESCAPE.search(text):
            text = unquote(text, errors="replace")
        text = text.partition("#")[0]
        if not text.isascii():
            text = unicodedata.normalize("NFC", _DIRECTION_MARKS.sub("", text))
        text = _SPACES.sub(" ", text).strip(" :\t\r\n")
        if _FORBIDDEN.search(text) or len(text.encode("utf-8", "replace")) > MAX_TITLE_BYTES:
            return ""
        return self._capitalised(text)

    def article(self, text: str) -> str:
        """The normalised title of an article; empty where `text` is in another namespace, or no title at all."""
        target = self.target(text)
        return target.title if target.kind is LinkKind.ARTICLE else ""

    def target(self, text: str) -> LinkTarget:
        """What a link to `text` leads to."""
        if _NORMAL.fullmatch(text):
            return LinkTarget(LinkKind.ARTICLE, self._capitalised(text))
        text = text.strip()
        if text.startswith("#"):
            return LinkTarget(LinkKind.SECTION)
        if _WEB_ADDRESS.match(text):
            return LinkTarget(LinkKind.ADDRESS)
        title = self.normalise(text)
        if not title:
            return LinkTarget(LinkKind.INVALID)
        prefix, colon, rest = title.partition(":")
        if colon:
            found = self._behind_prefix(prefix.strip().lower(), rest.strip(), is_spoken_of=text.startswith(":"))
            if found is not None:
                return found
        return LinkTarget(LinkKind.ARTICLE, title)

    def namespace_of(self, title: str) -> int:
        """The number of the namespace that a page's title names; for dumps that do not say it."""
        prefix, colon, _ = title.partition(":")
        return self._number_by_namespace.get(_folded(prefix), ARTICLES) if colon else ARTICLES

    def names_of(self, namespace: int) -> list[str]:
        """Every name of a namespace, in lower case."""
        return [name for name, number in self._number_by_namespace.items() if number == namespace]

    def address(self, title: str) -> str:
        """The URL of a title, in its canonical form."""
        return self.home + quote(title.replace(" ", "_"), safe=_PLAIN_IN_PATH)

    def title_at(self, address: str) -> str:
        """The title that a URL asks for; empty where it is not an address of this wiki."""
        if not address.startswith(self.home) or "?" in address:
            return ""
        return self.article(unquote(address[len(self.home) :], errors="replace").replace("%", "%25"))

    def _behind_prefix(self, prefix: str, rest: str, *, is_spoken_of: bool) -> LinkTarget | None:
        """What a prefix makes of a link; None where it is part of an article's title."""
        number = self._number_by_namespace.get(prefix)
        if number == CATEGORIES:
            return LinkTarget(LinkKind.CATEGORY, self._capitalised(rest), is_spoken_of)
        if number == FILES:
            return LinkTarget(LinkKind.NAMESPACE if is_spoken_of else LinkKind.FILE)
        if number is not None:
            return LinkTarget(LinkKind.NAMESPACE)
        if prefix in LANGUAGES:
            return LinkTarget(LinkKind.INTERWIKI if is_spoken_of else LinkKind.LANGUAGE)
        return LinkTarget(LinkKind.INTERWIKI) if prefix in SISTER_PROJECTS else None

    def _capitalised(self, title: str) -> str:
        if not self._has_capitals or not title:
            return title
        capital = title[0].upper()
        return capital + title[1:] if len(capital) == 1 else title  # MediaWiki leaves ß as it is


def _folded(prefix: str) -> str:
    return _SPACES.sub(" ", prefix).strip().lower()
