"""What the report of a run shows, read from the run: bounded, however large it is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Final

from honeyguide.runs import PageSnippets, RunStats, Snippet, iso, moment_of, stats
from honeyguide.runs.harvest import downsampled, harvest_curve
from honeyguide.settings import SETTINGS_BY_KEY, Settings

if TYPE_CHECKING:
    from honeyguide.runs import KeptPage, KeptPages, Run, TrapSummary

MOST_RESULTS: Final = 200
CURVE_POINTS: Final = 200
MAP_PAGES: Final = 60
MAP_LINKS: Final = 400
TOP_HOSTS: Final = 15
MOST_TRAPS: Final = 40


@dataclass(frozen=True, slots=True)
class Result:
    """A page that was found."""

    page: KeptPage
    snippet: Snippet | None  # None where its body was not kept


@dataclass(frozen=True, slots=True)
class TopicMap:
    """The relevant pages that others of them link to most, and the links between them, by place in `pages`."""

    pages: tuple[KeptPage, ...]
    links: tuple[tuple[int, int], ...]
    relevant_pages: int  # that there are in all


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything on the page."""

    stats: RunStats
    keywords: tuple[str, ...]
    began: str  # ISO dates; empty offline, where time is simulated
    ended: str
    curve: tuple[tuple[int, int], ...]  # fetches, relevant pages so far
    results: tuple[Result, ...]
    topic_map: TopicMap
    traps: TrapSummary
    settings: tuple[tuple[str, str, bool], ...]  # key, value, whether it is the default


def gather(run: Run, top: int) -> Gathered:
    """Read all of it at one moment."""
    with run.at_one_moment():
        settings = run.settings
        relevant = run.kept_pages(relevant_only=True)
        shown = relevant if len(relevant) else run.kept_pages()
        best = list(shown.all(best_first=True, limit=top))
        is_live = settings.crawl.world == "live"
        first = next(run.kept_pages().all(limit=1), None)
        return Gathered(
            stats=stats(run, TOP_HOSTS),
            keywords=settings.topic.keywords,
            began=iso(moment_of(first.fetched_at)) if is_live and first else "",
            ended=iso(moment_of(run.progress.now)) if is_live and first else "",
            curve=tuple(downsampled(_curve(run), CURVE_POINTS)),
            results=_results(run, shown, best),
            topic_map=_map(relevant),
            traps=run.trap_summary(),
            settings=_settings(settings),
        )


def _curve(run: Run) -> list[int]:
    """Relevant pages after each fetch that was made; not over the whole budget, for the crawl may go on."""
    grades = [step.is_relevant for step in run.steps() if step.outcome != "unknown"]
    return harvest_curve(grades, len(grades))


def _results(run: Run, pages: KeptPages, best: list[KeptPage]) -> tuple[Result, ...]:
    cut = PageSnippets(run, pages)
    return tuple(Result(page, cut.of(page)) for page in best)


def _map(relevant: KeptPages) -> TopicMap:
    linked_to = Counter(target for _, target in relevant.links())
    worth = {page.link: page.relevance * (1 + log1p(linked_to[page.link])) for page in relevant.all()}
    chosen = sorted(worth, key=lambda link: (-worth[link], link))[:MAP_PAGES]
    place = {link: number for number, link in enumerate(chosen)}
    pages = sorted((page for page in relevant.all() if page.link in place), key=lambda page: place[page.link])
    between = ((source, target) for source, target in relevant.links() if source in place and target in place)
    links = sorted({(place[source], place[target]) for source, target in between}, key=sum)[:MAP_LINKS]
    return TopicMap(tuple(pages), tuple(links), len(worth))


def _settings(settings: Settings) -> tuple[tuple[str, str, bool], ...]:
    rows = []
    for key, setting in SETTINGS_BY_KEY.items():
        value = setting.value_in(settings)
        rows.append((key, _said(value), value == setting.default))
    return tuple(rows)


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
