"""The settings themselves: one dataclass per section, one declaration per field.

Each field carries its default, its meaning in one line, and the values it may take. Sections hold no
behaviour beyond what their own fields decide.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Final

from honeyguide.settings.declaring import setting
from honeyguide.settings.guard_table import GuardSettings
from honeyguide.settings.strategy_tables import (
    STRATEGIES,
    BeamSettings,
    BestFirstSettings,
    DqnSettings,
    LfaSettings,
    ModifiedDepthFirstSettings,
    ParseOrSkipQSettings,
    ParseOrSkipSettings,
    RandomSkipSettings,
    RidgeSettings,
    UrlHeuristicSettings,
    WeightedBreadthFirstSettings,
)

__all__ = ["GuardSettings", "Settings"]

PROFILES: Final = ("wikipedia", "han2018", "pertejo2021", "pertejo2021-dqn", "loop-detection")
WORLDS: Final = ("live", "synthetic", "synthetic+http", "wiki", "site", "replay")
JUDGES: Final = ("keyword", "tfidf", "embedding", "embedding-tfidf", "rake", "classifier", "neural", "combined")
LANGUAGES: Final = ("english", "german", "french", "spanish", "italian", "portuguese", "dutch")
RAKE_SCORES: Final = ("words", "phrases")
RELEVANT_WHEN: Final = ("threshold", "word")
# Rewards that have a value for each of several thresholds, and those that do not.
LADDER_REWARDS: Final = ("han2018", "pertejo-30-30-20", "pertejo-30-20-10", "pertejo-code")
REWARDS: Final = ("score", "hit", "pertejo-cosine", *LADDER_REWARDS, "lim2016")
ARCHIVES: Final = ("store", "warc", "none")
NOFOLLOW_LINKS: Final = ("all", "same-site", "none")
STAY_ON: Final = ("anywhere", "seed-hosts", "seed-domains")
RESTART_SOURCES: Final = ("urls", "starting-points", "unexplored")
FOUND_AGAIN: Final = ("first", "best", "merge", "latest")
INDEX_LANGUAGES: Final = (
    "judge", "none", *LANGUAGES, "arabic", "danish", "finnish", "greek", "hungarian", "norwegian", "romanian",
    "russian", "swedish", "tamil", "turkish",
)  # fmt: skip
INDEXED_LIVE: Final = ("auto", "on", "off")

CONTACT_PLACEHOLDER: Final = "set fetch.contact"
LONGEST_REST_S: Final = 24 * 3600.0
"""The longest that a host is left alone because it asked for it."""
OFFLINE_FETCHES: Final = 16
LIVE_FETCHES: Final = 256


def _version() -> str:
    try:
        return metadata.version("honeyguide")
    except metadata.PackageNotFoundError:  # run from a source tree that was never installed
        return "0"


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
class FetchSettings:
    """How one URL is asked for."""

    user_agent: str = setting(
        f"Honeyguide/{_version()} (focused crawler; {CONTACT_PLACEHOLDER})",
        "the name given to every server; robots.txt is asked about what stands before the slash",
    )
    contact: str = setting("", "where a site's owner can reach you, sent with the user agent")
    accept_language: str = setting("", "languages asked for, as in 'en, de;q=0.5'; empty asks for none")
    connect_timeout_s: float = setting(10.0, "seconds a connection may take, names looked up and TLS agreed", above=0)
    first_byte_timeout_s: float = setting(
        20.0, "seconds a host may take from then on until its headers are in", above=0
    )
    timeout_s: float = setting(30.0, "seconds an answer may take, from connecting to the last byte", above=0)
    content_types: tuple[str, ...] = setting(
        (
            "text/html",
            "application/xhtml+xml",
            "application/vnd.wap.xhtml+xml",
            "text/plain",
            "text/xml",
            "application/xml",
        ),
        "types whose bodies are read, * for any part; others are given up before",
    )
    max_body_bytes: int = setting(5_000_000, "bytes of an unpacked body; a longer one is given up", at_least=1)
    max_redirects: int = setting(10, "redirects followed in a row from one link", at_least=0)
    retries: int = setting(
        2, "times a link is fetched again, live, after a trouble that may pass; each costs a fetch", at_least=0
    )
    backoff_s: float = setting(
        10.0, "seconds a host in trouble is left alone at first; doubled at every further trouble in a row", at_least=0
    )
    max_retry_after_s: float = setting(
        600.0, "seconds of backoff, and of Retry-After, at most; where a host asks for more, its link fails", at_least=0
    )
    kept_connections: int = setting(512, "connections kept open at once for the hosts' next pages", at_least=0)
    cookies: bool = setting(default=False, meaning="whether cookies are sent back to the hosts that set them")
    proxy: str = setting("", "the HTTP proxy that everything is asked through, as in http://proxy:3128; empty for none")
    proxy_login: str = setting("", "a file that holds user:password for the proxy; empty for none")
    allow_private: bool = setting(
        default=False,
        meaning="whether loopback, private, link-local and other addresses that are not public may be called",
    )

    def longest_backoff_s(self, troubles: int) -> float:
        """Seconds that a host is left alone after so many troubles in a row, at most; at least it is half of that."""
        return min(self.backoff_s * 2.0 ** min(troubles - 1, 60), self.max_retry_after_s)

    @property
    def has_contact(self) -> bool:
        """Whether the user agent says whose crawler this is."""
        return CONTACT_PLACEHOLDER not in self.identity

    @property
    def identity(self) -> str:
        """The user agent as sent: with the contact in it, where one is given."""
        if not self.contact or self.contact in self.user_agent:
            return self.user_agent
        if CONTACT_PLACEHOLDER in self.user_agent:
            return self.user_agent.replace(CONTACT_PLACEHOLDER, self.contact)
        return f"{self.user_agent} ({self.contact})"

    @property
    def product(self) -> str:
        """The name by which a page may address us: what the user agent begins with."""
        return re.split(r"[\s/;()]", self.user_agent.strip(), maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """Pages of the live web that are empty until a browser has run their scripts."""

    enabled: bool = setting(default=False, meaning="whether such pages are run in headless Chromium (extra: browser)")
    browser: str = setting("", "path to Chromium or Chrome; empty looks for one")
    sandbox: bool = setting(
        default=True, meaning="whether the browser is shut in by the system; root and most containers need false"
    )
    timeout_s: float = setting(20.0, "seconds a page may take until it is at rest; then it is taken as it is", above=0)
    max_requests: int = setting(40, "requests that the scripts of one page may make", at_least=0)
    at_once: int = setting(2, "pages rendered at once", at_least=1, at_most=64)


@dataclass(frozen=True, slots=True)
class RefreshSettings:
    """A new pass over the pages of an earlier run: which of them are looked at first."""

    run: str = setting("", "the run whose pages are looked at again; honeyguide refresh sets it")
    change_days: float = setting(30.0, "days in which a page of which nothing is known changes once", above=0)
    relevance_weight: float = setting(
        0.5, "how much relevance counts; with 0 only age and change do", at_least=0, at_most=1
    )


@dataclass(frozen=True, slots=True)
class PolitenessSettings:
    """How gently a host is treated."""

    obey_robots: bool = setting(default=True, meaning="whether robots.txt decides what may be fetched")
    delay_s: float = setting(1.0, "seconds between two requests to one host", at_least=0)
    max_delay_s: float = setting(60.0, "seconds a host may ask for at most between requests", at_least=0)
    delay_factor: float = setting(
        1.0,
        "how many times the seconds its last answer took a live host rests, between delay_s and max_delay_s; 0 for off",
        at_least=0,
    )
    per_address: bool = setting(
        default=True,
        meaning="whether hosts that are found at one IP address share one pause, and one request at a time",
    )
    patience_s: float = setting(
        600.0, "seconds that a live crawl waits for hosts when nothing else is to be done, before it stops", at_least=0
    )
    pause_every: int = setting(0, "fetches after which the host asked last rests longer; 0 for never", at_least=0)
    pause_from_s: float = setting(1.0, "seconds of that rest, on top of the usual, at least", at_least=0)
    pause_to_s: float = setting(2.2, "seconds of that rest at most; drawn at random between the two", at_least=0)

    def pause_s(self, response_s: float = 0.0, asked_s: float = 0.0) -> float:
        """Seconds between the end of an answer and the next request, given how long the answer took and what is asked.

        Never below `delay_s`, and above it only up to `max_delay_s`.
        """
        return max(self.delay_s, min(max(self.delay_factor * response_s, asked_s), self.max_delay_s))


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How a page's relevance is judged."""

    kind: str = setting("embedding", "how relevance is measured", choices=JUDGES)
    threshold: float = setting(
        0.0, "relevance that makes a page relevant; 0 takes the judge's own", at_least=0, at_most=1
    )
    relevant_when: str = setting(
        "threshold",
        "what makes a page relevant: its relevance, or a topic word in its main text",
        choices=RELEVANT_WHEN,
    )
    stemming: bool = setting(
        default=False,
        meaning="whether rock and rocks are one word to the keyword judge, to relevant_when = word and to the ladders",
    )
    language: str = setting("english", "whose stems and stop words are used", choices=LANGUAGES)
    idf: str = setting(
        "seen", "where idf comes from: seen, the pages crawled so far, or a file that holds a reference collection"
    )
    rake_score: str = setting(
        "words",
        "how RAKE scores keywords: by their words (Rose), or by the candidates that use them (Lim)",
        choices=RAKE_SCORES,
    )
    rake_keywords: int = setting(0, "how many of a page's best keywords rake looks at; 0 is all", at_least=0)
    lower: float = setting(
        2 / 3, "similarity from which on a keyword counts for rake, and a word for specific", at_least=0, at_most=1
    )
    upper: float = setting(
        1.0, "similarity at which a keyword is too near to count; 1 is no such bound", above=0, at_most=1
    )
    specific: bool = setting(
        default=False, meaning="whether a keyword must be as specific as the phrase it counts for, to rake"
    )
    classifier: str = setting(
        "",
        "a classifier of one's own over main texts, module:attribute or a .joblib file; empty learns from the examples",
    )
    digest: str = setting(
        "", "of the files of idf and classifier a run began with, filled in by the program; empty is not checked"
    )
    parts: tuple[str, ...] = setting((), "the judges that combined asks, with weights, as in embedding:2 and tfidf:1")
    reward: str = setting("score", "what a judged page earns the strategy", choices=REWARDS)
    reward_values: tuple[float, ...] = setting(
        (), "a ladder's own values: with a topic word, above each threshold in turn, otherwise; empty takes the paper's"
    )
    reward_thresholds: tuple[float, ...] = setting(
        (), "a ladder's own thresholds of the cosine with the topic, falling; empty takes the paper's"
    )


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


