"""What a judged page earns the strategy, as named presets.

Score   the relevance itself
Hit     1 for a relevant page, 0 for any other
Cosine  the cosine of the text with the topic by word vectors, from -1 to 1 (Pertejo 2021, 3.3.2 and 3.6)
Ladder  a value for a page that has a word of the topic; else the value of the first threshold that the cosine is above,
        strictly, as both papers have it; else the last value

Han et al. 2018, section 4: 30 for a page with the topic's word, else 30 or 20 for a cosine greater than 0.5 or 0.4, -1
otherwise. Pertejo 2021 has the same in algorithm 4 and 30, 20, 10, -1 in algorithm 3, both with thresholds to which
only the comments in his code give numbers, 0.5 and 0.4; the code itself compares with 0.6 and 0.5. Lim 2016, 5.2.3,
counts the true features of the state in which a page was parsed or skipped: that is the strategy's to know and to pay
itself, so a page earns its plain score here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final


@dataclass(frozen=True, slots=True)
class Score:
    """The relevance itself."""


@dataclass(frozen=True, slots=True)
class Hit:
    """1 for a relevant page, 0 for any other."""


@dataclass(frozen=True, slots=True)
class Cosine:
    """The cosine of the text with the topic by word vectors."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """Values in falling order of how sure it is that the page belongs to the topic."""

    values: tuple[float, ...]  # with a topic word; above each threshold in turn; otherwise
    thresholds: tuple[float, ...]  # of the cosine, falling

    def __post_init__(self) -> None:
        assert len(self.values) == len(self.thresholds) + 2
        assert all(higher > lower for higher, lower in pairwise(self.thresholds))

    @property
    def with_word(self) -> float:
        return self.values[0]

    def without_word(self, nearness: float) -> float:
        """What a page without a topic word earns whose text has this cosine with the topic."""
        for value, threshold in zip(self.values[1:], self.thresholds, strict=False):
            if nearness > threshold:
                return value
        return self.values[-1]


@dataclass(frozen=True, slots=True)
class FeatureCount:
    """The number of true features of a state, which a judge does not know: the strategies parse-or-skip pay it.

    What a judge can say of a page, and what a run notes, is the relevance.
    """


RewardRule = Score | Hit | Cosine | Ladder | FeatureCount

REWARDS: Final[dict[str, RewardRule]] = {
    "score": Score(),
    "hit": Hit(),
    "han2018": Ladder((30, 30, 20, -1), (0.5, 0.4)),
    "pertejo-cosine": Cosine(),
    "pertejo-30-30-20": Ladder((30, 30, 20, -1), (0.5, 0.4)),
    "pertejo-30-20-10": Ladder((30, 20, 10, -1), (0.5, 0.4)),
    "pertejo-code": Ladder((30, 30, 20, -1), (0.6, 0.5)),
    "lim2016": FeatureCount(),
}


def reward_rule(name: str, values: tuple[float, ...] = (), thresholds: tuple[float, ...] = ()) -> RewardRule:
    """The preset of this name; where values or thresholds are given, a ladder with those."""
    rule = REWARDS[name]
    if isinstance(rule, Ladder):
        return replace(rule, values=values or rule.values, thresholds=thresholds or rule.thresholds)
    return rule
