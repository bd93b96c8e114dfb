"""A world that raises ends the crawl with its error; what came before is stored, and the run can be resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.driving import script_settings
from honeyguide.crawler import StopReason, crawl, resume
from honeyguide.runs import open_run
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

SEED = "http://s.test/"
URLS = [f"http://h{n}.test/" for n in range(6)]


@pytest.mark.parametrize("is_offline", [True, False], ids=["offline", "live"])
def test_a_crawl_whose_world_raises_can_be_resumed_once_the_world_is_mended(tmp_path: Path, is_offline: bool) -> None:
    run = tmp_path / "run"
    script = {SEED: page_with(*URLS), **dict.fromkeys(URLS, "page")}
    broken = ScriptedWorld({**script, URLS[3]: ZeroDivisionError("a bug")}, latency_s=0.01, is_offline=is_offline)
    settings = script_settings(politeness__delay_s=0.0)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        crawl(run, settings, world=broken, vectors=hashed_vectors())
    with open_run(run) as opened:
        before = [step.url.text for step in opened.steps()]
        assert before == [SEED, *URLS[:3]]
        assert opened.progress.stop_reason == ""
    mended = ScriptedWorld(script, latency_s=0.01, is_offline=is_offline)
    with resume(run, world=mended, vectors=hashed_vectors()) as opened:
        assert [step.url.text for step in opened.steps()] == [*before, *URLS[3:]]
        assert opened.progress.stop_reason == StopReason.EXHAUSTED
    assert mended.fetches == dict.fromkeys(URLS[3:], 1)


def test_a_listener_that_raises_loses_no_step(tmp_path: Path) -> None:
    def refuse(event: object) -> None:
        raise ZeroDivisionError(type(event).__name__)

    world = ScriptedWorld({SEED: page_with(*URLS)})
    with pytest.raises(ZeroDivisionError):
        crawl(tmp_path / "run", script_settings(), world=world, listeners=[refuse], vectors=hashed_vectors())
    with resume(tmp_path / "run", world=world, vectors=hashed_vectors()) as run:
        assert run.progress.steps == 7
