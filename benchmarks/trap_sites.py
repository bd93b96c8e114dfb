"""Real documentation sites crawled with and without guard: what a guard takes for a trap where there is none."""

from __future__ import annotations

import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.crawler import crawl
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Url
from honeyguide.parse import parse
from honeyguide.settings import settings_from
from honeyguide.worlds.frozen import open_site
from trap_runs import OFF, guard_table, vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.runs import GuardFinding, Run
    from honeyguide.worlds import World


@dataclass(frozen=True, slots=True)
class SiteGrade:
    """One crawl, or what a crawl of all sites together brought from one of them."""

    site: str
    strategy: str
    arm: str
    fetches: int
    pages: int
    findings: int  # pages that were judged a trap or a copy
    on_copies: int  # of these, pages whose text another page of the crawl had before
    seconds: float
    others: tuple[str, ...] = ()  # findings on other pages: kind, address and evidence


class Sites:
    """Several sites as one offline world, each on a host of its own; `elsewhere` has all other hosts."""

    is_offline = True
    writes_pages = False

    def __init__(
        self, worlds: dict[str, World], entry_urls: Sequence[Url] | None = None, elsewhere: World | None = None
    ) -> None:
        self._worlds = worlds
        self._entry_urls = entry_urls
        self._elsewhere = elsewhere

    async def fetch(self, url: Url) -> Answer:
        world = self._worlds.get(url.host, self._elsewhere)
        if world is None:
            return Answer(Failed(FailureReason.CONNECTION, f"no such host: {url.host}"), elapsed_s=0.05)
        return await world.fetch(url)

    def entry_urls(self) -> Sequence[Url]:
        if self._entry_urls is not None:
            return self._entry_urls
        return [url for world in self._worlds.values() for url in world.entry_urls()]

    async def close(self) -> None:
        for world in self._worlds.values():
            await world.close()


def compare_sites(folders: Sequence[Path], arms: Sequence[str], strategies: Sequence[str]) -> list[SiteGrade]:
    """Each site alone, to its end; then all together with a budget of half the pages that were found."""
    names = {f"site{number}.test": folder for number, folder in enumerate(folders)}
    grades = []
    for strategy in strategies:
        pages = 0
        for host, folder in names.items():
            alone = [_crawled({host: folder}, strategy, arm, 1_000_000)[0] for arm in arms]
            grades += alone
            pages += alone[0].pages
        for arm in arms:
            grades += _crawled(names, strategy, arm, pages // 2) if len(names) > 1 else []
    return grades


def _crawled(names: dict[str, Path], strategy: str, arm: str, budget: int) -> list[SiteGrade]:
    """A grade for each site."""
    worlds: dict[str, World] = {host: open_site(f"{folder}@http://{host}/") for host, folder in names.items()}
    settings = settings_from(
        {
            "topic": {"name": "data structures", "keywords": ["list", "index", "query"]},
            "crawl": {"world": "synthetic", "strategy": strategy, "concurrency": 1},
            "budget": {"fetches": budget},
            "politeness": {"delay_s": 0.0, "delay_factor": 0.0},
        }
        | guard_table(arm)
    )
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        around: Any = {"world": Sites(worlds), "vectors": vectors()}
        with crawl(Path(folder) / "run", settings, **around) as done:
            where = "alone" if len(names) == 1 else "together"
            told = {host: f"{label(folder)}, {where}" for host, folder in names.items()}
            return graded(done, told, strategy, arm, time.perf_counter() - started)


def graded(run: Run, sites: dict[str, str], strategy: str, arm: str, seconds: float) -> list[SiteGrade]:
    """What a crawl brought from each site, by host and what to call it."""
    found: dict[int, GuardFinding] = {each.step: each for each in run.guard_findings()} if arm != OFF else {}
    met = set()
    pages, findings, on_copies = Counter[str](), Counter[str](), Counter[str]()
    others: dict[str, list[str]] = defaultdict(list)
    for page in run.pages():
        if "html" not in page.media_type:
            continue
        pages[page.url.host] += 1
        text = _text(run, page.url, page.media_type)
        is_copy = text in met
        met.add(text)
        finding = found.get(page.step)
        if finding is not None:
            findings[page.url.host] += 1
            on_copies[page.url.host] += is_copy
            others[page.url.host] += [] if is_copy else [f"{finding.kind} {page.url.text}: {finding.evidence}"]
    fetches = Counter(str(step.url.host) for step in run.steps())
    return [
        SiteGrade(told, strategy, arm, fetches[host], pages[host], findings[host], on_copies[host], seconds,
                  tuple(others[host]))
        for host, told in sites.items()
    ]  # fmt: skip


def _text(run: Run, url: Url, media_type: str) -> bytes:
    return parse(url, Fetched(200, media_type, run.body(url))).digest


def label(folder: Path) -> str:
    return folder.parent.name if folder.name in ("html", "HTML") else folder.name
