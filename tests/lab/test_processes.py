"""Crawls in processes of their own: all of them stop when one person wants it."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from honeyguide.errors import HoneyguideError
from honeyguide_lab.crawl_task import CrawlTask
from honeyguide_lab.parallel import run_crawls
from honeyguide_lab.spec import experiment_from
from pool_work import ShortOrLong

if TYPE_CHECKING:
    from pathlib import Path

BUDGET = 60
EXPERIMENT = experiment_from(
    {"worlds": ["synthetic:pages=400,hosts=6"], "topics": [{"name": "geology"}], "strategies": ["breadth-first"]}
)


def tasks_in(folder: Path) -> list[CrawlTask]:
    settings = EXPERIMENT.settings(
        "synthetic:pages=400,hosts=6", EXPERIMENT.topics[0], EXPERIMENT.contenders[0], seed=0, budget=BUDGET
    )
    return [
        CrawlTask(folder / str(seed), replace(settings, crawl=replace(settings.crawl, seed=seed))) for seed in range(3)
    ]


def test_an_interruption_stops_every_process_and_the_crawls_can_be_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "random.py").write_text(f"open({str(tmp_path / 'imported')!r}, 'w').close()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    tasks, spent = tasks_in(tmp_path), [0]
    is_finished = run_crawls(tasks, jobs=2, is_interrupted=lambda: spent[-1] > 0, on_progress=spent.append)
    assert not is_finished
    assert spent[-1] > 0
    assert not all(task.is_done for task in tasks)
    assert not (tmp_path / "imported").exists(), "a process imports nothing from the current folder"
    assert run_crawls(tasks, jobs=1, on_progress=spent.append)
    assert all(task.is_done for task in tasks)
    assert spent[-1] == len(tasks) * BUDGET


def test_nothing_left_to_do_is_done_at_once(tmp_path: Path) -> None:
    assert run_crawls([], on_progress=lambda _: None)
    (task, *_) = tasks_in(tmp_path)
    assert run_crawls([task], jobs=1)
    assert run_crawls([task], jobs=1, is_interrupted=lambda: True)
    assert task.seconds_per_1000_steps > 0


def test_a_process_that_is_killed_while_it_has_nothing_to_do_ends_all_at_once(tmp_path: Path) -> None:
    """The others wait for work under a lock that died with it, and SIGTERM is not for them."""
    short, long = (ShortOrLong(tmp_path / name, is_short=name == "short") for name in ("short", "long"))

    def kill(_: int) -> None:
        if long.run.exists() and short.run.exists() and (process := short.run.read_text(encoding="utf-8")):
            time.sleep(0.5)  # it is done, and waits
            os.kill(int(process), signal.SIGKILL)
            short.run.unlink()

    began = time.monotonic()
    with pytest.raises(HoneyguideError, match="ended from outside"):
        run_crawls(cast("Any", [short, long]), jobs=2, on_progress=kill)
    assert time.monotonic() - began < 60
