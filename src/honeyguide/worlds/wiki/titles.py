"""Titles as MediaWiki writes them, and the kind of place that a link in wikitext leads to.

A title is normalised as the wiki itself does it: character references and percent-escapes decoded, Unicode composed
(NFC), underscores and every kind of space folded to single spaces, direction marks dropped, the fragment cut off, the
first letter a capital where the wiki says so. Normalising twice equals normalising once.

A dump does not list the prefixes of links to other wikis, and without a list they read like articles: `words.toml` has
the languages and sister projects.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass, field
from enum import Enum
from html import unescape
from importlib import resources
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote

from honeyguide.errors import InvalidUrl
from honeyguide.model import Url

if TYPE_CHECKING:
    from collections.abc import Mapping

ARTICLES: Final = 0
FILES: Final = 6
CATEGORIES: Final = 14

# Every wiki understands these names, whatever its own are.
_ENGLISH_NAMES: Final = {
    "media": -2, "special": -1, "talk": 1, "user": 2, "user talk": 3, "project": 4, "project talk": 5,
    "file": FILES, "image": FILES, "file talk": 7, "image talk": 7, "mediawiki": 8, "mediawiki talk": 9,
    "template": 10, "template talk": 11, "help": 12, "help talk": 13, "category": CATEGORIES, "category talk": 15,
}  # fmt: skip
_NO_HOME: Final = "https://wiki.invalid/wiki/"


@dataclass(frozen=True, slots=True)
class SiteInfo:
    """The head of a dump. A namespace's names are in lower case, with spaces."""

    name: str = ""
    base: str = ""  # the address of the main page
    has_capital_titles: bool = True  # whether the first letter of a title is always a capital
    number_by_namespace: Mapping[str, int] = field(default_factory=dict)  # by the wiki's own names

    @property
    def all_namespaces(self) -> dict[str, int]:
        """The wiki's own names over those that every wiki understands; the namespace of articles has no name."""
        names = _ENGLISH_NAMES | dict(self.number_by_namespace)
        return {name: number for name, number in names.items() if name}

    @property
    def home(self) -> str:
        """The beginning of the address of every article, up to and with the last slash."""
        before_title, separator, _ = self.base.partition("/wiki/")
        if not separator:
            before_title = self.base.partition("?")[0].rpartition("/")[0]
            separator = "/wiki/" if "?" in self.base else "/"
        try:
            return Url.parse(f"{before_title}{separator}").text
        except InvalidUrl:
            return _NO_HOME


_WORDS: Final = tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
LANGUAGES: Final = frozenset(_WORDS["languages"].split())
SISTER_PROJECTS: Final = frozenset(_WORDS["sister_projects"].split())
REDIRECT_WORDS: Final = tuple(_WORDS["redirects"].split())

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
    """The kinds of places that a link in wikitext leads to."""

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
    is_mention: bool = False  # written with a colon in front: a category or file to read about, not to use


class TitleRules:
    """The titles of one wiki: how they are written, and which of them are articles."""

    def __init__(self, site: SiteInfo) -> None:
        self._number_by_namespace = site.all_namespaces
        self._has_capitals = site.has_capital_titles
        self.home = site.home

    def normalise(self, text: str) -> str:
        """Return the title that `text` means, with its namespace as it stands; empty where it cannot be a title."""
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
        return self._capitalise(text)

    def article(self, text: str) -> str:
        """Return the normalised title of an article; empty where `text` is in another namespace, or no title at all."""
        target = self.target(text)
        return target.title if target.kind is LinkKind.ARTICLE else ""

    def target(self, text: str) -> LinkTarget:
        """Return where a link to `text` leads."""
        if _NORMAL.fullmatch(text):
            return LinkTarget(LinkKind.ARTICLE, self._capitalise(text))
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
            found = self._resolve_prefix(prefix.strip().lower(), rest.strip(), is_mention=text.startswith(":"))
            if found is not None:
                return found
        return LinkTarget(LinkKind.ARTICLE, title)

    def namespace_of(self, title: str) -> int:
        """Return the number of the namespace that a page's title names; for dumps that do not say it."""
        prefix, colon, _ = title.partition(":")
        return self._number_by_namespace.get(_fold_prefix(prefix), ARTICLES) if colon else ARTICLES

    def names_of(self, namespace: int) -> list[str]:
        """Return every name of a namespace, in lower case."""
        return [name for name, number in self._number_by_namespace.items() if number == namespace]

    def address(self, title: str) -> str:
        """Return the URL of a title, in its canonical form."""
        return self.home + quote(title.replace(" ", "_"), safe=_PLAIN_IN_PATH)

    def title_at(self, address: str) -> str:
        """Return the title that a URL asks for; empty where it is not an address of this wiki."""
        if not address.startswith(self.home) or "?" in address:
            return ""
        return self.article(unquote(address[len(self.home) :], errors="replace").replace("%", "%25"))

    def _resolve_prefix(self, prefix: str, rest: str, *, is_mention: bool) -> LinkTarget | None:
        """Return the place that a prefix names; None where it is part of an article's title."""
        number = self._number_by_namespace.get(prefix)
        if number == CATEGORIES:
            return LinkTarget(LinkKind.CATEGORY, self._capitalise(rest), is_mention)
        if number == FILES:
            return LinkTarget(LinkKind.NAMESPACE if is_mention else LinkKind.FILE)
        if number is not None:
            return LinkTarget(LinkKind.NAMESPACE)
        if prefix in LANGUAGES:
            return LinkTarget(LinkKind.INTERWIKI if is_mention else LinkKind.LANGUAGE)
        return LinkTarget(LinkKind.INTERWIKI) if prefix in SISTER_PROJECTS else None

    def _capitalise(self, title: str) -> str:
        if not self._has_capitals or not title:
            return title
        capital = title[0].upper()
        return capital + title[1:] if len(capital) == 1 else title  # MediaWiki leaves ß as it is


def _fold_prefix(prefix: str) -> str:
    return _SPACES.sub(" ", prefix).strip().lower()
