"""Two runs compared: pages and hosts gained and lost, and the pages that both have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from honeyguide.model import Url
from honeyguide.runs.run import opened_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.runs.pages import KnownByUrl
    from honeyguide.runs.run import Run

_SLACK: Final = 1_000  # items kept beyond those asked for, so that they are sorted now and then only
_TOLD_EVERY: Final = 1_000  # pages
_LISTS: Final = (
    "gained", "lost", "hosts_gained", "hosts_lost", "became_relevant", "became_irrelevant", "rejudged", "rewritten",
)  # fmt: skip


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

    Pages gained and lost: the most relevant first. Pages of both: those whose relevance has changed most first. Where
    only the first of each list were asked for, `totals` says how many there are.
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
    gained_relevant: int
    lost_relevant: int
    totals: dict[str, int]  # of the lists above, by name


_Item = TypeVar("_Item", PageOfOne, PageOfBoth, HostOfOne)
Order = tuple[float, int, str]


Hear = Callable[[str, Order, PageOfOne | PageOfBoth | HostOfOne], None]
"""Hears the name of a list, and an item of it with the key by which its items are in order."""


class _First(Generic[_Item]):
    """The first so many of the items added, by a key; all of them where `most` is None."""

    def __init__(self, name: str, most: int | None, key: Callable[[_Item], Order], hear: Hear) -> None:
        self._name = name
        self._most = most
        self._key: Callable[[_Item], Order] = key
        self._hear: Hear = hear
        self._items: list[_Item] = []
        self.total = 0

    def add(self, item: _Item) -> None:
        self.total += 1
        self._hear(self._name, self._key(item), item)
        self._items.append(item)
        if self._most is not None and len(self._items) > 2 * self._most + _SLACK:
            self._items = sorted(self._items, key=self._key)[: self._most]

    def items(self) -> tuple[_Item, ...]:
        return tuple(sorted(self._items, key=self._key)[: self._most])


def _of_one(page: PageOfOne) -> Order:
    return -page.relevance, 0, page.url


def _of_both(page: PageOfBoth) -> Order:
    return -abs(page.change), 0, page.url


def _of_host(host: HostOfOne) -> Order:
    return -host.relevant, -host.pages, host.host


@dataclass(slots=True)
class _HostCount:
    """Pages of a host in both runs."""

    pages: list[int] = field(default_factory=lambda: [0, 0])
    relevant: list[int] = field(default_factory=lambda: [0, 0])


class _Comparison:
    """Takes the pages of two runs by URL, and keeps what differs."""

    def __init__(self, most: int | None, hear: Hear) -> None:
        self.lost, self.gained = (_First(name, most, _of_one, hear) for name in ("lost", "gained"))
        self.hosts_lost, self.hosts_gained = (
            _First(name, most, _of_host, hear) for name in ("hosts_lost", "hosts_gained")
        )
        self.became_relevant, self.became_irrelevant, self.rejudged, self.rewritten = (
            _First(name, most, _of_both, hear)
            for name in ("became_relevant", "became_irrelevant", "rejudged", "rewritten")
        )
        self.pages, self.relevant, self.relevant_alone = [0, 0], [0, 0], [0, 0]
        self.common = 0
        self.change = 0.0
        self._hosts: defaultdict[str, _HostCount] = defaultdict(_HostCount)

    def add(self, old: KnownByUrl | None, new: KnownByUrl | None) -> None:
        """Take a page of one run or, with the same URL, of both."""
        for number, page in enumerate((old, new)):
            if page is not None:
                self._count(number, page)
        if old is not None and new is not None:
            self._add_both(old, new)
        elif new is not None:
            self.relevant_alone[1] += new.is_relevant
            self.gained.add(PageOfOne(*new[:3], bool(new.is_relevant)))
        elif old is not None:
            self.relevant_alone[0] += old.is_relevant
            self.lost.add(PageOfOne(*old[:3], bool(old.is_relevant)))

    def close(self) -> None:
        """Sort out the hosts, when all pages were taken."""
        for host, count in self._hosts.items():
            if not all(count.pages):
                number = 0 if count.pages[0] else 1
                found = HostOfOne(host, count.pages[number], count.relevant[number])
                (self.hosts_gained if number else self.hosts_lost).add(found)

    def _count(self, number: int, page: KnownByUrl) -> None:
        host = self._hosts[Url(page.url).host]
        for pages, relevant in ((self.pages, self.relevant), (host.pages, host.relevant)):
            pages[number] += 1
            relevant[number] += page.is_relevant

    def _add_both(self, old: KnownByUrl, new: KnownByUrl) -> None:
        was, now = bool(old.is_relevant), bool(new.is_relevant)
        has_changed = old.digest != new.digest
        page = PageOfBoth(new.url, new.title, old.relevance, new.relevance, was, now, has_changed)
        self.common += 1
        self.change += page.change
        if now != was:
            (self.became_relevant if now else self.became_irrelevant).add(page)
        elif page.change:
            self.rejudged.add(page)
        if has_changed and not page.change:
            self.rewritten.add(page)


def diff(
    before: Run | Path | str,
    after: Run | Path | str,
    *,
    top: int | None = None,
    on_progress: Callable[[int, int], None] = lambda *_: None,
    on_difference: Hear = lambda *_: None,
) -> RunDiff:
    """Compare a run with an earlier one, page by page; pages are the same if their URLs are.

    With `top`, the result names only the first so many of each kind, and large runs take no more memory than small
    ones. `on_progress` hears now and then how many pages of the second run are compared, and of how many.
    `on_difference` hears of every item of every list, also of those beyond `top`, in no particular order.
    """
    with (
        opened_run(before) as first,
        opened_run(after) as second,
        first.at_one_moment(),
        second.at_one_moment(),
    ):
        found = _Comparison(top, on_difference)
        for old, new in _pairs(first.crawled_pages().by_url(), second.crawled_pages().by_url()):
            found.add(old, new)
            if sum(found.pages) % _TOLD_EVERY == 0:
                on_progress(found.pages[1], second.progress.pages)
        found.close()
        lists = {name: getattr(found, name) for name in _LISTS}
        return RunDiff(
            before=first.name,
            after=second.name,
            pages_before=found.pages[0],
            pages=found.pages[1],
            relevant_before=found.relevant[0],
            relevant=found.relevant[1],
            common=found.common,
            **{name: kept.items() for name, kept in lists.items()},
            mean_change=found.change / found.common if found.common else None,
            same_settings=first.settings == second.settings,
            gained_relevant=found.relevant_alone[1],
            lost_relevant=found.relevant_alone[0],
            totals={name: kept.total for name, kept in lists.items()},
        )


def _pairs(
    olds: Iterator[KnownByUrl], news: Iterator[KnownByUrl]
) -> Iterator[tuple[KnownByUrl | None, KnownByUrl | None]]:
    """Yield the pages of two runs by URL, which rises in both; those of both together."""
    old, new = next(olds, None), next(news, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old.url < new.url):
            yield old, None
            old = next(olds, None)
        elif old is None or new.url < old.url:
            yield None, new
            new = next(news, None)
        else:
            yield old, new
            old, new = next(olds, None), next(news, None)
