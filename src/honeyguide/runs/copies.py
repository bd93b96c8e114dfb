"""Stored copies of pages, to be shown by a browser that must not do what they say.

Text is sent in UTF-8, whatever it was written in, so that it cannot be read as anything else. A copy runs no script
and loads nothing: that is for the frame and the policy of whoever shows it. But a browser connects to hosts that a
`<link>` names under any policy, so these elements are made powerless here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.parse import decode

if TYPE_CHECKING:
    from honeyguide.model import Url
    from honeyguide.runs.run import Run

_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_ENDINGS: Final = ("json", "xml", "javascript", "yaml")
# With any other name a browser would still end the head of the page here; meta may stand in it.
_LINK_TAG: Final = re.compile(r"<link\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class StoredCopy:
    """A page as it was received: as HTML, as plain text, or as a line that says why neither can be shown."""

    text: str
    is_html: bool
    is_there: bool  # or the text says what is missing


def stored_copy(run: Run, url: Url) -> StoredCopy:
    """Return the stored copy of the page at a URL. RunDamaged where the archive that should have it cannot be read."""
    page = run.page(url)
    if page is None:
        return _line(f"This run has no page at {url}.")
    body = run.crawled_pages().body(page)
    if body is None:
        return _line(f"The run has stored no body of this page: its store.archive is {run.settings.store.archive!r}.")
    kind = page.media_type
    if kind in _HTML:
        return StoredCopy(_LINK_TAG.sub("<meta", decode(body, page.content_type)[0]), is_html=True, is_there=True)
    if kind.startswith("text/") or kind.endswith(_TEXT_ENDINGS):
        return StoredCopy(decode(body, page.content_type)[0], is_html=False, is_there=True)
    return _line(f"This page is {kind or 'of no known type'}, {len(body):,} bytes, which is neither HTML nor text.")


def _line(text: str) -> StoredCopy:
    return StoredCopy(text, is_html=False, is_there=False)
