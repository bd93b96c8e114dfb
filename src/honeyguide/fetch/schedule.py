"""When each host and each IP address may be asked again.

One `HostSchedule` serves a whole crawl. The gate asks it before every request and reports every answer, the frontier
asks it which hosts are ready, and a resumed crawl fills it from the run. Time is handed in with every call, so the same
arithmetic holds live, in simulated time and in tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.model import Failed, HostRest, Refused
from honeyguide.settings.fetch_sections import LONGEST_REST_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Answer, HostId, Url
    from honeyguide.settings import FetchSettings, PolitenessSettings

BUSY: Final = float("inf")
NEVER: Final = -BUSY  # when a host that was never asked became ready
FEW: Final = 1024  # rests that are not worth looking through


@dataclass(slots=True, eq=False)
class _Rest:
    """The end of the last request to a host or an address, and a moment before which none may begin."""

    ended_at: float = NEVER
    until: float = NEVER


@dataclass(slots=True, eq=False)
class _Address:
    rest: _Rest = field(default_factory=_Rest)
    hosts: int = 0  # found there
    numbers: list[int] = field(default_factory=list)  # of those that the frontier knows
    held: int = 0  # how many of the hosts are held, and were found there before


@dataclass(slots=True, eq=False)
class _Host:
    name: str
    rest: _Rest = field(default_factory=_Rest)
    troubles: int = 0  # temporary failures in a row, up to now
    number: int = -1  # in the frontier; negative where that has none
    address: str = ""  # at which it was found last
    is_held: bool = False
    holds_address: bool = False  # and so nobody else is to be asked there


class HostSchedule:
    """Rests of hosts and addresses; they are only ever extended, so no report makes a host ready too early.

    After every answer a host and its addresses rest for `PolitenessSettings.pause_s`, counted from the moment the
    answer is in. A host rests longer where its robots.txt or a Retry-After asks for it, and for `backoff_s` after a
    temporary failure. Offline worlds answer the same whenever they are asked: there only the fixed pause and what
    robots.txt asks for count.

    From `hold` to `release` a host is busy for the frontier, and so are hosts found at the same address.
    """

    def __init__(
        self, politeness: PolitenessSettings, fetch: FetchSettings, *, is_live: bool = True, seed: int = 0
    ) -> None:
        self.is_gated = False  # whether a gate reports every request; if none does, the core reports its answers
        self._politeness = politeness
        self._fetch = fetch
        self._is_live = is_live
        self._seed = seed
        self._hosts: dict[str, _Host] = {}
        self._addresses: dict[str, _Address] = {}
        self._crawl_delays: dict[str, dict[str, float]] = {}  # by host and scheme, in seconds
        self._all_asked_at = NEVER
        self._own_ready_at = np.full(64, NEVER)  # by number of the host, its address left aside
        self._ready_at = np.full(64, NEVER)  # its address considered
        self._asked_at = np.full(64, NEVER)
        self._held = 0
        self._all_ready_at = NEVER
        self._many = FEW

    def are_all_ready(self, now: float) -> bool:
        """Whether no host has to wait; may be False for a while after the last one has become ready."""
        return self._held == 0 and self._all_ready_at <= now

    def is_ready(self, host: HostId, now: float) -> bool:
        return host >= len(self._ready_at) or bool(self._ready_at[host] <= now)

    def ready_at(self, count: int) -> NDArray[np.float64]:
        """Return the ready times of the first `count` hosts, infinite while one is busy. Read it, do not keep it."""
        self._make_room(count)
        return self._ready_at[:count]

    def asked_at(self, count: int) -> NDArray[np.float64]:
        """Return when the first `count` hosts were held last. Read it, do not keep it."""
        self._make_room(count)
        return self._asked_at[:count]

    @property
    def has_several(self) -> bool:
        """Whether more than one host is known."""
        return len(self._hosts) > 1

    def number(self, host: HostId, name: str) -> None:
        """From now on the frontier knows this host by its number."""
        self._make_room(host + 1)
        record = self._host(name)
        if record.number != host:
            record.number = host
            if record.address:
                self._addresses[record.address].numbers.append(host)
            self._refresh(record)

    def hold(self, host: HostId, name: str, now: float) -> None:
        """The core has chosen a link of this host."""
        self.number(host, name)
        self._asked_at[host] = now
        record = self._hosts[name]
        assert not record.is_held, f"host {name} is asked twice at once"
        record.is_held = True
        self._held += 1
        self._refresh(record)
        if record.address:
            record.holds_address = True
            self._addresses[record.address].held += 1
            self._refresh_address(record.address)

    def release(self, name: str) -> None:
        """The fetch that the core had chosen has ended; the host's rest is noted already."""
        record = self._host(name)
        if record.is_held:
            record.is_held = False
            self._held -= 1
            self._free_address(record)
            self._refresh(record)

    def host_ready_at(self, name: str) -> float:
        """Return the moment from which a host may be asked, its addresses left aside."""
        record = self._hosts.get(name)
        return self._end_of(_Rest() if record is None else record.rest, self._crawl_delay_s(name))

    def address_ready_at(self, address: str) -> float:
        """Return the moment from which an address may be asked."""
        record = self._addresses.get(address)
        return self._end_of(_Rest() if record is None else record.rest)

    def note_request(
        self, name: str, addresses: Sequence[str], ended_at: float, response_s: float, asked_s: float = 0.0
    ) -> None:
        """A request has ended, answered or given up: its host and its addresses rest. The host may ask for a pause."""
        response_s = response_s if self._is_live else 0.0
        host = self._host(name)
        _extend(host.rest, ended_at, self._politeness.pause_s(response_s, asked_s))
        self._refresh(host)
        for address in addresses:
            at = self._addresses.setdefault(address, _Address())
            _extend(at.rest, ended_at, self._politeness.pause_s(response_s))
            self._refresh_address(address)
        if len(self._hosts) + len(self._addresses) > self._many:
            self._forget_the_rested(ended_at)

    def note_answer(self, name: str, addresses: Sequence[str], answer: Answer, ended_at: float) -> None:
        """A host has answered, or failed to. `addresses` are those it may have been asked at, if these rest too.

        A live refusal without a request is no answer of the host's; but it may tell when to ask again.
        """
        is_asked = not (self._is_live and isinstance(answer.outcome, Refused)) or answer.robots_fetches > 0
        if is_asked:
            self.note_request(name, addresses, ended_at, answer.elapsed_s, answer.host_delay_s)
        if addresses and answer.address:
            self.place(name, answer.address)
        if self._is_live:
            self.rest(name, ended_at + self._rest_in_trouble_s(self._host(name), answer))

    def rest(self, name: str, until: float) -> None:
        """A host is not to be asked before `until`."""
        host = self._host(name)
        if until > host.rest.until:
            host.rest.until = until
            self._refresh(host)

    def set_crawl_delay(self, origin: Url, asked_s: float) -> None:
        """From now on, and counted from its last answer, a host wants this pause between two requests.

        Its http and its https origin may differ in that; then the longer one counts.
        """
        delays = self._crawl_delays.setdefault(origin.host, {})
        delays[origin.scheme] = asked_s
        if not any(delays.values()):
            del self._crawl_delays[origin.host]
        if origin.host in self._hosts:
            self._refresh(self._hosts[origin.host])

    def place(self, name: str, address: str) -> None:
        """Note the address at which a host was found.

        A host that is held does not keep others at its new address waiting: it may itself have to rest for long between
        its robots.txt, which was asked there, and the page.
        """
        host = self._host(name)
        if host.address == address:
            return
        self._free_address(host)
        found_at = self._addresses.setdefault(address, _Address())
        found_at.hosts += 1
        if host.address:
            self._addresses[host.address].hosts -= 1
        if host.number >= 0:
            found_at.numbers.append(host.number)
            if host.address:
                self._addresses[host.address].numbers.remove(host.number)
        host.address = address
        self._refresh(host)

    def saved(self, name: str, crawl_delay_s: float) -> HostRest:
        """Return what a run keeps of a host, with what its robots.txt asks for; `restore` takes it back."""
        host = self._host(name)
        at_address = self.address_ready_at(host.address) if host.address else 0.0
        return HostRest(name, self.host_ready_at(name), crawl_delay_s, host.address, at_address, host.troubles)

    def restore(self, rest: HostRest) -> None:
        """Go on with what an earlier process knew of a host."""
        host = self._host(rest.host)
        host.troubles = rest.troubles
        if rest.address and self._politeness.per_address:
            self.place(rest.host, rest.address)
            at = self._addresses[rest.address]
            at.rest.until = max(at.rest.until, rest.address_ready_at)
            self._refresh_address(rest.address)
        self.rest(rest.host, rest.ready_at)

    def presume_all_asked(self, moment: float) -> None:
        """Any host may have been asked up to `moment`: by a process that was killed, say."""
        self._all_asked_at = moment

    def _rest_in_trouble_s(self, host: _Host, answer: Answer) -> float:
        """Count a temporary failure; return how long its host is left alone for it, 0 where there is none."""
        asked_s = min(answer.retry_after_s, LONGEST_REST_S)
        if isinstance(answer.outcome, Refused):
            return asked_s
        if not (isinstance(answer.outcome, Failed) and answer.outcome.is_temporary):
            host.troubles = 0
            return 0.0
        if answer.is_of_a_stale_connection:
            return 0.0
        host.troubles += 1
        return max(asked_s, backoff_s(self._fetch, host.troubles, _fraction(host.name, host.troubles, self._seed)))

    def _crawl_delay_s(self, name: str) -> float:
        return max(self._crawl_delays.get(name, {}).values(), default=0.0)

    def _end_of(self, rest: _Rest, asked_s: float = 0.0) -> float:
        ended_at = max(rest.ended_at, self._all_asked_at)
        return max(rest.until, ended_at + self._politeness.pause_s(asked_s=asked_s))

    def _host(self, name: str) -> _Host:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = _Host(name)
        return host

    def _free_address(self, host: _Host) -> None:
        if host.holds_address:
            host.holds_address = False
            self._addresses[host.address].held -= 1
            self._refresh_address(host.address)

    def _refresh(self, host: _Host) -> None:
        """Write down for the frontier when a host is ready."""
        if host.number < 0:
            return
        own = BUSY if host.is_held else self.host_ready_at(host.name)
        self._own_ready_at[host.number] = own
        ready_at = max(own, self._address_free_at(host.address)) if host.address else own
        self._ready_at[host.number] = ready_at
        if ready_at < BUSY:
            self._all_ready_at = max(self._all_ready_at, ready_at)

    def _refresh_address(self, address: str) -> None:
        """Write down for the frontier when the hosts at an address are ready."""
        numbers = self._addresses[address].numbers
        if numbers:
            ready_at = np.maximum(self._own_ready_at[numbers], self._address_free_at(address))
            self._ready_at[numbers] = ready_at
            # A host that was told to rest while its address was busy is known to rest only now.
            resting = ready_at[ready_at < BUSY]
            if resting.size:
                self._all_ready_at = max(self._all_ready_at, float(resting.max()))

    def _address_free_at(self, address: str) -> float:
        return BUSY if self._addresses[address].held else self.address_ready_at(address)

    def _make_room(self, count: int) -> None:
        room = len(self._ready_at)
        if count > room:
            more = np.full(max(room, count - room), NEVER)
            self._own_ready_at = np.concatenate((self._own_ready_at, more))
            self._ready_at = np.concatenate((self._ready_at, more))
            self._asked_at = np.concatenate((self._asked_at, more))

    def _forget_the_rested(self, now: float) -> None:
        """Drop what may be asked at once, whatever its robots.txt says; hosts at a known address are kept."""
        longest_s = longest_pause_s(self._politeness)

        def is_rested(rest: _Rest) -> bool:
            return max(rest.until, rest.ended_at + longest_s) <= now

        for name, host in list(self._hosts.items()):
            if not (host.is_held or host.troubles or host.address) and is_rested(host.rest):
                del self._hosts[name]
        for name, address in list(self._addresses.items()):
            if not address.hosts and is_rested(address.rest):
                del self._addresses[name]
        self._many = max(FEW, 2 * (len(self._hosts) + len(self._addresses)))


