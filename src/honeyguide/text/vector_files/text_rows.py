"""Lines of a word and its numbers: GloVe's, and after a header word2vec's and fastText's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.counts import count_of
from honeyguide.errors import VectorsError
from honeyguide.text.vector_files.batch import Batch, rows_at_once
from honeyguide.text.vector_files.layouts import LONGEST_LINE, has_number_inside, is_number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.text.vector_files.content import Content
    from honeyguide.text.vector_files.layouts import Layout


def text_batches(content: Content, layout: Layout, path: Path) -> Iterator[Batch]:
    """All words with their numbers. VectorsError names the line in which something is wrong."""
    return _TextRows(layout, path).batches(content)


class _TextRows:
    def __init__(self, layout: Layout, path: Path) -> None:
        self._layout = layout
        self._path = path
        self._rows = 0  # of all lines so far, whether their words can be used or not
        self._last_line = 1

    def batches(self, content: Content) -> Iterator[Batch]:
        at_once, dimension = rows_at_once(self._layout.dimension), self._layout.dimension
        words: list[bytes] = []
        fields: list[bytes] = []
        lines: list[int] = []
        number = self._layout.first_line - 1
        for line in content.lines(LONGEST_LINE):
            number += 1
            pieces = line.split()
            if not pieces:
                continue
            if len(pieces) != dimension + 1:
                pieces = self._joined(pieces, line, number)
            words.append(pieces[0])
            fields += pieces[1:]
            lines.append(number)
            if len(words) == at_once:
                yield self._batch(words, fields, lines)
                words, fields, lines = [], [], []
        if words:
            yield self._batch(words, fields, lines)
        self._check_promise()

    def _joined(self, pieces: list[bytes], line: bytes, number: int) -> list[bytes]:
        """A line that is not plainly a word and its numbers: the word may have spaces in it, or be a space."""
        dimension = self._layout.dimension
        if len(line) > LONGEST_LINE:
            raise self._wrong(number, f"is longer than {LONGEST_LINE:,} bytes", "check that it is a file of vectors")
        word, numbers = pieces[: len(pieces) - dimension], pieces[-dimension:]
        if len(pieces) > dimension and not has_number_inside(word):
            return [b" ".join(word), *numbers]
        if len(pieces) == dimension and line[:1].isspace():
            return [b"", *numbers]
        where = "line 1" if self._layout.promised_words is None else "the header"
        has = f"has {count_of(len(pieces) - 1, 'number')} where {where} says {dimension:,}"
        raise self._wrong(number, has, "get the file again, or take the line out")

    def _batch(self, words: list[bytes], fields: list[bytes], lines: list[int]) -> Batch:
        try:
            with np.errstate(over="ignore"):
                vectors = np.array(list(map(float, fields)), dtype=np.float32)
        except ValueError:
            place = next(place for place, field in enumerate(fields) if not is_number(field))
            raise self._not_a_number(place, fields, lines) from None
        if not np.isfinite(vectors).all():
            raise self._not_a_number(int(np.flatnonzero(~np.isfinite(vectors))[0]), fields, lines)
        self._rows += len(words)
        self._last_line = lines[-1]
        return Batch.of(words, vectors.reshape(len(words), self._layout.dimension))

    def _not_a_number(self, place: int, fields: list[bytes], lines: list[int]) -> VectorsError:
        line, column = lines[place // self._layout.dimension], place % self._layout.dimension + 1
        shown = fields[place][:40].decode("utf-8", "replace")
        remedy = "get the file again, or take the line out"
        return self._wrong(line, f"has {shown!r} for its number {column:,}, which is no finite number", remedy)

    def _check_promise(self) -> None:
        promised = self._layout.promised_words
        if promised is not None and promised != self._rows:
            short = f"ends after {self._rows:,} of the {promised:,} words that line 1 promises"
            long = f"has {count_of(self._rows, 'word')} where line 1 promises {promised:,}"
            what = short if self._rows < promised else long
            raise VectorsError(
                f"{self._path} {what} (its last line is {self._last_line:,}): get it again, or mend line 1"
            )

    def _wrong(self, number: int, what: str, remedy: str) -> VectorsError:
        return VectorsError(f"{self._path}, line {number:,} {what}: {remedy}")
