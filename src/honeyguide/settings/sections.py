"""The sections of settings for what is crawled, where it may go, and what a run keeps.

Each section is a dataclass whose fields carry their default, their meaning in one line, and the values they may take.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from honeyguide.registry import STRATEGIES
from honeyguide.settings.declaring import setting

# Compared where nobody says what: two floors, the usual baseline, and the default.
USUAL_STRATEGIES: Final = ("breadth-first", "random", "best-first", "online-ridge")
PROFILES: Final = ("wikipedia", "han2018", "pertejo2021", "pertejo2021-dqn", "loop-detection")
SHIPPED_START: Final = "shipped"
OFFLINE_FETCHES: Final = 16
LIVE_FETCHES: Final = 256
MOST_FETCHES_LOOKED_AT: Final = 100_000
_YIELD_RULE: Final = re.compile(r"yield\s*<\s*(\d{1,9}(?:\.\d{1,9})?)\s*%\s*over\s+(\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """The topic that the crawl looks for."""

    name: str = setting("", "the topic, in a word or a sentence", everyday=True)
    keywords: tuple[str, ...] = setting((), "words that belong to the topic", everyday=True)
    like: tuple[str, ...] = setting(
        (),
        "examples of what is wanted: a text, @FILE for a file of HTML or text, or the URL of a page of the world",
        everyday=True,
    )
    unlike: tuple[str, ...] = setting((), "examples of what is not wanted, given in the same way", everyday=True)
    categories: tuple[str, ...] = setting(
        (), "wider subjects the topic belongs to, such as Medicine for cancer", everyday=True
    )


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """Where the crawl goes and how it chooses."""

    world: str = setting(
        "live",
        "what is crawled: live, synthetic[:SPEC], synthetic+http[:SPEC], wiki:PATH, site:FOLDER@BASE_URL, "
        "site:FILE.warc.gz or replay:RUN",
        everyday=True,
    )
    seed_urls: tuple[str, ...] = setting((), "where to start; empty takes the starting points", everyday=True)
    sitemaps: tuple[str, ...] = setting(
        (), "sitemaps whose URLs are seeds too: XML, an index of several, packed or not, or a plain list", everyday=True
    )
    feeds: tuple[str, ...] = setting((), "RSS, Atom or RDF feeds whose entries are seeds too", everyday=True)
    sitemaps_from_robots: bool = setting(
        default=False, meaning="whether the sitemaps count that the robots.txt of each seed's host names"
    )
    listed_urls: int = setting(5000, "URLs taken from sitemaps and feeds, the first that are listed", at_least=1)
    profile: str = setting(
        "",
        "settings laid under yours: wikipedia, with how its pages are read; han2018, pertejo2021 and pertejo2021-dqn, "
        "the learners of these papers; loop-detection, guard and order of that one; empty for none",
        everyday=True,
    )
    strategy: str = setting("online-ridge", "how the next link is chosen", choices=STRATEGIES, everyday=True)
    learn_from: tuple[str, ...] = setting(
        (),
        "earlier runs, or files that honeyguide learner wrote, whose learner this one begins with; shipped is ours",
        names_file=lambda value: bool(value.strip()) and value != SHIPPED_START,
    )
    seed: int = setting(0, "seed of every random choice", at_least=0, everyday=True)
    concurrency: int = setting(
        0,
        "fetches at once, over all hosts; 0 is 16 offline and 256 live, where most wait",
        at_least=0,
        at_most=4096,
        everyday=True,
    )
    hurry: float = setting(
        0.02,
        "how much time counts against fetches while a good host rests: 0 not at all, the best link is waited for; "
        "at 1 the crawl never waits; at 0.02 a wait in which 50 others could be fetched must bring twice as much",
        at_least=0,
        at_most=1,
    )
    blind_spots: float = setting(
        0.0,
        "share of fetches that go to waiting links drawn by chance, whatever the strategy thinks of them, to estimate "
        "how many relevant pages it leaves; 0.05 costs little and tells much",
        at_least=0,
        at_most=1,
    )
    on_page: str = setting(
        "",
        "a Python function that is shown every page, as module:function or FILE.py:function; empty for none",
        names_file=lambda value: value.rpartition(":")[0].endswith(".py"),
    )
    on_page_timeout_s: float = setting(10.0, "seconds that it may take over a page, which is lost otherwise", above=0)
    workers: int = setting(
        -1,
        "processes that parse and judge pages beside the crawl; 0 for none, -1 for one where pages come over HTTP, "
        "there is more than one core, and the budget is 500 fetches or more; then more, up to one a core, where the "
        "crawl waits for them",
        at_least=-1,
        at_most=64,
        everyday=True,
    )
    starting_points: str = setting("", "path to your own list by topic; empty takes the shipped one")

    @property
    def has_starting_points(self) -> bool:
        """Whether the web of this world can have them: the shipped ones are pages of the live web, or of its replay."""
        return bool(self.starting_points) or self.world.partition(":")[0] in ("live", "replay")

    def fetches_at_once(self, *, is_live: bool) -> int:
        """Return how many fetches may be under way. Live, one that waits for its host's turn is among them."""
        return self.concurrency or (LIVE_FETCHES if is_live else OFFLINE_FETCHES)


