"""With a guard that moves links all the time, a crawl that was killed goes on as if it had not been."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from crawler.driving import HandWired, everything, script_settings
from crawler.small_crawls import contents, crawl_in_pieces, settings_for, story
from crawler.test_kill_and_resume import kill_after_a_while
from deep_strategies import strategies_by_frontier, thorough
from honeyguide.crawler import Dispatch, crawl, resume
from honeyguide.errors import GuardError
from honeyguide.guard.bounded import unpack
from honeyguide.runs import open_run
from honeyguide.runs.records import split_snapshot
from scripted_guard import IdleGuard, RestlessGuard, guarded_by
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

STRATEGIES = (
    "online-ridge",
    "best-first",
    "beam",
    "depth-first",
    "iterative-deepening",
    "weighted-breadth-first",
    "lfa-async",
    "lfa-moderated",
    "parse-or-skip-q",
)
TABLES = ("prints", "findings", "moves", "restarts")


def guard_records(path: Path) -> dict[str, Any]:
    """All that a run holds of its guard, and the guard's last state."""
    with closing(sqlite3.connect(path / "crawl.sqlite")) as database:
        tables = {name: database.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in TABLES}
        waiting = "SELECT id, level, carried FROM links WHERE state = 0 ORDER BY id"
        links = database.execute(waiting).fetchall()
    with open_run(path) as run:
        snapshot = run.learner_snapshot()
        progress = run.progress
    assert snapshot is not None
    names = ("findings", "lowered", "raised", "dropped", "restarts", "behind")
    counts = [getattr(progress, name) for name in names]
    return {**tables, "links": links, "guard": split_snapshot(snapshot.state)[2], "counts": counts}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("strategy", "concurrency", "found_again", "kills"),
    [
        ("online-ridge", 8, "best", 2),
        thorough("online-ridge", 1, "merge", 3),
        thorough("beam", 8, "best", 3),
        thorough("lfa-sync", 8, "best", 3),
        thorough("depth-first", 4, "best", 3),
    ],
)
def test_a_guarded_run_killed_again_and_again_equals_the_uninterrupted_run(
    tmp_path: Path, strategy: str, concurrency: int, found_again: str, kills: int
) -> None:
    budget = 40 * kills
    settings = settings_for(strategy, budget=budget, concurrency=concurrency, found_again=found_again)
    killed, chance = tmp_path / "killed", random.Random(concurrency)
    with guarded_by():
        crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
        arguments = [str(budget), str(concurrency), strategy, found_again]
        with mock.patch.dict(os.environ, {"SCRIPTED_GUARD": "1"}):
            survived = [kill_after_a_while(killed, arguments, chance) for _ in range(kills)]
        with open_run(killed) as run:
            assert run.progress.steps > 0, "it was killed before its first step, every time"
        resume(killed, vectors=hashed_vectors()).close()
    assert survived.count(True) < kills / 2, "the crawl ended before most kills; make it longer"
    assert story(killed) == story(tmp_path / "whole")
    assert contents(killed) == contents(tmp_path / "whole")
    assert guard_records(killed) == guard_records(tmp_path / "whole")
    assert guard_records(killed)["moves"]


@pytest.mark.parametrize(
    ("strategy", "overrides"),
    [
        thorough("online-ridge", {"restart__every_fetches": 15}),
        thorough("beam", {"guard__drop": True}),
        ("lfa-async", {"guard__drop": True, "restart__every_fetches": 15}),
        *(thorough(name, {"restart__every_fetches": 15}) for name in STRATEGIES[1:]),
        thorough("best-first", {"guard__drop": True}),
    ],
)
def test_a_guarded_run_interrupted_at_every_few_steps_equals_the_uninterrupted_run(
    tmp_path: Path, strategy: str, overrides: dict[str, object]
) -> None:
    settings = settings_for(strategy, budget=45, concurrency=6, **overrides)  # type: ignore[arg-type]
    broken = tmp_path / "broken"
    with guarded_by():
        crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
        crawl_in_pieces(broken, settings, random.Random(7))
    assert story(broken) == story(tmp_path / "whole")
    assert contents(broken) == contents(tmp_path / "whole")
    assert guard_records(broken) == guard_records(tmp_path / "whole")


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", strategies_by_frontier())
def test_a_guard_that_minds_nothing_changes_nothing(tmp_path: Path, strategy: str) -> None:
    settings = settings_for(strategy, budget=45, concurrency=4)
    with guarded_by(IdleGuard):
        crawl(tmp_path / "idle", settings, vectors=hashed_vectors()).close()
    without = settings_for(strategy, budget=45, concurrency=4, guard__on=False)
    crawl(tmp_path / "none", without, vectors=hashed_vectors()).close()
    assert story(tmp_path / "idle") == story(tmp_path / "none")
    assert contents(tmp_path / "idle") == contents(tmp_path / "none")


