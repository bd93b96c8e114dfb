"""Hosts of a crawl: what an answer means for its host, which links are tried again, what is remembered between runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from honeyguide.fetch.schedule import HostSchedule, further_pause_s, longest_pause_s
from honeyguide.model import ROBOTS_TXT, Failed, LinkState, Refused
from honeyguide.settings.fetch_sections import LONGEST_REST_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from honeyguide.crawler.events import Dispatch
    from honeyguide.crawler.ledger import Ledger
    from honeyguide.crawler.parts import Parts
    from honeyguide.fetch import Gate
    from honeyguide.model import Answer, HostKey, HostRest, LinkId, SiteFile
    from honeyguide.runs import HostsAsked, Progress, SqliteStore
    from honeyguide.settings import FetchSettings, PolitenessSettings, Settings

SHARE_OF_TIME: Final = 0.1
"""Of the time of a crawl's processes, for one host among several: links and words without end hold up no other."""
USUAL_COST_S: Final = 0.05
"""Of reading a page and taking it in, for which nobody rests."""
MOST_UNREAD: Final = 16
"""Pages of one host that wait to be read while it is asked for a further one."""


class Retries:
    """Counts the fetches of links that failed for now. Only a live crawl tries again: offline answers stay the same."""

    def __init__(self, fetch: FetchSettings) -> None:
        self._fetch = fetch
        self.tries_by_link: dict[LinkId, int] = {}  # of links that wait to be tried again, or are being

    def has_tried(self, link: LinkId) -> bool:
        return link in self.tries_by_link

    def is_to_be_tried_again(self, link: LinkId, answer: Answer) -> bool:
        """Whether the link waits again. Where it does not, its tries are forgotten."""
        tries = self.tries_by_link.pop(link, 0) + 1
        match answer.outcome:
            case Failed() as failed:
                may_pass = failed.is_temporary and answer.retry_after_s <= self._fetch.max_retry_after_s
            case Refused():
                may_pass = answer.retry_after_s > 0  # its robots.txt cannot be had for now
            case _:
                may_pass = False
        if not may_pass or tries > self._fetch.retries:
            return False
        self.tries_by_link[link] = tries
        return True


class HostRelease:
    """Releases hosts whose answers are in."""

    def __init__(self, parts: Parts, politeness: PolitenessSettings, ledger: Ledger) -> None:
        self._parts = parts
        self._politeness = politeness
        self._ledger = ledger
        # By link, of hosts that were released before its page was read: links that they are not to be asked for.
        self._early: dict[LinkId, tuple[LinkId, ...]] = {}
        self._unread: Counter[HostKey] = Counter()  # pages of these hosts

    def release_early(self, dispatch: Dispatch, answer: Answer, ended_at: float) -> None:
        """Release a host while its page is still being read, unless too many of its pages are; `release` follows."""
        fetches = self._ledger.progress.fetches + len(self._early) + 1
        self._early[dispatch.record.link] = self._drop_links_over_budget(dispatch)
        self._let_rest(dispatch, answer, ended_at, fetches)
        self._unread[dispatch.url.host] += 1
        if self._unread[dispatch.url.host] <= MOST_UNREAD:
            self._parts.schedule.release(dispatch.url.host)

    def release(self, dispatch: Dispatch, answer: Answer, ended_at: float) -> tuple[tuple[LinkId, ...], HostRest]:
        """Return the links that the host is not to be asked for any more, and its rest."""
        over_host_limit = self._early.pop(dispatch.record.link, None)
        if over_host_limit is None:
            over_host_limit = self._drop_links_over_budget(dispatch)
            self._let_rest(dispatch, answer, ended_at, self._ledger.progress.fetches)
            self._parts.schedule.release(dispatch.url.host)
        else:
            self._note_read(dispatch.url.host)
        # As it is now: a host that was released early may have been asked again, and be in trouble.
        return over_host_limit, self._parts.schedule.saved(dispatch.url.host, answer.host_delay_s)

    def _note_read(self, host: HostKey) -> None:
        self._unread[host] -= 1
        if self._unread[host] == MOST_UNREAD:  # it was not released when its last answer came
            self._parts.schedule.release(host)
        elif not self._unread[host]:
            del self._unread[host]

    def rest_for_cost(self, host: HostKey, cost_s: float, now: float) -> None:
        """Let a host whose page cost much time rest, so that it gets no more of it than its share."""
        if self._parts.schedule.has_several:
            rest_s = (cost_s - USUAL_COST_S) / SHARE_OF_TIME
            self._parts.schedule.rest(host, now + min(rest_s, self._politeness.max_delay_s))

    def _drop_links_over_budget(self, dispatch: Dispatch) -> tuple[LinkId, ...]:
        """Take the waiting links of a host out of the frontier if it may give no more pages."""
        parts = self._parts
        if not parts.scope.note_fetch(dispatch.url.host):
            return ()
        over_host_limit = parts.links.waiting_on(dispatch.host)
        for link in over_host_limit:
            parts.frontier.withdraw(link)
            parts.links.set_state(link, LinkState.OVER_HOST_LIMIT)
        self._ledger.note_over_host_limit(len(over_host_limit))
        return tuple(over_host_limit)

    def _let_rest(self, dispatch: Dispatch, answer: Answer, ended_at: float, fetches: int) -> None:
        """Let a host rest that has been asked. `fetches` is how many have ended by now."""
        schedule, host = self._parts.schedule, dispatch.url.host
        if not schedule.is_gated or isinstance(answer.outcome, Refused):  # else the gate has reported the answer
            addresses = [answer.address] if answer.address and self._politeness.per_address else []
            schedule.note_answer(host, addresses, answer, ended_at)
        further_s = further_pause_s(fetches, self._politeness, self._parts.chance)
        if further_s:
            schedule.rest(host, max(ended_at, schedule.host_ready_at(host)) + further_s)


