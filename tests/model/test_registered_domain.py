"""Which part of a host name is a site's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InvalidUrl
from honeyguide.model import HostKey, domain_pattern, registered_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("www.example.org:8080", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("someone.github.io", "someone.github.io"),
        ("www.xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("localhost:80", "localhost"),
        ("co.uk", "co.uk"),
        ("127.0.0.1:8000", "127.0.0.1"),
        ("10.0.0.1", "10.0.0.1"),
        ("[::1]:8000", "[::1]"),
        ("[2001:db8::5]", "[2001:db8::5]"),
        ("a.example.org.", "example.org"),
    ],
)
def test_the_registered_domain_of_a_host(host: str, domain: str) -> None:
    assert registered_domain(HostKey(host)) == domain


labels = st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True)


@given(st.lists(labels, min_size=2, max_size=5).map(".".join))
def test_it_is_its_own_registered_domain_and_holds_the_host(host: str) -> None:
    domain = registered_domain(HostKey(host))
    assert registered_domain(HostKey(domain)) == domain
    assert domain_pattern(domain).fullmatch(host)
    assert domain_pattern(domain).fullmatch(f"below.{host}:8080")
    assert not domain_pattern(domain).fullmatch(f"{host}.elsewhere")
    assert not domain_pattern(domain).fullmatch(f"x{domain}")


@pytest.mark.parametrize("text", ["*.example.org", "example.org:80", "http://example.org", "", "a b"])
def test_what_is_no_domain_is_refused(text: str) -> None:
    with pytest.raises(InvalidUrl):
        domain_pattern(text)
