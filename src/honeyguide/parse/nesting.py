"""A limit on how deep elements may nest, because the parser's time grows with the square of the depth.

A document of 0.8 MB that opens 160,000 elements and closes none takes it over a minute. No page that a person wrote
comes near the limit; what lies deeper is cut off.
"""

from __future__ import annotations

import re
from typing import Final

DEEPEST: Final = 6000
FEW_TAGS: Final = 2 * DEEPEST  # a document with fewer cannot be worth a closer look

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Never nested in themselves by the parser: void elements, and those whose end is implied by the next of their kind.
_FLAT: Final = frozenset(
    (
        "area", "base", "body", "br", "caption", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
        "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td", "tfoot",
        "th", "thead", "tr", "track", "wbr",
    )
)  # fmt: skip


def without_depths(html: str) -> str:
    """The document up to where elements nest deeper than `DEEPEST`; nearly always, the document itself."""
    if html.count("<") < FEW_TAGS:
        return html
    depth = 0
    for tag in _TAG.finditer(html):
        if tag[2].lower() in _FLAT:
            continue
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST:
            return html[: tag.start()]
    return html
