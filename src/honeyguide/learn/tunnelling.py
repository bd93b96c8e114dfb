"""Tunnelling with a cut-off: follow good pages, and past them so many poor ones in a row and no more.

Bergmark, Lagoze and Sbityakov (2002), "Focused crawls, tunneling, and digital libraries": a page that correlates with
the topic is a nugget, any other a dud. A crawl that stops at the first dud misses the nuggets behind it, so it goes on
through duds, and gives a path up when it has gone too far from the last nugget.

Here a nugget is a page that the judge calls relevant. A link is worth the relevance of its page, and is skipped when
its page is `cutoff` clicks or more from the last nugget on the way. The links of seeds are always followed. The paper
lets the cut-off depend on how well the path has done; we did not have its formula at hand, so here it is fixed, and its
default is ours. Context graphs (Diligenti et al. 2000) are not here: they need pages that link *to* examples, which a
search engine has to find.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from honeyguide.learn.strategy import Order, Unlearned
from honeyguide.model import Skipped
from honeyguide.settings import setting

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Row, Rows, Url


@dataclass(frozen=True, slots=True)
class TunnellingSettings:
    """Tunnelling with a cut-off."""

    table: ClassVar = "tunnelling"

    cutoff: int = setting(
        3, "pages in a row that may be irrelevant before their links are skipped", at_least=1, at_most=1000
    )


class Tunnelling(Unlearned):
    """Scores are relevances of pages; a row has besides the clicks since the last relevant page."""

    settings_type = TunnellingSettings
    order = Order.BEST_SCORE
    row_width = 2
    seeds_first = True

    def __init__(self, settings: TunnellingSettings) -> None:
        self._cutoff = settings.cutoff

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.of(TunnellingSettings))

    def describe(self, candidates: Candidates) -> Rows:
        is_near_seed = candidates.depth <= 1
        distance = np.where(is_near_seed, 0, np.minimum(candidates.distance, 1000))
        return np.column_stack((candidates.relevance, distance)).astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:  # noqa: ARG002
        distance = int(row[1])
        return Skipped(f"{distance} irrelevant pages on the way to it") if distance >= self._cutoff else None
