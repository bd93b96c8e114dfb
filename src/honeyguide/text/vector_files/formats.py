"""Readers of word vector files, a batch of words at a time: GloVe text, word2vec text or binary, fastText .vec.

The format is recognised from the beginning of the file. Every word and number is checked on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import VectorsError
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Self

    from numpy.typing import NDArray

NUMBERS_AT_ONCE: Final = 1 << 17  # some ten megabytes while they are still Python's


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Words in UTF-8, none of them empty, each with a vector of finite numbers."""

    words: list[bytes]
    vectors: NDArray[np.float32]
    skipped: int  # words left out: not UTF-8, or empty

    @classmethod
    def of(cls, words: list[bytes], vectors: NDArray[np.float32]) -> Self:
        """Leave out the words that cannot be used."""
        usable = np.fromiter(map(_is_usable, words), dtype=np.bool_, count=len(words))
        if usable.all():
            return cls(words, vectors, 0)
        kept = [word for word, is_kept in zip(words, usable.tolist(), strict=True) if is_kept]
        return cls(kept, vectors[usable], len(words) - len(kept))


def rows_at_once(dimension: int) -> int:
    """Return how many words make a batch; it depends on nothing else, so that equal files are converted equally."""
    return max(1, NUMBERS_AT_ONCE // dimension)


def _is_usable(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return bool(word)


class Content:
    """Bytes that come in blocks, looked at before they are taken. Keeps a block or two in memory."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._held = b""
        self._start = 0  # of what is not taken yet, in `_held`
        self._dropped = 0

    @property
    def taken(self) -> int:
        """Bytes behind us."""
        return self._dropped + self._start

    def peek(self, size: int) -> bytes:
        """Return the next `size` bytes, or as many as there are."""
        self._hold(size)
        return self._held[self._start : self._start + size]

    def skip(self, size: int) -> None:
        """Take bytes that were looked at."""
        self._start = min(self._start + size, len(self._held))

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes; fewer only at the end."""
        taken = self.peek(size)
        self._start += len(taken)
        return taken

    def find(self, byte: bytes, within: int) -> int:
        """Return how far away the next such byte is; -1 where there is none within so many bytes."""
        place = self._held.find(byte, self._start, self._start + within)
        if place < 0:
            self._hold(within)
            place = self._held.find(byte, self._start, self._start + within)
        return place - self._start if place >= 0 else -1

    def lines(self, longest: int) -> Iterator[bytes]:
        """Yield the lines that are left, without their ends; one over `longest` is cut and is the last."""
        rest = self._held[self._start :]
        self._start = len(self._held)
        for block in self._blocks:
            *whole, rest = (rest + block).split(b"\n")
            yield from whole
            if len(rest) > longest:
                yield rest
                return
        if rest:
            yield from rest.split(b"\n")

    def _hold(self, size: int) -> None:
        while len(self._held) - self._start < size:
            block = next(self._blocks, b"")
            if not block:
                return
            self._dropped += self._start
            self._held = self._held[self._start :] + block
            self._start = 0


LARGEST_DIMENSION: Final = 10_000
LONGEST_LINE: Final = 1 << 20
_LOOK_BYTES: Final = 1 << 16
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_FASTTEXT_MODEL: Final = b"\xba\x16\x4f\x2f"
# Bytes that no text has. Of the 200 bytes of a vector of 50 numbers some are among them, but for one in a million.
_NOT_TEXT: Final = frozenset(range(0x20)) - frozenset(b"\t\n\v\f\r")


class Format(Enum):
    """The kinds of files there are; fastText's .vec is the same as word2vec's text."""

    GLOVE_TEXT = "GloVe text"
    WORD2VEC_TEXT = "word2vec text"
    WORD2VEC_BINARY = "word2vec binary"


@dataclass(frozen=True, slots=True)
class FileLayout:
    """How the words and numbers lie in a file."""

    path: Path
    format: Format
    dimension: int
    promised_words: int | None = None  # what a header says; GloVe's files have none

    @property
    def first_line(self) -> int:
        """The line of the first word, counted from 1."""
        return 1 if self.promised_words is None else 2


def layout_of(content: Content, path: Path) -> FileLayout:
    """Tell the layout, and leave `content` at the first word."""
    if not content.peek(1):
        raise VectorsError(f"{path} is empty: get the file again")
    if content.peek(4) == _FASTTEXT_MODEL:
        raise VectorsError(f"{path} is a whole fastText model: give the .vec file that comes with it")
    if content.peek(3) == _BYTE_ORDER_MARK:
        content.skip(3)
    line = _first_line(content, path)
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        words, dimension = (int(field) for field in fields)
        _check_dimension(dimension, path)
        content.skip(len(line) + 1)
        is_binary = _is_binary(content, words, dimension)
        return FileLayout(path, Format.WORD2VEC_BINARY if is_binary else Format.WORD2VEC_TEXT, dimension, words)
    dimension = _numbers_at_the_end(fields)
    if not dimension or has_number_inside(fields[: len(fields) - dimension]):
        raise VectorsError(
            f"{path} is no file of vectors: its first line is neither a word and numbers nor two whole numbers, how "
            "many words and how many numbers each; give GloVe, word2vec or fastText .vec"
        )
    _check_dimension(dimension, path)
    return FileLayout(path, Format.GLOVE_TEXT, dimension)


def is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def has_number_inside(pieces: Sequence[bytes]) -> bool:
    """Return whether a word of several pieces has a number after the first: then it is a line with too many numbers.

    Some files have words with spaces in them, such as ". . ." in GloVe's of 840 billion tokens.
    """
    return any(is_number(piece) for piece in pieces[1:])


def _first_line(content: Content, path: Path) -> bytes:
    line, newline, _ = content.peek(LONGEST_LINE).partition(b"\n")
    if not newline and len(line) == LONGEST_LINE:
        raise VectorsError(f"{path} is no file of vectors: its first line has no end; give GloVe, word2vec or .vec")
    return line


def _numbers_at_the_end(fields: list[bytes]) -> int:
    """Return how many numbers a line of a word and numbers has; the word may be a number too."""
    count = 0
    for field in reversed(fields[1:]):
        if not is_number(field):
            break
        count += 1
    return count


def _check_dimension(dimension: int, path: Path) -> None:
    if not 1 <= dimension <= LARGEST_DIMENSION:
        raise VectorsError(
            f"{path}, line 1: vectors of {dimension:,} numbers; from 1 to {LARGEST_DIMENSION:,} can be used: "
            "check that it is a file of vectors"
        )


def _is_binary(content: Content, words: int, dimension: int) -> bool:
    """Return whether what follows a header is single-precision numbers rather than lines of text."""
    line = content.peek(LONGEST_LINE).partition(b"\n")[0]
    fields = line.split()
    if len(fields) > dimension and all(map(is_number, fields[-dimension:])):
        return False
    start = content.peek(_LOOK_BYTES)
    if not _NOT_TEXT.isdisjoint(start):
        return True
    # A tiny file may have numbers that look like letters: then it is binary if it ends where it should.
    return len(start) < _LOOK_BYTES and _ends_as_binary(start, words, dimension)


def _ends_as_binary(records: bytes, words: int, dimension: int) -> bool:
    place = 0
    for _ in range(words):
        space = records.find(b" ", place)
        place = space + 1 + 4 * dimension
        if space < 0 or place > len(records):
            return False
        if records[place : place + 1] == b"\n":
            place += 1
    return place == len(records)


def text_batches(content: Content, layout: FileLayout) -> Iterator[Batch]:
    """Yield all words with their numbers. VectorsError names the line in which something is wrong."""
    words: list[bytes] = []
    fields: list[bytes] = []
    lines: list[int] = []
    rows = 0  # of all lines so far, whether their words can be used or not
    last_line = 1
    for number, line in enumerate(content.lines(LONGEST_LINE), layout.first_line):
        pieces = line.split()
        if not pieces:
            continue
        if len(pieces) != layout.dimension + 1:
            pieces = _join_word(pieces, line, number, layout)
        words.append(pieces[0])
        fields += pieces[1:]
        lines.append(number)
        rows, last_line = rows + 1, number
        if len(words) == rows_at_once(layout.dimension):
            yield Batch.of(words, _parse_numbers(fields, lines, layout))
            words, fields, lines = [], [], []
    if words:
        yield Batch.of(words, _parse_numbers(fields, lines, layout))
    promised = layout.promised_words
    if promised is not None and promised != rows:
        short = f"ends after {rows:,} of the {promised:,} words that line 1 promises"
        long = f"has {count_of(rows, 'word')} where line 1 promises {promised:,}"
        what = short if rows < promised else long
        raise VectorsError(f"{layout.path} {what} (its last line is {last_line:,}): get it again, or mend line 1")


def _join_word(pieces: list[bytes], line: bytes, number: int, layout: FileLayout) -> list[bytes]:
    """Join a word that has spaces in it, or is a space. VectorsError where the line is not a word and its numbers."""
    dimension, where = layout.dimension, f"{layout.path}, line {number:,}"
    if len(line) > LONGEST_LINE:
        raise VectorsError(f"{where} is longer than {LONGEST_LINE:,} bytes: check that it is a file of vectors")
    word, numbers = pieces[: len(pieces) - dimension], pieces[-dimension:]
    if len(pieces) > dimension and not has_number_inside(word):
        return [b" ".join(word), *numbers]
    if len(pieces) == dimension and line[:1].isspace():
        return [b"", *numbers]
    says = f"{'line 1' if layout.promised_words is None else 'the header'} says {dimension:,}"
    has = f"has {count_of(len(pieces) - 1, 'number')}"
    raise VectorsError(f"{where} {has} where {says}: get the file again, or take the line out")


def _parse_numbers(fields: list[bytes], lines: list[int], layout: FileLayout) -> NDArray[np.float32]:
    """Return the vectors of some lines. VectorsError names the first that is no finite number."""
    try:
        with np.errstate(over="ignore"):
            vectors = np.array(list(map(float, fields)), dtype=np.float32)
        bad = np.flatnonzero(~np.isfinite(vectors))[:1].tolist()
    except ValueError:
        bad = [next(place for place, field in enumerate(fields) if not is_number(field))]
    for place in bad:
        line, column = lines[place // layout.dimension], place % layout.dimension + 1
        shown = fields[place][:40].decode("utf-8", "replace")
        raise VectorsError(
            f"{layout.path}, line {line:,} has {shown!r} for its number {column:,}, which is no finite number: "
            "get the file again, or take the line out"
        )
    return vectors.reshape(len(lines), layout.dimension)


_LONGEST_WORD: Final = 1 << 16


def binary_batches(content: Content, layout: FileLayout) -> Iterator[Batch]:
    """Yield all words with their numbers. VectorsError names the byte where something is wrong."""
    assert layout.promised_words is not None, "a binary file begins with how many words there are"
    for first in range(0, layout.promised_words, rows_at_once(layout.dimension)):
        last = min(first + rows_at_once(layout.dimension), layout.promised_words)
        begins, words, numbers = [], [], []
        for row in range(first, last):
            begins.append(content.taken)
            words.append(_read_word(content, row, layout))
            numbers.append(_read_numbers(content, row, layout))
        vectors = np.frombuffer(b"".join(numbers), dtype="<f4").reshape(-1, layout.dimension).astype(np.float32)
        _check_finite(vectors, begins, layout.path)
        yield Batch.of(words, vectors)
    _check_end(content, layout)


def _read_word(content: Content, row: int, layout: FileLayout) -> bytes:
    while content.peek(1) == b"\n":  # some writers end a vector with one, others do not
        content.skip(1)
    length = content.find(b" ", _LONGEST_WORD)
    if length < 0:
        if len(content.peek(_LONGEST_WORD)) < _LONGEST_WORD:
            raise _cut_off_error(content, row, layout)
        raise VectorsError(
            f"{layout.path}, byte {content.taken:,}: no end of word {row + 1:,} in sight; check that it is word2vec's "
            f"binary format with {layout.dimension:,} numbers a word"
        )
    word = content.take(length)
    content.skip(1)
    return word


def _read_numbers(content: Content, row: int, layout: FileLayout) -> bytes:
    numbers = content.take(4 * layout.dimension)
    if len(numbers) < 4 * layout.dimension:
        raise _cut_off_error(content, row, layout)
    return numbers


def _cut_off_error(content: Content, row: int, layout: FileLayout) -> VectorsError:
    end = content.taken + len(content.peek(_LONGEST_WORD))
    return VectorsError(
        f"{layout.path} ends at byte {end:,}, after {row:,} of the {layout.promised_words:,} words that its header "
        "promises: get it again"
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


def _check_end(content: Content, layout: FileLayout) -> None:
    while content.peek(1) == b"\n":
        content.skip(1)
    if content.peek(1):
        raise VectorsError(
            f"{layout.path}, byte {content.taken:,}: there is more after the {layout.promised_words:,} words that its "
            "header promises: get it again"
        )
