"""Cosines of pages and links with the topic and its categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.learn.han_features import TopicAndCategories
from honeyguide.model import Candidates, Origin, Topic
from honeyguide.text import cosine
from pages import candidates_of, cut_from, link_at, page_of, sighting_of
from vectors_by_hand import compass_vectors
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pages import Sighting

TOPIC = Topic("geology")
CATEGORIES = ["earth science", "rock"]


def compass(topic: str, *categories: str) -> TopicAndCategories:
    return TopicAndCategories(Topic(topic), categories, compass_vectors())


def test_a_link_is_its_three_texts_joined() -> None:
    """Pertejo 3.3.1: one text of address, anchor and surroundings, one vector."""
    link = sighting_of("http://x.test/east", anchor="north", before="north north nowhere", after="east")
    found = compass("north", "east", "west", "nowhere").of_links(candidates_of(link))
    # Three words north, two east: the sum is (2, 3).
    assert found.topic.tolist() == pytest.approx([3 / np.sqrt(13)])
    assert found.categories.tolist() == [pytest.approx([2 / np.sqrt(13), -2 / np.sqrt(13), 0.0])]


def test_a_text_that_is_missing_does_not_pull_a_link_down() -> None:
    bare = sighting_of("http://x.test/", anchor="north")
    assert compass("north").of_links(candidates_of(bare)).topic.tolist() == [1.0]


def test_a_page_is_its_main_text() -> None:
    page = page_of("east east north", main=((2, 3),))
    found = compass("north", "south").of_page(page)
    assert (found.topic.tolist(), found.categories.tolist()) == ([1.0], [[-1.0]])


def test_a_page_has_the_cosine_that_a_judge_finds() -> None:
    vectors = hashed_vectors()
    page = page_of("rock and roll and rock")
    expected = cosine(vectors.look_up(page.words).text_vector(), vectors.topic_vector(TOPIC))
    assert TopicAndCategories(TOPIC, [], vectors).of_page(page).topic.tolist() == [expected]


def test_nothing_known_is_no_relevance() -> None:
    empty = compass("north", "east").of_page(page_of(""))
    assert (empty.topic.tolist(), empty.categories.tolist()) == ([0.0], [[0.0]])
    unknown = compass("", "xyz").of_page(page_of("north"))
    assert (unknown.topic.tolist(), unknown.categories.tolist()) == ([0.0], [[0.0]])


def test_without_categories_there_are_none() -> None:
    assert compass("north").of_links(candidates_of(sighting_of("http://x.test/"))).categories.shape == (1, 0)
    assert compass("north", "east").of_links(candidates_of()).categories.shape == (0, 1)


words = st.lists(st.sampled_from(["rock", "mineral", "the", "of", "lava", "soup"]), max_size=6).map(" ".join)
sightings = st.builds(
    lambda anchor, before, after: sighting_of(f"http://a.test/{anchor.replace(' ', '-')}", anchor, before, after),
    words, words, words,
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(sightings, min_size=1, max_size=8), st.data())
def test_a_links_cosines_do_not_depend_on_its_batch(batch: list[Sighting], data: st.DataObject) -> None:
    nearness = TopicAndCategories(TOPIC, CATEGORIES, hashed_vectors())
    together = nearness.of_links(candidates_of(*batch))
    order = data.draw(st.permutations(range(len(batch))))
    shuffled = nearness.of_links(candidates_of(*(batch[place] for place in order)))
    assert np.array_equal(together.topic[order], shuffled.topic)
    assert np.array_equal(together.categories[order], shuffled.categories)
    for place, sighting in enumerate(batch):
        alone = nearness.of_links(candidates_of(sighting))
        assert alone.topic[0] == together.topic[place]
        assert np.array_equal(alone.categories[0], together.categories[place])


def test_a_link_cut_from_a_page_is_as_its_window_alone() -> None:
    page = page_of(" ".join(f"word{number} rock" for number in range(60)))
    links = [link_at("http://here.test/a", 0, 3), link_at("http://b.test/rock-a", 40, 42)]
    origin = Origin(page.url.host, 0.6, 0, 3)
    on_page = Candidates.on_page(page, links, origin)
    stored = cut_from(on_page, origin)
    nearness = TopicAndCategories(TOPIC, CATEGORIES, hashed_vectors())
    assert np.array_equal(nearness.of_links(on_page).topic, nearness.of_links(stored).topic)
    assert np.array_equal(nearness.of_links(on_page).categories, nearness.of_links(stored).categories)
