"""A search goes by the newest judgement, though the index was made before the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import honeyguide
from honeyguide.search import Searcher
from search.small_runs import html, run_of
from teachable_judge import teachable
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

LAVA, GRANITE = "http://a.test/lava", "http://a.test/granite"
PAGES = {
    LAVA: html("Lava", "Basalt cools from lava, and its columns are famous."),
    GRANITE: html("Granite", "Granite is a rock, a light rock, unlike basalt."),
}


def test_relevance_and_the_filter_for_relevant_pages_follow_answers(tmp_path: Path) -> None:
    with teachable():
        run = run_of(tmp_path / "run", PAGES)
        with Searcher(run) as searcher:
            assert [hit.url for hit in searcher.search("basalt", relevant_only=True).hits] == [GRANITE]
        honeyguide.answer(run, LAVA, "yes", vectors=hashed_vectors())
        honeyguide.answer(run, GRANITE, "no", vectors=hashed_vectors())
    with Searcher(run) as searcher:
        found = {hit.url: (hit.relevance, hit.is_relevant) for hit in searcher.search("basalt").hits}
        assert found == {LAVA: (1.0, True), GRANITE: (0.0, False)}
        assert [hit.url for hit in searcher.search("basalt", relevant_only=True).hits] == [LAVA]
    with teachable():
        honeyguide.answer(run, LAVA, "no", vectors=hashed_vectors())
    with Searcher(run) as searcher:
        assert searcher.search("basalt", relevant_only=True).hits == ()
