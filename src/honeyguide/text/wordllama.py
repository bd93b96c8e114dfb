"""The vectors of languages other than English: those inside the wordllama wheel, so that nothing is downloaded.

They are static 256-number vectors of sub-word tokens whose table, by its name, derives from that of Llama 2. A word's
vector is the mean over its tokens. Frequent words have short vectors, which does the work of an idf weight.
"""

from __future__ import annotations

import logging
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_TOKENIZER_FILE: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_TABLE_FILE: Final = "weights/l2_supercat_256.safetensors"
_WORD_START: Final = "▁"  # the first token of a word begins with it; the tokenizer puts it for every space
_FEWEST_LETTERS: Final = 3
_SHORT: Final = 8  # tokens


class WordllamaVectors:
    """Loads in a tenth of a second; about 3 µs for each word never met before."""

    name = "wordllama"
    about = "bundled, of parts of words"
    dimension = 256

    def __init__(self) -> None:
        self._tokenizer, self._vector_by_token = _read_from_wheel() or _loaded_by_wordllama()
        self._tokenizer.no_padding()
        self._starts_word = np.zeros(len(self._vector_by_token), dtype=np.bool_)
        for token, number in self._tokenizer.get_vocab().items():
            self._starts_word[number] = token.startswith(_WORD_START)

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        tokens, lengths = self._tokens(words)
        vectors = np.zeros((len(words), self.dimension), dtype=np.float32)
        # Longest first, so that the words with more than so many tokens are a slice.
        order = np.argsort(-lengths)[: np.count_nonzero(lengths)]
        begins, lengths = (np.cumsum(lengths) - lengths)[order], lengths[order]
        vectors[order] = self._sums(tokens, begins, lengths) / lengths[:, None].astype(np.float32)
        return vectors

    @cached_property
    def digest(self) -> str:
        """Names these vectors: another release of the wheel may have others."""
        return xxhash.xxh3_128_hexdigest(self._vector_by_token.tobytes())

    def token_count(self, text: str) -> int:
        """Return how many tokens of Llama 2 a text has; some 4 MB of text in a second."""
        return len(self._encoded([text.encode("utf-8", "replace").decode()])[0].ids)

    def has(self, word: str) -> bool:
        return self._tokenizer.token_to_id(f"{_WORD_START}{word}") is not None

    def words(self) -> tuple[str, ...]:
        """Return the words of one token, in lower case and of three letters or more: some ten thousand, by letters."""
        tokens = self._tokenizer.get_vocab()
        whole = {token.removeprefix(_WORD_START) for token in tokens if token.startswith(_WORD_START)}
        return tuple(sorted(filter(_is_plain, whole)))

    def _tokens(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the tokens of all words in a row, and how many each word has."""
        text = " ".join(words)
        if "" in words or text.count(" ") >= len(words) or _WORD_START in text or "<" in text:
            return self._tokens_one_by_one(words)
        # No token spans two words, so words need not be encoded apart, which takes more than twice as long.
        tokens = np.array(self._encoded([text])[0].ids, dtype=np.int64)
        begins = np.flatnonzero(self._starts_word[tokens])
        if len(begins) != len(words):  # a tokenizer that splits otherwise than we think
            return self._tokens_one_by_one(words)
        return tokens, np.diff(begins, append=len(tokens))

    def _tokens_one_by_one(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Do the same for texts that are no plain words: empty, with a space, or with a reserved sign."""
        tokens = [word.ids for word in self._encoded(list(words))]
        joined = np.fromiter((token for ids in tokens for token in ids), dtype=np.int64)
        return joined, np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))

    def _encoded(self, texts: list[str]) -> Any:  # noqa: ANN401 - the tokenizer is not typed
        return self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)

    def _sums(
        self, tokens: NDArray[np.int64], begins: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Sum over the tokens of each word, longest word first: as `np.add.reduceat` does, to the last bit.

        It adds to the first row the sum of the others, one after the other while they are fewer than eight. Doing that
        for all words at once, token by token, takes a fifth of its time; the few longer words are left to it.
        """
        table = self._vector_by_token
        # Item n is how many of the words have n tokens or more.
        having = [int(np.searchsorted(-lengths, -count, side="right")) for count in range(_SHORT + 2)]
        sums = table.take(tokens[begins], axis=0)
        rest = table.take(tokens[begins[: having[2]] + 1], axis=0)
        for place in range(2, _SHORT):
            words = having[place + 1]
            rest[:words] += table.take(tokens[begins[:words] + place], axis=0)
        sums[: having[2]] += rest
        for word in range(having[_SHORT + 1]):
            own = table[tokens[begins[word] : begins[word] + lengths[word]]]
            sums[word] = np.add.reduceat(own, [0], axis=0)[0]
        return sums


def _read_from_wheel() -> tuple[Any, NDArray[np.float32]] | None:
    """Tokenizer and table from the files of the wheel; None where a release has others.

    What importing the package itself brings besides, a hub client among it, takes two thirds of the time.
    """
    from safetensors.numpy import load_file  # noqa: PLC0415 - only where vectors are used
    from tokenizers import Tokenizer  # noqa: PLC0415

    package = find_spec("wordllama")
    for folder in map(Path, (package and package.submodule_search_locations) or ()):
        tokenizer, table = folder / _TOKENIZER_FILE, folder / _TABLE_FILE
        if tokenizer.is_file() and table.is_file():
            (vectors,) = load_file(table).values()
            return Tokenizer.from_file(str(tokenizer)), vectors.astype(np.float32)
    return None


def _loaded_by_wordllama() -> tuple[Any, NDArray[np.float32]]:
    root, guard = logging.getLogger(), logging.NullHandler()
    root.addHandler(guard)  # wordllama calls basicConfig, which leaves a root logger that has a handler alone
    import wordllama  # noqa: PLC0415 - a quarter of a second and a hub client

    root.removeHandler(guard)
    folder = Path(wordllama.__file__).parent
    model: Any = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return model.tokenizer, model.embedding


def _is_plain(word: str) -> bool:
    return len(word) >= _FEWEST_LETTERS and word.isalpha() and word == word.lower()
