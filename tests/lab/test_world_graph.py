"""The whole of a world as a graph: what is a page, what is only on the way, what is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.crawler import WorldGraph, explore
from honeyguide.errors import HoneyguideError
from honeyguide.model import RefusalReason, Refused, Url
from honeyguide_lab.survey import graph_key, load_graph, save_graph
from scripted_world import Script, ScriptedWorld, page_with, redirect_to

if TYPE_CHECKING:
    from pathlib import Path

HOME = "http://web.test/"
SCRIPT: Script = {
    HOME: page_with("/old", "/closed", "/gone", "/text"),
    "http://web.test/old": redirect_to("http://web.test/new"),
    "http://web.test/new": page_with("/"),
    "http://web.test/closed": Refused(RefusalReason.ROBOTS, "closed"),
    "http://web.test/text": "<main><p>Basalt columns are <b>igneous rock</b>.</p></main>",
    "http://web.test/island": page_with("/"),
}


def explored(**more: list[str]) -> WorldGraph:
    world = ScriptedWorld(SCRIPT)
    return explore(world, world.entry_urls(), words=more.get("words", []))


def links_by_url(graph: WorldGraph) -> dict[str, set[str]]:
    return {
        url: {graph.urls[target] for target in graph.targets[graph.starts[number] : graph.starts[number + 1]]}
        for number, url in enumerate(graph.urls)
    }


def test_pages_and_redirects_are_nodes_and_what_is_refused_or_missing_is_not() -> None:
    graph = explored()
    assert links_by_url(graph) == {
        HOME: {"http://web.test/old", "http://web.test/text"},
        "http://web.test/old": {"http://web.test/new"},
        "http://web.test/text": set(),
        "http://web.test/new": {HOME},
    }
    assert graph.pages == 3
    assert not graph.is_page[graph.number_by_url["http://web.test/old"]]


def test_every_url_is_asked_for_once() -> None:
    world = ScriptedWorld(SCRIPT)
    explore(world, world.entry_urls())
    assert set(world.fetches.values()) == {1}


def test_terms_are_looked_for_in_the_text_as_whole_words_in_a_row() -> None:
    graph = explored(words=["igneous rock", "rock igneous", "bas"])
    at = graph.number_by_url["http://web.test/text"]
    assert [bool(graph.has_word[term][at]) for term in ("igneous rock", "rock igneous", "bas")] == [True, False, False]


def test_reachable_is_what_links_lead_to() -> None:
    graph = explored()
    numbers = graph.numbers([Url("http://web.test/text")])
    assert np.flatnonzero(graph.reachable(numbers)).tolist() == numbers
    assert graph.reachable(graph.numbers([Url("http://web.test/new")])).all()


def test_other_content_is_another_data_hash() -> None:
    world = ScriptedWorld({**SCRIPT, "http://web.test/text": "<main>Other words.</main>"})
    assert explore(world, world.entry_urls()).data_hash != explored().data_hash
    assert explored().data_hash == explored().data_hash


def test_a_live_world_is_refused() -> None:
    world = ScriptedWorld(SCRIPT, is_offline=False)
    with pytest.raises(HoneyguideError, match="offline"):
        explore(world, world.entry_urls())


def test_a_saved_graph_comes_back_whole_and_a_broken_one_does_not(tmp_path: Path) -> None:
    graph = explored(words=["basalt"])
    save_graph(graph, tmp_path / "graph.npz")
    loaded = load_graph(tmp_path / "graph.npz")
    assert loaded is not None
    assert links_by_url(loaded) == links_by_url(graph)
    assert loaded.data_hash == graph.data_hash
    assert loaded.has_word["basalt"].tolist() == graph.has_word["basalt"].tolist()
    (tmp_path / "graph.npz").write_bytes(b"PK\x03\x04 cut short")
    assert load_graph(tmp_path / "graph.npz") is None
    assert load_graph(tmp_path / "none.npz") is None


def test_the_key_of_a_graph_changes_with_the_files_of_its_world(tmp_path: Path) -> None:
    file = tmp_path / "world.bin"
    keys = set()
    for content in ("one", "three"):
        file.write_text(content)
        keys.add(graph_key(f"wiki:{file}", [Url(HOME)], [], "code"))
    assert len(keys) == 2
