"""`honeyguide results`: the most relevant pages of a run."""

from __future__ import annotations

import sys
from itertools import islice, takewhile, zip_longest
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.text import Text

from honeyguide.cli.options import JsonFlag, RunArgument
from honeyguide.cli.output import one_line, percent, plain_table, print_json_lists, printable
from honeyguide.cli.run_document import summary
from honeyguide.model.counts import count_of
from honeyguide.runs import PageSnippets, open_run
from honeyguide.runs.fields import field_line, text_of_field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.table import Table

    from honeyguide.model import FieldValue
    from honeyguide.runs import CrawledPage, Run, Snippet

    Fields = Mapping[str, FieldValue]
    Shown = tuple[CrawledPage, Snippet | None, Fields]

_ROWS_AT_ONCE: Final = 500  # a table of more is printed in pieces, so that a large run takes no more memory


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
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION", show_default=False,
            help="Only pages whose fields say so: 'price<100', 'author=Ann', 'author~ann'; repeatable.",
        ),
    ] = None,
    snippets: Annotated[
        bool | None,
        typer.Option(
            "--snippets/--no-snippets", show_default=False,
            help="Show the part of each page about the topic. \\[default: yes, but not for --all or a pipe]",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    """Show the most relevant pages of a run.

    Works while the crawl is going on, too. On a terminal it prints a table; through a pipe, a page a line with columns
    between tabs, and everything else on lines that start with #. A snippet is the part of a page with the most words
    of the topic.

    [bold]Example[/bold]

      honeyguide results my-run --all | grep -v '^#' | cut -f 4
    """
    is_table = sys.stdout.isatty() and not as_json
    if snippets is None:
        snippets = not all_ and (is_table or as_json)
    with open_run(run) as opened, opened.at_one_moment():
        kept = opened.crawled_pages(relevant_only=relevant)
        best = kept.all(best_first=True, limit=-1 if all_ or where else top)
        if where:
            steps = set(opened.steps_where(*where))
            best = islice((page for page in best if page.step in steps), None if all_ else top)
        cut = PageSnippets(opened, opened.crawled_pages()) if snippets else None
        shown = (
            (page, None if cut is None else cut.of(page), kept.fields(page))
            for page in takewhile(lambda page: page.relevance >= min_relevance, best)
        )
        if as_json:
            _print_json(opened, shown)
        elif is_table:
            _print_table(opened, shown, most=None if all_ else top)
        else:
            _print_lines(opened, shown, has_snippets=snippets)


def _header(run: Run) -> list[str]:
    """Return two lines: what the run was for, and what it found."""
    settings, progress = run.settings, run.progress
    words = ", ".join(settings.topic.keywords)
    examples = count_of(len(settings.topic.like), "example") if settings.topic.like else ""
    topic = " · ".join(filter(None, (settings.topic.name, words, examples))) or "none"
    found = (
        f"{count_of(progress.fetches, 'fetch', 'fetches')}, {count_of(progress.pages, 'page')}, "
        f"{progress.relevant:,} judged relevant, "
        f"harvest rate {percent(run.harvest_rate)}; {progress.stop_reason or 'not finished'}"
    )
    return [one_line(f"topic: {topic}; strategy: {settings.crawl.strategy}; world: {settings.crawl.world}"), found]


def page_table(
    pages: Sequence[CrawledPage],
    snippets: Sequence[Snippet | None] = (),
    fields: Sequence[Fields] = (),
    first_rank: int = 1,
) -> Table:
    """Return a table of pages for a terminal: URLs are folded, never cut."""
    table = plain_table("rank", "relevance", wide="title and URL")
    table.add_column("step", justify="right", no_wrap=True)
    for rank, (page, snippet, own) in enumerate(zip_longest(pages, snippets, fields), first_rank):
        lines = [Text(one_line(page.title) or "(no title)", style="bold" if page.is_relevant else "")]
        lines.append(Text(page.url.text, style="dim"))
        if own:
            lines.append(Text(one_line(field_line(own)), style="cyan"))
        if snippet is not None:
            pieces = ((printable(piece), "bold" if is_marked else "") for piece, is_marked in snippet.pieces())
            lines.append(Text.assemble(*pieces))
        table.add_row(f"{rank}", f"{page.relevance:.3f}", Text("\n").join(lines), f"{page.step:,}")
    return table


def _print_table(run: Run, shown: Iterator[Shown], *, most: int | None) -> None:
    console = Console(highlight=False)
    for line in _header(run):
        console.print(line, markup=False)
    count = 0
    while rows := list(islice(shown, _ROWS_AT_ONCE)):
        pages, snippets, fields = zip(*rows, strict=True)
        console.print(page_table(pages, snippets, fields, count + 1))
        count += len(rows)
    if not count:
        console.print("no such pages")
    if count == most and count < run.progress.pages:
        console.print(f"{count:,} of {run.progress.pages:,} pages; --all shows the rest")


def _print_lines(run: Run, shown: Iterable[Shown], *, has_snippets: bool) -> None:
    for line in _header(run):
        print(f"# {line}")
    names = list(run.field_kinds())
    last = ["snippet"] if has_snippets else []
    print("# rank", "relevance", "step", "url", "title", *names, *last, sep="\t", flush=True)
    for rank, (page, snippet, own) in enumerate(shown, 1):
        columns = [rank, f"{page.relevance:.4f}", page.step, page.url, one_line(page.title)]
        columns += [one_line(text_of_field(own.get(name))) for name in names]
        print(*columns, *([one_line(snippet.text) if snippet else ""] if has_snippets else []), sep="\t")


def _print_json(run: Run, shown: Iterable[Shown]) -> None:
    entries = (
        {
            "rank": rank,
            "relevance": round(page.relevance, 6),
            "is_relevant": page.is_relevant,
            "crawl_relevance": round(page.crawl_relevance, 6),
            "was_relevant": page.was_relevant,
            "url": page.url.text,
            "title": page.title,
            "step": page.step,
            "depth": page.depth,
            "words": page.words,
            "media_type": page.media_type,
            "cut_by": list(page.cut_by),
            "fields": own,
            "snippet": None if snippet is None else snippet.text,
        }
        for rank, (page, snippet, own) in enumerate(shown, 1)
    )
    print_json_lists(summary(run), {"results": entries})
