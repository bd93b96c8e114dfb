"""Every example runs as it stands, in a process of its own, and says what it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
SLOW = ("first_crawl", "train_agent")


def output_of(example: Path, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", str(example), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    assert done.stderr == ""
    assert done.returncode == 0
    return done.stdout


@pytest.mark.parametrize(
    "example",
    [pytest.param(each, id=each.stem, marks=pytest.mark.thorough if each.stem in SLOW else ()) for each in EXAMPLES],
)
def test_an_example_runs_without_a_word_of_complaint(example: Path) -> None:
    assert output_of(example)


@pytest.mark.thorough
def test_the_first_crawl_repeats_exactly_and_leaves_its_run(tmp_path: Path) -> None:
    example = next(example for example in EXAMPLES if example.stem == "first_crawl")
    first, second = output_of(example, str(tmp_path / "one")), output_of(example, str(tmp_path / "two"))
    assert first == second
    assert "150 fetches" in first
    assert "200 fetches" in first
    assert (tmp_path / "one" / "settings.toml").exists()