UNRECORDED: Final = ("unknown", "404")


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """Answers of a world that holds a part of the web."""

    missing: str = setting(
        "unknown",
        "what a link gives that the files behind site: do not hold: unknown, which costs and teaches nothing, or 404",
        choices=UNRECORDED,
    )


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """Limits of the crawl; it stops at the first that it meets."""

    fetches: int = setting(
        1000,
        "fetches to spend, 1,000,000,000 at most; every answer costs one, failures too",
        at_least=1,
        at_most=1_000_000_000,
        everyday=True,
    )
    relevant: int = setting(0, "relevant pages that are enough; 0 sets no limit", at_least=0, everyday=True)
    stop_when: str = setting(
        "", "when too few of the last fetches brought a relevant page, as in yield < 2% over 500", everyday=True
    )
    seconds: float = setting(
        0.0, "seconds to spend, live with up to 5 more for pages under way; 0 sets no limit", at_least=0, everyday=True
    )
    megabytes: float = setting(0.0, "megabytes of bodies to receive; 0 sets no limit", at_least=0)
    disk_megabytes: float = setting(0.0, "megabytes the run folder may take; 0 sets no limit", at_least=0)
    free_disk_megabytes: float = setting(
        200.0,
        "megabytes to be left free on the disk; the crawl stops before and can be resumed; 0 for none",
        at_least=0,
    )
    memory_megabytes: float = setting(
        0.0,
        "megabytes of memory the process may take; the crawl then stops and can be resumed; 0 takes three quarters of "
        "what the machine or its container has",
        at_least=0,
        everyday=True,
    )


class YieldRule(NamedTuple):
    """The share of the last fetches that must have brought a relevant page, or the crawl stops."""

    share: float
    fetches: int


@cache
def yield_rule(text: str) -> YieldRule | None:
    """Read a rule such as `yield < 2% over 500`; None of an empty text. ValueError where it is neither."""
    if not text:
        return None
    found = _YIELD_RULE.fullmatch(text.strip())
    if found is None:
        raise ValueError("write it as 'yield < 2% over 500', for 2% of the last 500 fetches")
    rule = YieldRule(float(found[1]) / 100, int(found[2]))
    if not (0 < rule.share <= 1 and 0 < rule.fetches <= MOST_FETCHES_LOOKED_AT):
        raise ValueError(f"give up to 100%, but not 0, over 1 to {MOST_FETCHES_LOOKED_AT} fetches")
    return rule


