"""Text with markers in it, read once: its words, where its links stand, and which parts are main text.

Links and boilerplate are bracketed by markers: a control character that the text itself does not contain
(`without_markers`), and one more that says which bracket it is. A marker is a word boundary, so the words of the text
are the words between the markers, in order, and a position in the text is a number of words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

from honeyguide.model import Occurrence
from honeyguide.text.tokens import WORD

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = "\x01"
_LINK_START, _LINK_END, _ASIDE_START, _ASIDE_END = "\x02", "\x03", "\x04", "\x05"

LINK_START: Final = _MARK + _LINK_START
LINK_END: Final = _MARK + _LINK_END
ASIDE_START: Final = _MARK + _ASIDE_START
ASIDE_END: Final = _MARK + _ASIDE_END

_MARKER = re.compile("\x01[\x02-\x05]")
# A marker; after a space, with all the markers and spaces that follow.
_MARKER_AND_SPACES = re.compile("\x01(?:(?<= \x01)[\x02-\x05](?:\x01[\x02-\x05]| )*|[\x02-\x05])")
# Markers that alone keep two words apart. The first character is the mark, which is looked for fastest.
_MARKERS_WITHIN_WORD = re.compile("\x01(?<=[^\\W_]\x01|['’]\x01)[\x02-\x05](?:\x01[\x02-\x05])*(?=[^\\W_]|['’])")
_MARK_REFERENCE = re.compile("&#(?:0*1(?![0-9])|[xX]0*1(?![0-9a-fA-F]));?")

# ASCII text in lower case, with a space for every character that is no part of a word. Marks and apostrophes stay,
# and so does what is not ASCII.
_WORDS_AND_SPACES = bytes(
    code if code >= 128 or chr(code).isalnum() or chr(code) in (_MARK, "'") else ord(" ")
    for code in bytes(range(256)).lower()
)
# The commonest characters beyond ASCII that are no part of a word. Without them most pages are all ASCII.
_COMMON_SEPARATORS: Final = "\xa0“”—–…¶‘•·«»→©®§"
_APOSTROPHES: Final = "'’"
_APOSTROPHE_BEFORE_NO_WORD = re.compile(f"[{_APOSTROPHES}](?![^\\W_])")


Spans = tuple[tuple[int, int], ...]
"""Half-open ranges of words, in order."""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """Marked text as it was read. `places` are the links in order of their start markers."""

    text: str
    words: tuple[str, ...]
    main_spans: Spans
    places: tuple[Occurrence, ...]


def has_markers(text: str, count: int) -> bool:
    """Whether `text` has exactly `count` markers; more means that some were in the page as it came."""
    return text.count(_MARK) == count


def without_markers(html: str) -> str:
    """Clear `html` of everything that would read as a marker, character references included."""
    return _MARK_REFERENCE.sub(" ", html.replace(_MARK, " "))


def read_plain(text: str) -> MarkedText:
    """Read text that has no markers; what looks like one is only a character."""
    return read_marked(text.replace(_MARK, " "))


def read_marked(marked: str) -> MarkedText:
    """Read text whose markers are properly nested."""
    folded = " ".join(marked.split())
    source = folded
    if "Σ" in marked:
        # Its lower case depends on what follows, which has to be the same with and without markers and separators.
        folded = " ".join(_MARKER.sub(r" \g<0> ", marked).split())
        source = folded.lower()
    words_by_piece = _words_by_piece(_separated(source))
    # Where each piece begins, counted in words; one more for the end of the text.
    starts = list(accumulate(map(len, words_by_piece), initial=0))
    places, main_spans = _read_markers(folded.split(_MARK), starts)
    return MarkedText(_plain(folded), tuple(chain.from_iterable(words_by_piece)), main_spans, places)


def _read_markers(pieces: list[str], starts: list[int]) -> tuple[tuple[Occurrence, ...], Spans]:
    """Return the links and main spans of text cut at its markers; `starts` says where each piece begins, in words.

    A piece begins with the character that says which marker came before it; the first piece is plain text. A link
    inside another ends the outer one, as it does in a browser, so that no page can make this quadratic.
    """
    places: list[tuple[str, int, int, bool]] = []
    main = _MainSpans()
    opened = 0  # the piece with which the link began that is open; no link begins at piece 0
    for index, piece in enumerate(pieces[1:], start=1):
        kind = piece[0]
        if kind <= _LINK_END:
            if opened:
                anchor = pieces[opened][1:].strip() if index == opened + 1 else _plain_of(pieces[opened:index])
                places.append((anchor, starts[opened], starts[index], main.is_open))
            opened = index if kind == _LINK_START else 0
        else:
            main.pass_marker(kind, starts[index])
    return tuple(map(_occurrence, places)), main.spans(starts[-1])


_occurrence = partial(tuple.__new__, Occurrence)


class _MainSpans:
    """The spans outside every aside, kept while reading."""

    def __init__(self) -> None:
        self.is_open = True
        self._open_asides = 0
        self._start = 0
        self._ended: list[tuple[int, int]] = []

    def pass_marker(self, kind: str, position: int) -> None:
        self._end(position)
        self._open_asides += 1 if kind == _ASIDE_START else -1
        self.is_open = self._open_asides == 0
        self._start = position

    def spans(self, word_count: int) -> Spans:
        """Return the spans of a text of so many words; the whole text where asides leave nothing."""
        self._end(word_count)
        if not self._ended and word_count:
            return ((0, word_count),)
        return tuple(self._ended)

    def _end(self, position: int) -> None:
        if self.is_open and self._start < position:
            self._ended.append((self._start, position))


def _separated(text: str) -> str:
    """Put spaces for separators, so that splitting the ASCII parts gives the words that `WORD` would find.

    The regular expression alone takes more than twice as long, and most pages are mostly ASCII.
    """
    if not text.isascii():
        for separator in _COMMON_SEPARATORS:
            text = text.replace(separator, " ")
    text = text.encode("utf-8", "replace").translate(_WORDS_AND_SPACES).decode()
    apostrophes = [mark for mark in _APOSTROPHES if mark in text]
    if not apostrophes:
        return text
    # An apostrophe belongs to a word only between two of its characters.
    text = _APOSTROPHE_BEFORE_NO_WORD.sub(" ", text)
    for mark in apostrophes:
        text = text.replace(f" {mark}", "  ").replace(f"{_MARK}{mark}", f"{_MARK} ").removeprefix(mark)
    return text


def _words_by_piece(separated: str) -> list[list[str]]:
    """Return the words between the markers of a text that is ready to be cut into words."""
    pieces = separated.split(_MARK)
    if separated.isascii() or separated.replace("’", "").isascii():  # those that are left stand within words
        return list(map(str.split, pieces))
    return [piece.split() if piece.isascii() else _words(piece) for piece in pieces]


def _words(separated: str) -> list[str]:
    tokens = separated.lower().split()
    if all(map(str.isalnum, tokens)):
        return tokens
    words = []
    for token in tokens:
        if token.isalnum():
            words.append(token)
        else:
            words += WORD.findall(token)
    return words


def _plain(marked: str) -> str:
    """Return the text without its markers: no space doubled where one was taken out, no two words run together."""
    if _MARK not in marked:
        return marked
    return _MARKER_AND_SPACES.sub("", _MARKERS_WITHIN_WORD.sub(" ", marked)).strip()


def _plain_of(pieces: Iterable[str]) -> str:
    return _plain("".join(f"{_MARK}{piece}" for piece in pieces))
