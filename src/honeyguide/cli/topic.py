"""`honeyguide topic`: the shipped topics, and suggestions for one of your own."""

from __future__ import annotations

import os
import shlex
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import AnySetting, JsonFlag, Like, Unlike, Vectors, settings_of
from honeyguide.cli.summary import one_line
from honeyguide.errors import SettingsError

if TYPE_CHECKING:
    from honeyguide.crawler import SuggestedTopic
    from honeyguide.topic import Preset

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
SUGGEST_HELP: Final = (
    "Propose keywords and categories for a topic.\n\n"
    "TEXT is a word, a sentence, @FILE for a file of HTML or text, or the URL of a page; examples to be like or unlike "
    "may be added. Every proposal is shown with its score from 0 to 1 and where it came from. With "
    "[bold]--world wiki:PATH[/bold] the articles of that wiki and their categories are used, too.\n\n"
    "[bold]Examples[/bold]\n\n"
    "  honeyguide topic suggest 'coral reefs and their decline' -o reefs.toml\n\n"
    "  honeyguide topic suggest --like @paper.html --unlike @aquarium-shop.html\n\n"
    "  honeyguide topic suggest geology --world wiki:simple --json"
)

app = typer.Typer(help=HELP, rich_markup_mode="rich")


@app.callback(invoke_without_command=True)
def _without_command(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("list", help=LIST_HELP, short_help="List the shipped topics.")
def list_(as_json: JsonFlag = False) -> None:
    from honeyguide.topic import presets  # noqa: PLC0415

    if as_json:
        _print_json({"topics": [_document(preset) for preset in presets().values()]})
        return
    width = max(map(len, presets()))
    print(f"{'preset':{width}}  categories")
    for preset in presets().values():
        print(f"{preset.key:{width}}  {', '.join(preset.topic.categories)}")


@app.command("show", help=SHOW_HELP, short_help="Show a shipped topic as a topic file.")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that topic list shows.", show_default=False)],
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.topic import preset, topic_file  # noqa: PLC0415

    shown = preset(name)
    if as_json:
        _print_json(_document(shown))
        return
    topic = shown.topic
    print(f"# {shown.source}; step size of the paper's linear learners: {shown.step_size:g}")
    fields = {"name": topic.name, "keywords": topic.keywords, "categories": topic.categories}
    print(topic_file(fields, shown.seed_urls), end="")


@app.command("suggest", help=SUGGEST_HELP, short_help="Propose keywords and categories for a topic.")
def suggest(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What you look for, in your own words.", show_default=False),
    ] = None,
    like: Like = None,
    unlike: Unlike = None,
    world: Annotated[
        str | None,
        typer.Option(
            metavar="WORLD",
            show_default=False,
            help="Where URLs are looked up, as in honeyguide crawl; without it, on the web.",
        ),
    ] = None,
    count: Annotated[int, typer.Option(metavar="N", min=1, help="How many keywords at most.")] = 15,
    categories: Annotated[int, typer.Option(metavar="N", min=0, help="How many categories at most.")] = 5,
    vectors: Vectors = None,
    set_: AnySetting = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", show_default=False, help="Save the topic in this new file."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.crawler import suggest_topic  # noqa: PLC0415 - numpy and the rest take a while to load

    if out is not None and out.exists():
        raise SettingsError([f"{out} is there already; choose another name"])
    found = suggest_topic(
        " ".join(words or ()),
        like=like or (),
        unlike=unlike or (),
        world=world or "live",
        keywords=count,
        categories=categories,
        settings=settings_of(None, set_ or [], {"vectors.source": vectors}, {}),
    )
    if out is not None:
        _save(found, out)
    if as_json:
        _print_json(_suggestions(found, out))
    else:
        _print_suggestions(found, out)


def _save(found: SuggestedTopic, out: Path) -> None:
    """Write a topic file; files of examples are named in it as seen from its folder."""
    like, unlike = ([_seen_from(out.parent, example) for example in kind] for kind in (found.like, found.unlike))
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(replace(found, like=tuple(like), unlike=tuple(unlike)).to_toml())
    except OSError as error:
        raise SettingsError([f"cannot write {out}: {error.strerror}"]) from None


def _seen_from(folder: Path, example: str) -> str:
    name = example.removeprefix("@")
    if name in (example, "-") or Path(name).is_absolute():
        return example
    return f"@{os.path.relpath(name, folder)}"


def _suggestions(found: SuggestedTopic, out: Path | None) -> dict[str, Any]:
    return {
        "name": found.name,
        "keywords": [asdict(keyword) for keyword in found.keywords],
        "categories": [asdict(category) for category in found.categories],
        "like": list(found.like),
        "unlike": list(found.unlike),
        "file": None if out is None else str(out),
    }


def _print_suggestions(found: SuggestedTopic, out: Path | None) -> None:
    width = max((len(one_line(each.text)) for each in (*found.keywords, *found.categories)), default=0)
    for title, suggestions in (("keywords", found.keywords), ("categories", found.categories)):
        print(title if suggestions else f"{title}: none that fits")
        for each in suggestions:
            print(f"  {each.score:.2f}  {one_line(each.text):{width}}  {one_line(each.origin)}")
        print()
    if out is None:
        print("Not saved; -o FILE saves it, to be edited and crawled with --topic-file FILE.")
    else:
        print(f"Saved in {out}. Edit it, then: honeyguide crawl RUN --topic-file {shlex.quote(str(out))}")


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
