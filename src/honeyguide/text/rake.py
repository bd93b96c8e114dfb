"""Keywords of a text by RAKE, Rapid Automatic Keyword Extraction (Rose et al. 2010), as Lim 2016, 5.3, uses it.

Words between stop words and punctuation are the candidates; each distinct candidate is a keyword, counted by the stems
of its words. Two ways to score them, because Lim's text and the algorithm he cites differ:

words    Rose et al., and the library in Lim's code: a word's degree is the number of words in all candidates it stands
         in, itself included, its frequency how often it stands there; a keyword's score is the sum of degree over
         frequency of its words. Long phrases come first.
phrases  Lim's own words: a candidate's degree is how often other candidates use it, its frequency how often it is a
         candidate itself; its score is the one over the other. What stands inside longer phrases comes first, and what
         no other candidate uses scores 0.

Departures: a run of more than `LONGEST` words is cut, because it is a list or a table and no phrase; what has no letter
in it is no keyword; the pieces of a number that a mark cuts ("1,000", "3.5", "10:30") belong to none.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.text.tokens import WORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from honeyguide.text.tokens import Stems

    Span = tuple[int, int]
    StemPhrase = tuple[str, ...]

LONGEST: Final = 8
_JOINING: Final = frozenset({" ", "-", "\u2010", "\u2011", "_"})  # what may stand between two words of a phrase


class RakeScore(StrEnum):
    """How keywords are scored."""

    WORDS = "words"
    PHRASES = "phrases"


class Keyword(NamedTuple):
    """A word or phrase that stands out in a text."""

    words: tuple[str, ...]  # as they stand where the keyword first does
    start: int  # number of its first word there
    times: int  # it stands there, by stem
    score: float

    @property
    def end(self) -> int:
        return self.start + len(self.words)

    @property
    def text(self) -> str:
        return " ".join(self.words)


def keywords_of(
    words: Sequence[str], candidates: Sequence[Span], stems: Stems, scoring: RakeScore = RakeScore.WORDS
) -> list[Keyword]:
    """Return the keywords among candidate ranges of `words`, best first; equal ones in the order of the text."""
    stemmed = tuple(stems.of(words))
    spans_by_phrase: dict[StemPhrase, list[Span]] = {}
    for span in candidates:
        spans_by_phrase.setdefault(stemmed[span[0] : span[1]], []).append(span)
    counts = {phrase: len(spans) for phrase, spans in spans_by_phrase.items()}
    scores = _scores_by_words(counts) if scoring is RakeScore.WORDS else _scores_by_phrases(counts)
    found = [
        Keyword(tuple(words[spans[0][0] : spans[0][1]]), spans[0][0], len(spans), scores[phrase])
        for phrase, spans in spans_by_phrase.items()
    ]
    return sorted(found, key=lambda keyword: -keyword.score)


def candidates_in(text: str, words: Sequence[str], spans: Sequence[Span], stop_words: AbstractSet[str]) -> list[Span]:
    """Return the ranges of words between stop words and punctuation, inside these spans.

    `words` are those of `text`. Where they are not, as in words made up without one, only stop words separate.
    """
    gaps = WORD.split(text.lower())
    if len(gaps) != len(words) + 1:
        gaps = [" "] * (len(words) + 1)
    found: list[Span] = []
    for span in spans:
        for run in _find_runs(words, gaps, span, stop_words):
            found += [run] if run[1] - run[0] <= LONGEST else _cut_run(run)
    return [(start, end) for start, end in found if _has_letter("".join(words[start:end]))]


def _find_runs(words: Sequence[str], gaps: Sequence[str], span: Span, stop_words: AbstractSet[str]) -> Iterator[Span]:
    start, end = span
    for place in range(start, end):
        if words[place] in stop_words or _is_piece_of_number(words, gaps, place):
            if start < place:
                yield start, place
            start = place + 1
        elif start < place and gaps[place] not in _JOINING:
            yield start, place
            start = place
    if start < end:
        yield start, end


def _is_piece_of_number(words: Sequence[str], gaps: Sequence[str], place: int) -> bool:
    """Return whether the word has no letter, and a single mark joins it to a neighbour that has none either."""
    if _has_letter(words[place]):
        return False
    for gap, neighbour in ((place, place - 1), (place + 1, place + 1)):
        is_mark = len(gaps[gap]) == 1 and gaps[gap] not in _JOINING and not gaps[gap].isspace()
        if is_mark and 0 <= neighbour < len(words) and not _has_letter(words[neighbour]):
            return True
    return False


def _has_letter(text: str) -> bool:
    return text.isalpha() or any(map(str.isalpha, text))


def _cut_run(run: Span) -> Iterator[Span]:
    start, end = run
    for first in range(start, end, LONGEST):
        yield first, min(first + LONGEST, end)


def _scores_by_words(counts: Mapping[StemPhrase, int]) -> dict[StemPhrase, float]:
    degrees: dict[str, int] = {}
    frequencies: dict[str, int] = {}
    for phrase, count in counts.items():
        degree = count * len(phrase)
        for stem in phrase:
            degrees[stem] = degrees.get(stem, 0) + degree
            frequencies[stem] = frequencies.get(stem, 0) + count
    ratios = {stem: degree / frequencies[stem] for stem, degree in degrees.items()}
    return {phrase: sum([ratios[stem] for stem in phrase]) for phrase in counts}


def _scores_by_phrases(counts: Mapping[StemPhrase, int]) -> dict[StemPhrase, float]:
    degrees: Counter[StemPhrase] = Counter()
    lengths = sorted({len(phrase) for phrase in counts})
    for phrase, count in counts.items():
        for length in lengths:
            if length >= len(phrase):
                break
            for place in range(len(phrase) - length + 1):
                part = phrase[place : place + length]
                if part in counts:
                    degrees[part] += count
    return {phrase: degrees[phrase] / count for phrase, count in counts.items()}
