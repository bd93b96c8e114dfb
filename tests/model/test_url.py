"""The one door for URLs: what comes through is canonical, and what cannot be one is refused."""

from __future__ import annotations

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honeyguide.errors import InvalidUrl
from honeyguide.model import Url
from honeyguide.model.url import MAX_LENGTH

BASE = Url.parse("https://example.org:8443/a/b/c.html?x=1/2&y=2")
NASTY = [
    "http://", "https://", "HTTP://", "//", "/", "\\", "?", "#", "@", ":", "%", "%2", "%2f", "%2E", "%2e%2e", "%41",
    "%00", "%C3%A9", "..", ".", "a", "B", "é", "日本", "xn--", "[::1]", "[::ffff:1.2.3.4]", "1.2.3.4", "example.org",
    "0x7f.1", "münchen.de", ":80", ":443", ":8080", "user:pw@", "utm_source=x", "&", "=", "gclid=1", "%75tm_source=x",
    " ", "\t", "\n", '"', "<", ">", "`", "{", "|", "^", "~", "\x00", "\x7f", "\u200b", "\ud800", ";", "+", "'", "%25",
    "%2525", "ß", "İ", "。", "／", "file:", "javascript:", "mailto:x", ".%2e", "%3F", "%23", "%26", "%3D",
]  # fmt: skip
nasty_text = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=2)), min_size=1, max_size=9).map("".join)
nasty_urls = st.builds(
    "".join, st.tuples(st.sampled_from(["", "http://", "http://example.org/", "https://h"]), nasty_text)
)
plain_paths = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", "/", "../", "../../", "../../../../"]),
    st.text(string.ascii_letters + string.digits + "-._~/", min_size=1, max_size=20),
)


def parsed(text: str, base: Url | None = None) -> Url | None:
    try:
        return Url.parse(text, base)
    except InvalidUrl:
        return None


@given(nasty_urls, st.sampled_from([None, BASE]))
@example("%%41a", BASE)
@example("%a%41", BASE)
def test_canonicalising_twice_equals_once(text: str, base: Url | None) -> None:
    url = parsed(text, base)
    if url is not None:
        assert Url.parse(url.text) == url
        assert Url.parse(url.text, base) == url


@given(nasty_urls, st.sampled_from([None, BASE]))
def test_the_parts_of_a_url_add_up_to_it(text: str, base: Url | None) -> None:
    url = parsed(text, base)
    if url is not None:
        assert url.text == str(url) == url.origin + url.path_and_query
        assert url.origin == f"{url.scheme}://{url.host}"
        assert url.host
        assert url.path_and_query.startswith(url.path)
        assert url.path.startswith("/")
        assert url.text.startswith(url.folder)


@given(nasty_urls)
def test_a_canonical_url_is_plain_ascii_without_fragment_or_credentials(text: str) -> None:
    url = parsed(text, BASE)
    if url is not None:
        assert all("!" <= character <= "~" for character in url.text)
        assert "#" not in url.text
        assert "@" not in url.host


@given(plain_paths, st.sampled_from([BASE, Url.parse("http://[::1]/"), Url.parse("http://h/x?/y/")]))
def test_the_short_way_for_plain_paths_gives_what_the_long_way_gives(path: str, base: Url) -> None:
    # A fragment keeps an address off the short way, and is dropped.
    assert parsed(path, base) == parsed(f"{path}#", base)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://example.org:80/a/./b/../c", "http://example.org/a/c"),
        ("https://user:secret@example.org/x", "https://example.org/x"),
        ("http://example.org/x?#part", "http://example.org/x"),
        ("http://example.org/%7euser/%c3%a9%2f", "http://example.org/~user/%C3%A9%2F"),
        ("http://example.org/?b=2&utm_source=x&a=1&GCLID=9", "http://example.org/?b=2&a=1"),
        ("http://example.org/?utm_source=x", "http://example.org/"),
        ("http://münchen.de/ö", "http://xn--mnchen-3ya.de/%C3%B6"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[0:0:0:0:0:0:0:1]:8080/", "http://[::1]:8080/"),
        ("http://example.org/index.html?b=1&a=2", "http://example.org/index.html?b=1&a=2"),
        ("http://example.org/100%%41", "http://example.org/100%%41"),
    ],
)
def test_canonical_form(text: str, canonical: str) -> None:
    assert Url.parse(text).text == canonical


@pytest.mark.parametrize(("text", "folder"), [("/a/b?c/d", "/a/"), ("/", "/"), ("/a/", "/a/"), ("", "/")])
def test_folder_ends_with_the_last_slash_of_the_path(text: str, folder: str) -> None:
    assert Url.parse(f"http://h{text}").folder == f"http://h{folder}"


def test_host_names_the_port_when_it_is_not_the_usual_one() -> None:
    assert Url.parse("https://example.org:443/").host == "example.org"
    assert Url.parse("https://example.org:8443/").host == "example.org:8443"
    assert Url.parse("http://[::1]:81/x").host == "[::1]:81"


@pytest.mark.parametrize(
    "text", ["", "example.org", "/path", "mailto:a@b.c", "ftp://h/", "http://", "http://a b/", "http://[::1/"]
)
def test_what_is_no_web_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidUrl):
        Url.parse(text)


@pytest.mark.parametrize("base", [None, BASE])
@pytest.mark.parametrize("text", ["http://h/" + "x" * MAX_LENGTH, "x" * (MAX_LENGTH - 5), "http://h/" + "é" * 1000])
def test_a_url_that_is_or_becomes_too_long_is_refused(text: str, base: Url | None) -> None:
    with pytest.raises(InvalidUrl):
        Url.parse(text, base)
