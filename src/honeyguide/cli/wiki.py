"""`honeyguide wiki`: make a world of a MediaWiki dump, and look at one."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from honeyguide.cli.options import JsonFlag
from honeyguide.cli.output import command, duration, megabytes, one_line, print_json, progress_bar
from honeyguide.model.clock import RealClock
from honeyguide.model.counts import count_of
from honeyguide.worlds.wiki import build_wiki, wiki_stats, wiki_topics
from honeyguide.worlds.wiki.stats import draw_degrees, plot_degrees

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from honeyguide.worlds.wiki import BuiltWiki, WikiStats, WikiTopic

_STAGES: Final = {"read": "reading", "links": "reading links", "write": "writing pages"}

WorldArgument: TypeAlias = Annotated[
    Path, typer.Argument(metavar="WORLD", help="The folder of the world.", show_default=False)
]

app = typer.Typer(
    rich_markup_mode="rich",
    add_completion=False,
    no_args_is_help=True,
    help="Turn a Wikipedia dump into a world to crawl, and look at it.\n\n"
    "Any MediaWiki XML dump will do. The world is crawled with [bold]--world wiki:WORLD[/bold].",
)


@app.command("build")
def build(
    dump: Annotated[Path, typer.Argument(metavar="DUMP", help="The XML dump.", show_default=False)],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder for the world.", show_default=False)],
    sample: Annotated[float, typer.Option(metavar="SHARE", help="Keep this share of the articles, by chance.")] = 1.0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of that chance.")] = 0,
    pagelinks: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Take links from this SQL dump of the table pagelinks."),
    ] = None,
    linktarget: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="The table linktarget that a newer pagelinks refers to."),
    ] = None,
    keep_partial: Annotated[
        bool, typer.Option("--keep-partial", metavar="", help="Of a broken dump, keep what is whole.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, show_default=False, help="Processes. [dim]\\[default: one a core, fewer if small][/dim]"
        ),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            metavar="MB", min=1, show_default=False,
            help="Use no more processes than fit: 260 MB and a twentieth of DUMP, 110 MB a process.",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    """Turn a MediaWiki XML dump (plain, .gz, .bz2, multistream) into a world.

    Keeps the articles, resolves redirects, and takes links from the wikitext or, with --pagelinks, from that table.

    [bold]Example[/bold]

      honeyguide wiki build simplewiki-latest-pages-articles.xml.bz2 simple
    """
    clock = RealClock()
    started = clock.now()
    with progress_bar() as show:
        built = build_wiki(
            dump,
            out,
            sample=sample,
            seed=seed,
            pagelinks=pagelinks,
            linktarget=linktarget,
            keep_partial=keep_partial,
            jobs=jobs,
            memory_mb=memory,
            progress=lambda now: show(now.done, now.total, _STAGES[now.stage], f"{now.pages:,} articles"),
        )
    seconds = clock.now() - started
    if built.trouble:
        print(f"honeyguide: {one_line(built.trouble)}; kept what is whole", file=sys.stderr)
    if as_json:
        print_json(asdict(built) | {"path": str(built.path), "seconds": round(seconds, 3)})
    else:
        print(_build_text(built, seconds))


@app.command("stats")
def stats(
    world: WorldArgument,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, help="Draw the degrees into this PNG or SVG as well."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Count the pages and links of a world, and draw how the links are spread.

    [bold]Example[/bold]

      honeyguide wiki stats simple --plot degrees.svg
    """
    found = wiki_stats(world)
    if plot is not None:
        plot_degrees(found, plot)
    if as_json:
        print_json(_stats_document(found))
    else:
        print(_stats_text(found))
        print(f"\n{draw_degrees(found)}")


@app.command("topics")
def topics(
    world: WorldArgument,
    at_least: Annotated[int, typer.Option(metavar="N", min=1, help="Reachable articles that a topic must have.")] = 40,
    word: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            show_default=False,
            help="One topic of all categories with this word in their names; may be given several times.",
        ),
    ] = None,
    by_word: Annotated[
        bool, typer.Option("--by-word", metavar="", help="The same for every word that occurs in names of categories.")
    ] = False,
    dated: Annotated[
        bool, typer.Option("--dated", metavar="", help="Also categories with a year or number in their names.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """List topics to experiment on, with seed URLs.

    A topic is a category with enough articles that can be reached from its seed URL, or with --word all categories that
    have a word in their names.

    [bold]Example[/bold]

      honeyguide wiki topics simple --word music --word language
    """
    found = wiki_topics(world, at_least=at_least, words=word or (), by_word=by_word, with_dates=dated)
    if as_json:
        print_json({"world": str(world), "at_least": at_least, "topics": [asdict(topic) for topic in found]})
    else:
        _print_topics(found, at_least)


def _build_text(built: BuiltWiki, seconds: float) -> str:
    size = sum(file.stat().st_size for file in built.path.iterdir())
    articles, redirects, others = (
        count_of(built.dump_pages.get(kind, 0), noun)
        for kind, noun in (("article", "article"), ("redirect", "redirect"), ("other", "other page"))
    )
    lines = [
        f"  dump        {articles}, {redirects}, {others}",
        f"  XML         {megabytes(built.xml_bytes)}",
        f"  pages       {built.pages:,}, with {count_of(built.links, 'link')}",
        f"  redirects   {built.redirects:,} lead to a page",
        f"  categories  {built.categories:,}",
        f"  time        {duration(seconds)}",
        f"  world       {built.path} ({megabytes(size)})",
        "",
        "Next:",
        f"  {command('wiki stats', built.path)}",
        f"  {command('wiki topics', built.path)}",
    ]
    return "\n".join(["Built.", "", *lines])


def _stats_text(found: WikiStats) -> str:
    lines = [
        f"pages                {found.pages:,}",
        f"links                {found.links:,}",
        f"links per page       {found.links_per_page:.2f}; {found.links_per_page_with_links:.2f} where there are any",
        f"redirects            {found.redirects:,}",
        f"categories           {found.categories:,}",
        f"most links           {found.in_degree.most:,} in, {found.out_degree.most:,} out",
        f"pages without links  {found.in_degree.without:,} in, {found.out_degree.without:,} out",
        f"entry                {found.entry}",
        f"reachable from it    {count_of(found.reachable, 'page')}",
        "",
        *_table("left out", found.dropped),
        "",
        *_table("largest categories", dict(found.top_categories)),
    ]
    return "\n".join(lines)


def _table(title: str, counts: Mapping[str, int]) -> list[str]:
    width = max((len(f"{count:,}") for count in counts.values()), default=0)
    return [title, *(f"  {count:>{width},}  {one_line(name)}" for name, count in counts.items())]


def _stats_document(found: WikiStats) -> dict[str, Any]:
    document = asdict(found)
    document["degree"] = {"in": document.pop("in_degree"), "out": document.pop("out_degree")}
    document["top_categories"] = [{"name": name, "pages": pages} for name, pages in found.top_categories]
    return document


def _print_topics(found: Sequence[WikiTopic], at_least: int) -> None:
    if not found:
        print(
            f"no topic has {count_of(at_least, 'article')} that can be reached; try --at-least {max(1, at_least // 2)}"
        )
        return
    print("reachable   pages  topic and where to start")
    for topic in found:
        print(f"{topic.reachable:>9,}{topic.pages:>8,}  {one_line(topic.name)}")
        print(f"{'':19}{topic.seed_url}")
        if topic.cold_seed_url:
            print(f"{'':19}{topic.cold_seed_url} (off topic)")
