"""From a relevance to a verdict: is the page relevant, and what does it earn the strategy?

score           the relevance itself; of a probability its log-odds, from 0 to 1 (`dense`); of a judge that says only
                yes or no, half of that and half what the default judge makes of the page (`LIKENESS_SHARE`)
hit             1 for a relevant page, 0 for any other
pertejo-cosine  the cosine of the text with the topic by word vectors, from -1 to 1 (Pertejo 2021, 3.3.2 and 3.6)
lim2016         the true features of the state in which a page was parsed or skipped (Lim 2016, 5.2.3): that is the
                strategy's to know and to pay itself, so a page earns its plain score here
a ladder        a value for a page that has a word of the topic; else the value of the first threshold that the cosine
                is above, strictly, as both papers have it; else the last value

Han et al. 2018, section 4: 30 for a page with the topic's word, else 30 or 20 for a cosine greater than 0.5 or 0.4, -1
otherwise. Pertejo 2021 has the same in algorithm 4 and 30, 20, 10, -1 in algorithm 3, both with thresholds to which
only the comments in his code give numbers, 0.5 and 0.4; the code itself compares with 0.6 and 0.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from honeyguide.judge.embeddings import EmbeddingJudge, EmbeddingTfidfJudge
from honeyguide.judge.judge import LearningJudge, StatelessJudge
from honeyguide.judge.keywords import TopicPhrases, stems_of
from honeyguide.judge.learned import LearnedJudge
from honeyguide.judge.rake import RakeJudge
from honeyguide.model import Verdict
from honeyguide.settings import JudgeSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.judge.judge import Judge, JudgeIngredients
    from honeyguide.model import Evidence, Page, WordCounts


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
        """Return the reward of a page without a topic word whose text has this cosine with the topic."""
        for value, threshold in zip(self.values[1:], self.thresholds, strict=False):
            if nearness > threshold:
                return value
        return self.values[-1]


LADDERS: Final = {
    "han2018": Ladder((30, 30, 20, -1), (0.5, 0.4)),
    "pertejo-30-30-20": Ladder((30, 30, 20, -1), (0.5, 0.4)),
    "pertejo-30-20-10": Ladder((30, 20, 10, -1), (0.5, 0.4)),
    "pertejo-code": Ladder((30, 30, 20, -1), (0.6, 0.5)),
}
"""By the name of the reward."""


def ladder_of(settings: JudgeSettings) -> Ladder | None:
    """Return the ladder that the settings name, with other values where they are given; None for another reward."""
    ladder = LADDERS.get(settings.reward)
    return replace(ladder, values=settings.reward_values) if ladder and settings.reward_values else ladder


# Share of a reward that goes by the answers; the rest goes by the topic alone. Answers rank pages better, but they also
# make a crawl stay near the pages that it was asked about: of 26 subjects it found most with a quarter.
ANSWERS_SHARE: Final = 0.25
# Share of a reward that goes by the text of a page where the judge says only yes or no. Most pages are a no, so before
# the first find, and between finds, its word alone would teach a strategy nothing.
LIKENESS_SHARE: Final = 0.5
LEAST_ODDS: Final = -5.0  # with MOST_ODDS: of a few ranges tried, the one whose crawls of 14 categories found most
MOST_ODDS: Final = 2.0


def dense(probability: float) -> float:
    """Return a probability by its log-odds, from 0 at `LEAST_ODDS` to 1 at `MOST_ODDS`.

    Nearly all pages of a web are improbable. As probabilities they all earn about nothing; by their log-odds a page
    that comes nearer to the topic earns more, and there is something to learn before the first find.
    """
    if probability <= 0:
        return 0.0
    odds = math.log(probability) - math.log1p(-probability) if probability < 1 else MOST_ODDS
    return min(1.0, max(0.0, (odds - LEAST_ODDS) / (MOST_ODDS - LEAST_ODDS)))


class Verdicts:
    """A judge and the rules that turn its opinion into verdicts: what a crawl asks about every page.

    `nearness` gives the cosine of a page's text with the topic by word vectors, whatever the judge measures; beside a
    judge that says only yes or no, the score of the default judge. It is asked only where the reward needs it, after
    the judge, about the same page.
    """

    learner: LearningJudge | None = None  # the judge, where answers can teach it

    def __init__(
        self,
        judge: Judge,
        phrases: TopicPhrases,
        settings: JudgeSettings = JudgeSettings(),  # noqa: B008 - frozen
        nearness: Callable[[Page], float] | None = None,
    ) -> None:
        self._judge = judge
        self._settings = settings
        self._ladder = ladder_of(settings)
        self._phrases = phrases
        self._nearness = nearness
        if isinstance(judge, LearningJudge):
            self.learner = judge

    @classmethod
    def build(cls, given: JudgeIngredients, judge: Judge) -> Verdicts:
        """The judge with the rules that the settings name."""
        settings, topic = given.settings.judge, given.topic
        nearness = None
        if settings.reward == "pertejo-cosine" or settings.reward in LADDERS:
            by_vectors: EmbeddingJudge | EmbeddingTfidfJudge = (
                judge
                if isinstance(judge, EmbeddingJudge | EmbeddingTfidfJudge)
                else EmbeddingJudge(topic, given.vectors_knowing(topic))
            )
            nearness = by_vectors.nearness
        elif settings.reward == "score" and judge.is_yes_or_no and not topic.is_empty:
            likeness = LearnedJudge.build(given)
            nearness = lambda page: dense(likeness.relevance(page))  # noqa: E731
        return cls(judge, TopicPhrases(topic.phrases, stems_of(settings)), settings, nearness)

    @property
    def threshold(self) -> float:
        """The relevance that makes a page relevant, where it is the relevance that does."""
        return self._settings.threshold or self._judge.threshold

    @property
    def keeps_statistics(self) -> bool:
        """Whether the pages seen so far change what the judge says."""
        return self.learner is None and not isinstance(self._judge, StatelessJudge)

    @property
    def shares_all(self) -> bool:
        """Whether the judges of several shards know what all of them have seen."""
        return not self.keeps_statistics or self._judge.shares_all

    def share(self) -> WordCounts | None:
        """As `Judge.share`."""
        return self._judge.share()

    def take_shared(self, others: WordCounts) -> None:
        """As `Judge.take_shared`."""
        self._judge.take_shared(others)

    def judge(self, page: Page, description: NDArray[np.float16] | None = None) -> Verdict:
        """See the page, then measure it. `description` is what a judge that learns keeps of it."""
        self._judge.see(page)
        if description is not None and self.learner is not None:
            relevance = first = float(self.learner.relevances(description[None, :])[0])
            if self.learner.is_taught:
                first = float(self.learner.first_relevances(description[None, :])[0])
        else:
            relevance = first = self._judge.relevance(page)
        by_word = self._settings.relevant_when == "word"
        has_word = (by_word or self._ladder is not None) and self._phrases.are_in(page.main_words)
        is_relevant = has_word if by_word else relevance >= self.threshold
        reward = self._reward(page, (first, relevance), is_relevant=is_relevant, has_word=has_word)
        matches = self._judge.matches(page) if isinstance(self._judge, RakeJudge) else []
        return Verdict(relevance, is_relevant, reward, tuple(matches))

    def judge_again(self, relevance: float, before: Verdict) -> Verdict:
        """Return the verdict on a page that was judged `before`, when it came, and has another relevance now.

        Its reward moves by `ANSWERS_SHARE`: a page that is not wanted after all may still have led to those that are.
        """
        is_relevant = before.is_relevant if self._settings.relevant_when == "word" else relevance >= self.threshold
        match self._settings.reward:
            case "hit":
                return Verdict(relevance, is_relevant, float(is_relevant))
            case "score" | "lim2016":
                return Verdict(relevance, is_relevant, moved_by_answers(before.reward, self.score(relevance)))
            case _:  # rewards that do not go by the relevance
                return Verdict(relevance, is_relevant, before.reward)

    def see(self, page: Page) -> None:
        """Take a page into the statistics as `judge` did, when a crawl is restored."""
        self._judge.see(page)

    def evidence(self, page: Page) -> Evidence:
        """Return what made the relevance. Changes nothing."""
        return replace(self._judge.evidence(page), threshold=self.threshold)

    def save(self) -> bytes:
        return self._judge.save()

    def load(self, state: bytes) -> None:
        self._judge.load(state)

    def _reward(self, page: Page, relevance: tuple[float, float], *, is_relevant: bool, has_word: bool) -> float:
        """`relevance` is that without answers, and that with them, which counts `ANSWERS_SHARE`."""
        if self._ladder is not None:
            return self._ladder.with_word if has_word else self._ladder.without_word(self._cosine(page))
        match self._settings.reward:
            case "hit":
                return float(is_relevant)
            case "pertejo-cosine":
                return self._cosine(page)
            case _:  # also of lim2016: the strategy, which alone has the features, pays on its own
                paid = moved_by_answers(*map(self.score, relevance))
                if self._nearness is None:
                    return paid
                return paid + LIKENESS_SHARE * (self._nearness(page) - paid)

    def score(self, relevance: float) -> float:
        """Return a relevance as the reward `score` pays it."""
        return dense(relevance) if self._judge.is_probability else relevance

    def _cosine(self, page: Page) -> float:
        assert self._nearness is not None, f"{self._settings.reward} needs the cosine with the topic"
        return self._nearness(page)


def moved_by_answers(by_topic: float, by_answers: float) -> float:
    """Return what counts for a strategy of two scores of a page."""
    return by_topic + ANSWERS_SHARE * (by_answers - by_topic)
