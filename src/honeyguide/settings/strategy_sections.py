"""The strategies by name, and the settings of those that have any: one dataclass per strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from honeyguide.settings.declaring import setting

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
    "lfa-sync",
    "lfa-async",
    "lfa-moderated",
    "dqn",
    "dqn-fixed",
    "parse-or-skip",
    "parse-or-skip-q",
    "random-skip",
)
# What is compared where nobody says what: two floors, the usual baseline, and the default.
USUAL_STRATEGIES: Final = ("breadth-first", "random", "best-first", "online-ridge")
STRATEGIES_NEEDING_A_TOPIC: Final = frozenset(
    {
        "best-first",
        "url-heuristic",
        "beam",
        "online-ridge",
        "lfa-sync",
        "lfa-async",
        "lfa-moderated",
        "dqn",
        "dqn-fixed",
        "parse-or-skip",
        "parse-or-skip-q",
    }
)
HEURISTICS: Final = ("similarity", "url")
URL_MEASURES: Final = ("words", "cosine")
# Strategies that share a table; that of any other carries its own name.
TABLE_BY_STRATEGY: Final = {"lfa-sync": "lfa", "lfa-async": "lfa", "lfa-moderated": "lfa", "dqn-fixed": "dqn"}
DEVICES: Final = ("cpu", "cuda")
FEATURES: Final = ("han", "pertejo", "continuous")


def table_of(strategy: str) -> str:
    """The table of a strategy's own settings, should it have any."""
    return TABLE_BY_STRATEGY.get(strategy, strategy.replace("-", "_"))


@dataclass(frozen=True, slots=True)
class BestFirstSettings:
    """Best-first without learning."""

    as_one_text: bool = setting(
        default=False,
        meaning="whether address, anchor and surroundings are one text, as in Pertejo 2021, not three with a mean",
    )


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
    page_rank: bool = setting(
        default=False, meaning="whether the rank of the page that a link stands on is looked at; needs ranks.every"
    )


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
class LfaSettings:
    """Linear SARSA with prioritised order, after Han et al. 2018; the defaults are theirs."""

    step_size: float = setting(0.001, "α: how far the weights follow each error", above=0, at_most=1)
    discount: float = setting(0.9, "γ: what the value of the next link counts", at_least=0, at_most=1)
    exploration: float = setting(0.1, "ε: share of choices made at random", at_least=0, at_most=1)
    exploration_end: float = setting(0.1, "ε after exploration_steps; does nothing without them", at_least=0, at_most=1)
    exploration_steps: int = setting(0, "choices over which ε goes to its end; 0 keeps it constant", at_least=0)
    features: str = setting("han", "numbers that describe pages and links", choices=FEATURES)
    starts_at: str = setting("zero", "weights to begin with", choices=("zero", "uniform"))
    start_weights: str = setting("", "a run or a .npy file whose weights to begin with, instead")
    ends_at_relevant: bool = setting(default=True, meaning="whether a relevant page ends an episode")
    learns_without_links: bool = setting(
        default=True, meaning="whether a page without unvisited links teaches anything"
    )
    takes_best_next: bool = setting(
        default=False, meaning="whether the target is the best next link, not the chosen one"
    )
    draws: str = setting(
        "pair", "what is drawn at random: pairs of state and action, or links", choices=("pair", "link")
    )


@dataclass(frozen=True, slots=True)
class DqnSettings:
    """Deep Q-learning, after Pertejo 2021; docs/deep-q.md has his own values as a file."""

    device: str = setting("cpu", "where the network is trained", choices=DEVICES)
    layers: tuple[int, ...] = setting((64, 64), "units in each hidden layer of tanh units")
    target: str = setting(
        "double", "how the value of what follows is estimated", choices=("ordinary", "double", "clipped-double")
    )
    dueling: str = setting(
        "none", "what a link's advantage is measured from, where state and link have parts of their own in a value",
        choices=("none", "mean", "max"),
    )  # fmt: skip
    discount: float = setting(0.3, "γ: what the value of the next link counts", at_least=0, at_most=1)
    learning_rate: float = setting(0.001, "step of Adam", above=0, at_most=1)
    loss: str = setting("huber", "how an error counts", choices=("squared", "huber"))
    dropout: float = setting(
        0.0, "share of the last hidden layer's units left out in training", at_least=0, at_most=0.99
    )
    weight_penalty: float = setting(0.0, "λ of the sum of squared weights", at_least=0)
    output_penalty: float = setting(0.0, "λ of the mean squared value", at_least=0)
    replay: int = setting(50_000, "transitions remembered, to be learned from again", at_least=1, at_most=10_000_000)
    batch: int = setting(32, "transitions in a training step", at_least=1, at_most=65_536)
    warm_up: int = setting(100, "transitions before the first training step", at_least=1)
    train_every: int = setting(1, "transitions from one training step to the next", at_least=1)
    target_share: float = setting(
        0.01, "τ: how much of the network its target takes over at each training step", above=0, at_most=1
    )
    refresh_every: int = setting(
        10, "training steps after which links are valued by the newest network; until then by the last", at_least=1
    )
    mode: str = setting(
        "synchronous", "whether a newer network values all waiting links, or only new ones",
        choices=("synchronous", "asynchronous"),
    )  # fmt: skip
    features: str = setting("pertejo", "numbers that describe pages and links", choices=FEATURES)
    inputs: str = setting(
        "scaled", "whether features go in as parts of the most they can be, or as they are", choices=("scaled", "raw")
    )
    exploration: float = setting(0.1, "ε: share of choices made at random", at_least=0, at_most=1)
    exploration_test: float = setting(0.1, "ε in the test that follows the training", at_least=0, at_most=1)
    training_steps: int = setting(0, "choices after which the test begins; 0 goes on training", at_least=0)
    learns_in_test: bool = setting(default=True, meaning="whether the network goes on learning in the test")
    ends_at_relevant: bool = setting(default=False, meaning="whether a relevant page ends an episode")
    draws: str = setting(
        "pair", "what is drawn at random: pairs of state and action, or links", choices=("pair", "link")
    )
    outputs: int = setting(
        10_000, "outputs of the network of dqn-fixed, one a link met; later links are never fetched",
        at_least=1, at_most=1_000_000,
    )  # fmt: skip
