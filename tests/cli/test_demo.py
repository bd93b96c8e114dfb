"""The demo, small: each strategy crawls the same web over HTTP and is graded by the web itself."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from honeyguide.runs import open_run

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import RunProgram

BUDGET = 150


def test_the_demo_as_json_has_everything_to_draw_it_again(run_program: RunProgram, tmp_path: Path) -> None:
    done = run_program("demo", "--json", "--budget", str(BUDGET))
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
    assert [each["strategy"] for each in document["strategies"]] == [
        "random",
        "breadth-first",
        "best-first",
        "online-ridge",
    ]
    assert document["settings"]["crawl.world"] == document["world"] == "synthetic+http:seed=1,pages=20000"
    for each in document["strategies"]:
        assert each["fetches"] == BUDGET
        assert each["curve"][0] == [0, 0]
        assert each["curve"][-1] == [BUDGET, each["on_topic"]]
        assert each["harvest_rate"] == pytest.approx(each["on_topic"] / BUDGET, abs=1e-6)
    on_topic = {each["strategy"]: each["on_topic"] for each in document["strategies"]}
    assert min(on_topic["best-first"], on_topic["online-ridge"]) > max(on_topic["random"], on_topic["breadth-first"])


def test_the_demo_draws_curves_without_colour_and_keeps_runs_that_can_be_read(
    run_program: RunProgram, tmp_path: Path
) -> None:
    flags = ("--topic", "chess", "--strategy", "best-first", "--strategy", "random")
    done = run_program("demo", "--budget", "60", "--keep", "kept", *flags)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    for words in ("on-topic pages", "fetches", "harvest", "about chess", "The runs are in kept."):
        assert words in done.stdout
    assert re.search(r'honeyguide search finds [1-9]\d* pages? for ".* OR .*":\n  0\.\d{3}  \w', done.stdout)
    assert sorted(folder.name for folder in (tmp_path / "kept").iterdir()) == ["best-first", "random"]
    report = done.stdout.splitlines()[-1].partition("in a browser: ")[2]
    assert (tmp_path / report).read_text(encoding="utf-8").startswith("<!doctype html>")
    with open_run(tmp_path / "kept" / "random") as run:
        assert run.progress.steps == 60
