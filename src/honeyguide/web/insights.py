"""What a crawl has understood: the learner's weights in words, and the traps with their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Final

from honeyguide.web.views import View

if TYPE_CHECKING:
    from honeyguide.web.views import Reading

MOST_WEIGHTS: Final = 16
MOST_TRAPS: Final = 20
_WORDS: Final = {
    "always one": "any link at all",
    "cosine of the anchor": "its anchor is near the topic",
    "cosine of the words around": "the words around it are near the topic",
    "cosine of the address": "its address is near the topic",
    "relevance of the page": "it stands on a relevant page",
    "relevance of the page times cosine of the anchor": "its anchor is near the topic, on a relevant page",
    "nearness of a relevant page": "a relevant page is few clicks behind",
    "same host": "it stays on its host",
    "in the main text": "it stands in the main text",
    "has an anchor": "it has an anchor",
    "nearness of a seed": "a seed is few clicks behind",
    "is a seed": "it is a seed",
    "rank of the page": "it stands on a page that many link to",
}
_MEANINGS: Final = "meaning "  # columns that only together say something


@dataclass(frozen=True, slots=True)
class WeightRow:
    """What one thing about a link adds to its value, or takes from it."""

    words: str
    weight: float


@dataclass(frozen=True, slots=True)
class WeightTable:
    """What the strategy has learned, the largest weights first; empty where it learns no weights."""

    strategy: str
    rows: tuple[WeightRow, ...]


def gather_weights(reading: Reading) -> WeightTable:
    """Put the weights of the strategy into words."""
    said = {str(column): float(weight) for column, weight in dict(reading.said("weights")).items()}
    meanings = [weight for column, weight in said.items() if column.startswith(_MEANINGS)]
    rows = [
        WeightRow(_WORDS.get(column, column), weight)
        for column, weight in said.items()
        if not column.startswith(_MEANINGS)
    ]
    if meanings:
        rows.append(WeightRow("what its words mean otherwise, at most", hypot(*meanings)))
    rows.sort(key=lambda row: (-abs(row.weight), row.words))
    return WeightTable(reading.card.strategy, tuple(rows[:MOST_WEIGHTS]))


@dataclass(frozen=True, slots=True)
class TrapRow:
    """A loop or trap, or the duplicates of one host."""

    kind: str
    about: str
    evidence: str
    pages: int
    relevant: int
    lowered: int  # times that a waiting link was let wait behind others because of it


@dataclass(frozen=True, slots=True)
class Traps:
    """The traps that cost the most pages."""

    traps: tuple[TrapRow, ...]
    count: int  # in all
    pages_seen: int  # pages that the guard looked at
    pages_found: int  # of these, part of a trap or duplicates


def gather_traps(reading: Reading) -> Traps:
    """Read the traps of a run."""
    summary = reading.run.trap_summary()
    rows = (
        TrapRow(each.kind, each.about, each.evidence, each.pages, each.relevant, each.links.lowered)
        for each in summary.traps[:MOST_TRAPS]
    )
    return Traps(tuple(rows), len(summary.traps), summary.pages_seen, summary.pages_found)


WEIGHTS: Final = View("weights", WeightTable, gather_weights, "weights.html", every_s=1, title="Learned", is_half=True)
TRAPS: Final = View("traps", Traps, gather_traps, "live_traps.html", every_s=5, title="Traps", is_half=True)
