"""The settings themselves: one dataclass per section, one declaration per field.

Each field carries its default, its meaning in one line, and the values it may take. Sections hold no
behaviour beyond what their own fields decide.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

STRATEGIES: Final = (
    "breadth-first",
    "depth-first",
    "iterative-deepening",
    "modified-depth-first",
    "weighted-breadth-first",
    "random",
    "best-first",
    "url-heuristic",
    "beam",
    "online-ridge",
    "parse-or-skip",
    "parse-or-skip-q",
    "random-skip",
)
# What is compared where nobody says what: two floors, the usual baseline, and the default.
USUAL_STRATEGIES: Final = ("breadth-first", "random", "best-first", "online-ridge")
STRATEGIES_NEEDING_A_TOPIC: Final = frozenset(
    {"best-first", "url-heuristic", "beam", "online-ridge", "parse-or-skip", "parse-or-skip-q"}
)
PROFILES: Final = ("wikipedia",)
WORLDS: Final = ("live", "synthetic", "synthetic+http", "wiki", "site", "replay")
JUDGES: Final = ("keyword", "tfidf", "embedding", "embedding-tfidf", "rake", "classifier", "neural", "combined")
LANGUAGES: Final = ("english", "german", "french", "spanish", "italian", "portuguese", "dutch")
RAKE_SCORES: Final = ("words", "phrases")
RELEVANT_WHEN: Final = ("threshold", "word")
# Rewards that have a value for each of several thresholds, and those that do not.
LADDER_REWARDS: Final = ("han2018", "pertejo-30-30-20", "pertejo-30-20-10", "pertejo-code")
REWARDS: Final = ("score", "hit", "pertejo-cosine", *LADDER_REWARDS, "lim2016")
HEURISTICS: Final = ("similarity", "url")
URL_MEASURES: Final = ("words", "cosine")
FOUND_AGAIN: Final = ("first", "best", "merge", "latest")

CONTACT_PLACEHOLDER: Final = "set fetch.contact"


def setting(
    default: T,
    meaning: str,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    choices: tuple[str, ...] = (),
) -> T:
    """Declare a field of a section: its default, its meaning, and the values it may take."""
    rule = {"meaning": meaning, "at_least": at_least, "above": above, "at_most": at_most, "choices": choices}
    return field(default=default, metadata=rule)


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
    profile: str = setting(
        "", "how pages of a site are read, and the settings that go with it: wikipedia; empty for none"
    )
    strategy: str = setting("online-ridge", "how the next link is chosen", choices=STRATEGIES)
    seed: int = setting(0, "seed of every random choice", at_least=0)
    concurrency: int = setting(16, "fetches at once, over all hosts", at_least=1, at_most=4096)
    starting_points: str = setting("", "path to your own list by topic; empty takes the shipped one")


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
    timeout_s: float = setting(20.0, "seconds an answer may take, from connecting to the last byte", above=0)
    max_body_bytes: int = setting(5_000_000, "bytes of an unpacked body; a longer one is given up", at_least=1)
    max_redirects: int = setting(10, "redirects followed in a row from one link", at_least=0)

    @property
    def identity(self) -> str:
        """The user agent as sent: with the contact in it, where one is given."""
        if not self.contact or self.contact in self.user_agent:
            return self.user_agent
        if CONTACT_PLACEHOLDER in self.user_agent:
            return self.user_agent.replace(CONTACT_PLACEHOLDER, self.contact)
        return f"{self.user_agent} ({self.contact})"


@dataclass(frozen=True, slots=True)
class PolitenessSettings:
    """How gently a host is treated."""

    obey_robots: bool = setting(default=True, meaning="whether robots.txt decides what may be fetched")
    delay_s: float = setting(1.0, "seconds between two requests to one host", at_least=0)
    max_delay_s: float = setting(60.0, "seconds a host may ask for at most between requests", at_least=0)
    pause_every: int = setting(0, "fetches after which the host asked last rests longer; 0 for never", at_least=0)
    pause_from_s: float = setting(1.0, "seconds of that rest, on top of the usual, at least", at_least=0)
    pause_to_s: float = setting(2.2, "seconds of that rest at most; drawn at random between the two", at_least=0)


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
    max_depth: int = setting(0, "clicks from a seed; 0 sets no limit", at_least=0)
    max_pages: int = setting(0, "URLs to consider, the first that are met, seeds included; 0 sets no limit", at_least=0)


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
class BeamSettings:
    """Beam search."""

    width: int = setting(1000, "links that may wait, the best by the heuristic", at_least=1, at_most=1_000_000)
    heuristic: str = setting(
        "similarity",
        "how links are ranked: by their words as best-first does, or by their address as url-heuristic does",
        choices=HEURISTICS,
    )


@dataclass(frozen=True, slots=True)
class UrlHeuristicSettings:
    """What an address is worth: a base, the rest by the words in it, times a factor for every sign of waste."""

    lower_bound: float = setting(
        2 / 3,
        "similarity of a word and the topic below which it counts as none, in Lim's formula",
        at_least=0,
        at_most=1,
    )
    base: float = setting(0.2, "worth of an address without a word of the topic", at_least=0, at_most=1)
    longest: int = setting(150, "characters of an address that are not too many", at_least=1)
    deepest: int = setting(8, "parts of a path that are not too many", at_least=0)
    too_long: float = setting(0.7, "factor for an address that is too long; 1 ignores it", at_least=0, at_most=1)
    too_deep: float = setting(0.7, "factor for too deep a path", at_least=0, at_most=1)
    non_text_type: float = setting(0.0, "factor for the file ending of a picture or archive", at_least=0, at_most=1)
    query: float = setting(0.8, "factor for a query", at_least=0, at_most=1)
    gibberish_host: float = setting(0.3, "factor for a host whose letters look like chance", at_least=0, at_most=1)
    gibberish_path: float = setting(0.6, "factor for a path whose letters look like chance", at_least=0, at_most=1)


@dataclass(frozen=True, slots=True)
class ModifiedDepthFirstSettings:
    """Depth-first that turns away from a host."""

    patience: int = setting(
        3, "steps on one host in a row, after which its pages give no links; 3 is Lim's", at_least=1, at_most=1000
    )


@dataclass(frozen=True, slots=True)
class RidgeSettings:
    """The online ridge regression strategy."""

    regularisation: float = setting(1.0, "strength of the pull of every weight towards its start, best-first", above=0)
    exploration: float = setting(0.0, "share of choices made at random", at_least=0, at_most=1)


@dataclass(frozen=True, slots=True)
class WeightedBreadthFirstSettings:
    """Breadth-first by topic weights, as WikiCrawler has it."""

    is_weighted: bool = setting(default=True, meaning="whether weights count; if not, it is plain breadth-first")
    substrings: bool = setting(
        default=False, meaning="whether a topic word inside a longer word counts, in anchors and addresses"
    )
    reach: int = setting(
        20, "words between a link and a topic word that still give it weight", at_least=0, at_most=1000
    )


@dataclass(frozen=True, slots=True)
class ParseOrSkipSettings:
    """Parse or skip by a policy solved beforehand (Lim 2016); thresholds are the paper's, chances ours."""

    ratio: float = setting(1.0, "parses per skip below which a host is mostly skipped", at_least=1)
    previous_relevance: float = setting(
        2 / 3, "mean relevance that makes the host decided on before relevant", at_least=0, at_most=1
    )
    current_relevance: float = setting(2 / 3, "mean relevance that makes a link's host relevant", at_least=0, at_most=1)
    url_measure: str = setting(
        "words", "how an address is compared with the topic: word by word, or all at once", choices=URL_MEASURES
    )
    url_relevance: float = setting(2 / 3, "what makes an address relevant by that measure", at_least=0, at_most=1)
    word_similarity: float = setting(
        2 / 3, "similarity of a word below which it counts as 0, with words", at_least=0, at_most=1
    )
    discount: float = setting(
        0.9, "weight of the next state's value; at 1 a thousand steps count", at_least=0, at_most=1
    )
    skip_penalty: float = setting(0.0, "what a skip costs; a true feature pays 1", at_least=0)
    same_host: float = setting(0.8, "chance that the next link is on the same host", at_least=0, at_most=1)
    new_host: float = setting(0.5, "chance that another host was never parsed", at_least=0, at_most=1)
    mostly_skipped: float = setting(0.5, "chance that a known host is mostly skipped", at_least=0, at_most=1)
    relevant: float = setting(0.2, "chance that a known host is relevant", at_least=0, at_most=1)
    zero: float = setting(0.0, "chance that a page of an irrelevant host scores exactly 0", at_least=0, at_most=1)
    ratio_moves: float = setting(0.5, "chance that a decision carries a host over ratio", at_least=0, at_most=1)
    mean_moves: float = setting(
        0.05, "chance that a page carries a known host over its relevance threshold", at_least=0, at_most=1
    )
    url_relevant: float = setting(0.2, "chance that the next address is relevant", at_least=0, at_most=1)


