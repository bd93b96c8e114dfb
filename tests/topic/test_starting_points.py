"""Starting points: a topic finds its places on the web, and a broken list is told in one line."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import SettingsError
from honeyguide.model import Topic, Url
from honeyguide.topic.starting_points import starting_urls

if TYPE_CHECKING:
    from pathlib import Path

GEOLOGY = Url.parse("https://en.wikipedia.org/wiki/Geology")
POETRY = Url.parse("https://en.wikipedia.org/wiki/Poetry")
GENERAL = Url.parse("https://www.britannica.com/")


@pytest.fixture
def own_list(tmp_path: Path) -> Path:
    path = tmp_path / "points.toml"
    path.write_text(
        '[bees]\naliases = ["honey bee"]\nurls = ["https://bees.example/"]\n'
        '[birds]\nurls = ["https://birds.example/", "https://bees.example/"]\n'
    )
    return path


class TestMatching:
    @pytest.mark.parametrize("name", ["geology", "The GEOLOGY of Iceland", "Volcanoes"])
    def test_a_topic_finds_the_table_named_in_it(self, name: str) -> None:
        urls = starting_urls(Topic(name))

        assert GEOLOGY in urls
        assert GENERAL not in urls

    def test_keywords_count_as_well_as_the_name(self) -> None:
        assert POETRY in starting_urls(Topic("", ("sonnets",)))

    def test_several_tables_may_match(self) -> None:
        urls = starting_urls(Topic("poems about rocks"))

        assert {GEOLOGY, POETRY} <= set(urls)

    def test_part_of_a_word_does_not_match(self) -> None:
        assert GEOLOGY not in starting_urls(Topic("rocketry"))

    @pytest.mark.parametrize("name", ["", "zzz"])
    def test_a_topic_nobody_listed_starts_from_the_general_places(self, name: str) -> None:
        assert GENERAL in starting_urls(Topic(name))

    def test_the_general_places_are_thirty_sites_or_more(self) -> None:
        """Loop detection, D: as many trusted ones."""
        assert len({url.host for url in starting_urls(Topic("zzz"))}) >= 30

    def test_an_alias_of_several_words_matches_only_together(self, own_list: Path) -> None:
        assert starting_urls(Topic("the honey-bee"), own_list) == (Url.parse("https://bees.example/"),)
        with pytest.raises(SettingsError, match=r"no starting point for 'honey or bee'"):
            starting_urls(Topic("honey or bee"), own_list)

    def test_no_url_comes_twice(self, own_list: Path) -> None:
        urls = starting_urls(Topic("bees and birds"), own_list)

        assert [url.text for url in urls] == ["https://bees.example/", "https://birds.example/"]


class TestShippedList:
    def test_every_topic_of_the_shipped_list_can_be_started(self) -> None:
        text = resources.files("honeyguide.topic").joinpath("starting_points.toml").read_text()
        names = set(tomllib.loads(text)) - {"general"}

        assert len(names) >= 25
        assert all(3 <= len(tomllib.loads(text)[name]["urls"]) <= 6 for name in names)
        assert all(GENERAL not in starting_urls(Topic(name)) for name in names)


class TestBrokenLists:
    @pytest.mark.parametrize(
        ("content", "mistake"),
        [
            ("bees = 3", "bees must be a table with urls and aliases"),
            ("[bees]\naliases = []", r"\[bees\] needs urls: at least one"),
            ('[bees]\nurls = "https://bees.example/"', r"bees\.urls must be a list of texts"),
            ('[bees]\nurls = ["bees.example"]', r"bees\.urls: not a URL: 'bees\.example'"),
            (
                '[bees]\nurl = ["https://bees.example/"]\nurls = ["https://b.example/"]',
                r"unknown key bees\.url",
            ),
            ("[bees\n", r"not valid TOML: .*line 1"),
        ],
    )
    def test_a_broken_list_is_told_in_one_line_with_its_path(self, tmp_path: Path, content: str, mistake: str) -> None:
        path = tmp_path / "points.toml"
        path.write_text(content)

        with pytest.raises(SettingsError, match=rf"points\.toml.*{mistake}") as caught:
            starting_urls(Topic("bees"), path)
        assert "\n" not in str(caught.value)

    def test_a_missing_list_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"cannot read .*absent\.toml"):
            starting_urls(Topic("bees"), tmp_path / "absent.toml")
