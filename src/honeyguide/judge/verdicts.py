"""From a relevance to a verdict: is the page relevant, and what does it earn?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

from honeyguide.domain import Verdict
from honeyguide.judge.rake import RakeJudge
from honeyguide.judge.reward import REWARDS, Cosine, FeatureCount, Hit, Ladder, Score

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.domain import Evidence, Page
    from honeyguide.judge.judge import Judge
    from honeyguide.judge.rake import Match
    from honeyguide.judge.reward import RewardRule
    from honeyguide.judge.topic_phrases import TopicPhrases


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

    @property
    def threshold(self) -> float:
        """The relevance that makes a page relevant, where it is the relevance that does."""
        return self._rules.threshold or self._judge.threshold

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
