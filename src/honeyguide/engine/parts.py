"""What a core is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from honeyguide.engine.same_pages import SamePages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np

    from honeyguide.domain import Fetched, Page, Url
    from honeyguide.engine.lineage import Lineage
    from honeyguide.engine.link_table import LinkTable
    from honeyguide.engine.scope import Scope
    from honeyguide.frontier import Frontier, HostClocks
    from honeyguide.graph import RefreshedRanks
    from honeyguide.guard import Guard
    from honeyguide.judge import Verdicts
    from honeyguide.learn import Strategy


@dataclass(frozen=True, slots=True)
class Parts:
    """The stages of a crawl, already built, and what they share."""

    links: LinkTable
    clocks: HostClocks
    frontier: Frontier
    strategy: Strategy
    judge: Verdicts
    scope: Scope
    parse: Callable[[Url, Fetched], Page]
    chance: np.random.Generator
    lineage: Lineage | None = None  # where the strategy looks at parents
    ranks: RefreshedRanks | None = None  # where the settings ask for them
    same: SamePages = field(default_factory=SamePages)
    is_live: bool = False  # troubles may pass, and slow hosts are spared
    guard: Guard | None = None  # with one, the frontier has levels
    spare_urls: Mapping[str, Sequence[Url]] = field(default_factory=dict)  # for restarts, by where they come from

    def is_expanded(self, page: Page) -> bool:
        """Whether the links of a page that has just come in may wait."""
        return self.scope.follows_links and self.strategy.expands(page.url) and self.scope.follows(page)
