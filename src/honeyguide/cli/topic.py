"""`honeyguide topic`: the shipped topics, and suggestions for one of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag  # noqa: TC001 - typer reads the annotations

if TYPE_CHECKING:
    from honeyguide.topics import Preset

HELP: Final = (
    "Find the words for what you look for.\n\n"
    "A topic is a name or sentence, keywords, examples to be like or unlike, and wider categories. It is saved as "
    "TOML, to be edited and given to [bold]honeyguide crawl --topic-file[/bold]."
)
LIST_HELP: Final = (
    "List the shipped topics.\n\n"
    "Those that the papers experiment on, with their categories and seeds; for [bold]honeyguide crawl --preset[/bold]."
    "\n\n[bold]Example[/bold]\n\n  honeyguide topic list --json"
)
SHOW_HELP: Final = (
    "Show a shipped topic as a topic file.\n\n"
    "What is printed can be saved, edited and given to [bold]honeyguide crawl --topic-file[/bold].\n\n"
    "[bold]Example[/bold]\n\n  honeyguide topic show geology > geology.toml"
)

app = typer.Typer(help=HELP, rich_markup_mode="rich")


@app.callback(invoke_without_command=True)
def _without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list", help=LIST_HELP, short_help="List the shipped topics.")
def list_(as_json: JsonFlag = False) -> None:
    from honeyguide.topics import presets  # noqa: PLC0415

    if as_json:
        _print_json({"topics": [_document(preset) for preset in presets().values()]})
        return
    width = max(map(len, presets()))
    for preset in presets().values():
        print(f"{preset.key:{width}}  {', '.join(preset.topic.categories)}")


@app.command("show", help=SHOW_HELP, short_help="Show a shipped topic as a topic file.")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that topic list shows.", show_default=False)],
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.settings import topic_file  # noqa: PLC0415
    from honeyguide.topics import preset  # noqa: PLC0415

    shown = preset(name)
    if as_json:
        _print_json(_document(shown))
        return
    topic = shown.topic
    print(f"# {shown.source}; step size of the paper's linear learners: {shown.step_size:g}")
    fields = {"name": topic.name, "keywords": topic.keywords, "categories": topic.categories}
    print(topic_file(fields, shown.seed_urls), end="")


def _document(preset: Preset) -> dict[str, Any]:
    return {
        "preset": preset.key,
        "name": preset.topic.name,
        "keywords": list(preset.topic.keywords),
        "categories": list(preset.topic.categories),
        "seed_titles": list(preset.seed_titles),
        "seed_urls": list(preset.seed_urls),
        "step_size": preset.step_size,
        "source": preset.source,
    }


def _print_json(document: dict[str, Any]) -> None:
    from honeyguide.cli.summary import print_json  # noqa: PLC0415

    print_json(document)
