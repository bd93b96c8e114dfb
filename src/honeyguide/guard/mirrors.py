"""Hosts and schemes that show the same pages under the same paths, learned from pages that were the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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


_MOST_TEXTS: Final = 3  # of one path, each with the origin that showed it first


class Mirrors:
    """Knows which origins (scheme and host) are mirrors of each other. All mirrors of one have one leader."""

    def __init__(self, *, pairs: int, memory: int) -> None:
        """Two origins are mirrors after so many paths with equal texts; `memory` bounds the paths remembered."""
        self._pairs = pairs
        self._shown: Bounded[int, tuple[tuple[str, Fetched], ...]] = Bounded(memory)  # by path: the origins and pages
        self._rules: Bounded[tuple[str, str], Rule] = Bounded(max(1, memory // 8))  # by two origins
        self._leader: dict[str, str] = {}  # of an origin that has mirrors, the one that was met first

    def learn(self, origin: str, address: str, page: Fetched) -> tuple[Copy | None, list[HostKey]]:
        """Look for the same path on other hosts, or under the other scheme. Also says which hosts are seen anew.

        Sites that have nothing to do with each other have paths in common, too: a page is compared with the last few
        that had another text each. It counts against two origins that their texts differ where there is a rule about
        them, or no other page has its text.
        """
        key = hash_of(path_of(address))
        others = [shown for shown in self._shown.get(key) or () if shown[0] != origin]
        same = next((shown for shown in others if shown[1][0] == page[0]), None)
        self._shown.put(key, tuple(others if same else [*others, (origin, page)][-_MOST_TEXTS:]))
        copy, parted = None, []
        for shown in others:
            if shown is same or self.rule(origin, shown[0]) is not None or (same is None and shown is others[-1]):
                rule, seen_anew = self._count(shown[0], origin, is_equal=shown is same)
                parted += seen_anew
                if shown is same:
                    copy = Copy(FindingKind.MIRROR, mirror_of(shown[0]), rule.equal, shown[1][1])
        return copy, parted

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
        shown = self._shown.get(hash_of(path_of(address))) or ()
        return next((other for other, _ in shown if other != origin and self._are_mirrors(other, origin)), None)

    def rule(self, one: str, two: str) -> Rule | None:
        """How the pairs of two origins turned out."""
        return self._rules.get(_pair(one, two))

    def state(self) -> State:
        """What `restore` takes."""
        rules = [(key, fields_of(rule)) for key, rule in self._rules.items()]
        return [list(self._shown.items()), rules, self._leader]

    def restore(self, state: State) -> None:
        """Back to a saved state; mirrors by a rule that there is no room for are none."""
        shown, saved, self._leader = state
        rules = [(key, Rule(*fields)) for key, fields in saved]
        self._shown.replace(shown)
        self._rules.replace(rules)
        for key, rule in rules:
            if key not in self._rules:
                self._let_go(key, rule)

    def _count(self, one: str, two: str, *, is_equal: bool) -> tuple[Rule, list[HostKey]]:
        """Take in a pair, the origin that was first with it first; the rule, and the hosts that are seen anew."""
        parted: list[HostKey] = []
        pair = _pair(one, two)
        rule = self._rules.touch(pair)
        if rule is None:
            rule = Rule()
            dropped = self._rules.put(pair, rule)
            parted += [] if dropped is None else self._let_go(*dropped)
        rule.copies += rule.holds(self._pairs)
        rule.count("", is_equal=is_equal)
        if rule.holds(self._pairs):
            self._join(one, two)
        elif not is_equal:
            parted += self._part(*pair)
        return rule, parted

    def _let_go(self, pair: tuple[str, str], rule: Rule) -> list[HostKey]:
        """There is no room for a rule; the hosts that are seen anew."""
        return self._part(*pair) if rule.holds(self._pairs) else []

    def _are_mirrors(self, one: str, two: str) -> bool:
        leader = self._leader.get(one)
        return leader is not None and leader == self._leader.get(two)

    def _part(self, one: str, two: str) -> list[HostKey]:
        """Two origins are no mirrors of each other; the hosts that are seen anew, with all their mirrors."""
        if not self._are_mirrors(one, two):
            return []
        leader = self._leader[one]
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
