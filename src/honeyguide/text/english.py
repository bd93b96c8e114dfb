"""The default vectors of English: a table of whole words, made to add up to what a sentence encoder says of a text.

`benchmarks/make_word_table.py` makes the table, and `docs/explanation/vectors.md` says from what. Frequent words have
short vectors, which does the work of an idf weight, and the first numbers tell most: they are in the order of the
principal directions. A word that is not in the table is the mean of the encoder's pieces of it, which are.
`open_vectors` opens these, those of other languages, or those of a file.
"""

from __future__ import annotations

import unicodedata
from functools import cache, cached_property
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import numpy as np
import xxhash

from honeyguide.text.wordllama import WordllamaVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.text.vector_files import Converting, FileVectors

    OpenedVectors: TypeAlias = "EnglishVectors | WordllamaVectors | FileVectors"

Bundled = TypeVar("Bundled", bound="EnglishVectors | WordllamaVectors")

WORDS_FILE: Final = "english_words.txt"  # one a line, in the order of the rows
TABLE_FILE: Final = "english_vectors.npy"  # 8-bit numbers, one row a word
STEP: Final = 2.0**-5  # what the number 1 in the table stands for
INSIDE: Final = "##"  # a piece that begins with it stands inside a word
_LONGEST_WORD: Final = 64  # letters; longer ones have no vector
_FEWEST_LETTERS: Final = 3
WORDS_AT_ONCE: Final = 1024  # of those made of pieces; bounds the memory


class EnglishVectors:
    """Opens in some ten milliseconds; the numbers are read from the file as they are needed."""

    name = "english"
    about = "bundled, of English words"

    def __init__(self) -> None:
        folder = resources.files("honeyguide.text")
        self._words = folder.joinpath(WORDS_FILE).read_text(encoding="utf-8").split("\n")
        self._row_by_word = {word: row for row, word in enumerate(self._words)}
        with resources.as_file(folder.joinpath(TABLE_FILE)) as path:
            self._table: NDArray[np.int8] = np.asarray(np.load(path, mmap_mode="r"))
        self.dimension = self._table.shape[1]

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(words), self.dimension), dtype=np.float32)
        rows = np.array([self._row_by_word.get(word, -1) for word in words], dtype=np.int64)
        known = rows >= 0
        vectors[known] = self._table[rows[known]]
        in_pieces = [(place, rows_of(words[place], self._row_by_word)) for place in np.flatnonzero(~known).tolist()]
        for first in range(0, len(in_pieces), WORDS_AT_ONCE):
            self._add_means(vectors, [pair for pair in in_pieces[first : first + WORDS_AT_ONCE] if pair[1]])
        return vectors * np.float32(STEP)

    def _add_means(self, vectors: NDArray[np.float32], in_pieces: Sequence[tuple[int, list[int]]]) -> None:
        """Put the mean of its pieces in the place of each word. Their sums are small whole numbers, hence exact."""
        if in_pieces:
            places, pieces = zip(*in_pieces, strict=True)
            counts = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
            rows = self._table[list(chain.from_iterable(pieces))].astype(np.float32)
            sums = np.add.reduceat(rows, np.cumsum(counts) - counts, axis=0)
            vectors[list(places)] = sums / counts.astype(np.float32)[:, None]

    @cached_property
    def digest(self) -> str:
        """Names these vectors: another release may have others."""
        return xxhash.xxh3_128_hexdigest("\n".join(self._words).encode() + self._table.tobytes())

    def __reduce__(self) -> tuple[type[EnglishVectors], tuple[()]]:
        """Let another process open the file itself."""
        return EnglishVectors, ()

    def has(self, word: str) -> bool:
        """Whether the whole word is in the table, with or without its accents; pieces do not count."""
        return word in self._row_by_word or plain_form(word) in self._row_by_word

    def words(self) -> tuple[str, ...]:
        """Return the words of three letters or more: some sixty thousand, by letters."""
        return tuple(sorted(word for word in self._words if len(word) >= _FEWEST_LETTERS and word.isalpha()))


def rows_of(word: str, row_by_word: Mapping[str, int]) -> list[int]:
    """Return the row of a word, else those of its pieces; none where it has letters that no piece has.

    Accents and a final "'s" are left out where the word is not known with them.
    """
    if (row := row_by_word.get(word)) is not None:
        return [row]
    plain = plain_form(word)
    if (row := row_by_word.get(plain)) is not None:
        return [row]
    if len(plain) > _LONGEST_WORD:
        return []
    return _pieces(plain, row_by_word)


def plain_form(word: str) -> str:
    """Return a word without accents, and without what follows an apostrophe."""
    bare = word.replace("’", "'").partition("'")[0]
    if bare.isascii():
        return bare
    return "".join(letter for letter in unicodedata.normalize("NFD", bare) if not unicodedata.combining(letter))


def _pieces(word: str, row_by_word: Mapping[str, int]) -> list[int]:
    """Cut a word into the longest pieces there are, from its start, as the encoder does."""
    rows: list[int] = []
    start = 0
    while start < len(word):
        mark = INSIDE if start else ""
        for end in range(len(word), start, -1):
            if (row := row_by_word.get(mark + word[start:end])) is not None:
                break
        else:
            return []
        rows.append(row)
        start = end
    return rows


def open_vectors(source: str, cache: Path, on_progress: Callable[[Converting], None] = lambda _: None) -> OpenedVectors:
    """Return the bundled vectors where `source` is "english" (or "bundled") or "wordllama", else those of that file.

    A file is converted into a folder of `cache` when it is first met, which takes a while and which `on_progress` is
    told of. VectorsError where it cannot be used.
    """
    if source in (EnglishVectors.name, "bundled"):
        return _open_once(EnglishVectors)
    if source == WordllamaVectors.name:
        return _open_once(WordllamaVectors)
    from honeyguide.text.vector_files import open_file_vectors  # noqa: PLC0415 - all kinds of unpackers, for files alone

    return open_file_vectors(Path(source).expanduser(), cache, on_progress)


@cache
def _open_once(kind: type[Bundled]) -> Bundled:
    """Return bundled vectors; all crawls of a process share them."""
    return kind()
