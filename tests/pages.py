"""Pages and candidates made by hand, without HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.model import Candidates, Link, Occurrence, Origin, Page, Rows, Url
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


@dataclass(frozen=True, slots=True)
class Sighting:
    """One link as one page shows it."""

    seen_as: Url
    anchor: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    in_main: bool
    origin: Origin | None  # None for a seed


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
    """Links from anywhere in one batch."""
    words: list[str] = []
    spans = np.empty((len(sightings), 4), dtype=np.int64)
    for row, sighting in enumerate(sightings):
        start = len(words) + len(sighting.before)
        end = start + len(sighting.anchor)
        spans[row] = (len(words), start, end, end + len(sighting.after))
        words += [*sighting.before, *sighting.anchor, *sighting.after]
    origins = [sighting.origin for sighting in sightings]
    hosts = [origin.host if origin else None for origin in origins]
    return Candidates(
        words=tuple(words),
        spans=spans,
        targets=tuple(sighting.seen_as for sighting in sightings),
        in_main=np.array([sighting.in_main for sighting in sightings], dtype=np.bool_),
        is_internal=np.array([one.seen_as.host == host for one, host in zip(sightings, hosts, strict=True)], np.bool_),
        is_seed=np.array([origin is None for origin in origins], dtype=np.bool_),
        relevance=np.array([origin.relevance if origin else 0.0 for origin in origins]),
        distance=np.array([origin.distance if origin else 0 for origin in origins], dtype=np.int64),
        depth=np.array([origin.depth + 1 if origin else 0 for origin in origins], dtype=np.int64),
    )


def cut_from(candidates: Candidates, origin: Origin) -> Candidates:
    """The same links with no more than their windows of the page."""
    words = candidates.words
    return candidates_of(
        *(
            Sighting(target, words[start:end], words[first:start], words[end:last], bool(in_main), origin)
            for target, (first, start, end, last), in_main in zip(
                candidates.targets, candidates.spans.tolist(), candidates.in_main, strict=True
            )
        )
    )
