"""A wiki world in numbers, and what to look for in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.errors import WorldError
from honeyguide.worlds.wiki import build_wiki, wiki_stats, wiki_topics
from honeyguide.worlds.wiki.stats import draw_degrees, fit_power_law, plot_degrees
from worlds.wiki.dumps import HOME, Written, write_dump

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [
    Written("Hub", " ".join(f"[[Rock {number}]]" for number in range(8)) + " [[Music]]"),
    *(Written(f"Rock {number}", "[[Hub]] [[Rock 1]] [[Category:Rocks of Mars]]") for number in range(8)),
    Written("Music", "[[Hub]] [[Category:Music]] [[Category:1999 music]]"),
    Written("Island", "[[Category:Rocks of Mars]]"),
]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return build_wiki(write_dump(tmp_path / "dump.xml", PAGES), tmp_path / "world").path


def test_stats_count_pages_and_links(world: Path) -> None:
    stats = wiki_stats(world)
    assert (stats.pages, stats.links, stats.redirects, stats.categories) == (11, 9 + 8 + 7 + 1, 0, 3)
    assert stats.links_per_page == pytest.approx(25 / 11)
    assert stats.links_per_page_with_links == pytest.approx(25 / 10)
    assert stats.reachable == 10
    assert stats.top_categories[0] == ("Rocks of Mars", 9)
    assert stats.in_degree.pages_by_degree == {1: 8, 8: 1, 9: 1}
    assert stats.out_degree.without == 1


def test_a_power_law_is_found_again() -> None:
    chance = np.random.default_rng(1)
    degrees = np.floor(0.5 + 0.5 * (1 - chance.random(50_000)) ** (-1 / 1.5)).astype(np.uint32)
    law = fit_power_law(degrees)
    assert law is not None
    assert law.exponent == pytest.approx(2.5, abs=0.1)


def test_too_few_pages_have_no_law(world: Path) -> None:
    assert wiki_stats(world).in_degree.power_law is None


def test_degrees_are_drawn(world: Path) -> None:
    drawn = draw_degrees(wiki_stats(world))
    assert "9 links" in drawn
    assert all(len(line) <= 90 for line in drawn.splitlines())


def test_a_plot_needs_a_name_that_says_its_format(world: Path, tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"must end in .png, .svg"):
        plot_degrees(wiki_stats(world), tmp_path / "plot.xyz")


def test_a_topic_needs_enough_articles_that_can_be_reached(world: Path) -> None:
    (topic,) = wiki_topics(world, at_least=8)
    assert (topic.name, topic.pages, topic.reachable) == ("Rocks of Mars", 9, 8)
    assert topic.seed_url == f"{HOME}Rock_1"
    assert topic.cold_seed_url == f"{HOME}Hub"
    assert wiki_topics(world, at_least=9) == []


def test_a_word_gathers_categories_and_its_own_article_is_the_seed(world: Path) -> None:
    (topic,) = wiki_topics(world, at_least=1, words=["music"])
    assert topic.categories == ("Music",)
    assert topic.seed_url == f"{HOME}Music"
    (dated,) = wiki_topics(world, at_least=1, words=["music"], with_dates=True)
    assert dated.categories == ("1999 music", "Music")


def test_every_word_of_a_name_can_be_a_topic(world: Path) -> None:
    assert {topic.name for topic in wiki_topics(world, at_least=8, by_word=True)} == {"rocks", "mars"}
