"""Labels grade a crawl, and nothing that crawls can see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deep_strategies import strategies_by_frontier
from honeyguide.crawler import crawl, explore
from honeyguide.errors import SettingsError
from honeyguide.model import Topic, Url
from honeyguide.settings import settings_from
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide_lab.labels import LabelRule
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

HOME = "http://web.test/"
PAGES = {f"http://web.test/{number}": page_with(f"/{number * 2}", f"/{number * 2 + 1}") for number in range(1, 40)}
SCRIPT = {HOME: page_with("/1", "/2", "/3"), **PAGES}


class CategorisedWorld(ScriptedWorld):
    """A world whose pages have been put into categories by someone."""

    def __init__(self, categories: dict[str, list[str]]) -> None:
        super().__init__(SCRIPT)
        self._categories = categories

    def categories_of(self, url: Url) -> list[str]:
        return self._categories.get(url.text, [])


def on_topic(rule: str, world: ScriptedWorld, topic: str = "geology") -> set[str]:
    parsed = LabelRule.parse(rule, topic)
    words = [parsed.value] if parsed.kind == "word" else []
    graph = explore(world, world.entry_urls(), words=words)
    labels = parsed.applied_to(world, graph, topic)
    return {url for url in graph.urls if labels.is_on_topic(Url(url))}


GIVING_UP_LINKS = ("modified-depth-first", "parse-or-skip", "random-skip", "tunnelling")
"""Strategies that do not spend a budget of 30 on one small host, by design."""


@pytest.mark.parametrize("strategy", strategies_by_frontier())
def test_a_label_planted_in_a_category_changes_no_step_of_any_strategy(tmp_path: Path, strategy: str) -> None:
    planted = [{}, {f"http://web.test/{number}": ["Geology", "zircon"] for number in range(1, 40, 3)}]
    seen = []
    for number, categories in enumerate(planted):
        settings = settings_from(
            {
                "topic": {"name": "geology", "keywords": ["zircon"]},
                "crawl": {"world": "synthetic", "strategy": strategy, "seed": 4},
                "budget": {"fetches": 30},
            }
        )
        world, vectors = CategorisedWorld(categories), hashed_vectors()
        with crawl(tmp_path / str(number), settings, world=world, vectors=vectors) as run:
            seen.append([(step.url, step.score, step.reward) for step in run.steps()])
            assert not any(b"zircon" in run.body(page.url) for page in run.pages())
    assert seen[0] == seen[1]
    if strategy not in GIVING_UP_LINKS:
        assert len(seen[0]) == 30


def test_categories_are_found_by_name_or_pattern_in_any_case_of_letters() -> None:
    world = CategorisedWorld({"http://web.test/1": ["Geology of Iceland"], "http://web.test/2": ["*star (language)"]})
    assert on_topic("category:geology", world) == {"http://web.test/1"}
    assert on_topic("category:^geology$", world) == set()
    assert on_topic(r"category:\*star", world) == {"http://web.test/2"}
    with pytest.raises(SettingsError, match="not a regular expression"):
        LabelRule.parse("category:(", "geology")
    assert on_topic("category:{topic} of", world) == {"http://web.test/1"}


def test_a_pattern_in_the_url_labels_the_pages_of_a_section() -> None:
    script = {HOME: page_with("/Rocks/1", "/music/1"), "http://web.test/Rocks/1": "", "http://web.test/music/1": ""}
    assert on_topic(r"url:^http://web\.test/rocks/", ScriptedWorld(script)) == {"http://web.test/Rocks/1"}
    with pytest.raises(SettingsError, match=r"labels is 'url:\('.*not a regular expression"):
        LabelRule.parse("url:(", "geology")


def test_a_world_with_categories_is_labelled_by_the_one_of_the_topics_name() -> None:
    assert str(LabelRule.natural_to(CategorisedWorld({}), "geology")) == "category:^geology$"
    assert str(LabelRule.natural_to(SyntheticWorld(), "geology")) == "truth"
    with pytest.raises(SettingsError, match="no labels of its own"):
        LabelRule.natural_to(ScriptedWorld(SCRIPT), "geology")


def test_the_synthetic_web_knows_the_truth() -> None:
    world = SyntheticWorld(SyntheticSpec(pages=300, hosts=4))
    labels = LabelRule("truth").applied_to(world, explore(world, world.entry_urls()), "geology")
    urls = [world.url_of(page) for page in range(300)]
    assert [labels.is_on_topic(url) for url in urls] == [world.topic_of(url) == "geology" for url in urls]


def test_a_csv_names_urls_and_their_label(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("url,label\nhttp://WEB.test/1,Geology\nhttp://web.test/2,opera\nhttp://web.test/3,1\n")
    assert on_topic(f"csv:{file}", ScriptedWorld(SCRIPT)) == {"http://web.test/1", "http://web.test/3"}


@pytest.mark.parametrize("content", ["address,topic\n", "url,label\nnot a url,1\n", None])
def test_a_csv_that_is_none_is_refused(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "labels.csv"
    if content is not None:
        file.write_text(content)
    with pytest.raises(SettingsError, match=r"labels\.csv"):
        on_topic(f"csv:{file}", ScriptedWorld(SCRIPT))


def test_a_word_in_the_text_labels_a_page() -> None:
    assert on_topic("word:link", ScriptedWorld({HOME: page_with(), "http://web.test/1": ""})) == set()
    assert on_topic("word:link", ScriptedWorld({HOME: page_with("/1"), "http://web.test/1": ""})) == {HOME}


@pytest.mark.parametrize(
    ("rule", "is_self_graded"),
    [("word:rock", True), ("word:geology", True), ("word:basalt", False), ("category:geology", False)],
)
def test_a_label_whose_word_the_crawler_is_told_is_self_graded(rule: str, is_self_graded: bool) -> None:
    topic = Topic("Geology", ("igneous rock",))
    assert LabelRule.parse(rule, "geology").is_self_graded(topic) is is_self_graded


@pytest.mark.parametrize("text", ["", "truth:x", "category", "category:", "word:!!", "names:x"])
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="labels is"):
        LabelRule.parse(text, "geology")


@pytest.mark.parametrize("rule", ["truth", "category:geology"])
def test_a_world_without_such_labels_says_so(rule: str) -> None:
    with pytest.raises(SettingsError, match="labels is"):
        on_topic(rule, ScriptedWorld(SCRIPT))


def test_an_inflected_word_of_the_topic_is_self_graded_too() -> None:
    assert LabelRule.parse("word:rock", "stones").is_self_graded(Topic("stones", ("rocks",)))
    assert not LabelRule.parse("word:mineral", "stones").is_self_graded(Topic("stones", ("rocks",)))
