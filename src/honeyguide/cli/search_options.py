"""The options of `honeyguide search`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from honeyguide.cli.options import setting_option

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
