"""What counts when several pages show one waiting link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from honeyguide.model import Url
from honeyguide.runs import SqliteStore, open_run
from scripted_world import ScriptedWorld, page_with

if TYPE_CHECKING:
    from pathlib import Path

SEED, OTHER, TARGET = "http://s.test/", "http://o.test/", "http://t.test/"


def world_with(first: str, second: str) -> ScriptedWorld:
    """The target is shown with one number by the seed, with another by a page that comes before the target."""
    return ScriptedWorld(
        {
            SEED: page_with(**{"50": OTHER, first: TARGET}),
            OTHER: page_with(**{second: TARGET}),
            TARGET: "end",
        }
    )


@pytest.mark.parametrize(
    ("found_again", "first", "second", "score", "anchor"),
    [
        ("first", "4", "8", 4.0, "4"),
        ("first", "8", "4", 8.0, "8"),
        ("best", "4", "8", 8.0, "8"),
        ("best", "8", "4", 8.0, "8"),
        ("best", "6", "6", 6.0, "6"),
        ("latest", "4", "8", 8.0, "8"),
        ("latest", "8", "4", 4.0, "4"),
        ("merge", "4", "8", 6.0, "8"),
        ("merge", "8", "4", 6.0, "4"),
    ],
)
def test_the_sighting_that_counts_decides_score_and_description(
    tmp_path: Path, found_again: str, first: str, second: str, score: float, anchor: str
) -> None:
    run = tmp_path / "run"
    chosen = script_settings(frontier__found_again=found_again)
    HandWired(run, world_with(first, second), chosen, ByAnchorNumber()).run()
    store = SqliteStore(run / "crawl.sqlite")
    link = next(link for link in store.links() if link.url == Url.parse(TARGET))
    store.close()
    with open_run(run) as opened:
        (step,) = [step for step in opened.steps() if step.url == Url.parse(TARGET)]
        edges = {(source.text, target.text) for source, target in opened.edges()}
    assert step.score == score
    assert np.frombuffer(link.description, dtype=np.float16).tolist() == [float(anchor)]
    assert (link.row is not None) == (found_again == "merge")
    assert {(SEED, TARGET), (OTHER, TARGET)} <= edges, "every page that shows a link has its edge"


@pytest.mark.parametrize(("first", "second", "depth"), [("4", "8", 2), ("8", "4", 1), ("6", "6", 1)])
def test_the_page_of_the_better_sighting_decides_the_depth(tmp_path: Path, first: str, second: str, depth: int) -> None:
    run = tmp_path / "run"
    HandWired(run, world_with(first, second), script_settings(), ByAnchorNumber()).run()
    with open_run(run) as opened:
        assert {page.url.text: page.depth for page in opened.pages()} == {SEED: 0, OTHER: 1, TARGET: depth}


@pytest.mark.parametrize("strategy", ["breadth-first", "random"])
def test_where_only_arrival_counts_a_link_keeps_its_first_page(tmp_path: Path, strategy: str) -> None:
    run = tmp_path / "run"
    pages = {f"http://s.test/{n}": page_with("http://s.test/last", f"/{n + 1}") for n in range(6)}
    world = ScriptedWorld({SEED: page_with("/0", "/last"), **pages, "http://s.test/last": "end"})
    HandWired(run, world, script_settings(strategy, frontier__found_again="best")).run()
    with open_run(run) as opened:
        depths = {page.url.path: page.depth for page in opened.pages()}
    assert depths["/last"] == 1
