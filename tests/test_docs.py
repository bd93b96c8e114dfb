"""What the documents say is so: examples run, references are current, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = (
    "rank",
    "search",
    "report",
    "stats",
    "diff",
    "traps",
    "crawl",
    "resume",
    "refresh",
    "results",
    "learner",
    "demo",
    "export",
    "judge",
    "topic suggest",
    "vectors info",
    "wiki build",
    "lab compare",
    "lab reproduce",
)


def run_python(*arguments: str, cwd: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-W", "error", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_settings_reference_is_what_the_code_declares() -> None:
    made = run_python(str(ROOT / "docs" / "make_settings.py"), cwd=ROOT)
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == made


def test_the_example_that_lists_lims_tuples_runs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "judges.md").read_text(encoding="utf-8")
    (example,) = (each for each in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL) if ".matches" in each)
    (tmp_path / "article.html").write_text("<p>The history of classical music.</p>", encoding="utf-8")
    assert " classical music classical music file://" in run_python("-c", example, cwd=tmp_path)


def test_the_python_example_of_the_readme_runs(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    printed = run_python("-c", example, cwd=tmp_path)
    assert re.search(r"^\d+ relevant of 500 fetches", printed)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_documents_name_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|benchmarks|examples)/[\w./-]+\.\w+)`", text)
    named += re.findall(r"python (benchmarks/\w+\.py)", text)
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme_and_has_help(command: str) -> None:
    assert f"honeyguide {command}" in (ROOT / "README.md").read_text(encoding="utf-8")
    shown = run_python("-m", "honeyguide.cli.main", *command.split(), "--help", cwd=ROOT)
    assert "Usage" in shown
