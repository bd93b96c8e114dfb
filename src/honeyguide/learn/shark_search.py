"""Shark-search: links of good pages, and links whose own words are good.

Hersovici et al. (1998), "The shark-search algorithm", after the fish-search of De Bra et al. (1994):

    score         = γ inherited + (1 - γ) neighbourhood
    inherited     = δ relevance(page)      where the page is relevant,
                    δ inherited(page)      else: what its own link had
    neighbourhood = β anchor + (1 - β) context
    context       = 1                      where the anchor is about the topic,
                    similarity of the words around it      else

The paper tests similarities for being above 0, which between word counts means a word in common. Here a page is
relevant when the judge says so, and an anchor is about the topic when it has one of its words. Similarities are cosines
of word vectors, those of best-first, negative ones counting as 0. A link inherits from the first page that shows it, a
seed nothing. The paper predefines γ, β and δ; we did not have its values at hand, so the defaults are ours. The
fish-search's bounds on depth and width are left out, as the budget bounds a crawl.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.features import LinkFeatures
from honeyguide.learn.strategy import FoundAgain, Order, Unlearned
from honeyguide.learn.weighted_breadth_first import TopicWords
from honeyguide.model import ParentRules
from honeyguide.settings import setting

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import (
        Candidates,
        Decision,
        LinkDescriptions,
        Page,
        ParentFacts,
        ParentStats,
        Row,
        Rows,
        Topic,
        Transition,
    )
    from honeyguide.text import WordVectors

COSINE_OF_ANCHOR, COSINE_AROUND = 1, 2  # columns of `LinkFeatures.rows`
REMEMBERED: Final = 8192  # fetches under way, at most; those that led elsewhere are forgotten in time


@dataclass(frozen=True, slots=True)
class SharkSearchSettings:
    """Shark-search."""

    table: ClassVar = "shark_search"

    inherited: float = setting(0.5, "γ: weight of what a link inherits against its own words", at_least=0, at_most=1)
    anchor: float = setting(0.8, "β: weight of the anchor against the words around it", at_least=0, at_most=1)
    decay: float = setting(0.5, "δ: share of a page's relevance that its links inherit", at_least=0, at_most=1)


class SharkSearch(Unlearned):
    """A row has what a link inherits and its neighbourhood score."""

    settings_type = SharkSearchSettings
    order = Order.BEST_SCORE
    row_width = 2
    found_again = FoundAgain.FIRST
    seeds_first = True
    parent_rules = ParentRules()  # asks for `describe_page`

    def __init__(self, topic: Topic, vectors: WordVectors, settings: SharkSearchSettings) -> None:
        self._features = LinkFeatures(topic, vectors)
        self._topic_words = TopicWords(topic)
        self._settings = settings
        self._inherited_by_url: dict[str, float] = {}  # of fetches under way
        self.description_type = np.dtype(
            [("link", self._features.description_type), ("inherited", np.float16), ("is_named", np.bool_)]
        )

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.vectors(), given.settings.of(SharkSearchSettings))

    def describe_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:  # noqa: ARG002
        return np.array([self._inherited_by_url.get(page.url.text, 0.0)], dtype=np.float16)

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        described = np.zeros(len(candidates), dtype=self.description_type)
        described["link"] = self._features.describe(candidates)
        of_page = 0.0 if candidates.context is None else float(candidates.context.state[0])
        is_page_relevant = ~candidates.is_seed & (candidates.distance == 0)
        passed_on = np.where(is_page_relevant, candidates.relevance, of_page)
        described["inherited"] = self._settings.decay * passed_on
        words = candidates.words
        described["is_named"] = [
            self._topic_words.stand_in(words[start:end]) for _, start, end, _ in candidates.spans.tolist()
        ]
        return described

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        cosines = np.maximum(self._features.rows(described["link"], parents), 0)
        context = np.where(described["is_named"], 1.0, cosines[:, COSINE_AROUND])
        beta = self._settings.anchor
        neighbourhood = beta * cosines[:, COSINE_OF_ANCHOR].astype(np.float64) + (1 - beta) * context
        return np.column_stack((described["inherited"], neighbourhood)).astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        inherited, neighbourhood = rows.T.astype(np.float64)
        gamma = self._settings.inherited
        return gamma * inherited + (1 - gamma) * neighbourhood

    def notice(self, decision: Decision) -> None:
        self._inherited_by_url[decision.url.text] = float(decision.row[0])
        if len(self._inherited_by_url) > REMEMBERED:
            del self._inherited_by_url[next(iter(self._inherited_by_url))]

    def learn(self, transition: Transition) -> bool:
        self._inherited_by_url.pop(transition.url.text, None)
        return False

    def save(self) -> bytes:
        return json.dumps(self._inherited_by_url).encode()

    def load(self, state: bytes) -> None:
        try:
            self._inherited_by_url = {str(url): float(score) for url, score in json.loads(state).items()}
        except (ValueError, TypeError, AttributeError) as error:
            raise StrategyError(f"not a saved state of shark-search: {error}") from error
