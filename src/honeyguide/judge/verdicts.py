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

From a relevance to a verdict: is the page relevant, and what does it earn?
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final, assert_never

from honeyguide.judge.embeddings import EmbeddingJudge, EmbeddingTfidfJudge
from honeyguide.judge.judge import StatelessJudge
from honeyguide.judge.keywords import TopicPhrases, stems_of
from honeyguide.judge.rake import RakeJudge
from honeyguide.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.judge.judge import Judge, JudgeIngredients
    from honeyguide.judge.rake import Match
    from honeyguide.model import Evidence, Page


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


def reward_rule(name: str, values: tuple[float, ...] = ()) -> RewardRule:
    """The preset of this name; a ladder with other values, where they are given."""
    rule = REWARDS[name]
    return replace(rule, values=values) if isinstance(rule, Ladder) and values else rule


class RelevantWhen(StrEnum):
    """What makes a page relevant."""

    THRESHOLD = "threshold"  # its relevance reaches the threshold
    WORD = "word"  # its main text has a word or phrase of the topic, as Han 2018 and Pertejo 2021 define it


@dataclass(frozen=True, slots=True)
class Rules:
    """What is made of a relevance."""

    reward: RewardRule = REWARDS["score"]
    relevant_when: RelevantWhen = RelevantWhen.THRESHOLD
    threshold: float = 0.0  # 0 takes the judge's own

    @property
    def need_nearness(self) -> bool:
        """Whether the reward depends on the cosine of a text with the topic by word vectors."""
        return isinstance(self.reward, Cosine | Ladder)

    @property
    def look_for_words(self) -> bool:
        """Whether the topic's words and phrases are looked for in a text."""
        return self.relevant_when is RelevantWhen.WORD or isinstance(self.reward, Ladder)


class Verdicts:
    """A judge and the rules that turn its opinion into verdicts: what a crawl asks about every page.

    `nearness` gives the cosine of a page's text with the topic by word vectors, whatever the judge measures. It is
    asked only where the reward needs it, after the judge, about the same page.
    """

    def __init__(
        self,
        judge: Judge,
        phrases: TopicPhrases,
        rules: Rules = Rules(),  # noqa: B008 - frozen
        nearness: Callable[[Page], float] | None = None,
    ) -> None:
        self._judge = judge
        self._rules = rules
        self._phrases = phrases
        self._nearness = nearness
        assert nearness is not None or not rules.need_nearness, f"{rules.reward} needs the cosine with the topic"

    @classmethod
    def build(cls, given: JudgeIngredients, judge: Judge) -> Verdicts:
        """The judge with the rules that the settings name."""
        settings, topic = given.settings.judge, given.topic
        rules = Rules(
            reward_rule(settings.reward, settings.reward_values),
            RelevantWhen(settings.relevant_when),
            settings.threshold,
        )
        nearness = None
        if rules.need_nearness:
            by_vectors: EmbeddingJudge | EmbeddingTfidfJudge = (
                judge
                if isinstance(judge, EmbeddingJudge | EmbeddingTfidfJudge)
                else EmbeddingJudge(topic, given.vectors_knowing(topic))
            )
            nearness = by_vectors.nearness
        return cls(judge, TopicPhrases(topic.phrases, stems_of(settings)), rules, nearness)

    @property
    def threshold(self) -> float:
        """The relevance that makes a page relevant, where it is the relevance that does."""
        return self._rules.threshold or self._judge.threshold

    @property
    def keeps_statistics(self) -> bool:
        """Whether the pages seen so far change what the judge says."""
        return not isinstance(self._judge, StatelessJudge)

    def judge(self, page: Page) -> Verdict:
        """See the page, then measure it."""
        self._judge.see(page)
        relevance = self._judge.relevance(page)
        has_word = self._rules.look_for_words and self._phrases.are_in(page.main_words)
        is_relevant = has_word if self._rules.relevant_when is RelevantWhen.WORD else relevance >= self.threshold
        reward = self._reward(page, relevance, is_relevant=is_relevant, has_word=has_word)
        return Verdict(relevance, is_relevant, reward)

    def see(self, page: Page) -> None:
        """Take a page into the statistics as `judge` did, when a crawl is restored."""
        self._judge.see(page)

    def evidence(self, page: Page) -> Evidence:
        """What made the relevance. Changes nothing."""
        return replace(self._judge.evidence(page), threshold=self.threshold)

    def matches(self, page: Page) -> list[Match]:
        """The keywords of the page with the search phrases they satisfy, where the judge is Lim's; else none."""
        return self._judge.matches(page) if isinstance(self._judge, RakeJudge) else []

    def save(self) -> bytes:
        return self._judge.save()

    def load(self, state: bytes) -> None:
        self._judge.load(state)

    def _reward(self, page: Page, relevance: float, *, is_relevant: bool, has_word: bool) -> float:
        rule = self._rules.reward
        match rule:
            case Score():
                return relevance
            case Hit():
                return float(is_relevant)
            case Cosine():
                return self._cosine(page)
            case Ladder():
                return rule.with_word if has_word else rule.without_word(self._cosine(page))
            case FeatureCount():
                return relevance  # the strategy, which alone has the features, pays on its own
            case _:
                assert_never(rule)

    def _cosine(self, page: Page) -> float:
        assert self._nearness is not None
        return self._nearness(page)
