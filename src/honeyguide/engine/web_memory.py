"""What a live crawl remembers of hosts from one process to the next: their robots.txt, and until when they rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.engine.host_rests import host_rests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.domain import RobotsFile
    from honeyguide.engine.host_rests import HostRest
    from honeyguide.fetch import Turns
    from honeyguide.settings import PolitenessSettings
    from honeyguide.store import HostsAsked, SqliteStore, StepRecord


class WebMemory:
    """A world is opened before the run it is crawled into: until `keep_in`, robots.txt files are kept here.

    A run that looks at the pages of an earlier one goes on with what that knew of hosts.
    """

    def __init__(self) -> None:
        self.turns: Turns | None = None  # of the world that uses this memory; None where it asks nobody
        self._files: dict[str, RobotsFile] = {}
        self._store: SqliteStore | None = None
        self._earlier: HostsAsked | None = None
        self.earlier_rests: Sequence[HostRest] = ()  # of the hosts that an earlier run has asked

    def robots_file(self, origin: str) -> RobotsFile | None:
        if self._store is not None:
            return self._store.robots_file(origin)
        kept = self._files.get(origin)
        return self._earlier.robots_file(origin) if kept is None and self._earlier is not None else kept

    def keep_robots_file(self, file: RobotsFile) -> None:
        if self._store is None:
            self._files[file.origin] = file
        else:
            self._store.keep_robots_file(file)

    def keep_in(self, store: SqliteStore) -> None:
        """From now on everything is kept in the store of a run."""
        self._store = store
        if self._earlier is not None:
            for file in self._earlier.robots_files():
                store.keep_robots_file(file)
            self._earlier = None
        for file in self._files.values():
            store.keep_robots_file(file)
        self._files.clear()

    def recall(self, store: SqliteStore, now: float, politeness: PolitenessSettings) -> None:
        """Go on with a run: hosts rest as long as they would have, and none is asked at once.

        Nobody knows whom a killed process had asked last, or when: requests are stored when they have ended. But it
        was before `now`.
        """
        self.keep_in(store)
        self._let_rest(host_rests(store, now, politeness), now)

    def take_over(self, hosts: HostsAsked, now: float, politeness: PolitenessSettings) -> None:
        """Begin with what an earlier run knew, as if going on with it; it may be closed after `keep_in`."""
        self._earlier = hosts
        self.earlier_rests = host_rests(hosts, now, politeness)
        self._let_rest(self.earlier_rests, now)

    def _let_rest(self, rests: Sequence[HostRest], now: float) -> None:
        if self.turns is None:
            return
        self.turns.presume_all_asked(now)
        for rest in rests:
            self.turns.let_rest(("host", rest.host), rest.ready_at)
            if rest.address:
                self.turns.let_rest(("address", rest.address), rest.address_ready_at)

    def note_rests(self, step: StepRecord) -> None:
        """What the crawl has decided on holds for every request to a host: also for its robots.txt, say."""
        if self.turns is not None:
            for host, ready_at in step.ready_at_by_host.items():
                self.turns.let_rest(("host", host), ready_at)
