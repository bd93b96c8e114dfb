"""Why a page of a run was fetched, and why it was judged so, from what the run has stored: nothing is fetched.

What spoke for a link is told by the weights that the strategy saved last, which may be newer than those it was chosen
by. Evidence is that of the run's judge, taught by the answers that it has by now.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.answering import ONLY_TO_CRAWL, AnswersOfRun, NearAnswer
from honeyguide.crawler.build import Builder
from honeyguide.crawler.journal import split_snapshot
from honeyguide.crawler.preparing import Unjudged, judge_safely
from honeyguide.errors import HoneyguideError, PageError
from honeyguide.model import Evidence, Fetched, ParentFacts, Url
from honeyguide.runs import LinkHistory, RunFolder, open_run, settings_to_build

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.learn import Strategy
    from honeyguide.model import Page
    from honeyguide.runs import Run
    from honeyguide.runs.history import KeptOfLink
    from honeyguide.text import WordVectors

NEAREST_ANSWERS: Final = 5
MEANINGS: Final = "meaning "
"""Begins the names of columns that say something only together."""
COLUMN_WORDS: Final = {
    "always one": "any link at all",
    "cosine of the anchor": "its anchor is near the topic",
    "cosine of the words around": "the words around it are near the topic",
    "cosine of the address": "its address is near the topic",
    "relevance of the page": "it stands on a relevant page",
    "relevance of the page times cosine of the anchor": "its anchor is near the topic, on a relevant page",
    "nearness of a relevant page": "a relevant page is few clicks behind",
    "same host": "it stays on its host",
    "in the main text": "it stands in the main text",
    "has an anchor": "it has an anchor",
    "nearness of a seed": "a seed is few clicks behind",
    "is a seed": "it is a seed",
    "rank of the page": "it stands on a page that many link to",
}


def in_words(column: str) -> str:
    """Say what a column of a link's row tells, for people."""
    return COLUMN_WORDS.get(column, column)


@dataclass(frozen=True, slots=True)
class LinkReason:
    """What one thing about a link adds to its predicted value, or takes from it."""

    words: str
    value: float | None  # of the link, mostly from 0 to 1; None for several things together
    contribution: float


@dataclass(frozen=True, slots=True)
class LinkReasons:
    """What spoke for a link and against it, the loudest first; together the value that the strategy predicts."""

    strategy: str
    learned_until: int  # the step after which the weights were saved
    predicted: float
    reasons: tuple[LinkReason, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a URL of a run was fetched, and why its page was judged so."""

    history: LinkHistory
    link: LinkReasons | None  # None where the strategy adds up no weights
    evidence: Evidence | None  # None where there is no page, or no body of it
    answers: tuple[NearAnswer, ...]  # about the nearest pages, the nearest first
    missing: tuple[str, ...]  # what cannot be told, and why


def explain(run: Path | str, url: Url | str, *, vectors: WordVectors | None = None, trust: bool = False) -> Explanation:
    """Explain a URL of a run. PageError where the run has never met it, InvalidUrl where it is none.

    A run that was not made here may name code and files outside of it only with `trust`; without, reasons and evidence
    are left out and `missing` says so.
    """
    asked = Url.parse(url) if isinstance(url, str) else url
    with open_run(run) as opened, opened.at_one_moment():
        history = opened.history(asked)
        if history is None:
            raise PageError(f"{run} has never met {asked}; copy an address from: honeyguide results {run}")
        try:
            settings = settings_to_build(RunFolder.open(Path(run)), ONLY_TO_CRAWL, trust=trust, goes_on=False)
            builder = Builder(settings, vectors)
            return _explained(opened, asked, history, builder)
        except HoneyguideError as error:  # of vectors, a judge or a strategy that cannot be had here
            return Explanation(history, None, None, (), (f"reasons and evidence: {error}",))


def _explained(run: Run, url: Url, history: LinkHistory, builder: Builder) -> Explanation:
    missing = []
    strategy = builder.strategy(is_restored=True)
    link = _link_reasons(run, url, strategy)
    if link is not None and strategy.parent_rules is not None:
        missing.append(
            "reasons from all pages that show the link: they are not counted here, only the one it was found on"
        )
    if link is None:
        missing.append(f"reasons for the link: {run.settings.crawl.strategy} adds up no weights of a link")
    page = _parsed(run, url, builder)
    evidence, answers = (None, ()) if page is None else _evidence(run, page, builder)
    if page is None and history.page is not None:
        missing.append("evidence: no body of this page is stored")
    elif page is not None and evidence is None:
        missing.append("evidence: the judge cannot judge this page")
    return Explanation(history, link, evidence, answers, tuple(missing))


def _link_reasons(run: Run, url: Url, strategy: Strategy) -> LinkReasons | None:
    kept, snapshot = run.kept_of_link(url), run.learner_snapshot()
    if kept is None or snapshot is None or not strategy.columns:
        return None
    strategy.load(split_snapshot(snapshot.state)[0])
    weights = strategy.weights
    row = _row(kept, strategy)
    if weights is None or row is None or not len(weights) == len(row) == len(strategy.columns):
        return None
    values = row.astype(np.float64)
    parts = list(zip(strategy.columns, values.tolist(), (weights * values).tolist(), strict=True))
    reasons = [LinkReason(in_words(name), value, part) for name, value, part in parts if not name.startswith(MEANINGS)]
    meanings = [part for name, _, part in parts if name.startswith(MEANINGS)]
    if meanings:
        reasons.append(LinkReason("what its words mean otherwise", None, sum(meanings)))
    reasons = sorted((each for each in reasons if each.contribution), key=lambda each: -abs(each.contribution))
    predicted = sum(each.contribution for each in reasons)
    return LinkReasons(run.settings.crawl.strategy, snapshot.step, predicted, tuple(reasons))


def _row(kept: KeptOfLink, strategy: Strategy) -> NDArray[np.float16] | None:
    """Make the row of a link again; None where its description was made otherwise, as with other vectors."""
    if kept.row is not None:
        return np.frombuffer(kept.row, dtype=np.float16)
    kind = strategy.description_type or np.dtype((np.float16, strategy.row_width))
    if len(kept.description) != kind.itemsize:
        return None
    described = np.frombuffer(kept.description, dtype=kind)
    parents = ParentFacts(np.array([kept.relevance]), np.array([kept.distance]), np.array([kept.depth]))
    row: NDArray[np.float16] = strategy.rows(described, parents)[0]
    return row


def _parsed(run: Run, url: Url, builder: Builder) -> Page | None:
    page = run.page(url)
    body = None if page is None else run.crawled_pages().body(page)
    if page is None or body is None:
        return None
    return builder.parser()(url, Fetched(page.status, page.content_type, body, robots_tag=page.robots_tag))


def _evidence(run: Run, page: Page, builder: Builder) -> tuple[Evidence | None, tuple[NearAnswer, ...]]:
    verdicts = builder.judge()
    near: tuple[NearAnswer, ...] = ()
    if verdicts.learner is None:
        snapshot = run.learner_snapshot()
        if snapshot is not None:
            verdicts.load(split_snapshot(snapshot.state)[1])
    elif any(run.answers()):
        answers = AnswersOfRun(run.path, builder.settings)
        answers.teach(verdicts.learner)
        near = tuple(answers.nearest(verdicts.learner.describe(page), NEAREST_ANSWERS))
    if isinstance(judge_safely(verdicts, page), Unjudged):
        return None, near
    return verdicts.evidence(page), near
