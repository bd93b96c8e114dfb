"""The tree is the design: imports are read, and only the arrows drawn in docs/architecture.md are allowed."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "honeyguide"

LEAVES = {"errors", "clock", "counts", "settings", "starting_points"}
STAGES = {"topics", "frontier", "fetch", "parse", "judge", "guard", "learn", "graph", "store", "worlds"}
ALLOWED = {
    "domain": set[str](),
    "text": {"domain"},
    "store": {"domain", "text", "graph"},
    "worlds": {"domain", "text", "fetch"},
    "engine": {"domain", "text", "index", *STAGES},
    "index": {"domain", "text", "graph", "guard", "parse", "store"},
    "reading": {"domain", "text", "guard", "parse", "store"},
    "exports": {"domain", "reading", "store"},
    "report": {"domain", "exports", "reading", "store"},
    "ranking": {"domain", "engine", "experiments", "graph", "store", "worlds"},
    "envs": {"domain", "text", "engine", "learn", "store", "worlds"},
    "experiments": {
        "domain",
        "text",
        "topics",
        "engine",
        "exports",
        "graph",
        "judge",
        "learn",
        "store",
        "report",
        "worlds",
    },
    "__main__": {"cli"},
    "cli": {
        "domain",
        "text",
        "topics",
        "engine",
        "experiments",
        "exports",
        "graph",
        "index",
        "ranking",
        "reading",
        "store",
        "report",
        "worlds",
    },
    **{stage: {"domain", "text"} for stage in STAGES - {"store", "worlds"}},
}
# What a leaf may lean on: settings check URLs, starting points are settings of a kind.
ALLOWED_IN_LEAVES = {
    "errors": set[str](),
    "clock": set[str](),
    "counts": set[str](),
    "settings": {"domain"},
    "starting_points": {"domain"},
}


def home_of(module: str) -> str | None:
    """The part of our package that a dotted name belongs to; None for anything else."""
    parts = module.split(".")
    return parts[1] if parts[0] == "honeyguide" and len(parts) > 1 else None


def imports_of(file: Path) -> set[str]:
    """Parts of our package that a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide where a name comes from"
            names.add(node.module or "")
            if node.module == "honeyguide":
                names |= {f"honeyguide.{alias.name}" for alias in node.names}
    return {home for name in names if (home := home_of(name)) is not None}


def part_of(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


FILES = sorted(file for file in PACKAGE.rglob("*.py") if file != PACKAGE / "__init__.py")


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_follow_the_drawn_arrows(file: Path) -> None:
    part = part_of(file)
    allowed = {part} | LEAVES | (ALLOWED_IN_LEAVES if part in LEAVES else ALLOWED)[part]
    if part == "domain":
        allowed -= LEAVES - {"errors"}
    assert imports_of(file) <= allowed


def test_no_file_has_a_name_that_says_nothing() -> None:
    names = {file.stem for file in FILES}
    assert not names & {"utils", "util", "helpers", "common", "misc", "base", "manager"}


@pytest.mark.parametrize("package", sorted({file.parent for file in FILES}), ids=lambda folder: folder.name)
def test_every_package_says_what_it_is_for(package: Path) -> None:
    said = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    assert said is not None
    assert len(said.split()) >= 10


def test_importing_honeyguide_loads_nothing_heavy() -> None:
    heavy = (
        "{'aiohttp', 'wordllama', 'tokenizers', 'selectolax', 'torch', 'sklearn', 'ray', 'typer', 'rich', 'sqlite3', "
        "'tantivy'}"
    )
    script = f"import sys, honeyguide; print(*({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []


def test_public_names_exist() -> None:
    script = "import honeyguide; [getattr(honeyguide, name) for name in honeyguide.__all__]"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert result.stderr == ""
