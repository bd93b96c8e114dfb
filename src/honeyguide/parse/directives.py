"""Directives to crawlers in head and headers of a page: robots rules, reserved uses, canonical address, refresh.

Reservations that files of its site make of the page, such as tdmrep.json, are added to them.

Only those addressed to all crawlers, or to us by name, count. Where head and headers differ, the strictest rule wins.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.errors import InvalidUrl
from honeyguide.model import Directives, Refresh, Url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.model import Fetched

_NOFOLLOW: Final = frozenset({"nofollow", "none"})
_RESERVED: Final = "1"  # as W3C's TDM Reservation Protocol writes it
_NOINDEX: Final = frozenset({"noindex", "none"})
# Rules of X-Robots-Tag that have a value; any other word before a colon is the name of a crawler.
_RULES_WITH_VALUE: Final = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
# Possessive: a million digits must not be tried in a million ways.
_REFRESH: Final = re.compile(
    r"\s*+([0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)[0-9.]*+(?:\s*+[;,]\s*+|\s++)(?:url\s*+=\s*+)?(.*)",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_DELAY_S: Final = 1e6


class Said(NamedTuple):
    """The directives in the head of a page, as they are written."""

    robots: Sequence[str] = ()  # the content of each element that is addressed to all, or to us
    canonical: str = ""  # the address; empty where there is none, or where several differ
    refresh: str = ""
    tdm: Sequence[str] = ()  # the content of each tdm-reservation
    tdm_policy: str = ""


def directives_of(said: Said, fetched: Fetched, agent: str, page: Url, base: Url) -> Directives:
    """Return the directives of `page`, whose relative addresses are relative to `base`."""
    site = fetched.site_directives
    if not (fetched.robots_tag or fetched.tdm or any(said)):
        return site
    rules = {rule.strip().lower() for content in said.robots for rule in content.split(",")}
    rules.update(_rules_in_tag(fetched.robots_tag, agent.lower()))
    canonical = _address(said.canonical, base)
    reservation, _, policy = fetched.tdm.partition(" ")
    return Directives(
        nofollow=bool(rules & _NOFOLLOW),
        noindex=bool(rules & _NOINDEX),
        noai=site.noai or "noai" in rules,
        noimageai="noimageai" in rules,
        tdm=site.tdm or any(each.strip() == _RESERVED for each in (reservation, *said.tdm)),
        tdm_policy=said.tdm_policy or policy or site.tdm_policy,
        canonical=None if canonical == page else canonical,
        refresh=_refresh(said.refresh, page, base),
    )


def _rules_in_tag(robots_tag: str, agent: str) -> Iterator[str]:
    """Return the rules of X-Robots-Tag headers, one a line, that are addressed to all or to `agent`."""
    for line in robots_tag.lower().split("\n"):
        is_for_us = True
        for part in line.split(","):
            name, colon, rule = part.partition(":")
            if colon and name.strip() not in _RULES_WITH_VALUE:
                is_for_us, part = name.strip() == agent, rule  # noqa: PLW2901 - what follows the name
            if is_for_us:
                yield part.strip()


def _refresh(content: str, page: Url, base: Url) -> Refresh | None:
    found = _REFRESH.match(content)
    if found is None or not found[2]:
        return None
    address = found[2].strip()
    if address[:1] in ("'", '"'):
        address = address[1:].partition(address[0])[0]
    target = _address(address, base)
    return None if target is None or target == page else Refresh(min(float(found[1]), _LONGEST_DELAY_S), target)


def _address(written: str, base: Url) -> Url | None:
    try:
        return Url.parse(written.strip(), base) if written.strip() else None
    except InvalidUrl:
        return None
