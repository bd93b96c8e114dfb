"""Two runs compared: pages and hosts gained and lost, and the pages that both have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from honeyguide.model import Url
from honeyguide.runs.run import opened_run

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.runs.run import Run


@dataclass(frozen=True, slots=True)
class PageOfOne:
    """A page that only one run has."""

    url: str
    title: str
    relevance: float
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class PageOfBoth:
    """A page that both runs have and judged differently, or that reads differently now."""

    url: str
    title: str  # in the second run
    relevance_before: float
    relevance: float
    was_relevant: bool
    is_relevant: bool
    has_changed: bool  # its title or text

    @property
    def change(self) -> float:
        return self.relevance - self.relevance_before


@dataclass(frozen=True, slots=True)
class HostOfOne:
    """A host that gave pages in one run and none in the other."""

    host: str
    pages: int
    relevant: int


@dataclass(frozen=True, slots=True)
class RunDiff:
    """The differences of a second run from a first. `dataclasses.asdict` gives them as data.

    Pages gained and lost: the most relevant first. Pages of both: those whose relevance has changed most first.
    """

    before: str  # the folders
    after: str
    pages_before: int
    pages: int
    relevant_before: int
    relevant: int
    common: int
    gained: tuple[PageOfOne, ...]
    lost: tuple[PageOfOne, ...]
    hosts_gained: tuple[HostOfOne, ...]
    hosts_lost: tuple[HostOfOne, ...]
    became_relevant: tuple[PageOfBoth, ...]
    became_irrelevant: tuple[PageOfBoth, ...]
    rejudged: tuple[PageOfBoth, ...]  # the same verdict for another relevance
    rewritten: tuple[PageOfBoth, ...]  # another title or text, and the same relevance
    mean_change: float | None  # of the relevance of common pages; None where there are none
    same_settings: bool


class _Known(NamedTuple):
    title: str
    relevance: float
    is_relevant: bool
    digest: str


def diff(before: Run | Path | str, after: Run | Path | str) -> RunDiff:
    """Compare a run with an earlier one, page by page; pages are the same if their URLs are."""
    with opened_run(before) as first, opened_run(after) as second:
        old, new = _pages(first), _pages(second)
        both = [_of_both(url, old[url], page) for url, page in new.items() if url in old]
        both.sort(key=lambda page: (-abs(page.change), page.url))
        return RunDiff(
            before=str(first.path),
            after=str(second.path),
            pages_before=len(old),
            pages=len(new),
            relevant_before=sum(page.is_relevant for page in old.values()),
            relevant=sum(page.is_relevant for page in new.values()),
            common=len(both),
            gained=_only_in(new, old),
            lost=_only_in(old, new),
            hosts_gained=_hosts_only_in(new, old),
            hosts_lost=_hosts_only_in(old, new),
            became_relevant=tuple(page for page in both if page.is_relevant and not page.was_relevant),
            became_irrelevant=tuple(page for page in both if page.was_relevant and not page.is_relevant),
            rejudged=tuple(page for page in both if page.change and page.is_relevant == page.was_relevant),
            rewritten=tuple(page for page in both if page.has_changed and not page.change),
            mean_change=sum(page.change for page in both) / len(both) if both else None,
            same_settings=first.settings == second.settings,
        )


def _pages(run: Run) -> dict[str, _Known]:
    return {
        page.url.text: _Known(page.title, page.relevance, page.is_relevant, page.digest)
        for page in run.crawled_pages().all()
    }


def _of_both(url: str, old: _Known, new: _Known) -> PageOfBoth:
    has_changed = old.digest != new.digest
    return PageOfBoth(url, new.title, old.relevance, new.relevance, old.is_relevant, new.is_relevant, has_changed)


def _only_in(these: dict[str, _Known], others: dict[str, _Known]) -> tuple[PageOfOne, ...]:
    pages = (PageOfOne(url, *page[:3]) for url, page in these.items() if url not in others)
    return tuple(sorted(pages, key=lambda page: (-page.relevance, page.url)))


def _hosts_only_in(these: dict[str, _Known], others: dict[str, _Known]) -> tuple[HostOfOne, ...]:
    pages, relevant = Counter[str](), Counter[str]()
    for url, page in these.items():
        host = Url(url).host
        pages[host] += 1
        relevant[host] += page.is_relevant
    known = {Url(url).host for url in others}
    hosts = (HostOfOne(host, count, relevant[host]) for host, count in pages.items() if host not in known)
    return tuple(sorted(hosts, key=lambda host: (-host.relevant, -host.pages, host.host)))