@dataclass(frozen=True, slots=True)
class VectorSettings:
    """Where the vectors of words come from."""

    source: str = setting(
        "wordllama", "wordllama for those that come with the program, or a GloVe, word2vec or fastText .vec file"
    )
    cache_folder: str = setting(
        "", "where files of vectors are kept converted; empty takes honeyguide/vectors in the user's cache folder"
    )
    digest: str = setting(
        "", "of the vectors a run began with, filled in by the program: it goes on with no others; empty is not checked"
    )

    @property
    def cache_path(self) -> Path:
        """The folder of the cache, where `cache_folder` names none: `$XDG_CACHE_HOME` or `~/.cache` decides."""
        if self.cache_folder:
            return Path(self.cache_folder).expanduser()
        users = os.environ.get("XDG_CACHE_HOME", "")
        # By its own specification, a relative path in the variable counts for nothing.
        return (Path(users) if users.startswith("/") else Path("~/.cache").expanduser()) / "honeyguide" / "vectors"


@dataclass(frozen=True, slots=True)
class FrontierSettings:
    """How waiting links are kept."""

    found_again: str = setting("best", "which sighting counts when several pages show one link", choices=FOUND_AGAIN)


@dataclass(frozen=True, slots=True)
class RankSettings:
    """Ranks of the pages met, kept while the crawl goes on."""

    every: int = setting(
        0, "pages between two computations of PageRank over the links met so far; 0 for none", at_least=0
    )
    damping: float = setting(0.85, "share of steps that follow a link, in PageRank", at_least=0, at_most=1)
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
    most: int = setting(20, "restarts of a run at most", at_least=0)
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


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What a run folder keeps."""

    archive: str = setting(
        "store",
        "where bodies are kept: in the store, packed; as WARC files with everything else that was answered; nowhere",
        choices=ARCHIVES,
    )
    archive_file_megabytes: float = setting(1000.0, "megabytes after which a new WARC file is begun", above=0)
    snapshot_every: int = setting(200, "steps between two snapshots of the learner", at_least=1)


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
        "judge", "whose stems the index knows; judge takes judge.language, none keeps words as they are",
        choices=INDEX_LANGUAGES,
    )  # fmt: skip
    match: str = setting("all", "whether a page must have all words of a query or any", choices=("all", "any"))
    text_weight: float = setting(1.0, "how much the words of the page count for its place", at_least=0)
    rank_weight: float = setting(0.1, "how much the links to it count (PageRank)", at_least=0)
    topic_weight: float = setting(0.2, "how much its relevance to the run's topic counts", at_least=0)
    meaning_weight: float = setting(1.0, "how much its vector counts, in a semantic search", at_least=0)
    title_boost: float = setting(1.0, "times that a word in the title counts as much as one in the text", at_least=0)
    collapse: bool = setting(default=True, meaning="whether pages with the same text, or nearly so, are shown as one")
    hide_traps: bool = setting(
        default=False, meaning="whether pages are left out that the guard took for a trap, relevant ones too"
    )
    min_quality: float = setting(
        0.0, "quality of the text below which a page is left out; 0 leaves out none", at_least=0, at_most=1
    )
    blocked_words: str = setting(
        "", "a file of words and phrases, one a line: pages that have one of them are left out; empty for none"
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a run. The defaults are polite, and complete but for the topic."""

    topic: TopicSettings = field(default_factory=TopicSettings)
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    render: RenderSettings = field(default_factory=RenderSettings)
    refresh: RefreshSettings = field(default_factory=RefreshSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    directives: DirectiveSettings = field(default_factory=DirectiveSettings)
    vectors: VectorSettings = field(default_factory=VectorSettings)
    frontier: FrontierSettings = field(default_factory=FrontierSettings)
    ranks: RankSettings = field(default_factory=RankSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    restart: RestartSettings = field(default_factory=RestartSettings)
    # A method's table carries the strategy's own name.
    best_first: BestFirstSettings = field(default_factory=BestFirstSettings)
    beam: BeamSettings = field(default_factory=BeamSettings)
    url_heuristic: UrlHeuristicSettings = field(default_factory=UrlHeuristicSettings)
    modified_depth_first: ModifiedDepthFirstSettings = field(default_factory=ModifiedDepthFirstSettings)
    ridge: RidgeSettings = field(default_factory=RidgeSettings, metadata={"table": "online_ridge"})
    weighted_breadth_first: WeightedBreadthFirstSettings = field(default_factory=WeightedBreadthFirstSettings)
    parse_or_skip: ParseOrSkipSettings = field(default_factory=ParseOrSkipSettings)
    parse_or_skip_q: ParseOrSkipQSettings = field(default_factory=ParseOrSkipQSettings)
    random_skip: RandomSkipSettings = field(default_factory=RandomSkipSettings)
    lfa: LfaSettings = field(default_factory=LfaSettings)
    dqn: DqnSettings = field(default_factory=DqnSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    # Not a setting: keys that somebody has set, if only to the default. A profile leaves them alone.
    set_keys: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
