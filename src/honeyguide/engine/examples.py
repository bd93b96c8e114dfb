"""Examples of a topic, read once: what a run keeps is their text, so that it never depends on a file or page again.

An example in `topic.like` or `topic.unlike` is a text, or `@FILE` for a file of HTML or text, or the URL of a page of
the world. Of a page the main text is taken, and of every text the first `LONGEST_EXAMPLE` words.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from honeyguide.engine.named_pages import STANDARD_INPUT, NamedPages, is_url
from honeyguide.errors import PageError, SettingsError
from honeyguide.settings import with_overrides
from honeyguide.text import first_words, main_text, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.settings import Settings
    from honeyguide.worlds import World

LONGEST_EXAMPLE: Final = 5_000  # words
FILE_SIGN: Final = "@"
_FILE_ENDINGS: Final = frozenset({".html", ".htm", ".xhtml", ".txt", ".text", ".md", ".pdf"})


@dataclass(frozen=True, slots=True)
class Example:
    """An example that has been read."""

    text: str
    title: str = ""  # of the page it is, where it has one


def reads_standard_input(settings: Settings) -> bool:
    """Whether an example of the topic is what comes on standard input."""
    return FILE_SIGN + STANDARD_INPUT in (*settings.topic.like, *settings.topic.unlike)


async def with_examples_read(settings: Settings, world: World | None = None) -> Settings:
    """The settings with the text of every example in its place; SettingsError with all that cannot be read.

    URLs are asked of `world`, or of the one that the settings name. Doing it twice changes nothing.
    """
    if not (settings.topic.like or settings.topic.unlike):
        return settings
    texts: dict[str, list[str]] = {}
    mistakes: list[str] = []
    async with NamedPages(settings, world) as pages:
        for key, examples in (("topic.like", settings.topic.like), ("topic.unlike", settings.topic.unlike)):
            texts[key] = await _texts(key, examples, pages, mistakes)
    if mistakes:
        raise SettingsError(mistakes)
    return with_overrides(settings, texts)


async def _texts(key: str, examples: Sequence[str], pages: NamedPages, mistakes: list[str]) -> list[str]:
    texts = []
    for example in examples:
        try:
            texts.append((await read_example(example, pages)).text)
        except PageError as error:
            mistakes.append(f"{key}: {error}")
    return texts


async def read_example(example: str, pages: NamedPages) -> Example:
    """The text of one example. PageError if there is not a word in it."""
    if is_reference(example):
        page = await pages.read(example.removeprefix(FILE_SIGN))
        return Example(_unmistakable(first_words(main_text(page), LONGEST_EXAMPLE)), page.title)
    return Example(_unmistakable(first_words(_checked(example), LONGEST_EXAMPLE)))


def is_reference(example: str) -> bool:
    """Whether an example names a file or page, rather than being a text itself."""
    return example.startswith(FILE_SIGN) or (is_url(example) and not _has_spaces(example))


def refuse_file_name(text: str) -> None:
    """PageError if a text is nothing but what looks like the name of a file."""
    if not _has_spaces(text) and PurePath(text).suffix.lower() in _FILE_ENDINGS:
        raise PageError(f"{text} looks like the name of a file; write {FILE_SIGN}{text} to have it read")


def _checked(text: str) -> str:
    refuse_file_name(text)
    if not words_of(text):
        raise PageError(f"the example {text!r} has no words in it; give a text, {FILE_SIGN}FILE or a URL")
    return text


def _unmistakable(text: str) -> str:
    """`text` as nobody would take it for a file or URL when it is read again."""
    return " ".join(words_of(text)) if text.startswith(FILE_SIGN) or not _has_spaces(text) else text


def _has_spaces(text: str) -> bool:
    return len(text.split()) > 1
