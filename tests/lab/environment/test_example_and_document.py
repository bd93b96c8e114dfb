"""The example learns what it says it learns, and the document's code runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from honeyguide.learn.features import COLUMNS
from honeyguide_lab.environment import STATE_COLUMNS

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs" / "explanation" / "environment.md").read_text(encoding="utf-8")


def output_of(*arguments: str) -> str:
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.thorough
def test_a_few_episodes_are_enough_to_beat_chance_clearly() -> None:
    printed = output_of(str(ROOT / "examples" / "train_agent.py"), "--episodes", "5", "--repeats", "3")
    mean_by_agent = {
        name.strip(): float(mean) for name, mean in re.findall(r"^  (.+?) +([\d.]+) ±", printed, re.MULTILINE)
    }
    assert mean_by_agent["trained agent"] > 1.3 * mean_by_agent["any row of the table"]
    assert mean_by_agent["trained agent"] > 4 * mean_by_agent["any waiting link"]


PRINTED = (r"\d+ relevant pages in \d+ fetches\n", "")


@pytest.mark.parametrize(
    ("code", "printed"),
    list(zip(re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL), PRINTED, strict=True)),
    ids=["first", "settings"],
)
def test_the_code_in_the_document_runs(code: str, printed: str) -> None:
    assert re.fullmatch(printed, output_of("-c", code))


def test_the_document_names_every_state_feature_and_the_width_of_the_table() -> None:
    assert [name for name in STATE_COLUMNS if f"| `{name}` |" not in DOCUMENT] == []
    assert f"shape (rows, {len(COLUMNS)})" in DOCUMENT
    assert f"shape ({len(STATE_COLUMNS)},)" in DOCUMENT
