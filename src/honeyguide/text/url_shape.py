"""Signs in an address that a fetch may be wasted (Lim 2016, section 5.2.4): too long, too deep, a file, gibberish.

Lim names them without numbers. `UrlRules` has ours, chosen by looking at 47,194 outside links of Wikipedia articles: of
those four in 1,000 are longer and two in 1,000 deeper. `LetterModel` recognises gibberish, from the host without its
last label and from the path, never from the query.

The model gives a word a cost in nats, the sum over its letters of -log p(letter | the two before it). Chance has a cost
too: log 26 a letter, log 36 where there are digits as well, log 16 where it may be hexadecimal. `surplus` is by how
much the cheapest kind of chance beats the model, and a word is gibberish when chance explains it `ODDS` times better. A
word of less than `SHORTEST` letters never is: there is too little to tell. The shipped table, `letter_costs.txt`, was
made by `benchmarks/make_letter_costs.py` from the distinct words of English Wikipedia articles with addresses taken
out. It holds costs only, in eighths of a nat, one character each.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import numpy as np

if TYPE_CHECKING:
    from honeyguide.model import HostKey, Url

ODDS: Final = 100.0
SHORTEST: Final = 7
"""Letters that are needed to tell: below, real names such as airbnb and xkcd look like chance."""

_LETTERS: Final = 26
DIGIT: Final = 26  # one symbol for all digits; each of the ten is as likely as the others
SYMBOLS: Final = 27
START: Final = 27  # stands twice before the first letter
CONTEXTS: Final = 28
STEPS: Final = 8  # of a cost, a nat
DEAREST: Final = 63
FIRST_CODE: Final = ord("0")
SYMBOL_BY_CHARACTER: Final = {
    **{chr(ord("a") + number): number for number in range(_LETTERS)},
    **{str(digit): DIGIT for digit in range(10)},
}
_RUN = re.compile("[a-z0-9]+")
_HEXADECIMAL = re.compile("[0-9a-f]+")
_BESIDE_LATIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)


def plain_runs(text: str) -> list[str]:
    """Return the runs of letters a to z and digits in `text`, in lower case without accents."""
    lowered = text.lower()
    if not lowered.isascii():
        parts = unicodedata.normalize("NFKD", lowered.translate(_BESIDE_LATIN))
        lowered = "".join(character for character in parts if not unicodedata.combining(character))
    return _RUN.findall(lowered)


class LetterModel:
    """Costs of letters after letters. Its verdict on a word depends on nothing but the word."""

    def __init__(self, text: str) -> None:
        """Read a table: a line for each two letters, a character for each one after them. ValueError if it is none."""
        rows = [line for line in text.splitlines() if line and not line.startswith("#")]
        codes = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8).astype(np.int64) - FIRST_CODE
        if len(codes) != CONTEXTS * CONTEXTS * SYMBOLS or codes.min() < 0 or codes.max() > DEAREST:
            raise ValueError(f"letter costs must be {CONTEXTS}x{CONTEXTS}x{SYMBOLS} characters from 0 to o")
        self._costs: list[int] = codes.tolist()

    def surplus(self, word: str) -> float:
        """By how many nats chance explains `word` better than the model; negative for what reads like a word.

        The word is one of `plain_runs`: letters a to z and digits only.
        """
        costs, before, last, total = self._costs, START, START, 0
        for character in word:
            symbol = SYMBOL_BY_CHARACTER[character]
            total += costs[(before * CONTEXTS + last) * SYMBOLS + symbol]
            before, last = last, symbol
        return total / STEPS - len(word) * _nats_of_chance(word)

    def is_gibberish(self, word: str) -> bool:
        """Return whether `word`, one of `plain_runs`, is long enough to tell and more likely chance than language."""
        return len(word) >= SHORTEST and self.surplus(word) > math.log(ODDS)


@cache
def english_letters() -> LetterModel:
    """Load the shipped model. Most names from other languages in Latin letters pass."""
    table = resources.files("honeyguide.text") / "letter_costs.txt"
    return LetterModel(table.read_text(encoding="ascii"))


def _nats_of_chance(word: str) -> float:
    if _HEXADECIMAL.fullmatch(word):
        return math.log(16)
    return math.log(26) if word.isalpha() else math.log(36)


MEDIA_TYPES: Final = frozenset(
    {
        "avif", "bmp", "eps", "gif", "heic", "ico", "jpe", "jpeg", "jpg", "png", "psd", "svg", "tif", "tiff", "webp",
        "aac", "aif", "aiff", "au", "flac", "m3u", "m4a", "mid", "midi", "mp3", "oga", "ogg", "opus", "ra", "ram",
        "wav", "wma",
        "3gp", "asf", "avi", "flv", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "rm", "swf", "webm", "wmv",
    }
)  # fmt: skip
"""File endings of pictures, sound and film."""

BINARY_TYPES: Final = frozenset(
    {
        "7z", "bin", "bz2", "cab", "css", "deb", "dll", "dmg", "eot", "exe", "gz", "img", "iso", "jar", "js", "kmz",
        "lha", "msi", "otf", "pkg", "rar", "rpm", "tar", "tgz", "torrent", "ttf", "woff", "woff2", "wrl", "xpi", "xz",
        "zip", "zst",
    }
)  # fmt: skip
"""File endings of archives, programs, fonts and the parts of a page that are not its text."""

DOCUMENT_TYPES: Final = frozenset(
    {
        "djvu", "doc", "docx", "dvi", "epub", "mobi", "odp", "ods", "odt", "pdf", "pps", "ppt", "pptx", "ps", "rtf",
        "tex", "xls", "xlsx",
    }
)  # fmt: skip
"""File endings of documents that have words, but none that the parser reads."""


@dataclass(frozen=True, slots=True)
class UrlRules:
    """The limits of an ordinary address, and the file endings that promise no words."""

    longest: int = 150  # characters of the whole address
    deepest: int = 8  # parts of the path between slashes
    file_types: frozenset[str] = MEDIA_TYPES | BINARY_TYPES | DOCUMENT_TYPES  # lower case, without the dot


@dataclass(frozen=True, slots=True)
class UrlShape:
    """The signs in one address."""

    is_too_long: bool
    is_too_deep: bool
    has_non_text_type: bool
    has_query: bool
    has_gibberish_host: bool
    has_gibberish_path: bool

    @property
    def is_suspicious(self) -> bool:
        """Whether there is any sign at all."""
        return (
            self.is_too_long
            or self.is_too_deep
            or self.has_non_text_type
            or self.has_query
            or self.has_gibberish_host
            or self.has_gibberish_path
        )


DEFAULT_RULES: Final = UrlRules()


@lru_cache(maxsize=8192)  # a site's menu is on every page of it
def url_shape(url: Url, rules: UrlRules = DEFAULT_RULES) -> UrlShape:
    """Return the signs in an address. Depends on nothing but the address and the rules."""
    path = url.path
    parts = [part for part in path.split("/") if part]
    file_name = path.rpartition("/")[2]
    return UrlShape(
        is_too_long=len(url.text) > rules.longest,
        is_too_deep=len(parts) > rules.deepest,
        has_non_text_type=_file_type(file_name) in rules.file_types,
        has_query="?" in url.text,
        has_gibberish_host=has_gibberish_host(url.host),
        has_gibberish_path=_is_gibberish(unquote(path, errors="replace")),
    )


@lru_cache(maxsize=8192)
def has_gibberish_host(host: HostKey) -> bool:
    """Return whether a label of the host before its last one is more likely chance than a name."""
    # The port stands in the last label; the parts of an IP address are too short to tell.
    return any(_is_gibberish(_decode_label(label)) for label in host.split(".")[:-1])


def _is_gibberish(text: str) -> bool:
    letters = english_letters()
    return any(letters.is_gibberish(run) for run in plain_runs(text))


def _decode_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label.removeprefix("xn--").encode("ascii").decode("punycode")
    except UnicodeError:
        return ""  # nothing to read, so nothing to tell


def _file_type(file_name: str) -> str:
    name, dot, ending = file_name.rpartition(".")
    if not dot or ":" in name:
        return ""  # "File:Basalt.jpg" is a wiki's page about the picture
    return ending.lower()
