"""Hosts named by a pattern, and the part of a host name that somebody registered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InvalidUrl
from honeyguide.model import HostKey, Url, domain_pattern, host_pattern, registered_domain


def matches(pattern: str, url: str) -> bool:
    return host_pattern(pattern).fullmatch(Url.parse(url).host) is not None


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("example.org", "http://example.org/"),
        ("EXAMPLE.org", "https://example.ORG/"),
        ("example.org", "http://example.org:8080/"),
        ("example.org:8080", "http://example.org:8080/"),
        ("*.example.org", "http://www.example.org/"),
        ("*.example.org", "http://a.b.example.org/"),
        ("news.*", "http://news.example.org/"),
        ("*", "http://anything.test:81/"),
        ("münchen.de", "http://xn--mnchen-3ya.de/"),
        ("*.münchen.de", "http://www.münchen.de/"),
        ("192.168.*.*", "http://192.168.0.7/"),
        ("[::1]", "http://[::1]/"),
        ("[::1]", "http://[::1]:8080/"),
    ],
)
def test_a_pattern_covers(pattern: str, url: str) -> None:
    assert matches(pattern, url)


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("example.org", "http://www.example.org/"),
        ("*.example.org", "http://example.org/"),
        ("example.org", "http://example.org.evil.test/"),
        ("example.org", "http://examplexorg/"),
        ("example.org:8080", "http://example.org/"),
        ("[::1]", "http://[::12]/"),
    ],
)
def test_a_pattern_does_not_cover(pattern: str, url: str) -> None:
    assert not matches(pattern, url)


@pytest.mark.parametrize(
    "text", ["", " ", "https://example.org", "example.org/", "a b", "user@example.org", "a?b", "a#b", "["]
)
def test_what_is_no_host_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidUrl, match="not a host") as caught:
        host_pattern(text)
    assert repr(text) in str(caught.value)


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
