"""What GraphML and GEXF have in common: pages as nodes with their columns, links as edges, texts as XML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from honeyguide.reading import iso, moment_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.exports.written import Progress
    from honeyguide.store import KeptPage, KeptPages

# What XML 1.0 has no way to write, not even as a reference: control characters, halves of surrogate pairs, two others.
_UNSAYABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Column:
    """An attribute of every node."""

    name: str
    kind: str  # string, double, int or boolean, which both formats call by these names

    def value(self, page: KeptPage) -> str:
        """As it stands in the file."""
        match self.name:
            case "url":
                return page.url.text
            case "host":
                return page.url.host
            case "fetched_at":
                return iso(moment_of(page.fetched_at))
            case "is_relevant":
                return "true" if page.is_relevant else "false"
            case name:
                return str(getattr(page, name))


COLUMNS: Final = (
    Column("url", "string"),
    Column("host", "string"),
    Column("title", "string"),
    Column("relevance", "double"),
    Column("is_relevant", "boolean"),
    Column("score", "double"),
    Column("depth", "int"),
    Column("step", "int"),
    Column("words", "int"),
    Column("fetched_at", "string"),
    Column("digest", "string"),
)


def nodes_of(pages: KeptPages, progress: Progress | None) -> Iterator[KeptPage]:
    """The pages, with `progress` told of each."""
    total = len(pages)
    for done, page in enumerate(pages.all(), 1):
        yield page
        if progress is not None:
            progress(done, total)


def xml_text(text: str) -> str:
    """Text for the inside of an element; what XML cannot say becomes U+FFFD."""
    return escape(_UNSAYABLE.sub("\ufffd", text))


def xml_attribute(text: str) -> str:
    """Text with the quotes around it; line breaks and tabs survive as references."""
    return quoteattr(_UNSAYABLE.sub("\ufffd", text))


def label_of(page: KeptPage) -> str:
    return page.title or page.url.text
