"""Examples of a topic: a text, `@FILE` for a file of HTML or text, or the URL of a page.

Of a page the main text is kept, and of every text the first `LONGEST_EXAMPLE` words, so that a run never depends on a
file or page again.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from honeyguide.errors import PageError
from honeyguide.text import first_words, main_text, words_of

if TYPE_CHECKING:
    from honeyguide.model import Page

LONGEST_EXAMPLE: Final = 5_000  # words
FILE_SIGN: Final = "@"
_FILE_ENDINGS: Final = frozenset({".html", ".htm", ".xhtml", ".txt", ".text", ".md", ".pdf"})


def is_url(name: str) -> bool:
    """Return whether a person means a URL by this, rather than a file."""
    return name.lower().startswith(("http://", "https://"))


def is_reference(example: str) -> bool:
    """Return whether an example names a file or page, rather than being a text itself."""
    return example.startswith(FILE_SIGN) or (is_url(example) and not _has_spaces(example))


def refuse_file_name(text: str) -> None:
    """Raise PageError if a text is nothing but what looks like the name of a file."""
    if not _has_spaces(text) and PurePath(text).suffix.lower() in _FILE_ENDINGS:
        raise PageError(f"{text} looks like the name of a file; write {FILE_SIGN}{text} to have it read")


def text_example(text: str) -> str:
    """Return the part of a text that is kept. PageError if there is not a word in it."""
    refuse_file_name(text)
    if not words_of(text):
        raise PageError(f"the example {text!r} has no words in it; give a text, {FILE_SIGN}FILE or a URL")
    return _kept(text)


def page_example(page: Page) -> str:
    """Return the part of a page that is kept."""
    return _kept(main_text(page))


def _kept(text: str) -> str:
    """Cut a text, and spell it so that nobody takes it for a file or URL when it is read again."""
    text = first_words(text, LONGEST_EXAMPLE)
    return " ".join(words_of(text)) if text.startswith(FILE_SIGN) or not _has_spaces(text) else text


def _has_spaces(text: str) -> bool:
    return len(text.split()) > 1
