"""Sitemaps, feeds and lists: every address in them, nothing expanded, and one line for what is none of these."""

from __future__ import annotations

import gzip
import tracemalloc
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import PageError
from honeyguide.model import Fetched, Url
from honeyguide.parse import Listing, read_listing, sitemaps_in_robots

AT = Url.parse("https://s.test/maps/sitemap.xml")


def listing(body: str | bytes, content_type: str = "application/xml") -> Listing:
    return read_listing(AT, Fetched(200, content_type, body.encode() if isinstance(body, str) else body))


def pages(body: str | bytes, content_type: str = "application/xml") -> list[str]:
    return [url.text for url in listing(body, content_type).pages]


SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:x="http://www.w3.org/1999/xhtml">
  <url><loc> https://s.test/a?b=1&amp;c=2 </loc><lastmod>2024-01-01</lastmod>
    <image:image><image:loc>https://s.test/a.png</image:loc></image:image>
    <x:link rel="alternate" hreflang="de" href="https://s.test/de"/></url>
  <url><priority>1</priority><loc><![CDATA[https://s.test/é]]></loc></url>
  <url><loc>https://s.test/a?b=1&#38;c=2</loc></url>
  <url><loc>mailto:me@s.test</loc></url><url><loc/></url>
  <url><loc>/relative</loc></url>
</urlset>"""


def test_a_sitemap_lists_its_pages_each_once_and_no_images() -> None:
    found = listing(SITEMAP)
    expected = ["https://s.test/a?b=1&c=2", "https://s.test/%C3%A9", "https://s.test/relative"]
    assert [url.text for url in found.pages] == expected
    assert (found.sitemaps, found.unusable) == ((), 2)


def test_namespaces_and_their_absence_make_no_difference() -> None:
    assert pages("<urlset><url><loc>http://s.test/</loc></url></urlset>") == ["http://s.test/"]
    prefixed = '<s:urlset xmlns:s="odd"><s:url><s:loc>http://s.test/</s:loc></s:url></s:urlset>'
    assert pages(prefixed) == ["http://s.test/"]


def test_an_index_names_further_files() -> None:
    found = listing("<sitemapindex><sitemap><loc>/one.xml.gz</loc></sitemap></sitemapindex>")
    assert (found.pages, found.sitemaps) == ((), (Url.parse("https://s.test/one.xml.gz"),))


@pytest.mark.parametrize(
    ("feed", "expected"),
    [
        (("<rss><channel><link>http://s.test/</link><item><title>t</title><link>http://s.test/1</link></item>"
         "<item><guid>http://s.test/2</guid></item><item><guid isPermaLink='false'>17</guid></item>"
         "<item><link>http://s.test/3</link><guid>http://s.test/x</guid></item></channel></rss>"),
         ["http://s.test/1", "http://s.test/2", "http://s.test/3"]),
        (("<rss xmlns:a='http://www.w3.org/2005/Atom'><channel><item><a:link rel='self' href='/self'/>"
         "<a:link href='/4'/></item></channel></rss>"), ["https://s.test/4"]),
        (("<feed xmlns='http://www.w3.org/2005/Atom'><link href='/home'/><entry><link rel='edit' href='/e'/>"
         "<link rel='alternate' href='5'/><source><link href='/other'/></source></entry>"
         "<entry><link href='/6'/></entry></feed>"), ["https://s.test/maps/5", "https://s.test/6"]),
        (("<feed xml:base='http://b.test/x/'><entry><link href='7'/></entry>"
         "<entry xml:base='http://c.test/'><link href='8'/></entry></feed>"), ["http://b.test/x/7", "http://c.test/8"]),
        (("<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><channel><link>http://s.test/</link></channel>"
         "<item r:about='http://s.test/9'><title/></item><item r:about='urn:x'><link>http://s.test/10</link></item>"
         "</r:RDF>"), ["http://s.test/9", "http://s.test/10"]),
    ],
)  # fmt: skip
def test_a_feed_lists_its_entries(feed: str, expected: list[str]) -> None:
    assert pages(feed) == expected


def test_a_plain_list_has_a_url_a_line() -> None:
    found = listing("\ufeffhttp://s.test/a\r\n# a note\n\nftp://s.test/b\nhttp://s.test/c  ", "text/plain")
    assert [url.text for url in found.pages] == ["http://s.test/a", "http://s.test/c"]
    assert found.unusable == 1


def test_packed_or_not_is_told_by_the_bytes_themselves() -> None:
    assert pages(gzip.compress(SITEMAP.encode()), "application/x-gzip") == pages(SITEMAP)


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "iso-8859-1", "shift_jis"])
def test_the_declared_encoding_counts(charset: str) -> None:
    text = f"<?xml version='1.0' encoding='{charset}'?><urlset><url><loc>http://s.test/x</loc></url></urlset>"
    assert pages(text.encode(charset)) == ["http://s.test/x"]


LAUGHS = (
    "<!DOCTYPE urlset [<!ENTITY a 'ha'>"
    + "".join(f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><urlset><url><loc>&i;</loc></url></urlset>"
)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "it is empty"),
        ("nothing\nhere", "no line is a URL"),
        ("<!DOCTYPE html><html><body>Not found", "it is HTML"),
        ("<svg/>", "it is <svg>"),
        ("<urlset><url><loc>http://s.test/</url></urlset>", "it is not well-formed XML: mismatched tag in line 1"),
        ("<urlset>", "it is not well-formed XML: no element found in line 1"),
        ("<urlset>&nbsp;</urlset>", "undefined entity"),
        (LAUGHS, "it declares entities, which are not expanded here"),
        ("<!DOCTYPE u [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>&x;</loc></url></urlset>",
         "it declares entities"),
        ("<!DOCTYPE u [<!ENTITY % x SYSTEM 'http://evil.test/'> %x;]><urlset/>", "it declares entities"),
        ("<urlset>" + "<url>" * 100_000, "its elements nest deeper than 64"),
        (b"\x1f\x8b\x08garbage", "cannot be unpacked"),
        (gzip.compress(SITEMAP.encode(), mtime=0)[:-12], "cannot be unpacked: it is cut off"),
        (b"\x00\xff" * 50, "is not a sitemap"),
    ],
    ids=range(14),
)  # fmt: skip
def test_what_is_no_list_is_refused_in_one_line(body: str | bytes, words: str) -> None:
    with pytest.raises(PageError) as caught:
        listing(body)
    message = str(caught.value)
    assert words in message
    assert message.startswith(AT.text)
    assert "\n" not in message
    assert "give another one" in message


def test_a_packed_bomb_does_not_go_off() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 80_000_000, 9)
    tracemalloc.start()
    with pytest.raises(PageError, match="is over 50,000,000 bytes unpacked"):
        listing(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 150_000_000


def test_sitemaps_in_robots_txt() -> None:
    body = b"\xef\xbb\xbfUser-agent: *\nDisallow: /\nSITEMAP : /one.xml\nSitemap:https://t.test/two.xml\nSitemap: ::\n"
    named = sitemaps_in_robots(Url.parse("https://s.test/robots.txt"), Fetched(200, "text/plain", body))
    assert [url.text for url in named] == ["https://s.test/one.xml", "https://t.test/two.xml", "https://s.test/::"]


paths = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Cs"]), max_size=20)


@given(st.lists(paths, max_size=10))
def test_every_address_written_is_found(written: list[str]) -> None:
    urls = [Url.parse(f"http://s.test/x{path}") for path in written]
    body = "".join(f"<url><loc>http://s.test/x{escape(path)}</loc></url>" for path in written)
    found = listing(f"<urlset>{body}</urlset>").pages
    assert set(found) == set(urls)


@settings(max_examples=300)
@given(st.binary(max_size=200) | st.text(alphabet="<>/!?&;#urlsetocfdim \"'=", max_size=80).map(str.encode))
def test_anything_gives_a_list_or_one_line(body: bytes) -> None:
    told = ""
    try:
        assert all(isinstance(url, Url) for url in listing(body).pages)
    except PageError as error:
        told = str(error)
    assert "\n" not in told


@pytest.mark.parametrize(
    "entry",
    [
        "<urlset><url><loc>http://a.test/p</loc><lastmod>{}</lastmod></url><url><loc>http://a.test/q</loc></url></urlset>",
        "<rss><channel><item><link>http://a.test/p</link><pubDate>{}</pubDate></item></channel></rss>",
        "<feed><entry><published>1999-01-01</published><updated>{}</updated><link href='http://a.test/p'/></entry></feed>",
    ],
)
@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-11-16", 1_794_787_200.0),
        ("2026-11-16T01:00:00+01:00", 1_794_787_200.0),
        ("Mon, 16 Nov 2026 00:00:00 GMT", 1_794_787_200.0),
        ("yesterday", None),
        ("9999-99-99", None),
        ("", None),
    ],
)
def test_a_page_may_be_dated(entry: str, written: str, moment: float | None) -> None:
    expected = {} if moment is None else {Url.parse("http://a.test/p"): moment}
    found = listing(entry.format(written)).modified
    assert {url: at for url, at in found.items() if at > 1e9} == expected
