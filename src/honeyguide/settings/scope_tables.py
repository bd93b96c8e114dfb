"""Where the crawl may go: what its user sets, and what the pages ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from honeyguide.settings.declaring import setting

NOFOLLOW_LINKS: Final = ("all", "same-site", "none")
STAY_ON: Final = ("anywhere", "seed-hosts", "seed-domains")


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """Where the crawl may go. A list of what is allowed leaves out all else; what is denied stays out in any case."""

    allow_hosts: tuple[str, ...] = setting((), "hosts to stay on, * for any part: example.org, *.example.org")
    deny_hosts: tuple[str, ...] = setting((), "hosts never to ask")
    allow_paths: tuple[str, ...] = setting((), "regular expressions, one of which must be found in path and query")
    deny_paths: tuple[str, ...] = setting((), "regular expressions none of which may be found in path and query")
    allow_titles: tuple[str, ...] = setting((), "a page without one of these in its title counts and gives nothing")
    deny_titles: tuple[str, ...] = setting((), "a page with one of these in its title counts and gives nothing")
    domains: tuple[str, ...] = setting(
        (), "domains to stay on, all hosts below them included: example.org; they add to allow_hosts"
    )
    stay_on: str = setting(
        "anywhere",
        "what the seeds add: their hosts to allow_hosts, or their registered domains to domains",
        choices=STAY_ON,
    )
    allow_prefixes: tuple[str, ...] = setting(
        (), "beginnings, one of which every URL must have: /docs/ of its path, or https://example.org/docs/ in full"
    )
    deny_prefixes: tuple[str, ...] = setting((), "beginnings that no URL may have, written in the same way")
    allow_urls: tuple[str, ...] = setting((), "regular expressions, one of which must be found in the whole URL")
    deny_urls: tuple[str, ...] = setting((), "regular expressions none of which may be found in the whole URL")
    follow_links: bool = setting(default=True, meaning="whether links are followed; false fetches the seeds alone")
    max_depth: int = setting(0, "clicks from a seed; 0 sets no limit", at_least=0)
    max_pages: int = setting(0, "URLs to consider, the first that are met, seeds included; 0 sets no limit", at_least=0)
    share: float = setting(
        1.0,
        "share of all URLs to consider, drawn by a hash; links to others do not count; 1 is all",
        above=0,
        at_most=1,
    )
    share_seed: int = setting(0, "seed of that draw", at_least=0, at_most=2**32 - 1)
    max_pages_per_host: int = setting(
        0, "fetches of one host; its links that still wait then are surplus; 0 sets no limit", at_least=0
    )


@dataclass(frozen=True, slots=True)
class DirectiveSettings:
    """What pages ask of a crawler, and whether it does so."""

    robots: bool = setting(
        default=True, meaning="whether noindex, nofollow and none count, in <meta name=robots> and X-Robots-Tag"
    )
    nofollow_links: str = setting(
        "same-site",
        "which links with rel nofollow, ugc or sponsored are left: all, those within a registered domain, or none",
        choices=NOFOLLOW_LINKS,
    )
    canonical: bool = setting(
        default=True, meaning="whether a page that has the text of the one it names as canonical counts as that one"
    )
    refresh_s: float = setting(
        5.0, "a page that sends its reader on within so many seconds is a redirect; -1 for never", at_least=-1
    )
