"""When each host may be asked again: plain arithmetic, and the clocks that remember its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.frontier.frontier import HostId
    from honeyguide.settings import PolitenessSettings

BUSY = float("inf")
ALWAYS = -BUSY  # ready time of a host that was never asked


def next_request_at(finished_at: float, host_delay_s: float, politeness: PolitenessSettings) -> float:
    """The earliest moment for the next request to a host, given when the last one ended and the pause it asks for."""
    asked_s = min(host_delay_s, politeness.max_delay_s)
    return finished_at + max(politeness.delay_s, asked_s)


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
    """Ready times by host. A host is busy from `hold` to `release`; unknown hosts are ready at once."""

    def __init__(self) -> None:
        self._ready_at = np.full(64, ALWAYS)
        self._held = 0
        self._latest_release = ALWAYS

    def hold(self, host: HostId) -> None:
        """A request to the host is under way."""
        self._make_room(host)
        assert self._ready_at[host] != BUSY, f"host {host} is asked twice at once"
        self._ready_at[host] = BUSY
        self._held += 1

    def release(self, host: HostId, ready_at: float) -> None:
        """The request has ended; the next one may start at `ready_at`."""
        self._make_room(host)
        if self._ready_at[host] == BUSY:
            self._held -= 1
        self._ready_at[host] = ready_at
        self._latest_release = max(self._latest_release, ready_at)

    def are_all_ready(self, now: float) -> bool:
        return self._held == 0 and self._latest_release <= now

    def is_ready(self, host: HostId, now: float) -> bool:
        return host >= len(self._ready_at) or bool(self._ready_at[host] <= now)

    def ready_at(self, count: int) -> NDArray[np.float64]:
        """Ready times of the first `count` hosts; infinite while a host is busy. Read it, do not keep it."""
        if count:
            self._make_room(count - 1)
        return self._ready_at[:count]

    def _make_room(self, host: int) -> None:
        if host >= len(self._ready_at):
            grown = np.full(max(2 * len(self._ready_at), host + 1), ALWAYS)
            grown[: len(self._ready_at)] = self._ready_at
            self._ready_at = grown
