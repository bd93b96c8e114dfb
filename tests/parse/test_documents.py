"""PDF, .docx, .odt and .epub files as pages."""

from __future__ import annotations

import io
import sys
import zipfile
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import DocumentError
from honeyguide.extras import install_hint
from honeyguide.model import Cap, Fetched, Page
from honeyguide.parse import is_quick, media_type_of, parse
from honeyguide.parse.content import PageContent, content_of
from honeyguide.settings import DOCX, EPUB, ODT, PDF, ParseSettings
from parse.parsed import PAGE_URL
from small_documents import docx, epub, odt, pdf, zipped

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |"
READING = ParseSettings(documents=True)
needs_pdfium = pytest.mark.skipif(find_spec("pypdfium2") is None, reason="needs the extra documents")


def page_of(body: bytes, media_type: str, limits: ParseSettings = READING) -> Page:
    return parse(PAGE_URL, Fetched(200, media_type, body), limits=limits)


def content(body: bytes, media_type: str) -> PageContent:
    return content_of(PAGE_URL, Fetched(200, media_type, body), limits=READING)


@pytest.mark.parametrize(
    ("make", "media_type", "markdown"),
    [
        (
            docx,
            DOCX,
            "# Basalt\n\nA dark [rock](http://site.test/rock) & hard.\n\n- dense\n\n" + TABLE,
        ),
        (odt, ODT, "## Basalt\n\nA dark [rock](http://site.test/rock).\n\n- dense"),
        (epub, EPUB, "# One\n\non\n\n## Two\n\n[rock](http://site.test/rock)"),
    ],
)
def test_office_files_keep_text_title_links_and_structure(
    make: Callable[[], bytes], media_type: str, markdown: str
) -> None:
    page = page_of(make(), media_type)
    assert (page.title, page.media_type) == ("On basalt", media_type)
    assert [link.target.text for link in page.links] == ["http://site.test/rock"]
    assert content(make(), media_type).markdown == markdown
    assert page_of(make(), "").media_type == media_type  # sniffed
    assert not is_quick(make())


def test_what_a_document_says_of_itself_is_metadata() -> None:
    metadata = content(docx(), DOCX).metadata
    assert (metadata.author, metadata.published) == ("Ada", "2026-03-01T10:00:00Z")
    assert content(odt(), ODT).metadata.language == "en"


def test_a_book_of_two_authors_and_a_file_that_was_changed_say_so() -> None:
    said = "".join(f"<dc:{name}>{text}</dc:{name}>" for name, text in (
        ("title", "On basalt"), ("title", "A guide"), ("creator", "Ada"), ("creator", "Bob"), ("language", "en"),
        ("language", "fr"), ("date", "2020-01-01"), ("date", "2021-05-05"),
    ))  # fmt: skip
    package = f'<p xmlns:dc="http://purl.org/dc/elements/1.1/">{said}<item id="a" href="a"/><itemref idref="a"/></p>'
    container = '<c><rootfile full-path="b"/></c>'
    book = zipped(**{"mimetype": EPUB, "META-INF__container.xml": container, "b": package, "a": "<p>dark</p>"})
    assert page_of(book, EPUB).title == "On basalt"
    metadata = content(book, EPUB).metadata
    assert (metadata.author, metadata.published, metadata.language) == ("Ada, Bob", "2020-01-01", "en")
    meta = (
        '<m xmlns:dc="dc" xmlns:o="o"><o:initial-creator>Ada</o:initial-creator><dc:creator>Bob</dc:creator>'
        "<o:creation-date>2019-01-01</o:creation-date><dc:date>2023-03-03</dc:date></m>"
    )
    text = zipped(**{"mimetype": ODT, "content.xml": "<d><p>dark</p></d>", "meta.xml": meta})
    metadata = content(text, ODT).metadata
    assert (metadata.author, metadata.published, metadata.modified) == ("Ada", "2019-01-01", "2023-03-03")


def test_a_list_item_may_have_any_number_of_properties() -> None:
    before = "<w:keepNext/> <w:keepLines/> <w:pageBreakBefore/> <w:widowControl/> <w:contextualSpacing/>"
    changed = "<w:pPrChange><w:pPr><w:numPr/></w:pPr></w:pPrChange>"
    body = (
        f"<w:p><w:pPr>{before}<w:numPr/></w:pPr><w:t>dense</w:t></w:p><w:p><w:pPr>{changed}</w:pPr><w:t>no</w:t></w:p>"
    )
    assert content(docx(body), DOCX).markdown == "- dense\n\nno"


@needs_pdfium
def test_a_pdf_keeps_text_title_and_links() -> None:
    body = pdf("Basalt is a dark rock.", "It is hard.", link="http://site.test/rock", title="On basalt")
    page = page_of(body, PDF)
    assert (page.title, page.media_type, page.cut_by) == ("On basalt", PDF, ())
    assert page.words[:5] == ("basalt", "is", "a", "dark", "rock")
    (link,) = page.links
    assert (link.target.text, link.occurrences[0].anchor) == ("http://site.test/rock", "Basalt is a dark rock.")
    found = content(body, PDF)
    assert found.markdown == "[Basalt is a dark rock.](http://site.test/rock)\n\nIt is hard."
    assert (found.metadata.author, found.metadata.published) == ("Ada", "2026-03-01")
    assert not is_quick(body)


