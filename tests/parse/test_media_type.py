"""What a body is taken for."""

from __future__ import annotations

import pytest

from parse.parsed import page_of

HTML = b"<!DOCTYPE html><title>t</title><p>some words"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@pytest.mark.parametrize("content_type", ["text/html", "TEXT/HTML; charset=x", "application/xhtml+xml"])
def test_html_types_are_read(content_type: str) -> None:
    assert page_of(HTML, content_type).words == ("some", "words")


def test_plain_text_has_words_and_no_links() -> None:
    page = page_of(b"See <a href='/x'>here</a> &amp; there", "text/plain")
    assert page.media_type == "text/plain"
    assert page.text == "See <a href='/x'>here</a> &amp; there"
    assert page.words == ("see", "a", "href", "x", "here", "a", "amp", "there")
    assert page.main_spans == ((0, 8),)
    assert page.links == ()


def test_markers_in_plain_text_are_only_characters() -> None:
    assert page_of(b"one \x01\x02two\x01\x03 \x01", "text/plain").words == ("one", "two")


@pytest.mark.parametrize(
    ("content_type", "body"),
    [("application/pdf", PDF), ("image/png", PNG), ("application/json", b'{"a": 1}'), ("text/css", b"p { }")],
)
def test_other_types_are_recorded_without_words(content_type: str, body: bytes) -> None:
    page = page_of(body, content_type)
    assert page.media_type == content_type
    assert (page.charset, page.title, page.text) == ("", "", "")
    assert (page.words, page.main_spans, page.links) == ((), (), ())


@pytest.mark.parametrize("declared", ["text/html", "text/plain", ""])
@pytest.mark.parametrize(
    ("body", "media_type"),
    [(PDF, "application/pdf"), (PNG, "image/png"), (bytes(range(256)) * 8, "application/octet-stream")],
)
def test_binary_files_that_claim_to_be_text_are_found_out(declared: str, body: bytes, media_type: str) -> None:
    page = page_of(body, declared)
    assert page.media_type == media_type
    assert page.words == ()


def test_a_stray_control_character_does_not_make_a_page_binary() -> None:
    assert page_of(b"<p>" + b"plain words " * 20 + b"\x00\x07", "text/html").media_type == "text/html"


def test_utf16_is_text_although_it_is_full_of_zeros() -> None:
    assert page_of("<p>zeros</p>".encode("utf-16"), "text/html").words == ("zeros",)
    assert page_of("<p>zeros</p>".encode("utf-16-le"), "text/html; charset=utf-16le").words == ("zeros",)


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (HTML, "text/html"),
        (b"  \n<HTML><body>x", "text/html"),
        (b"\xef\xbb\xbf<html>", "text/html"),
        (b"<!-- note --><p>x", "text/html"),
        (b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>", "application/xhtml+xml"),
        (b"<?xml version='1.0'?><rss>", "text/xml"),
        (b"just words", "text/plain"),
        (b"", "text/plain"),
        (b"GIF89a....", "image/gif"),
    ],
)
def test_a_missing_type_is_sniffed(body: bytes, media_type: str) -> None:
    assert page_of(body, "").media_type == media_type


def test_xml_that_holds_html_is_html() -> None:
    body = b"<?xml version='1.0'?><!DOCTYPE html><html><body>words</body></html>"
    assert page_of(body, "text/xml").words == ("words",)
    assert page_of(b"<?xml version='1.0'?><feed/>", "application/xml").media_type == "application/xml"
