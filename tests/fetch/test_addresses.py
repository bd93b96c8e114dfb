"""Who may be called, by address and by name."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InvalidUrl
from honeyguide.fetch.addresses import PrivateAccess, objection_to, objection_to_name
from honeyguide.model import Url

# From the registries of special-purpose addresses, independently of what the library calls private.
NOT_PUBLIC = [
    IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )
]  # fmt: skip
NOT_PUBLIC_V6 = [
    IPv6Network(text)
    for text in (
        "::1/128",
        "::/128",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
        "2001::/32",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
    )
]
PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::1"]
EMBEDDED = {
    "mapped": "::ffff:{0:x}:{1:x}",
    "compatible": "::{0:x}:{1:x}",
    "6to4": "2002:{0:x}:{1:x}::1",
    "nat64": "64:ff9b::{0:x}:{1:x}",
    "local nat64": "64:ff9b:1::{0:x}:{1:x}",
    "isatap": "2a00:1450::5efe:{0:x}:{1:x}",
    "marked isatap": "2a00:1450::200:5efe:{0:x}:{1:x}",
}

forbidden = st.sampled_from(NOT_PUBLIC).flatmap(
    lambda network: st.integers(int(network.network_address), int(network.broadcast_address)).map(IPv4Address)
)
forbidden_v6 = st.sampled_from(NOT_PUBLIC_V6).flatmap(
    lambda network: st.integers(int(network.network_address), int(network.broadcast_address)).map(IPv6Address)
)


def embedded(kind: str, address: IPv4Address) -> str:
    return EMBEDDED[kind].format(int(address) >> 16, int(address) & 0xFFFF)


@given(forbidden)
def test_no_special_address_may_be_called(address: IPv4Address) -> None:
    assert objection_to(str(address))


@given(forbidden_v6)
def test_no_special_address_of_ipv6_may_be_called(address: IPv6Address) -> None:
    assert objection_to(str(address))


@given(forbidden, st.sampled_from(sorted(EMBEDDED)))
def test_an_address_hidden_in_another_counts(address: IPv4Address, kind: str) -> None:
    assert objection_to(embedded(kind, address))


@pytest.mark.parametrize("address", PUBLIC)
def test_the_public_internet_may_be_called(address: str) -> None:
    assert objection_to(address) == ""


@pytest.mark.parametrize("kind", ["mapped", "6to4", "nat64"])
def test_a_public_address_inside_another_changes_nothing(kind: str) -> None:
    assert objection_to(embedded(kind, IPv4Address("8.8.8.8"))) == ""


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("127.0.0.1", "a loopback address"),
        ("::1", "a loopback address"),
        ("0.0.0.0", "an unspecified address"),
        ("::", "an unspecified address"),
        ("10.1.2.3", "a private address"),
        ("fd00::1", "a private address"),
        ("169.254.1.1", "a link-local address"),
        ("fe80::1%eth0", "a link-local address"),
        ("100.64.0.1", "an address shared behind a carrier"),
        ("168.63.129.16", "the address of a metadata service"),
        ("224.0.0.1", "a multicast address"),
        ("255.255.255.255", "a reserved address"),
        ("169.254.169.254", "the address of a metadata service"),
        ("fd00:ec2::254", "the address of a metadata service"),
        ("192.0.0.192", "the address of a metadata service"),
        ("192.0.0.8", "a reserved address"),
        ("192.88.99.1", "a reserved address"),
        ("3fff::1", "an address for documents"),
        ("5f00::1", "a reserved address"),
        ("nonsense", "not an address"),
    ],
)
def test_the_kind_of_address_is_told(address: str, words: str) -> None:
    assert objection_to(address) == words


@pytest.mark.parametrize(
    "host", ["localhost", "localhost.", "app.localhost", "127.0.0.1", "[::1]", "[::ffff:10.0.0.1]"]
)
def test_a_name_of_this_machine_is_known_without_asking(host: str) -> None:
    assert objection_to_name(host)


@pytest.mark.parametrize("host", ["example.org", "localhost.example.org", "8.8.8.8", "[2606:4700::1111]"])
def test_other_names_tell_nothing(host: str) -> None:
    assert objection_to_name(host) == ""


@pytest.mark.parametrize(
    "spelling",
    [
        "http://127.1/", "http://0x7f.1/", "http://0x7f000001/", "http://2130706433/", "http://0177.0.0.1/",
        "http://017700000001/", "http://127.0.0.1./", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
        "http://[0:0:0:0:0:0:0:1]/", "http://１２７.0.0.1/", "http://127。0。0。1/", "http://user:pass@127.0.0.1/",
        "http://%31%32%37.0.0.1/", "http://2852039166/", "http://0/", "http://[fd00:ec2::254]/",
    ],
)  # fmt: skip
def test_no_spelling_of_an_address_gets_past(spelling: str) -> None:
    host = Url.parse(spelling).host
    assert objection_to(host.removeprefix("[").removesuffix("]")), f"{spelling} is asked for as {host}"


METADATA = [
    "169.254.169.254",
    "fd00:ec2::254",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "::ffff:169.254.169.254",
]


class TestPrivateAccess:
    @pytest.mark.parametrize(
        ("named", "address", "host"),
        [
            ("127.0.0.0/8", "127.3.2.1", "any.test"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.1:8080"),
            ("10.1.2.3/8", "10.9.9.9", "any.test"),
            ("[fd12::]", "fd12::", "any.test"),
            ("10.0.0.0/8", "::ffff:10.0.0.1", "any.test"),
            ("wiki.example.org", "10.0.0.1", "wiki.example.org:8000"),
            ("*.example.org", "192.168.0.9", "wiki.example.org"),
        ],
    )
    def test_what_is_named_may_be_called(self, named: str, address: str, host: str) -> None:
        assert PrivateAccess([named]).includes(address, host)

    @pytest.mark.parametrize(
        ("named", "address", "host"),
        [
            ("127.0.0.0/8", "10.0.0.1", "any.test"),
            ("wiki.example.org", "10.0.0.1", "other.example.org"),
            ("10.0.0.0/8", "2002:7f00:1::1", "any.test"),  # 127.0.0.1 inside 6to4
            ("10.0.0.0/8", "nonsense", "any.test"),
        ],
    )
    def test_nothing_else_may(self, named: str, address: str, host: str) -> None:
        assert not PrivateAccess([named]).includes(address, host)

    @pytest.mark.parametrize("address", METADATA)
    def test_a_metadata_service_is_open_only_by_its_very_address(self, address: str) -> None:
        broad = PrivateAccess(["0.0.0.0/0", "::/0", "any.test"])
        assert not broad.includes(address, "any.test")
        assert PrivateAccess([address.removeprefix("::ffff:")]).includes(address, "any.test")

    @pytest.mark.parametrize("named", ["10.0.0.0/99", "http://a.test/", ""])
    def test_what_is_neither_is_refused(self, named: str) -> None:
        with pytest.raises(InvalidUrl):
            PrivateAccess([named])
