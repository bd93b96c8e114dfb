"""A limit on how deep elements may nest, because the parser's time grows with the square of the depth.

A document of 0.8 MB that opens 160,000 elements and closes none takes it over a minute. No page that a person wrote
comes near the limit; what lies deeper is cut off.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

import numpy as np

DEEPEST: Final = 6000
FEW_TAGS: Final = 2 * DEEPEST  # a document with fewer cannot be worth a closer look

_TAG: Final = re.compile(r"<(/?[a-zA-Z][a-zA-Z0-9]*)")
# Never nested in themselves by the parser: void elements, and those whose end is implied by the next of their kind.
_FLAT: Final = frozenset(
    (
        "area", "base", "body", "br", "caption", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
        "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td", "tfoot",
        "th", "thead", "tr", "track", "wbr",
    )
)  # fmt: skip


class _Steps(dict[str, int]):
    """How much deeper each tag leads."""

    def __missing__(self, tag: str) -> int:
        step = -1 if tag[0] == "/" else 1
        self[tag] = step = 0 if tag.lstrip("/").lower() in _FLAT else step
        return step


def without_depths(html: str) -> str:
    """The document up to where elements nest deeper than `DEEPEST`; nearly always, the document itself."""
    if html.count("<") < FEW_TAGS:
        return html
    tags = _TAG.findall(html)
    depths = np.cumsum(np.fromiter(map(_Steps().__getitem__, tags), dtype=np.int32, count=len(tags)))
    # An end without a beginning counts for nothing: depths are above the lowest so far, which begins at 0.
    depths -= np.minimum.accumulate(np.minimum(depths, 0))
    if depths.max(initial=0) <= DEEPEST:
        return html
    first_too_deep = int(np.argmax(depths > DEEPEST))
    return html[: next(islice(_TAG.finditer(html), first_too_deep, None)).start()]
