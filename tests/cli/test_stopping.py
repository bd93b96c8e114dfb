"""Ctrl-C and SIGTERM: the step is finished, the run saved, and the way to go on printed."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.watching import Interruption
from honeyguide.errors import HoneyguideError
from honeyguide.runs import open_run

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import RunProgram, StartProgram

ENDLESS = ("--world", "synthetic:pages=5000", "--topic", "geology", "--keyword", "rock", "--budget", "1000000")
PATIENCE_S = 30.0


def wait_for_steps(path: Path, steps: int) -> None:
    """Wait until the crawl has stored so many steps."""
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        with suppress(HoneyguideError, sqlite3.Error), open_run(path) as run:  # it may be half made as yet
            if run.progress.steps >= steps:
                return
        time.sleep(0.05)
    pytest.fail(f"{path} had no {steps} steps after {PATIENCE_S:g} s")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_crawl_between_steps_and_says_how_to_go_on(
    start_program: StartProgram, run_program: RunProgram, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    with start_program("crawl", "run", *ENDLESS, "--json") as crawling:
        wait_for_steps(tmp_path / "run", 20)
        crawling.send_signal(number)
        out, err = crawling.communicate(timeout=PATIENCE_S)
    assert crawling.returncode == status
    assert err == "stopped; go on with: honeyguide resume run\n"
    document = json.loads(out)
    assert document["stop_reason"] == "interrupted"

    spent = document["fetches"]
    resumed = json.loads(run_program("resume", "run", "--budget", str(spent + 30), "--json").stdout)
    assert resumed["fetches"] == spent + 30
    assert resumed["stop_reason"] == "budget of fetches spent"


def test_a_signal_ends_the_wait_for_a_slow_answer(start_program: StartProgram, tmp_path: Path) -> None:
    slow = ("--world", "synthetic+http:pages=500,hosts=4", "--topic", "geology", "--set", "politeness.delay_s=30")
    at_once = ("--set", "politeness.obey_robots=false")  # else the first page has to wait for that pause
    with start_program("crawl", "run", *slow, *at_once) as crawling:
        wait_for_steps(tmp_path / "run", 1)
        crawling.send_signal(signal.SIGINT)
        started = time.monotonic()
        crawling.communicate(timeout=PATIENCE_S)
    assert crawling.returncode == 130
    assert time.monotonic() - started < 5


def test_the_second_signal_does_not_wait() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Interruption() as is_interrupted:
        assert not is_interrupted()
        assert is_interrupted.exit_code == 0
        signal.raise_signal(signal.SIGINT)
        assert is_interrupted()
        assert is_interrupted.exit_code == 130
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupted_demo_stops_and_says_how_to_go_on(start_program: StartProgram, tmp_path: Path) -> None:
    with start_program("demo", "--keep", "kept", "--json") as running:
        wait_for_steps(tmp_path / "kept" / "random", 20)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130
    assert out == ""
    assert err == "stopped; go on with: honeyguide resume kept/random\n"
