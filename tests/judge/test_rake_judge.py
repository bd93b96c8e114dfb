"""Lim's judge: keywords by RAKE, near search phrases by vectors, between bounds, as specific as asked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from honeyguide.crawler import Builder
from honeyguide.judge import RakeJudge, RakeSettings
from honeyguide.model import Topic
from honeyguide.settings import Settings, TopicSettings, with_overrides
from honeyguide.text import WordVectors
from pages import HERE, page_of
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DEGREES = {
    "music": 0,
    "opera": 30,
    "ballet": 50,
    "soup": 90,
    "classical": 60,
    "baroque": 75,
    "history": 40,
    "musics": -35,
}


class Fan:
    """Words as unit vectors in a plane, at known angles; all others are unknown."""

    dimension = 2

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        angles = [math.radians(DEGREES[word]) if word in DEGREES else None for word in words]
        rows = [(0.0, 0.0) if angle is None else (math.cos(angle), math.sin(angle)) for angle in angles]
        return np.array(rows, dtype=np.float32).reshape(len(words), 2)


def judge(*phrases: str, rules: RakeSettings = RakeSettings()) -> RakeJudge:  # noqa: B008 - frozen
    return RakeJudge(Topic(phrases[0], phrases[1:]), WordVectors(Fan()), rules)


def cos(degrees: float) -> float:
    return math.cos(math.radians(degrees))


class TestRelevance:
    def test_it_is_the_mean_over_keywords_of_their_best_similarity(self) -> None:
        # opera is at 30° from music, soup at 60° from opera; ballet at 50° (0.643 < 2/3) and 20°; "unknown" is nowhere.
        page = page_of("opera, soup, ballet, unknown")
        assert judge("music").relevance(page) == pytest.approx(cos(30) / 4, abs=2e-3)
        assert judge("music", "opera").relevance(page) == pytest.approx((1 + cos(20)) / 4, abs=2e-3)

    def test_similarities_below_the_lower_bound_count_nothing(self) -> None:
        page = page_of("opera, ballet")
        assert judge("music", rules=RakeSettings(lower=0.6)).relevance(page) == pytest.approx(
            (cos(30) + cos(50)) / 2, abs=2e-3
        )
        assert judge("music", rules=RakeSettings(lower=0.9)).relevance(page) == 0.0

    def test_with_an_upper_bound_exact_words_count_nothing(self) -> None:
        page = page_of("music, opera, ballet")
        bounded = judge("music", rules=RakeSettings(3 / 5, 4 / 5))
        assert bounded.relevance(page) == pytest.approx(cos(50) / 3, abs=2e-3)

    def test_without_one_the_lower_bound_itself_counts_and_with_one_it_does_not(self) -> None:
        page = page_of("music")
        assert judge("music", rules=RakeSettings(lower=1.0)).relevance(page) == 1.0
        exact = cos(30)
        near = judge("music").matches(page_of("opera"))[0].score
        assert near == pytest.approx(exact, abs=2e-3)
        assert judge("music", rules=RakeSettings(lower=near)).relevance(page_of("opera")) == near
        assert judge("music", rules=RakeSettings(lower=near, upper=0.99)).relevance(page_of("opera")) == 0.0
        assert judge("music", rules=RakeSettings(lower=0.1, upper=near)).relevance(page_of("opera")) == 0.0

    def test_a_lower_bound_of_0_counts_no_opposites(self) -> None:
        class Opposite(Fan):
            def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
                return np.array([(1.0 if word == "music" else -1.0, 0.0) for word in words], dtype=np.float32)

        against = RakeJudge(Topic("music"), WordVectors(Opposite()), RakeSettings(lower=0.0))
        assert against.relevance(page_of("noise, music")) == 0.5

    def test_only_the_best_keywords_may_be_asked(self) -> None:
        page = page_of("classical opera, soup, opera, classical opera history")
        best = judge("music", rules=RakeSettings(rake_keywords=1))
        assert [keyword.text for keyword in best.keywords(page)] == ["classical opera history"]
        by_use = judge("music", rules=RakeSettings(rake_keywords=1, rake_score="phrases"))
        assert [keyword.text for keyword in by_use.keywords(page)] == ["opera"]
        assert by_use.relevance(page) == pytest.approx(cos(30), abs=2e-3)

    def test_stop_words_of_a_search_phrase_are_left_out(self) -> None:
        (match,) = judge("the history of music").matches(page_of("history music"))
        assert match.score == pytest.approx(1.0)
        assert match.search == "the history of music"

    def test_a_search_phrase_of_stop_words_alone_keeps_them(self) -> None:
        assert judge("the who", "music").relevance(page_of("music")) == 1.0

    @given(words=st.lists(st.sampled_from([*DEGREES, "the", "unknown"]), max_size=30), lower=st.floats(0, 0.9))
    @hypothesis_settings(deadline=None)
    def test_it_agrees_with_the_formula_worked_out_pair_by_pair(self, words: list[str], lower: float) -> None:
        page = page_of(", ".join(words))
        rules = RakeSettings(lower=lower)
        table, searches = WordVectors(Fan()), ["music", "classical music"]
        total = 0.0
        keywords = judge(*searches, rules=rules).keywords(page)
        for keyword in keywords:
            best = 0.0
            for search in searches:
                one, two = (table.vector(text.split()) for text in (keyword.text, search))
                lengths = np.linalg.norm(one) * np.linalg.norm(two)
                similarity = float(one @ two / lengths) if lengths else 0.0
                best = max(best, similarity if similarity >= lower else 0.0)
            total += best
        expected = total / len(keywords) if keywords else 0.0
        assert judge(*searches, rules=rules).relevance(page) == pytest.approx(expected, abs=1e-6)


class TestSpecificity:
    RULES = RakeSettings(specific=True)

    @pytest.mark.parametrize(
        ("keyword", "counts"),
        [
            ("music", False),  # Lim 8.3: too general
            ("classical", False),
            ("classical music", True),
            ("classical music history", True),
            ("baroque music", True),  # baroque is at 15° from classical
            ("opera music", False),  # near as a whole, but neither word is classical: opera is at 30° from it
        ],
    )
    def test_a_keyword_must_be_as_specific_as_the_phrase(self, keyword: str, counts: bool) -> None:
        rules = RakeSettings(lower=0.9, specific=True)
        plain = judge("classical music", rules=RakeSettings(lower=0.0))
        assert plain.relevance(page_of(keyword)) > 0
        assert (bool(judge("classical music", rules=rules).matches(page_of(keyword)))) == counts

    def test_one_word_near_to_both_words_of_a_phrase_is_not_as_specific(self) -> None:
        page = page_of("opera")  # at 30° from classical and from music, and where their sum is
        assert judge("classical music", rules=RakeSettings(0.8)).matches(page)
        assert not judge("classical music", rules=RakeSettings(0.8, specific=True)).matches(page)

    def test_words_of_one_stem_match_however_far_their_vectors(self) -> None:
        rules = RakeSettings(lower=0.85, specific=True)
        assert judge("classical music", rules=rules).matches(page_of("classical musics"))

    def test_without_it_music_satisfies_classical_music(self) -> None:
        page = page_of("music")
        assert judge("classical music").relevance(page) > 0.8
        assert judge("classical music", rules=self.RULES).relevance(page) == 0.0

    def test_a_single_word_is_satisfied_by_any_keyword_that_has_it(self) -> None:
        page = page_of("music history")
        assert judge("music", rules=self.RULES).relevance(page) == judge("music").relevance(page) > 0


class TestMatches:
    def test_they_are_the_tuples_that_lim_lists(self) -> None:
        matches = judge("music", "opera").matches(page_of("soup of the day, opera"))
        assert [(search, keyword, url) for _, search, keyword, url in matches] == [
            ("music", "opera", HERE), ("opera", "opera", HERE),
        ]  # fmt: skip
        assert [score for score, *_ in matches] == pytest.approx([cos(30), 1.0], abs=2e-3)

    def test_evidence_has_each_keyword_with_its_best_phrase(self) -> None:
        evidence = judge("music", "opera").evidence(page_of("soup, opera, ballet, operas"))
        assert [(row.term, row.compared_with, row.count) for row in evidence.rows] == [
            ("opera", "opera", 2), ("ballet", "opera", 1),
        ]  # fmt: skip
        assert evidence.rows[0].contribution == pytest.approx(1 / 3)


def test_the_settings_reach_the_judge() -> None:
    chosen = {
        "judge.kind": "rake", "judge.lower": 0.1, "judge.upper": 0.9, "judge.rake_keywords": 2,
        "judge.rake_score": "phrases", "judge.specific": True, "judge.language": "german",
    }  # fmt: skip
    settings = with_overrides(Settings(TopicSettings("rock", ("mud",))), chosen)
    built = Builder(settings, hashed_vectors()).relevance_judge()
    rules = RakeSettings(0.1, 0.9, 2, "phrases", specific=True)
    straight = RakeJudge(Topic("rock", ("mud",)), hashed_vectors(), rules, "german")
    page = page_of("rock und mud, rock, der lehm, mud clay und rock mud")
    assert built.evidence(page) == straight.evidence(page)
    assert built.evidence(page) != RakeJudge(Topic("rock", ("mud",)), hashed_vectors()).evidence(page)
