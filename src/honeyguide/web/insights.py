"""What a crawl has understood: the learner's weights in words, and the traps with their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Final

from honeyguide.crawler import MEANINGS, in_words
from honeyguide.runs.traps import grouped
from honeyguide.web.views import View

if TYPE_CHECKING:
    from honeyguide.web.views import Reading

MOST_WEIGHTS: Final = 16
MOST_TRAPS: Final = 20


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
    said = reading.status.get("weights", {})
    meanings = [weight for column, weight in said.items() if column.startswith(MEANINGS)]
    rows = [WeightRow(in_words(column), weight) for column, weight in said.items() if not column.startswith(MEANINGS)]
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
    """Read the traps of a run. Findings are kept from one look to the next: a trap may have many thousands."""
    records = reading.run.trap_records()
    answers, newest, found = reading.memory.get("traps", (0, -1, {}))
    if answers != reading.run.answer_count():  # pages have been judged again
        answers, newest, found = reading.run.answer_count(), -1, {}
    for finding in records.findings(found_after=newest):
        found[finding.step] = finding
        newest = max(newest, finding.found_at)
    reading.memory["traps"] = answers, newest, found
    traps, _ = grouped([found[step] for step in sorted(found)], records.moves())
    rows = (
        TrapRow(each.kind, each.about, each.evidence, each.pages, each.relevant, each.links.lowered)
        for each in traps[:MOST_TRAPS]
    )
    return Traps(tuple(rows), len(traps), records.pages_seen(), len(found))


WEIGHTS: Final = View("weights", WeightTable, gather_weights, "weights.html", every_s=1, title="Learned", is_half=True)
TRAPS: Final = View("traps", Traps, gather_traps, "live_traps.html", every_s=5, title="Traps", is_half=True)
