"""What pages ask of crawlers, in their head and their headers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import NO_DIRECTIVES, Directives, Fetched, Url
from honeyguide.parse import parse

PAGE = Url.parse("http://s.test/dir/page")


def directives(head: str = "", *, tag: str = "", agent: str = "Honeyguide", kind: str = "text/html") -> Directives:
    html = f"<html><head>{head}</head><body><p>text</body></html>"
    return parse(PAGE, Fetched(200, kind, html.encode(), robots_tag=tag), agent=agent).directives


def test_most_pages_ask_for_nothing() -> None:
    assert directives("<title>t</title><meta name=description content=nofollow>") is NO_DIRECTIVES


@pytest.mark.parametrize(
    ("head", "nofollow", "noindex"),
    [
        ('<meta name="robots" content="nofollow">', True, False),
        ('<META NAME="ROBOTS" CONTENT="NoIndex, FOLLOW">', False, True),
        ("<meta name=robots content=none>", True, True),
        ('<meta name=robots content="all, max-snippet:5, noindexing">', False, False),
        ("<meta name=robots>", False, False),
        ("<meta name=honeyguide content=noindex>", False, True),
        ("<meta name=googlebot content=none>", False, False),
        ("<meta name=robots content=index><meta name=Honeyguide content=nofollow>", True, False),
        ('<meta name=robots content="noindex"><meta name=robots content="nofollow">', True, True),
        ("<noscript><meta name=robots content=none></noscript>", False, False),
    ],
)
def test_robots_elements(head: str, nofollow: bool, noindex: bool) -> None:
    found = directives(head)
    assert (found.nofollow, found.noindex) == (nofollow, noindex)


@pytest.mark.parametrize(
    ("tag", "nofollow", "noindex"),
    [
        ("noindex", False, True),
        ("NOFOLLOW , noindex", True, True),
        ("googlebot: none", False, False),
        ("honeyguide: none", True, True),
        ("googlebot: noindex, nofollow", False, False),
        ("googlebot: noindex, honeyguide: nofollow", True, False),
        ("googlebot: noindex\nnofollow", True, False),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", False, True),
        (":,,:\n::noindex", False, False),
    ],
)
def test_robots_headers(tag: str, nofollow: bool, noindex: bool) -> None:
    for kind in ("text/html", "text/plain", "application/pdf"):
        found = directives(tag=tag, kind=kind)
        assert (found.nofollow, found.noindex) == (nofollow, noindex)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<link rel=canonical href=/other>", "http://s.test/other"),
        ("<base href=/b/><link rel='Canonical' href=other#x>", "http://s.test/b/other"),
        ("<link rel='shortlink canonical' href='https://t.test/'>", "https://t.test/"),
        ("<link rel=canonical href=page>", None),
        ("<link rel=canonical href='?utm_source=x'>", None),
        ("<link rel=canonical href=''>", None),
        ("<link rel=canonical href='javascript:x'>", None),
        ("<link rel=canonical href=/a><link rel=canonical href=/b>", None),
        ("<link rel=canonical href=/a><link rel=canonical href=/a>", "http://s.test/a"),
        ("<link rel=alternate href=/a>", None),
        ("</head><body><link rel=canonical href=/injected>", None),
    ],
)
def test_the_canonical_address(head: str, expected: str | None) -> None:
    canonical = directives(head).canonical
    assert (canonical and canonical.text) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0; url=/a", (0.0, "http://s.test/a")),
        ("0;URL='/a?b'", (0.0, "http://s.test/a?b")),
        ('5 , "/a" more', (5.0, "http://s.test/a")),
        (" 3.5;  Url = a ", (3.5, "http://s.test/dir/a")),
        ("0 /a", (0.0, "http://s.test/a")),
        (".5;/a", (0.5, "http://s.test/a")),
        ("99999999999999999999;/a", (1e6, "http://s.test/a")),
        ("0; url=", None),
        ("5", None),
        ("0; url=page", None),
        ("0; url=#top", None),
        ("0; url=javascript:x", None),
        ("now; url=/a", None),
        ("-1; url=/a", None),
        ("", None),
    ],
)
def test_being_sent_on(content: str, expected: tuple[float, str] | None) -> None:
    quoted = content.replace('"', "&quot;")
    refresh = directives(f'<meta http-equiv="Refresh" content="{quoted}">').refresh
    assert (refresh and (refresh.delay_s, refresh.target.text)) == expected


def test_a_name_that_no_selector_can_hold_addresses_nobody() -> None:
    assert directives("<meta name=robots content=noindex>", agent='"] *').noindex


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20))
def test_nothing_that_is_written_breaks_it(content: str, tag: str, agent: str) -> None:
    quoted = content.replace('"', "&quot;")
    head = (
        f'<meta name=robots content="{quoted}"><link rel=canonical href="{quoted}">'
        f'<meta http-equiv=refresh content="{quoted}">'
    )
    found = parse(
        PAGE, Fetched(200, "text/html", head.encode("utf-8", "replace"), robots_tag=tag), agent=agent
    ).directives
    assert found.canonical != PAGE
    assert found.refresh is None or found.refresh.target != PAGE
