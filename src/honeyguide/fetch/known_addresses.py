"""Where hosts are found: look-ups that are remembered, so that whoever wants to know and whoever connects agree."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from aiohttp.abc import AbstractResolver

if TYPE_CHECKING:
    from aiohttp.abc import ResolveResult

    from honeyguide.clock import Clock
    from honeyguide.domain import Url

KEPT_S: Final = 60.0
TROUBLE_KEPT_S: Final = 5.0
NAMES_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Found:
    """What a look-up brought."""

    at: float  # clock time
    results: tuple[ResolveResult, ...] = ()
    trouble: OSError | None = None
    called: str = ""  # the address of the last answer: a connection that is kept open may still lead there

    def is_fresh(self, now: float, kept_s: float) -> bool:
        return now < self.at + (kept_s if self.trouble is None else TROUBLE_KEPT_S)


class KnownAddresses(AbstractResolver):
    """A resolver in front of another one."""

    def __init__(self, inner: AbstractResolver, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        self._found: dict[tuple[str, int], _Found] = {}  # by name and port, the oldest first

    async def of(self, url: Url) -> frozenset[str]:
        """Every address at which a request for `url` may arrive; none where the look-up fails."""
        name, port = _name_and_port(url)
        literal = canonical_address(name)
        if literal:
            return frozenset([literal])
        found = await self._look_up(name, port)
        addresses = {canonical_address(result["host"]) for result in found.results}
        return frozenset(addresses | {found.called}) - {""}

    def note(self, url: Url, address: str) -> None:
        """An answer has come from this address; empty where it is not known."""
        key = _name_and_port(url)
        found = self._found.get(key)
        if found is not None and address:
            self._found[key] = replace(found, called=canonical_address(address))

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """As the inner resolver answers, now or a while ago."""
        # Twice as long: what `of` has just said must not be out of date before the connection is made.
        found = await self._look_up(host, port, kept_s=2 * KEPT_S)
        if found.trouble is not None:
            raise found.trouble
        wanted = [each for each in found.results if family in (socket.AF_UNSPEC, each["family"])]
        if not wanted:
            raise socket.gaierror(socket.EAI_NONAME, f"{host!r} has no address of the family {family!r}")
        return wanted

    async def close(self) -> None:
        """Close the inner resolver."""
        await self._inner.close()

    async def _look_up(self, name: str, port: int, kept_s: float = KEPT_S) -> _Found:
        found = self._found.get((name, port))
        if found is not None and found.is_fresh(self._clock.now(), kept_s):
            return found
        called = "" if found is None else found.called
        results: tuple[ResolveResult, ...] = ()
        trouble = None
        try:
            results = tuple(await self._inner.resolve(name, port, socket.AF_UNSPEC))
        except OSError as error:
            trouble = error
        except UnicodeError as error:  # a name that no resolver can take
            trouble = socket.gaierror(socket.EAI_NONAME, str(error))
        self._found.pop((name, port), None)
        found = self._found[name, port] = _Found(self._clock.now(), results, trouble, called)
        if len(self._found) > NAMES_KEPT:
            del self._found[next(iter(self._found))]
        return found


def canonical_address(text: str) -> str:
    """An IP address in the one form it is compared in; empty where the text is none."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


def _name_and_port(url: Url) -> tuple[str, int]:
    host = str(url.host)
    name, colon, port = host.rpartition(":")
    if not colon or port.endswith("]"):  # no port, perhaps the colons of an IPv6 address
        name, port = host, ""
    return name.strip("[]"), int(port or (443 if url.scheme == "https" else 80))
