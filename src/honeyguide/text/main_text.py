"""The main text of a page as it is written, with its capitals and full stops."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from honeyguide.text.tokens import WORD

if TYPE_CHECKING:
    from honeyguide.domain import Page


def main_text(page: Page) -> str:
    """The text outside navigation, header and footer; one space where a part was left out."""
    if page.main_spans == ((0, len(page.words)),):
        return page.text
    lowered = page.text.lower()
    starts = [word.start() for word in WORD.finditer(lowered)]
    if len(lowered) != len(page.text) or len(starts) != len(page.words):
        # A letter such as İ is longer in lower case, and then places in the one are not places in the other.
        return " ".join(page.main_words)
    starts.append(len(page.text))
    return " ".join(page.text[starts[first] : starts[end]].strip() for first, end in page.main_spans)


def first_words(text: str, count: int) -> str:
    """`text` up to the end of its word number `count`; all of it where it has no more words than that."""
    words = list(islice(WORD.finditer(text), count + 1))
    return text[: words[count - 1].end()] if len(words) > count > 0 else text
