"""Ready times of hosts, set by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import HostId


class HostClocks:
    """A host is busy from `hold` to `release`; one that was never held is ready at once."""

    def __init__(self) -> None:
        self._ready_at = np.full(5000, -np.inf)
        self._asked_at = np.full(5000, -np.inf)

    def hold(self, host: HostId, now: float = 0.0) -> None:
        self._ready_at[host] = np.inf
        self._asked_at[host] = now

    def release(self, host: HostId, ready_at: float) -> None:
        self._ready_at[host] = ready_at

    def is_ready(self, host: HostId, now: float) -> bool:
        return bool(self._ready_at[host] <= now)

    def are_all_ready(self, now: float) -> bool:
        return bool((self._ready_at <= now).all())

    def ready_at(self, count: int) -> NDArray[np.float64]:
        return self._ready_at[:count]

    def asked_at(self, count: int) -> NDArray[np.float64]:
        return self._asked_at[:count]
