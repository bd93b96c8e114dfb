"""How much a text reads like prose that somebody wrote for readers, from 0 to 1: a small, cheap guess.

    quality = enough · varied · punctuated

enough      words / 30, at most 1: a page of a few words says little
varied      distinct words / words among the first 500, over 0.3, at most 1: lists of keywords say the same again and
            again; prose has 0.4 to 0.7 there
punctuated  40 marks / words, at most 1: prose has a full stop, comma or the like every five to twenty words, and a list
            of keywords or a menu has hardly any

A page that reads like prose has 1; a third of all it asks for in one respect makes a third. It says nothing of what is
written there, and nothing of poetry, tables or source code, which it underrates. That is why nothing is left out for
it unless somebody asks (`search.min_quality`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

ENOUGH_WORDS: Final = 30
WORDS_LOOKED_AT: Final = 500
USUAL_VARIETY: Final = 0.3
WORDS_A_MARK: Final = 40
_MARKS: Final = re.compile("[.,;:!?。、，．！？；：।॥؟،۔]")


def text_quality(text: str, words: Sequence[str]) -> float:
    """The quality of a text and its words, as the module says."""
    if not words:
        return 0.0
    first = words[:WORDS_LOOKED_AT]
    enough = min(1.0, len(words) / ENOUGH_WORDS)
    varied = min(1.0, len(set(first)) / len(first) / USUAL_VARIETY)
    punctuated = min(1.0, len(_MARKS.findall(text)) * WORDS_A_MARK / len(words))
    return enough * varied * punctuated
