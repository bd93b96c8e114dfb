"""Small documents of every type that is read, made by hand."""

from __future__ import annotations

import io
import zipfile

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PAGE = "/MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >>"


def zipped(**members: str | bytes) -> bytes:
    """A ZIP file; `__` in a name stands for a slash, and the first member is not packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, text) in enumerate(members.items()):
            packing = zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED
            archive.writestr(name.replace("__", "/").replace("TYPES", "[Content_Types]"), text, packing)
    return out.getvalue()


def docx(body: str = "", **members: str) -> bytes:
    """A Word file; without a body it has a heading, a link, a list and a table."""
    body = body or (
        '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Basalt</w:t></w:r></w:p>'
        '<w:p><w:r><w:t xml:space="preserve">A dark </w:t></w:r><w:hyperlink r:id="rId7"><w:r><w:t>rock</w:t></w:r>'
        "</w:hyperlink><w:r><w:t> &amp; hard.</w:t></w:r></w:p>"
        "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>dense</w:t></w:r></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:t>a</w:t></w:p></w:tc><w:tc><w:p><w:t>b</w:t></w:p></w:tc></w:tr>"
        "<w:tr><w:tc><w:p><w:t>1</w:t></w:p></w:tc><w:tc><w:p><w:t>2</w:t></w:p></w:tc></w:tr></w:tbl>"
    )
    parts = {
        "TYPES.xml": "<Types/>",
        "word__document.xml": f'<w:document xmlns:w="{_W}" xmlns:r="{_R}"><w:body>{body}</w:body></w:document>',
        "word___rels__document.xml.rels": '<r><Relationship Id="rId7" Target="http://site.test/rock"/></r>',
        "docProps__core.xml": (
            '<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
            "<dc:title>On basalt</dc:title><dc:creator>Ada</dc:creator>"
            "<dcterms:created>2026-03-01T10:00:00Z</dcterms:created></c>"
        ),
    }
    return zipped(**(parts | members))


def odt() -> bytes:
    """An OpenDocument text with a heading, a link and a list."""
    content = (
        '<d xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<text:h text:outline-level="2">Basalt</text:h><text:p>A dark<text:s text:c="3"/><text:a '
        'xlink:href="http://site.test/rock">rock</text:a>.</text:p><text:list><text:list-item><text:p>dense</text:p>'
        "</text:list-item></text:list></d>"
    )
    meta = (
        '<m xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>On basalt</dc:title><dc:language>en</dc:language></m>'
    )
    return zipped(**{"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content, "meta.xml": meta})


def epub() -> bytes:
    """A book of two chapters, which stand in the file the other way round."""
    package = (
        '<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>On basalt</dc:title><dc:creator>Ada</dc:creator>'
        '<item id="two" href="b%20c.xhtml"/><item id="one" href="a.xhtml"/>'
        '<itemref idref="one"/><itemref idref="two"/><itemref idref="missing"/></p>'
    )
    return zipped(**{
        "mimetype": "application/epub+zip",
        "META-INF__container.xml": '<c><rootfile full-path="OPS/book.opf"/></c>',
        "OPS__book.opf": package,
        "OPS__b c.xhtml": '<html><body><h2>Two</h2><p><a href="http://site.test/rock">rock</a></p></body></html>',
        "OPS__a.xhtml": (
            '<!DOCTYPE html><html><body><h1>One</h1><p><a href="b.xhtml">on</a></p><script>no</script></body></html>'
        ),
    })  # fmt: skip


def pdf(*pages: str, link: str = "", title: str = "", extra: str = "") -> bytes:
    """A PDF with a line of text a page, and a link over all of the first; `extra` goes into the trailer."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    annotation = (
        link and f"/Annots [<< /Type /Annot /Subtype /Link /Rect [0 600 600 800] /A << /S /URI /URI ({link}) >> >>]"
    )
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 20 700 Td ({text}) Tj ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R {_PAGE} /Contents {5 + 2 * number} 0 R {'' if number else annotation} >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    objects.append(f"<< /Title ({title}) /Author (Ada) /CreationDate (D:20260301100000Z) >>")
    out, offsets = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R {extra} >>"
    return (
        out
        + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}\nstartxref\n{len(out)}\n%%EOF".encode()
    )
