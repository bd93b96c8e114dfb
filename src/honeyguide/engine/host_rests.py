"""Until when the hosts of a stored run rest, read off the clock of the process that goes on with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from honeyguide.frontier import longest_pause_s
from honeyguide.settings.fetch_tables import LONGEST_REST_S
from honeyguide.store import HostRecord

if TYPE_CHECKING:
    from honeyguide.settings import PolitenessSettings
    from honeyguide.store import Progress


@dataclass(frozen=True, slots=True)
class HostRest:
    """A host that was asked before."""

    host: str
    ready_at: float
    address: str  # empty where it is not known
    address_ready_at: float
    troubles: int


class StoredHosts(Protocol):
    """A run's store, or a run opened for reading."""

    def progress(self) -> Progress | None: ...

    def ready_at_by_host(self) -> dict[str, float]: ...

    def live_hosts(self) -> list[HostRecord]: ...


def host_rests(store: StoredHosts, now: float, politeness: PolitenessSettings) -> list[HostRest]:
    """Every host that was asked. Times are those of the wall, which go on while no process runs.

    A machine's clock that was set back meanwhile makes nobody wait for longer than was meant.
    """
    progress = store.progress()
    behind_s = 0.0 if progress is None else max(0.0, progress.now - now)
    latest = now + max(longest_pause_s(politeness), LONGEST_REST_S)
    known = {record.host: record for record in store.live_hosts()}
    rests = []
    for host, ready_at in store.ready_at_by_host().items():
        live = known.get(host, HostRecord(host, "", now, 0))
        rests.append(
            HostRest(
                host,
                min(ready_at - behind_s, latest),
                live.address,
                min(live.address_ready_at - behind_s, latest),
                live.troubles,
            )
        )
    return rests
