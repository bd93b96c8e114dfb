"""How telling a word is, and which words of a sentence say what it is about.

A word that stands on few pages tells more than one that stands on many. Before a crawl has seen any page, the shipped
shares say on how many of a general collection a word stands: `document_shares.txt`, made by
`benchmarks/make_document_shares.py` from an English encyclopaedia, by stem.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from honeyguide.text.tokens import Stems, languages, stop_words, words_of

MOST_TELLING: Final = 7.0
"""Of a word that the shipped collection has on fewer than one page in a thousand, or not at all."""

_ENGLISH: Final = "english"
_KNOWN_SHARE: Final = 0.5  # of the words of a sentence that must be known for it to be English


@cache
def shipped_idf() -> dict[str, float]:
    """Return ln(pages / pages with the word) by English stem; a stem that is not there stands on hardly any page."""
    lines = resources.files("honeyguide.text").joinpath("document_shares.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, float] = {}
    for line in lines:
        if not line.startswith("#"):
            tenths, *stems = line.split()
            found |= dict.fromkeys(stems, int(tenths) / 10)
    return found


def idf_of_stem(stem: str) -> float:
    """Return how telling a stem is by the shipped collection, from 0 to `MOST_TELLING`."""
    return min(MOST_TELLING, shipped_idf().get(stem, MOST_TELLING))


def content_words(text: str, language: str = _ENGLISH) -> list[str]:
    """Return the words of a sentence that say what it is about, in order; all of them where none would be left.

    Stop words are left out: those of the language and, where that is English and most words of the sentence are not,
    those of the language that has most of its words on the list; of all such languages, if several have as many.
    """
    words = words_of(text)
    kept = [word for word in words if word not in stop_words(language)]
    if language == _ENGLISH and not _is_english(kept):
        counts = {other: len(stop_words(other).intersection(kept)) for other in languages()}
        likely = [stop_words(other) for other, count in counts.items() if count == max(counts.values())]
        foreign = frozenset().union(*likely)
        kept = [word for word in kept if word not in foreign]
    return kept or words


def _is_english(words: list[str]) -> bool:
    known = sum(stem in shipped_idf() for stem in Stems(_ENGLISH).of(words))
    return known > _KNOWN_SHARE * len(words)
