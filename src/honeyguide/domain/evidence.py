"""What made a judge say what it said of a page, for a person to read and as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One word or phrase of the page that had a say in its relevance."""

    term: str
    compared_with: str  # what of the topic is nearest to it; "" where it was compared with no single word
    similarity: float  # of the two, at most 1
    contribution: float  # its share of the relevance; negative where it spoke against the page
    count: int  # occurrences in the main text


@dataclass(frozen=True, slots=True)
class Evidence:
    """A relevance, and the terms that made it, those that speak loudest for the page first.

    Where a judge adds up (`is_sum`), the contributions and `rest`, what all terms not shown come to, make the
    relevance; a sum below 0 is a relevance of 0. Of any other judge, a contribution is what the relevance loses when
    the term is taken out of the text. `dataclasses.asdict` gives all of it as data.
    """

    kind: str  # as the setting `judge.kind` calls the judge
    relevance: float
    threshold: float  # relevance that makes a page relevant
    rows: tuple[EvidenceRow, ...] = ()
    rest: float = 0.0
    is_sum: bool = True
    parts: tuple[Evidence, ...] = ()  # of a combined judge, in the order of its rows
