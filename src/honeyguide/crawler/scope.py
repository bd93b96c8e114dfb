"""Where a crawl may go, by rules a person wrote: hosts, domains, addresses, titles, depth, number of pages, a share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import unquote

import xxhash

from honeyguide.model import Url, domain_pattern, host_pattern, linear_pattern, registered_domain
from honeyguide.settings import DirectiveSettings, with_overrides

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from honeyguide.model import HostKey, Link, Page
    from honeyguide.settings import ScopeSettings, Settings

Test: TypeAlias = Callable[[str], object]
"""Whether a text fits a pattern."""

UNASKED: Final = DirectiveSettings()
PER_HOST: Final = "scope.max_pages_per_host"
HOSTS_KNOWN: Final = 65_536


class Scope:
    """Rules for URLs and titles. Where something is allowed by name, everything else is not; a denial always counts.

    All but one of them never change; `note_fetch` says when a host has given all that it may give.
    """

    def __init__(self, settings: ScopeSettings, directives: DirectiveSettings = UNASKED) -> None:
        """`directives` say what pages may ask of us."""
        self._directives = directives
        self._max_depth = settings.max_depth
        self._max_pages = settings.max_pages
        self._share = UrlShare(settings.share, settings.share_seed)
        self.follows_links = settings.follow_links  # else the seeds are all there is
        self._max_pages_per_host = settings.max_pages_per_host
        self._fetches_by_host: Counter[HostKey] = Counter()
        places = (*map(_host, settings.allow_hosts), *map(_domain, settings.domains))
        self._hosts = _Rule("hosts", places, _tests(_host, settings.deny_hosts))
        self._allowed_hosts_setting = "scope.allow_hosts" if settings.allow_hosts else "scope.domains"
        self._objection_by_host: dict[HostKey, str | None] = {}
        self._rules = tuple(
            rule
            for rule in (
                _Rule("prefixes", _tests(_prefix, settings.allow_prefixes), _tests(_prefix, settings.deny_prefixes)),
                _Rule("paths", _tests(_path, settings.allow_paths), _tests(_path, settings.deny_paths)),
                _Rule("urls", _tests(_whole, settings.allow_urls), _tests(_whole, settings.deny_urls)),
            )
            if not rule.is_empty
        )
        self._is_met: Callable[[Url], bool] | None = None
        self._titles = _Rule("titles", _tests(_found, settings.allow_titles), _tests(_found, settings.deny_titles))

    def leave_out(self, is_met: Callable[[Url], bool]) -> None:
        """Follow no link to a URL of which this is true; redirects there are followed."""
        self._is_met = is_met

    @property
    def limits_pages(self) -> bool:
        """Whether only the first so many URLs that are met are considered."""
        return self._max_pages > 0

    @property
    def limits_hosts(self) -> bool:
        """Whether a host gives only so many pages."""
        return self._max_pages_per_host > 0

    def has_room(self, met: int) -> bool:
        """Whether another URL may be met."""
        return not self.limits_pages or met < self._max_pages

    def note_fetch(self, host: HostKey) -> bool:
        """A fetch of this host has ended. True if it was the last one allowed: from now on its links are kept out."""
        if not self.limits_hosts:
            return False
        self._fetches_by_host[host] += 1
        return self._fetches_by_host[host] == self._max_pages_per_host

    def is_spent(self, host: HostKey) -> bool:
        """Whether a host has given all that it may give."""
        return self.limits_hosts and self._fetches_by_host[host] >= self._max_pages_per_host

    def is_open(self, depth: int) -> bool:
        """Whether every URL is in at this depth."""
        is_deep = self._max_depth and depth > self._max_depth
        limits = is_deep or self._is_met is not None or self._share.size < 1 or self.limits_hosts or self._rules
        return not limits and self._hosts.is_empty

    def objection(self, url: Url, *, depth: int) -> str | None:
        """The setting that keeps a link out, or None."""
        if self._max_depth and depth > self._max_depth:
            return "scope.max_depth"
        if depth > 0 and not self._share.has(url.text):  # a seed is always in
            return "scope.share"
        if self.is_spent(url.host):
            return PER_HOST
        if not self._hosts.is_empty and (objection := self._objection_to_host(url.host)):
            return objection
        if not self._rules:
            return None
        spellings = _spellings(url)
        return next(filter(None, (rule.objection(spellings) for rule in self._rules)), None)

    def _objection_to_host(self, host: HostKey) -> str | None:
        """Looked up where it is known: most links lead to hosts that were met before."""
        if host not in self._objection_by_host:
            if len(self._objection_by_host) >= HOSTS_KNOWN:
                self._objection_by_host.clear()
            objection = self._hosts.objection([host])
            is_unnamed = objection == "scope.allow_hosts"
            self._objection_by_host[host] = self._allowed_hosts_setting if is_unnamed else objection
        return self._objection_by_host[host]

    def denies(self, url: Url) -> bool:
        """Whether a URL is denied by name. This holds for all that is asked for, also for what a page is made of."""
        spellings = _spellings(url)
        return self._hosts.denies([url.host]) or any(rule.denies(spellings) for rule in self._rules)

    def objection_to_link(self, link: Link, *, depth: int) -> str | None:
        """As `objection`, of a link on a page, which may ask not to be followed."""
        objection = self.objection(link.target, depth=depth)
        if objection is None and link.rel and link.is_nofollow and self._is_left(link):
            return "directives.nofollow_links"
        if objection is None and self._is_met is not None and self._is_met(link.target):
            return "refresh.run"
        return objection

    def follows(self, page: Page) -> bool:
        """Whether the links of a page may be followed at all."""
        is_asked_not_to = page.directives.nofollow and "nofollow" in self._directives.rules
        return not is_asked_not_to and self.objection_to_title(page.title) is None

    def _is_left(self, link: Link) -> bool:
        match self._directives.nofollow_links:
            case "all":
                return True
            case "same-site":
                return registered_domain(link.target.host) == registered_domain(link.parent.host)
            case _:
                return False

    def objection_to_title(self, title: str) -> str | None:
        """The setting that makes nothing of a page with this title, or None."""
        return self._titles.objection([title])


def staying_with(settings: Settings, seeds: Iterable[Url]) -> Settings:
    """The settings with what `scope.stay_on` makes of these seeds among the hosts or domains that are allowed."""
    scope = settings.scope
    match scope.stay_on:
        case "seed-hosts":
            hosts = [*scope.allow_hosts, *(str(url.host) for url in seeds)]
            return with_overrides(settings, {"scope.allow_hosts": list(dict.fromkeys(hosts))})
        case "seed-domains":
            domains = [*scope.domains, *(registered_domain(url.host) for url in seeds)]
            return with_overrides(settings, {"scope.domains": list(dict.fromkeys(domains))})
        case _:
            return settings


@dataclass(frozen=True, slots=True)
class UrlShare:
    """A random part of all URLs, the same for everyone who asks with one seed. A larger share has the smaller in it."""

    size: float  # of 0 to 1
    seed: int = 0

    def has(self, url: str) -> bool:
        return self.size >= 1 or xxhash.xxh3_64_intdigest(url.encode(), self.seed) < self.size * 2.0**64


@dataclass(frozen=True, slots=True)
class _Rule:
    """The texts of one kind that are allowed and denied."""

    kind: str
    allow: tuple[Test, ...]
    deny: tuple[Test, ...]

    @property
    def is_empty(self) -> bool:
        return not self.allow and not self.deny

    def denies(self, spellings: Sequence[str]) -> bool:
        return _fits(spellings, self.deny)

    def objection(self, spellings: Sequence[str]) -> str | None:
        """The setting that speaks against a text, in any of its spellings."""
        if self.denies(spellings):
            return f"scope.deny_{self.kind}"
        if self.allow and not _fits(spellings, self.allow):
            return f"scope.allow_{self.kind}"
        return None


def _fits(spellings: Sequence[str], tests: tuple[Test, ...]) -> bool:
    return any(test(text) for test in tests for text in spellings)


def _tests(kind: Callable[[str], Test], patterns: Iterable[str]) -> tuple[Test, ...]:
    return tuple(map(kind, patterns))


# Each pattern is compiled for itself: joined into one, flags inside a pattern and numbered groups would break.
def _host(pattern: str) -> Test:
    return host_pattern(pattern).fullmatch


def _domain(pattern: str) -> Test:
    return domain_pattern(pattern).fullmatch


def _found(pattern: str) -> Test:
    return linear_pattern(pattern).search


_whole = _found


def _path(pattern: str) -> Test:
    """Found in path and query: what begins with the slash after the host."""
    search = linear_pattern(pattern).search
    return lambda url: search(url[url.index("/", 8) :])


def _prefix(text: str) -> Test:
    if text.startswith("/"):
        path = Url.parse(f"http://any.test{text}").path_and_query
        return lambda url: url.startswith(path, url.index("/", 8))
    whole = Url.parse(text).text
    return lambda url: url.startswith(whole)


def _spellings(url: Url) -> Sequence[str]:
    """A URL as it is sent and, where that differs, as a person reads it."""
    return [url.text, unquote(url.text)] if "%" in url.text else [url.text]
