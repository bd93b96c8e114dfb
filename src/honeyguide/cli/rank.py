"""`honeyguide rank`: the pages of a run, a file of edges or a world, by the links between them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag
from honeyguide.cli.summary import one_line
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from honeyguide.crawler import Ranking
    from honeyguide.runs import RankedPage

HELP: Final = (
    "Rank pages by the links between them.\n\n"
    "Of a run (while the crawl is going on, too), of a file of edges such as [bold]honeyguide export[/bold] writes, or "
    "of an offline world such as wiki:PATH.\n\n"
    "[bold]pagerank[/bold]: where a reader who follows links ends up. [bold]in[/bold], [bold]out[/bold]: links in and "
    "out. [bold]authorities[/bold] (or hits): linked to by good hubs. [bold]hubs[/bold]: linking to good "
    "authorities.\n\n"
    "On a terminal it prints a table; through a pipe, one page a line with its columns between tabs, and what is no "
    "page on lines that start with #.\n\n"
    "[bold]Examples[/bold]\n\n"
    "  honeyguide rank my-run --by pagerank --personal relevant\n\n"
    "  honeyguide rank graph.txt --by in --top 100 --overlap"
)
_HOW: Final = "How to rank"


def rank(
    source: Annotated[
        str, typer.Argument(metavar="RUN|EDGES|WORLD", help="A run folder, a file of edges, or a world.")
    ],
    by: Annotated[
        str,
        typer.Option(
            metavar="NAME", rich_help_panel=_HOW, help="pagerank, in, out, hits (the same as authorities) or hubs."
        ),
    ] = "pagerank",
    top: Annotated[int, typer.Option(metavar="K", min=1, help="How many pages to show.")] = 20,
    epsilon: Annotated[
        float,
        typer.Option(metavar="E", rich_help_panel=_HOW, help="Stop when the ranks change by at most this, in all."),
    ] = 1e-6,
    damping: Annotated[
        float, typer.Option(metavar="D", rich_help_panel=_HOW, help="Share of steps that follow a link, 0 to 1.")
    ] = 0.85,
    dangling: Annotated[
        str,
        typer.Option(
            metavar="RULE", rich_help_panel=_HOW,
            help="The rank of pages without links is spread like a restart (restart), stays (stay), or is lost (lost).",
        ),
    ] = "restart",
    personal: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL", show_default=False, rich_help_panel=_HOW,
            help="Restart at this page only, for PageRank about a topic; may be given several times. relevant: at the "
            "pages that the run judged relevant.",
        ),
    ] = None,
    page: Annotated[
        str | None,
        typer.Option(metavar="URL", show_default=False, help="Also where this page stands, and its links in and out."),
    ] = None,
    overlap: Annotated[
        bool,
        typer.Option(
            "--overlap", metavar="",
            help="Also what the first pages by this, by links in and by links out have in common (Jaccard).",
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:  # fmt: skip
    from honeyguide.crawler import rank as ranked_by  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load

    with _progress_bar() as progress:
        ranking = ranked_by(
            source,
            by,
            damping=damping,
            epsilon=epsilon,
            dangling=dangling,
            personal=personal or (),
            on_progress=progress,
        )
    document = _document(ranking, top, page, with_overlaps=overlap)
    if as_json:
        from honeyguide.cli.summary import print_json  # noqa: PLC0415

        print_json(document)
        return
    lines = list(_told(document))
    if sys.stdout.isatty():
        _print_table(lines, ranking.top(top), document)
    else:
        _print_lines(lines, ranking.top(top), document)


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, if that is a terminal; it shows while a world is walked through."""
    if not sys.stderr.isatty():
        yield lambda _asked, _known: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("pages of the world"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", visible=False)
        yield lambda asked, known: bars.update(task, completed=asked, total=known, visible=True)


def _document(ranking: Ranking, count: int, page: str | None, *, with_overlaps: bool) -> dict[str, Any]:
    graph = ranking.graph
    weak, strong = graph.weak_components(), graph.strong_components()
    document: dict[str, Any] = {
        "iterations": ranking.iterations,
        "pages": [each._asdict() for each in ranking.top(count)],
        "by": ranking.by,
        "has_converged": ranking.has_converged,
        "graph": {
            "vertices": graph.vertices,
            "edges": graph.edges,
            "weak_components": weak.count,
            "largest_weak_component": weak.largest,
            "strong_components": strong.count,
            "largest_strong_component": strong.largest,
            "without_links_out": len(graph.dangling),
            "duplicates_left_out": graph.duplicates,
            "self_loops_left_out": graph.self_loops,
        },
    }
    if page is not None:
        document["page"] = ranking.page(page)._asdict()
    if with_overlaps:
        document["overlaps"] = [each._asdict() for each in ranking.overlaps(count)]
    return document


def _told(document: dict[str, Any]) -> Iterator[str]:
    """Everything but the list."""
    graph = document["graph"]
    vertices = count_of(graph["vertices"], "vertex", "vertices")
    yield (
        f"{vertices}, {count_of(graph['edges'], 'edge')}; {count_of(graph['weak_components'], 'component')}, the "
        f"largest of {graph['largest_weak_component']:,}; strong {graph['strong_components']:,}, the largest of "
        f"{graph['largest_strong_component']:,}; {graph['without_links_out']:,} without links out"
    )
    left_out = graph["duplicates_left_out"], graph["self_loops_left_out"]
    if any(left_out):
        yield f"left out: {count_of(left_out[0], 'duplicate')}, {count_of(left_out[1], 'self-loop')}"
    if document["iterations"]:
        ended = "" if document["has_converged"] else ", not yet at --epsilon"
        yield f"{document['by']} after {count_of(document['iterations'], 'iteration')}{ended}"
    if "page" in document:
        page = document["page"]
        yield (
            f"{one_line(page['url'])}: {shown(page['value'])}, place {page['place']:,}; "
            f"{count_of(page['links_in'], 'link')} in, {page['links_out']:,} out"
        )
    for overlap in document.get("overlaps", ()):
        yield f"overlap of {overlap['one']} and {overlap['other']}: {overlap['jaccard']:.3f}"


def shown(value: float) -> str:
    """A count in full, a share with six digits that matter."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def _print_table(lines: Sequence[str], pages: Sequence[RankedPage], document: dict[str, Any]) -> None:
    from rich import box  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False)
    for line in lines:
        console.print(line, markup=False)
    if not pages:
        console.print("no pages yet")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column(document["by"], justify="right", no_wrap=True)
    table.add_column("URL", overflow="fold")
    for rank_, page in enumerate(pages, 1):
        table.add_row(f"{rank_}", shown(page.value), Text(one_line(page.url)))
    console.print(table)


def _print_lines(lines: Sequence[str], pages: Sequence[RankedPage], document: dict[str, Any]) -> None:
    for line in lines:
        print(f"# {line}")
    print(f"# rank\t{document['by']}\turl")
    for rank_, page in enumerate(pages, 1):
        print(rank_, shown(page.value), one_line(page.url), sep="\t")