class StoredHosts(Protocol):
    """A run's store, or a run opened for reading."""

    def progress(self) -> Progress | None: ...

    def host_rests(self) -> Iterable[HostRest]: ...


def stored_rests(store: StoredHosts, now: float, politeness: PolitenessSettings) -> list[HostRest]:
    """Return the rest of every host that was asked. Times are those of the wall, which go on while no process runs.

    A machine's clock that was set back meanwhile makes nobody wait for longer than was meant.
    """
    progress = store.progress()
    behind_s = 0.0 if progress is None else max(0.0, progress.now - now)
    latest = now + max(longest_pause_s(politeness), LONGEST_REST_S)
    return [
        replace(
            rest,
            ready_at=min(rest.ready_at - behind_s, latest),
            address_ready_at=min(rest.address_ready_at - behind_s, latest),
        )
        for rest in store.host_rests()
    ]


class HostMemory:
    """The host schedule of a live crawl, and the robots.txt and the like that it has read.

    A world is opened before the run it is crawled into: until `keep_in`, files are kept here. A run that looks at the
    pages of an earlier one goes on with what that knew of hosts.
    """

    def __init__(self, settings: Settings) -> None:
        self.schedule = HostSchedule(settings.politeness, settings.fetch, seed=settings.crawl.seed)
        self.gate: Gate | None = None  # before every request of the world; None where it asks nobody
        self._politeness = settings.politeness
        self._files: dict[tuple[str, str], SiteFile] = {}
        self._store: SqliteStore | None = None
        self._earlier: HostsAsked | None = None
        self.earlier_rests: Sequence[HostRest] = ()  # of the hosts that an earlier run has asked

    def site_file(self, origin: str, path: str = ROBOTS_TXT) -> SiteFile | None:
        if self._store is not None:
            return self._store.site_file(origin, path)
        kept = self._files.get((origin, path))
        return self._earlier.site_file(origin, path) if kept is None and self._earlier is not None else kept

    def keep_site_file(self, file: SiteFile) -> None:
        if self._store is None:
            self._files[file.origin, file.path] = file
        else:
            self._store.keep_site_file(file)

    def keep_in(self, store: SqliteStore) -> None:
        """From now on everything is kept in the store of a run."""
        self._store = store
        if self._earlier is not None:
            for file in self._earlier.site_files():
                store.keep_site_file(file)
            self._earlier = None
        for file in self._files.values():
            store.keep_site_file(file)
        self._files.clear()

    def go_on(self, store: SqliteStore, now: float) -> None:
        """Go on with a run: no host is asked at once, whatever the run knows of it.

        Nobody knows whom a killed process had asked last, or when: requests are stored when they have ended. But it
        was before `now`.
        """
        self.keep_in(store)
        self.schedule.presume_all_asked(now)

    def take_over(self, hosts: HostsAsked, now: float) -> None:
        """Begin with what an earlier run knew, as if going on with it; it may be closed after `keep_in`."""
        self._earlier = hosts
        self.earlier_rests = stored_rests(hosts, now, self._politeness)
        self.schedule.presume_all_asked(now)
        for rest in self.earlier_rests:
            self.schedule.restore(rest)
