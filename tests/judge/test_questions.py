"""Which pages a person is asked about."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.judge import LearnedJudge
from honeyguide.judge.questions import next_questions
from honeyguide.model import Topic
from pages import page_of
from vectors_by_hash import hashed_vectors

TEXTS = (
    "soup with salt and pepper",
    "the volcano erupts lava and ash",
    "the volcano erupts lava and ash",  # a copy
    "a volcano near the sea and its harbour",
    "",
)


@pytest.fixture
def judge() -> LearnedJudge:
    return LearnedJudge(Topic("volcano"), hashed_vectors())


@pytest.fixture
def rows(judge: LearnedJudge) -> np.ndarray:
    return np.array([judge.describe(page_of(text)) for text in TEXTS])


def test_likely_pages_come_first_and_no_two_near_duplicates(judge: LearnedJudge, rows: np.ndarray) -> None:
    chosen = next_questions(judge, rows, (), count=5)
    assert chosen[2:] == [0]  # neither the copy nor the page without words
    said = judge.relevances(rows)
    assert set(chosen[:2]) == {1, 3}
    assert said[chosen[0]] > said[chosen[1]]


def test_what_was_answered_or_skipped_is_not_asked_again(judge: LearnedJudge, rows: np.ndarray) -> None:
    judge.teach(rows, [(1, True)])
    assert not {1, 2, 3} & set(next_questions(judge, rows, [(1, True)], skipped=[3], count=5))


def test_nothing_is_asked_once_answers_change_nothing(judge: LearnedJudge, rows: np.ndarray) -> None:
    many = np.tile(rows[:2], (200, 1))  # two pages and their copies
    answers = [(place, place % 2 == 1) for place in range(60)]
    judge.teach(many, answers)
    assert next_questions(judge, many, answers) == []


def test_no_pages_no_questions(judge: LearnedJudge, rows: np.ndarray) -> None:
    assert next_questions(judge, rows[:0], (), count=3) == []


def test_asking_leaves_the_judge_as_it_was(judge: LearnedJudge, rows: np.ndarray) -> None:
    judge.teach(rows, [(1, True)])
    before = judge.save()
    next_questions(judge, rows, [(1, True)], count=2)
    assert judge.save() == before