@dataclass(frozen=True, slots=True)
class ParseOrSkipQSettings:
    """Parse or skip by Q-learning; thresholds are fitted to the embedding judge, see docs/parse-or-skip.md."""

    ratio: float = setting(1.0, "parses per skip below which a host is mostly skipped", at_least=1)
    previous_relevance: float = setting(
        0.15, "mean relevance that makes the host decided on before relevant", at_least=0, at_most=1
    )
    current_relevance: float = setting(0.15, "mean relevance that makes a link's host relevant", at_least=0, at_most=1)
    url_measure: str = setting(
        "cosine", "how an address is compared with the topic: word by word, or all at once", choices=URL_MEASURES
    )
    url_relevance: float = setting(0.2, "what makes an address relevant by that measure", at_least=0, at_most=1)
    word_similarity: float = setting(
        2 / 3, "similarity of a word below which it counts as 0, with words", at_least=0, at_most=1
    )
    learning_rate: float = setting(0.05, "step of a correction; the first ones are averaged", above=0, at_most=1)
    discount: float = setting(0.0, "weight of the next decision's value", at_least=0, at_most=1)
    fetch_cost: float = setting(0.0, "what a fetch costs, in rewards", at_least=0)
    mean_cost: float = setting(1.0, "what a fetch costs besides, in mean rewards of the fetches so far", at_least=0)
    skip_penalty: float = setting(0.0, "what a skip costs, in rewards", at_least=0)
    exploration_start: float = setting(0.3, "share of decisions made at random, at first", at_least=0, at_most=1)
    exploration_end: float = setting(0.1, "share of decisions made at random, in the end", at_least=0, at_most=1)
    exploration_decisions: int = setting(1000, "decisions from the first share to the last", at_least=1)
    reserve: int = setting(1000, "links that must wait, by the strategy's own count, for one to be skipped", at_least=0)


