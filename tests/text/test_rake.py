"""RAKE: candidates between stop words and punctuation, scored in two ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.text import Stems, stop_words, words_of
from honeyguide.text.rake import LONGEST, Keyword, RakeScore, candidates_in, keywords_of

STOP = stop_words("english")


def phrases(text: str, spans: tuple[tuple[int, int], ...] | None = None) -> list[str]:
    words = words_of(text)
    found = candidates_in(text, words, spans or ((0, len(words)),), STOP)
    return [" ".join(words[start:end]) for start, end in found]


def keywords(text: str, scoring: RakeScore = RakeScore.WORDS) -> list[Keyword]:
    words = words_of(text)
    return keywords_of(words, candidates_in(text, words, ((0, len(words)),), STOP), Stems(), scoring)


class TestCandidates:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("The history of classical music", ["history", "classical music"]),
            ("Classical music, opera; ballet", ["classical music", "opera", "ballet"]),
            ("rock. Rock", ["rock", "rock"]),
            ("a well-known sea_level rise", ["known sea level rise"]),
            ("rock – mud — clay/ore", ["rock", "mud", "clay", "ore"]),
            ("(rock) mud", ["rock", "mud"]),
            ("in 1999 and 2006, 42nd street", ["42nd street"]),
            ("he is 6'2, \u2167 and 10²", []),
            ("1,000 rocks, 2.5 tonnes; at 10:30 trains", ["rocks", "tonnes", "trains"]),
            ("rocks 1,000,000", ["rocks"]),
            ("apollo 11, 1969 olympics", ["apollo 11", "1969 olympics"]),
            ("apollo 11\n12 monkeys", ["apollo 11", "12 monkeys"]),
            ("of the and", []),
            ("", []),
            ("...", []),
        ],
    )
    def test_stop_words_and_punctuation_separate(self, text: str, expected: list[str]) -> None:
        assert phrases(text) == expected

    def test_only_the_spans_are_read_and_their_edges_separate(self) -> None:
        assert phrases("menu home rock mud clay footer", ((2, 4), (4, 5))) == ["rock mud", "clay"]

    def test_a_long_run_is_cut(self) -> None:
        runs = phrases(" ".join(f"ore{number}" for number in range(2 * LONGEST + 1)))
        assert [len(run.split()) for run in runs] == [LONGEST, LONGEST, 1]

    def test_words_that_do_not_come_from_the_text_are_separated_by_stop_words_alone(self) -> None:
        assert candidates_in("other text", ["rock", "mud", "of", "clay"], ((0, 4),), STOP) == [(0, 2), (3, 4)]

    @given(st.text(alphabet=st.sampled_from("abI İΣσß'’-_., \u0130the of"), max_size=40), st.booleans())
    def test_candidates_of_parsed_pages_lie_in_the_main_text_and_break_at_punctuation(
        self, text: str, bracketed: bool
    ) -> None:
        html = f"<nav>menu, menu</nav><p>{text}<b>{text}</b>x. Rock</p>" if bracketed else f"<p>{text}. Rock</p>"
        page = parse(Url.parse("http://a.test/"), Fetched(200, "text/html; charset=utf-8", html.encode()))
        assert len(words_of(page.text)) == len(page.words)
        found = candidates_in(page.text, page.words, page.main_spans, STOP)
        inside = {place for start, end in page.main_spans for place in range(start, end)}
        assert all(inside >= set(range(start, end)) for start, end in found)
        assert not any(page.words[place] in STOP for start, end in found for place in range(start, end))
        assert (len(page.words) - 1, len(page.words)) in found  # "Rock" stands alone, after a full stop


class TestScores:
    TEXT = "Classical music. Music history; the classical music of history. Music"

    def test_by_words_as_rose_et_al_have_it(self) -> None:
        # Candidates: classical music (2), music history, history, music.
        # degree/frequency: classical 4/2, music (2+2+2+1)/4, history (2+1)/2.
        scores = {keyword.text: keyword.score for keyword in keywords(self.TEXT)}
        assert scores == pytest.approx({
            "classical music": 2 + 7 / 4, "music history": 7 / 4 + 3 / 2, "history": 3 / 2, "music": 7 / 4,
        })  # fmt: skip
        assert [keyword.text for keyword in keywords(self.TEXT)] == [
            "classical music", "music history", "music", "history",
        ]  # fmt: skip

    def test_by_phrases_as_lim_describes_it(self) -> None:
        # music is used by classical music twice and by music history once, and is a candidate once: 3/1.
        scores = {keyword.text: keyword.score for keyword in keywords(self.TEXT, RakeScore.PHRASES)}
        assert scores == {"music": 3.0, "history": 1.0, "classical music": 0.0, "music history": 0.0}

    def test_a_phrase_used_twice_by_another_counts_twice(self) -> None:
        scores = {keyword.text: keyword.score for keyword in keywords("so-called bora bora. Bora", RakeScore.PHRASES)}
        assert scores["bora"] == 2.0

    def test_forms_of_one_phrase_are_one_keyword_shown_as_it_first_stands(self) -> None:
        (rocks, *others) = keywords("Igneous rocks; an igneous rock")
        assert (rocks.text, rocks.times, others) == ("igneous rocks", 2, [])

    def test_a_keyword_knows_where_it_first_stands(self) -> None:
        (keyword,) = [keyword for keyword in keywords("the mud of igneous rock, igneous rock") if keyword.times == 2]
        assert (keyword.start, keyword.end, keyword.words) == (3, 5, ("igneous", "rock"))

    @given(st.lists(st.sampled_from(["rock", "rocks", "mud", "the", "ore,", "ore", "Music."]), max_size=60))
    def test_every_candidate_is_counted_once_and_scores_are_in_order(self, words: list[str]) -> None:
        text = " ".join(words)
        for scoring in RakeScore:
            found = keywords(text, scoring)
            assert sum(keyword.times for keyword in found) == len(phrases(text))
            assert [keyword.score for keyword in found] == sorted((keyword.score for keyword in found), reverse=True)
            assert all(keyword.score >= 0 for keyword in found)
