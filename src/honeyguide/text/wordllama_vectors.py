"""The default vectors: those inside the wordllama wheel, so that nothing is downloaded.

They are static 256-number vectors of sub-word tokens whose table, by its name, derives from that of Llama 2. A word's
vector is the mean over its tokens. Frequent words have short vectors, which does the work of an idf weight.
"""

from __future__ import annotations

import logging
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_WORD_START: Final = "▁"
_FEWEST_LETTERS: Final = 3


class WordllamaVectors:
    """Loads in about half a second; about 8 µs for each word never met before."""

    name = "wordllama"
    dimension = 256

    def __init__(self) -> None:
        root, guard = logging.getLogger(), logging.NullHandler()
        root.addHandler(guard)  # wordllama calls basicConfig, which leaves a root logger that has a handler alone
        import wordllama  # noqa: PLC0415 - half a second and a hub client, only where vectors are used

        root.removeHandler(guard)
        folder = Path(wordllama.__file__).parent
        model: Any = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
        self._tokenizer = model.tokenizer
        self._tokenizer.no_padding()
        self._vector_by_token: NDArray[np.float32] = model.embedding

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch(list(words), add_special_tokens=False)
        tokens = [word.ids for word in encoded]
        lengths = np.array([len(ids) for ids in tokens])
        vectors = np.zeros((len(words), self.dimension), dtype=np.float32)
        known = np.flatnonzero(lengths)
        if len(known):
            begins = (np.cumsum(lengths) - lengths)[known]
            sums = np.add.reduceat(self._vector_by_token[list(chain.from_iterable(tokens))], begins, axis=0)
            vectors[known] = sums / lengths[known, None]
        return vectors

    @cached_property
    def digest(self) -> str:
        """Names these vectors: another release of the wheel may have others."""
        return xxhash.xxh3_128_hexdigest(self._vector_by_token.tobytes())

    def words(self) -> tuple[str, ...]:
        """The words that are one token, in lower case and of three letters or more: some ten thousand, by letters."""
        tokens = self._tokenizer.get_vocab()
        whole = {token.removeprefix(_WORD_START) for token in tokens if token.startswith(_WORD_START)}
        return tuple(sorted(filter(_is_plain, whole)))


def _is_plain(word: str) -> bool:
    return len(word) >= _FEWEST_LETTERS and word.isalpha() and word == word.lower()