@dataclass(frozen=True, slots=True)
class RandomSkipSettings:
    """Breadth-first that skips at random."""

    share: float = setting(0.5, "share of links skipped", at_least=0, at_most=1)


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What a run folder keeps."""

    snapshot_every: int = setting(200, "steps between two snapshots of the learner", at_least=1)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a run. The defaults are polite, and complete but for the topic."""

    topic: TopicSettings = field(default_factory=TopicSettings)
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    vectors: VectorSettings = field(default_factory=VectorSettings)
    frontier: FrontierSettings = field(default_factory=FrontierSettings)
    # A method's table carries the strategy's own name.
    beam: BeamSettings = field(default_factory=BeamSettings)
    url_heuristic: UrlHeuristicSettings = field(default_factory=UrlHeuristicSettings)
    modified_depth_first: ModifiedDepthFirstSettings = field(default_factory=ModifiedDepthFirstSettings)
    ridge: RidgeSettings = field(default_factory=RidgeSettings, metadata={"table": "online_ridge"})
    weighted_breadth_first: WeightedBreadthFirstSettings = field(default_factory=WeightedBreadthFirstSettings)
    parse_or_skip: ParseOrSkipSettings = field(default_factory=ParseOrSkipSettings)
    parse_or_skip_q: ParseOrSkipQSettings = field(default_factory=ParseOrSkipQSettings)
    random_skip: RandomSkipSettings = field(default_factory=RandomSkipSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
