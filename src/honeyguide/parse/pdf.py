"""PDF files as HTML, through pypdfium2, which is the extra `documents`.

PDFium is C++: a file that breaks it ends the process that reads pages, and costs that page. Text comes in lines; those
of a paragraph are joined again. Links keep the words that they stand on. DocumentError, in one line, for a file that
cannot be read.
"""

from __future__ import annotations

import ctypes
import re
from html import escape
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import DocumentError
from honeyguide.extras import install_hint
from honeyguide.parse.office import Described, as_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STARTS_WITHIN: Final = 1024  # bytes: what PDFium allows before the signature
_MOST_LINKS: Final = 1000  # of one page
_LONGEST_ADDRESS: Final = 4096
_FEWEST_LETTERS: Final = 3  # by which words of a link are looked for in the text
_DATE: Final = re.compile(r"D:(\d{4})(\d\d)(\d\d)")
_PASSWORD_NEEDED: Final = 4  # of PDFium's errors
_FULL_LINE: Final = 0.7  # of the longest on its page: one that is shorter and ends a sentence ends its paragraph


def read_pdf(body: bytes, max_pages: int, max_words: int) -> tuple[str, bool]:
    """Return a file as HTML, and whether it has more pages than were read."""
    pdfium = _pdfium()
    if b"%PDF-" not in body[:_STARTS_WITHIN]:
        raise DocumentError("the file is no PDF: it does not begin as one")
    try:
        document = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        if pdfium.raw.FPDF_GetLastError() == _PASSWORD_NEEDED or "password" in str(error).lower():
            raise DocumentError("the PDF is encrypted and asks for a password") from None
        raise DocumentError(f"the PDF cannot be read: {error}") from None
    try:
        return _read(pdfium, document, max_pages, max_words)
    finally:
        document.close()


def _pdfium() -> Any:  # noqa: ANN401 - need not be installed
    try:
        import pypdfium2  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise DocumentError(f"a PDF is read with the extra documents; add it: {install_hint('documents')}") from None
    return pypdfium2


def _read(pdfium: Any, document: Any, max_pages: int, max_words: int) -> tuple[str, bool]:  # noqa: ANN401
    pages, words, number = [], 0, 0
    count = len(document)
    for number in range(min(count, max_pages)):
        try:
            page = document[number]
            text = page.get_textpage()
        except pdfium.PdfiumError:  # a page that is missing or damaged; the others may be whole
            continue
        lines = text.get_text_range()
        words += len(lines.split())
        pages.append(_with_links(_paragraphs(lines), _links(pdfium.raw, document, page, text)))
        text.close()
        page.close()
        if words > max_words:
            break
    if not pages and count:
        raise DocumentError(f"the PDF is damaged: none of its {count:,} pages can be read")
    said = document.get_metadata_dict()
    described = Described(said["Title"], said["Author"], _date(said["CreationDate"]), _date(said["ModDate"]))
    return as_html(described, "".join(pages)), number + 1 < count


def _date(written: str) -> str:
    found = _DATE.match(written)
    return "-".join(found.groups()) if found else ""


def _paragraphs(text: str) -> str:
    """Join the lines of paragraphs, and words that were parted at the end of a line."""
    text = re.sub("\ufffe\\s*|\u00ad\\s*\n\\s*", "", text.replace("\r\n", "\n").replace("\0", ""))
    lines = [line.strip() for line in text.split("\n")]
    full = _FULL_LINE * max(map(len, lines), default=0)
    pieces = ["<p>"]
    for line in lines:
        ends = not line or (len(line) < full and line.endswith((".", "!", "?", ":", ";")))
        pieces.append(escape(line, quote=False) + ("</p><p>" if ends else "\n"))
    return "".join(pieces) + "</p>"


def _with_links(html: str, links: Iterable[tuple[str, str]]) -> str:
    """Put links around their words, which come in order; those whose words are not found go to the end."""
    pieces, end, at = [], [], 0
    for address, words in links:
        shown = escape(words, quote=False)
        found = html.find(shown, at) if len(words) >= _FEWEST_LETTERS else -1
        link = f'<a href="{escape(address)}">{shown}</a>'
        if found < 0:
            end.append(f"<p>{link}</p>")
        else:
            pieces += [html[at:found], link]
            at = found + len(shown)
    return "".join((*pieces, html[at:], *end))


def _links(raw: Any, document: Any, page: Any, text: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - pypdfium2's
    """Yield the links of a page to the web, each with the words under it."""
    place, link = ctypes.c_int(0), raw.FPDF_LINK()
    for _ in range(_MOST_LINKS):
        if not raw.FPDFLink_Enumerate(page.raw, ctypes.byref(place), ctypes.byref(link)):
            return
        action = raw.FPDFLink_GetAction(link)
        length = raw.FPDFAction_GetURIPath(document.raw, action, None, 0) if action else 0
        if not 1 < length < _LONGEST_ADDRESS:
            continue
        buffer = ctypes.create_string_buffer(length)
        raw.FPDFAction_GetURIPath(document.raw, action, buffer, length)
        address = buffer.value.decode("utf-8", "replace")
        if address.startswith(("http://", "https://")):
            yield address, _words_under(raw, link, text)


def _words_under(raw: Any, link: Any, text: Any) -> str:  # noqa: ANN401 - pypdfium2's
    box = raw.FS_RECTF()
    if not raw.FPDFLink_GetAnnotRect(link, ctypes.byref(box)):
        return ""
    words = text.get_text_bounded(left=box.left, bottom=box.bottom, right=box.right, top=box.top)
    return " ".join(words.replace("\ufffe", "").split())[:500]
