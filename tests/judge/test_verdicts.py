"""Verdicts: what makes a page relevant, and what it earns by the ladders of the papers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawler import Builder
from honeyguide.judge import (
    Judge,
    KeywordJudge,
    Ladder,
    TopicPhrases,
    Verdicts,
)
from honeyguide.judge.verdicts import LADDERS, ladder_of
from honeyguide.model import Evidence, Topic
from honeyguide.settings import JudgeSettings, Settings, TopicSettings, with_overrides
from honeyguide.settings.judge_sections import LADDER_REWARDS
from honeyguide.settings.judge_sections import REWARDS as REWARD_NAMES
from pages import page_of
from teachable_judge import TeachableJudge
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.model import Page, Verdict

TOPIC = Topic("geology", ("rock", "plate tectonics"))
PLAIN = JudgeSettings()
WITH_WORD, WITHOUT = page_of("a rock"), page_of("a stone")


class Fixed(Judge):
    """A judge of one opinion, which counts the pages it has seen."""

    threshold = 0.5

    def __init__(self, relevance: float) -> None:
        self._relevance = relevance
        self.seen = 0

    def relevance(self, page: Page) -> float:
        return self._relevance

    def see(self, page: Page) -> None:
        self.seen += 1

    def evidence(self, page: Page) -> Evidence:
        return Evidence("fixed", self._relevance, self.threshold)

    def save(self) -> bytes:
        return str(self.seen).encode()

    def load(self, state: bytes) -> None:
        self.seen = int(state)


def verdict(
    page: Page, relevance: float, rules: JudgeSettings = PLAIN, nearness: Callable[[Page], float] | None = None
) -> Verdict:
    return Verdicts(Fixed(relevance), TopicPhrases(TOPIC.phrases), rules, nearness).judge(page)


def always(nearness: float) -> Callable[[Page], float]:
    return lambda page: nearness


class TestRelevant:
    @pytest.mark.parametrize(
        ("relevance", "threshold", "is_relevant"),
        [(0.49, 0.0, False), (0.5, 0.0, True), (0.5, 0.6, False), (0.6, 0.6, True)],
    )
    def test_a_page_that_reaches_the_threshold_is_relevant(
        self, relevance: float, threshold: float, is_relevant: bool
    ) -> None:
        judged = verdict(WITHOUT, relevance, JudgeSettings(threshold=threshold))
        assert (judged.relevance, judged.is_relevant) == (relevance, is_relevant)

    def test_by_word_the_relevance_does_not_matter(self) -> None:
        by_word = JudgeSettings(relevant_when="word")
        assert verdict(WITH_WORD, 0.0, by_word).is_relevant
        assert not verdict(WITHOUT, 1.0, by_word).is_relevant

    def test_the_name_counts_beside_the_keywords_and_a_phrase_only_whole(self) -> None:
        by_word = JudgeSettings(relevant_when="word")
        assert verdict(page_of("on Geology"), 0.0, by_word).is_relevant
        assert verdict(page_of("plate tectonics"), 0.0, by_word).is_relevant
        assert not verdict(page_of("tectonics of a plate; rocks"), 0.0, by_word).is_relevant

    def test_a_word_in_the_navigation_is_not_in_the_page(self) -> None:
        page = page_of("rock and stone", main=((1, 3),))
        assert not verdict(page, 0.0, JudgeSettings(relevant_when="word")).is_relevant


class TestRewards:
    def test_the_score_is_the_relevance_and_the_hit_is_1(self) -> None:
        assert verdict(WITHOUT, 0.3).reward == 0.3
        assert verdict(WITHOUT, 0.3, JudgeSettings(reward="hit")).reward == 0.0
        assert verdict(WITHOUT, 0.7, JudgeSettings(reward="hit")).reward == 1.0

    def test_the_reward_of_lim_is_the_strategys_to_pay(self) -> None:
        assert verdict(WITH_WORD, 0.3, JudgeSettings(reward="lim2016")).reward == 0.3

    @pytest.mark.parametrize("nearness", [-0.7, 0.0, 0.45])
    def test_the_plain_cosine_may_be_negative(self, nearness: float) -> None:
        assert verdict(WITH_WORD, 0.3, JudgeSettings(reward="pertejo-cosine"), always(nearness)).reward == nearness

    # Han 2018, section 4, and Pertejo 2021, algorithms 4 and 3 and the function `reward` of his code.
    @pytest.mark.parametrize(
        ("name", "rewards_by_nearness"),
        [
            ("han2018", {0.51: 30, 0.5: 20, 0.41: 20, 0.4: -1, -1.0: -1}),
            ("pertejo-30-30-20", {0.51: 30, 0.5: 20, 0.41: 20, 0.4: -1, -1.0: -1}),
            ("pertejo-30-20-10", {0.51: 20, 0.5: 10, 0.41: 10, 0.4: -1, -1.0: -1}),
            ("pertejo-code", {0.61: 30, 0.6: 20, 0.51: 20, 0.5: -1, -1.0: -1}),
        ],
    )
    def test_ladders_pay_what_the_papers_say(self, name: str, rewards_by_nearness: dict[float, float]) -> None:
        rules = JudgeSettings(reward=name)
        paid = {near: verdict(WITHOUT, 0.3, rules, always(near)).reward for near in rewards_by_nearness}
        assert paid == rewards_by_nearness
        assert verdict(WITH_WORD, 0.0, rules, always(-1.0)).reward == 30

    def test_a_ladder_may_have_other_values_and_steps(self) -> None:
        rule = Ladder((5.0, 4.0, 3.0, 2.0, 0.0), (0.9, 0.6, 0.3))
        assert [rule.without_word(near) for near in (0.95, 0.7, 0.4, 0.3)] == [4.0, 3.0, 2.0, 0.0]
        assert rule.with_word == 5.0
        other = JudgeSettings(reward="pertejo-code", reward_values=(4, 3, 2, 1))
        assert ladder_of(other) == Ladder((4, 3, 2, 1), (0.6, 0.5))

    def test_the_cosine_is_not_asked_where_a_word_decides(self) -> None:
        def never(page: Page) -> float:
            raise AssertionError

        assert verdict(WITH_WORD, 0.3, JudgeSettings(reward="han2018"), never).reward == 30

    @given(near=st.floats(-1, 1), further=st.floats(-1, 1))
    def test_a_ladder_never_pays_less_for_a_nearer_page(self, near: float, further: float) -> None:
        for rule in LADDERS.values():
            low, high = sorted((near, further))
            assert rule.without_word(low) <= rule.without_word(high) <= rule.with_word

    def test_the_settings_know_which_rewards_are_ladders(self) -> None:
        assert set(LADDERS) == set(LADDER_REWARDS) < set(REWARD_NAMES)
        assert all(len(rule.thresholds) == 2 for rule in LADDERS.values())


class TestStatistics:
    def test_a_page_is_seen_before_it_is_measured(self) -> None:
        class LikesWhatItHasSeen(Fixed):
            def relevance(self, page: Page) -> float:
                return float(self.seen > 0)

        assert Verdicts(LikesWhatItHasSeen(0.0), TopicPhrases(())).judge(WITHOUT).relevance == 1.0

    def test_seeing_saving_and_loading_are_the_judges(self) -> None:
        judge = Fixed(0.2)
        verdicts = Verdicts(judge, TopicPhrases(()))
        verdicts.judge(WITHOUT)
        verdicts.see(WITH_WORD)
        assert verdicts.save() == b"2"
        verdicts.load(b"7")
        assert judge.seen == 7

    def test_evidence_carries_the_threshold_that_decides(self) -> None:
        verdicts = Verdicts(Fixed(0.2), TopicPhrases(()), JudgeSettings(threshold=0.1))
        assert verdicts.evidence(WITHOUT) == Evidence("fixed", 0.2, 0.1)


class TestBuilding:
    def verdict(self, page: Page, **judge: object) -> Verdict:
        chosen = {f"judge.{name}": value for name, value in judge.items()}
        settings = with_overrides(Settings(TopicSettings(TOPIC.name, TOPIC.keywords)), chosen)
        return Builder(settings, hashed_vectors()).judge().judge(page)

    def test_the_settings_choose_rules_and_numbers(self) -> None:
        assert self.verdict(WITH_WORD, reward="han2018").reward == 30
        assert self.verdict(WITHOUT, reward="han2018", reward_values=(9, 8, 7, 6)).reward == 6
        assert self.verdict(WITH_WORD, relevant_when="word", threshold=1.0).is_relevant
        assert not self.verdict(WITHOUT, relevant_when="word", threshold=0.001).is_relevant

    def test_stemming_reaches_the_keyword_judge_the_word_rule_and_the_ladders(self) -> None:
        rocks = page_of("on rocks")
        stemmed = self.verdict(rocks, stemming=True, kind="keyword", relevant_when="word", reward="han2018")
        assert (stemmed.relevance > 0, stemmed.is_relevant, stemmed.reward) == (True, True, 30)
        plain = self.verdict(rocks, kind="keyword", relevant_when="word", reward="han2018")
        assert (plain.relevance, plain.is_relevant, plain.reward) == (0.0, False, -1)

    @pytest.mark.parametrize("kind", ["keyword", "embedding"])
    def test_ladders_ask_for_the_cosine_by_vectors_whatever_the_judge_measures(self, kind: str) -> None:
        paid = self.verdict(page_of("mud rock soup"), kind=kind, reward="pertejo-cosine").reward
        assert paid == self.verdict(page_of("mud rock soup"), kind="embedding").relevance > 0

    def test_beside_a_yes_or_a_no_half_of_the_reward_goes_by_the_text(self) -> None:
        class Labels(Fixed):
            is_yes_or_no = True

        def reward(judge: Judge, page: Page, topic: TopicSettings, **other: object) -> float:
            chosen = with_overrides(Settings(topic), {f"judge.{name}": value for name, value in other.items()})
            return Builder(chosen, hashed_vectors(), judge=judge).judge().judge(page).reward

        on_topic, off_topic = page_of("rock " * 30), page_of("soup " * 30)
        topic = TopicSettings(TOPIC.name, TOPIC.keywords)
        near, far = (reward(Labels(0.0), page, topic) for page in (on_topic, off_topic))
        assert 0 <= far < near <= 0.5
        assert reward(Labels(1.0), on_topic, topic) == pytest.approx(0.5 + near)
        assert reward(Fixed(0.0), on_topic, topic) == 0.0
        assert reward(Labels(0.0), on_topic, topic, reward="hit") == 0.0
        assert reward(Labels(1.0), on_topic, TopicSettings()) == 1.0

    def test_without_a_topic_nothing_is_relevant_and_no_vectors_are_loaded(self) -> None:
        builder = Builder(replace(Settings(), topic=TopicSettings()))
        assert not builder.judge().judge(WITH_WORD).is_relevant
        assert isinstance(builder.relevance_judge(), KeywordJudge)
        assert "vectors" not in vars(builder)


def test_a_quarter_of_a_reward_goes_by_the_answers_and_the_rest_by_the_topic() -> None:
    topic = Topic("geology", ("rock",))
    judge = TeachableJudge(topic)
    verdicts = Verdicts(judge, TopicPhrases(topic.phrases))
    page = page_of("basalt lava lava")
    description = judge.describe(page)
    first = verdicts.judge(page, description)
    judge.teach(description[None, :], [(0, True)])
    taught = verdicts.judge(page, description)
    assert taught.relevance > first.relevance
    assert taught.reward == pytest.approx(0.75 * first.relevance + 0.25 * taught.relevance)
    assert verdicts.judge_again(taught.relevance, first).reward == pytest.approx(taught.reward)
