"""Where a crawl may go, by rules a person wrote: hosts, path and title patterns, depth, number of pages."""

from __future__ import annotations

import re
from fnmatch import translate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.domain import Url
    from honeyguide.settings import ScopeSettings


class Scope:
    """Rules for URLs and titles. Where something is allowed by name, everything else is not; a denial always counts."""

    def __init__(self, settings: ScopeSettings) -> None:
        self._settings = settings
        self._allow_hosts = _either(map(translate, map(str.lower, settings.allow_hosts)))
        self._deny_hosts = _either(map(translate, map(str.lower, settings.deny_hosts)))
        self._allow_paths, self._deny_paths = _either(settings.allow_paths), _either(settings.deny_paths)
        self._allow_titles, self._deny_titles = _either(settings.allow_titles), _either(settings.deny_titles)
        self._by_address = any((self._allow_hosts, self._deny_hosts, self._allow_paths, self._deny_paths))

    def objection(self, url: Url, *, depth: int) -> str | None:
        """The setting that keeps a link out, or None."""
        if self._settings.max_depth and depth > self._settings.max_depth:
            return "scope.max_depth"
        return self._objection_to_address(url) if self._by_address else None

    def objection_to_title(self, title: str) -> str | None:
        """The setting that makes nothing of a page with this title, or None."""
        if self._allow_titles and not self._allow_titles.search(title):
            return "scope.allow_titles"
        return "scope.deny_titles" if self._deny_titles and self._deny_titles.search(title) else None

    def has_room(self, met: int) -> bool:
        """Whether another URL may be met."""
        return not self._settings.max_pages or met < self._settings.max_pages

    def _objection_to_address(self, url: Url) -> str | None:
        name = url.host.rpartition(":")[0] or url.host
        rules = (
            ("hosts", self._allow_hosts, self._deny_hosts, re.Pattern.match, name),
            ("paths", self._allow_paths, self._deny_paths, re.Pattern.search, url.path_and_query),
        )
        for kind, allow, deny, matches, text in rules:
            if deny and matches(deny, text):
                return f"scope.deny_{kind}"
            if allow and not matches(allow, text):
                return f"scope.allow_{kind}"
        return None


def _either(patterns: Iterable[str]) -> re.Pattern[str] | None:
    together = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re.compile(together) if together else None
