"""One crawl, two grades: numbers worked out by hand."""

from __future__ import annotations

import numpy as np

from honeyguide_lab.reproduce.study import two_grades
from honeyguide_lab.reproduce.unkept_crawl import CrawledTask


def task() -> CrawledTask:
    """A page with the word, a redirect, a page that is labelled, one that is both, one that is neither."""
    return CrawledTask(
        urls=("word", "hop", "label", "both", "none"),
        is_page=np.array([True, False, True, True, True]),
        is_relevant=np.array([True, False, False, True, False]),
        relevance=np.zeros(5, dtype=np.float32),
        weights=np.empty(0),
        seconds=0.0,
    )


def test_each_grade_counts_its_own_pages_over_the_whole_budget() -> None:
    graded = two_grades(task(), 7, frozenset({"label", "both", "hop"}))
    assert graded.self_graded.tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
    assert graded.independent is not None
    assert graded.independent.tolist() == [0, 0, 0, 1, 2, 2, 2, 2]  # a redirect is no page


def test_without_labels_there_is_one_grade() -> None:
    assert two_grades(task(), 5, None).independent is None


def test_what_is_beyond_the_budget_does_not_count() -> None:
    assert two_grades(task(), 3, None).self_graded.tolist() == [0, 1, 1, 1]