@dataclass(frozen=True, slots=True)
class RefreshSettings:
    """A new pass over the pages of an earlier run: which of them are looked at first."""

    run: str = setting("", "the run whose pages are looked at again; honeyguide refresh sets it")
    new_links: float = setting(
        0.2,
        "share of the fetches of a pass for links that the run had not met; 0 follows none",
        at_least=0,
        at_most=0.9,
    )
    change_days: float = setting(30.0, "days in which a page of which nothing is known changes once", above=0)
    relevance_weight: float = setting(
        0.5, "how much relevance counts; with 0 only age and change do", at_least=0, at_most=1
    )


PAGE_RULES: Final = ("noindex", "nofollow", "noai", "noimageai", "tdm")
RESPECT: Final = ("usual", "strict")
SITE_FILES: Final = ("tdmrep.json", "ai.txt", "llms.txt")
NOFOLLOW_LINKS: Final = ("all", "same-site", "none")
STAY_ON: Final = ("anywhere", "seed-hosts", "seed-domains")


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """Where the crawl may go. A list of what is allowed leaves out all else; what is denied stays out in any case."""

    allow_hosts: tuple[str, ...] = setting(
        (), "hosts to stay on, * for any part: example.org, *.example.org", everyday=True
    )
    deny_hosts: tuple[str, ...] = setting((), "hosts never to ask", everyday=True)
    allow_paths: tuple[str, ...] = setting(
        (), "regular expressions (RE2), one of which must be found in path and query", everyday=True
    )
    deny_paths: tuple[str, ...] = setting(
        (), "regular expressions (RE2) none of which may be found in path and query", everyday=True
    )
    allow_titles: tuple[str, ...] = setting((), "a page without one of these in its title counts and gives nothing")
    deny_titles: tuple[str, ...] = setting((), "a page with one of these in its title counts and gives nothing")
    domains: tuple[str, ...] = setting(
        (), "domains to stay on, all hosts below them included: example.org; they add to allow_hosts"
    )
    stay_on: str = setting(
        "anywhere",
        "what the seeds add: their hosts to allow_hosts, or their registered domains to domains",
        choices=STAY_ON,
        everyday=True,
    )
    allow_prefixes: tuple[str, ...] = setting(
        (),
        "beginnings, one of which every URL must have: /docs/ of its path, or https://example.org/docs/ in full",
        everyday=True,
    )
    deny_prefixes: tuple[str, ...] = setting((), "beginnings that no URL may have, written in the same way")
    allow_urls: tuple[str, ...] = setting((), "regular expressions, one of which must be found in the whole URL")
    deny_urls: tuple[str, ...] = setting((), "regular expressions none of which may be found in the whole URL")
    follow_links: bool = setting(default=True, meaning="whether links are followed; false fetches the seeds alone")
    max_depth: int = setting(0, "clicks from a seed; 0 sets no limit", at_least=0, everyday=True)
    max_pages: int = setting(0, "URLs to consider, the first that are met, seeds included; 0 sets no limit", at_least=0)
    share: float = setting(
        1.0,
        "share of all URLs to consider, drawn by a hash; links to others do not count; 1 is all",
        above=0,
        at_most=1,
    )
    share_seed: int = setting(0, "seed of that draw", at_least=0, at_most=2**32 - 1)
    max_pages_per_host: int = setting(
        0, "fetches of one host; further links to it are not followed; 0 sets no limit", at_least=0, everyday=True
    )


