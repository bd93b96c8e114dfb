"""Crawls in processes of their own: all of them stop when one person wants it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from honeyguide_lab.crawl_task import CrawlTask
from honeyguide_lab.parallel import run_crawls
from honeyguide_lab.spec import experiment_from

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

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
