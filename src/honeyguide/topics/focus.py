"""Where a topic lies once the subjects that fit it are known: nearer to the truth than its own few words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.topics.gist import Gist
    from honeyguide.topics.matches import Match

FITTING_SCORE: Final = 0.2
FITTING_SHARE: Final = 0.5  # of the best subject's score; a subject with less has no say


@dataclass(frozen=True, slots=True, eq=False)
class Focus:
    """A direction, and the subjects that it was drawn from, best first."""

    vector: NDArray[np.float64]  # length 1; zero where no word is known
    fitting: tuple[Match, ...]


def focus_of(gist: Gist, matches: Sequence[Match]) -> Focus:
    """The direction of a topic together with that of the subjects that fit it, by how well they do."""
    bar = max(FITTING_SCORE, FITTING_SHARE * max((match.score for match in matches), default=0.0))
    fitting = sorted((match for match in matches if match.score >= bar), key=lambda match: -match.score)
    drawn = np.zeros_like(gist.vector)
    for match in fitting:
        drawn += match.score * match.direction
    return Focus(unit(gist.vector + unit(drawn)), tuple(fitting))
