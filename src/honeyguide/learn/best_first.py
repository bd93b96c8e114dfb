"""Best-first without learning: follow the link whose own words are nearest to the topic.

The baseline of Han et al. (2018) and Pertejo (2021): the priority of a link is the cosine similarity between the topic
and the words of its address, its anchor and its surroundings, computed once when the link is found. Pertejo's code
writes the three into one text; the mean of three cosines is ours.

Beam search (Lim 2016, section 3.4) is best-first with room for so many waiting links and no more. Those beyond the best
`width` are pruned: counted, forgotten, and ranked again should another page show them. Lim keeps a min-heap and a
max-heap of the same links; what comes out is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from honeyguide.learn.features import LinkFeatures
from honeyguide.learn.strategy import Ingredients, Order, Strategy, Unlearned
from honeyguide.learn.url_heuristic import BestUrlFirst
from honeyguide.settings import setting

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.model import Candidates, LinkDescriptions, ParentFacts, Rows, Topic
    from honeyguide.text import WordVectors


@dataclass(frozen=True, slots=True)
class BestFirstSettings:
    """Best-first without learning."""

    table: ClassVar = "best_first"

    as_one_text: bool = setting(
        default=False,
        meaning="whether address, anchor and surroundings are one text, as in Pertejo 2021, not three with a mean",
    )


class BestFirst(Unlearned):
    """Mean cosine of the link's three texts with the topic; with `as_one_text`, the cosine of the three as one."""

    settings_type = BestFirstSettings
    order = Order.BEST_SCORE
    row_width = 1
    describes_ahead = True

    def __init__(self, topic: Topic, vectors: WordVectors, *, as_one_text: bool = False) -> None:
        self._features = LinkFeatures(topic, vectors)
        self._as_one_text = as_one_text
        self.description_type = self._features.description_type

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.vectors(), as_one_text=given.settings.of(BestFirstSettings).as_one_text)

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        return self._features.describe(candidates)

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:  # noqa: ARG002 - its own words are all
        features = self._features
        near = features.similarity_as_one_text(described) if self._as_one_text else features.similarity(described)
        return near[:, None].astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)


@dataclass(frozen=True, slots=True)
class BeamSettings:
    """Beam search."""

    table: ClassVar = "beam"

    width: int = setting(1000, "links that may wait, the best by the heuristic", at_least=1, at_most=1_000_000)
    heuristic: str = setting(
        "similarity",
        "how links are ranked: by their words as best-first does, or by their address as url-heuristic does",
        choices=("similarity", "url"),
    )


class Beam(Unlearned):
    """Another strategy's scores, and at most `width` links that wait. The other one must not learn."""

    settings_type = BeamSettings
    order = Order.BEST_SCORE

    def __init__(self, heuristic: Strategy, width: int) -> None:
        self._heuristic = heuristic
        self.capacity = width
        self.row_width = heuristic.row_width
        self.description_type = heuristic.description_type

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        settings = given.settings.of(BeamSettings)
        heuristic: type[Strategy] = BestUrlFirst if settings.heuristic == "url" else BestFirst
        return cls(heuristic.build(given), settings.width)

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        return self._heuristic.describe(candidates)

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        return self._heuristic.rows(described, parents)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return self._heuristic.score(rows)
