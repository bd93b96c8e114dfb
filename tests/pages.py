"""Pages and candidates made by hand, without HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.model import Candidates, Link, Occurrence, Origin, Page, Rows, Sighting, Url
from honeyguide.text import words_of

if TYPE_CHECKING:
    from honeyguide.learn import Strategy

HERE = Url.parse("http://here.test/page")


def page_of(text: str, url: Url = HERE, main: tuple[tuple[int, int], ...] | None = None) -> Page:
    """A page whose main text is all of `text`, or the given ranges of its words."""
    words = tuple(words_of(text))
    spans = ((0, len(words)),) if main is None else main
    return Page(url, "text/html", "utf-8", "", text, words, spans, ())


def link_at(target: str, start: int, end: int, *, in_main: bool = True) -> Link:
    return Link(Url.parse(target), HERE, (Occurrence("", start, end, in_main),))


def sighting_of(target: str, anchor: str = "", before: str = "", after: str = "", **origin: float) -> Sighting:
    """A link as a page would show it; without `origin` values it is a seed."""
    known = None
    if origin:
        known = Origin(
            HERE.host, origin.get("relevance", 0.0), int(origin.get("distance", 0)), int(origin.get("depth", 0))
        )
    return Sighting(
        Url.parse(target), tuple(words_of(anchor)), tuple(words_of(before)), tuple(words_of(after)), True, known
    )


def rows_of(strategy: Strategy, candidates: Candidates) -> Rows:
    """The rows that a strategy scores."""
    return strategy.rows(strategy.describe(candidates), candidates.parents)


def candidates_of(*sightings: Sighting) -> Candidates:
    return Candidates.of(sightings)
