"""Statistics of a comparison: paired differences between strategies with intervals, and tables in Markdown.

A difference is taken between crawls under the same conditions, and its interval tells it from luck. The tables also
read well as plain text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

CONFIDENCE: Final = 0.95
TOPICS_NEEDED: Final = 6  # for a difference to be called clear
_DRAWS: Final = 10_000


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """By how much the first exceeds the second, on average, with a 95% interval."""

    mean: float
    low: float
    high: float
    pairs: int
    topics: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out zero, over topics enough to be believed.

        A bootstrap over few topics is too narrow: with 5 it leaves out a true zero about one time in eight, with 8 one
        in fourteen.
        """
        return self.topics >= TOPICS_NEEDED and (self.low > 0 or self.high < 0)


def paired_difference(differences_by_topic: Sequence[Sequence[float]], seed: int = 0) -> PairedDifference:
    """The mean of differences, and its interval by bootstrap in two stages: topics are drawn, then repeats in them.

    Repeats of a topic are no new topics: with one topic the interval speaks of that topic only, and where a strategy
    leaves nothing to chance its repeats add nothing. Every topic counts alike.
    """
    if not differences_by_topic or not all(map(len, differences_by_topic)):
        raise ValueError("a paired difference needs at least one difference for each topic")
    chance = np.random.default_rng(seed)
    mean_draws = np.array(
        [
            chance.choice(np.asarray(each, dtype=float), size=(_DRAWS, len(each))).mean(axis=1)
            for each in differences_by_topic
        ]
    )
    topics = chance.integers(len(mean_draws), size=(len(mean_draws), _DRAWS))
    draws = np.take_along_axis(mean_draws, topics, axis=0).mean(axis=0)
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(draws, [tail, 100 - tail])
    mean = float(np.mean([np.mean(each) for each in differences_by_topic]))
    return PairedDifference(
        mean, float(low), float(high), sum(map(len, differences_by_topic)), len(differences_by_topic)
    )


def markdown_table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], *, texts: Collection[int] = frozenset({0})
) -> str:
    """A table whose columns are aligned: to the left those that hold `texts`, by number; figures to the right."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (titles, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(titles))]
    lines = [
        "| "
        + " | ".join(
            cell.ljust(width) if column in texts else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in cells
    ]
    rule = "|" + "|".join(
        ":" + "-" * (width + 1) if column in texts else "-" * (width + 1) + ":" for column, width in enumerate(widths)
    )
    return "\n".join([lines[0], rule + "|", *lines[1:]])
