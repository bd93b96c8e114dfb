"""The options of `honeyguide search`.

`honeyguide search`: the pages of a run, or of several, that match a query.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide.cli.options import JsonFlag, setting_option
from honeyguide.cli.summary import one_line
from honeyguide.errors import QueryError
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from honeyguide.search import Hit, Question, SearchResults, Snippet

_WHICH: Final = "Which pages"
_ORDER: Final = "In which order"

RunsAndQuery = Annotated[
    list[str],
    typer.Argument(metavar="RUN... QUERY", show_default=False, help="Run folders, and what to look for."),
]
Like = Annotated[
    str | None,
    typer.Option(metavar="URL", show_default=False, help="Pages like this one, instead of a query."),
]
Semantic = Annotated[
    bool, typer.Option("--semantic", metavar="", help="Find pages by what they mean, too, with word vectors.")
]
AnyWord = Annotated[bool, typer.Option("--any", metavar="", help="One of the words is enough (search.match = any).")]
Hosts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST",
        show_default=False,
        rich_help_panel=_WHICH,
        help="Only of this host, and of hosts below it; may be given several times.",
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        show_default=False,
        rich_help_panel=_WHICH,
        help="Only fetched since then: a day or a time, as in 2026-05-01T12:30 (UTC).",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        show_default=False,
        rich_help_panel=_WHICH,
        help="Only fetched until then, that moment included; a day counts to its end.",
    ),
]
RelevantOnly = Annotated[
    bool, typer.Option("--relevant", metavar="", rich_help_panel=_WHICH, help="Only pages judged relevant.")
]
ShowAll = Annotated[
    bool,
    typer.Option("--all", metavar="", rich_help_panel=_WHICH, help="Also pages with the same text as a hit."),
]
HideTraps = Annotated[
    bool | None,
    setting_option(
        "search.hide_traps",
        "--hide-traps/--show-traps",
        metavar="",
        panel=_WHICH,
        help_text="Leave out pages that the guard took for a trap, relevant ones too.",
    ),
]
MinQuality = Annotated[float | None, setting_option("search.min_quality", "--min-quality", metavar="X", panel=_WHICH)]
BlockedWords = Annotated[
    str | None, setting_option("search.blocked_words", "--blocked-words", metavar="FILE", panel=_WHICH)
]
TextWeight = Annotated[float | None, setting_option("search.text_weight", "--text-weight", metavar="W", panel=_ORDER)]
RankWeight = Annotated[float | None, setting_option("search.rank_weight", "--rank-weight", metavar="W", panel=_ORDER)]
TopicWeight = Annotated[
    float | None, setting_option("search.topic_weight", "--topic-weight", metavar="W", panel=_ORDER)
]
MeaningWeight = Annotated[
    float | None, setting_option("search.meaning_weight", "--meaning-weight", metavar="W", panel=_ORDER)
]
PageNumber = Annotated[int, typer.Option(metavar="N", min=1, help="Which page of hits.")]
PerPage = Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Hits on a page.")]
SearchSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SEARCH.KEY=VALUE",
        show_default=False,
        help="Another setting of the search, as in --set search.title_boost=2; may be given several times.",
    ),
]

HELP: Final = (
    "Search the pages of a run, or of several together.\n\n"
    'All words must be there; "two words" as they stand; OR, NOT and ( ); -word must not be there; title:, text: and '
    "host: look in one place. Works while the crawl is going on, too. On a terminal it prints what a person reads; "
    "through a pipe, one page a line with its columns between tabs, and what is no page on lines that start with #.\n\n"
    "[bold]Examples[/bold]\n\n"
    "  honeyguide search my-run 'basalt columns'\n\n"
    "  honeyguide search my-run other-run '\"plate tectonics\" -title:list host:en.wikipedia.org'\n\n"
    "  honeyguide search my-run --like https://en.wikipedia.org/wiki/Basalt"
)
AFTER_DASHES: Final = "a query that begins with - stands behind --, as in: honeyguide search my-run -- '-rock basalt'"
_LIFTED_BY: Final = {
    "search.hide_traps": "--show-traps",
    "search.min_quality": "--min-quality 0",
    "search.blocked_words": "--blocked-words ''",
}
_LONGEST_DATE: Final = 253_402_300_799  # seconds until the year 10000


def search(
    runs_and_query: RunsAndQuery,
    like: Like = None,
    semantic: Semantic = False,
    any_: AnyWord = False,
    host: Hosts = None,
    since: Since = None,
    until: Until = None,
    relevant: RelevantOnly = False,
    show_all: ShowAll = False,
    hide_traps: HideTraps = None,
    min_quality: MinQuality = None,
    blocked_words: BlockedWords = None,
    text_weight: TextWeight = None,
    rank_weight: RankWeight = None,
    topic_weight: TopicWeight = None,
    meaning_weight: MeaningWeight = None,
    page: PageNumber = 1,
    per_page: PerPage = 10,
    set_: SearchSettings = None,
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.cli.options import parse_assignment  # noqa: PLC0415
    from honeyguide.search import Searcher, check_question  # noqa: PLC0415 - tantivy, numpy and SQLite take a while to load

    runs, query = _parted(runs_and_query, like)
    question: Question = {
        "like": like or "", "hosts": host or (), "since": since, "until": until, "relevant_only": relevant,
        "semantic": semantic, "page": page, "per_page": per_page, "show_all": show_all,
    }  # fmt: skip
    check_question(query, **question)  # before anything is opened or written
    flags = {
        "search.match": "any" if any_ else None,
        "search.hide_traps": hide_traps,
        "search.min_quality": min_quality,
        "search.blocked_words": blocked_words,
        "search.text_weight": text_weight,
        "search.rank_weight": rank_weight,
        "search.topic_weight": topic_weight,
        "search.meaning_weight": meaning_weight,
    }
    overrides = dict(map(parse_assignment, set_ or []))
    overrides |= {key: value for key, value in flags.items() if value is not None}
    with _progress_bar() as on_progress, Searcher(runs, overrides, on_progress) as open_:
        results = open_.search(query, **question)
    if as_json:
        from honeyguide.cli.summary import print_json  # noqa: PLC0415

        print_json(document_of(results))
    elif sys.stdout.isatty():
        _print_hits(results)
    else:
        _print_lines(results)


def document_of(results: SearchResults) -> dict[str, Any]:
    """The results for programs. A snippet is plain text; `highlights` are places in it, counted in characters."""
    return {
        "query": results.query,
        "total": results.total,
        "is_total_exact": results.is_total_exact,
        "page": results.page,
        "per_page": results.per_page,
        "pages_searched": results.pages_searched,
        "hidden": results.hidden,
        "hidden_by": dict(results.hidden_by),
        "suggestion": results.suggestion,
        "hits": [_entry(hit) for hit in results.hits],
    }


def _entry(hit: Hit) -> dict[str, Any]:
    return {
        "url": hit.url,
        "title": hit.title,
        "score": hit.score,
        "snippet": hit.snippet.text,
        "highlights": [list(place) for place in hit.snippet.highlights],
        "run": str(hit.run),
        "step": hit.step,
        "fetched_at": _iso(hit.fetched_at),
        "relevance": round(hit.relevance, 6),
        "is_relevant": hit.is_relevant,
        "parts": {
            "text": hit.parts.text,
            "rank": hit.parts.rank,
            "topic": hit.parts.topic,
            "meaning": hit.parts.meaning,
        },
        "duplicates": list(hit.duplicates),
    }


def _parted(arguments: list[str], like: str | None) -> tuple[list[str | Path], str]:
    """The runs, and the query that stands after them unless a page to compare with is given."""
    if like is not None:
        return list(arguments), ""
    if len(arguments) < 2:
        raise QueryError(
            f"{arguments[0]!r} alone is not enough: give a run and a query, as in: honeyguide search my-run 'basalt'"
        )
    return list(arguments[:-1]), arguments[-1]


def _iso(moment: float) -> str | None:
    """A time of the crawl's clock; simulated clocks begin in 1970."""
    return datetime.fromtimestamp(moment, UTC).isoformat() if 0 <= moment <= _LONGEST_DATE else None


