"""Pages that a person names, judged as a crawl would judge them, with the evidence."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from honeyguide.crawler.answering import AnswersOfRun
from honeyguide.crawler.build import Builder
from honeyguide.crawler.named_pages import NamedPages, reads_standard_input, with_examples_read
from honeyguide.crawler.preparing import Unjudged, judge_safely
from honeyguide.crawler.start import refuse_in_running_loop
from honeyguide.errors import PageError
from honeyguide.learn import BestFirst
from honeyguide.model import Candidates, Origin
from honeyguide.settings import validate

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from honeyguide.crawler.answering import NearAnswer
    from honeyguide.judge import Verdicts
    from honeyguide.model import Cap, Evidence, Page, Verdict
    from honeyguide.settings import Settings
    from honeyguide.worlds import World

ANSWERS_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class ScoredLink:
    """A link of a judged page, with the score that best-first crawling would give it."""

    url: str
    anchor: str
    score: float


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page with its verdict and the evidence for it."""

    name: str  # as it was asked for
    url: str  # where it was found in the end
    title: str
    words: int  # of its main text, which is what was judged
    verdict: Verdict
    evidence: Evidence
    links: tuple[ScoredLink, ...] = ()  # best first
    cut_by: tuple[Cap, ...] = ()  # limits of [parse] that it is over
    answers: tuple[NearAnswer, ...] = ()  # of the run that taught the judge, those about the nearest pages first


@dataclass(frozen=True, slots=True)
class UnreadablePage:
    """A page that could not be judged."""

    name: str
    reason: str


def judge_page(
    name: str, settings: Settings, *, links: int = 0, world: World | None = None, run: Path | str | None = None
) -> JudgedPage:
    """Judge one page: a file, `-` for standard input, or a URL.

    URLs are asked of the world that the settings name, or of the one given. `links` is how many of the page's links to
    score. The answers about pages of `run`, whose settings these must be, teach the judge first. Raises
    `SettingsError`, or `PageError` if the page cannot be read. Inside a running event loop, await `judge_pages_async`
    instead.
    """
    (judged,) = judge_pages([name], settings, links=links, world=world, run=run)
    if isinstance(judged, UnreadablePage):
        raise PageError(judged.reason)
    return judged


def judge_pages(
    names: Iterable[str],
    settings: Settings,
    *,
    links: int = 0,
    world: World | None = None,
    run: Path | str | None = None,
) -> list[JudgedPage | UnreadablePage]:
    """As `judge_page`, for several; one that cannot be read does not keep the others from being judged.

    A judge that learns from the pages it has seen sees these in their order, as it would in a crawl.
    """
    refuse_in_running_loop("judge_pages_async")
    return asyncio.run(judge_pages_async(names, settings, links=links, world=world, run=run))


async def judge_pages_async(
    names: Iterable[str],
    settings: Settings,
    *,
    links: int = 0,
    world: World | None = None,
    run: Path | str | None = None,
) -> list[JudgedPage | UnreadablePage]:
    """As `judge_pages`, for callers with an event loop of their own."""
    validate(settings)
    answers = None if run is None else AnswersOfRun(run, settings)
    async with NamedPages(settings, world, input_is_read=reads_standard_input(settings)) as pages:
        builder = Builder(await with_examples_read(settings, world))
        verdicts = builder.judge()
        if answers is not None:
            answers.teach(verdicts.learner)
        judged: list[JudgedPage | UnreadablePage] = []
        for name in names:
            try:
                page = await pages.read(name)
            except PageError as error:
                judged.append(UnreadablePage(name, str(error)))
                continue
            found = _judged(name, page, builder, verdicts, links)
            if answers is not None and verdicts.learner is not None and isinstance(found, JudgedPage):
                found = replace(found, answers=tuple(answers.nearest(verdicts.learner.describe(page), ANSWERS_SHOWN)))
            judged.append(found)
    return judged


def _judged(name: str, page: Page, builder: Builder, verdicts: Verdicts, links: int) -> JudgedPage | UnreadablePage:
    verdict = judge_safely(verdicts, page)
    if isinstance(verdict, Unjudged):
        return UnreadablePage(name, f"{name} could not be judged: {verdict.reason}")
    scored = _scored(page, builder, verdict)[:links] if links else ()
    return JudgedPage(
        name=name,
        url=page.url.text,
        title=page.title,
        words=len(page.main_words),
        verdict=verdict,
        evidence=verdicts.evidence(page),
        links=tuple(scored),
        cut_by=page.cut_by,
    )


def _scored(page: Page, builder: Builder, verdict: Verdict) -> list[ScoredLink]:
    """The links of a page as best-first crawling sees them, best first."""
    if not page.links:
        return []
    strategy = BestFirst(builder.topic, builder.vectors)
    seen_from = Origin(page.url.host, verdict.relevance, distance=0, depth=0)
    candidates = Candidates.on_page(page, page.links, seen_from, window_words=builder.settings.parse.window_words)
    scores = strategy.score(strategy.rows(strategy.describe(candidates), candidates.parents))
    links = [
        ScoredLink(link.target.text, link.telling_occurrence.anchor, float(score))
        for link, score in zip(page.links, scores, strict=True)
    ]
    return sorted(links, key=lambda link: -link.score)
