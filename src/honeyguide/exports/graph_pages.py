"""What GraphML and GEXF have in common: pages as nodes with their columns, links as edges, texts as XML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from honeyguide.exports.choice import FACTS
from honeyguide.reading import iso, numbered_records_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.exports.written import Progress
    from honeyguide.reading import PageRecord
    from honeyguide.store import KeptPages, Run

# What XML 1.0 has no way to write, not even as a reference: control characters, halves of surrogate pairs, two others.
_UNSAYABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Column:
    """An attribute of nodes."""

    name: str
    kind: str = "string"  # or double, int, boolean, which both formats call by these names

    def value(self, record: PageRecord) -> str | None:
        """As it stands in the file; None where the page has none."""
        match getattr(record, self.name):
            case None:
                return None
            case datetime() as moment:
                return iso(moment)
            case bool(value):
                return "true" if value else "false"
            case value:
                return str(value)


_KINDS: Final = {
    "step": "int",
    "status": "int",
    "body_bytes": "int",
    "words": "int",
    "score": "double",
    "relevance": "double",
    "is_relevant": "boolean",
    "reward": "double",
    "depth": "int",
    "parent_count": "int",
}
COLUMNS: Final = tuple(Column(name, _KINDS.get(name, "string")) for name in FACTS)


def nodes_of(run: Run, pages: KeptPages, progress: Progress | None) -> Iterator[tuple[int, PageRecord]]:
    """The pages with their numbers, with `progress` told of each."""
    total = len(pages)
    for done, node in enumerate(numbered_records_of(run, pages, with_text=False), 1):
        yield node
        if progress is not None:
            progress(done, total)


def xml_text(text: str) -> str:
    """Text for the inside of an element; what XML cannot say becomes U+FFFD."""
    return escape(_UNSAYABLE.sub("\ufffd", text))


def xml_attribute(text: str) -> str:
    """Text with the quotes around it; line breaks and tabs survive as references."""
    return quoteattr(_UNSAYABLE.sub("\ufffd", text))
