"""The report of a run, with what judge and strategy can tell: why pages were judged so, and what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.crawler.explaining import RunExplainer
from honeyguide.crawler.what_pays import what_pays
from honeyguide.errors import HoneyguideError
from honeyguide.runs.report import Insights, check_top, write_html
from honeyguide.runs.report import report_html as render_report
from honeyguide.runs.run import opened_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from honeyguide.crawler.what_pays import AnswersBySign, WhatPays
    from honeyguide.model import Evidence, Url
    from honeyguide.runs import Run

TOP: Final = 50
EFFECTS_SHOWN: Final = 12
FAILING_SHOWN: Final = 8
SIGN_WORDS: Final = {
    "host": "host {}",
    "section": "addresses under {}",
    "shape": "addresses of the form {}",
    "word": "addresses that end in “{}”",
}
"""Links with something in common, in words, by kind."""


def write_report(
    run: Run | Path | str,
    file: Path | str | None = None,
    *,
    top: int = TOP,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> Path:
    """Write the report of a run and return its path: `report.html` in the run folder unless `file` is given.

    The file is replaced when the new one is complete. `top` is how many pages it shows, from 1 to 200; SettingsError
    for any other number. `on_progress` hears now and then how many fetches are counted, and of how many.
    """
    check_top(top)
    with opened_run(run) as source:
        return write_html(lambda: report_html(source, top=top, on_progress=on_progress), source, file)


def report_html(run: Run, *, top: int = TOP, on_progress: Callable[[int, int], None] = lambda *_: None) -> str:
    """Return the report of an open run as HTML. Of a run of someone else, what its files would tell is left out."""
    check_top(top)
    on_progress(0, run.progress.steps)  # at once: what was learned takes a while to read
    return render_report(run, top=top, insights=_insights(run), on_progress=on_progress)


def _insights(run: Run) -> Insights:
    explainer = RunExplainer(run.path)

    def evidence(url: Url) -> Evidence | None:
        try:
            return explainer.explain(url).evidence
        except HoneyguideError:
            return None

    try:
        learned = what_pays(run.path) if run.has_begun else None
    except HoneyguideError:  # a strategy that learns nothing, or files that cannot be had here
        learned = None
    if learned is None:
        return Insights(evidence)
    return Insights(evidence, tuple(_effects(learned)), tuple(map(failing_words, learned.failing[:FAILING_SHOWN])))


def _effects(learned: WhatPays) -> list[tuple[str, float | None, float]]:
    return [(each.words, each.weight, each.effect) for each in learned.columns[:EFFECTS_SHOWN]]


def failing_words(found: AnswersBySign) -> str:
    """Say which links have something in common, and how many of them brought a page."""
    return f"{SIGN_WORDS[found.kind].format(found.sign)}: {found.pages:g} of {found.asked:,.0f} brought a page"
