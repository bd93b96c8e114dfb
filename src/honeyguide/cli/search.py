"""`honeyguide search`: the pages of a run, or of several, that match a query."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from honeyguide.cli.options import Flag, JsonFlag, TrustFlag, parse_assignment, takes_flags
from honeyguide.cli.output import one_line, print_json, printable, progress_bar
from honeyguide.errors import QueryError
from honeyguide.model.counts import count_of
from honeyguide.runs.fields import field_line, text_of_field
from honeyguide.search import Searcher, check_question

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.search import Question, SearchHit, SearchResults, Snippet

_WHICH: Final = "Which pages"
_ORDER: Final = "In which order"
_LIFTED_BY: Final = {
    "search.hide_traps": "--show-traps",
    "search.min_quality": "--min-quality 0",
    "search.blocked_words": "--blocked-words ''",
}
_LONGEST_DATE: Final = 253_402_300_799  # seconds until the year 10000

FLAGS: Final = (
    Flag(
        "--hide-traps/--show-traps", "search.hide_traps", "", _WHICH,
        "Leave out pages that the guard took for a trap, relevant ones too.",
    ),
    Flag("--min-quality", "search.min_quality", "X", _WHICH),
    Flag("--blocked-words", "search.blocked_words", "FILE", _WHICH),
    Flag("--text-weight", "search.text_weight", "W", _ORDER),
    Flag("--rank-weight", "search.rank_weight", "W", _ORDER),
    Flag("--topic-weight", "search.topic_weight", "W", _ORDER),
    Flag("--meaning-weight", "search.meaning_weight", "W", _ORDER),
)  # fmt: skip


Hosts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST",
        show_default=False,
        rich_help_panel=_WHICH,
        help="Only of this host and of hosts below it; repeatable.",
    ),
]
Since: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        show_default=False,
        rich_help_panel=_WHICH,
        help="Only fetched since then: a day or a time, as in 2026-05-01T12:30 (UTC).",
    ),
]
Until: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        show_default=False,
        rich_help_panel=_WHICH,
        help="Only fetched until then, that moment included; a day counts to its end.",
    ),
]
RelevantFlag: TypeAlias = Annotated[
    bool, typer.Option("--relevant", metavar="", rich_help_panel=_WHICH, help="Only pages judged relevant.")
]
AllFlag: TypeAlias = Annotated[
    bool, typer.Option("--all", metavar="", rich_help_panel=_WHICH, help="Also pages with the same text as a hit.")
]
WhereFlag: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CONDITION",
        show_default=False,
        rich_help_panel=_WHICH,
        help="Only pages whose fields say so: 'price<100', 'author=Ann', 'author~ann'; repeatable.",
    ),
]
SearchSetting: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        show_default=False,
        help="Another setting of the search, as in --set search.title_boost=2; repeatable.",
    ),
]


@takes_flags(FLAGS)
def search(
    runs_and_query: Annotated[
        list[str],
        typer.Argument(metavar="RUN... QUERY", show_default=False, help="Run folders, and what to look for."),
    ],
    like: Annotated[
        str | None, typer.Option(metavar="URL", show_default=False, help="Pages like this one, instead of a query.")
    ] = None,
    semantic: Annotated[
        bool, typer.Option("--semantic", metavar="", help="Find pages by meaning, too, with word vectors.")
    ] = False,
    any_: Annotated[bool, typer.Option("--any", metavar="", help="One of the words is enough.")] = False,
    host: Hosts = None,
    since: Since = None,
    until: Until = None,
    relevant: RelevantFlag = False,
    show_all: AllFlag = False,
    where: WhereFlag = None,
    given: Mapping[str, Any] = {},
    page: Annotated[int, typer.Option(metavar="N", min=1, help="Which page of hits.")] = 1,
    top: Annotated[
        int, typer.Option("--top", "--per-page", metavar="N", min=1, max=1000, help="How many hits to show, on a page.")
    ] = 10,
    set_: SearchSetting = None,
    trust: TrustFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Search the pages of a run, or of several together.

    All words must be there; "two words" as they stand; OR, NOT and ( ); -word must not be there; title:, text: and
    host: look in one place. Works while the crawl is going on, too. Through a pipe it prints a page a line with columns
    between tabs, and everything else on lines that start with #.

    [bold]Examples[/bold]

      honeyguide search my-run 'basalt columns'

      honeyguide search my-run other-run '"plate tectonics" -title:list'

      honeyguide search my-run --like https://en.wikipedia.org/wiki/Basalt
    """
    runs, query = _runs_and_query(runs_and_query, like)
    question: Question = {
        "like": like or "", "hosts": host or (), "since": since, "until": until, "relevant_only": relevant,
        "semantic": semantic, "page": page, "per_page": top, "show_all": show_all, "where": where or (),
    }  # fmt: skip
    check_question(query, **question)  # before anything is opened or written
    overrides = dict(map(parse_assignment, set_ or [])) | dict(given)
    if any_:
        overrides["search.match"] = "any"
    with progress_bar("indexing") as on_progress, Searcher(runs, overrides, on_progress, trust=trust) as searcher:
        found = searcher.search(query, **question)
    if as_json:
        print_json(_document(found))
    elif sys.stdout.isatty():
        _print_hits(found)
    else:
        _print_lines(found)


