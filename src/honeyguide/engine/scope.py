"""Where a crawl may go, by rules a person wrote: hosts, path and title patterns, depth, number of pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from honeyguide.domain import host_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.domain import Url
    from honeyguide.settings import ScopeSettings

Test: TypeAlias = Callable[[str], object]
"""Whether a text fits a pattern: anything but None."""


class Scope:
    """Rules for URLs and titles. Where something is allowed by name, everything else is not; a denial always counts."""

    def __init__(self, settings: ScopeSettings) -> None:
        self._max_depth = settings.max_depth
        self._max_pages = settings.max_pages
        self.follows_links = settings.follow_links  # else the seeds are all there is
        self._hosts = _Rule("hosts", *(tuple(map(_host, each)) for each in (settings.allow_hosts, settings.deny_hosts)))
        self._paths = _Rule("paths", *(tuple(map(_part, each)) for each in (settings.allow_paths, settings.deny_paths)))
        titles = (settings.allow_titles, settings.deny_titles)
        self._titles = _Rule("titles", *(tuple(map(_part, each)) for each in titles))

    @property
    def limits_pages(self) -> bool:
        """Whether only the first so many URLs that are met are considered."""
        return self._max_pages > 0

    def has_room(self, met: int) -> bool:
        """Whether another URL may be met."""
        return not self.limits_pages or met < self._max_pages

    def objection(self, url: Url, *, depth: int) -> str | None:
        """The setting that keeps a link out, or None."""
        if self._max_depth and depth > self._max_depth:
            return "scope.max_depth"
        if self._hosts.is_empty and self._paths.is_empty:
            return None
        return self._hosts.objection([url.host]) or self._paths.objection(list(_spellings(url)))

    def objection_to_title(self, title: str) -> str | None:
        """The setting that makes nothing of a page with this title, or None."""
        return self._titles.objection([title])


@dataclass(frozen=True, slots=True)
class _Rule:
    """What is allowed and denied of one kind of text."""

    kind: str
    allow: tuple[Test, ...]
    deny: tuple[Test, ...]

    @property
    def is_empty(self) -> bool:
        return not self.allow and not self.deny

    def objection(self, spellings: list[str]) -> str | None:
        """The setting that speaks against a text, in any of its spellings."""
        if _fits(spellings, self.deny):
            return f"scope.deny_{self.kind}"
        if self.allow and not _fits(spellings, self.allow):
            return f"scope.allow_{self.kind}"
        return None


def _fits(spellings: list[str], tests: tuple[Test, ...]) -> bool:
    return any(test(text) is not None for test in tests for text in spellings)


# Each pattern is compiled for itself: joined into one, flags inside a pattern and numbered groups would break.
def _host(pattern: str) -> Test:
    return host_pattern(pattern).fullmatch


def _part(pattern: str) -> Test:
    return re.compile(pattern).search


def _spellings(url: Url) -> Iterator[str]:
    """Path and query as they are sent and, where that differs, as a person reads them."""
    yield url.path_and_query
    if "%" in url.path_and_query:
        yield unquote(url.path_and_query)
