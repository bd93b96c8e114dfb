"""What pages say of their origin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Fetched
from honeyguide.parse.content import content_of
from honeyguide.parse.metadata import PageMetadata, iso_date
from parse.parsed import PAGE_URL


def metadata_of(html: str) -> PageMetadata:
    return content_of(PAGE_URL, Fetched(200, "text/html; charset=utf-8", html.encode())).metadata


def test_json_ld_comes_before_meta_elements() -> None:
    metadata = metadata_of("""<html lang="pt-BR"><head><meta name="author" content="Meta">
    <meta name="date" content="2020-01-01">
    <meta name="description" content="About  rocks"><meta property="og:site_name" content="Rock News">
    <script type="application/ld+json">{"@type": "Article", "author": [{"name": "Ada"}, {"name": "Bob"}],
    "datePublished": "2026-03-01T10:00:00+02:00", "dateModified": "2026-04-02", "license": "/free"}</script>
    </head><body><p>x <a href="https://creativecommons.org/licenses/by/4.0/">CC BY</a></p></body></html>""")
    assert (metadata.language, metadata.author, metadata.site_name) == ("pt-br", "Ada", "Rock News")
    assert (metadata.published, metadata.modified) == ("2026-03-01T08:00:00Z", "2026-04-02")
    assert metadata.description == "About rocks"
    assert metadata.licences == ("https://creativecommons.org/licenses/by/4.0/", "http://site.test/free")
    assert metadata.open_graph == {"og:site_name": "Rock News"}
    assert metadata.json_ld[0]["@type"] == "Article"


def test_meta_elements_and_open_graph_fill_in() -> None:
    metadata = metadata_of("""<meta name="DC.creator" content="Ada">
    <meta property="article:published_time" content="2026-03-01">
    <meta property="og:updated_time" content="Mon, 02 Mar 2026 10:00:00 GMT"><meta property="og:locale" content="de_AT">
    <link rel="license" href="/l"><p>x""")
    assert (metadata.author, metadata.published, metadata.modified) == ("Ada", "2026-03-01", "2026-03-02T10:00:00Z")
    assert (metadata.language, metadata.licences) == ("de-at", ("http://site.test/l",))


def test_a_page_that_says_nothing_has_no_facts() -> None:
    assert metadata_of("<p>x") == PageMetadata()


def test_an_address_is_no_author() -> None:
    assert metadata_of('<meta property="article:author" content="https://x.test/ada"><p>x').author is None


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2026-03-01", "2026-03-01"),
        ("2026/3/1 and more", "2026-03-01"),
        ("20260301", "2026-03-01"),
        ("2026-03-01T10:00:00", "2026-03-01T10:00:00"),
        ("2026-13-01", None),
        ("1066-10-14", None),
        ("soon", None),
        ("", None),
        (None, None),
        (["2026-03-01"], None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_dates_are_written_alike(written: object, iso: str | None) -> None:
    assert iso_date(written) == iso


@given(st.text())
def test_no_date_fails(text: str) -> None:
    found = iso_date(text)
    assert found is None or iso_date(found) == found
