"""What addresses have in common: `/wiki/Basalt` and `/wiki/Granite` are both `/wiki/*`.

A run added up: what was spent, what came of it, where it came from, and what took the time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from honeyguide.model import registered_domain
from honeyguide.runs.run import opened_run
from honeyguide.text import url_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from honeyguide.model import Url
    from honeyguide.runs.pages import CrawledPage
    from honeyguide.runs.run import Run

_NUMBER: Final = re.compile(r"\d+")
_FILE_TYPE: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_MOST_PARTS: Final = 6
_LONGEST_PART: Final = 30


def url_pattern(url: Url) -> str:
    """The shape of an address without its host: its first folder by name, numbers as `#`, the rest as `*`.

    File types stay, and so do the names of parameters, sorted: `/2024/05/rocks.html?page=2` is `/#/#/*.html?page`.
    """
    path, _, query = url.path_and_query.partition("?")
    folders, name = path.split("/")[1:-1], path.rpartition("/")[2]
    parts = [_folder(part, is_first=number == 0) for number, part in enumerate(folders[:_MOST_PARTS])]
    if len(folders) > _MOST_PARTS:
        parts.append("…")
    parts.append(_file(name))
    parameters = sorted({parameter.partition("=")[0] for parameter in query.split("&")} - {""})
    names = "&".join(_NUMBER.sub("#", name)[:_LONGEST_PART] for name in parameters[:_MOST_PARTS])
    return f"/{'/'.join(parts)}" + (f"?{names}" if names else "")


def _folder(part: str, *, is_first: bool) -> str:
    if part.isdigit():
        return "#"
    return _NUMBER.sub("#", part)[:_LONGEST_PART] if is_first else "*"


def _file(name: str) -> str:
    if not name:
        return ""
    kind = _FILE_TYPE.search(name)
    return ("#" if _FILE_TYPE.sub("", name).isdigit() else "*") + (kind[0].lower() if kind else "")


RELEVANCE_BINS: Final = 20
MOST_PATTERNS: Final = 20_000
"""Kept while counting. A site may be made of nothing but different ones; the rarest half is then let go."""

_SIGNS: Final = (
    "is_too_long", "is_too_deep", "has_non_text_type", "has_query", "has_gibberish_host", "has_gibberish_path",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HostStats:
    """What one host gave."""

    host: str
    fetches: int
    pages: int
    relevant: int
    body_bytes: int


@dataclass(frozen=True, slots=True)
class PatternStats:
    """Pages whose addresses look alike."""

    pattern: str
    pages: int
    relevant: int


@dataclass(frozen=True, slots=True)
class RunStats:
    """Everything about a run that can be counted. `dataclasses.asdict` gives it as data."""

    run: str
    topic: str
    world: str
    strategy: str
    stop_reason: str  # empty while the crawl may go on
    budget: int
    fetches: int
    pages: int
    relevant: int
    harvest_rate: float  # relevant pages a fetch
    unindexed_pages: int
    skipped_links: int
    waiting_links: int
    outcomes: dict[str, int]  # of fetches: fetched, redirected, refused, failed and so on
    without_page: dict[str, int]  # fetches that brought no page, by reason
    media_types: dict[str, int]  # of pages
    body_bytes: int  # received
    run_bytes: int  # on disk
    crawl_seconds: float  # on the crawl's clock, which is simulated offline
    answer_seconds: float  # waiting for answers, over all fetches, of which many may be under way at once
    stage_seconds: dict[str, float]  # real time by stage; empty for a run that did not note it
    hosts: int  # that were asked
    hosts_with_pages: int  # of these, that gave a page
    domains: int  # registered domains they belong to
    top_hosts: tuple[HostStats, ...]  # those with the most relevant pages first, then the most pages
    patterns: tuple[PatternStats, ...]  # the most pages first
    url_signs: dict[str, int]  # pages whose addresses have a sign of a wasted fetch (Lim 2016, 5.2.4)
    depths: tuple[tuple[int, int, int], ...]  # clicks from a seed, pages, relevant pages
    relevance: tuple[int, ...]  # pages in twenty equal steps of relevance from 0 to 1


@dataclass(slots=True)
class _Count:
    fetches: int = 0
    pages: int = 0
    relevant: int = 0
    body_bytes: int = 0

    def add_page(self, page: CrawledPage) -> None:
        self.pages += 1
        self.relevant += page.is_relevant
        self.body_bytes += page.body_bytes


@dataclass(slots=True)
class _Pages:
    """What is counted page by page."""

    by_host: defaultdict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))
    by_pattern: defaultdict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))
    by_depth: defaultdict[int, _Count] = field(default_factory=lambda: defaultdict(_Count))
    media_types: Counter[str] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)
    relevance: list[int] = field(default_factory=lambda: [0] * RELEVANCE_BINS)

    def add(self, page: CrawledPage) -> None:
        self.by_host[page.url.host].add_page(page)
        self.by_pattern[url_pattern(page.url)].add_page(page)
        self.by_depth[page.depth].add_page(page)
        self.media_types[page.media_type] += 1
        shape = url_shape(page.url)
        self.signs.update(sign for sign in _SIGNS if getattr(shape, sign))
        self.relevance[max(0, min(RELEVANCE_BINS - 1, int(page.relevance * RELEVANCE_BINS)))] += 1
        if len(self.by_pattern) > MOST_PATTERNS:
            kept = sorted(self.by_pattern.items(), key=lambda item: -item[1].pages)[: MOST_PATTERNS // 2]
            self.by_pattern = defaultdict(_Count, kept)


def stats(run: Run | Path | str, top: int = 20) -> RunStats:
    """Add up a run that is open, or the one in this folder; `top` is how many hosts and patterns to name."""
    with opened_run(run) as source, source.at_one_moment():
        return _stats(source, top)


def _stats(run: Run, top: int) -> RunStats:
    settings, progress = run.settings, run.progress
    pages = _Pages()
    for page in run.crawled_pages().all():
        pages.add(page)
    for step in run.steps():
        pages.by_host[step.url.host].fetches += step.outcome != "unknown"
    asked = {host: count for host, count in pages.by_host.items() if count.fetches}
    return RunStats(
        run=str(run.path),
        topic=settings.topic.name,
        world=settings.crawl.world,
        strategy=settings.crawl.strategy,
        stop_reason=progress.stop_reason,
        budget=settings.budget.fetches,
        fetches=progress.fetches,
        pages=progress.pages,
        relevant=progress.relevant,
        harvest_rate=run.harvest_rate,
        unindexed_pages=progress.unindexed,
        skipped_links=progress.skips,
        waiting_links=progress.waiting,
        outcomes=run.outcomes(),
        without_page=run.without_page(),
        media_types=dict(pages.media_types.most_common()),
        body_bytes=progress.body_bytes,
        run_bytes=run.size_bytes(),
        crawl_seconds=progress.spent_seconds,
        answer_seconds=run.answer_seconds(),
        stage_seconds=run.stage_seconds(),
        hosts=len(asked),
        hosts_with_pages=sum(count.pages > 0 for count in asked.values()),
        domains=len({registered_domain(host) for host in asked}),
        top_hosts=_top_hosts(asked, top),
        patterns=_top_patterns(pages.by_pattern.items(), top),
        url_signs={sign: pages.signs[sign] for sign in _SIGNS if pages.signs[sign]},
        depths=tuple((depth, count.pages, count.relevant) for depth, count in sorted(pages.by_depth.items())),
        relevance=tuple(pages.relevance),
    )


def _top_hosts(counts: Mapping[str, _Count], top: int) -> tuple[HostStats, ...]:
    order = sorted(counts.items(), key=lambda item: (-item[1].relevant, -item[1].pages, -item[1].fetches, item[0]))
    return tuple(
        HostStats(host, count.fetches, count.pages, count.relevant, count.body_bytes) for host, count in order[:top]
    )


def _top_patterns(counts: Iterable[tuple[str, _Count]], top: int) -> tuple[PatternStats, ...]:
    order = sorted(counts, key=lambda item: (-item[1].pages, item[0]))
    return tuple(PatternStats(pattern, count.pages, count.relevant) for pattern, count in order[:top])
