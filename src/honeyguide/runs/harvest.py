"""The harvest of a crawl: pages on the topic over fetches."""

from __future__ import annotations

from itertools import accumulate, islice
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from honeyguide.model import Url
    from honeyguide.runs.run import CrawledStep

HarvestCurve: TypeAlias = "Sequence[int]"
"""On-topic pages after 0, 1, 2, … fetches; one longer than the budget, starts at 0 and never falls."""


def graded(steps: Iterable[CrawledStep], is_on_topic: Callable[[Url], bool]) -> Iterator[bool]:
    """Say of every fetch, in order, whether it brought a page on the topic."""
    return (step.outcome == "fetched" and is_on_topic(step.url) for step in steps)


def harvest_curve(grades: Iterable[bool], budget: int) -> list[int]:
    """Add up grades over the whole budget: a crawl that stops early is charged for what it left unspent."""
    curve = list(accumulate(islice(map(int, grades), budget), initial=0))
    return curve + [curve[-1]] * (budget + 1 - len(curve))


def harvest_rate(curve: HarvestCurve) -> float:
    """Return on-topic pages per fetch, over the whole budget."""
    return curve[-1] / (len(curve) - 1) if len(curve) > 1 else 0.0


def share_found(curve: HarvestCurve, on_topic_pages: int) -> float:
    """Return the share of all on-topic pages that was found."""
    return curve[-1] / on_topic_pages if on_topic_pages else 0.0


def harvest_at(curve: HarvestCurve, fetches: int) -> int | None:
    """Return on-topic pages after so many fetches; None where the budget ends before."""
    return curve[fetches] if fetches < len(curve) else None


def steps_to_first(curve: HarvestCurve) -> int | None:
    """Return after how many fetches the first on-topic page came; None where none did."""
    return next((step for step, pages in enumerate(curve) if pages), None)


def area_under_curve(curve: HarvestCurve) -> float:
    """Rate how early the harvest came, from 0 to 1, where every fetch brought a page on the topic."""
    budget = len(curve) - 1
    return sum(curve) / (budget * (budget + 1) / 2) if budget else 0.0


def downsampled(curve: HarvestCurve, points: int) -> list[tuple[int, int]]:
    """Return at most `points` pairs of fetches and pages, evenly spaced, with the first and the last."""
    last = len(curve) - 1
    if points < 2 or last < 1:
        return [(last, curve[-1])]
    positions = dict.fromkeys(round(last * number / (points - 1)) for number in range(points))
    return [(position, curve[position]) for position in positions]
