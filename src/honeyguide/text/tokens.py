"""Words, stems and stop words: the units in which texts are compared and a link's place on its page is counted."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib import resources
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np
import Stemmer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Page, Url

# Letters and digits of any script, with inner apostrophes ("don't"); underscores separate.
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_LETTERS_ALONE = {code: " " for code in range(128) if not chr(code).isalpha()}
_ESCAPED = re.compile(r"%[0-9A-F]{2}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_URL_NOISE = frozenset({"html", "htm", "php", "asp", "aspx", "jsp", "index", "com", "org", "net"})


def words_of(text: str) -> list[str]:
    """Return the lower-cased words of `text`, in order."""
    return WORD.findall(text.lower())


def letters_of(text: str) -> list[str]:
    """Return the runs of letters of `text`, in order."""
    # Four times as fast as the expression, and a page may have thousands of long addresses.
    return text.translate(_LETTERS_ALONE).split() if text.isascii() else _LETTERS.findall(text)


def words_of_url(url: Url) -> tuple[str, ...]:
    """Return the words a person reads in an address: host and path, without scheme, numbers and file endings."""
    return _words_of_address(url.text)


@lru_cache(maxsize=8192)  # a site's menu is on every page of it; texts are found faster than URLs
def _words_of_address(text: str) -> tuple[str, ...]:
    readable = text[text.index("//") + 2 :].removeprefix("www.")
    if "%" in readable:
        readable = _ESCAPED.sub(" ", readable)
    lowered = readable.lower()
    if lowered != readable:
        lowered = _CAMEL.sub(" ", readable).lower()
    return tuple(word for word in letters_of(lowered) if word not in _URL_NOISE)


CACHED_STEMS: Final = 32_768


class Stems:
    """A bounded cache of stems. A word's stem depends on nothing but the word. Not thread-safe.

    Measured on English articles of 3,000 words, with an empty cache at the start: 1,650 articles a second with
    PyStemmer, 170 with its twin in Python, and the same 47,725 stems.
    """

    def __init__(self, language: str = "english") -> None:
        self._stem_word = Stemmer.Stemmer(language, 0).stemWord
        self._stem_by_word: dict[str, str] = {}

    def of(self, words: Sequence[str]) -> list[str]:
        """Return the stems of lower-cased words, one each."""
        stems = self._stem_by_word
        try:
            return [stems[word] for word in words]
        except KeyError:
            if len(stems) > CACHED_STEMS:
                stems.clear()
            for word in words:
                if word not in stems:
                    stems[word] = self.make(word)
            return [stems[word] for word in words]

    def make(self, word: str) -> str:
        """Return the stem of a word, for callers that keep stems themselves."""
        return self._stem_word(word.replace("’", "'"))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, lower-cased; KeyError where there is no list for it."""
    groups: dict[str, str] = _read_lists()[language]
    words = {word for group in groups.values() for word in group.split()}
    return frozenset(words | {word.replace("'", "’") for word in words})


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that have a list."""
    return tuple(_read_lists())


@cache
def _read_lists() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files("honeyguide.text").joinpath("stop_words.toml").read_text(encoding="utf-8"))


def main_text(page: Page) -> str:
    """Return the text outside navigation, header and footer; one space where a part was left out."""
    if page.main_spans == ((0, len(page.words)),):
        return page.text
    starts = _word_starts(page.text)
    if "İ" in page.text or len(starts) != len(page.words):
        # That letter is longer in lower case, and then places in the one are not places in the other.
        return " ".join(page.main_words)
    cuts = np.append(starts, len(page.text))[np.array(page.main_spans, dtype=np.int64).reshape(-1, 2)].tolist()
    return " ".join(page.text[first:end].strip() for first, end in cuts)


def _word_starts(text: str) -> NDArray[np.int64]:
    """Return where each word of a text begins. The expression takes nine times as long."""
    codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
    if len(codes) != len(text):  # a letter of two codes
        return np.array([word.start() for word in WORD.finditer(text)], dtype=np.int64)
    inside = np.zeros(len(codes) + 2, dtype=np.bool_)
    inside[1:-1] = _in_words().take(codes)
    apostrophes = np.flatnonzero((codes == ord("'")) | (codes == ord("’")))
    inside[apostrophes + 1] = inside[apostrophes] & inside[apostrophes + 2]
    return np.flatnonzero(inside[1:] & ~inside[:-1])


@cache
def _in_words() -> NDArray[np.bool_]:
    """Tell for each character that has one code whether words have it in them."""
    return np.array([chr(code).isalnum() for code in range(1 << 16)], dtype=np.bool_)


def first_words(text: str, count: int) -> str:
    """Return `text` up to the end of its word number `count`; all of it where it has no more words than that."""
    words = list(islice(WORD.finditer(text), count + 1))
    return text[: words[count - 1].end()] if len(words) > count > 0 else text
