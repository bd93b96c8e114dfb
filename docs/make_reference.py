"""Write the pages made from the code, reference and tree: `python docs/make_reference.py`."""  # noqa: INP001

from __future__ import annotations

import inspect
import re
import textwrap
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import honeyguide
from honeyguide.cli.main import COMMANDS, load_command
from honeyguide.settings import SETTINGS_BY_KEY, Setting, everyday_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DOCS = Path(__file__).parent
SOURCE = Path(honeyguide.__path__[0]).parent
FOLDERS = {
    "model": "frozen values",
    "settings": "the typed tree of settings",
    "text": "tokens, stems, vectors",
    "topic": "topic files, presets, suggestions",
    "worlds": "what is crawled",
    "fetch": "HTTP, robots.txt, host schedule, rendering",
    "parse": "bytes to page",
    "judge": "page to relevance and reward",
    "guard": "duplicates and traps",
    "learn": "one file a strategy",
    "frontier": "waiting links",
    "crawler": "joins the stages: core, loop, transport, workers, resume",
    "runs": "the run folder: schema, writing, reading, ranks, exports, report",
    "search": "index and query",
    "ask": "questions about pages, and who answers them",
    "web": "the dashboard",
    "cluster": "one crawl in several processes or machines, on Ray",
    "cli": "the commands",
}
SETTINGS_HEAD = """# Settings

Made from the code by `docs/make_reference.py`. In a TOML file, `section.name` is `name` in the table `[section]`;
on the command line it is `--set section.name=value`. Every default is safe to run.

## Everyday settings
"""
CLI_HEAD = """# Commands

Made from the code by `docs/make_reference.py`. Every command that prints a table takes `--json` and then prints one
JSON document on stdout and nothing else there. Exit status: 0 for success, 2 for bad input (one line on stderr names
the value and the remedy), 130 after Ctrl-C. Errors, progress and logs go to stderr.
"""


def settings_page() -> str:
    """Return the reference of settings: the everyday ones, then all others by section."""
    lines = [SETTINGS_HEAD, *_settings_table(everyday_settings()), "", "## All others"]
    others = [setting for setting in SETTINGS_BY_KEY.values() if not setting.everyday]
    for table, settings in groupby(others, key=lambda setting: setting.table):
        lines += ["", f"### `[{table}]`", "", *_settings_table(settings)]
    return "\n".join(lines) + "\n"


def _settings_table(settings: Iterable[Setting]) -> Iterator[str]:
    yield from ("| setting | meaning | default | allowed |", "| --- | --- | --- | --- |")
    for setting in settings:
        allowed = ", ".join(f"`{choice}`" for choice in setting.choices) or setting.bounds
        default = "`[]`" if setting.default == () else f"`{setting.default}`" if setting.default != "" else "(empty)"
        yield f"| `{setting.key}` | {setting.meaning} | {default} | {allowed} |"


def cli_page() -> str:
    """Return the reference of commands, in the order of the program's help."""
    lines = [CLI_HEAD]
    for name in COMMANDS:
        command = load_command(name)
        inner = getattr(command, "commands", None)
        if inner is None:
            lines += _command_lines(f"honeyguide {name}", command, "##")
            continue
        lines += [f"## honeyguide {name}", "", _plain(command.help), ""]
        for inner_name, inner_command in inner.items():
            lines += _command_lines(f"honeyguide {name} {inner_name}", inner_command, "###")
    return "\n".join(lines).rstrip() + "\n"


def _command_lines(title: str, command: Any, heading: str) -> Iterator[str]:  # noqa: ANN401 - typer's command
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    shown = " ".join(each.metavar or each.name.upper() for each in arguments)
    yield from (
        f"{heading} {title}",
        "",
        f"`{title} {shown}`".replace(" `", "`"),
        "",
        _plain(command.help, is_short=True),
        "",
    )
    options = [each for each in command.params if each.param_type_name == "option" and each.name not in _EVERYWHERE]
    if options:
        yield from ("| flag | meaning |", "| --- | --- |")
        for option in options:
            names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
            value = f" `{option.metavar}`".replace("|", "\\|") if option.metavar else ""
            meaning = _plain(option.help).replace("|", "\\|")
            yield f"| {names}{value} | {meaning} |"
        yield ""


_EVERYWHERE = ("as_json", "verbose", "log_file", "help", "help_all")


def _plain(text: str | None, *, is_short: bool = False) -> str:
    """Return help as Markdown: rich's marks left out, examples as code; in short the first paragraph and examples."""
    plain = re.sub(r"(?<!\\)\[/?(bold|cyan|dim)\]", "", inspect.cleandoc(text or "")).replace("\\[", "[")
    first, *others = plain.split("\n\n")
    blocks = (
        f"```\n{textwrap.dedent(block)}\n```" if block.startswith("  ") else block.replace("<", "&lt;")
        for block in (first, *others)
        if block is first or not is_short or block.startswith("  honeyguide")
    )
    return "\n\n".join(blocks).replace("\n```\n\n```\n", "\n")


def tree_table() -> str:
    """Return a table of every folder with its modules, each once."""
    rows = [(f"`{name}/`", what, _modules(SOURCE / "honeyguide" / name)) for name, what in FOLDERS.items()]
    top = ", ".join(f"`{file.stem}`" for file in sorted((SOURCE / "honeyguide").glob("[!_]*.py")))
    rows.append(("(top)", "errors; registries of strategies, judges, worlds and exports", top))
    rows.append(("`honeyguide_lab/`", "the laboratory: a package of its own", _modules(SOURCE / "honeyguide_lab")))
    return "\n".join(f"| {' | '.join(row)} |" for row in (("folder", "what", "modules"), ("---",) * 3, *rows))


def _modules(folder: Path) -> str:
    names = [
        f"`{path.name}/` ({_modules(path)})" if path.is_dir() else f"`{path.stem}`"
        for path in sorted(folder.iterdir())
        if (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").exists()
    ]
    return ", ".join(names)


def architecture_page(text: str) -> str:
    """Return the page with its table of folders made anew."""
    return re.sub(r"(?<=\n\n)\| folder \|.*?(?=\n\n)", lambda _: tree_table(), text, flags=re.DOTALL)


if __name__ == "__main__":
    architecture = DOCS / "explanation" / "architecture.md"
    architecture.write_text(architecture_page(architecture.read_text(encoding="utf-8")), encoding="utf-8")
    (DOCS / "reference" / "settings.md").write_text(settings_page(), encoding="utf-8")
    (DOCS / "reference" / "cli.md").write_text(cli_page(), encoding="utf-8")
