"""Read everything that the report of a run shows. Every list has a limit, however large the run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Final

from honeyguide.runs import PageSnippets, RunStats, RunTotals, Snippet, stats
from honeyguide.runs.advice import advise
from honeyguide.runs.exports import iso_time, to_datetime
from honeyguide.settings import SETTINGS_BY_KEY, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from honeyguide.model import Evidence, Url
    from honeyguide.runs import CrawledPage, CrawledPages, PageOnPath, Run, TrapSummary
    from honeyguide.runs.advice import Advice

MOST_RESULTS: Final = 200
CURVE_POINTS: Final = 200
MAP_PAGES: Final = 60
MAP_LINKS: Final = 400
MAP_CANDIDATES: Final = 1000  # the most relevant pages, among which those of a map are chosen
TOP_HOSTS: Final = 15
MOST_ROWS: Final = 15
_WRITTEN_BY_CRAWL: Final = frozenset({"vectors.digest", "judge.digest"})
"""Settings that a crawl fills in itself, so as not to continue with other files unnoticed."""


@dataclass(frozen=True, slots=True)
class ReportedPage:
    """A page with its snippet, which is None where the run stored no body."""

    page: CrawledPage
    snippet: Snippet | None
    path: tuple[PageOnPath, ...]  # the pages over which the crawl came to it, from a seed on
    anchor: str  # of the link by which it was found
    evidence: Evidence | None  # why it was judged so; None where nobody can tell here


@dataclass(frozen=True, slots=True)
class MapPage:
    """A page on a map."""

    url: str
    host: str
    title: str
    relevance: float


@dataclass(frozen=True, slots=True)
class TopicMap:
    """The relevant pages that most others link to, and the links between them by place in `pages`."""

    pages: tuple[MapPage, ...]
    links: tuple[tuple[int, int], ...]
    relevant_pages: int  # in the whole run


@dataclass(frozen=True, slots=True)
class ReportedSettings:
    """The settings of a run as (key, value), by who chose them."""

    chosen: list[tuple[str, str]]
    default: list[tuple[str, str]]
    written_by_crawl: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class BarRow:
    """A name with its figures and a bar of length `whole`, whose first part is `relevant`; both from 0 to 1."""

    name: str
    relevant: float
    whole: float
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BarTable:
    """A small table of counts."""

    title: str
    names: str  # heading of the first column
    headings: tuple[str, ...]  # of the figures
    rows: tuple[BarRow, ...]


@dataclass(frozen=True, slots=True)
class Insights:
    """What only judge and strategy can tell, for whoever has them at hand."""

    evidence: Callable[[Url], Evidence | None] = lambda _: None
    learned: tuple[tuple[str, float | None, float], ...] = ()
    """In words, about a link: its weight, None for several together, and what a usual difference does to a score."""
    failing: tuple[str, ...] = ()  # links that mostly bring no page, in words


@dataclass(frozen=True, slots=True)
class RunReport:
    """Everything on the page."""

    advice: Advice | None
    insights: Insights
    stats: RunStats
    keywords: tuple[str, ...]
    began: str  # ISO dates; empty offline, where time is simulated
    ended: str
    curve: tuple[tuple[int, int], ...]  # fetches, relevant pages so far
    results: tuple[ReportedPage, ...]
    topic_map: TopicMap
    tables: tuple[BarTable, ...]
    traps: TrapSummary
    settings: ReportedSettings


def gather(
    run: Run,
    top: int,
    insights: Insights = Insights(),
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> RunReport:
    """Read a run at one moment; `top` is how many pages to show."""
    with run.at_one_moment():
        settings = run.settings
        relevant = run.crawled_pages(relevant_only=True)
        shown = relevant if len(relevant) else run.crawled_pages()
        snippets = PageSnippets(run, shown)
        first = next(run.crawled_pages().all(limit=1), None)
        has_dates = settings.crawl.world == "live" and first is not None
        counted = stats(run, TOP_HOSTS, on_progress=on_progress)
        totals = RunTotals(run, CURVE_POINTS)
        results = tuple(
            _reported(run, page, snippets.of(page), insights) for page in shown.all(best_first=True, limit=top)
        )
        by_judge = (each.evidence.threshold for each in results if each.evidence is not None)
        threshold = settings.judge.threshold or next(by_judge, 0.0)  # 0 where it is the judge's own, and not known
        if settings.judge.relevant_when != "threshold":
            threshold = 0.0
        return RunReport(
            advice=advise(run),
            insights=insights,
            stats=counted,
            keywords=settings.topic.keywords,
            began=iso_time(to_datetime(first.fetched_at)) if has_dates and first else "",
            ended=iso_time(to_datetime(run.progress.now)) if has_dates else "",
            curve=totals.curve,
            results=results,
            topic_map=topic_map(
                relevant, relevant.all(best_first=True, limit=MAP_CANDIDATES), totals.relevant, MAP_PAGES, MAP_LINKS
            ),
            tables=tuple(table for table in _tables(run, counted, totals, threshold) if table.rows),
            traps=run.trap_summary(),
            settings=_settings(settings),
        )


def topic_map(
    pages: CrawledPages, best: Iterable[CrawledPage], relevant: int, most_pages: int, most_links: int
) -> TopicMap:
    """Choose pages for a map by relevance and by how many of the others link to them, among the most relevant ones.

    These are the `best`, of so many that are relevant.
    """
    known = {page.link: page for page in best}
    between = pages.links_among(known)
    linked_to = Counter(target for _, target in between)
    worth = {link: page.relevance * (1 + log1p(linked_to[link])) for link, page in known.items()}
    chosen = sorted(worth, key=lambda link: (-worth[link], link))[:most_pages]
    place = {link: number for number, link in enumerate(chosen)}
    links = ((place[source], place[target]) for source, target in between if source in place and target in place)
    return TopicMap(
        tuple(
            MapPage(page.url.text, page.url.host, page.title, page.relevance) for page in map(known.get, chosen) if page
        ),
        tuple(sorted(links, key=lambda link: (sum(link), link))[:most_links]),
        relevant,
    )


def _reported(run: Run, page: CrawledPage, snippet: Snippet | None, insights: Insights) -> ReportedPage:
    history = run.history(page.url)
    path, anchor = ((), "") if history is None else (history.path, history.anchor)
    return ReportedPage(page, snippet, path, anchor, insights.evidence(page.url))


def _tables(run: Run, counted: RunStats, totals: RunTotals, threshold: float) -> Iterator[BarTable]:
    hosts = [(host.host, host.relevant, host.pages) for host in counted.top_hosts]
    yield _pages_table(f"Hosts, {len(hosts):,} of {counted.hosts:,}", "host", hosts)
    yield _counts_table("Outcomes of fetches", "outcome", "fetches", list(counted.outcomes.items())[:MOST_ROWS])
    reasons = list(counted.without_page.items())[:MOST_ROWS]
    yield _counts_table("Fetches without a page", "reason", "fetches", reasons)
    failing = totals.failing_hosts(MOST_ROWS)
    most = max((each.failed for each in failing), default=1)
    rows = (
        BarRow(each.host, 0, each.failed / most, (f"{each.failed:,} of {each.asked:,}", each.cause)) for each in failing
    )
    yield BarTable("Failures by host", "host", ("fetches", "mostly"), tuple(rows))
    if counted.pages:
        bins = list(enumerate(totals.bins))
        filled = max(number for number, (pages, _) in bins if pages) + 1
        ranges = [
            (f"{number / 10:.1f} to {(number + 1) / 10:.1f}", good, pages) for number, (pages, good) in bins[:filled]
        ]
        title = f"Relevance of pages; relevant from {threshold:g} on" if threshold else "Relevance of pages"
        yield _pages_table(title, "relevance", ranges)
    newest = run.passes()[-1:]
    of_pass = (each.finding.value for last in newest for each in run.found_in_pass(last.number))
    again = Counter(of_pass if newest else (revisit.finding.value for revisit in run.revisits().all()))
    yield _counts_table("Pages looked at again", "found", "pages", again.most_common())
    depths = [(str(depth), relevant, pages) for depth, pages, relevant in counted.depths[:20]]
    yield _pages_table("Clicks from a seed", "clicks", depths)
    shapes = [(each.pattern, each.relevant, each.pages) for each in counted.patterns[:MOST_ROWS]]
    yield _pages_table("Shapes of addresses", "shape", shapes)
    seconds = sorted(counted.stage_seconds.items(), key=lambda item: -item[1])
    total = sum(counted.stage_seconds.values())
    stages = [
        BarRow(stage, 0, each / total, (f"{each:,.1f} s", f"{each / total:.0%}")) for stage, each in seconds if each
    ]
    yield BarTable("Time by stage", "stage", ("time", "share"), tuple(stages))


def _pages_table(title: str, names: str, rows: Sequence[tuple[str, int, int]]) -> BarTable:
    """Make a table of names with relevant pages and all pages."""
    most = max((pages for *_, pages in rows), default=0) or 1
    bars = (BarRow(name, good / most, pages / most, (f"{good:,}", f"{pages:,}")) for name, good, pages in rows)
    return BarTable(title, names, ("relevant", "pages"), tuple(bars))


def _counts_table(title: str, names: str, heading: str, rows: Sequence[tuple[str, int]]) -> BarTable:
    most = max((count for _, count in rows), default=0) or 1
    return BarTable(
        title, names, (heading,), tuple(BarRow(name, 0, count / most, (f"{count:,}",)) for name, count in rows)
    )


def _settings(settings: Settings) -> ReportedSettings:
    report = ReportedSettings([], [], [])
    for key, setting in SETTINGS_BY_KEY.items():
        value = setting.value_in(settings)
        if value == setting.default:
            rows = report.default
        else:
            rows = report.written_by_crawl if key in _WRITTEN_BY_CRAWL else report.chosen
        rows.append((key, _setting_text(value)))
    return report


def _setting_text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
