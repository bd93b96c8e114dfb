"""The words of the synthetic web, from `words.toml`, and all of them as numbers in a table to draw from.

A row of the table has `COLUMNS` entries filled in proportion to a Zipf law over its words, so that drawing a word is
one look-up with ten random bits. Topics are numbered from 0; the number after the last means "no topic", and its core
and jargon are everyday words, so that code which draws words need not ask.
"""

from __future__ import annotations

import tomllib
import unicodedata
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.worlds.synthetic.hashing import Ints


@dataclass(frozen=True, slots=True)
class TopicVocabulary:
    """One topic: its name, what a person types to find it, and its words."""

    name: str
    keywords: tuple[str, ...]
    core: tuple[str, ...]
    jargon: tuple[str, ...]
    shared: tuple[str, ...]


def _read() -> dict[str, Any]:
    """Read the shipped words; a text is a list of words."""
    document = tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
    topics = [TopicVocabulary(each.pop("name"), **_split(each)) for each in document.pop("topics")]
    return {**_split(document), "topics": tuple(topics)}


def _split(table: Mapping[str, str | list[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(words.split() if isinstance(words, str) else words) for key, words in table.items()}


_SHIPPED: Final = _read()
TOPICS: Final[tuple[TopicVocabulary, ...]] = _SHIPPED["topics"]
GLUE, GENERAL, LINK_LIST = _SHIPPED["glue"], _SHIPPED["general"], _SHIPPED["link_list"]
PLAIN_ANCHORS, PLAIN_SLUGS = _SHIPPED["plain_anchors"], _SHIPPED["plain_slugs"]
SECTIONS, BRIDGE_SECTIONS = _SHIPPED["sections"], _SHIPPED["bridge_sections"]
HOST_WORDS, HOST_ENDINGS = _SHIPPED["host_words"], _SHIPPED["host_endings"]

COLUMNS: Final = 1024

# How a word can stand in a text: as it is, before a comma, at the end or at the start of a sentence.
PLAIN, COMMA, STOP, CAPITAL = range(4)
_FORMS: Final = 4
TITLE_FORMS: Final = np.array([CAPITAL, PLAIN, PLAIN])


@dataclass(frozen=True, slots=True)
class WordList:
    """Words of one kind, in order: the n-th of which is met as often as 1 / n^slope."""

    words: tuple[str, ...]
    slope: float

    def drawn(self, share: float) -> list[str]:
        """Return the words as they fill a share of a table's row."""
        columns = round(share * COLUMNS)
        weights = np.arange(1, len(self.words) + 1, dtype=np.float64) ** -self.slope
        edges = np.cumsum(weights) / weights.sum()
        places = np.searchsorted(edges, (np.arange(columns) + 0.5) / columns)
        return [self.words[place] for place in places.tolist()]


Blend = tuple[tuple[WordList, float], ...]
"""Kinds of words, each with its share of what is drawn."""


class Lexicon:
    """All words of a web and the tables they are drawn from."""

    def __init__(self, topics: Sequence[TopicVocabulary]) -> None:
        shared = WordList(tuple(dict.fromkeys(word for topic in topics for word in topic.shared)), 0.0)
        general = WordList(GENERAL, 0.5)
        core = [*(WordList(topic.core, 0.6) for topic in topics), general]
        jargon = [*(WordList(topic.jargon + topic.shared, 0.3) for topic in topics), general]
        blends: list[Blend] = [((kind, 1.0),) for kind in (*core, *jargon)]
        blends += [((kind, 0.7), (shared, 0.1), (general, 0.2)) for kind in (*core, *jargon)]
        blends += [((kind, 0.6), (general, 0.4)) for kind in jargon]
        links = WordList(LINK_LIST, 0.3)
        blends += [((WordList(GLUE, 0.9), 1.0),), ((shared, 1.0),), ((links, 0.7), (general, 0.3))]
        words = tuple(dict.fromkeys(word for blend in blends for kind, _ in blend for word in kind.words))
        self.table = _fill_table(blends, {word: number for number, word in enumerate(words)})
        # Row t holds the core words of topic t, row `jargon + t` its jargon, and so on; "no topic" comes last in each.
        rows = len(topics) + 1
        self.general = len(topics)
        self.jargon = rows
        self.titles = np.array([2 * rows, 3 * rows])  # titles in core words, titles in jargon
        self.around = 4 * rows  # what stands around links that lead to the topic
        self.glue, self.shared, self.links = range(5 * rows, 5 * rows + 3)
        self.slugs = tuple(_to_ascii(word) for word in words)
        self._forms = np.array(
            [form for word in words for form in (word, f"{word},", f"{word}.", _capitalise(word))], dtype=object
        )

    def spell(self, numbers: Ints, forms: Ints | int) -> list[Any]:
        """Return the words with these numbers in these forms, as lists nested like `numbers`."""
        spelled: list[Any] = self._forms[numbers * _FORMS + forms].tolist()
        return spelled


def _fill_table(blends: Sequence[Blend], numbers: Mapping[str, int]) -> NDArray[np.int16]:
    """Return a row for each blend: of its kinds each has its share of the columns, filled by its own Zipf law."""
    rows = [[numbers[word] for kind, share in blend for word in kind.drawn(share)] for blend in blends]
    return np.array([row[:COLUMNS] + row[: COLUMNS - len(row)] for row in rows], dtype=np.int16)


def _to_ascii(word: str) -> str:
    return unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode()


def _capitalise(word: str) -> str:
    return word[0].upper() + word[1:]
