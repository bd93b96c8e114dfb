"""Read everything that the report of a run shows. Every list has a limit, however large the run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING, Final

from honeyguide.runs import PageSnippets, RunStats, RunSums, Snippet, stats
from honeyguide.runs.exports import iso_time, to_datetime
from honeyguide.settings import SETTINGS_BY_KEY, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.runs import CrawledPage, CrawledPages, Run, TrapSummary

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
class RunReport:
    """Everything on the page."""

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


def gather(run: Run, top: int) -> RunReport:
    """Read a run at one moment; `top` is how many pages to show."""
    with run.at_one_moment():
        settings = run.settings
        relevant = run.crawled_pages(relevant_only=True)
        shown = relevant if len(relevant) else run.crawled_pages()
        snippets = PageSnippets(run, shown)
        first = next(run.crawled_pages().all(limit=1), None)
        has_dates = settings.crawl.world == "live" and first is not None
        counted = stats(run, TOP_HOSTS)
        sums = RunSums()
        sums.extend(run)
        return RunReport(
            stats=counted,
            keywords=settings.topic.keywords,
            began=iso_time(to_datetime(first.fetched_at)) if has_dates and first else "",
            ended=iso_time(to_datetime(run.progress.now)) if has_dates else "",
            curve=sums.curve(CURVE_POINTS),
            results=tuple(ReportedPage(page, snippets.of(page)) for page in shown.all(best_first=True, limit=top)),
            topic_map=topic_map(relevant, sums, MAP_PAGES, MAP_LINKS),
            tables=tuple(table for table in _tables(counted) if table.rows),
            traps=run.trap_summary(),
            settings=_settings(settings),
        )


def topic_map(pages: CrawledPages, sums: RunSums, most_pages: int, most_links: int) -> TopicMap:
    """Choose pages for a map by relevance and by how many of the others link to them, among the most relevant ones."""
    known = {page.link: page for page in pages.at_steps(sums.best(MAP_CANDIDATES))}
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
        sums.relevant,
    )


def _tables(counted: RunStats) -> Iterator[BarTable]:
    hosts = [(host.host, host.relevant, host.pages) for host in counted.top_hosts]
    yield _pages_table(f"Hosts, {len(hosts):,} of {counted.hosts:,}", "host", hosts)
    yield _counts_table("Outcomes of fetches", "outcome", "fetches", list(counted.outcomes.items())[:MOST_ROWS])
    reasons = list(counted.without_page.items())[:MOST_ROWS]
    yield _counts_table("Fetches without a page", "reason", "fetches", reasons)
    bins = [sum(counted.relevance[low : low + 2]) for low in range(0, len(counted.relevance), 2)]
    filled = max((number for number, count in enumerate(bins, 1) if count), default=0)
    ranges = [(f"{number / 10:.1f} to {(number + 1) / 10:.1f}", count) for number, count in enumerate(bins[:filled])]
    yield _counts_table("Relevance of pages", "relevance", "pages", ranges)
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
