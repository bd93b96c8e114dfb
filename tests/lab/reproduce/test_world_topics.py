"""Which topics a world has, where they begin, and what labels them: on a wiki whose pages can be counted by hand."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from honeyguide.errors import SettingsError
from honeyguide_lab.reproduce.study import StudiedWorld, Study
from honeyguide_lab.reproduce.world_topics import WorldTopics, candidate_topics, world_topics
from worlds.wiki.dumps import HOME, Written, world_of

if TYPE_CHECKING:
    from pathlib import Path

# Geology has a main page, four pages with its word, and twelve labelled ones. Poetry has no main page: of the two pages
# with its word in the address, "Epic poetry" links to more pages with the word. Fiction has one page. Chess stands in.
STONES = [Written(f"Stone {number}", "A [[geology|thing]] to find. [[Kategorie:Minerals]]") for number in range(12)]
PAGES = [
    Written("Geology", "Geology of [[Earth]], [[Mars]], [[Epic poetry|songs]], [[Chess]], " + "".join(
        f"[[{page.title}]] " for page in STONES
    )),
    Written("Earth", "Its geology. See [[Geology]]."),
    Written("Mars", "Its geology. See [[Chess]]."),
    Written("Old poetry", "Poetry like [[Epic poetry]]."),
    Written("Epic poetry", "Poetry, as in [[Old poetry]] and [[Ode]], and the geology of song. [[Kategorie:Poems]]"),
    Written("Ode", "A kind of poetry. See [[Earth]]. A fiction."),
    Written("Chess", "Chess and [[Rook]], and [[Draw]]."),
    Written("Rook", "A piece of chess. [[Draw]]"),
    Written("Draw", "An end of chess. [[Rook]]"),
    *STONES,
]  # fmt: skip


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("topics")
    world_of(folder, PAGES).shut()
    return f"wiki:{folder / 'world'}"


def found(name: str, folder: Path, *, wanted: int = 6, least: int = 3) -> WorldTopics:
    studied = StudiedWorld(1, name)
    return world_topics(Study(folder, (studied,)), studied, wanted=wanted, least=least)


def test_topics_are_counted_by_their_word_and_begin_at_their_main_page(wiki: str, tmp_path: Path) -> None:
    topics = {each.topic.name: each for each in found(wiki, tmp_path).topics}
    assert list(topics) == ["Geology", "Poetry", "Chess"]
    geology, poetry, chess = topics.values()
    assert (geology.seed_url.text, geology.is_main_page) == (f"{HOME}Geology", True)
    assert (geology.with_word, geology.reachable, geology.labelled) == (4, len(PAGES), 12)
    assert geology.on_topic == frozenset(f"{HOME}Stone_{number}" for number in range(12))
    assert (geology.topic.categories, geology.step_size, geology.is_papers) == (("Earth", "Science"), 0.001, True)
    assert (poetry.seed_url.text, poetry.is_main_page, poetry.with_word) == (f"{HOME}Epic_poetry", False, 3)
    assert (poetry.labelled, poetry.on_topic) == (1, None)  # too few to grade by
    assert (chess.is_papers, chess.is_main_page, chess.with_word, chess.reachable) == (False, True, 3, 3)


def test_papers_topics_that_drop_out_are_named_with_the_reason(wiki: str, tmp_path: Path) -> None:
    left_out = found(wiki, tmp_path).left_out
    assert [each.split(" on ")[0] for each in left_out] == ["Fiction", "Olympics", "Cancer", "Cameras"]
    assert "no page has its word" in left_out[0]


def test_with_more_pages_asked_for_a_topic_drops_out(wiki: str, tmp_path: Path) -> None:
    explored = found(wiki, tmp_path, least=4)
    assert [each.topic.name for each in explored.topics] == ["Geology"]
    assert any(
        "Poetry" in each and "of 4 pages with its word that a topic needs, 3 can" in each for each in explored.left_out
    )


def test_no_more_topics_than_wanted_and_none_stands_in_for_nobody(wiki: str, tmp_path: Path) -> None:
    assert [each.topic.name for each in found(wiki, tmp_path, wanted=2).topics] == ["Geology", "Poetry"]


def test_a_world_without_any_topic_is_refused(wiki: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="has 1000 pages of none of the topics"):
        found(wiki, tmp_path, least=1000)


def test_a_graph_that_is_kept_is_not_explored_again(wiki: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    studied = StudiedWorld(1, wiki)
    study = Study(tmp_path / "study", (studied,))
    first = world_topics(study, studied, least=3)
    assert not study.folder.exists()
    first.keep_graph(study)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("explored again")

    monkeypatch.setattr(sys.modules[world_topics.__module__], "explore", refuse)
    assert world_topics(study, studied, least=3).topics == first.topics


def test_a_synthetic_web_has_its_own_topics_and_its_truth(tmp_path: Path) -> None:
    explored = found("synthetic:seed=1,pages=600,hosts=10,topics=4", tmp_path, least=10)
    assert explored.topics[0].topic.name == "Geology"
    assert {each.labels for each in explored.topics} == {"truth"}
    assert any(each.startswith("Fiction on") and "the web has no such topic" in each for each in explored.left_out)


def test_the_papers_topics_come_first_and_no_name_stands_twice() -> None:
    candidates = candidate_topics()
    assert [each.topic.name for each in candidates if each.is_papers] == [each.topic.name for each in candidates[:6]]
    names = [each.topic.name for each in candidates]
    assert len(names) == len(set(names))
    assert all(len(each.topic.name.split()) == 1 and each.topic.categories for each in candidates)
