"""Which IP addresses may be called, and where hosts are found.

A page can link to anything. Asked for from inside a company or a data centre, `http://10.0.0.5/` or the metadata
service of a cloud at 169.254.169.254 answers things that are none of a crawler's business. So every address is looked
at before it is connected to. IPv6 has several ways to write an IPv4 address inside another; what is inside counts too.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Final

from aiohttp.abc import AbstractResolver, ResolveResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from honeyguide.model import Url
    from honeyguide.model.clock import Clock

_SHARED: Final = IPv4Network("100.64.0.0/10")
# An address in these means the IPv4 address at its end and nothing else: IPv4-mapped, and NAT64, which is how a machine
# without IPv4 reaches every host that has nothing else.
_MEANS_IPV4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
# These have one at their end and are something of their own, too: IPv4-compatible, and translators of a local network.
_HAS_IPV4: Final = (IPv6Network("::/96"), IPv6Network("64:ff9b:1::/48"))
_ISATAP_MARKS: Final = (0x00005EFE, 0x02005EFE)
# In ranges that are public otherwise: a virtual host of Azure that hands out a machine's own configuration.
_METADATA: Final = frozenset({IPv4Address("168.63.129.16")})


def objection_to(address: str) -> str:
    """Name the kind of an address that may not be called; empty for one of the public internet."""
    try:
        given = ip_address(address)
    except ValueError:
        return "not an address"
    is_another = any(given in network for network in _MEANS_IPV4)
    meant = (_ipv4_at_the_end(given),) if is_another else (given, *_inside(given))
    return next((words for address in meant for words, is_of_kind in _KINDS if is_of_kind(address)), "")


def objection_to_name(host: str) -> str:
    """Do the same for what stands in a URL, without asking anyone: of names only those of this machine are known.

    For where a proxy looks up the names.
    """
    bare = host.removeprefix("[").removesuffix("]").rstrip(".")
    if bare == "localhost" or bare.endswith(".localhost"):
        return "a loopback address"
    return objection_to(bare) if canonical_address(bare) else ""


_KINDS: Final[tuple[tuple[str, Callable[[IPv4Address | IPv6Address], bool]], ...]] = (
    ("an unspecified address", lambda address: address.is_unspecified),
    ("a loopback address", lambda address: address.is_loopback),
    ("a link-local address", lambda address: address.is_link_local),
    ("a multicast address", lambda address: address.is_multicast),
    ("the address of a metadata service", lambda address: address in _METADATA),
    ("an address shared behind a carrier", lambda address: address in _SHARED),
    ("a private address", lambda address: address.is_private or getattr(address, "is_site_local", False)),
    ("a reserved address", lambda address: address.is_reserved),
    ("no public address", lambda address: not address.is_global),
)


def _inside(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address]:
    """Return the IPv4 addresses that an IPv6 address leads to, or says it does."""
    if isinstance(address, IPv4Address):
        return
    if address.sixtofour is not None:
        yield address.sixtofour
    is_isatap = (int(address) >> 32) & 0xFFFFFFFF in _ISATAP_MARKS
    if is_isatap or any(address in network for network in _HAS_IPV4):
        yield _ipv4_at_the_end(address)


def _ipv4_at_the_end(address: IPv4Address | IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)


KEPT_S: Final = 60.0
TROUBLE_KEPT_S: Final = 5.0
NAMES_KEPT: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of one DNS look-up, addresses or an error, and when it came."""

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
        """Return every address at which a request for `url` may arrive; none where the look-up fails."""
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
    """Return an IP address in the one form it is compared in; empty where the text is none."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def _name_and_port(url: Url) -> tuple[str, int]:
    host = str(url.host)
    name, colon, port = host.rpartition(":")
    if not colon or port.endswith("]"):  # no port, perhaps the colons of an IPv6 address
        name, port = host, ""
    return name.strip("[]"), int(port or (443 if url.scheme == "https" else 80))


class PinnedResolver(AbstractResolver):
    """Resolves exactly the hosts it was given, each to its own address and port, and refuses everything else.

    The port given here replaces the one in the URL: aiohttp connects to the port a resolver returns. So the pages of
    `http://host.test/` can be served on any free port. Nothing is ever asked of the network.
    """

    def __init__(self, addresses: Mapping[str, tuple[str, int]]) -> None:
        self._addresses = dict(addresses)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the pinned address of `host`. OSError for a host that is not pinned or not of this family."""
        del port
        pinned = self._addresses.get(host)
        if pinned is None or family not in (socket.AF_INET, socket.AF_UNSPEC):
            message = f"{host!r} is not one of the {len(self._addresses)} hosts this client may call"
            raise socket.gaierror(socket.EAI_NONAME, message)
        address, pinned_port = pinned
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=pinned_port,
                family=socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Nothing is held."""
