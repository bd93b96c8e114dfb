"""Make the table of letter costs from a Wikipedia dump.

Run `python benchmarks/make_letter_costs.py DUMP > src/honeyguide/text/letter_costs.txt`. The shipped one is from the
first 10^8 bytes of the English Wikipedia of 2006-03-03. A word counts when it stands there at least twice.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from gibberish import words_and_urls
from honeyguide.text.url_shape import CONTEXTS, DEAREST, DIGIT, FIRST_CODE, START, STEPS, SYMBOL_BY_CHARACTER, SYMBOLS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

SEEN_AT_LEAST = 2
GLUED: Final = 0.3  # share of words followed by another without a gap, as in a host name


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("dump", type=Path)
    counts = words_and_urls(options.parse_args().dump)[0]
    kept = [word for word, count in counts.items() if count >= SEEN_AT_LEAST]
    sys.stdout.write(f"# Letter costs of {len(kept):,} words; see url_shape.py\n")
    for row in costs_of(kept).reshape(-1, SYMBOLS).tolist():
        sys.stdout.write("".join(chr(cost + FIRST_CODE) for cost in row) + "\n")


def costs_of(words: Iterable[str]) -> NDArray[np.int64]:
    """Return the cost of each symbol after each two; words count alike, so give every distinct one once."""
    follows, ends = count_letters(words)
    follows = add_glued_words(follows, ends)
    single = follows.sum(axis=(0, 1)) + 1.0
    single /= single.sum()
    # Where a context is rare, the shorter one speaks: a weight of 81 and of 13.5 words.
    pairs = mix(follows.sum(axis=0), single, 81.0)
    costs = -np.log(mix(follows, pairs, 13.5))
    costs[:, :, DIGIT] += math.log(10)
    return np.minimum(np.rint(costs * STEPS), DEAREST).astype(np.int64)


def count_letters(words: Iterable[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how often a symbol follows two others, and how often a word ends after them."""
    follows = np.zeros((CONTEXTS, CONTEXTS, SYMBOLS))
    ends = np.zeros((CONTEXTS, CONTEXTS))
    for word in words:
        before = last = START
        for character in word:
            symbol = SYMBOL_BY_CHARACTER[character]
            follows[before, last, symbol] += 1
            before, last = last, symbol
        ends[before, last] += 1
    return follows, ends


def add_glued_words(follows: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the counts when a share of the words is followed by a word drawn from the same ones."""
    first = follows[START, START] / max(follows[START, START].sum(), 1.0)
    glued = follows + GLUED * ends[:, :, None] * first
    starts = follows[START, :SYMBOLS]  # the second symbol of a word after its first
    second = starts / np.maximum(starts.sum(axis=1, keepdims=True), 1.0)
    last = GLUED * ends.sum(axis=0)[:SYMBOLS]
    glued[:SYMBOLS, :SYMBOLS] += last[:, None, None] * (first[:, None] * second)
    return glued


def mix(counts: NDArray[np.float64], shorter: NDArray[np.float64], weight: float) -> NDArray[np.float64]:
    mixed: NDArray[np.float64] = (counts + weight * shorter) / (counts.sum(axis=-1, keepdims=True) + weight)
    return mixed


if __name__ == "__main__":
    main()
