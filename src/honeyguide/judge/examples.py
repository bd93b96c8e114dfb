"""What a topic's examples teach: texts that pages should be like and unlike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.errors import SettingsError
from honeyguide.text import unit, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Topic
    from honeyguide.text import WordVectors


@dataclass(frozen=True, slots=True)
class Examples:
    """Texts as main texts are: words in lower case. Invariant: at least one of each kind, none empty."""

    like: tuple[tuple[str, ...], ...]
    unlike: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, topic: Topic, kind: str) -> Examples:
        """The topic's examples, for a judge of this kind; SettingsError where it cannot learn from them."""
        like, unlike = (tuple(filter(None, map(_words, texts))) for texts in (topic.like, topic.unlike))
        if not like or not unlike:
            mistake = (
                f"judge.kind is {kind!r}: it learns from examples of both kinds, and the topic has {len(like)} texts "
                f"to be like and {len(unlike)} to be unlike; give at least one of each, or choose another judge"
            )
            raise SettingsError([mistake])
        return cls(like, unlike)

    @property
    def texts(self) -> list[str]:
        return [" ".join(words) for words in (*self.like, *self.unlike)]

    @property
    def labels(self) -> NDArray[np.int64]:
        """1 for a text to be like, 0 for one to be unlike, in the order of `texts`."""
        return np.array([1] * len(self.like) + [0] * len(self.unlike))

    def vectors(self, table: WordVectors) -> NDArray[np.float64]:
        """The texts as vectors of length 1, one row each."""
        return np.array([unit(table.vector(words)) for words in (*self.like, *self.unlike)])


def _words(text: str) -> tuple[str, ...]:
    return tuple(words_of(text))
