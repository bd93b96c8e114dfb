"""The embedding judges: cosines of texts with the topic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.judge import EmbeddingJudge, EmbeddingTfidfJudge
from honeyguide.model import Topic
from honeyguide.text import WordllamaVectors, WordVectors
from pages import page_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

TOPIC = Topic("geology", ("rock", "plate tectonics"))


def test_relevance_is_the_cosine_with_the_topic() -> None:
    table = hashed_vectors()
    one, two = table.vector(["rock", "mud"]), table.vector(["geology", "rock", "plate", "tectonics"])
    expected = one @ two / np.linalg.norm(one) / np.linalg.norm(two)
    judged = EmbeddingJudge(TOPIC, hashed_vectors()).relevance(page_of("rock mud"))
    assert judged == pytest.approx(max(0.0, expected))
    assert judged > 0.1


def test_nearness_may_be_negative_where_relevance_is_0() -> None:
    judge = EmbeddingJudge(TOPIC, hashed_vectors())
    against = next(page for page in map(page_of, "abcdefgh") if judge.nearness(page) < 0)
    assert judge.relevance(against) == 0.0


def test_pages_with_the_same_words_and_other_main_text_are_told_apart() -> None:
    judge = EmbeddingJudge(TOPIC, hashed_vectors())
    about = page_of("rock soup", main=((0, 1),))
    aside = replace(about, main_spans=((1, 2),))
    assert judge.relevance(about) == pytest.approx(EmbeddingJudge(TOPIC, hashed_vectors()).relevance(page_of("rock")))
    assert judge.relevance(about) != judge.relevance(aside)


def test_an_empty_topic_finds_nothing() -> None:
    assert EmbeddingJudge(Topic(""), hashed_vectors()).relevance(page_of("rock and mineral")) == 0.0


def test_evidence_names_the_words_that_made_the_cosine_and_what_of_the_topic_they_are_near() -> None:
    evidence = EmbeddingJudge(TOPIC, hashed_vectors()).evidence(page_of("mud rock rock soup tectonics"))
    best = evidence.rows[0]
    assert (best.term, best.compared_with, best.count) == ("rock", "rock", 2)
    assert best.similarity == pytest.approx(1.0)
    assert {row.term for row in evidence.rows} == {"mud", "rock", "soup", "tectonics"}


def test_words_that_contribute_the_same_are_shown_in_the_order_of_the_page() -> None:
    class Synonyms:
        dimension = 2

        def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
            return np.ones((len(words), 2), dtype=np.float32)

    table = WordVectors(Synonyms())
    table.look_up(("rock", "stone", "boulder"))
    evidence = EmbeddingJudge(Topic("geology"), table).evidence(page_of("boulder stone rock"))
    assert [row.term for row in evidence.rows] == ["boulder", "stone", "rock"]


def test_a_long_page_shows_its_loudest_words_and_sums_up_the_rest() -> None:
    page = page_of("rock " + " ".join(f"word{number}" for number in range(300)))
    judge = EmbeddingJudge(TOPIC, hashed_vectors())
    evidence = judge.evidence(page)
    assert len(evidence.rows) == 20
    assert evidence.rest < 0
    assert sum(row.contribution for row in evidence.rows) + evidence.rest == pytest.approx(judge.nearness(page))


def test_bundled_vectors_tell_geology_from_cooking_without_the_topics_own_words() -> None:
    judge = EmbeddingJudge(Topic("geology", ("rock", "mineral")), WordVectors(WordllamaVectors()))
    lava = page_of("granite and basalt cool from magma; sediment becomes sandstone near the volcano")
    soup = page_of("simmer the onion soup, add butter and serve it with bread and cheese")
    assert judge.relevance(lava) >= judge.threshold
    assert judge.relevance(soup) < judge.threshold
    assert "rock" in {row.compared_with for row in judge.evidence(lava).rows}


@pytest.mark.parametrize("kind", [EmbeddingJudge, EmbeddingTfidfJudge])
def test_a_topic_with_examples_asks_for_more(
    kind: type[EmbeddingJudge | EmbeddingTfidfJudge],
) -> None:
    topics = (Topic("rock"), Topic("rock", like=("basalt",)), Topic("rock", unlike=("mud",)))
    assert [kind(topic, hashed_vectors()).threshold for topic in topics] == [0.25, 0.3, 0.25]
    assert kind(topics[1], hashed_vectors()).evidence(page_of("rock")).threshold == 0.3