def summary_line(results: SearchResults) -> str:
    """How many were found, and which of them are shown."""
    if not results.pages_searched:
        return "no pages yet"
    at_most = "" if results.is_total_exact else "at most "
    found = f"{at_most}{count_of(results.total, 'page')} of {results.pages_searched:,}"
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


def snippet_text(snippet: Snippet) -> Any:  # noqa: ANN401 - rich's text, which is not loaded for --json
    """A snippet for a terminal, what was asked for in bold; nothing in it that a terminal would obey."""
    from rich.text import Text  # noqa: PLC0415

    text = Text()
    for part, is_found in snippet.parts():
        printable = "".join(letter if letter.isprintable() else " " for letter in part)
        text.append(printable, style="bold" if is_found else "")
    return text


def _print_hits(results: SearchResults) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.padding import Padding  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False)
    console.print(summary_line(results), markup=False)
    if results.suggestion:
        console.print(Text.assemble("did you mean ", (one_line(results.suggestion), "bold"), "?"))
    for rank, hit in enumerate(results.hits, (results.page - 1) * results.per_page + 1):
        console.print()
        title = Text(one_line(hit.title) or "(no title)", style="bold" if hit.is_relevant else "")
        console.print(Text(f"{rank:>3}  {hit.score:.3f}  ") + title)
        console.print(Padding(Text(hit.url, style="dim", overflow="fold"), (0, 0, 0, 5)))
        console.print(Padding(snippet_text(hit.snippet), (0, 0, 0, 5)))
        if hit.duplicates:
            same = f"and {count_of(len(hit.duplicates), 'page')} with the same text; --all shows them"
            console.print(Padding(Text(same, style="dim"), (0, 0, 0, 5)))


def _print_lines(results: SearchResults) -> None:
    print(f"# {summary_line(results)}")
    if results.suggestion:
        print(f"# did you mean {one_line(results.suggestion)}?")
    print("# rank\tscore\trelevance\turl\ttitle\tsnippet")
    for rank, hit in enumerate(results.hits, (results.page - 1) * results.per_page + 1):
        columns = (rank, f"{hit.score:.4f}", f"{hit.relevance:.4f}", hit.url)
        print(*columns, one_line(hit.title), one_line(hit.snippet.text), sep="\t")


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr while pages are indexed, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _all: None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("indexing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", visible=False)
        yield lambda done, all_: bars.update(task, completed=done, total=all_, visible=True)
