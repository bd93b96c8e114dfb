"""Flags of `honeyguide crawl` that say where to look: the world, where to start, and where to stay."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import typer

from honeyguide.cli.options import setting_option
from honeyguide.errors import SettingsError

PANEL: Final = "Where to look"

World: TypeAlias = Annotated[
    str | None,
    setting_option(
        "crawl.world",
        "--world",
        metavar="WORLD",
        panel=PANEL,
        help_text="What is crawled: live, the web; synthetic or synthetic:seed=1,pages=20000; "
        "synthetic+http, the same served on loopback; wiki:PATH, a built dump; site:FOLDER@BASE_URL or "
        "site:FILE.warc.gz; replay:RUN.",
    ),
]
SeedUrls: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "crawl.seed_urls",
        "--seed-url",
        metavar="URL",
        panel=PANEL,
        help_text="Where to start; may be given several times. Without it: the entry pages of an offline world, "
        "or a shipped list of well-known places by topic (your own: --set crawl.starting_points=FILE).",
    ),
]
Sitemaps: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "crawl.sitemaps",
        "--sitemap",
        metavar="URL",
        panel=PANEL,
        help_text="Start at what this sitemap lists; repeatable. Those in robots.txt: "
        "--set crawl.sitemaps_from_robots=true.",
    ),
]
Feeds: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "crawl.feeds",
        "--feed",
        metavar="URL",
        panel=PANEL,
        help_text="Start at the entries of this RSS or Atom feed; repeatable.",
    ),
]
Profile: TypeAlias = Annotated[
    str | None,
    setting_option(
        "crawl.profile",
        "--profile",
        metavar="NAME",
        panel=PANEL,
        help_text="Settings laid under yours. wikipedia: text from the first paragraph on, links to articles only, "
        "a longer pause every ten fetches; han2018, pertejo2021, pertejo2021-dqn: the learners of these papers, for "
        "--preset or a topic with categories; loop-detection: the guard of that paper and no more.",
    ),
]
AllowedHosts: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "scope.allow_hosts",
        "--allow-host",
        metavar="HOST",
        panel=PANEL,
        help_text="Stay on this host, or on all of *.example.org; may be given several times.",
    ),
]
DeniedHosts: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "scope.deny_hosts",
        "--deny-host",
        metavar="HOST",
        panel=PANEL,
        help_text="Never ask this host; may be given several times.",
    ),
]
AllowedPaths: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "scope.allow_paths",
        "--allow-path",
        metavar="REGEX",
        panel=PANEL,
        help_text="Follow only links with this in path or query; may be given several times.",
    ),
]
DeniedPaths: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "scope.deny_paths",
        "--deny-path",
        metavar="REGEX",
        panel=PANEL,
        help_text="Follow no link with this in path or query; may be given several times.",
    ),
]
StayOnSeedHosts: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--stay-on-seed-hosts",
        metavar="",
        show_default=False,
        rich_help_panel=PANEL,
        help="Stay on the hosts of the seeds.",
    ),
]
StayOnDomain: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--stay-on-domain",
        metavar="",
        show_default=False,
        rich_help_panel=PANEL,
        help="Stay on the registered domains of the seeds: of www.example.co.uk, on example.co.uk and all below.",
    ),
]
Prefixes: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "scope.allow_prefixes",
        "--under",
        metavar="PREFIX",
        panel=PANEL,
        help_text="Follow only links under this: /docs/ or https://example.org/docs/; repeatable.",
    ),
]
MaxDepth: TypeAlias = Annotated[
    str | None,
    setting_option(
        "scope.max_depth",
        "--max-depth",
        metavar="CLICKS",
        panel=PANEL,
        help_text="Follow no link farther from a seed; 0 sets no limit.",
    ),
]
MaxPagesPerHost: TypeAlias = Annotated[
    str | None,
    setting_option(
        "scope.max_pages_per_host",
        "--max-pages-per-host",
        metavar="N",
        panel=PANEL,
        help_text="Ask no host more often; 0 sets no limit.",
    ),
]
RestartUrls: TypeAlias = Annotated[
    list[str] | None,
    setting_option(
        "restart.urls",
        "--restart-url",
        metavar="URL",
        panel=PANEL,
        help_text="A seed kept for restarts; repeatable. When they happen: --set restart.every_fetches=1000, or "
        "--set restart.reward_share=0.3.",
    ),
]
AllowPrivate: TypeAlias = Annotated[
    bool | None,
    setting_option(
        "fetch.allow_private",
        "--allow-private",
        metavar="",
        panel=PANEL,
        help_text="Also call loopback, private and link-local addresses: for a site on this machine or network.",
    ),
]


def stay_on(*, seed_hosts: bool, domain: bool) -> str | None:
    """The setting `scope.stay_on` that the two flags stand for; None where neither is given."""
    if seed_hosts and domain:
        raise SettingsError(["--stay-on-seed-hosts and --stay-on-domain ask for two things; leave one out"])
    return "seed-hosts" if seed_hosts else "seed-domains" if domain else None
