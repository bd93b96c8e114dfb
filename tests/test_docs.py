"""The documents are right: examples run, references are current, links and file names lead somewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from honeyguide.cli.main import COMMANDS, main
from honeyguide.crawler import installation
from honeyguide.runs.trust import keys_that_need_trust
from honeyguide.settings import SETTINGS_BY_KEY

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
DIALECT = ("barren", "starved", "passed over", "surplus", "found out late", "lower level", "level is lower")


def run_python(*arguments: str, cwd: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-W", "error", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_pages_made_from_the_code_are_current(tmp_path: Path) -> None:
    made = ("reference/settings.md", "reference/cli.md", "explanation/architecture.md")
    for name in ("make_reference.py", *made):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "docs" / name, tmp_path / name)
    run_python(str(tmp_path / "make_reference.py"), cwd=ROOT)
    for name in made:
        current = (tmp_path / name).read_text(encoding="utf-8")
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == current, "run docs/make_reference.py"


def test_the_example_that_lists_lims_tuples_runs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "explanation" / "topics-and-judges.md").read_text(encoding="utf-8")
    (example,) = (each for each in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL) if ".matches" in each)
    (tmp_path / "article.html").write_text("<p>The history of classical music.</p>", encoding="utf-8")
    assert " classical music classical music file://" in run_python("-c", example, cwd=tmp_path)


@pytest.mark.thorough
def test_the_python_example_about_questions_runs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "howto" / "answer-questions.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    answers = run_python("-c", example, cwd=tmp_path).splitlines()
    assert 1 <= len(answers) <= 3
    assert all(line.startswith(("yes http", "no http")) for line in answers)


def test_the_python_example_of_the_readme_runs(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    printed = run_python("-c", example.replace('"fetches": 500', '"fetches": 60'), cwd=tmp_path)
    assert re.search(r"^\d+ relevant of 60 fetches", printed)


def test_the_offline_commands_of_the_tutorial_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its made-up site, as far as shell commands are needed; the crawls of it and of the synthetic web."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8").partition("## Crawl the web")[0]
    blocks = re.findall(r"```\n(.*?)```", text, flags=re.DOTALL)[1:]
    for line in "".join(blocks).replace("500", "60").splitlines():
        command = line.partition("  #")[0]
        if command.startswith("honeyguide "):
            assert main(re.findall(r"'[^']*'|\S+", command.removeprefix("honeyguide "))) == 0, command
        else:
            subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    assert "Basalt" in capsys.readouterr().out


@pytest.mark.thorough
def test_the_how_to_about_corpora_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "howto" / "corpus-for-language-models.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"```\n(honeyguide .*?)```", text, flags=re.DOTALL)
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    for line in commands.splitlines():
        assert main(line.removeprefix("honeyguide ").split()) == 0, line
    pytest.importorskip("pandas", reason="needs pandas")
    pytest.importorskip("duckdb", reason="needs duckdb")
    assert " tokens" in run_python("-c", example, cwd=tmp_path)


def test_the_commands_about_pandas_and_databases_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("pandas", "duckdb"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "howto" / "pandas-and-databases.md").read_text(encoding="utf-8")
    assert main(["crawl", "my-run", "--topic", "geology", "--world", "synthetic", "--budget", "60"]) == 0
    for line in re.findall(r"^honeyguide export (?!.*s3:).*", text, flags=re.MULTILINE):
        assert main(line.partition("  #")[0].removeprefix("honeyguide ").split()) == 0, line
    assert len(re.findall(r"^pages\.\w+: \d+ pages$", capsys.readouterr().out, flags=re.MULTILINE)) == 4
    frame, database = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert "host" in run_python("-c", frame, cwd=tmp_path)
    assert len(run_python("-c", database, cwd=tmp_path).splitlines()) == 5


def test_the_commands_about_installing_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(installation, "_network", lambda _: ())  # a test asks no name server
    text = (ROOT / "docs" / "howto" / "install.md").read_text(encoding="utf-8")
    for line in re.findall(r"^honeyguide (?:doctor|init|crawl|completions) .*", text, flags=re.MULTILINE):
        words = re.split(r"  #| > ", line.removeprefix("honeyguide "))[0].split()
        assert main(words) == 0, line
    assert (tmp_path / "my-run").is_dir()


def test_completion_can_be_put_into_a_fresh_home(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "howto" / "install.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sh\n(mkdir[^`]*completions bash[^`]*)```", text)
    script = f'set -e\nhoneyguide() {{ "{sys.executable}" -m honeyguide "$@"; }}\n{block}'
    subprocess.run(["bash", "-c", script], check=True, env={**os.environ, "HOME": str(tmp_path)})
    assert (tmp_path / ".config" / "fish" / "completions" / "honeyguide.fish").stat().st_size


def test_the_public_names_are_shown(tmp_path: Path) -> None:
    assert (
        run_python("-c", "import honeyguide; print(set(honeyguide.__all__) == set(dir(honeyguide)))", cwd=tmp_path)
        == "True\n"
    )


def test_links_between_documents_lead_somewhere() -> None:
    dead = [
        (document.name, target)
        for document in DOCUMENTS
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
        if not (document.parent / target).exists()
    ]
    assert dead == []


def test_files_that_documents_name_exist() -> None:
    missing = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        named = re.findall(r"`((?:src|tests|docs|benchmarks|examples)/[\w./-]+\.\w+)`", text)
        named += re.findall(r"python (benchmarks/\w+\.py)", text)
        missing += [(document.name, name) for name in named if not (ROOT / name).exists()]
    assert missing == []


def test_every_hop_of_the_architecture_is_a_function_that_exists() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    hops = re.findall(r"^\| \d+ \| `([\w/]+\.py):([\w.]+)`", text, flags=re.MULTILINE)
    assert 15 < len(hops) <= 25
    for file, name in hops:
        source = (ROOT / "src" / "honeyguide" / file).read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"\b(?:def|class) {part}\b", source), f"{file}:{name}"


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [command for command in COMMANDS if f"honeyguide {command}" not in readme] == []


def test_no_document_speaks_in_dialect() -> None:
    found = [
        (document.name, word)
        for document in DOCUMENTS
        for word in DIALECT
        if re.search(rf"\b{word}\b", document.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_results_that_go_through_a_pipe_lose_their_comment_lines() -> None:
    lines = [line for document in DOCUMENTS for line in document.read_text(encoding="utf-8").splitlines()]
    piped = [line for line in lines if "honeyguide results" in line and "| cut" in line]
    assert piped
    assert [line for line in piped if "| grep -v '^#' | cut" not in line] == []


def test_the_site_builds_without_a_dead_link(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    pytest.importorskip("material", reason="needs the extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_settings_that_documents_name_exist() -> None:
    tables = {setting.table for setting in SETTINGS_BY_KEY.values()}
    unknown = []
    for document in DOCUMENTS:
        text = re.sub(r"```toml.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        named = set(re.findall(r"(?:`|--set '?|--parameter )([a-z_]+\.[a-z_]+)\b(?![./(:])", text))
        unknown += [
            (document.name, key)
            for key in sorted(named)
            if key.partition(".")[0] in tables
            and key not in SETTINGS_BY_KEY
            and key not in ("crawl.sqlite", "cluster.json")
        ]
    assert unknown == []


def test_the_page_about_safety_names_every_setting_that_needs_trust() -> None:
    text = (ROOT / "docs" / "explanation" / "safety.md").read_text(encoding="utf-8")
    listed = text.partition("- `settings.toml` may name")[2].partition("They count in a run")[0]
    assert sorted(re.findall(r"`([a-z_]+\.[a-z_]+)`", listed)) == keys_that_need_trust()
