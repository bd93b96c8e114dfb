"""Judges: relevance from 0 to 1, thresholds and rewards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.domain import Topic
from honeyguide.judge import EmbeddingJudge, Judge, KeywordJudge, Reward, verdict_of
from honeyguide.text import WordllamaVectors, WordVectors
from pages import page_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

TOPIC = Topic("geology", ("rock", "plate tectonics"))
JUDGES: dict[str, Callable[[], Judge]] = {
    "keyword": lambda: KeywordJudge(TOPIC),
    "embedding": lambda: EmbeddingJudge(TOPIC, hashed_vectors()),
}


@pytest.fixture(params=JUDGES.values(), ids=list(JUDGES))
def judge(request: pytest.FixtureRequest) -> Judge:
    made: Judge = request.param()
    return made


@given(texts=st.lists(st.text("rockplate cns ", max_size=60), min_size=1, max_size=5))
@pytest.mark.parametrize("make", JUDGES.values(), ids=JUDGES.keys())
def test_a_verdict_is_pure_in_the_page_and_relevance_is_between_0_and_1(
    make: Callable[[], Judge], texts: list[str]
) -> None:
    pages = [page_of(text) for text in texts]
    judge = make()
    first = [judge.judge(page) for page in pages]
    again = [judge.judge(page) for page in reversed(pages)]
    assert first == again[::-1]
    assert first == [make().judge(page) for page in pages]
    assert all(0.0 <= verdict.relevance <= 1.0 for verdict in first)


def test_an_empty_page_is_not_relevant(judge: Judge) -> None:
    verdict = judge.judge(page_of(""))
    assert verdict.relevance == 0.0
    assert not verdict.is_relevant


def test_navigation_is_not_judged(judge: Judge) -> None:
    noisy = page_of("rock rock rock plain words about cooking", main=((3, 7),))
    plain = page_of("plain words about cooking")
    assert judge.judge(noisy) == judge.judge(plain)


@pytest.mark.parametrize(
    ("text", "relevance"),
    [
        ("rock " + "word " * 99, 0.5),  # one in a hundred words
        ("Plate tectonics " + "word " * 98, 0.5),  # a phrase counts once
        ("plate word tectonics " + "word " * 97, 0.0),  # apart, it is no phrase
        ("rocks rocky " + "word " * 98, 0.0),  # whole words only
        ("rock " * 3 + "word " * 97, 0.75),
    ],
)
def test_keyword_relevance_follows_occurrences_in_a_hundred_words(text: str, relevance: float) -> None:
    assert KeywordJudge(TOPIC).judge(page_of(text)).relevance == pytest.approx(relevance)


def test_keyword_judge_without_keywords_looks_for_the_name() -> None:
    judge = KeywordJudge(Topic("Plate tectonics"))
    assert judge.judge(page_of("about plate tectonics")).is_relevant
    assert not judge.judge(page_of("about tectonics")).is_relevant


def test_an_empty_topic_finds_nothing_relevant() -> None:
    judges: list[Judge] = [KeywordJudge(Topic("")), EmbeddingJudge(Topic(""), hashed_vectors())]
    assert not any(judge.judge(page_of("rock and mineral")).is_relevant for judge in judges)


def test_embedding_relevance_is_the_cosine_with_the_topic() -> None:
    table = hashed_vectors()
    one, two = table.vector(["rock", "mud"]), table.vector(["geology", "rock", "plate", "tectonics"])
    expected = one @ two / np.linalg.norm(one) / np.linalg.norm(two)
    judged = EmbeddingJudge(TOPIC, hashed_vectors()).judge(page_of("rock mud"))
    assert judged.relevance == pytest.approx(max(0.0, expected))


def test_bundled_vectors_tell_geology_from_cooking_without_the_topics_own_words() -> None:
    judge = EmbeddingJudge(Topic("geology", ("rock", "mineral")), WordVectors(WordllamaVectors()))
    lava = judge.judge(page_of("granite and basalt cool from magma; sediment becomes sandstone near the volcano"))
    soup = judge.judge(page_of("simmer the onion soup, add butter and serve it with bread and cheese"))
    assert lava.is_relevant
    assert not soup.is_relevant


@pytest.mark.parametrize(
    ("relevance", "reward", "is_relevant", "earned"),
    [
        (0.6, Reward.SCORE, True, 0.6),
        (0.6, Reward.HIT, True, 1.0),
        (0.4, Reward.SCORE, False, 0.4),
        (0.4, Reward.HIT, False, 0.0),
    ],
)
def test_rewards_are_the_score_or_the_hit(relevance: float, reward: Reward, is_relevant: bool, earned: float) -> None:
    verdict = verdict_of(relevance, 0.5, reward)
    assert (verdict.is_relevant, verdict.reward) == (is_relevant, earned)