@dataclass(frozen=True, slots=True)
class DirectiveSettings:
    """Requests of pages to crawlers, and whether they are followed."""

    respect: str = setting(
        "usual",
        "usual: as obey says, and other reservations are recorded; strict: nothing is kept that its publisher reserved",
        choices=RESPECT,
    )
    obey: tuple[str, ...] = setting(
        ("noindex", "nofollow"),
        "rules of pages that count, in <meta name=robots>, X-Robots-Tag and the headers and tags about text and data "
        "mining (tdm): nofollow, and those by which a page is not kept: noindex, noai, noimageai, tdm",
        choices=PAGE_RULES,
    )
    site_files: tuple[str, ...] = setting(
        (),
        "files asked for once a day of each host that is crawled, and recorded: tdmrep.json, ai.txt, llms.txt; strict "
        "asks for the first two and obeys them",
        choices=SITE_FILES,
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

    @property
    def is_strict(self) -> bool:
        return self.respect == "strict"

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of pages that count."""
        return PAGE_RULES if self.is_strict else self.obey

    @property
    def files(self) -> tuple[str, ...]:
        """The files that are asked for besides robots.txt."""
        needed = ("tdmrep.json", "ai.txt") if self.is_strict else ()
        return tuple(name for name in SITE_FILES if name in (*self.site_files, *needed))


PDF: Final = "application/pdf"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ODT: Final = "application/vnd.oasis.opendocument.text"
EPUB: Final = "application/epub+zip"
DOCUMENT_TYPES: Final = (PDF, DOCX, ODT, EPUB)


@dataclass(frozen=True, slots=True)
class ParseSettings:
    """How much of a page is read, and what that may cost. A page beyond a limit is cut; its record names the limit."""

    deadline_s: float = setting(
        10.0, "seconds of processor time that reading a page may take; after that it is unreadable", above=0
    )
    max_memory_megabytes: int = setting(
        1000,
        "megabytes that a process that reads pages may take on for one; a page that needs more is unreadable",
        at_least=1,
    )
    documents: bool = setting(
        default=False,
        meaning="whether PDF (extra documents), .docx, .odt and .epub files are read as pages; live, they are fetched",
    )
    max_pages: int = setting(500, "pages of a PDF that are read, the first", at_least=1)
    max_links: int = setting(2000, "links of one page that are read, the first", at_least=0)
    max_words: int = setting(50_000, "words of one page that are judged and learned from, the first", at_least=1)
    max_word_characters: int = setting(100, "characters of a word", at_least=1)
    max_anchor_characters: int = setting(1000, "characters of a link's text", at_least=1)
    max_title_characters: int = setting(1000, "characters of a title", at_least=1)
    max_url_characters: int = setting(2000, "characters of a URL; links to longer ones are left out", at_least=1)
    window_words: int = setting(
        25, "words on each side of a link that count as its surroundings", at_least=0, at_most=1000
    )
    fields: tuple[str, ...] = setting(
        (),
        "values read from every page, as in price:number=css:.price; a table [fields] of such pairs says the same",
    )


FOUND_AGAIN: Final = ("first", "best", "merge", "latest")
RESTART_SOURCES: Final = ("urls", "starting-points", "unexplored")


@dataclass(frozen=True, slots=True)
class FrontierSettings:
    """The waiting links."""

    found_again: str = setting("best", "which sighting counts when several pages show one link", choices=FOUND_AGAIN)


@dataclass(frozen=True, slots=True)
class RankSettings:
    """Ranks of the pages met, kept while the crawl goes on."""

    every: int = setting(
        0, "pages between two computations of PageRank over the links met so far; 0 for none", at_least=0
    )
    epsilon: float = setting(1e-4, "change of all ranks together at which they are good enough", above=0)


@dataclass(frozen=True, slots=True)
class RestartSettings:
    """When the crawl begins anew elsewhere, and where. Off, unless one of the first four is set."""

    every_fetches: int = setting(0, "fetches after which it does, again and again; 0 for never", at_least=0)
    every_s: float = setting(0.0, "seconds after which it does; 0 for never", at_least=0)
    reward_share: float = setting(
        0.0,
        "it does when the mean reward falls below this share of the best mean so far; 0 for never",
        at_least=0,
        at_most=1,
    )
    novelty_share: float = setting(
        0.0,
        "the same for the mean novelty: of a page, the share of its links that were never met; 0 where the guard has "
        "found it out, and for a fetch that failed",
        at_least=0,
        at_most=1,
    )
    window: int = setting(
        200, "fetches that the means are taken over; after a restart as many have to pass before the next", at_least=1
    )
    most: int = setting(20, "restarts of a run at most", at_least=1)
    links: int = setting(5, "links that go first at each", at_least=1)
    sources: tuple[str, ...] = setting(
        ("urls", "starting-points", "unexplored"),
        "where these come from, the first that has any: restart.urls; the starting points of the topic, the "
        "shipped ones on the live web alone; or the best waiting links of the hosts that were asked least",
    )
    urls: tuple[str, ...] = setting((), "seed URLs kept for restarts; each is used once")

    @property
    def is_on(self) -> bool:
        return bool(self.every_fetches or self.every_s or self.reward_share or self.novelty_share)


ARCHIVES: Final = ("store", "warc", "none")
INDEX_LANGUAGES: Final = (
    "judge", "none", "english", "german", "french", "spanish", "italian", "portuguese", "dutch", "arabic", "danish",
    "finnish", "greek", "hungarian", "norwegian", "romanian", "russian", "swedish", "tamil", "turkish",
)  # fmt: skip
INDEXED_LIVE: Final = ("auto", "on", "off")
MOST_WEIGHT: Final = 1000


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The content of a run folder."""

    archive: str = setting(
        "store",
        "where bodies are kept: in the store, packed; as WARC files with everything else that was answered; nowhere",
        choices=ARCHIVES,
        everyday=True,
    )
    archive_file_megabytes: float = setting(1000.0, "megabytes after which a new WARC file is begun", above=0)
    snapshot_every: int = setting(200, "steps between two snapshots of the learner", at_least=1)


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """A crawl on several machines, or in several processes (--cluster)."""

    shards: int = setting(
        16,
        "parts into which the hosts of a run are divided, by registered domain; fixed when the run begins, and no more "
        "workers than this can crawl it",
        at_least=1,
        at_most=4096,
    )
    share_every: int = setting(
        20, "pages of other shards, at most about so many, that the learner of a shard does not know yet", at_least=1
    )
    lease: int = setting(
        1, "fetches of the budget that a shard is given at once, beyond those that it has begun", at_least=1
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The full-text index of a run, how its pages are ordered for a query, and which of them are left out."""

    live: str = setting(
        "auto",
        "whether pages go into the index while they are crawled: on, off, or auto, where pages come over HTTP",
        choices=INDEXED_LIVE,
    )
    commit_every: int = setting(500, "pages after which those in the index are made safe and found", at_least=1)
    language: str = setting(
        "judge", "whose stems the index knows; judge takes judge.language if it knows them, none keeps them whole",
        choices=INDEX_LANGUAGES, everyday=True,
    )  # fmt: skip
    match: str = setting("all", "whether a page must have all words of a query or any", choices=("all", "any"))
    text_weight: float = setting(
        1.0, "how much the words of the page count for its place", at_least=0, at_most=MOST_WEIGHT
    )
    rank_weight: float = setting(0.1, "how much the links to it count (PageRank)", at_least=0, at_most=MOST_WEIGHT)
    topic_weight: float = setting(
        0.2, "how much its relevance to the run's topic counts", at_least=0, at_most=MOST_WEIGHT
    )
    meaning_weight: float = setting(
        1.0, "how much its vector counts, in a semantic search", at_least=0, at_most=MOST_WEIGHT
    )
    title_boost: float = setting(
        1.0, "times that a word in the title counts as much as one in the text", at_least=0, at_most=MOST_WEIGHT
    )
    collapse: bool = setting(default=True, meaning="whether pages with the same text, or nearly so, are shown as one")
    hide_traps: bool = setting(
        default=False,
        meaning="whether pages are left out that the guard took for a trap, relevant ones too",
    )
    min_quality: float = setting(
        0.0, "quality of the text below which a page is left out; 0 leaves out none", at_least=0, at_most=1
    )
    blocked_words: str = setting(
        "",
        "a file of words and phrases, one a line: pages that have one of them are left out; empty for none",
        names_file=lambda value: bool(value.strip()),
    )
