"""How much of the topic's words a link's anchor and address have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn.online_ridge import SAID, OnlineRidge, OnlineRidgeSettings
from honeyguide.learn.topic_words import TopicMentions
from honeyguide.model import Topic
from honeyguide.text.telling import idf_of_stem
from pages import candidates_of, rows_of, sighting_of
from vectors_by_hash import hashed_vectors

GEOLOGY = Topic("geology of the Alps", ("volcanic rock",))


def shares(topic: Topic, *links: tuple[str, str]) -> list[float]:
    sightings = [sighting_of(f"http://a.test{path}", anchor) for path, anchor in links]
    found: list[float] = TopicMentions(topic).shares(candidates_of(*sightings)).tolist()
    return found


def test_words_are_found_in_the_anchor_and_in_the_address_by_stem() -> None:
    topic = Topic("networking")
    found = shares(topic, ("/x", "Networks"), ("/networking/x.html", ""), ("/x", "nets"), ("/x", ""))
    assert found == [1.0, 1.0, 0.0, 0.0]


def test_a_word_counts_by_how_telling_it_is_and_once() -> None:
    whole = sum(map(idf_of_stem, ("geolog", "alp", "volcan", "rock")))
    anchor, both, stop_words = shares(
        GEOLOGY, ("/x", "Rocks, rocks and rocks"), ("/rock", "geology of rocks"), ("/x", "of the")
    )
    assert anchor == pytest.approx(idf_of_stem("rock") / whole)
    assert both == pytest.approx((idf_of_stem("rock") + idf_of_stem("geolog")) / whole)
    assert stop_words == 0.0


def test_a_topic_without_words_is_found_nowhere() -> None:
    assert shares(Topic("", like=("some text",)), ("/a", "any anchor")) == [0.0]
    assert shares(Topic("ж"), ("/a", "any anchor"), ("/b", "ж")) == [0.0, 1.0]


@given(st.lists(st.tuples(st.sampled_from(["/alps", "/x?q=rock", "/"]), st.text(max_size=30)), max_size=6))
def test_shares_are_from_nothing_to_all_and_do_not_depend_on_the_other_links(links: list[tuple[str, str]]) -> None:
    together = shares(GEOLOGY, *links)
    assert all(0.0 <= share <= 1.0 + 1e-9 for share in together)
    assert together == [share for link in links for share in shares(GEOLOGY, link)]


def test_a_new_crawl_prefers_links_that_say_the_topic() -> None:
    strategy = OnlineRidge(GEOLOGY, hashed_vectors(), OnlineRidgeSettings())
    links = candidates_of(*(sighting_of(f"http://a.test/{name}", depth=1) for name in ("alps", "walls")))
    rows = rows_of(strategy, links)
    column = strategy.columns.index(SAID)
    assert rows[0, column] > rows[1, column] == 0.0
    without = rows.copy()
    without[:, column] = 0.0
    assert np.diff(strategy.score(rows))[0] < np.diff(strategy.score(without))[0]