def test_the_guard_of_a_crawl_itself_goes_on_as_it_was(tmp_path: Path) -> None:
    settings = settings_for("breadth-first", budget=45, concurrency=4)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    broken = tmp_path / "broken"
    assert crawl_in_pieces(broken, settings, random.Random(3)) > 1
    here, there = guard_records(broken), guard_records(tmp_path / "whole")
    assert unpack(here.pop("guard")) == unpack(there.pop("guard"))
    assert here == there
    assert story(broken) == story(tmp_path / "whole")


@pytest.mark.thorough
def test_workers_make_the_same_guarded_crawl(tmp_path: Path) -> None:
    with guarded_by():
        for name, workers in (("none", 0), ("two", 2)):
            settings = settings_for(budget=45, crawl__workers=workers)
            crawl(tmp_path / name, settings, vectors=hashed_vectors()).close()
    assert story(tmp_path / "none") == story(tmp_path / "two")
    assert guard_records(tmp_path / "none") == guard_records(tmp_path / "two")


WEB: Script = {
    "http://s.test/": page_with("http://a.test/1", "http://a.test/2", "http://b.test/1", "http://c.test/gone"),
    "http://a.test/1": page_with("http://a.test/3", "http://a.test/4", "http://b.test/2"),
    "http://a.test/2": page_with("http://a.test/3", "http://c.test/away"),
    "http://a.test/3": page_with("http://a.test/5", "http://b.test/1", "http://d.test/1", "http://d.test/2"),
    "http://a.test/4": page_with("http://s.test/", "http://d.test/2", "http://d.test/3"),
    "http://a.test/5": page_with("http://a.test/6", "http://a.test/7", "http://b.test/2"),
    "http://a.test/6": page_with(),
    "http://a.test/7": page_with("http://a.test/1"),
    "http://b.test/1": page_with("http://b.test/2", "http://a.test/2", "http://d.test/3", "http://d.test/4"),
    "http://b.test/2": page_with("http://b.test/3", "http://d.test/1", "http://d.test/4"),
    "http://b.test/3": page_with("http://a.test/7"),
    "http://c.test/away": redirect_to("http://b.test/moved"),
    "http://b.test/moved": page_with("http://a.test/6", "http://b.test/3"),
}


@pytest.mark.parametrize("drops", [False, thorough(True)])
@pytest.mark.parametrize(
    "strategy", ["beam", "best-first", "lfa-sync", *map(thorough, ("breadth-first", "depth-first"))]
)
def test_a_guarded_crawl_brought_back_after_any_step_is_the_same_to_the_last_bit(
    tmp_path: Path, strategy: str, drops: bool
) -> None:
    settings = script_settings(
        strategy, politeness__delay_s=0.0, store__snapshot_every=3, beam__width=3, guard__drop=drops
    )

    def wired(name: str) -> HandWired:
        return HandWired(tmp_path / name, ScriptedWorld(WEB), settings, guard=RestlessGuard())

    whole = wired("whole")
    steps = 0
    while isinstance(choice := whole.core.choose(0.0), Dispatch):
        whole.store.record(whole.core.apply(choice, whole.world.answer(choice.url), 0.0).record)
        steps += 1
        again = HandWired(tmp_path / "whole", ScriptedWorld(WEB), settings, guard=RestlessGuard())
        assert everything(again) == everything(whole)
        again.close()
    whole.close()
    assert steps > 5


def test_a_guard_of_another_version_is_refused_with_a_way_to_go_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    crawl(run, settings_for(budget=10), vectors=hashed_vectors()).close()
    with mock.patch("honeyguide.guard.bounded._MARK", b"guard 0\n"), pytest.raises(GuardError) as refused:
        resume(run, budget="+5", vectors=hashed_vectors())
    assert "write on = false under [guard] in the run's settings.toml" in str(refused.value)
    file = run / "settings.toml"
    before, guard, after = file.read_text(encoding="utf-8").partition("[guard]\n")
    assert after.startswith("on = true")
    file.write_text(before + guard + after.replace("on = true", "on = false", 1), encoding="utf-8")
    old = mock.patch("honeyguide.guard.bounded._MARK", b"guard 0\n")
    with old, resume(run, budget="+5", vectors=hashed_vectors()) as done:
        assert done.progress.fetches == 15
