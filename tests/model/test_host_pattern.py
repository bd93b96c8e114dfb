"""Hosts named by a pattern."""

from __future__ import annotations

import pytest

from honeyguide.errors import InvalidUrl
from honeyguide.model import Url, host_pattern


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
