"""Hosts and schemes that show the same pages under the same paths, learned from pages that were the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import HostKey
from honeyguide.domain.guard_words import mirror_of
from honeyguide.guard.bounded import Bounded
from honeyguide.guard.forms import hash_of, path_of
from honeyguide.guard.guard import FindingKind
from honeyguide.guard.pairs import Copy, Rule
from honeyguide.guard.saving import fields_of

if TYPE_CHECKING:
    from honeyguide.guard.pairs import Fetched
    from honeyguide.guard.saving import State


class Mirrors:
    """Knows which origins (scheme and host) are mirrors of each other. All mirrors of one have one leader."""

    def __init__(self, *, pairs: int, memory: int) -> None:
        """Two origins are mirrors after so many paths with equal texts; `memory` bounds the paths remembered."""
        self._pairs = pairs
        self._origin_by_path: Bounded[int, tuple[str, Fetched]] = Bounded(memory)
        self._rules: Bounded[tuple[str, str], Rule] = Bounded(max(1, memory // 8))  # by two origins
        self._leader: dict[str, str] = {}  # of an origin that has mirrors, the one that was met first

    def learn(self, origin: str, address: str, page: Fetched, parted: list[HostKey]) -> Copy | None:
        """Look for the same path on another host, or under the other scheme. Hosts that are no mirrors any more are
        added to `parted`.
        """
        key = hash_of(path_of(address))
        known = self._origin_by_path.touch(key)
        if known is None or known[0] == origin:
            self._origin_by_path.put(key, (origin, page))
            return None
        other, earlier = known
        is_equal = earlier[0] == page[0]
        pair = _pair(origin, other)
        rule = self._rules.touch(pair)
        if rule is None:
            rule = Rule()
            dropped = self._rules.put(pair, rule)
            if dropped is not None:
                parted += self._part(*dropped[0])
        rule.copies += rule.holds(self._pairs)
        rule.count("", is_equal=is_equal)
        if not rule.holds(self._pairs):
            parted += self._part(*pair)
        else:
            self._join(other, origin)
        return Copy(FindingKind.MIRROR, mirror_of(other), rule.equal, earlier[1]) if is_equal else None

    def leader(self, origin: str) -> str | None:
        """The mirror of an origin that was met first; None where it has none."""
        return self._leader.get(origin)

    def hosts(self) -> list[str]:
        """Those that have mirrors."""
        return [_host(origin) for origin in self._leader]

    def fetched_from(self, origin: str, address: str) -> str | None:
        """The mirror of an origin from which this path was fetched."""
        if origin not in self._leader:
            return None
        known = self._origin_by_path.get(hash_of(path_of(address)))
        is_mirror = known is not None and known[0] != origin and self._leader.get(known[0]) == self._leader[origin]
        return known[0] if known is not None and is_mirror else None

    def rule(self, one: str, two: str) -> Rule | None:
        """How the pairs of two origins turned out."""
        return self._rules.get(_pair(one, two))

    def held(self) -> dict[str, tuple[str, ...]]:
        """What each mirror is a mirror of."""
        return {origin: (mirror_of(leader),) for origin, leader in self._leader.items() if origin != leader}

    def state(self) -> State:
        """What `restore` takes."""
        rules = [(key, fields_of(rule)) for key, rule in self._rules.items()]
        return [list(self._origin_by_path.items()), rules, self._leader]

    def restore(self, state: State) -> None:
        paths, rules, self._leader = state
        self._origin_by_path.replace(paths)
        self._rules.replace((key, Rule(*fields)) for key, fields in rules)

    def _part(self, one: str, two: str) -> list[HostKey]:
        """Two origins are no mirrors of each other; the hosts that are seen anew, with all their mirrors."""
        leader = self._leader.get(one)
        if leader is None or leader != self._leader.get(two):
            return []
        together = [origin for origin, led_by in self._leader.items() if led_by == leader]
        for origin in together:
            del self._leader[origin]
        return [HostKey(_host(origin)) for origin in together]

    def _join(self, one: str, two: str) -> None:
        """Two origins are mirrors of each other, and so are all that are mirrors of either."""
        leader, joining = self._leader.get(one, one), self._leader.get(two, two)
        for origin in (one, two, *(each for each, led_by in self._leader.items() if led_by == joining)):
            self._leader[origin] = leader


def _host(origin: str) -> str:
    return origin.split("//")[1]


def _pair(one: str, two: str) -> tuple[str, str]:
    return (one, two) if one < two else (two, one)
