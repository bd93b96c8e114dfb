"""Which encoding a body is read in."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.parse.charset import decode

FRENCH = "Été à la forêt: naïveté, garçon, œuvre"
RUSSIAN = "Геология изучает состав и строение Земли, горные породы и минералы, их происхождение и возраст"


def test_byte_order_mark_beats_the_header() -> None:
    body = codecs.BOM_UTF8 + FRENCH.encode()
    assert decode(body, "text/html; charset=iso-8859-1") == (FRENCH, "utf-8")


@pytest.mark.parametrize(("mark", "charset"), [(codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be")])
def test_byte_order_mark_of_utf16_is_read(mark: bytes, charset: str) -> None:
    assert decode(mark + FRENCH.encode(charset), "text/html") == (FRENCH, charset)


def test_header_beats_the_document() -> None:
    body = f'<meta charset="utf-8">{RUSSIAN}'.encode("koi8-r")
    text, charset = decode(body, 'text/html; Charset="KOI8-R"')
    assert charset == "koi8-r"
    assert RUSSIAN in text


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="windows-1251">',
        "<META CHARSET=windows-1251>",
        "<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>",
        '<meta content="text/html;charset=windows-1251" http-equiv=content-type />',
        '<?xml version="1.0" encoding="windows-1251"?><html>',
        '<!-- <meta charset="utf-8"> --><meta charset="cp1251">',
    ],
)
def test_document_names_its_own_encoding(declaration: str) -> None:
    text, charset = decode((declaration + RUSSIAN).encode("cp1251"), "text/html")
    assert charset == "windows-1251"
    assert RUSSIAN in text


@pytest.mark.parametrize(
    ("label", "charset"),
    [
        ("iso-8859-1", "windows-1252"),
        ("latin1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("Shift_JIS", "shift_jis"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("iso-8859-9", "windows-1254"),
        ("UTF8", "utf-8"),
    ],
)
def test_labels_mean_what_browsers_take_them_for(label: str, charset: str) -> None:
    assert decode(b"text", f"text/html; charset={label}")[1] == charset


def test_latin1_label_reads_curly_quotes() -> None:
    assert decode(b"\x93quoted\x94", "text/html; charset=ISO-8859-1")[0] == "“quoted”"


def test_meta_that_claims_utf16_is_utf8_because_it_could_be_read() -> None:
    assert decode(f'<meta charset="utf-16">{FRENCH}'.encode(), "text/html")[1] == "utf-8"


@pytest.mark.parametrize("label", ["nonsense", "base64", "rot13", "utf-7", "idna", "", "x\x00y"])
def test_unknown_labels_are_ignored(label: str) -> None:
    assert decode(FRENCH.encode(), f"text/html; charset={label}") == (FRENCH, "utf-8")


def test_undeclared_text_is_utf8_when_it_reads_as_utf8() -> None:
    assert decode(RUSSIAN.encode(), "") == (RUSSIAN, "utf-8")


def test_utf8_cut_off_inside_a_character_is_still_utf8() -> None:
    text, charset = decode("Geologie der Alpen – Übersicht ü".encode()[:-1], "")
    assert charset == "utf-8"
    assert text.startswith("Geologie der Alpen – Übersicht")


def test_utf8_with_a_few_broken_bytes_is_still_utf8() -> None:
    assert decode(RUSSIAN.encode() + b" \xff " + RUSSIAN.encode(), "")[1] == "utf-8"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        ("地質学は地球の構成と歴史を研究する学問である。岩石や鉱物を調べる。", "cp932"),
        ("地质学是研究地球的物质组成、内部构造和历史的学科，包括岩石和矿物。", "gb18030"),
    ],
)
def test_undeclared_legacy_text_is_guessed(text: str, encoding: str) -> None:
    body = f"<html><body><p>{text}</p><p>{text}</p></body></html>".encode(encoding)
    assert text in decode(body, "text/html")[0]


def test_an_empty_body_has_no_encoding() -> None:
    assert decode(b"", "text/html; charset=utf-8") == ("", "")


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "utf-16", "shift_jis", "gb18030", "big5", "iso-2022-jp"]))
def test_decoding_never_fails_and_gives_no_lone_surrogate(body: bytes, label: str) -> None:
    text, _ = decode(body, f"text/html; charset={label}")
    assert text.encode("utf-8").decode("utf-8") == text
