"""Budgets of sites: how many pages a site may cost before its links wait behind those of others.

The idea is that of IRLbot's domain budgets (Lee et al. 2008): a site may cost more the more others refer to it, so that
endless sites, which nobody refers to, do not take over the crawl. A *site* is a registered domain.

- A page is *confirmed* once a second page shows its address; a link back to the page's parent does not count. Sites
  that people make are full of such pages; a site that makes up addresses as one goes names each of them once.
- A page that shows two new addresses or more that share its budget costs 1 until it is confirmed; the first page of a
  site costs nothing.
- The budget is a base, and more for each independent referrer and each relevant page.
- A site needs no budget while it seems to have at most 3,000 addresses, or 30 for each of its pages. Of the addresses
  shown some were shown twice: the fewer, the more there must be, as with fish that are marked and caught again. For a
  finite site the estimate soon stays where it is, for one that is made up it grows with every page.
- A referrer is *trusted* when it is a seed's site, or has eight confirmed pages and one among every four; only trusted
  ones count, and sites that share a budget count as one.
- A site first met on a site that is not trusted shares the budget of that site, until four trusted ones refer to it.
- When a budget is spent, the links of all sites that share it wait at level 3, and a level deeper with each doubling,
  until the budget has grown a quarter beyond what was spent. Sites of seeds have no bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2, sqrt
from sys import intern
from typing import TYPE_CHECKING, Final

from honeyguide.guard.bounded import Bounded, fields_of
from honeyguide.guard.guard import DEEPEST, FIRM_LEVEL
from honeyguide.model import registered_domain
from honeyguide.settings.guard_section import SITE_BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.guard.bounded import State
    from honeyguide.model import HostKey, LinkId
    from honeyguide.settings import GuardSettings

FORGIVING: Final = (8, 16)
"""Independent referrers from which on one level of a near-duplicate is forgiven, or all of it."""

MOST_REFERRERS: Final = 128  # that are told apart
_LEAST_FRESH: Final = 2  # a book in which each page leads to the next shows one new address a page
_OWN_BUDGET: Final = 4  # trusted referrers that give a site a budget of its own
_LEAST_CONFIRMED: Final = 8  # pages of a trusted site
_CONFIRMED_SHARE: Final = 0.25
_ADDRESSES_PER_PAGE: Final = 30
_SLACK: Final = 1.25  # a spent budget has to grow beyond what was spent by so much
_MOST_KEPT: Final = 256  # pages, to be named when the budget is spent, and hosts, whose links are looked at again
_MOST_RENEWALS: Final = 3


@dataclass(slots=True)
class Site:
    """A registered domain, and its budget, which other sites may share."""

    domain: str
    shares_with: str = ""  # the site whose budget it uses; "" where it has its own
    is_seed: bool = False
    hosts: list[HostKey] = field(default_factory=list)
    referrers: list[str] = field(default_factory=list)  # trusted budgets that refer to it, by domain
    sites: int = 1  # that use this budget
    fetched: int = 0
    cost: int = 0  # pages that cost 1, and are not confirmed
    confirmed: int = 0  # pages
    shown: int = 0  # addresses that its pages have shown
    shown_twice: int = 0  # of these, those shown by a second page
    relevant: int = 0
    level: int = 0  # at which links into sites of this budget wait
    renewals: int = 0  # times that the count began again
    pages: list[LinkId] = field(default_factory=list)  # without a finding, to be named when the budget is spent

    @property
    def is_trusted(self) -> bool:
        """Whether its word counts for others."""
        is_confirmed = self.confirmed >= max(_LEAST_CONFIRMED, _CONFIRMED_SHARE * self.fetched)
        return self.is_seed or (is_confirmed and not self.level)

    def budget(self, rules: GuardSettings) -> float:
        """Return how many pages may cost something before links wait."""
        return (
            rules.site_budget
            + rules.budget_per_referrer * len(self.referrers)
            + rules.budget_per_relevant * self.relevant
        )

    @property
    def estimated_addresses(self) -> float:
        """How many addresses it has at the least, were each as likely to be shown as any other.

        Two standard deviations are added to those shown twice, because fewer may have been by chance.
        """
        links = self.shown + self.shown_twice
        return links * links / (2.0 * (self.shown_twice + 2.0 * sqrt(self.shown_twice) + 2.0))

    def settle(self, rules: GuardSettings) -> bool:
        """Work out the level at which its links wait; whether it is a better one than before."""
        before, budget = self.level, self.budget(rules)
        slack = _SLACK if before else 1.0
        explained = max(rules.maze_addresses, _ADDRESSES_PER_PAGE * self.fetched)
        is_spent = self.cost * slack > budget and self.estimated_addresses * slack > explained
        is_bound = not self.is_seed and SITE_BUDGET in rules.rules
        deeper = max(0, int(log2(self.cost / budget))) if is_spent else 0
        self.level = min(DEEPEST, FIRM_LEVEL + deeper) if is_spent and is_bound else 0
        return self.level < before

    def numbers(self, rules: GuardSettings) -> dict[str, float]:
        """Return the numbers that decide."""
        return {
            "cost": self.cost,
            "budget": round(self.budget(rules)),
            "pages": self.fetched,
            "sites": self.sites,
            "confirmed": self.confirmed,
            "addresses": round(self.estimated_addresses),
            "referrers": len(self.referrers),
            "relevant": self.relevant,
        }

    def begin_again(self) -> bool:
        """Count from nothing, because the addresses counted so far were variants; three times at most."""
        if self.renewals == _MOST_RENEWALS:
            return False
        self.renewals += 1
        self.fetched = self.cost = self.confirmed = self.shown = self.shown_twice = 0
        self.pages = []
        return True


class SiteBudgets:
    """The sites met; those that nothing was heard of for longest are forgotten, seeds' sites never."""

    def __init__(self, rules: GuardSettings) -> None:
        self._rules = rules
        self._seeds: dict[str, Site] = {}
        self._sites: Bounded[str, Site] = Bounded(rules.memory)

    def find(self, host: HostKey) -> Site | None:
        """Return the site of a host, where it is known. Changes nothing."""
        domain = registered_domain(host)
        return self._seeds.get(domain) or self._sites.get(domain)

    def meet(self, host: HostKey, introducer: Site | None = None) -> Site:
        """Return the site of a host; a new one shares the budget of an introducer that is not trusted."""
        domain = registered_domain(host)
        site = self._seeds.get(domain) or self._sites.touch(domain)
        if site is None:
            site = Site(domain)
            payer = None if introducer is None else self.payer(introducer)
            if payer is not None and not payer.is_trusted:
                site.shares_with = payer.domain
                payer.sites += 1
                self._sites.touch(payer.domain)
            self._sites.put(domain, site)
        if host not in site.hosts and len(site.hosts) < _MOST_KEPT:
            site.hosts.append(host)
        return site

    def meet_seed(self, host: HostKey) -> tuple[Site, list[HostKey]]:
        """Return the site of a seed, which has no bound, and its hosts if their links waited behind others."""
        site = self.meet(host)
        was_behind = self.payer(site).level > 0
        site.is_seed, site.level, site.shares_with = True, 0, ""
        self._sites.remove(site.domain)
        self._seeds[site.domain] = site
        return site, site.hosts if was_behind else []

    def payer(self, site: Site) -> Site:
        """Return the site whose budget a site uses: itself, or the one that it was first met on."""
        if not site.shares_with:
            return site
        return self._seeds.get(site.shares_with) or self._sites.get(site.shares_with) or site

    def level(self, host: HostKey) -> tuple[int, str]:
        """Return the level at which links to a host wait, and the site whose budget is spent. Changes nothing."""
        site = self.find(host)
        payer = None if site is None else self.payer(site)
        return (0, "") if payer is None else (payer.level, payer.domain)

    def referrers(self, host: HostKey) -> int:
        """Return how many independent sites refer to a host's site."""
        site = self.find(host)
        return 0 if site is None else len(site.referrers)

    def refer(self, site: Site, host: HostKey) -> tuple[Site, list[HostKey]]:
        """Count a link from a site to a host; return the site of the host, and hosts that have a better level now."""
        other = self.meet(host, site)
        source, payer = self.payer(site), self.payer(other)
        is_counted = source is not payer and source.is_trusted and source.domain not in other.referrers
        if not is_counted or len(other.referrers) == MOST_REFERRERS:
            return other, []
        other.referrers.append(source.domain)
        raised = other.hosts if len(other.referrers) in FORGIVING else []
        if other is payer:
            return other, self.hosts_of(other) if other.settle(self._rules) else raised
        if len(other.referrers) == _OWN_BUDGET:
            other.shares_with = ""
            payer.sites -= 1
            raised = other.hosts if payer.level else raised
        return other, raised

    def charge(
        self, site: Site, link: LinkId, fresh: int, *, is_confirmed: bool, is_relevant: bool
    ) -> tuple[Site, bool, list[HostKey]]:
        """Count a page that shows so many new addresses.

        Return who pays, whether the page costs anything, and hosts that have a better level now.
        """
        payer = self.payer(site)
        payer.fetched += 1
        payer.confirmed += is_confirmed
        payer.relevant += is_relevant
        payer.shown += fresh
        site_pages = payer.fetched if site is payer else self._count_page(site)
        is_costly = fresh >= _LEAST_FRESH and not is_confirmed and site_pages > 1
        payer.cost += is_costly
        if fresh and len(payer.pages) < _MOST_KEPT:
            payer.pages.append(link)
        has_risen = payer.settle(self._rules)
        return payer, is_costly, self.hosts_of(payer) if has_risen else []

    def confirm(self, host: HostKey, *, is_costly: bool) -> list[HostKey]:
        """Count that a second page shows a fetched one; return hosts that have a better level now."""
        site = self.find(host)
        if site is None:
            return []
        payer = self.payer(site)
        payer.confirmed += 1
        payer.shown_twice += 1
        payer.cost = max(0, payer.cost - is_costly)
        return self.hosts_of(payer) if payer.settle(self._rules) else []

    def show_again(self, site: Site) -> None:
        """Count that a second page shows an address of a site, which waits."""
        self.payer(site).shown_twice += 1

    def begin_again(self, host: HostKey) -> list[HostKey]:
        """Count a host's site from nothing; return hosts that have a better level now."""
        site = self.find(host)
        payer = None if site is None else self.payer(site)
        if payer is None or not payer.begin_again() or not payer.settle(self._rules):
            return []
        return self.hosts_of(payer)

    def hosts_of(self, payer: Site) -> list[HostKey]:
        """Return the hosts of all sites that use a budget."""
        sharing: Iterable[Site] = [payer]
        if payer.sites > 1:
            sharing = [site for _, site in self._sites.items() if self.payer(site) is payer]
        return [host for site in sharing for host in site.hosts]

    def state(self) -> State:
        sites = (*self._seeds.values(), *(site for _, site in self._sites.items()))
        return [fields_of(site) for site in sites]

    def restore(self, state: State) -> None:
        sites = [Site(*fields) for fields in state]
        for site in sites:  # as before, sites that refer to many others are one text each
            site.referrers = list(map(intern, site.referrers))
        self._seeds = {site.domain: site for site in sites if site.is_seed}
        self._sites.replace((site.domain, site) for site in sites if not site.is_seed)

    @staticmethod
    def _count_page(site: Site) -> int:
        """Count a page of a site that uses another's budget; its own first page costs nothing."""
        site.fetched += 1
        return site.fetched
