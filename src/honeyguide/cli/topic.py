"""`honeyguide topic`: the shipped topics, and suggestions for one of your own."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from honeyguide.cli.options import LANGUAGE, LIKE, UNLIKE, VECTORS, AnySetting, JsonFlag, settings_of, takes_flags
from honeyguide.cli.output import folded, one_line, print_json
from honeyguide.crawler import suggest_topic
from honeyguide.errors import SettingsError
from honeyguide.topic import preset, presets, topic_file
from honeyguide.topic.suggesting import UNKNOWN

if TYPE_CHECKING:
    from honeyguide.crawler import SuggestedTopic
    from honeyguide.topic import Preset

app = typer.Typer(
    rich_markup_mode="rich",
    add_completion=False,
    no_args_is_help=True,
    help="Find the words for a topic.\n\n"
    "A topic is a name or sentence, keywords, examples to be like or unlike, and wider categories. "
    "It is saved as TOML, to be edited and given to [bold]honeyguide crawl --topic-file[/bold].",
)


@app.command("list")
def list_(as_json: JsonFlag = False) -> None:
    """List the shipped topics.

    The papers experiment on them; each has categories and seeds, for [bold]honeyguide crawl --preset[/bold].

    [bold]Example[/bold]

      honeyguide topic list --json
    """
    if as_json:
        print_json({"topics": [_document(each) for each in presets().values()]})
        return
    width = max(map(len, presets()))
    print(f"{'preset':{width}}  categories")
    for each in presets().values():
        print(f"{each.key:{width}}  {', '.join(each.topic.categories)}")


@app.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that topic list shows.", show_default=False)],
    as_json: JsonFlag = False,
) -> None:
    """Show a shipped topic as a topic file.

    Save it, edit it and give it to [bold]honeyguide crawl --topic-file[/bold].

    [bold]Example[/bold]

      honeyguide topic show geology > geology.toml
    """
    shown = preset(name)
    if as_json:
        print_json(_document(shown))
        return
    topic = shown.topic
    print(f"# {shown.source}; step size of the paper's linear learners: {shown.step_size:g}")
    fields = {"name": topic.name, "keywords": topic.keywords, "categories": topic.categories}
    print(topic_file(fields, shown.seed_urls), end="")


@app.command("suggest")
@takes_flags((LIKE, UNLIKE, LANGUAGE, VECTORS))
def suggest(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="What you look for, in your own words.", show_default=False),
    ] = None,
    given: Mapping[str, Any] = {},
    world: Annotated[
        str | None,
        typer.Option(metavar="WORLD", show_default=False, help="Where URLs are looked up; without it, on the web."),
    ] = None,
    count: Annotated[int, typer.Option(metavar="N", min=1, help="How many keywords at most.")] = 15,
    categories: Annotated[int, typer.Option(metavar="N", min=0, help="How many categories at most.")] = 5,
    set_: AnySetting = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", show_default=False, help="Save the topic in this new file."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Propose keywords and categories for a topic.

    TEXT is a word, a sentence, @FILE for a file of HTML or text, or the URL of a page; examples to be like or unlike
    may be added. Every proposal has a score from 0 to 1 and its origin. Keep the few that fit; two examples help more
    than any keywords. A saved file has the keywords as comments: uncomment those. With [bold]--world wiki:PATH[/bold]
    the articles of that wiki and their categories are used, too.

    [bold]Examples[/bold]

      honeyguide topic suggest 'coral reefs and their decline' -o reefs.toml

      honeyguide topic suggest --like @paper.html --unlike @shop.html

      honeyguide topic suggest geology --world wiki:simple --json
    """
    if out is not None and out.exists():
        raise SettingsError([f"{out} is there already; choose another name"])
    flags = dict(given)
    like, unlike = flags.pop("topic.like", ()), flags.pop("topic.unlike", ())
    found = suggest_topic(
        " ".join(words or ()),
        like=like,
        unlike=unlike,
        world=world or "live",
        keywords=count,
        categories=categories,
        settings=settings_of(None, set_, flags, {}),
    )
    if out is not None:
        _save(found, out)
    if as_json:
        print_json(_suggestions(found, out))
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
    if any(each.origin.endswith(UNKNOWN) for each in found.keywords):
        unknown = "No word table knows some of these words: check the spelling, or name their language with --language."
        print(folded(unknown, indent=0))
    if not found.like:
        print("Added unread, these keywords rank pages worse than the topic's name alone:")
        print("keep only what is surely meant.")
        print("Two pages that are what you want help more: --like URL, here and in crawl.")
    if out is None:
        print("Not saved; -o FILE saves it, to be edited and crawled with --topic-file FILE.")
    else:
        print(folded(f"Saved in {out}, the keywords as comments. Uncomment those that fit, then:", indent=0))
        print(f"honeyguide crawl RUN --topic-file {shlex.quote(str(out))}")


def _document(shown: Preset) -> dict[str, Any]:
    return {
        "preset": shown.key,
        "name": shown.topic.name,
        "keywords": list(shown.topic.keywords),
        "categories": list(shown.topic.categories),
        "seed_titles": list(shown.seed_titles),
        "seed_urls": list(shown.seed_urls),
        "step_size": shown.step_size,
        "source": shown.source,
    }
