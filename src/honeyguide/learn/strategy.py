"""The seam: which of the links seen so far is worth a fetch?

`Strategy` is the protocol, `Unlearned` its part that strategies without rows and weights share, and
`Ingredients` the parts that they are made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from honeyguide.errors import StrategyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.dead_ends import DeadEnds
    from honeyguide.learn.learned import LearnedWeights
    from honeyguide.learn.shared_sums import SharedSums
    from honeyguide.learn.site_parts import SiteParts
    from honeyguide.model import (
        Candidates,
        Decision,
        LinkDescriptions,
        Page,
        ParentFacts,
        ParentRules,
        ParentStats,
        Row,
        Rows,
        Skipped,
        Topic,
        Transition,
        Url,
    )
    from honeyguide.settings import MethodSettings, Settings
    from honeyguide.text import WordVectors


class Order(Enum):
    """In which order a strategy wants its links to wait."""

    BEST_SCORE = auto()
    OLDEST = auto()
    NEWEST = auto()  # the links of the newest page first, in reading order: a stack
    SHALLOWEST = auto()  # fewest clicks from a seed, then oldest; deeper links wait until no shallower one does


class FoundAgain(StrEnum):
    """Which sighting counts when a waiting link is found on another page."""

    FIRST = "first"  # the first page it was found on
    BEST = "best"  # the page that gives it the higher score
    MERGE = "merge"  # the mean of its row and the new one
    LATEST = "latest"  # the page it was found on last
    EVERY = "every"  # each page gives it a row of its own; it is worth the best of them


class SavedLearner(NamedTuple):
    """The newest snapshot of a strategy that a run holds."""

    settings: Settings
    state: bytes
    step: int  # after which it was saved


@dataclass(frozen=True, slots=True)
class Ingredients:
    """The parts that a strategy is made of; vectors are loaded when it asks for them."""

    settings: Settings
    topic: Topic
    vectors: Callable[[], WordVectors]
    page_numbers: Callable[[], Callable[[Url], int | None] | None] = lambda: None  # of the world, where it numbers any


class Strategy(Protocol):
    """Scores links and learns from what following them brought. Uses only what the crawler has seen.

    A link is described once. Scoring, exploring and learning see only a row of `row_width` numbers made from that, so a
    strategy that is saved, loaded and told the later decisions and transitions again is in the same state to the last
    bit. What most strategies do not care about has an answer here already.
    """

    settings_type: ClassVar[type[MethodSettings] | None] = None  # the dataclass of its own settings
    needs_topic: ClassVar[bool] = True  # a crawl without a topic is refused
    hands_on: ClassVar[bool] = False  # other crawls may begin with what it has learned: `learned_in` and `begin_with`

    order: Order
    row_width: int
    description_type: np.dtype[Any] | None = None  # of a stored link; None where a link is described by its row
    capacity: int = 0  # links that may wait; the worst beyond that are pruned, and may be found again. 0 sets no limit
    found_again: FoundAgain | None = None  # None leaves it to the settings
    reads_first_occurrence: bool = False  # of a link that stands on its page several times; else the most telling one
    reads_next_rows: bool = False  # `learn` looks at the rows of the links on the new page
    describes_ahead: bool = (
        False  # a description depends on the page that shows the link alone: any process can make it
    )
    draws_rows: bool = False  # a random choice is uniform over the distinct rows that wait, not over links
    seeds_first: bool = False  # a seed on a ready host comes before any other link, whatever the scores
    columns: tuple[str, ...] = ()  # where there are weights: what each number of a row says, for people
    reads_ranks: bool = False  # rows change with PageRank, told with the parents; for rules that are newest
    dead_ends: DeadEnds | None = None  # where it learns which links are answered, and scores count as far as they are
    site_parts: SiteParts | None = None  # beside dead ends: what a link's part of its site adds to its score
    parent_rules: ParentRules | None = None  # where it looks at the parents of pages and links: how they are counted

    @classmethod
    def build(cls, given: Ingredients) -> Self:  # noqa: ARG003
        """Make one by the settings."""
        return cls()

    @classmethod
    def learned_in(cls, saved: SavedLearner) -> LearnedWeights:
        """What another crawl may begin with, for one that `hands_on`. StrategyError where a state holds none."""
        raise StrategyError(f"{saved.settings.crawl.strategy} hands nothing on")

    def begin_with(self, earlier: Sequence[LearnedWeights]) -> None:
        """Begin with what other runs have learned, before anything else. StrategyError where that does not fit."""
        raise StrategyError(f"this strategy begins with nothing of {len(earlier)} others")

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Where a score is the weighted sum of its row, the weights; None where it is anything else."""
        return None

    @property
    def told_weights(self) -> NDArray[np.float64] | None:
        """The weights to show people what pays, one a column; those of a part of the score where that has more."""
        return self.weights

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        """All the strategy will know of each link, to be stored. It does not depend on the others in the batch.

        Most strategies describe a link by its row. Others keep what does not depend on topic and judge; see `rows`.
        """
        ...

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:  # noqa: ARG002
        """Rows from descriptions and the pages that show the links; the same whenever they are made."""
        return described

    def with_parents(self, rows: Rows, parents: ParentStats) -> Rows:  # noqa: ARG002
        """Rows of links that more pages show by now; the same as `rows` would make with these parents."""
        return rows

    def describe_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:  # noqa: ARG002
        """A page in numbers, for `Candidates.context`; asked of strategies that have `parent_rules`."""
        return np.empty(0, dtype=np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Return the worth of each link; higher is sooner. Equal rows have bit-equal scores in any batch."""
        ...

    def explores(self, chance: np.random.Generator) -> bool:  # noqa: ARG002
        """Whether the next link is to be drawn at random."""
        return False

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:  # noqa: ARG002
        """Asked when a link's turn has come: a reason not to fetch it, or None. Changes nothing."""
        return None

    def notice(self, decision: Decision) -> None:  # noqa: ARG002
        """Told of every link whose turn came, fetched or skipped, before the next one is asked about."""
        return None  # noqa: RET501 - without it, the method counts as one that every strategy must write

    def expands(self, url: Url) -> bool:  # noqa: ARG002
        """Asked when a page has come in, before it is learned from: whether its links may wait. Changes nothing."""
        return True

    def learn(self, transition: Transition) -> bool:
        """Take in what following a link brought. True when waiting links now have other scores.

        Of redirects only a strategy with `dead_ends` is told.
        """
        ...

    def relearn(self, transitions: Iterable[Transition]) -> bool:  # noqa: ARG002
        """Forget everything, and take in all transitions so far in order, because pages were judged again.

        `next_rows` are missing. False where it cannot do that, and goes on as it is. Where it can, its state depends
        on the transitions alone, and it is asked to score every waiting link anew.
        """
        return False

    def begin_sharing(self) -> bool:
        """The crawl has several shards, each with a strategy like this one. Called before anything is learned.

        False where it learns, and cannot tell the others what.
        """
        return False

    def share(self) -> SharedSums | None:
        """What this strategy itself has learned, to be added up with what others have; None where it shares nothing."""
        return None

    def take_shared(self, others: SharedSums) -> None:
        """From now on know what all others together have learned, in place of what was told of them before."""
        raise StrategyError(f"this strategy takes nothing of others ({', '.join(others.sums)})")

    def save(self) -> bytes:
        """The state, to be loaded by a strategy made with the same settings."""
        ...

    def load(self, state: bytes) -> None:
        """Go back to a saved state; StrategyError if it is not one."""
        ...


class Unlearned(Strategy):
    """A strategy's part in a crawl when it neither describes nor learns."""

    row_width = 0

    def describe(self, candidates: Candidates) -> Rows:
        return np.empty((len(candidates), 0), dtype=np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return np.zeros(len(rows))

    def learn(self, transition: Transition) -> bool:  # noqa: ARG002
        return False

    def relearn(self, transitions: Iterable[Transition]) -> bool:  # noqa: ARG002
        return True

    def begin_sharing(self) -> bool:
        return True

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        """There is nothing to go back to."""
