"""Sentences of a page: how many words of which language, and where commas, stops and capitals fall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic.hashing import Hashes, Ints, quarters
from honeyguide.worlds.synthetic.lexicon import CAPITAL, COLUMNS, COMMA, PLAIN, STOP, Lexicon

if TYPE_CHECKING:
    from numpy.typing import NDArray

PARAGRAPH: Final = 36
"""Words and pieces of glue in one paragraph; a text is a whole number of paragraphs."""

_SENTENCES: Final = (
    (9, 13, 14), (7, 16, 13), (11, 8, 17), (10, 12, 14), (6, 15, 15), (12, 12, 12), (8, 10, 9, 9), (7, 9, 12, 8),
    (17, 19), (13, 6, 17), (5, 14, 10, 7), (15, 11, 10), (18, 7, 11), (9, 9, 18), (14, 5, 8, 9), (11, 11, 14),
)  # fmt: skip
_REPEATS: Final = 16  # of the patterns in a row, so that a long text can start at any of them


def _sentence(length: int) -> list[tuple[int, bool]]:
    """Form, and whether glue stands there, for each place of a sentence: glue and words by turns, a word at the end."""
    places = [(PLAIN, place % 2 == 0) for place in range(length)]
    places[0] = (CAPITAL, True)
    places[-1] = (STOP, False)
    if length > 10:
        places[length // 4 * 2 + 1] = (COMMA, False)
    return places


_PLACES = [place for paragraph in _SENTENCES for length in paragraph for place in _sentence(length)] * _REPEATS
_FORMS: Final = np.array([form for form, _ in _PLACES])
_IS_GLUE: Final = np.array([is_glue for _, is_glue in _PLACES])

PATTERNS: Final = len(_SENTENCES)
MOST_PARAGRAPHS: Final = PATTERNS * (_REPEATS - 1)


@dataclass(frozen=True, slots=True)
class Mixture:
    """What languages a text mixes: shares of its words that are core, jargon, of a second topic, and ambiguous."""

    topic: int
    second: int
    core: float
    jargon: float
    of_second: float
    ambiguous: float

    @property
    def edges(self) -> NDArray[np.float64]:
        """Thresholds for a 16-bit number; what is left is everyday words."""
        topical = self.core + self.jargon
        with_second = topical + self.of_second
        return np.array([self.core, topical, with_second, with_second + self.ambiguous]) * 65536


class ProseWriter:
    """Turns draws into paragraphs."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def words(self, draws: Hashes, mixture: Mixture, pattern: int) -> Ints:
        """The number of the word at each place of a text whose first paragraph has this sentence pattern."""
        lexicon = self._lexicon
        kind, column, _, _ = quarters(draws)
        rows = np.array(
            [mixture.topic, lexicon.jargon + mixture.topic, mixture.second, lexicon.shared, lexicon.general]
        )
        row = rows[mixture.edges.searchsorted(kind, side="right")]
        start = pattern * PARAGRAPH
        row[_IS_GLUE[start : start + len(draws)]] = lexicon.glue
        return lexicon.table[row, column % COLUMNS]

    def paragraphs(self, words: Ints, pattern: int) -> list[str]:
        """The text of `words`, which fill whole paragraphs."""
        start = pattern * PARAGRAPH
        spelled = self._lexicon.spell(words, _FORMS[start : start + len(words)])
        return [" ".join(spelled[place : place + PARAGRAPH]) for place in range(0, len(spelled), PARAGRAPH)]


def mixture_for(topic: int, second: int, draw: int, *, no_topic: int) -> Mixture:
    """How strongly a page is about its topic, from one draw: weakly, strongly, in plain words or in jargon."""
    strength = 0.09 + 0.45 * ((draw & 0xFFFF) / 65536) ** 1.3
    jargon_share = 0.25 + 0.6 * ((draw >> 16) & 0xFFFF) / 65536
    of_second = 0.30 * (((draw >> 32) & 0xFFFF) / 65536) ** 2
    if topic == no_topic:
        strength = 0.0
    return Mixture(
        topic=topic,
        second=second,
        core=strength * (1 - jargon_share),
        jargon=strength * jargon_share,
        of_second=of_second,
        ambiguous=0.06,
    )
