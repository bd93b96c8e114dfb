"""When each host may be asked again: plain arithmetic, and the clocks that remember its results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.frontier.frontier import HostId
    from honeyguide.settings import FetchSettings, PolitenessSettings

BUSY = float("inf")
ALWAYS = -BUSY  # ready time of a host that was never asked


def next_request_at(
    finished_at: float, host_delay_s: float, politeness: PolitenessSettings, response_s: float = 0.0
) -> float:
    """The earliest moment for the next request to a host.

    Given are when the last one ended, the pause that the host asks for, and how long the answer took, where that
    counts.
    """
    return finished_at + politeness.pause_s(response_s, host_delay_s)


def backoff_s(troubles: int, fetch: FetchSettings, chance: np.random.Generator) -> float:
    """How long a host is left alone after so many troubles in a row: twice as long after each, within a limit.

    Between half of that and all of it, so that hosts which failed together are not asked again together.
    """
    longest_s = fetch.longest_backoff_s(troubles)
    return float(chance.uniform(longest_s / 2, longest_s))


def further_pause_s(fetches: int, politeness: PolitenessSettings, chance: np.random.Generator) -> float:
    """How much longer the host asked last rests, given how many fetches a crawl has made; most often 0."""
    if not politeness.pause_every or fetches % politeness.pause_every:
        return 0.0
    return float(chance.uniform(politeness.pause_from_s, politeness.pause_to_s))


def longest_pause_s(politeness: PolitenessSettings) -> float:
    """The longest that a host may have to rest between two requests."""
    further_s = politeness.pause_to_s if politeness.pause_every else 0.0
    return max(politeness.delay_s, politeness.max_delay_s) + further_s


class HostClocks:
    """Ready times by host. A host is busy from `hold` to `release`; unknown hosts are ready at once.

    Hosts that were found at one address are never ready while one of them is busy, nor while their address rests.
    """

    def __init__(self) -> None:
        self._ready_at = np.full(64, ALWAYS)  # by host, its address considered
        self._held = 0
        self._latest_release = ALWAYS
        self._own_ready_at: dict[HostId, float] = {}  # of hosts whose address is known
        self._address_of: dict[HostId, str] = {}
        self._addresses: dict[str, _Address] = {}

    def hold(self, host: HostId) -> None:
        """A request to the host is under way."""
        self._make_room(host)
        assert self._own(host) != BUSY, f"host {host} is asked twice at once"
        self._ready_at[host] = BUSY
        self._held += 1
        if host in self._address_of:
            self._own_ready_at[host] = BUSY
            address = self._addresses[self._address_of[host]]
            address.requests += 1
            self._ready_at[address.hosts] = BUSY

    def release(self, host: HostId, ready_at: float, address_ready_at: float = ALWAYS) -> None:
        """The request has ended; the next one to the host may start at `ready_at`, to its address as told."""
        self._make_room(host)
        was_busy = self._own(host) == BUSY
        self._held -= was_busy
        self._ready_at[host] = ready_at
        self._latest_release = max(self._latest_release, ready_at, address_ready_at)
        if host in self._address_of:
            self._own_ready_at[host] = ready_at
            address = self._addresses[self._address_of[host]]
            address.requests -= was_busy
            address.ready_at = max(address.ready_at, address_ready_at)
            self._refresh(address)

    def place(self, host: HostId, name: str) -> bool:
        """Note the address at which a host was found, by any name. False if that was known."""
        before = self._address_of.get(host)
        if before == name:
            return False
        self._make_room(host)
        own = self._own(host)
        if before is not None:
            self._addresses[before].hosts.remove(host)
            self._addresses[before].requests -= own == BUSY
            self._refresh(self._addresses[before])
        address = self._addresses.setdefault(name, _Address())
        self._address_of[host] = name
        self._own_ready_at[host] = own
        address.hosts.append(host)
        address.requests += own == BUSY
        self._refresh(address)
        return True

    def are_all_ready(self, now: float) -> bool:
        return self._held == 0 and self._latest_release <= now

    def is_ready(self, host: HostId, now: float) -> bool:
        return host >= len(self._ready_at) or bool(self._ready_at[host] <= now)

    def ready_at(self, count: int) -> NDArray[np.float64]:
        """Ready times of the first `count` hosts; infinite while a host is busy. Read it, do not keep it."""
        if count:
            self._make_room(count - 1)
        return self._ready_at[:count]

    def _own(self, host: HostId) -> float:
        """The ready time of a host without regard to its address."""
        return self._own_ready_at.get(host, float(self._ready_at[host]))

    def _refresh(self, address: _Address) -> None:
        for host in address.hosts:
            own = self._own_ready_at[host]
            self._ready_at[host] = BUSY if address.requests else max(own, address.ready_at)

    def _make_room(self, host: int) -> None:
        if host >= len(self._ready_at):
            grown = np.full(max(2 * len(self._ready_at), host + 1), ALWAYS)
            grown[: len(self._ready_at)] = self._ready_at
            self._ready_at = grown


@dataclass(slots=True, eq=False)
class _Address:
    """The hosts found at an address, how many of them are being asked, and when the next one may be."""

    hosts: list[HostId] = field(default_factory=list)
    requests: int = 0
    ready_at: float = ALWAYS
