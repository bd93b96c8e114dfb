"""Pairs of addresses that differ in one part, and what their texts say of the rule that the part does not matter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from honeyguide.counts import count_of
from honeyguide.guard.forms import INDEX, SLASH, WHOLE_QUERY
from honeyguide.guard.guard import FindingKind

if TYPE_CHECKING:
    from honeyguide.domain import LinkId

Fetched: TypeAlias = "tuple[int, LinkId]"
"""The exact print of a fetched page, and the first page that had it there."""

LEAST_SECTIONS: Final = 2
"""Sections of a host in which there must have been pairs for a rule to hold on all of it."""

_TIMES_AS_MANY: Final = 4  # pairs that it takes again, for each that had different texts
_MOST_SETBACKS: Final = 8  # of these, that make it take more
_PAIRS_FOR_A_PROBE: Final = 64  # more equal ones, for each probe after the first

_WORDS: Final = {WHOLE_QUERY: "the query", SLASH: "the slash at the end", INDEX: "the name of an index page"}


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

    def told(self) -> str:
        """The numbers that decide, for people."""
        part = _WORDS.get(self.rule, "the host" if self.kind is FindingKind.MIRROR else self.rule)
        return f"the very text of an earlier page, where only this differs: {part}; {count_of(self.pairs, 'such pair')}"
