"""What is looked for, in which world and with which strategy, and what may be spent on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from honeyguide.settings.declaring import setting
from honeyguide.settings.strategy_tables import STRATEGIES

PROFILES: Final = ("wikipedia", "han2018", "pertejo2021", "pertejo2021-dqn", "loop-detection")
WORLDS: Final = ("live", "synthetic", "synthetic+http", "wiki", "site", "replay")
OFFLINE_FETCHES: Final = 16
LIVE_FETCHES: Final = 256


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """What the crawl looks for."""

    name: str = setting("", "the topic, in a word or a sentence")
    keywords: tuple[str, ...] = setting((), "words that belong to the topic")
    like: tuple[str, ...] = setting(
        (), "examples of what is wanted: a text, @FILE for a file of HTML or text, or the URL of a page of the world"
    )
    unlike: tuple[str, ...] = setting((), "examples of what is not wanted, given in the same way")
    categories: tuple[str, ...] = setting((), "wider subjects the topic belongs to, such as Medicine for cancer")


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """Where the crawl goes and how it chooses."""

    world: str = setting(
        "live",
        "what is crawled: live, synthetic[:SPEC], synthetic+http[:SPEC], wiki:PATH, site:FOLDER@BASE_URL, "
        "site:FILE.warc.gz or replay:RUN",
    )
    seed_urls: tuple[str, ...] = setting((), "where to start; empty takes the starting points")
    sitemaps: tuple[str, ...] = setting(
        (), "sitemaps whose URLs are seeds too: XML, an index of several, packed or not, or a plain list"
    )
    feeds: tuple[str, ...] = setting((), "RSS, Atom or RDF feeds whose entries are seeds too")
    sitemaps_from_robots: bool = setting(
        default=False, meaning="whether the sitemaps count that the robots.txt of each seed's host names"
    )
    listed_urls: int = setting(5000, "URLs taken from sitemaps and feeds, the first that are listed", at_least=1)
    profile: str = setting(
        "",
        "settings laid under yours: wikipedia, with how its pages are read; han2018, pertejo2021 and pertejo2021-dqn, "
        "the learners of these papers; loop-detection, the guard of that one; empty for none",
    )
    strategy: str = setting("online-ridge", "how the next link is chosen", choices=STRATEGIES)
    seed: int = setting(0, "seed of every random choice", at_least=0)
    concurrency: int = setting(
        0, "fetches at once, over all hosts; 0 is 16 offline and 256 live, where most wait", at_least=0, at_most=4096
    )
    workers: int = setting(
        -1,
        "processes that parse and judge pages beside the crawl; 0 for none, -1 for one where pages come over HTTP, "
        "there is more than one core, and the budget is 500 fetches or more",
        at_least=-1,
        at_most=64,
    )
    starting_points: str = setting("", "path to your own list by topic; empty takes the shipped one")

    @property
    def has_starting_points(self) -> bool:
        """Whether the web of this world can have them: the shipped ones are pages of the live web, or of its replay."""
        return bool(self.starting_points) or self.world.partition(":")[0] in ("live", "replay")

    def fetches_at_once(self, *, is_live: bool) -> int:
        """How many fetches may be under way. Live, one that waits for its host's turn is among them."""
        return self.concurrency or (LIVE_FETCHES if is_live else OFFLINE_FETCHES)


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """What the crawl may spend; it stops at the first limit it meets."""

    fetches: int = setting(1000, "fetches to spend; every answer costs one, failures too", at_least=1)
    seconds: float = setting(0.0, "seconds to spend; 0 sets no limit", at_least=0)
    megabytes: float = setting(0.0, "megabytes of bodies to receive; 0 sets no limit", at_least=0)
    disk_megabytes: float = setting(0.0, "megabytes the run folder may take; 0 sets no limit", at_least=0)


@dataclass(frozen=True, slots=True)
class RefreshSettings:
    """A new pass over the pages of an earlier run: which of them are looked at first."""

    run: str = setting("", "the run whose pages are looked at again; honeyguide refresh sets it")
    change_days: float = setting(30.0, "days in which a page of which nothing is known changes once", above=0)
    relevance_weight: float = setting(
        0.5, "how much relevance counts; with 0 only age and change do", at_least=0, at_most=1
    )
