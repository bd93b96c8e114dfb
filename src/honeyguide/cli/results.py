"""`honeyguide results`: the most relevant pages of a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag, RunArgument  # noqa: TC001 - typer reads the annotations
from honeyguide.cli.words import one_line, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.store import CrawledPage, Run

HELP: Final = (
    "Show the most relevant pages of a run.\n\n"
    "Works while the crawl is going on, too. On a terminal it prints a table; through a pipe, one page a line with its "
    "columns between tabs, and what is no page on lines that start with #.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide results my-run --all | grep -v '^#' | cut -f 4"
)


def results(
    run: RunArgument,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many pages to show.")] = 20,
    all_: Annotated[bool, typer.Option("--all", metavar="", help="Show every page of the run, however many.")] = False,
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.store import open_run  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load

    with open_run(run) as opened:
        pages = list(opened.pages(best_first=True, limit=-1 if all_ else top))
        if as_json:
            _print_json(opened, pages)
        elif sys.stdout.isatty():
            _print_table(opened, pages)
        else:
            _print_lines(opened, pages)


def header(run: Run) -> list[str]:
    """What the run was for and what it came to, in two lines."""
    settings, progress = run.settings, run.progress
    words = ", ".join(settings.topic.keywords)
    examples = f"{len(settings.topic.like)} examples" if settings.topic.like else ""
    topic = " · ".join(filter(None, (settings.topic.name, words, examples))) or "none"
    came_to = (
        f"{progress.fetches:,} fetches, {progress.pages:,} pages, {progress.relevant:,} judged relevant, "
        f"harvest rate {percent(run.harvest_rate)}; {progress.stop_reason or 'not finished'}"
    )
    return [one_line(f"topic: {topic}; strategy: {settings.crawl.strategy}; world: {settings.crawl.world}"), came_to]


def page_table(pages: Sequence[CrawledPage]) -> Any:  # noqa: ANN401 - a rich table, which is not loaded for --json
    """Pages for a terminal: URLs are folded, never cut."""
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("relevance", justify="right", no_wrap=True)
    table.add_column("title and URL", overflow="fold")
    table.add_column("step", justify="right", no_wrap=True)
    for rank, page in enumerate(pages, 1):
        title = Text(one_line(page.title) or "(no title)", style="bold" if page.is_relevant else "")
        table.add_row(
            f"{rank}",
            f"{page.relevance:.3f}",
            Text("\n").join([title, Text(page.url.text, style="dim")]),
            f"{page.step:,}",
        )
    return table


def _print_table(run: Run, pages: Sequence[CrawledPage]) -> None:
    from rich.console import Console  # noqa: PLC0415

    console = Console(highlight=False)
    for line in header(run):
        console.print(line, markup=False)
    console.print(page_table(pages) if pages else "no pages yet")
    if pages and len(pages) < run.progress.pages:
        console.print(f"{len(pages):,} of {run.progress.pages:,} pages; --all shows the rest")


def _print_lines(run: Run, pages: Sequence[CrawledPage]) -> None:
    for line in header(run):
        print(f"# {line}")
    print("# rank\trelevance\tstep\turl\ttitle")
    for rank, page in enumerate(pages, 1):
        print(rank, f"{page.relevance:.4f}", page.step, page.url, one_line(page.title), sep="\t")


def _print_json(run: Run, pages: Sequence[CrawledPage]) -> None:
    from honeyguide.cli.summary import print_json, summary  # noqa: PLC0415

    document = summary(run)
    document["results"] = [
        {
            "rank": rank,
            "relevance": round(page.relevance, 6),
            "is_relevant": page.is_relevant,
            "url": page.url.text,
            "title": page.title,
            "step": page.step,
            "depth": page.depth,
            "words": page.words,
            "media_type": page.media_type,
        }
        for rank, page in enumerate(pages, 1)
    ]
    print_json(document)
