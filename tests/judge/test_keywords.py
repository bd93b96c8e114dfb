"""The keyword judge: whole words and phrases in a hundred words."""

from __future__ import annotations

import pytest

from honeyguide.judge import KeywordJudge, TopicPhrases
from honeyguide.model import Topic
from honeyguide.text import Stems, words_of
from pages import page_of

TOPIC = Topic("geology", ("rock", "plate tectonics"))


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
def test_relevance_follows_occurrences_in_a_hundred_words(text: str, relevance: float) -> None:
    assert KeywordJudge(TOPIC).relevance(page_of(text)) == pytest.approx(relevance)


def test_without_keywords_the_name_is_looked_for() -> None:
    judge = KeywordJudge(Topic("Plate tectonics"))
    assert judge.relevance(page_of("about plate tectonics")) > judge.threshold
    assert judge.relevance(page_of("about tectonics")) == 0.0


def test_with_keywords_the_name_does_not_count() -> None:
    assert KeywordJudge(TOPIC).relevance(page_of("all about geology")) == 0.0


def test_an_empty_topic_finds_nothing() -> None:
    assert KeywordJudge(Topic("")).relevance(page_of("rock and mineral")) == 0.0


def test_evidence_shares_the_relevance_out_by_occurrences() -> None:
    evidence = KeywordJudge(TOPIC).evidence(page_of("rock rock rock plate tectonics"))
    assert [(row.term, row.count) for row in evidence.rows] == [("rock", 3), ("plate tectonics", 1)]
    assert evidence.rows[0].contribution == pytest.approx(3 * evidence.rows[1].contribution)


class TestPhrases:
    def test_phrases_that_begin_alike_or_overlap_are_all_found(self) -> None:
        phrases = TopicPhrases(["sea", "sea level", "level rise", "Sea Level Rise", ""])
        found = phrases.occurrences(tuple(words_of("the sea level rise; a sea; sea rise level")))
        assert found == {"sea": 3, "sea level": 1, "level rise": 1, "Sea Level Rise": 1}

    def test_a_phrase_cut_off_by_the_end_of_the_text_is_not_there(self) -> None:
        assert not TopicPhrases(["sea level"]).are_in(("the", "sea"))

    def test_a_phrase_repeated_in_itself_is_found_at_every_place(self) -> None:
        assert TopicPhrases(["so so"]).occurrences(("so", "so", "so")) == {"so so": 2}

    def test_a_phrase_given_twice_counts_once(self) -> None:
        assert TopicPhrases(["rock", "Rock"]).occurrences(("rock",)).total() == 1


class TestStemming:
    def test_words_of_one_stem_count_as_one_word(self) -> None:
        page = page_of("rocks, and the tectonics of plates; plates' tectonics: PLATE TECTONIC")
        evidence = KeywordJudge(TOPIC, Stems()).evidence(page)
        assert [(row.term, row.count) for row in evidence.rows] == [("plate tectonics", 2), ("rock", 1)]
        assert KeywordJudge(TOPIC).relevance(page) == 0.0

    def test_keywords_of_one_stem_are_one_keyword(self) -> None:
        assert TopicPhrases(["rock", "rocks"], Stems()).occurrences(("rock",)) == {"rock": 1}
