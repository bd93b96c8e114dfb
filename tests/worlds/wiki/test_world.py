"""A built wiki answers like a web site, and refuses to open when it is not whole."""

from __future__ import annotations

import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest
import zstandard

from honeyguide.errors import WorldError
from honeyguide.model import Failed, Fetched, Url
from honeyguide.settings import MOST_BODY_BYTES
from honeyguide.worlds.wiki import WikiWorld
from worlds.wiki.dumps import Written, url, world_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


PAGES = [
    Written("Rock", "[[Granite]] [[Basalt]] [[Category:Rocks]]"),
    Written("Granite", "[[Rock]] [[Category:Rocks]]"),
    Written("Basalt", "no way on"),
]


@pytest.fixture
def world(tmp_path: Path) -> WikiWorld:
    return world_of(tmp_path, PAGES)


def test_the_entry_is_the_best_linked_article(world: WikiWorld) -> None:
    assert world.entry_urls() == (url("Rock"),)


@pytest.mark.parametrize("address", ["https://en.wiki.test/wiki/Gone", "https://en.wiki.test/wiki/Rock?action=edit"])
def test_an_unknown_title_is_a_404(world: WikiWorld, address: str) -> None:
    outcome = world.answer(Url.parse(address)).outcome
    assert isinstance(outcome, Failed)
    assert outcome.status == 404


def test_another_host_is_not_there(world: WikiWorld) -> None:
    assert isinstance(world.answer(Url.parse("http://elsewhere.test/wiki/Rock")).outcome, Failed)


def test_what_grades_a_crawl_can_be_read_in_bulk(world: WikiWorld) -> None:
    assert [address.text.rpartition("/")[2] for address in world.urls()] == ["Rock", "Granite", "Basalt"]
    assert world.link_graph.offsets.tolist() == [0, 2, 3, 3]
    assert world.link_graph.targets.tolist() == [1, 2, 0]
    assert world.link_graph.reversed().targets.tolist() == [1, 0, 0]
    assert world.link_graph.reachable([1]).tolist() == [True, True, True]
    assert world.link_graph.reachable([2]).tolist() == [False, False, True]
    assert world.pages_labelled(["Rocks", "Gone"]) == [0, 1]
    assert list(world.categories()) == [("Rocks", 2)]


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9000])


def overwrite(file: Path) -> None:
    file.write_bytes(b"not a database at all" * 1000)


def make_newer(file: Path) -> None:
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()


@pytest.mark.parametrize(
    ("harm", "words"), [(cut_off, "damaged"), (overwrite, "damaged"), (make_newer, "newer than this program's")]
)
def test_a_world_that_is_not_whole_is_refused(
    world: WikiWorld, tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    world.shut()
    harm(tmp_path / "world" / "wiki.sqlite")
    with pytest.raises(WorldError, match=words):
        WikiWorld(tmp_path / "world")


def test_a_page_larger_than_any_crawl_takes_is_not_unpacked(world: WikiWorld, tmp_path: Path) -> None:
    world.shut()
    bomb = zstandard.compress(bytes(MOST_BODY_BYTES + 1))
    with sqlite3.connect(tmp_path / "world" / "wiki.sqlite") as database:
        database.execute("UPDATE bodies SET html = ?", (bomb,))
    database.close()
    with WikiWorld(tmp_path / "world") as again, pytest.raises(WorldError, match="it unpacks to 100,000,001 bytes"):
        again.answer(url("Rock"))


def test_a_folder_that_is_no_world_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="is not a wiki world; make one with"):
        WikiWorld(tmp_path)


def test_a_world_may_be_moved_and_have_an_odd_name(world: WikiWorld, tmp_path: Path) -> None:
    world.shut()
    moved = shutil.move(tmp_path / "world", tmp_path / "a b?c#d%20é")
    with WikiWorld(moved) as again:
        assert isinstance(again.answer(url("Rock")).outcome, Fetched)
