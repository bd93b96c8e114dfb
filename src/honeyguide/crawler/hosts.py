"""What a live crawl does about trouble that may pass: the link is tried again, its host left alone for a while.

Offline nothing of this happens: an offline world answers the same every time.

What an answer means for the host that gave it: its rest, and the end of what it may give.

Until when the hosts of a stored run rest, read off the clock of the process that goes on with it.

What a live crawl remembers of hosts from one process to the next: their robots.txt, and until when they rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from honeyguide.frontier import backoff_s, further_pause_s, longest_pause_s, next_request_at
from honeyguide.model import Failed, LinkState, Refused
from honeyguide.runs import HostRecord
from honeyguide.settings.fetch_sections import LONGEST_REST_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from honeyguide.crawler.events import Dispatch
    from honeyguide.crawler.ledger import Ledger
    from honeyguide.crawler.parts import Parts
    from honeyguide.fetch import Turns
    from honeyguide.frontier import HostId
    from honeyguide.model import Answer, LinkId, RobotsFile
    from honeyguide.runs import HostsAsked, Progress, SqliteStore, StepRecord
    from honeyguide.runs.records import HostChanges
    from honeyguide.settings import FetchSettings, PolitenessSettings, Settings


def may_pass(answer: Answer) -> bool:
    """Whether the same link may well bring a page later: a temporary failure, or a robots.txt not to be had for now."""
    outcome = answer.outcome
    return (isinstance(outcome, Failed) and outcome.is_temporary) or (
        isinstance(outcome, Refused) and answer.retry_after_s > 0
    )


@dataclass(frozen=True, slots=True)
class Rest:
    """When a host may be asked again after an answer, and when its address may be."""

    ready_at: float
    address_ready_at: float


class Troubles:
    """How often links were tried in vain, and how many troubles in a row each host has had."""

    def __init__(self, fetch: FetchSettings, politeness: PolitenessSettings, chance: np.random.Generator) -> None:
        self._fetch = fetch
        self._politeness = politeness
        self._chance = chance
        self.tries_by_link: dict[LinkId, int] = {}  # of links that wait to be tried again, or are being
        self.in_a_row_by_host: dict[HostId, int] = {}

    def has_tried(self, link: LinkId) -> bool:
        return link in self.tries_by_link

    def is_to_be_tried_again(self, link: LinkId, answer: Answer) -> bool:
        """Whether the link waits again. Where it does not, its tries are forgotten."""
        tries = self.tries_by_link.pop(link, 0) + 1
        is_too_late = isinstance(answer.outcome, Failed) and answer.retry_after_s > self._fetch.max_retry_after_s
        if not may_pass(answer) or is_too_late or tries > self._fetch.retries:
            return False
        self.tries_by_link[link] = tries
        return True

    def rest_after(self, host: HostId, answer: Answer, ended_at: float) -> Rest:
        """How long a live host and its address rest after an answer."""
        is_asked = not isinstance(answer.outcome, Refused) or answer.robots_fetches > 0
        pause_until = next_request_at(ended_at, answer.host_delay_s, self._politeness, answer.elapsed_s)
        ready_at = pause_until if is_asked else ended_at
        address_ready_at = ended_at + self._politeness.pause_s(answer.elapsed_s) if is_asked else ended_at
        if may_pass(answer):
            troubles = self.in_a_row_by_host[host] = self.in_a_row_by_host.get(host, 0) + 1
            asked_s = min(answer.retry_after_s, LONGEST_REST_S)
            ready_at = max(ready_at, ended_at + max(asked_s, backoff_s(troubles, self._fetch, self._chance)))
        elif not isinstance(answer.outcome, Refused):
            self.in_a_row_by_host.pop(host, None)
        return Rest(ready_at, address_ready_at)


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
