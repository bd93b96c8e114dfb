"""Which hosts belong together: those of one registered domain, and those that only their neighbours know.

A host that is first met on a page of an established group, or on a seed, is a group of its own. One that is first met
on a page of any other group joins that group, and shares its account: a hundred hosts of a maze that stand behind one
entrance have one allowance between them. A host leaves when enough established groups refer to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from honeyguide.domain import HostKey, registered_domain
from honeyguide.guard.accounts import Account
from honeyguide.guard.bounded import Bounded
from honeyguide.guard.saving import fields_of

if TYPE_CHECKING:
    from honeyguide.guard.saving import State
    from honeyguide.settings.schema import GuardSettings

LEAVING: Final = 4
"""Established groups that have to refer to a host before it is a group of its own."""


@dataclass(slots=True)
class Group:
    """Hosts that share an account."""

    number: int
    account: Account = field(default_factory=Account)
    domains: dict[str, list[HostKey]] = field(default_factory=dict)

    @property
    def hosts(self) -> tuple[HostKey, ...]:
        return tuple(host for hosts in self.domains.values() for host in hosts)

    @property
    def name(self) -> str:
        """For people: its first registered domain, and how many more there are."""
        first, others = next(iter(self.domains)), len(self.domains) - 1
        return f"{first} and {others} more" if others else first


class Neighbourhoods:
    """The groups of the hosts met; hosts that nothing was heard of for longest are forgotten."""

    def __init__(self, rules: GuardSettings) -> None:
        self._rules = rules
        self._group_of: Bounded[str, int] = Bounded(rules.memory)  # by registered domain
        self._groups: dict[int, Group] = {}
        self._vouchers: Bounded[str, list[int]] = Bounded(rules.memory)  # established groups that refer to a domain
        self._next = 0

    def __len__(self) -> int:
        return len(self._groups)

    def find(self, host: HostKey) -> Group | None:
        """The group of a host; None where the host was never met, or is forgotten. Changes nothing."""
        number = self._group_of.get(registered_domain(host))
        return None if number is None else self._groups[number]

    def meet(self, host: HostKey, introducer: Group | None) -> Group:
        """The group of a host, which is one of its own or the introducer's where it was never met."""
        domain = registered_domain(host)
        number = self._group_of.touch(domain)
        if number is not None:
            group = self._groups[number]
            hosts = group.domains[domain]
            if host not in hosts and len(hosts) < 32:
                hosts.append(host)
            return group
        group = self._new_group() if introducer is None or self._is_good(introducer) else introducer
        self._join(domain, [host], group)
        return group

    def trust(self, host: HostKey) -> Group:
        """The group of a seed's host."""
        group = self.meet(host, None)
        group.account.is_trusted = True
        return group

    def refer(self, referrer: Group, host: HostKey, *, is_new: bool) -> Group:
        """Count a link from one group to a host; the group of that host, which may have become its own."""
        group = self.meet(host, referrer)
        if group is referrer or referrer.account.level:
            return group
        group.account.refer(referrer.number, is_new=is_new)
        if len(group.domains) > 1 and self._is_good(referrer):
            domain = registered_domain(host)
            vouchers = self._vouchers.touch(domain)
            if vouchers is None:
                vouchers = []
                self._vouchers.put(domain, vouchers)
            if referrer.number not in vouchers:
                vouchers.append(referrer.number)
            if len(vouchers) >= LEAVING:
                group = self._leave(domain, group, vouchers)
        return group

    def state(self) -> State:
        """What `restore` takes."""
        groups = [(group.number, fields_of(group.account), group.domains) for group in self._groups.values()]
        return list(self._group_of.items()), groups, list(self._vouchers.items()), self._next

    def restore(self, state: State) -> None:
        group_of, groups, vouchers, self._next = state
        self._group_of.replace(group_of)
        self._groups = {number: Group(number, Account(*counts), domains) for number, counts, domains in groups}
        self._vouchers.replace(vouchers)

    def _is_good(self, group: Group) -> bool:
        """Whether a group is established, or large enough to be seen to be well knit."""
        account = group.account
        is_large = account.fetched >= self._rules.allowance
        return account.is_established(self._rules) or (is_large and account.is_well_knit(self._rules))

    def _new_group(self) -> Group:
        group = Group(self._next)
        self._groups[self._next] = group
        self._next += 1
        return group

    def _join(self, domain: str, hosts: list[HostKey], group: Group) -> None:
        group.domains[domain] = hosts
        group.account.hosts = len(group.domains)
        dropped = self._group_of.put(domain, group.number)
        if dropped is not None:
            self._remove(*dropped)

    def _leave(self, domain: str, group: Group, vouchers: list[int]) -> Group:
        hosts = group.domains[domain]
        self._remove(domain, group.number)
        own = self._new_group()
        own.account.referrers = list(vouchers)
        self._join(domain, hosts, own)
        return own

    def _remove(self, domain: str, number: int) -> None:
        group = self._groups[number]
        del group.domains[domain]
        group.account.hosts = len(group.domains)
        if not group.domains:
            del self._groups[number]
