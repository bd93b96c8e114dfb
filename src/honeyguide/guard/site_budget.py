"""What a group of hosts, or a section of a host, has cost, and how many pages it may cost.

A space of addresses can only be endless while every page of it brings at least one new address. And a space that is
made up as one goes is a tree: its links lead to addresses that nobody has named before. Honest sites are not so. Their
pages refer to one another, so that many links lead to pages that were met before and still wait (`crossing`), other
sites name their pages first (`from_outside`), and with time they bring fewer and fewer new addresses (`growth`).

An account is *overdrawn* when more of its pages brought new addresses than its allowance has pages, it still grows,
hardly any of its addresses was named twice, and it must be far larger than it seems (`is_vast`). The allowance rises
with every group of sites that refers to it from outside, with every address first met outside once enough groups do,
with every site of its own and with every relevant page. Overdrawn, its links wait a level deeper for each doubling, and
to be so no longer it has to be a fifth below one of these bounds, or a quarter above that of the named twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2, sqrt
from typing import TYPE_CHECKING, Final

from honeyguide.guard.guard import FIRM_LEVEL
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from honeyguide.model import LinkId
    from honeyguide.settings.guard_section import GuardSettings

DEEP: Final = 2
"""The generation from which on a page is not just behind an entrance. An index that lists indexes shows each address
once and looks like a maze, until pages are fetched that these list: so half an allowance has to be spent deeper."""

DEEPEST: Final = 6
"""The level of the most overdrawn account; the bottom is for what is known to be a copy."""

FANNING_OUT: Final = 2.0
"""New addresses a page from which on a site may be a maze. A book in which each page leads to the next has one: it is
never more than one link that waits there, and if it is a trap, it is a series."""

FANNING_OUT_IN_SECTION: Final = 3.0

MOST_KNIT: Final = 0.2
"""The knit share that is enough however many pages were seen."""

LEAST_PAGES: Final = 8
"""Pages that it takes to see whether they refer to one another; twice as well as those of a large site have to."""

LEAST_ADDRESSES: Final = 16
"""Addresses that were named, which it takes as well: of two, one is named twice by chance."""

_SHALLOW: Final = 1.5  # allowances that may be spent just behind entrances
_SLACK: Final = 0.8  # an overdrawn account has to be so far on the other side of a bound
_RECENT: Final = 16  # pages that the mean growth is about
MOST_REFERRERS: Final = 64  # that are told apart
_MOST_PAGES: Final = 256  # that are remembered, to be named when the account turns out to be a maze
_MOST_RENEWALS: Final = 3  # a site with more parts of addresses that do not matter makes them up
_REPEATED: Final = 4  # of the last pages, from which on repetitions are usual
_MASK: Final = (1 << _RECENT) - 1


@dataclass(slots=True)
class Account:
    """The counts of one group or section."""

    fetched: int = 0
    spent: int = 0  # of these, pages that brought new addresses of its own; all others are ends
    deep: int = 0  # of these, pages that are not just behind an entrance
    relevant: int = 0
    hosts: int = 1
    fresh: int = 0  # links of its pages to new addresses of its own
    crossing: int = 0  # links of its pages to addresses of its own that were met before and wait
    growth: float = 0.0  # new addresses of its own that a page brings, a recent mean
    from_outside: int = 0  # addresses of its own that were first met on pages of others
    referrers: list[int] = field(default_factory=list)  # groups that refer to it, told apart up to a number
    pages: list[LinkId] = field(default_factory=list)  # to be named when it turns out to be a maze
    is_trusted: bool = False  # a person named it as a seed
    is_section: bool = False  # of a site; those are judged more carefully
    level: int = 0  # at which its links wait
    repetitions: int = 0  # one bit for each recent page, set where it repeated another
    renewals: int = 0  # times that it began anew

    @property
    def _slack(self) -> float:
        """What bounds are multiplied with, so that an account at one of them is not overdrawn by turns."""
        return _SLACK if self.level else 1.0

    @property
    def knit_share(self) -> float:
        """Of its addresses that were named while they waited, those named again by its own pages or first by others."""
        return (self.crossing + self.from_outside) / max(1, self.named)

    @property
    def named(self) -> int:
        """Its addresses, those that were named twice counted twice."""
        return self.fresh + self.crossing + self.from_outside

    @property
    def estimated_size(self) -> float:
        """How many addresses it has in all, at the least, were each as likely to be shown as any other.

        Of so many links to addresses that wait, so many met one another: the fewer do, the more there must be, as with
        fish that are marked and caught again. Popular pages are met sooner, so an honest site is larger than this says;
        and by chance fewer may have met than is usual, so two standard deviations more are taken.
        """
        shown = self.fresh + self.crossing
        return shown * shown / (2.0 * (self.crossing + 2.0 * sqrt(self.crossing) + 2.0))

    def is_vast(self, rules: GuardSettings) -> bool:
        """Whether it has far more addresses than its pages seen so far, and what others know of it, explain.

        The estimate for a finite site soon stays where it is; that for one that is made up grows with every page.
        """
        explained = max(rules.vast_per_page * self.spent, rules.vast_per_reference * (1 + self.from_outside))
        return self.estimated_size >= max(rules.vast_addresses, explained) * self._slack

    def take(self, link: LinkId | None, fresh: int, crossing: int, *, is_relevant: bool, is_deep: bool = True) -> None:
        """Count a page with its links to addresses of the account; `link` is None where it is not to be named later."""
        self.fetched += 1
        self.spent += fresh > 0
        self.deep += fresh > 0 and is_deep
        self.relevant += is_relevant
        self.fresh += fresh
        self.crossing += crossing
        self.growth += (fresh - self.growth) / min(self.fetched, _RECENT)
        if link is not None and len(self.pages) < _MOST_PAGES:
            self.pages.append(link)

    def note(self, *, is_repetition: bool) -> bool:
        """Take in whether a page repeated another; whether a quarter of the last sixteen did."""
        self.repetitions = (self.repetitions << 1 | is_repetition) & _MASK
        return self.repetitions.bit_count() >= _REPEATED

    def refer(self, group: int, *, is_new: bool) -> None:
        """Count a reference by another group, to an address that was new or not."""
        self.from_outside += is_new
        if group not in self.referrers and len(self.referrers) < MOST_REFERRERS:
            self.referrers.append(group)

    def add(self, other: Account) -> None:
        """Take over the counts of another account."""
        pages = self.fetched + other.fetched
        self.growth = (self.growth * self.fetched + other.growth * other.fetched) / max(1, pages)
        self.fetched = pages
        self.spent += other.spent
        self.deep += other.deep
        self.relevant += other.relevant
        self.fresh += other.fresh
        self.crossing += other.crossing
        self.from_outside += other.from_outside
        self.referrers = list(dict.fromkeys(self.referrers + other.referrers))[:MOST_REFERRERS]

    def subtract(self, other: Account) -> None:
        """Give back the counts of another account that were added, or counted here as well as there."""
        self.fetched = max(0, self.fetched - other.fetched)
        self.spent = max(0, self.spent - other.spent)
        self.deep = max(0, self.deep - other.deep)
        self.relevant = max(0, self.relevant - other.relevant)
        self.fresh = max(0, self.fresh - other.fresh)
        self.crossing = max(0, self.crossing - other.crossing)
        self.from_outside = max(0, self.from_outside - other.from_outside)

    def begin_anew(self) -> bool:
        """Count again from nothing: what was counted were variants of addresses that are told apart no longer.

        Whether it did: what has new parts of addresses again and again that do not matter is not let off each time.
        """
        if self.renewals == _MOST_RENEWALS:
            return False
        self.renewals += 1
        self.fetched = self.spent = self.deep = self.fresh = self.crossing = self.level = 0
        self.growth = 0.0
        self.pages = []
        return True

    def allowance(self, rules: GuardSettings) -> float:
        """Pages that it may cost before its links wait behind others."""
        referrers = min(len(self.referrers), rules.established_referrers)
        earned = min(rules.allowance / 2, rules.allowance_per_relevant * self.relevant)
        allowance = rules.allowance + rules.allowance_per_referrer * referrers + earned
        allowance += rules.allowance_per_host * min(self.hosts - 1, rules.allowance)
        if self.is_established(rules):
            allowance += rules.allowance_per_reference * self.from_outside
        return allowance

    def is_established(self, rules: GuardSettings) -> bool:
        """Whether enough others refer to it that it counts as a place of its own."""
        return self.is_trusted or len(self.referrers) >= rules.established_referrers

    def has_proved_itself(self, rules: GuardSettings) -> bool:
        """Whether it is no part of a maze, as far as can be seen."""
        is_knit = self.knit_share >= 2 * rules.knit and not self.is_vast(rules)
        is_seen = self.fetched >= LEAST_PAGES and self.named >= LEAST_ADDRESSES and is_knit
        return is_seen or self.is_established(rules)

    def is_well_knit(self, rules: GuardSettings) -> bool:
        """Whether its pages are referred to as those of honest sites are, by one another and by others."""
        doublings = max(0.0, log2(max(1, self.spent) / self.allowance(rules)))
        needed = min(rules.knit + rules.knit_per_doubling * doublings, max(rules.knit, MOST_KNIT))
        return self.knit_share >= (needed / 2 if self.is_section else needed) / self._slack

    def settle(self, rules: GuardSettings) -> int:
        """Work out at which level its links wait."""
        allowance = self.allowance(rules)
        least_growth = (FANNING_OUT_IN_SECTION if self.is_section else FANNING_OUT) * self._slack
        is_endless = self.growth >= least_growth and self.is_vast(rules) and not self.is_well_knit(rules)
        bound = allowance * self._slack
        is_spent = self.spent > bound and (2 * self.deep >= bound or self.spent > _SHALLOW * bound)
        is_overdrawn = is_spent and is_endless and not self.is_trusted
        self.level = min(DEEPEST, FIRM_LEVEL + max(0, int(log2(self.spent / allowance)))) if is_overdrawn else 0
        if self.spent > _MOST_PAGES and not is_overdrawn:
            self.pages = []  # it has shown by now that it is no maze
        return self.level

    def told(self, rules: GuardSettings) -> str:
        """The numbers that decide, for people."""
        pages = f"{self.spent} of {count_of(self.fetched, 'page')} on {count_of(self.hosts, 'site')}"
        return (
            f"{pages} brought new addresses, {self.growth:.1f} a page; {self.knit_share:.1%} of these were named "
            f"again, or elsewhere first; {count_of(len(self.referrers), 'other refers', 'others refer')} to it; "
            f"{count_of(self.relevant, 'was', 'were')} relevant; its allowance is {self.allowance(rules):.0f}"
        )
