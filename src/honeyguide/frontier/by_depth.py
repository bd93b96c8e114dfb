"""The frontier of iterative deepening: the links of one level at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.frontier.best_first import BestFirstFrontier
from honeyguide.frontier.frontier import earliest
from honeyguide.model import LinkId

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.frontier.frontier import NotBefore, Scorer, Taken


class ByDepthFrontier(BestFirstFrontier):
    """The next whole number up from a score is its level: only links of the highest level that waits come out.

    Inside a level the highest score comes first, of equals the lowest number. A link of a lower level waits while there
    is one of a higher level, even where every host of the higher level rests and its own is ready.
    """

    def take(self, now: float) -> Taken | NotBefore | None:
        hosts = self._chunks.host[self._top_chunks()]
        # The best link on a ready host is of the highest level, if any of that level is on one.
        return self._not_before(hosts, now) or super().take(now)

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        chunks, top = self._chunks, self._top_chunks()
        if not len(top):
            return None
        slots, _ = chunks.slots_of_chunks(top)
        slots = slots[(chunks.link[slots] >= 0) & (np.ceil(chunks.score[slots]) == np.ceil(chunks.best[top[0]]))]
        hosts = chunks.host[chunks.chunks_of_slots(slots)]
        not_before = self._not_before(hosts, now)
        if not_before is not None:
            return not_before
        is_ready = self._readiness.ready_at(int(hosts.max()) + 1)[hosts] <= now
        links = chunks.link[slots][is_ready]
        in_order = links[np.lexsort((links, hosts[is_ready]))]  # the same after a restart, unlike chunks
        return self.withdraw(LinkId(int(in_order[chance.integers(len(in_order))])))

    def reprice(self, scorer: Scorer) -> None:
        """Levels do not follow from rows."""

    def _top_chunks(self) -> NDArray[np.int64]:
        """Return the chunks that hold links of the highest level."""
        live = self._live_chunks()
        levels = np.ceil(self._chunks.best[live])
        return live[levels == levels.max(initial=-np.inf)]

    def _not_before(self, hosts: NDArray[np.int32], now: float) -> NotBefore | None:
        """Return when the first of these hosts is ready; None if one is already, or if there are none."""
        ready_at = self._readiness.ready_at(int(hosts.max(initial=0)) + 1)[hosts]
        return earliest(ready_at) if len(hosts) and ready_at.min() > now else None
