"""Which IP addresses may be called, and where hosts are found.

A page can link to anything. Asked for from inside a company or a data centre, `http://10.0.0.5/` or the metadata
service of a cloud at 169.254.169.254 answers things that are none of a crawler's business. So every address is looked
at before it is connected to. IPv6 has several ways to write an IPv4 address inside another; what is inside counts too.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Final

from aiohttp.abc import AbstractResolver, ResolveResult

from honeyguide.model import host_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping
    from ipaddress import IPv4Network

    from honeyguide.model import Url
    from honeyguide.model.clock import Clock

# The registries of special-purpose addresses (RFC 6890 and its successors), written out: the tables of the interpreter
# differ from version to version and call some of these public. Those that the registries call globally reachable are
# left out, as any other: AS112 (192.31.196.0/24, 192.175.48.0/24, 2620:4f:8000::/48) and AMT (192.52.193.0/24).
_KINDS: Final = tuple(
    (words, tuple(ip_network(text) for text in networks.split()))
    for words, networks in (
        ("an unspecified address", "0.0.0.0/8 ::/128"),
        ("a loopback address", "127.0.0.0/8 ::1/128"),
        ("a link-local address", "169.254.0.0/16 fe80::/10"),
        ("a private address", "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10"),
        ("an address shared behind a carrier", "100.64.0.0/10"),
        ("a multicast address", "224.0.0.0/4 ff00::/8"),
        ("an address for documents", "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20"),
        ("an address for measurements", "198.18.0.0/15 2001:2::/48"),
        # Of protocols; relays of 6to4; reserved; Teredo, ORCHID and the like.
        ("a reserved address", "192.0.0.0/24 192.88.99.0/24 240.0.0.0/4 2001::/23"),
    )
)
_PUBLIC_IPV6: Final = IPv6Network("2000::/3")  # nothing else has been given to anyone
_METADATA: Final = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254", "fd00:ec2::254", "fd20:ce::254",  # most clouds; Amazon and Google over IPv6
        "169.254.170.2", "169.254.170.23", "fd00:ec2::23",  # credentials of containers
        "168.63.129.16", "100.100.100.200", "192.0.0.192", "169.254.42.42",  # Azure, Alibaba, Oracle, Scaleway
    )
)  # fmt: skip
"""Where a machine in a cloud is told its own configuration and passwords."""

# An address in these means the IPv4 address at its end and nothing else: IPv4-mapped, and NAT64, which is how a machine
# without IPv4 reaches every host that has nothing else.
_MEANS_IPV4: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
# These have one at their end and are something of their own, too: IPv4-compatible, and translators of a local network.
_HAS_IPV4: Final = (IPv6Network("::/96"), IPv6Network("64:ff9b:1::/48"))
_ISATAP_MARKS: Final = (0x00005EFE, 0x02005EFE)


def objection_to(address: str) -> str:
    """Name the kind of an address that may not be called; empty for one of the public internet."""
    meant = _meant(address)
    return next(filter(None, map(_kind, meant)), "") if meant else "not an address"


def _kind(address: IPv4Address | IPv6Address) -> str:
    if address in _METADATA:
        return "the address of a metadata service"
    found = next((words for words, networks in _KINDS for network in networks if address in network), "")
    is_public = isinstance(address, IPv4Address) or address in _PUBLIC_IPV6
    return found or ("" if is_public else "a reserved address")


def _meant(text: str) -> tuple[IPv4Address | IPv6Address, ...]:
    """Return every address that a text leads to; none where it is no address."""
    try:
        given = ip_address(text.partition("%")[0])
    except ValueError:
        return ()
    if any(given in network for network in _MEANS_IPV4):
        return (_ipv4_at_the_end(given),)
    return (given, *_inside(given))


class PrivateAccess:
    """Networks and hosts that a user has named, whose addresses may be called though they are not public.

    A metadata service is closed even then, unless its very address is named: a host of one's own may be made to lead
    there by whoever answers for its name.
    """

    def __init__(self, named: Iterable[str]) -> None:
        """InvalidUrl for what is neither a network, an address nor a host."""
        self._networks: list[IPv4Network | IPv6Network] = []
        self._hosts: list[re.Pattern[str]] = []
        for text in named:
            try:
                bare = text.removeprefix("[").removesuffix("]")
                self._networks.append(ip_network(canonical_address(bare) or bare, strict=False))
            except ValueError:
                self._hosts.append(host_pattern(text))

    def includes(self, address: str, host: str) -> bool:
        """Return whether an address may be called for a request to a host."""
        meant = _meant(address)
        is_named = any(pattern.fullmatch(host) for pattern in self._hosts)
        return bool(meant) and all(self._is_open(each, is_named=is_named) for each in meant)

    def includes_name(self, host: str) -> bool:
        """Do the same for a host that only a proxy can look up."""
        bare = _bare(host)
        return self.includes(bare if canonical_address(bare) else "127.0.0.1", host)

    def _is_open(self, address: IPv4Address | IPv6Address, *, is_named: bool) -> bool:
        if address in _METADATA:
            return any(network.num_addresses == 1 and address in network for network in self._networks)
        return is_named or not _kind(address) or any(address in network for network in self._networks)


def objection_to_name(host: str) -> str:
    """Do the same for what stands in a URL, without asking anyone: of names only those of this machine are known.

    For where a proxy looks up the names.
    """
    bare = _bare(host)
    if bare == "localhost" or bare.endswith(".localhost"):
        return "a loopback address"
    return objection_to(bare) if canonical_address(bare) else ""


def _bare(host: str) -> str:
    """Return the name or address of a host key, without port, brackets and final dot."""
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.removeprefix("[").removesuffix("]").rstrip(".")


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
