"""Flags that several commands share, and flags that stand for a setting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

from honeyguide.settings import SETTINGS_BY_KEY

OUTPUT_PANEL: Final = "Output"

RunArgument: TypeAlias = Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.", show_default=False)]
JsonFlag: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--json",
        metavar="",
        help="Print one JSON document on stdout and nothing else there.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
Verbosity: TypeAlias = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        metavar="",
        show_default=False,
        help="Tell the story of the crawl on stderr; -vv follows every URL.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]
LogFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Append the story to this file as well; with -vv every URL.",
        show_default=False,
        rich_help_panel=OUTPUT_PANEL,
    ),
]

AnySetting: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        show_default=False,
        help="Any other setting, as in --set fetch.timeout_s=5; may be given several times.",
    ),
]


def setting_option(key: str, *names: str, metavar: str, panel: str, help_text: str = "") -> Any:  # noqa: ANN401
    """A flag for one setting. Its default is None, so that a flag nobody gave leaves the config file standing."""
    setting = SETTINGS_BY_KEY[key]
    meaning = help_text or f"{setting.meaning[0].upper()}{setting.meaning[1:]}."
    default = f" [dim]\\[default: {setting.default}][/dim]" if setting.default not in ("", ()) else ""
    return typer.Option(*names, metavar=metavar, help=meaning + default, show_default=False, rich_help_panel=panel)


Vectors: TypeAlias = Annotated[
    str | None,
    setting_option(
        "vectors.source",
        "--vectors",
        metavar="FILE",
        panel="Options",
        help_text="Word vectors: wordllama, or a GloVe, word2vec or fastText .vec file.",
    ),
]
