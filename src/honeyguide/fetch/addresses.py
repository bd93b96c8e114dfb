"""Who may be called: addresses of the public internet, and no others unless a person says so.

A page can link to anything. Asked for from inside a company or a data centre, `http://10.0.0.5/` or the metadata
service of a cloud at 169.254.169.254 answers things that are none of a crawler's business. So every address is looked
at before it is connected to. IPv6 has several ways to write an IPv4 address inside another; what is inside counts too.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    """What kind of address it is that may not be called, in words; empty for one of the public internet."""
    try:
        given = ip_address(address)
    except ValueError:
        return "not an address"
    is_another = any(given in network for network in _MEANS_IPV4)
    meant = (_ipv4_at_the_end(given),) if is_another else (given, *_inside(given))
    return next(filter(None, map(_kind, meant)), "")


def objection_to_name(host: str) -> str:
    """The same for what stands in a URL, without asking anyone: of names only those of this machine are known.

    For where a proxy looks up the names.
    """
    bare = host.removeprefix("[").removesuffix("]").rstrip(".")
    if bare == "localhost" or bare.endswith(".localhost"):
        return "a loopback address"
    return objection_to(bare) if _is_address(bare) else ""


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _kind(address: IPv4Address | IPv6Address) -> str:
    return next((words for words, is_of_kind in _KINDS if is_of_kind(address)), "")


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
    """The IPv4 addresses that an IPv6 address leads to, or says it does."""
    if isinstance(address, IPv4Address):
        return
    if address.sixtofour is not None:
        yield address.sixtofour
    is_isatap = (int(address) >> 32) & 0xFFFFFFFF in _ISATAP_MARKS
    if is_isatap or any(address in network for network in _HAS_IPV4):
        yield _ipv4_at_the_end(address)


def _ipv4_at_the_end(address: IPv4Address | IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)
