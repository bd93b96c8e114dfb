"""`honeyguide results`: the most relevant pages of a run."""

from __future__ import annotations

import sys
from itertools import takewhile, zip_longest
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag, RunArgument
from honeyguide.cli.summary import one_line, percent
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.runs import CrawledPage, KeptPage, Run, Snippet

HELP: Final = (
    "Show the most relevant pages of a run.\n\n"
    "Works while the crawl is going on, too. On a terminal it prints a table; through a pipe, one page a line with "
    "its columns between tabs, and what is no page on lines that start with #. A snippet is the part of a page with "
    "the most words of the topic.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide results my-run --all | grep -v '^#' | cut -f 4"
)


def results(
    run: RunArgument,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many pages to show.")] = 20,
    all_: Annotated[bool, typer.Option("--all", metavar="", help="Show every page of the run, however many.")] = False,
    min_relevance: Annotated[
        float,
        typer.Option(
            "--min-relevance", "--min-score", metavar="0..1", min=0.0, max=1.0, help="Only pages as relevant as this."
        ),
    ] = 0.0,
    relevant: Annotated[bool, typer.Option("--relevant", metavar="", help="Only pages judged relevant.")] = False,
    snippets: Annotated[
        bool | None,
        typer.Option(
            "--snippets/--no-snippets", show_default=False,
            help="Show the part of each page that speaks of the topic. \\[default: yes, but not for --all or a pipe]",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    from honeyguide.runs import open_run  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load

    is_table = sys.stdout.isatty() and not as_json
    if snippets is None:
        snippets = not all_ and (is_table or as_json)
    with open_run(run) as opened, opened.at_one_moment():
        kept = opened.kept_pages(relevant_only=relevant)
        best = kept.all(best_first=True, limit=-1 if all_ else top)
        pages = list(takewhile(lambda page: page.relevance >= min_relevance, best))
        shown = _snippets(opened, pages) if snippets else [None] * len(pages)
        if as_json:
            _print_json(opened, pages, shown)
        elif is_table:
            _print_table(opened, pages, shown, is_cut=len(pages) == top and not all_)
        else:
            _print_lines(opened, pages, shown)


def _snippets(run: Run, pages: Sequence[KeptPage]) -> list[Snippet | None]:
    """A snippet of each page; none where its body was not kept."""
    from honeyguide.runs import PageSnippets  # noqa: PLC0415

    cut = PageSnippets(run, run.kept_pages())
    return [cut.of(page) for page in pages]


def header(run: Run) -> list[str]:
    """What the run was for and what it came to, in two lines."""
    settings, progress = run.settings, run.progress
    words = ", ".join(settings.topic.keywords)
    examples = count_of(len(settings.topic.like), "example") if settings.topic.like else ""
    topic = " · ".join(filter(None, (settings.topic.name, words, examples))) or "none"
    came_to = (
        f"{count_of(progress.fetches, 'fetch', 'fetches')}, {count_of(progress.pages, 'page')}, "
        f"{progress.relevant:,} judged relevant, "
        f"harvest rate {percent(run.harvest_rate)}; {progress.stop_reason or 'not finished'}"
    )
    return [one_line(f"topic: {topic}; strategy: {settings.crawl.strategy}; world: {settings.crawl.world}"), came_to]


def page_table(pages: Sequence[CrawledPage | KeptPage], snippets: Sequence[Snippet | None] = ()) -> Any:  # noqa: ANN401 - a rich table, which is not loaded for --json
    """Pages for a terminal: URLs are folded, never cut."""
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("relevance", justify="right", no_wrap=True)
    table.add_column("title and URL", overflow="fold")
    table.add_column("step", justify="right", no_wrap=True)
    for rank, (page, snippet) in enumerate(zip_longest(pages, snippets), 1):
        told = [Text(one_line(page.title) or "(no title)", style="bold" if page.is_relevant else "")]
        told.append(Text(page.url.text, style="dim"))
        if snippet is not None:
            pieces = ((_plain(piece), "bold" if is_marked else "") for piece, is_marked in snippet.pieces())
            told.append(Text.assemble(*pieces))
        table.add_row(
            f"{rank}",
            f"{page.relevance:.3f}",
            Text("\n").join(told),
            f"{page.step:,}",
        )
    return table


def _plain(text: str) -> str:
    """A piece of a line: what a terminal would obey is left out, spaces at the ends stay."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _print_table(run: Run, pages: Sequence[KeptPage], snippets: Sequence[Snippet | None], *, is_cut: bool) -> None:
    from rich.console import Console  # noqa: PLC0415

    console = Console(highlight=False)
    for line in header(run):
        console.print(line, markup=False)
    console.print(page_table(pages, snippets) if pages else "no such pages")
    if is_cut and len(pages) < run.progress.pages:
        console.print(f"{len(pages):,} of {run.progress.pages:,} pages; --all shows the rest")


def _print_lines(run: Run, pages: Sequence[KeptPage], snippets: Sequence[Snippet | None]) -> None:
    for line in header(run):
        print(f"# {line}")
    has_snippets = any(snippet is not None for snippet in snippets)
    print("# rank\trelevance\tstep\turl\ttitle" + ("\tsnippet" if has_snippets else ""))
    for rank, (page, snippet) in enumerate(zip(pages, snippets, strict=True), 1):
        columns = [rank, f"{page.relevance:.4f}", page.step, page.url, one_line(page.title)]
        print(*columns, *([one_line(snippet.text) if snippet else ""] if has_snippets else []), sep="\t")


def _print_json(run: Run, pages: Sequence[KeptPage], snippets: Sequence[Snippet | None]) -> None:
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
            "snippet": None if snippet is None else snippet.text,
        }
        for rank, (page, snippet) in enumerate(zip(pages, snippets, strict=True), 1)
    ]
    print_json(document)
