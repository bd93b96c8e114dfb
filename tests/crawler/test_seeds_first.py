"""The papers' learners fetch all seeds before they follow a link, though a seed has no features and no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.driving import HandWired, everything, script_settings
from deep_strategies import thorough
from scripted_world import ScriptedWorld, redirect_to

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from honeyguide.settings import Settings
    from scripted_world import Script

SEEDS = [f"http://{host}.test/" for host in "abcd"]
LEARNERS = ["lfa-sync", "lfa-async", "lfa-moderated", "dqn"]


def world_of_seeds(seeds: Sequence[str] = SEEDS) -> ScriptedWorld:
    """Every seed shows links that look good; b is elsewhere by now."""
    shown = "".join(f"<p><a href='http://{host}.test/{number}'>rock</a></p>" for host in "xyz" for number in range(3))
    pages = dict.fromkeys(seeds, f"<main>rock and mineral, rock {shown}</main>")
    moved: Script = {"http://b.test/": redirect_to("http://b.test/home"), "http://b.test/home": "<main>rock</main>"}
    return ScriptedWorld({**pages, **moved}, entry_urls=seeds)


def settings_for(strategy: str, exploration: float, **overrides: object) -> Settings:
    chosen = {
        "lfa__starts_at": "uniform", "lfa__exploration": exploration, "dqn__exploration": exploration,
        "politeness__delay_s": 0.0, "budget__fetches": 9,
    }  # fmt: skip
    return script_settings(strategy, **(chosen | overrides))


def fetched(wired: HandWired) -> list[str]:
    return [event.url.text for event in wired.events if hasattr(event, "url")]


@pytest.mark.parametrize("exploration", [1.0, thorough(0.0)])
@pytest.mark.parametrize("strategy", LEARNERS)
def test_seeds_come_before_links_that_are_worth_more(tmp_path: Path, strategy: str, exploration: float) -> None:
    if strategy == "dqn":
        pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
    wired = HandWired(tmp_path / "run", world_of_seeds(), settings_for(strategy, exploration))
    wired.run()
    assert fetched(wired)[:5] == [*SEEDS, "http://b.test/home"], "and where a seed has led"
    assert len(set(fetched(wired))) == 9


@pytest.mark.parametrize("steps", [1, 4, *map(thorough, (2, 3, 5, 6))])
def test_a_crawl_stopped_among_its_seeds_goes_on_as_it_would_have(tmp_path: Path, steps: int) -> None:
    settings = settings_for("lfa-async", 0.5)
    whole = HandWired(tmp_path / "whole", world_of_seeds(), settings)
    whole.run()
    cut = HandWired(tmp_path / "cut", world_of_seeds(), settings)
    cut.is_interrupted = lambda: cut.core.progress.steps >= steps
    cut.run()
    back = HandWired(tmp_path / "cut", world_of_seeds(), settings)
    back.run()
    assert fetched(cut) + fetched(back) == fetched(whole)
    assert everything(back) == everything(whole)


def test_a_seed_whose_host_rests_holds_nobody_up(tmp_path: Path) -> None:
    world = world_of_seeds(["http://a.test/", "http://a.test/second"])
    wired = HandWired(tmp_path / "run", world, settings_for("lfa-async", 0.0, politeness__delay_s=5.0))
    wired.run()
    first, second, *_ = fetched(wired)
    assert first == "http://a.test/"
    assert second.startswith("http://x.test/")
    assert "http://a.test/second" in fetched(wired)
