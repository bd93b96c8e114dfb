"""The judge that answers teach."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import JudgeError
from honeyguide.judge import LearnedJudge
from honeyguide.judge.learned import fitted_shift
from honeyguide.model import Topic
from pages import page_of
from vectors_by_hash import hashed_vectors

TOPIC = Topic("volcano")
VOLCANO = "the volcano erupts lava and ash near the crater of the mountain"
LAVA = "lava and ash flow from the crater down the mountain"
SOUP = "the soup is cooked with salt and pepper in the kitchen"
CAKE = "the cake is baked with salt and sugar in the kitchen"
BACKGROUND = [f"subject{number} is about matter{number}" for number in range(40)]


def judge_of(topic: Topic = TOPIC) -> LearnedJudge:
    return LearnedJudge(topic, hashed_vectors(), BACKGROUND)


def relevances(judge: LearnedJudge, *texts: str) -> list[float]:
    return [judge.relevance(page_of(text)) for text in texts]


def test_a_page_with_the_topics_word_is_more_relevant_than_one_without() -> None:
    with_word, without = relevances(judge_of(), VOLCANO, SOUP)
    assert with_word > 10 * without


def test_the_word_in_title_and_beginning_counts_besides_the_text() -> None:
    judge = judge_of()
    late = page_of(" ".join(["soup"] * 100) + " volcano")
    early = page_of("volcano " + " ".join(["soup"] * 100))
    titled = replace(early, title="The volcano")
    assert judge.relevance(late) < judge.relevance(early) < judge.relevance(titled)


def test_stop_words_of_the_topic_say_nothing() -> None:
    assert relevances(judge_of(Topic("the volcano and its lava")), SOUP) == pytest.approx(
        relevances(judge_of(Topic("volcano lava")), SOUP)
    )


def test_an_example_draws_pages_like_it_and_a_counterexample_pushes_them_away() -> None:
    plain, liked, unliked = (
        judge_of(topic) for topic in (TOPIC, Topic("volcano", like=(LAVA,)), Topic("volcano", unlike=(VOLCANO,)))
    )
    assert relevances(liked, LAVA) > relevances(plain, LAVA)
    assert relevances(unliked, VOLCANO)[0] < 0.5 * relevances(plain, VOLCANO)[0]


@pytest.mark.parametrize("times", [1, 3])
def test_a_page_given_as_unlike_is_not_relevant_however_much_it_has_of_the_topic(times: int) -> None:
    edited = VOLCANO.replace("mountain", "hill")
    topic = Topic("volcano lava crater", like=(LAVA,))
    assert min(relevances(judge_of(topic), VOLCANO, edited)) > LearnedJudge.threshold
    unliked = judge_of(replace(topic, unlike=(VOLCANO,) * times))
    assert max(relevances(unliked, VOLCANO, edited)) < LearnedJudge.threshold / 2
    assert relevances(unliked, LAVA)[0] > LearnedJudge.threshold  # nearer to what is wanted


def test_stop_words_are_no_evidence_but_those_of_the_topic() -> None:
    def shown(topic: str) -> set[str]:
        return {row.term for row in judge_of(Topic(topic)).evidence(page_of("who is in the band")).rows}

    assert shown("band") == {"band"}
    assert shown("the who") >= {"who", "band"}


def test_examples_do_not_raise_pages_unlike_them() -> None:
    """They were chosen, so they say nothing about how many pages are relevant."""
    plain, liked = judge_of(), judge_of(Topic("volcano", like=(LAVA,)))
    assert relevances(liked, LAVA)[0] > 10 * relevances(plain, LAVA)[0]
    assert relevances(liked, SOUP)[0] < 0.01


def test_counterexamples_do_not_lower_pages_unlike_them() -> None:
    plain, unliked = judge_of(), judge_of(Topic("volcano", unlike=(VOLCANO,) * 5))
    assert relevances(unliked, VOLCANO)[0] < 0.5 * relevances(plain, VOLCANO)[0]
    assert relevances(unliked, SOUP)[0] > 0.5 * relevances(plain, SOUP)[0]


def test_examples_stay_out_of_the_fit_when_there_are_answers() -> None:
    judge = judge_of(Topic("volcano", like=(LAVA,)))
    rows = np.array([judge.describe(page_of(text)) for text in (VOLCANO, LAVA, SOUP, CAKE)])
    before = judge.relevances(rows)
    judge.teach(rows, [(3, False)])
    assert judge.relevances(rows)[2] < before[2]  # both are about the kitchen
    judge.teach(rows, [])
    assert (judge.relevances(rows) == before).all()


class TestTeaching:
    TEXTS = (VOLCANO, LAVA, SOUP, CAKE)

    @pytest.fixture
    def judge(self) -> LearnedJudge:
        return judge_of()

    def described(self, judge: LearnedJudge) -> np.ndarray:
        return np.array([judge.describe(page_of(text)) for text in self.TEXTS])

    def test_yes_raises_and_no_lowers_pages_like_the_one_answered(self, judge: LearnedJudge) -> None:
        rows = self.described(judge)
        before = judge.relevances(rows)
        judge.teach(rows, [(2, True)])
        assert judge.relevances(rows)[3] > before[3]  # both are about the kitchen
        judge.teach(rows, [(0, False)])
        assert judge.relevances(rows)[1] < before[1]

    def test_a_page_answered_no_is_not_relevant_even_if_the_topic_is_all_over_it(self) -> None:
        judge = judge_of(Topic("volcano lava crater"))
        page = page_of(f"{VOLCANO} {LAVA}")
        rows = np.array([judge.describe(page), *self.described(judge)])
        assert judge.relevances(rows)[0] > judge.threshold
        judge.teach(rows, [(0, False), (2, True)])
        assert judge.relevances(rows)[0] < judge.threshold / 2
        judge.teach(rows, [(0, True), (2, True)])
        assert judge.relevances(rows)[0] > judge.threshold

    def test_no_answers_are_as_it_began(self, judge: LearnedJudge) -> None:
        rows = self.described(judge)
        before = judge.relevances(rows)
        judge.teach(rows, [(0, False), (2, True)])
        judge.teach(rows, [])
        assert (judge.relevances(rows) == before).all()
        assert judge.save() == b""

    def test_saved_and_loaded_it_says_the_same_to_the_last_bit(self, judge: LearnedJudge) -> None:
        rows = self.described(judge)
        judge.teach(rows, [(0, True), (2, False)])
        other = judge_of()
        other.load(judge.save())
        assert (other.relevances(rows) == judge.relevances(rows)).all()
        assert other.save() == judge.save()

    @pytest.mark.parametrize("state", [b"no lesson", b"PK\x03\x04 neither"])
    def test_a_damaged_lesson_is_refused(self, judge: LearnedJudge, state: bytes) -> None:
        with pytest.raises(JudgeError, match="statistics"):
            judge.load(state)

    def test_a_lesson_on_another_topic_is_refused(self, judge: LearnedJudge) -> None:
        judge.teach(self.described(judge), [(0, True)])
        with pytest.raises(JudgeError, match="another topic"):
            judge_of(Topic("volcano ash lava")).load(judge.save())

    @pytest.mark.parametrize("answer", [True, False])
    def test_answers_of_one_kind_alone_leave_all_numbers_between_0_and_1(
        self, judge: LearnedJudge, answer: bool
    ) -> None:
        rows = self.described(judge)
        before = judge.relevances(rows)
        judge.teach(rows, [(place, answer) for place in range(len(rows))])
        said = judge.relevances(rows)
        assert ((said > 0) & (said < 1)).all()
        assert ((said > before) == answer).all()

    @settings(deadline=None, max_examples=20)
    @given(answers=st.dictionaries(st.integers(0, 3), st.booleans(), min_size=1))
    def test_relevance_is_the_same_in_any_batch(self, answers: dict[int, bool]) -> None:
        judge = judge_of()
        rows = self.described(judge)
        judge.teach(rows, list(answers.items()))
        together = judge.relevances(rows)
        assert [float(judge.relevances(row[None])[0]) for row in rows] == together.tolist()
        assert relevances(judge, *self.TEXTS) == together.tolist()


def test_a_page_without_words_is_not_relevant() -> None:
    assert relevances(judge_of(), "") == [0.0]


def test_the_words_that_speak_for_the_page_come_first() -> None:
    evidence = judge_of().evidence(page_of(VOLCANO))
    assert evidence.rows[0].term == "volcano"
    assert evidence.rows[0].contribution > evidence.rows[1].contribution


def test_the_fit_is_the_smallest_loss() -> None:
    """One feature, one answer of 1 at even odds: θ = 1 - σ(θ), which is 0.4010581..."""
    found = fitted_shift(np.ones((1, 1)), np.zeros(1), np.ones(1), np.ones(1))
    assert found == pytest.approx([0.4010581375], abs=1e-6)
