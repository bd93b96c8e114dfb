"""`honeyguide init` and `honeyguide completions`, and what is shipped for containers."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deep_strategies import thorough
from honeyguide.cli.main import COMMANDS, load_command
from honeyguide.settings import SETTINGS_BY_KEY, Settings, everyday_settings, load_settings
from honeyguide.web.serving import DEFAULT_PORT

if TYPE_CHECKING:
    from cli.conftest import Cli, Refusal, RunProgram

ROOT = Path(__file__).parents[2]


def uncommented(text: str) -> str:
    """Take away the # in front of every setting."""
    return re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE)


def test_a_file_to_begin_with_changes_nothing_and_shows_the_defaults(cli: Cli, tmp_path: Path) -> None:
    assert cli("init").startswith("honeyguide.toml: change it, then: honeyguide crawl my-run --config honeyguide.toml")
    text = (tmp_path / "honeyguide.toml").read_text(encoding="utf-8")
    assert load_settings(tmp_path / "honeyguide.toml") == Settings()
    shown = {f"{table}.{name}" for table, names in tomllib.loads(uncommented(text)).items() for name in names}
    assert shown == {setting.key for setting in everyday_settings()}
    assert max(map(len, text.splitlines())) <= 120
    cli("crawl run --config honeyguide.toml --topic geology --world synthetic --budget 20")


def test_every_setting_is_there_when_asked_for_with_its_meaning(cli: Cli, tmp_path: Path) -> None:
    text = cli("init --all -")
    (tmp_path / "all.toml").write_text(uncommented(text), encoding="utf-8")
    settings = load_settings(tmp_path / "all.toml")
    assert settings.set_keys == set(SETTINGS_BY_KEY)
    assert all(each.value_in(settings) == each.default for each in SETTINGS_BY_KEY.values())
    folded = " ".join(text.replace("\n# ", " ").split()).lower()
    assert all(" ".join(each.meaning.split()).lower() in folded for each in SETTINGS_BY_KEY.values())


def test_a_file_that_is_there_is_left_alone(refusal: Refusal, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "honeyguide.toml").write_text("mine", encoding="utf-8")
    assert "honeyguide.toml is there already" in refusal("init")
    cli("init --overwrite")
    assert (tmp_path / "honeyguide.toml").read_text(encoding="utf-8") != "mine"


def test_a_name_with_a_space_is_quoted_in_the_command(cli: Cli, tmp_path: Path) -> None:
    assert "--config 'we ird.toml' --topic" in cli("init", "we ird.toml")
    assert "--config 'we ird.toml'" in (tmp_path / "we ird.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_asks_the_program(cli: Cli, shell: str) -> None:
    script = cli(f"completions {shell}")
    assert "_HONEYGUIDE_COMPLETE" in script
    assert f"complete_{shell}" in script


def test_an_unknown_shell_is_refused(refusal: Refusal) -> None:
    assert refusal("completions tcsh") == "honeyguide: the shell is 'tcsh': choose one of bash, zsh, fish\n"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("honeyguide cra", ["crawl"]),
        thorough("honeyguide lab comp", ["compare"]),
        thorough("honeyguide search --to", ["--topic-weight", "--top"]),
        thorough("honeyguide crawl --categ", ["--category"]),
        ("honeyguide export my-run --format ge", ["gexf"]),
    ],
)
def test_commands_and_flags_are_completed(
    run_program: RunProgram, typed: str, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_HONEYGUIDE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert sorted(run_program().stdout.split()) == sorted(found)


def test_what_is_shipped_for_containers_fits_the_program() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    for sources in re.findall(r"^COPY (.+) \S+$", dockerfile, flags=re.MULTILINE):
        assert all((ROOT / source).exists() for source in sources.split())
    compose = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert f"EXPOSE {DEFAULT_PORT}" in dockerfile
    assert f"127.0.0.1:{DEFAULT_PORT}:{DEFAULT_PORT}" in compose
    assert {"crawl", "serve"} <= COMMANDS.keys()
    known = {name for parameter in load_command("serve").params for name in parameter.opts}
    (command,) = re.findall(r"command: \[(.*)\]", compose)
    assert {word.strip('" ') for word in command.split(",") if '"--' in word} <= known