@needs_pdfium
def test_a_long_pdf_is_read_up_to_a_limit() -> None:
    body = pdf(*(f"page number {number}." for number in range(9)))
    page = page_of(body, PDF, replace(READING, max_pages=4))
    assert (page.words.count("page"), page.cut_by) == (4, (Cap.PAGES,))
    page = page_of(body, PDF, replace(READING, max_words=5))
    assert (len(page.words), page.cut_by) == (5, (Cap.PAGES, Cap.WORDS))


def test_documents_have_no_words_unless_that_is_set() -> None:
    for body, media_type in ((docx(), DOCX), (pdf("x"), PDF)):
        page = page_of(body, media_type, ParseSettings())
        assert (page.words, page.links, page.media_type) == ((), (), media_type)


def test_without_the_extra_the_reason_says_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(DocumentError) as raised:
        page_of(pdf("x"), PDF)
    assert str(raised.value) == f"a PDF is read with the extra documents; add it: {install_hint('documents')}"


def bomb() -> bytes:
    return docx(**{"word__document.xml": "<w>" + " " * 60_000_000})


def laughs() -> bytes:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    return docx(**{"word__document.xml": f'<!DOCTYPE d [<!ENTITY a0 "ha">{entities}]><d>&a9;</d>'})


def damaged_lzma() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("word/document.xml", "<w/>")
    start = out.getvalue().index(b"word/document.xml") + len("word/document.xml")
    return out.getvalue()[: start + 4] + b"\xff" * 5 + out.getvalue()[start + 9 :]


@pytest.mark.parametrize(
    ("body", "media_type", "reason"),
    [
        (bomb, DOCX, "unpacks to over 50,000,000 bytes"),
        (laughs, DOCX, "has a DTD"),
        (lambda: docx()[:300], DOCX, "no whole ZIP file"),
        (lambda: b"x" + docx(), DOCX, "does not begin as one"),
        (lambda: zipped(TYPES="x"), DOCX, "has no part 'word/document.xml'"),
        (lambda: docx("<w:p>"), DOCX, "broken XML"),
        (lambda: zipped(mimetype=EPUB), EPUB, "has no part 'META-INF/container.xml'"),
        (lambda: b"PK\x03\x04", ODT, "no whole ZIP file"),
        (damaged_lzma, DOCX, "is packed in a way that documents are not"),
    ],
)
def test_a_hostile_office_file_is_one_line(body: Callable[[], bytes], media_type: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason) as raised:
        page_of(body(), media_type)
    assert "\n" not in str(raised.value)


@needs_pdfium
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"%PDF-1.7", "cannot be read"),
        (b"no pdf", "does not begin as one"),
        (
            pdf(
                "x",
                extra="/Encrypt << /Filter /Standard /V 1 /R 2 /O (" + "o" * 32 + ") /U (" + "u" * 32 + ") /P -4 >>",
            ),
            "encrypted",
        ),
        (pdf("x").replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"), "damaged"),
    ],
)
def test_a_hostile_pdf_is_one_line(body: bytes, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason) as raised:
        page_of(body, PDF)
    assert "\n" not in str(raised.value)


def test_a_text_box_comes_once() -> None:
    box = '<w:p><w:hyperlink r:id="rId7"><w:t>boxed</w:t></w:hyperlink></w:p>'
    both = f"<w:Choice>{box}</w:Choice><w:Fallback>{box}</w:Fallback>"
    body = docx(f"<w:p><w:AlternateContent>{both}</w:AlternateContent><w:t>after</w:t></w:p>")
    assert content(body, DOCX).markdown.split() == ["[boxed](http://site.test/rock)", "after"]
    assert len(page_of(body, DOCX).links) == 1


@pytest.mark.parametrize(("level", "marks"), [("2", "##"), ("12", "######"), ("", "######")])
def test_a_heading_has_one_of_six_levels(level: str, marks: str) -> None:
    text = f'<d xmlns:t="t"><t:h t:outline-level="{level}">Basalt</t:h></d>'
    assert content(zipped(**{"mimetype": ODT, "content.xml": text}), ODT).markdown == f"{marks} Basalt"


def test_deep_and_long_office_files_are_read() -> None:
    page = page_of(docx("<w:tbl><w:tr><w:tc>" * 3000 + "<w:t>deep</w:t>" + "</w:tc></w:tr></w:tbl>" * 3000), DOCX)
    assert "deep" in page.words
    assert content(docx("<w:p><w:t>a</w:t></w:p>" * 30_000), DOCX).markdown.count("a") == 30_000


@given(st.binary(max_size=300), st.integers(0, 2000), st.sampled_from([(docx(), DOCX), (odt(), ODT), (epub(), EPUB)]))
def test_any_damage_is_read_or_refused(noise: bytes, place: int, document: tuple[bytes, str]) -> None:
    body, media_type = document
    place = 4 + place % (len(body) - 4)
    with suppress(DocumentError):
        page_of(body[:place] + noise + body[place + len(noise) :], media_type)


def test_a_zip_file_that_is_no_document_stays_one() -> None:
    assert media_type_of(Fetched(200, "", zipped(a="b"))) == "application/zip"
