"""Guards for tests: their levels follow from rules of a line each, not from what pages look like."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

import xxhash

from honeyguide.crawler import Builder
from honeyguide.guard import MAX_LEVEL, Cause, Finding, FindingKind, Judgement, LateFinding, LinkLevel, Reason
from honeyguide.model import LinkId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from honeyguide.guard import Fingerprint, Guard, SeenPage, Target
    from honeyguide.model import HostKey, Url


class IdleGuard:
    """Sees everything and minds nothing."""

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        return Judgement()

    def hear(self, page: Url, targets: Sequence[Target]) -> Sequence[HostKey]:
        return ()

    def remember(self, pages: Sequence[tuple[Url, Fingerprint]], moment: float) -> None:
        pass

    def level(self, url: Url, carried: int) -> LinkLevel:
        return LinkLevel()

    def is_shown_twice(self, link: LinkId) -> bool:
        return False

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        assert state == b""


class RestlessGuard:
    """Moves links down and up all the time, by how many pages their hosts have given.

    Its state holds a hash of all that it was shown: two that were shown the same, in the same order, save the same.
    """

    def __init__(self) -> None:
        self._pages: dict[str, int] = {}
        self._forgiven: dict[str, int] = {}
        self._trail = ""
        self._count = 0
        self._last = -1

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        self._trail = xxhash.xxh3_128_hexdigest(f"{self._trail} {page} {targets}".encode())
        self._count += 1
        host = page.url.host
        self._pages[host] = self._pages.get(host, 0) + 1
        reconsider: tuple[HostKey, ...] = ()
        if self._pages[host] % 5 == 0:
            self._forgiven[host] = self._forgiven.get(host, 0) + 1
            reconsider = (host,)
        finding, earlier = None, tuple[LateFinding, ...]()
        if self._count % 3 == 0:
            finding = Finding(FindingKind.LOOP, host, like=LinkId(0), numbers={"words": self._count})
            earlier = (LateFinding(LinkId(self._last), finding, self._count % 4),) if self._count % 6 == 0 else ()
        self._last = page.link
        return Judgement(finding, self._count % 4, reconsider, earlier)

    def hear(self, page: Url, targets: Sequence[Target]) -> Sequence[HostKey]:
        self._trail = xxhash.xxh3_128_hexdigest(f"{self._trail} {page} {targets}".encode())
        return tuple(target.url.host for target in targets)

    def remember(self, pages: Sequence[tuple[Url, Fingerprint]], moment: float) -> None:
        self._trail = xxhash.xxh3_128_hexdigest(f"{self._trail} {pages} {moment}".encode())

    def level(self, url: Url, carried: int) -> LinkLevel:
        spent = self._pages.get(url.host, 0) // 2 - 2 * self._forgiven.get(url.host, 0)
        is_spared = xxhash.xxh32_intdigest(url.text.encode()) % 3 == 0
        level = min(max(0 if is_spared else spent, carried), MAX_LEVEL)
        return LinkLevel(level, Reason(Cause.OVER_BUDGET, f"level {level}") if level else None)

    def is_shown_twice(self, link: LinkId) -> bool:
        return link % 2 == 0

    def save(self) -> bytes:
        return json.dumps([self._pages, self._forgiven, self._trail, self._count, self._last]).encode()

    def load(self, state: bytes) -> None:
        self._pages, self._forgiven, self._trail, self._count, self._last = json.loads(state)


class ByWords(IdleGuard):
    """A link whose address has `/N-` in it waits on level N, a page whose address has it gives its links as much.

    What a test changes in `levels`, by word of the address, holds from the next look on.
    """

    def __init__(self, levels: dict[str, int] | None = None, reconsider: dict[str, str] | None = None) -> None:
        self.levels = dict(levels or {})
        self.demotions: dict[str, int] = {}  # of pages, by word of their address
        self.hosts_to_look_at = dict(reconsider or {})  # by word of the address of the page that asks for it
        self.on_page: dict[str, Callable[[], None]] = {}  # what happens when a page with this word comes
        self.seen: list[tuple[SeenPage, list[Target]]] = []

    def is_shown_twice(self, link: LinkId) -> bool:
        return sum(target.link == link for _, targets in self.seen for target in targets) > 1

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        self.seen.append((page, list(targets)))
        for word, happens in self.on_page.items():
            if word in page.url.text:
                happens()
        demotion = _of(self.demotions, page.url)
        finding = Finding(FindingKind.LOOP, page.url.host, like=page.link, numbers={"words": 1}) if demotion else None
        hosts = tuple(host for word, host in self.hosts_to_look_at.items() if word in page.url.text)
        return Judgement(finding, demotion, hosts)  # type: ignore[arg-type]

    def level(self, url: Url, carried: int) -> LinkLevel:
        level = max(_of(self.levels, url), carried)
        return LinkLevel(level, Reason(Cause.SERIES, "its words") if level else None)


def _of(levels: dict[str, int], url: Url) -> int:
    return max((level for word, level in levels.items() if word in url.text), default=0)


@contextmanager
def guarded_by(make: Callable[[], Guard] = RestlessGuard) -> Iterator[None]:
    """Crawls begun or resumed in here have such a guard."""
    with mock.patch.object(Builder, "guard", lambda self: make() if self.is_guarded else None):
        yield
