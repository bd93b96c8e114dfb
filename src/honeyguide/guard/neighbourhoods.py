"""Which hosts belong together: those of one registered domain, and sites that only their neighbours know.

A *site* is a registered domain with its hosts. One that is first met on a seed, or on a page of a site that has proved
itself, is a group of its own. One that is first met anywhere else joins the group of the site that shows it, and shares
its account: a hundred sites of a maze that stand behind one entrance have one allowance between them. A site leaves its
group once it has proved itself, by pages that refer to one another or by many groups that refer to it; and when a few
groups that have proved themselves refer to it, as long as its own is not overdrawn. Groups that refer to each other
become one where neither site has proved itself. Whether an address is known elsewhere can be said by sites that have
proved themselves only: a farm can refer to its own as often as it likes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from honeyguide.guard.bounded import Bounded, fields_of
from honeyguide.guard.site_budget import LEAST_ADDRESSES, LEAST_PAGES, MOST_REFERRERS, Account
from honeyguide.model import HostKey, registered_domain
from honeyguide.model.guard_words import with_others

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.guard.bounded import State
    from honeyguide.model import LinkId
    from honeyguide.settings.guard_section import GuardSettings

VOUCHERS: Final = 4
"""Groups that have proved themselves and refer to a site, with which it leaves a group of others. It has not proved
itself by that: comments with links to the entrance of a maze are easily planted."""

_MOST_HOSTS: Final = 256  # of one site, that are looked at again when it stands better


@dataclass(slots=True)
class Site:
    """A registered domain."""

    domain: str
    group: int
    hosts: list[HostKey] = field(default_factory=list)
    account: Account = field(default_factory=Account)
    vouchers: list[int] = field(default_factory=list)  # groups that have proved themselves and refer to it
    importance: float = 0.0  # of its most important address, where ranks are kept
    beside: Account | None = None  # of a seed's site, all its sections together in which no seed is


@dataclass(slots=True)
class Group:
    """Sites that share an account; a single one has its own."""

    number: int
    sites: dict[str, Site] = field(default_factory=dict)
    shared: Account | None = None
    with_pages: dict[str, Site] = field(default_factory=dict)  # sites that may have pages without a finding

    @property
    def account(self) -> Account:
        return next(iter(self.sites.values())).account if self.shared is None else self.shared

    @property
    def level(self) -> int:
        """At which the links of its sites wait that are liable for it; 0 when all have left."""
        return self.account.level if self.sites else 0

    @property
    def hosts(self) -> tuple[HostKey, ...]:
        return tuple(host for site in self.sites.values() for host in site.hosts)

    def referrers(self) -> list[int]:
        """The groups that refer to any of its sites, told apart up to a number."""
        others = dict.fromkeys(group for site in self.sites.values() for group in site.account.referrers)
        return [group for group in others if group != self.number][:MOST_REFERRERS]

    def take_pages(self, of: Callable[[Site], bool]) -> list[LinkId]:
        """The pages without a finding of these sites, the first met first; they are forgotten with that."""
        taken: list[LinkId] = []
        for site in list(filter(of, self.with_pages.values())):
            taken += site.account.pages
            site.account.pages = []
            del self.with_pages[site.domain]
        return sorted(taken)

    @property
    def name(self) -> str:
        """For people: its first site, and how many more there are."""
        return with_others(next(iter(self.sites)), len(self.sites) - 1)


class Neighbourhoods:
    """The groups of the sites met; sites that nothing was heard of for longest are forgotten."""

    def __init__(self, rules: GuardSettings) -> None:
        self._rules = rules
        self._seeds: dict[str, Site] = {}  # the sites of seeds, which are never forgotten
        self._sites: Bounded[str, Site] = Bounded(rules.memory)  # all others
        self._groups: dict[int, Group] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._groups)

    def find(self, host: HostKey) -> Site | None:
        """The site of a host; None where it was never met, or is forgotten. Changes nothing."""
        domain = registered_domain(host)
        return self._seeds.get(domain) or self._sites.get(domain)

    def group(self, site: Site) -> Group:
        return self._groups[site.group]

    def meet(self, host: HostKey, introducer: Site | None) -> Site:
        """The site of a host; where it was never met, in a group of its own or in the introducer's."""
        domain = registered_domain(host)
        site = self._seeds.get(domain) or self._sites.touch(domain)
        if site is None:
            is_alone = introducer is None or self.has_proved_itself(introducer)
            group = self._new_group() if is_alone or introducer is None else self.group(introducer)
            site = Site(domain, group.number)
            self._join(site, group)
        if host not in site.hosts and len(site.hosts) < _MOST_HOSTS:
            site.hosts.append(host)
        return site

    def trust(self, host: HostKey) -> Site:
        """The site of a seed, which is a group of its own."""
        site = self.meet(host, None)
        if self.group(site).shared is not None:
            self._leave(site)
        if site.beside is None:
            site.account.is_trusted = True
            site.account.level = 0
            site.beside = Account(is_section=True)
            self._sites.remove(site.domain)
            self._seeds[site.domain] = site
        return site

    def refer(self, referrer: Site, host: HostKey, *, is_new: bool) -> Site:
        """Count a link from one site to a host; the site of that host."""
        self._sites.touch(referrer.domain)  # the site whose page is looked at is not the one to be forgotten
        site = self.meet(host, referrer)
        if site.group == referrer.group or self.level(referrer):
            return site
        is_known = self.has_proved_itself(referrer)
        for account in self.accounts(site):
            account.refer(referrer.group, is_new=is_new and is_known)
        if is_known:
            if referrer.group not in site.vouchers and len(site.vouchers) < VOUCHERS:
                site.vouchers.append(referrer.group)
            self.let_go(site)
        elif site.group in self.group(referrer).account.referrers and self._belong_together(referrer, site):
            self._unite(self.group(referrer), self.group(site))
        return site

    def accounts(self, site: Site) -> tuple[Account, ...]:
        """The account of a site, and that of its group where it has another."""
        shared = self.group(site).shared
        return (site.account,) if shared is None else (site.account, shared)

    def level(self, site: Site) -> int:
        """At which the links of a site wait."""
        shared = self.group(site).shared
        return (
            max(site.account.level, shared.level) if shared is not None and self.is_liable(site) else site.account.level
        )

    def is_liable(self, site: Site) -> bool:
        """Whether a site is one of those that its group is overdrawn for, or its own links show that it is none."""
        account = site.account
        is_seen = account.fetched >= LEAST_PAGES // 2 and account.named >= LEAST_ADDRESSES // 2
        is_known = is_seen or len(site.vouchers) >= VOUCHERS // 2
        return not (is_known and account.knit_share >= self._rules.knit)

    def has_proved_itself(self, site: Site) -> bool:
        """Whether a site is no part of a maze, as far as can be seen."""
        return site.account.has_proved_itself(self._rules)

    def keep_pages(self, site: Site) -> None:
        """Have the group know of a site that has pages without a finding."""
        if site.account.pages:
            self.group(site).with_pages[site.domain] = site

    def begin_anew(self, site: Site) -> bool:
        """Count a site's addresses again, of which many are one; whether that was done."""
        before = replace(site.account, relevant=0, from_outside=0)  # which it keeps
        if not site.account.begin_anew():
            return False
        group = self.group(site)
        group.with_pages.pop(site.domain, None)
        if group.shared is not None and not group.shared.renewals:  # once: a farm could have rules on every site
            group.shared.renewals = 1
            group.shared.subtract(before)
            group.shared.settle(self._rules)
        return True

    def let_go(self, site: Site) -> bool:
        """Let a site leave its group if it has proved itself, or others vouch for it; whether it did."""
        group = self.group(site)
        is_vouched_for = len(site.vouchers) == VOUCHERS and not group.account.level
        has_left = len(group.sites) > 1 and (is_vouched_for or self.has_proved_itself(site))
        if has_left:
            self._leave(site)
        return has_left

    def state(self) -> State:
        """What `restore` takes."""
        sites = [
            (
                site.domain,
                site.group,
                site.hosts,
                fields_of(site.account),
                site.vouchers,
                site.importance,
                None if site.beside is None else fields_of(site.beside),
            )
            for site in (*self._seeds.values(), *(site for _, site in self._sites.items()))
        ]
        groups = [
            (group.number, list(group.sites), None if group.shared is None else fields_of(group.shared))
            for group in self._groups.values()
        ]
        return sites, groups, self._next

    def restore(self, state: State) -> None:
        sites, groups, self._next = state
        saved = [
            Site(
                domain,
                group,
                hosts,
                Account(*account),
                vouchers,
                importance,
                None if beside is None else Account(*beside),
            )
            for domain, group, hosts, account, vouchers, importance, beside in sites
        ]
        self._seeds = {site.domain: site for site in saved if site.beside is not None}
        self._sites.replace((site.domain, site) for site in saved if site.beside is None)
        known = {**self._seeds, **dict(self._sites.items())}  # fewer than were saved, where there is less room now
        self._groups = {
            number: Group(
                number,
                {domain: known[domain] for domain in domains if domain in known},
                None if shared is None else Account(*shared),
            )
            for number, domains, shared in groups
            if any(domain in known for domain in domains)
        }
        for site in known.values():
            self.keep_pages(site)

    def _belong_together(self, one: Site, other: Site) -> bool:
        """Whether two sites that refer to each other are of one group. Vouchers are no help to a maze's entrance."""
        if self.has_proved_itself(one) or self.has_proved_itself(other):
            return False
        is_maze = bool(self.group(one).account.level or self.group(other).account.level)
        return is_maze or VOUCHERS not in (len(one.vouchers), len(other.vouchers))

    def _new_group(self) -> Group:
        group = self._groups[self._next] = Group(self._next)
        self._next += 1
        return group

    def _share(self, group: Group) -> Account:
        """The account that the sites of a group share from now on."""
        if group.shared is None:
            own, group.shared = group.account, Account()
            group.shared.add(own)
            group.shared.level = own.level
        return group.shared

    def _unite(self, one: Group, other: Group) -> None:
        """Make two groups one, the larger of them."""
        larger, smaller = (one, other) if len(one.sites) >= len(other.sites) else (other, one)
        shared = self._share(larger)
        shared.add(smaller.account)
        shared.referrers = [group for group in shared.referrers if group not in (one.number, other.number)]
        for site in smaller.sites.values():
            site.group = larger.number
        larger.sites.update(smaller.sites)
        larger.with_pages.update(smaller.with_pages)
        shared.hosts = len(larger.sites)
        del self._groups[smaller.number]

    def _join(self, site: Site, group: Group) -> None:
        if group.sites:
            self._share(group)
        group.sites[site.domain] = site
        if group.shared is not None:
            group.shared.hosts = len(group.sites)
        dropped = self._sites.put(site.domain, site)
        if dropped is not None:
            self._remove(dropped[1])

    def _leave(self, site: Site) -> None:
        left = self.group(site)
        self._remove(site)
        if left.shared is not None:
            left.shared.subtract(site.account)
            left.shared.referrers = left.referrers()
            left.shared.settle(self._rules)
        group = self._new_group()
        site.group = group.number
        group.sites[site.domain] = site
        self.keep_pages(site)

    def _remove(self, site: Site) -> None:
        group = self.group(site)
        del group.sites[site.domain]
        group.with_pages.pop(site.domain, None)
        if not group.sites:
            del self._groups[group.number]
        elif group.shared is not None:
            group.shared.hosts = len(group.sites)
