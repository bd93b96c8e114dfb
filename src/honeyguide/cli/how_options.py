"""Flags of `honeyguide crawl` that say how to look: what is spent, who chooses, who judges, what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from honeyguide.cli.options import setting_option
from honeyguide.settings import JUDGES

PANEL: Final = "How to look"

GuardFlag: TypeAlias = Annotated[
    bool | None,
    setting_option(
        "guard.on",
        "--guard/--no-guard",
        metavar="",
        panel=PANEL,
        help_text="Look out for loops, traps and near-duplicates: their links wait behind others. What it found: "
        "honeyguide traps.",
    ),
]
RenderFlag: TypeAlias = Annotated[
    bool | None,
    setting_option(
        "render.enabled",
        "--render",
        metavar="",
        panel=PANEL,
        help_text="Run pages that are empty without their scripts in headless Chromium (extra: browser).",
    ),
]
Contact: TypeAlias = Annotated[
    str | None,
    setting_option(
        "fetch.contact",
        "--contact",
        metavar="MAIL|URL",
        panel=PANEL,
        help_text="Where a site's owner can reach you; sent with every request to the live web.",
    ),
]
Budget: TypeAlias = Annotated[str | None, setting_option("budget.fetches", "--budget", metavar="FETCHES", panel=PANEL)]
StrategyName: TypeAlias = Annotated[
    str | None,
    setting_option(
        "crawl.strategy",
        "--strategy",
        metavar="NAME",
        panel=PANEL,
        help_text="How links are chosen; see above.",
    ),
]
JudgeName: TypeAlias = Annotated[
    str | None,
    setting_option(
        "judge.kind",
        "--judge",
        metavar="NAME",
        panel=PANEL,
        help_text=f"How relevance is measured: {', '.join(JUDGES)}. Tune it with --set judge.KEY=VALUE.",
    ),
]
VectorsFile: TypeAlias = Annotated[
    str | None,
    setting_option(
        "vectors.source",
        "--vectors",
        metavar="FILE",
        panel=PANEL,
        help_text="Word vectors: a GloVe, word2vec or fastText .vec file, plain or compressed.",
    ),
]
ArchiveKind: TypeAlias = Annotated[
    str | None,
    setting_option(
        "store.archive",
        "--archive",
        metavar="KIND",
        panel=PANEL,
        help_text="Where pages are kept: store, in the database; warc, as WARC files in RUN/archive, with headers, "
        "redirects and errors; none.",
    ),
]
Device: TypeAlias = Annotated[
    str | None,
    setting_option(
        "dqn.device",
        "--device",
        metavar="NAME",
        panel=PANEL,
        help_text="Where dqn trains its network: cpu or cuda.",
    ),
]
Concurrency: TypeAlias = Annotated[
    str | None, setting_option("crawl.concurrency", "--concurrency", metavar="N", panel=PANEL)
]
Seed: TypeAlias = Annotated[str | None, setting_option("crawl.seed", "--seed", metavar="N", panel=PANEL)]
ConfigFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        show_default=False,
        rich_help_panel=PANEL,
        help="A TOML file of settings; flags go over it.",
    ),
]
OtherSettings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        show_default=False,
        rich_help_panel=PANEL,
        help="Any other setting, as in --set politeness.delay_s=2; may be given several times.",
    ),
]
