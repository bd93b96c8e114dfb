"""Suggestions for real topics, with the vectors that come with the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.model import Topic
from honeyguide.text import EnglishVectors, Stems, WordllamaVectors, WordVectors, words_of
from honeyguide.topic import Suggestion, Suggestions, presets, suggest
from vectors_by_hash import HashedVectors, hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

STEMS = Stems()
HASHED = hashed_vectors()


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return WordVectors(WordllamaVectors())


def texts(suggestions: tuple[Suggestion, ...]) -> list[str]:
    return [suggestion.text for suggestion in suggestions]


def stems_of(text: str) -> tuple[str, ...]:
    return tuple(STEMS.of(words_of(text)))


def test_a_sentence_gives_keywords_that_a_person_would_keep(vectors: WordVectors) -> None:
    keywords = texts(suggest(Topic("coral reefs and their decline"), vectors).keywords)
    assert keywords[0] == "coral reefs"
    assert {"coral", "reefs", "marine life", "coral bleaching"} <= set(keywords)
    assert "decline" not in keywords


def test_volcanoes_are_known_by_their_lava(vectors: WordVectors) -> None:
    found = suggest(Topic("what geologists do about volcanoes"), vectors)
    assert {"volcanoes", "lava", "eruption"} <= set(texts(found.keywords))
    assert not {"do", "what", "about"} & set(texts(found.keywords))
    assert texts(found.categories)[:2] == ["Volcanology", "Geology"]


def test_an_example_text_is_enough(vectors: WordVectors) -> None:
    example = (
        "Chess is a board game for two players. The players move chess pieces on a board of squares. A player wins "
        "the game by checkmate; chess pieces such as the queen and the rook are strong. Chess clubs hold tournaments."
    )
    found = suggest(Topic("", like=(example,)), vectors)
    assert {"chess", "chess pieces"} <= set(texts(found.keywords))
    assert found.keywords[0].origin == "your example"
    assert {"Chess", "Games"} & set(texts(found.categories))


def test_a_counterexample_turns_the_suggestions_away(vectors: WordVectors) -> None:
    plain = suggest(Topic("train"), vectors)
    turned = suggest(Topic("train", unlike=("Railways: locomotives pull a train along the railway track.",)), vectors)
    assert plain.categories[0].text == "Railways"
    assert turned.categories == () or turned.categories[0].score < plain.categories[0].score


def test_no_two_keywords_are_forms_of_one(vectors: WordVectors) -> None:
    for topic in ("bees", "the history of tea in China", "renewable energy"):
        families = [frozenset(stems_of(text)) for text in texts(suggest(Topic(topic), vectors, keywords=40).keywords)]
        assert len(set(families)) == len(families)


@pytest.mark.parametrize("name", ["bees", "coral reefs and their decline", "xyzzy", "火山"])
def test_suggestions_are_the_same_every_time_and_best_first(vectors: WordVectors, name: str) -> None:
    once = suggest(Topic(name), vectors)
    assert suggest(Topic(name), WordVectors(WordllamaVectors())) == once
    for found in (once.keywords, once.categories):
        assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=2), st.lists(st.text(max_size=80), max_size=1))
def test_any_topic_has_suggestions_within_bounds(name: str, like: list[str], unlike: list[str]) -> None:
    found = suggest(Topic(name, (), tuple(like), tuple(unlike)), HASHED, keywords=7, categories=3)
    assert len(found.keywords) <= 7
    assert len(found.categories) <= 3
    for each in (*found.keywords, *found.categories):
        assert 0.0 <= each.score <= 1.0 + 1e-9
        assert each.text
        assert each.origin


@pytest.mark.parametrize("topic", [Topic(""), Topic("the of"), Topic("", unlike=("golf",))])
def test_a_topic_that_says_nothing_has_none(vectors: WordVectors, topic: Topic) -> None:
    assert suggest(topic, vectors) == Suggestions((), ())


def test_an_unknown_word_stands_alone(vectors: WordVectors) -> None:
    assert texts(suggest(Topic("zzyzx"), vectors).keywords) == ["zzyzx"]


@pytest.mark.parametrize("name", ["asdfgh qwertz", "xyzzyq", "Vulkane und Erdbeben"])
def test_words_that_no_table_knows_get_a_low_score_and_no_neighbours(name: str) -> None:
    source = EnglishVectors()
    found = suggest(Topic(name), WordVectors(source), vocabulary=source)
    assert found.keywords
    assert all(each.score < 0.2 and each.origin == "your words; no word table knows it" for each in found.keywords)


def test_a_word_is_not_similar_to_itself_for_want_of_subjects(vectors: WordVectors) -> None:
    assert max(each.score for each in suggest(Topic("asdfgh qwertz"), vectors).keywords) <= 0.5


class TwoOfAKind(HashedVectors):
    """Vectors in which "grue" lies where "plugh" does, as do a stop word and a number."""

    def words(self) -> list[str]:
        return ["grue", "the", "x1", "lamp"]

    def has(self, word: str) -> bool:
        return word in {"plugh", *self.words()}

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        return super().vectors(["plugh" if word in {"grue", "the", "x1"} else word for word in words])


def test_words_near_the_topic_come_from_a_vocabulary() -> None:
    source = TwoOfAKind()
    found = suggest(Topic("plugh"), WordVectors(source), vocabulary=source, among=())
    assert [(each.text, each.origin) for each in found.keywords] == [
        ("plugh", "your words"),
        ("grue", "near in the word vectors"),
    ]
    assert texts(suggest(Topic("plugh"), WordVectors(source), among=()).keywords) == ["plugh"]


def test_the_categories_of_the_paper_are_found_again(vectors: WordVectors) -> None:
    # A floor, with the list of subjects as it is: benchmarks/suggestions.py.
    found = 0
    for preset in presets().values():
        proposed = set(map(stems_of, texts(suggest(Topic(preset.topic.name), vectors).categories)))
        found += sum(stems_of(category) in proposed for category in preset.topic.categories)
    assert found >= 12
