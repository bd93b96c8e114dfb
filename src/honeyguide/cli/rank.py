"""`honeyguide rank`: the pages of a run, a file of edges or a world, by the links between them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer
from rich.console import Console
from rich.text import Text

from honeyguide import crawler
from honeyguide.cli.options import JsonFlag
from honeyguide.cli.output import one_line, plain_table, print_json, progress_bar
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.runs import RankedPage
    from honeyguide.runs.ranking import Ranking

_HOW: Final = "How to rank"


By: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="NAME", rich_help_panel=_HOW, help="pagerank, in, out, hits (the same as authorities) or hubs."
    ),
]
Epsilon: TypeAlias = Annotated[
    float,
    typer.Option(metavar="E", rich_help_panel=_HOW, help="Stop when the ranks change by at most this, in all."),
]
Damping: TypeAlias = Annotated[
    float, typer.Option(metavar="D", rich_help_panel=_HOW, help="Share of steps that follow a link, 0 to 1.")
]
Dangling: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        rich_help_panel=_HOW,
        help="The rank of pages without links is spread like a restart (restart), stays (stay), or is lost (lost).",
    ),
]
Personal: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="URL",
        show_default=False,
        rich_help_panel=_HOW,
        help="Restart at this page only, for PageRank about a topic; may be given several times. relevant: at the "
        "pages that the run judged relevant.",
    ),
]


def rank(
    source: Annotated[
        str, typer.Argument(metavar="RUN|EDGES|WORLD", help="A run folder, a file of edges, or a world.")
    ],
    by: By = "pagerank",
    top: Annotated[int, typer.Option(metavar="K", min=1, help="How many pages to show.")] = 20,
    epsilon: Epsilon = 1e-6,
    damping: Damping = 0.85,
    dangling: Dangling = "restart",
    personal: Personal = None,
    page: Annotated[
        str | None,
        typer.Option(metavar="URL", show_default=False, help="Also where this page stands, and its links in and out."),
    ] = None,
    overlap: Annotated[
        bool,
        typer.Option(
            "--overlap",
            metavar="",
            help="Also what the first pages by this, by links in and by links out have in common (Jaccard).",
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Rank pages by the links between them.

    Of a run (while the crawl is going on, too), of a file of edges such as [bold]honeyguide export[/bold] writes, or of
    an offline world such as wiki:PATH.

    [bold]pagerank[/bold]: where a reader who follows links ends up. [bold]in[/bold], [bold]out[/bold]: links in and
    out. [bold]authorities[/bold] (or hits): linked to by good hubs. [bold]hubs[/bold]: linking to good authorities.

    Through a pipe it prints a page a line with columns between tabs, and everything else on lines that start with #.

    [bold]Examples[/bold]

      honeyguide rank my-run --by pagerank --personal relevant

      honeyguide rank graph.txt --by in --top 100 --overlap
    """
    with progress_bar("pages of the world") as progress:
        ranking = crawler.rank(
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
        print_json(document)
        return
    lines = list(_header(document))
    if sys.stdout.isatty():
        _print_table(lines, ranking.top(top), document)
    else:
        _print_lines(lines, ranking.top(top), document)


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


def _header(document: dict[str, Any]) -> Iterator[str]:
    """Describe the graph, the ranking, the page asked about and the overlaps."""
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
            f"{one_line(page['url'])}: {_shown(page['value'])}, place {page['place']:,}; "
            f"{count_of(page['links_in'], 'link')} in, {page['links_out']:,} out"
        )
    for overlap in document.get("overlaps", ()):
        yield f"overlap of {overlap['one']} and {overlap['other']}: {overlap['jaccard']:.3f}"


def _shown(value: float) -> str:
    """Return a count in full, a share with six significant digits."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def _print_table(lines: Sequence[str], pages: Sequence[RankedPage], document: dict[str, Any]) -> None:
    console = Console(highlight=False)
    for line in lines:
        console.print(line, markup=False)
    if not pages:
        console.print("no pages yet")
        return
    table = plain_table("rank", document["by"], wide="URL")
    for rank_, page in enumerate(pages, 1):
        table.add_row(f"{rank_}", _shown(page.value), Text(one_line(page.url)))
    console.print(table)


def _print_lines(lines: Sequence[str], pages: Sequence[RankedPage], document: dict[str, Any]) -> None:
    for line in lines:
        print(f"# {line}")
    print(f"# rank\t{document['by']}\turl")
    for rank_, page in enumerate(pages, 1):
        print(rank_, _shown(page.value), one_line(page.url), sep="\t")
