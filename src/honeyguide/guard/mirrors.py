"""Mirrors: hosts and schemes that show the same pages under the same paths, learned from pages that were the same.

A `Rule` counts pairs of addresses that differ in one part, and how many of the pairs had equal texts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from honeyguide.guard.bounded import Bounded, fields_of
from honeyguide.guard.guard import FindingKind
from honeyguide.guard.url_pattern import hash_of, path_of
from honeyguide.model import HostKey

if TYPE_CHECKING:
    from honeyguide.guard.bounded import State
    from honeyguide.model import LinkId

Fetched: TypeAlias = "tuple[int, LinkId]"
"""The exact print of a fetched page, and the first page that had it there."""

PAIRS: Final = 3
"""Pairs of addresses with the same text that a rule takes."""

LEAST_SECTIONS: Final = 2
"""Sections of a host in which there must have been pairs for a rule to hold on all of it."""

_TIMES_AS_MANY: Final = 4  # pairs that it takes again, for each that had different texts
_MOST_SETBACKS: Final = 8  # of these, that make it take more
_PAIRS_FOR_A_PROBE: Final = 64  # more equal ones, for each probe after the first


@dataclass(slots=True)
class Rule:
    """How pairs for one rule turned out."""

    equal: int = 0  # pairs with equal texts since the last that had different ones
    different: int = 0  # pairs with different texts, ever
    is_session: bool = False
    copies: int = 0  # pages fetched although the rule held: what it was probed with
    sections: list[str] = field(default_factory=list)  # in which there were pairs, as many as it takes

    def holds(self, pairs: int) -> bool:
        """Whether there were enough equal pairs: four times as many for each different one."""
        return self.equal >= pairs * _TIMES_AS_MANY ** min(self.different, _MOST_SETBACKS)

    @property
    def wants_a_probe(self) -> bool:
        """Whether one more page is to be fetched though the rule says that it is known."""
        return self.copies < 1 + self.equal // _PAIRS_FOR_A_PROBE

    def count(self, section: str, *, is_equal: bool, is_session: bool = False) -> None:
        """Take in a pair."""
        if section not in self.sections and len(self.sections) < LEAST_SECTIONS:
            self.sections.append(section)
        self.is_session = self.is_session or is_session
        self.equal = self.equal + 1 if is_equal else 0
        self.different += not is_equal


@dataclass(frozen=True, slots=True)
class Copy:
    """A page that has the text of an earlier one, at an address that differs in one part."""

    kind: FindingKind
    rule: str
    pairs: int  # equal ones that the rule has by now
    like: LinkId  # the earlier page


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
                    copy = Copy(FindingKind.MIRROR, shown[0], rule.equal, shown[1][1])
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
        """Return the state, for `restore`."""
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
