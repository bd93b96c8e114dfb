"""The tree is the design: only the imports that docs/explanation/architecture.md describes are allowed."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"
PRODUCT, LAB = SOURCE / "honeyguide", SOURCE / "honeyguide_lab"
FILES = sorted(file for package in (PRODUCT, LAB) for file in package.rglob("*.py"))

LEAVES = {
    "columns",
    "drafts",
    "errors",
    "extras",
    "locks",
    "model",
    "processes",
    "quiet_fastwarc",
    "registry",
    "settings",
    "text",
}
STAGES = ("topic", "frontier", "fetch", "parse", "judge", "guard", "learn")
ALLOWED = {
    "columns": set[str](),
    "drafts": {"locks"},
    "locks": set[str](),
    "errors": set[str](),
    "extras": set[str](),
    "processes": set[str](),
    "quiet_fastwarc": set[str](),
    "registry": {"errors"},
    "model": {"errors"},
    "text": {"drafts", "errors", "extras", "locks", "model", "processes"},
    "settings": {"errors", "model", "registry"},
    **dict.fromkeys(STAGES, LEAVES),
    "worlds": {*LEAVES, "fetch"},
    "runs": {*LEAVES, "guard", "parse"},
    "search": {*LEAVES, "guard", "parse", "runs"},
    "ask": {*LEAVES, "guard", "judge", "runs"},
    "crawler": {*LEAVES, *STAGES, "worlds", "runs", "search", "ask"},
    "web": {*LEAVES, "ask", "crawler", "judge", "runs", "search", "topic"},
    "cluster": {*LEAVES, "crawler", "frontier", "learn", "runs", "worlds"},
    "cli": {*LEAVES, "ask", "cluster", "crawler", "runs", "search", "topic", "web", "worlds"},
    "__main__": {"cli"},
    "honeyguide_lab": {*LEAVES, *STAGES, "worlds", "runs", "search", "ask", "crawler", "cli", "web"},
}
"""Which part may import which. Stages know nothing of one another; `crawler` alone joins them."""


def part_of(module: str) -> str | None:
    """The part of ours that a dotted name belongs to; None for anything else."""
    first, *rest = module.split(".")
    if first == "honeyguide_lab":
        return first
    return rest[0] if first == "honeyguide" and rest else None


@cache
def nodes_of(file: Path) -> list[ast.AST]:
    """Everything in a file that imports or defines something."""
    kinds = (ast.Import, ast.ImportFrom, ast.ClassDef)
    return [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, kinds)]


def imported_parts(file: Path) -> set[str]:
    """Parts of ours that a file imports, wherever in the file."""
    names: set[str] = set()
    for node in nodes_of(file):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide where a name comes from"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {part for name in names if (part := part_of(name)) in ALLOWED}


def home_of(file: Path) -> str:
    name = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
    return part_of(name) or "honeyguide"


def test_imports_follow_the_drawn_arrows() -> None:
    wrong = {
        str(file.relative_to(SOURCE)): sorted(forbidden)
        for file in FILES
        if (home := home_of(file)) != "__init__"
        and (forbidden := imported_parts(file) - ALLOWED.get(home, set()) - {home})
    }
    assert wrong == {}


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert not {file.stem for file in FILES} & {"utils", "util", "helpers", "common", "misc", "base", "manager"}


def test_every_package_says_what_it_is_for() -> None:
    silent = [
        str(folder.relative_to(SOURCE))
        for folder in {file.parent for file in FILES}
        if len((ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or "").split()) < 10
    ]
    assert silent == []


def test_one_class_name_means_one_class() -> None:
    homes: dict[str, list[str]] = {}
    for file in FILES:
        for node in nodes_of(file):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(file.relative_to(SOURCE)))
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def loaded_by(statement: str, modules: str) -> list[str]:
    """Which of some modules a statement loads, in a fresh process."""
    script = f"import sys; {statement}; print(*(set({modules.split()!r}) & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_importing_honeyguide_loads_nothing_heavy() -> None:
    heavy = (
        "aiohttp fastapi wordllama tokenizers selectolax torch sklearn ray typer rich sqlite3 tantivy honeyguide_lab"
    )
    assert loaded_by("import honeyguide", heavy) == []


def test_looking_at_a_run_loads_no_crawler() -> None:
    commands = "results stats traps export"
    assert loaded_by(f"from honeyguide.cli import {commands.replace(' ', ', ')}", "honeyguide.crawler aiohttp") == []


def test_public_names_exist() -> None:
    assert loaded_by("import honeyguide; [getattr(honeyguide, name) for name in honeyguide.__all__]", "ray") == []
