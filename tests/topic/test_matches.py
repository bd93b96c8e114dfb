"""How well a subject fits a topic, in numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.model import Topic
from honeyguide.topic.gist import Gist, PhraseReader, SubjectMatch, SubjectMatcher, gist_of
from honeyguide.topic.presets import Subject, read_subjects
from honeyguide.topic.suggesting import focus_of, from_subjects
from vectors_by_hash import hashed_vectors

SUBJECTS = tuple(
    read_subjects(
        "Science: theory\n  Cosmology: black hole, universe\n  Optics: lens, black\nSports: team\n  Golf: hole, green\n"
    )
)
READER = PhraseReader(SUBJECTS)
VECTORS = hashed_vectors()


def gist(name: str, *like: str) -> Gist:
    return gist_of(Topic(name, (), like), VECTORS, READER)


def shared(name: str) -> dict[str, float]:
    matches = SubjectMatcher(SUBJECTS, VECTORS, READER).matches(gist(name))
    return {match.subject.name: match.shared for match in matches}


def test_words_weigh_alike_in_a_sentence_of_known_words() -> None:
    assert gist("lens and green and team").weight_by_stem == pytest.approx(
        {"len": 1 / 3, "green": 1 / 3, "team": 1 / 3}
    )


def test_a_subject_shares_the_weight_of_the_words_it_has() -> None:
    assert shared("lens and green")["Optics"] == pytest.approx(0.5)
    assert shared("lens and green")["Golf"] == pytest.approx(0.5)
    assert shared("lens and green")["Sports"] == 0.0


def test_a_word_of_an_entry_of_two_counts_a_quarter() -> None:
    # "hole" is half of "black hole": (1/2)^2 of all the weight there is.
    assert shared("hole")["Cosmology"] == pytest.approx(0.25)
    assert shared("hole")["Golf"] == pytest.approx(1.0)


def test_a_phrase_known_as_a_whole_makes_its_words_count_half_elsewhere() -> None:
    found = shared("black holes")
    assert found["Cosmology"] == pytest.approx(1.0)
    assert found["Golf"] == pytest.approx(0.5 * 0.5)
    assert found["Optics"] == pytest.approx(0.5 * 0.5)


def test_the_score_is_the_mean_of_nearness_and_shared_words_less_half_of_what_speaks_against() -> None:
    subject = Subject("Golf", ("hole",), ())
    assert SubjectMatch(subject, np.zeros(3), nearness=0.4, shared=0.8).score == pytest.approx(0.6)
    assert SubjectMatch(subject, np.zeros(3), nearness=-0.4, shared=0.8).score == pytest.approx(0.4)
    assert SubjectMatch(subject, np.zeros(3), nearness=0.4, shared=0.8, against=0.5).score == pytest.approx(0.35)
    assert SubjectMatch(subject, np.zeros(3), nearness=0.0, shared=0.1, against=0.9).score == 0.0


def test_a_counterexample_speaks_against_its_subject() -> None:
    matcher = SubjectMatcher(SUBJECTS, VECTORS, READER)
    plain = {match.subject.name: match.score for match in matcher.matches(gist("green lens"))}
    against = {
        match.subject.name: match.score for match in matcher.matches(gist("green lens"), gist("", "hole on the green"))
    }
    assert against["Golf"] < plain["Golf"]
    assert against["Cosmology"] == pytest.approx(plain["Cosmology"], abs=0.2)


def test_a_subject_hands_its_score_on_to_the_wider_one() -> None:
    topic = gist("black holes")
    matches = SubjectMatcher(SUBJECTS, VECTORS, READER).matches(topic)
    found = {each.text: each for each in from_subjects(topic, focus_of(topic, matches), matches, READER)}
    assert found["Science"].score == pytest.approx(0.85 * found["Cosmology"].score)
    assert found["Science"].origin == "wider than Cosmology"


def test_the_topic_is_never_its_own_category_nor_is_what_is_narrower() -> None:
    topic = gist("hole")
    subjects = tuple(read_subjects("Sports: team\n  Holes: hole\n  Hole carving: hole\n  Holes and pits: hole\n"))
    matches = SubjectMatcher(subjects, VECTORS, READER).matches(topic)
    found = [each.text for each in from_subjects(topic, focus_of(topic, matches), matches, READER)]
    assert sorted(found) == ["Holes and pits", "Sports"]


def test_without_a_fitting_subject_there_is_no_category_and_the_focus_is_the_topic() -> None:
    topic = gist("zzyzx")
    matches = SubjectMatcher(SUBJECTS, VECTORS, READER).matches(topic)
    focus = focus_of(topic, matches)
    assert focus.fitting == ()
    assert np.allclose(focus.vector, topic.vector)
    assert from_subjects(topic, focus, matches, READER) == []


def test_words_of_counterexamples_weigh_less() -> None:
    like = gist_of(Topic("lens and green"), VECTORS, READER).weight_by_stem
    unlike = gist_of(Topic("lens and green", unlike=("green",)), VECTORS, READER).weight_by_stem
    # 1/2 each; then 1/2 against 1/2 - 1/4, brought back to a sum of 1.
    assert like == pytest.approx({"len": 0.5, "green": 0.5})
    assert unlike == pytest.approx({"len": 2 / 3, "green": 1 / 3})
