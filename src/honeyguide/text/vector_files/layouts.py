"""What kind of file of vectors it is, told from its beginning."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from honeyguide.errors import VectorsError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from honeyguide.text.vector_files.content import Content

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
class Layout:
    """How the words and numbers lie in a file."""

    format: Format
    dimension: int
    promised_words: int | None = None  # what a header says; GloVe's files have none

    @property
    def first_line(self) -> int:
        """The line of the first word, counted from 1."""
        return 1 if self.promised_words is None else 2


def layout_of(content: Content, path: Path) -> Layout:
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
        return Layout(Format.WORD2VEC_BINARY if is_binary else Format.WORD2VEC_TEXT, dimension, words)
    dimension = _numbers_at_the_end(fields)
    if not dimension or has_number_inside(fields[: len(fields) - dimension]):
        raise VectorsError(
            f"{path} is no file of vectors: its first line is neither a word and numbers nor two whole numbers, how "
            "many words and how many numbers each; give GloVe, word2vec or fastText .vec"
        )
    _check_dimension(dimension, path)
    return Layout(Format.GLOVE_TEXT, dimension)


def is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def has_number_inside(pieces: Sequence[bytes]) -> bool:
    """Whether a word of several pieces has a number after the first: then it is a line with too many numbers.

    Some files have words with spaces in them, such as ". . ." in GloVe's of 840 billion tokens.
    """
    return any(is_number(piece) for piece in pieces[1:])


def _first_line(content: Content, path: Path) -> bytes:
    line, newline, _ = content.peek(LONGEST_LINE).partition(b"\n")
    if not newline and len(line) == LONGEST_LINE:
        raise VectorsError(f"{path} is no file of vectors: its first line has no end; give GloVe, word2vec or .vec")
    return line


def _numbers_at_the_end(fields: list[bytes]) -> int:
    """How many numbers a line of a word and numbers has; the word may be a number too."""
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
    """Whether what follows a header is single-precision numbers rather than lines of text."""
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
