"""The topic's own words in a link's anchor and address, by stem.

Vectors see what is meant and lose what is said: in an address of five words one of the topic's is a fifth of the
direction, and a word that no table knows is nothing. A word counts by how telling it is (`honeyguide.text.telling`):

    share = Σ telling(words of the topic in the anchor or the address) / Σ telling(words of the topic).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text import Stems, words_of_url
from honeyguide.text.telling import content_words, idf_of_stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import Candidates, Topic

KEPT_WORDS: Final = 32_768


class TopicMentions:
    """Looks for the words of one topic's name and keywords in links. Not thread-safe."""

    def __init__(self, topic: Topic) -> None:
        self._stems = Stems()
        words = [word for text in (topic.name, *topic.keywords) for word in content_words(text)]
        telling = {stem: idf_of_stem(stem) for stem in self._stems.of(words)}
        whole = sum(telling.values())
        self._bit_by_stem = {stem: 1 << place for place, stem in enumerate(telling)}
        self._share_by_bit = {1 << place: each / whole for place, each in enumerate(telling.values()) if each}
        self._bit_by_word: dict[str, int] = {}
        self._share_by_bits = {0: 0.0}

    def shares(self, candidates: Candidates) -> NDArray[np.float64]:
        """Return how much of the topic's words each link has, from 0 to 1."""
        words = candidates.words
        links = zip(candidates.targets, candidates.spans[:, 1:3].tolist(), strict=True)
        return np.array([self._share((*words[start:end], *words_of_url(url))) for url, (start, end) in links])

    def _share(self, words: tuple[str, ...]) -> float:
        bits, known = 0, self._bit_by_word
        for word in words:
            bit = known.get(word)
            bits |= self._look_up(word) if bit is None else bit
        share = self._share_by_bits.get(bits)
        if share is None:
            share = sum(each for bit, each in self._share_by_bit.items() if bits & bit)
            self._share_by_bits[bits] = share
        return share

    def _look_up(self, word: str) -> int:
        if len(self._bit_by_word) > KEPT_WORDS:
            self._bit_by_word.clear()
        bit = self._bit_by_word[word] = self._bit_by_stem.get(self._stems.make(word), 0)
        return bit
