"""`honeyguide init` and `honeyguide completions`: a settings file to begin with, and completion for a shell."""

from __future__ import annotations

import shlex
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.main import COMPLETE
from honeyguide.errors import SettingsError
from honeyguide.settings import SETTINGS_BY_KEY, everyday_settings
from honeyguide.settings.reading import toml_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from honeyguide.settings import Setting

SHELLS: Final = ("bash", "zsh", "fish")
_HEAD: Final = """\
# Settings of Honeyguide. Every line that is commented out shows a default: take away the # to change it.
# Use it with: honeyguide crawl RUN --config {name}"""
_WIDTH: Final = 100


def init(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; - for stdout.")
    ] = Path("honeyguide.toml"),
    everything: Annotated[
        bool, typer.Option("--all", metavar="", help="Every setting, not only everyday ones.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", metavar="", help="Replace a file that is there.")
    ] = False,
) -> None:  # fmt: skip
    """Write a commented file of settings, to be changed and given to crawl.

    Each setting stands there with its meaning, range and default, commented out.

    [bold]Examples[/bold]

      honeyguide init

      honeyguide crawl my-run --config honeyguide.toml --topic geology
    """
    is_stdout = file == Path("-")
    chosen = SETTINGS_BY_KEY.values() if everything else everyday_settings()
    text = commented_settings(chosen, "FILE" if is_stdout else shlex.quote(file.name))
    if is_stdout:
        sys.stdout.write(text)
        return
    from honeyguide.cli.export import refuse_to_replace  # noqa: PLC0415 - takes a while to load
    from honeyguide.runs.exports import atomic_file  # noqa: PLC0415

    refuse_to_replace(file, overwrite=overwrite)
    with atomic_file(file) as out:
        out.write(text)
    print(f"{file}: change it, then: honeyguide crawl my-run --config {shlex.quote(str(file))} --topic TEXT")


def commented_settings(settings: Iterable[Setting], name: str) -> str:
    """Return a TOML file with settings commented out, by table, each under its meaning."""
    lines_by_table: dict[str, list[str]] = {}
    for each in settings:
        lines_by_table.setdefault(each.table, [f"[{each.table}]"]).extend(_lines(each))
    return "\n\n".join([_HEAD.format(name=name), *map("\n".join, lines_by_table.values())]) + "\n"


def _lines(setting: Setting) -> Iterator[str]:
    meaning = setting.meaning[0].upper() + setting.meaning[1:]
    choices = f"one of {', '.join(setting.choices)}" if setting.choices else ""
    details = "; ".join(filter(None, (meaning, setting.bounds, choices)))
    yield from textwrap.wrap(f"{details}.", _WIDTH, initial_indent="# ", subsequent_indent="# ")
    yield f"# {setting.name} = {toml_value(setting.default)}"


def completions(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help=f"{', '.join(SHELLS)}.", show_default=False)],
) -> None:
    """Print a script that completes commands and flags in a shell.

    [bold]Examples[/bold]

      mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions

      honeyguide completions bash > ~/.local/share/bash-completion/completions/honeyguide

      honeyguide completions zsh > ~/.zfunc/_honeyguide   # a folder of $fpath

      honeyguide completions fish > ~/.config/fish/completions/honeyguide.fish
    """
    from typer._completion_shared import get_completion_script  # noqa: PLC0415 - only where it is asked for

    if shell not in SHELLS:
        raise SettingsError([f"the shell is {shell!r}: choose one of {', '.join(SHELLS)}"])
    print(get_completion_script(prog_name="honeyguide", complete_var=COMPLETE, shell=shell))
