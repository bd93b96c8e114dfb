"""The parts that a core is made of, and the time that each stage takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Final

from honeyguide.crawler.links import SamePages
from honeyguide.model import WINDOW_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np

    from honeyguide.crawler.links import LinkTable
    from honeyguide.crawler.parents import ParentTable
    from honeyguide.crawler.scope import Scope
    from honeyguide.fetch import HostSchedule
    from honeyguide.frontier import Frontier
    from honeyguide.guard import Guard
    from honeyguide.judge import Verdicts
    from honeyguide.learn import Strategy
    from honeyguide.model import Fetched, Page, Url
    from honeyguide.runs import RefreshedRanks
    from honeyguide.text import TextEncoder

STAGES: Final = ("choose", "fetch", "parse", "judge", "guard", "links", "learn", "store")
"""`fetch` is time spent waiting for answers, `links` that of sorting and scoring the links of pages."""


class StageTimes:
    """Seconds of real time by stage. A lap takes a fifth of a microsecond; a page has about ten."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(STAGES, 0.0)

    def start(self) -> float:
        """A mark for the first lap."""
        return perf_counter()

    def lap(self, stage: str, since: float) -> float:
        """Count the time since a mark for this stage; gives the mark for the next."""
        now = perf_counter()
        self._seconds[stage] += now - since
        return now

    def add(self, stage: str, seconds: float) -> None:
        """Count what another process has spent."""
        self._seconds[stage] += seconds

    def taken(self) -> dict[str, float]:
        """The seconds since the last time that they were taken."""
        taken, self._seconds = self._seconds, dict.fromkeys(STAGES, 0.0)
        return taken


@dataclass(frozen=True, slots=True)
class Parts:
    """The stages of a crawl, already built, and what they share."""

    links: LinkTable
    schedule: HostSchedule
    frontier: Frontier
    strategy: Strategy
    judge: Verdicts
    scope: Scope
    parse: Callable[[Url, Fetched], Page]
    chance: np.random.Generator
    parents: ParentTable | None = None  # where the strategy looks at parents
    ranks: RefreshedRanks | None = None  # where the settings ask for them
    same: SamePages = field(default_factory=SamePages)
    is_live: bool = False  # troubles may pass, and slow hosts are spared
    guard: Guard | None = None  # with one, the frontier has levels
    encoder: TextEncoder | None = None  # of link texts, which processes beside the crawl read for it
    window_words: int = WINDOW_WORDS  # on each side of a link
    is_elsewhere: Callable[[Url], bool] | None = None  # whether another shard has the host, where a run has several
    spare_urls: Mapping[str, Sequence[Url]] = field(default_factory=dict)  # for restarts, by where they come from

    def is_expanded(self, page: Page) -> bool:
        """Whether the links of a page that has just come in may wait."""
        return self.scope.follows_links and self.strategy.expands(page.url) and self.scope.follows(page)
