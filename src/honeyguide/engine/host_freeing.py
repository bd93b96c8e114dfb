"""What an answer means for the host that gave it: its rest, and the end of what it may give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import LinkState
from honeyguide.frontier import further_pause_s, next_request_at
from honeyguide.store import HostRecord

if TYPE_CHECKING:
    from honeyguide.domain import Answer, LinkId
    from honeyguide.engine.ledger import Ledger
    from honeyguide.engine.parts import Parts
    from honeyguide.engine.steps import Dispatch
    from honeyguide.engine.troubles import Troubles
    from honeyguide.frontier import HostId
    from honeyguide.settings import Settings
    from honeyguide.store.records import HostChanges


class HostFreeing:
    """Frees hosts whose answers are in."""

    def __init__(self, parts: Parts, settings: Settings, ledger: Ledger, troubles: Troubles) -> None:
        self._parts = parts
        self._settings = settings
        self._ledger = ledger
        self._troubles = troubles
        # What became of hosts that were freed before the page of a link was read.
        self._freed_by_link: dict[LinkId, tuple[tuple[LinkId, ...], HostChanges]] = {}

    def free_early(self, dispatch: Dispatch, answer: Answer, ended_at: float) -> None:
        """Free a host while its page is still being read; `free` follows."""
        surplus = self._take_out_surplus(dispatch)
        fetches = self._ledger.progress.fetches + len(self._freed_by_link) + 1
        self._freed_by_link[dispatch.record.link] = surplus, self._let_rest(dispatch.host, answer, ended_at, fetches)

    def free(self, dispatch: Dispatch, answer: Answer, ended_at: float) -> tuple[tuple[LinkId, ...], HostChanges]:
        """Free a host, if that is to be done yet: links that it is not to be asked for, and what the store keeps."""
        freed = self._freed_by_link.pop(dispatch.record.link, None)
        if freed is not None:
            return freed
        surplus = self._take_out_surplus(dispatch)
        return surplus, self._let_rest(dispatch.host, answer, ended_at, self._ledger.progress.fetches)

    def _take_out_surplus(self, dispatch: Dispatch) -> tuple[LinkId, ...]:
        """The waiting links of the host just asked, out of the frontier, where it may give no more pages."""
        parts = self._parts
        if not parts.scope.note_fetch(dispatch.url.host):
            return ()
        surplus = parts.links.waiting_on(dispatch.host)
        for link in surplus:
            parts.frontier.withdraw(link)
            parts.links.set_state(link, LinkState.SURPLUS)
        self._ledger.note_surplus(len(surplus))
        return tuple(surplus)

    def _let_rest(self, host: HostId, answer: Answer, ended_at: float, fetches: int) -> HostChanges:
        """Set the clocks of a host that has been asked; gives back what the store is to keep of it.

        `fetches` is how many have ended by now.
        """
        parts, politeness = self._parts, self._settings.politeness
        further_s = further_pause_s(fetches, politeness, parts.chance)
        key = parts.links.host_key(host)
        if not parts.is_live:
            ready_at = next_request_at(ended_at, answer.host_delay_s, politeness) + further_s
            parts.clocks.release(host, ready_at)
            return {"ready_at_by_host": {key: ready_at}}
        if answer.address and politeness.per_address:
            parts.clocks.place(host, answer.address)
        rest = self._troubles.rest_after(host, answer, ended_at)
        parts.clocks.release(host, rest.ready_at + further_s, rest.address_ready_at)
        troubles = self._troubles.in_a_row_by_host.get(host, 0)
        record = HostRecord(key, answer.address, rest.address_ready_at, troubles)
        return {"ready_at_by_host": {key: rest.ready_at + further_s}, "host": record}
