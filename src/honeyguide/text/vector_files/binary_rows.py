"""Words and single-precision numbers after one another, as word2vec's own program writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import VectorsError
from honeyguide.text.vector_files.batch import Batch, rows_at_once

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.text.vector_files.content import Content
    from honeyguide.text.vector_files.layouts import Layout

_LONGEST_WORD: Final = 1 << 16


def binary_batches(content: Content, layout: Layout, path: Path) -> Iterator[Batch]:
    """All words with their numbers. VectorsError names the byte, of the unpacked file, where something is wrong."""
    assert layout.promised_words is not None, "a binary file begins with how many words there are"
    for first in range(0, layout.promised_words, rows_at_once(layout.dimension)):
        last = min(first + rows_at_once(layout.dimension), layout.promised_words)
        begins, words, numbers = [], [], []
        for row in range(first, last):
            begins.append(content.taken)
            words.append(_word(content, row, layout, path))
            numbers.append(_numbers(content, row, layout, path))
        vectors = np.frombuffer(b"".join(numbers), dtype="<f4").reshape(-1, layout.dimension).astype(np.float32)
        _check_finite(vectors, begins, path)
        yield Batch.of(words, vectors)
    _check_end(content, layout, path)


def _word(content: Content, row: int, layout: Layout, path: Path) -> bytes:
    while content.peek(1) == b"\n":  # some writers end a vector with one, others do not
        content.skip(1)
    length = content.find(b" ", _LONGEST_WORD)
    if length < 0:
        if len(content.peek(_LONGEST_WORD)) < _LONGEST_WORD:
            raise _is_cut_off(content, row, layout, path)
        raise VectorsError(
            f"{path}, byte {content.taken:,}: no end of word {row + 1:,} in sight; check that it is word2vec's binary "
            f"format with {layout.dimension:,} numbers a word"
        )
    word = content.take(length)
    content.skip(1)
    return word


def _numbers(content: Content, row: int, layout: Layout, path: Path) -> bytes:
    numbers = content.take(4 * layout.dimension)
    if len(numbers) < 4 * layout.dimension:
        raise _is_cut_off(content, row, layout, path)
    return numbers


def _is_cut_off(content: Content, row: int, layout: Layout, path: Path) -> VectorsError:
    end = content.taken + len(content.peek(_LONGEST_WORD))
    return VectorsError(
        f"{path} ends at byte {end:,}, after {row:,} of the {layout.promised_words:,} words that its header promises: "
        "get it again"
    )


def _check_finite(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]], begins: list[int], path: Path) -> None:
    is_finite = np.isfinite(vectors).all(axis=1)
    if not is_finite.all():
        row = int(np.argmin(is_finite))
        column = int(np.argmin(np.isfinite(vectors[row])))
        raise VectorsError(
            f"{path}, word at byte {begins[row]:,}: its number {column + 1:,} is {vectors[row, column]}, which is no "
            "finite number: get the file again"
        )


def _check_end(content: Content, layout: Layout, path: Path) -> None:
    while content.peek(1) == b"\n":
        content.skip(1)
    if content.peek(1):
        raise VectorsError(
            f"{path}, byte {content.taken:,}: there is more after the {layout.promised_words:,} words that its header "
            "promises: get it again"
        )
