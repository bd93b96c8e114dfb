"""What an encyclopaedia adds: categories by lift, titles as keywords."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.model import Topic
from honeyguide.text import unit
from honeyguide.topic import WikiArticle, WikiArticles
from honeyguide.topic.gist import PhraseReader, gist_of
from honeyguide.topic.suggesting import Focus, KeywordFinder, plain_title
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from honeyguide.text import WordVectors

READER = PhraseReader()


def categories_of(encyclopaedia: WikiArticles, vectors: WordVectors, name: str = "basalt") -> dict[str, float]:
    gist = gist_of(Topic(name), vectors, READER)
    focus = Focus(unit(vectors.vector(["rocks"])), ())
    found = encyclopaedia.categories(gist, focus, KeywordFinder(vectors, READER), READER)
    return {suggestion.text: suggestion.score for suggestion in found}


def test_a_category_scores_by_its_name_and_by_the_logarithm_of_its_lift() -> None:
    vectors = hashed_vectors()
    about = (WikiArticle("Basalt", ("Rocks", "Living people")),)
    linked = (WikiArticle("Granite", ("Rocks",)), WikiArticle("Iceland", ()), WikiArticle("Lava", ()))
    encyclopaedia = WikiArticles(about, linked, {"Rocks": 5, "Living people": 50}, article_count=100)

    # Rocks: 2 of 4 articles here, 5 of 100 there: 10 times its share. Its name lies in the focus: cosine 1.
    assert categories_of(encyclopaedia, vectors) == {"Rocks": pytest.approx((1.0 + log(10) / log(100)) / 2)}


def test_dates_tiny_categories_and_the_topic_itself_are_left_out() -> None:
    about = (WikiArticle("Basalt", ("Rocks", "Rocks of 1952", "Basalt rocks")),)
    sizes = {"Rocks": 2, "Rocks of 1952": 9, "Basalt rocks": 9}
    assert categories_of(WikiArticles(about, (), sizes, 100), hashed_vectors()) == {}


def test_a_category_of_a_single_linked_article_is_none() -> None:
    linked = (WikiArticle("Granite", ("Rocks",)), WikiArticle("Iceland", ()))
    assert categories_of(WikiArticles((), linked, {"Rocks": 5}, 100), hashed_vectors()) == {}


def test_phrases_of_an_article_and_titles_it_links_to_are_keywords() -> None:
    vectors = hashed_vectors()
    focus = Focus(unit(vectors.vector(["rocks"]) + 0.5 * vectors.vector(["columns"])), ())
    encyclopaedia = WikiArticles(
        (WikiArticle("Basalt", (), "Basalt columns"),),
        (WikiArticle("Rocks (geology)", ()), WikiArticle("List of rocks", ()), WikiArticle("Iceland", ())),
        {},
        100,
    )
    found = list(encyclopaedia.keywords(focus, KeywordFinder(vectors, READER), vectors, READER))
    assert {each.text for each in found} == {"basalt", "columns", "basalt columns", "rocks"}
    assert all(0 <= each.score <= 1 for each in found)
    assert {each.origin for each in found} == {"in the article Basalt", "an article it links to"}


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Plate tectonics", "plate tectonics"),
        ("Mercury (planet)", "mercury"),
        ("Mount Etna", "Mount Etna"),
        ("List of volcanoes", ""),
        ("1755 Lisbon earthquake", ""),
        ("", ""),
    ],
)
def test_a_title_as_a_keyword(title: str, plain: str) -> None:
    assert plain_title(title) == plain


def test_an_empty_encyclopaedia_adds_nothing() -> None:
    vectors = hashed_vectors()
    empty = WikiArticles((), (), {}, 0)
    assert categories_of(empty, vectors) == {}
    assert list(empty.keywords(Focus(np.zeros(64), ()), KeywordFinder(vectors, READER), vectors, READER)) == []