def _extend(rest: _Rest, ended_at: float, pause_s: float) -> None:
    rest.ended_at = max(rest.ended_at, ended_at)
    rest.until = max(rest.until, ended_at + pause_s)


def backoff_s(fetch: FetchSettings, troubles: int, fraction: float) -> float:
    """Return how long a host is left alone after so many temporary failures in a row.

    That doubles with each, up to a limit. `fraction` (0 to 1) picks a moment in the second half of it, so that hosts
    which failed together are not asked again together.
    """
    longest_s = min(fetch.backoff_s * 2.0 ** min(troubles - 1, 60), fetch.max_retry_after_s)
    return longest_s * (1.0 + fraction) / 2.0


def _fraction(name: str, troubles: int, seed: int) -> float:
    """Draw a number from 0 to 1 that is the same for the same host, count and seed, in whatever order they fail."""
    return xxhash.xxh3_64_intdigest(f"{name} {troubles}".encode(), seed=seed % 2**64) / 2**64


def further_pause_s(fetches: int, politeness: PolitenessSettings, chance: np.random.Generator) -> float:
    """Return how much longer the host asked last rests, given how many fetches a crawl has made; most often 0."""
    if not politeness.pause_every or fetches % politeness.pause_every:
        return 0.0
    return float(chance.uniform(politeness.pause_from_s, politeness.pause_to_s))


def longest_pause_s(politeness: PolitenessSettings) -> float:
    """Return the longest that a host may have to rest between two requests while it is well."""
    further_s = politeness.pause_to_s if politeness.pause_every else 0.0
    return max(politeness.delay_s, politeness.max_delay_s) + further_s
