"""Anchors to links: each address resolved once, each target one `Link` with every place it stands at."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from honeyguide.errors import InvalidUrl
from honeyguide.model import Link, Occurrence, Url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.parse.html import Anchor
    from honeyguide.settings import CrawlSettings

_COLON: Final = re.compile(":|%3A")


@dataclass(frozen=True, slots=True)
class PageRules:
    """Which part of a page is read, and which of its links count; by default all, for sites laid out alike less."""

    from_first_paragraph: bool = False  # nothing before the first <p> is read; without one, nothing at all
    tag_paths: bool = False  # whether links are told with the elements around them
    articles_in: str = ""  # the folder of the host to which links must lead, without # or : in what follows it

    def let(self, href: str, target: Url, page: Url) -> bool:
        """Whether a link counts that is written as `href` on `page`, where it means `target`."""
        if not self.articles_in:
            return True
        if "#" in href or target.host != page.host:
            return False
        address = target.path_and_query
        return address.startswith(self.articles_in) and not _COLON.search(address, len(self.articles_in))


def rules_of(crawl: CrawlSettings) -> PageRules:
    """Return how the pages of a crawl with this profile and strategy are read."""
    rules = WIKIPEDIA if crawl.profile == "wikipedia" else WHOLE_PAGE
    return replace(rules, tag_paths=crawl.strategy in READ_TAG_PATHS)


READ_TAG_PATHS: Final = frozenset({"tag-path-bandit"})
"""Strategies that look at tag paths. By name, so that a worker that reads pages need not import strategies."""


WHOLE_PAGE: Final = PageRules()
WIKIPEDIA: Final = PageRules(from_first_paragraph=True, articles_in="/wiki/")
"""As WikiCrawler reads MediaWiki: the text begins at the first <p>, after the navigation; # leads to a section, : to an
image or to something else that is no article."""

_NO_REL: frozenset[str] = frozenset()


def links_of(
    page: Url,
    base_href: str,
    anchors: Sequence[Anchor],
    places: Sequence[Occurrence],
    rules: PageRules,
    longest_url: int,
) -> tuple[tuple[Link, ...], bool]:
    """Return the links that lead elsewhere, in order of first occurrence, and whether some have too long a URL.

    `places` says where each anchor stands.
    """
    targets = _Targets(base_of(page, base_href), page, rules, longest_url)
    found_by_target: dict[str, _Found] = {}
    for (href, rel, path), place in zip(anchors, places, strict=True):
        target = targets[href]
        if target is None:
            continue
        tokens = frozenset(rel.lower().split()) if rel else _NO_REL
        found = found_by_target.get(target.text)
        if found is None:
            found_by_target[target.text] = _Found(target, place, tokens, path)
        else:
            found.places.append(place)
            found.rel &= tokens
    links = tuple(
        Link(found.target, page, tuple(found.places), found.rel, found.path) for found in found_by_target.values()
    )
    return links, targets.has_longer


class _Found:
    """A target, and what the page says of it so far."""

    __slots__ = ("path", "places", "rel", "target")

    def __init__(self, target: Url, place: Occurrence, rel: frozenset[str], path: str) -> None:
        self.target = target
        self.path = path
        self.places = [place]
        self.rel = rel


class _Targets(dict[str, Url | None]):
    """Where each address leads; None for nowhere: unusable, too long, the page itself, or against the rules.

    Resolving is slow, so done once.
    """

    def __init__(self, base: Url, page: Url, rules: PageRules, longest: int) -> None:
        self.has_longer = False
        self._longest = longest
        self._base = base
        self._page = page
        self._rules = rules

    def __missing__(self, href: str) -> Url | None:
        before_fragment = href.partition("#")[0]
        if before_fragment != href:
            target = self[before_fragment]
        else:
            target = _target(href, self._base)
            if target == self._page:
                target = None
        if target is not None and len(target.text) > self._longest:
            target, self.has_longer = None, True
        if target is not None and not self._rules.let(href, target, self._page):
            target = None
        self[href] = target
        return target


def base_of(page: Url, base_href: str) -> Url:
    """Return what relative addresses are relative to: the `base` element when it is usable, else the page."""
    return (base_href and _target(base_href, page)) or page


def _target(href: str, base: Url) -> Url | None:
    try:
        return Url.parse(href, base)
    except InvalidUrl:
        return None
