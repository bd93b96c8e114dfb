"""In-links: the link that most pages show comes first.

Cho, Garcia-Molina and Page (1998), "Efficient crawling through URL ordering": the importance of a URL is the number of
pages fetched so far that link to it, and the frontier is ordered by it; of equals, the first that was found. The count
of a waiting link changes with every page that shows it. The paper counts every link; here a page counts once.

`in_links.counted = "page"` is step 5b of *Web Crawler: Loop detection*, which the profile of that name takes: the
priority of a page is the number of pages that link to it, as known when it is read, and step 6 lets its links wait with
that priority. The document also speaks of links from other domains only; its algorithm does not, and is followed here.

A row holds the count in half precision: exact up to 2,048, rounded to eleven bits above, and at most 60,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from honeyguide.learn.strategy import FoundAgain, Order, Unlearned
from honeyguide.model import ParentRules
from honeyguide.settings import setting

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, LinkDescriptions, Page, ParentFacts, ParentStats, Row, Rows

LARGEST_COUNT: Final = 60_000  # half precision ends a little above


@dataclass(frozen=True, slots=True)
class InLinksSettings:
    """The order by in-links."""

    table: ClassVar = "in_links"

    counted: str = setting(
        "link",
        "whose in-links count: the link's own, as in Cho et al. 1998, or those of the page that shows it",
        choices=("link", "page"),
    )


class InLinks(Unlearned):
    """Scores are numbers of pages that show a link, or that show the page on which it stands."""

    settings_type = InLinksSettings
    needs_topic = False
    order = Order.BEST_SCORE
    row_width = 1
    found_again = FoundAgain.FIRST
    seeds_first = True
    parent_rules = ParentRules(smoothing=1.0, is_newest=True)

    def __init__(self, settings: InLinksSettings) -> None:
        self._counts_own = settings.counted == "link"

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.of(InLinksSettings))

    def describe_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:  # noqa: ARG002
        return _as_numbers(parents.count)

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        rows = np.zeros((len(candidates), 1), dtype=np.float16)
        if candidates.context is not None:
            rows[:] = candidates.context.state
        return rows

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        return described if parents.all is None else self.with_parents(described, parents.all)

    def with_parents(self, rows: Rows, parents: ParentStats) -> Rows:
        return _as_numbers(parents.count)[:, None] if self._counts_own else rows

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)


def _as_numbers(counts: NDArray[np.int64]) -> Row:
    return np.minimum(counts, LARGEST_COUNT).astype(np.float16)