def _runs_and_query(arguments: list[str], like: str | None) -> tuple[list[str | Path], str]:
    """Part the runs from the query that stands after them, unless a page to compare with is given."""
    if like is not None:
        return list(arguments), ""
    if len(arguments) < 2:
        raise QueryError(
            f"{arguments[0]!r} alone is not enough: give a run and a query, as in: honeyguide search my-run 'basalt'"
        )
    return list(arguments[:-1]), arguments[-1]


def _document(results: SearchResults) -> dict[str, Any]:
    """Return the results for programs. A snippet is plain text; `highlights` are places in it, by character."""
    return {
        "query": results.query,
        "total": results.total,
        "page": results.page,
        "per_page": results.per_page,
        "pages_searched": results.pages_searched,
        "hidden": results.hidden,
        "hidden_by": dict(results.hidden_by),
        "suggestion": results.suggestion,
        "hits": [_entry(hit) for hit in results.hits],
    }


def _entry(hit: SearchHit) -> dict[str, Any]:
    fetched = datetime.fromtimestamp(hit.fetched_at, UTC) if 0 <= hit.fetched_at <= _LONGEST_DATE else None
    return {
        "url": hit.url,
        "title": hit.title,
        "score": hit.score,
        "snippet": hit.snippet.text,
        "highlights": [list(place) for place in hit.snippet.highlights],
        "run": str(hit.run),
        "step": hit.step,
        "fetched_at": None if fetched is None else fetched.isoformat(),  # simulated clocks begin in 1970
        "relevance": round(hit.relevance, 6),
        "is_relevant": hit.is_relevant,
        "parts": {
            "text": hit.parts.text,
            "rank": hit.parts.rank,
            "topic": hit.parts.topic,
            "meaning": hit.parts.meaning,
        },
        "duplicates": list(hit.duplicates),
        "fields": dict(hit.fields),
    }


def _summary_line(results: SearchResults) -> str:
    """Say how many were found, and which of them are shown."""
    if not results.pages_searched:
        return "no pages yet"
    found = f"{count_of(results.total, 'page')} of {results.pages_searched:,}"
    first = (results.page - 1) * results.per_page + 1
    if results.hits and (results.page > 1 or len(results.hits) < results.total):
        found += f", hits {first:,} to {first + len(results.hits) - 1:,}"
    if not results.hidden:
        return found
    causes = (
        f"{pages:,} by {setting}, {_LIFTED_BY[setting]} brings them back"
        for setting, pages in results.hidden_by.items()
        if pages
    )
    return f"{found}; {results.hidden:,} more left out: {'; '.join(causes)}"


def snippet_text(snippet: Snippet) -> Text:
    """Return a snippet for a terminal, with the words of the query in bold."""
    pieces = ((printable(part), "bold" if is_found else "") for part, is_found in snippet.pieces())
    return Text.assemble(*pieces)


def _print_hits(results: SearchResults) -> None:
    console = Console(highlight=False)
    console.print(_summary_line(results), markup=False)
    if results.suggestion:
        console.print(Text.assemble("did you mean ", (one_line(results.suggestion), "bold"), "?"))
    for rank, hit in enumerate(results.hits, (results.page - 1) * results.per_page + 1):
        console.print()
        title = Text(one_line(hit.title) or "(no title)", style="bold" if hit.is_relevant else "")
        console.print(Text(f"{rank:>3}  {hit.score:.3f}  ") + title)
        console.print(Padding(Text(hit.url, style="dim", overflow="fold"), (0, 0, 0, 5)))
        if hit.fields:
            console.print(Padding(Text(one_line(field_line(hit.fields)), style="cyan"), (0, 0, 0, 5)))
        console.print(Padding(snippet_text(hit.snippet), (0, 0, 0, 5)))
        if hit.duplicates:
            same = f"and {count_of(len(hit.duplicates), 'page')} with the same text; --all shows them"
            console.print(Padding(Text(same, style="dim"), (0, 0, 0, 5)))


def _print_lines(results: SearchResults) -> None:
    print(f"# {_summary_line(results)}")
    if results.suggestion:
        print(f"# did you mean {one_line(results.suggestion)}?")
    names = list(dict.fromkeys(name for hit in results.hits for name in hit.fields))
    print("# rank", "score", "relevance", "url", "title", *names, "snippet", sep="\t")
    for rank, hit in enumerate(results.hits, (results.page - 1) * results.per_page + 1):
        columns = (rank, f"{hit.score:.4f}", f"{hit.relevance:.4f}", hit.url)
        own = [one_line(text_of_field(hit.fields.get(name))) for name in names]
        print(*columns, one_line(hit.title), *own, one_line(hit.snippet.text), sep="\t")
