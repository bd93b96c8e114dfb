"""What the links of a page are to the accounts that the page belongs to, and what they say of those they lead to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from honeyguide.guard.folding import hash_of
from honeyguide.guard.levels import FORGIVING
from honeyguide.guard.shape import Shape, shape_of
from honeyguide.settings.guard_section import BY_REFERRERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.guard.guard import Target
    from honeyguide.guard.levels import Standings
    from honeyguide.guard.neighbourhoods import Site
    from honeyguide.guard.site_budget import Account
    from honeyguide.guard.tables import Tables
    from honeyguide.model import HostKey, LinkId
    from honeyguide.settings.guard_section import GuardSettings


class Scope(Enum):
    """What has an account."""

    GROUP = "group"
    SITE = "site"
    BESIDE = "beside"  # all sections of a seed's site in which no seed is
    SECTION = "section"


@dataclass(slots=True)
class LinksOfPage:
    """The links of a page to addresses that were not fetched, counted by what they share an account with."""

    fresh: Counter[Scope] = field(default_factory=Counter)  # to new addresses
    crossing: Counter[Scope] = field(default_factory=Counter)  # to addresses met for the second time
    brings: bool = False  # one of them leads to anything but more of the page's own series
    turns: bool = False  # one of them leads to more of it


class LinkCensus:
    """Counts the links of page after page."""

    def __init__(self, rules: GuardSettings, tables: Tables, standings: Standings) -> None:
        self._rules = rules
        self._tables = tables
        self._standings = standings

    def take(self, shape: Shape, site: Site, targets: Sequence[Target], reconsider: dict[HostKey, None]) -> LinksOfPage:
        """Sort the links of a page, and count what they say of the hosts and sections that they lead to.

        Hosts that stand better by it are added to `reconsider`.
        """
        links = LinksOfPage()
        is_trusted = self._tables.section(shape.section).is_trusted
        for target in targets:
            there = shape_of(target.url)
            other = site if there.host == shape.host else None
            if not target.is_new and self._tables.fetched.touch(target.link) is not None:
                if other is None:
                    other = self._refer(site, there, reconsider, is_new=False)
                    self.rank(other, target.importance, reconsider)
                continue
            times = 0 if target.is_new else self._times_met(target.link)
            if self._tables.folding.has_rules(there.host):
                if self._tables.folding.variant_of(target.url) is not None:
                    continue
                times = max(times, self._tables.folding.meet(target.url))
            is_new = times == 0
            if other is None:
                other = self._refer(site, there, reconsider, is_new=is_new)
                self.rank(other, target.importance, reconsider)
            if is_new:
                self._introduce(site, shape, other, there)
            scopes = list(self._scopes(site, shape, other, there, is_trusted=is_trusted))
            if is_new:
                links.fresh.update(scopes)
                is_turn = shape.is_serial and there.is_serial and there.section == shape.section
                is_turn = is_turn and not self._has_new_word(there)
                links.turns |= is_turn
                links.brings |= not is_turn
            elif times == 1:
                links.crossing.update(scopes)
        return links

    def rank(self, site: Site, importance: float, reconsider: dict[HostKey, None]) -> None:
        """Take in the PageRank of one of a site's addresses."""
        if importance <= site.importance:
            return
        forgiven = self._standings.forgiven(site)
        site.importance = importance
        if self._standings.forgiven(site) > forgiven:
            reconsider.update(dict.fromkeys(site.hosts))

    def _scopes(self, site: Site, shape: Shape, other: Site, there: Shape, *, is_trusted: bool) -> Iterator[Scope]:
        """What an address has in common with the page that shows it."""
        if other.group == site.group:
            yield Scope.GROUP
        if other is not site:
            return
        yield Scope.SITE
        if there.section == shape.section:
            yield Scope.SECTION
        if site.beside is not None and not is_trusted and not self._tables.section(there.section).is_trusted:
            yield Scope.BESIDE

    def _has_new_word(self, there: Shape) -> bool:
        """Whether the name of something stands in an address that no numbered address of its section had so far.

        A calendar's addresses have numbers, and a few words again and again; below the numbers of a journal are titles.
        """
        is_new = False
        for word in there.words:
            key = hash_of(f"{there.section} {word}")
            is_new |= self._tables.words.touch(key) is None
            self._tables.words.put(key, 1)
        return is_new

    def _times_met(self, link: LinkId) -> int:
        """1 when a link is met for the second time, then 2."""
        if self._tables.again.touch(link) is not None:
            return 2
        self._tables.again.put(link, 1)
        return 1

    def _introduce(self, site: Site, shape: Shape, other: Site, there: Shape) -> None:
        """Count an address of another section that is first met here, if the page is of one that has proved itself."""
        if there.section == shape.section:
            return
        groups = self._tables.groups
        here = self._tables.section(shape.section)
        is_known = (
            here.has_proved_itself(self._rules) and not here.level
            if other is site
            else groups.has_proved_itself(site) and not groups.level(site)
        )
        if is_known:
            for account in self._into(site, here, other, there):
                account.from_outside += 1

    def _into(self, site: Site, here: Account, other: Site, there: Shape) -> Iterator[Account]:
        """The accounts below that of the site which a link leads into from outside."""
        section = self._tables.section(there.section)
        yield section
        if other.beside is not None and not section.is_trusted and (other is not site or here.is_trusted):
            yield other.beside

    def _refer(self, site: Site, there: Shape, reconsider: dict[HostKey, None], *, is_new: bool) -> Site:
        """Count a link to another host; the site of that host."""
        groups = self._tables.groups
        known = groups.find(there.host)
        referrers = 0 if known is None else len(known.account.referrers)
        level = 0 if known is None else groups.level(known)
        left = None if known is None else groups.group(known)
        left_level = 0 if left is None else left.level
        other = groups.refer(site, there.host, is_new=is_new)
        if left is not None and left.number != other.group and left.level < left_level:
            reconsider.update(dict.fromkeys(left.hosts))
        if other.group == site.group or groups.level(site):
            return other
        section = self._tables.section(there.section)
        for account in (section, other.beside):
            if account is not None and not section.is_trusted:
                account.refer(site.group, is_new=False)
        is_forgiven_more = len(other.account.referrers) != referrers and self._is_forgiven_more(other.account)
        if is_forgiven_more or any(map(self._has_risen, groups.accounts(other))):
            reconsider.update(dict.fromkeys(groups.group(other).hosts))
        if groups.level(other) < level or (other.beside is not None and self._has_risen(other.beside)):
            reconsider.update(dict.fromkeys(other.hosts))
        if self._has_risen(section):
            reconsider[there.host] = None
        return other

    def _has_risen(self, account: Account) -> bool:
        """Whether an overdrawn account is less so by now, or no longer."""
        level = account.level
        return level > 0 and account.settle(self._rules) < level

    def _is_forgiven_more(self, account: Account) -> bool:
        """Whether the newest referrer has made a group important enough for the next level to be forgiven."""
        return self._rules.importance == BY_REFERRERS and len(account.referrers) in FORGIVING
