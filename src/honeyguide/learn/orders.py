"""Strategies that order links without regard to the topic: baselines for focused crawlers, and Lim's (2016) searches.

Breadth-first takes links in the order in which they were found, random any of them with the same chance. Random skip is
breadth-first that skips links at random: the baseline for strategies that skip, at the same share of skips.

Depth-first (Lim 3.1): the links of the newest page first, in reading order, before any older link. One fetch at a time
and without pauses between two requests to a host, pages are fetched in the order in which the recursive algorithm first
visits them:

    visit(page): for each link on it, in reading order: if it was not visited, visit(it)

A link found again while it waits goes on top, as it would there. While a host rests, or is
asked already, the next link down the stack has its turn.

Iterative deepening (Lim 3.3): depth-first to a limit of 0 clicks, then of 1, then of 2, and so on. The textbook
algorithm visits the shallow pages again in every round. Nothing is fetched twice here, so what is left of it is the
order of first visits: all links at one depth, in the order found, before any that is deeper. That order is the one of
breadth-first. What differs is the barrier between two depths: while a shallower link waits, be it for a host that
rests, no deeper one is fetched. The round with the largest limit is `scope.max_depth`.

Modified depth-first (Lim 5.1): of a page whose host was fetched in each of the last `patience` steps before it, no link
is followed. On a world of one host it runs out of links after the first pages. Lim's listing (6.2.2) does something
else than his text: it compares each host with a last host that it never sets, so that the rule cannot apply; were it
set, it would leave out one page in four and push visited links. The text is followed here. A step is a fetch that ended
in a page, a failure or a refusal; a redirect and where it leads are one.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.strategy import FoundAgain, Order, Unlearned
from honeyguide.model import HostKey, Skipped
from honeyguide.settings import setting

if TYPE_CHECKING:
    from typing import Self

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Row, Rows, Transition, Url


class BreadthFirst(Unlearned):
    """The queue: the floor that every focused crawler must beat, and the fairest picture of a site."""

    needs_topic = False
    order = Order.OLDEST


class DepthFirst(Unlearned):
    """The stack: down into the first site, long before the second."""

    needs_topic = False
    order = Order.NEWEST
    found_again = FoundAgain.LATEST


class IterativeDeepening(Unlearned):
    """One depth after the other. A link counts at the smallest depth at which it was found."""

    needs_topic = False
    order = Order.SHALLOWEST
    found_again = FoundAgain.BEST


@dataclass(frozen=True, slots=True)
class ModifiedDepthFirstSettings:
    """Depth-first that turns away from a host."""

    table: ClassVar = "modified_depth_first"

    patience: int = setting(
        3, "steps on one host in a row, after which its pages give no links; 3 is Lim's", at_least=1, at_most=1000
    )


class ModifiedDepthFirst(DepthFirst):
    """The stack, with a page's links left out where its host had all the last steps."""

    settings_type = ModifiedDepthFirstSettings

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.of(ModifiedDepthFirstSettings))

    def __init__(self, settings: ModifiedDepthFirstSettings) -> None:
        self._last_hosts: deque[HostKey] = deque(maxlen=settings.patience)

    def expands(self, url: Url) -> bool:
        has_history = len(self._last_hosts) == self._last_hosts.maxlen
        return not has_history or any(host != url.host for host in self._last_hosts)

    def learn(self, transition: Transition) -> bool:
        self._last_hosts.append(transition.url.host)
        return False

    def save(self) -> bytes:
        return json.dumps(list(self._last_hosts)).encode()

    def load(self, state: bytes) -> None:
        try:
            hosts = json.loads(state)
        except ValueError as error:
            raise StrategyError(f"not a saved state of modified-depth-first: {error}") from error
        if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
            raise StrategyError(f"not a saved state of modified-depth-first: {state[:80]!r}")
        self._last_hosts = deque(map(HostKey, hosts), maxlen=self._last_hosts.maxlen)


class RandomOrder(Unlearned):
    """The other floor: what luck alone finds."""

    needs_topic = False
    order = Order.OLDEST

    def explores(self, chance: np.random.Generator) -> bool:  # noqa: ARG002
        return True


@dataclass(frozen=True, slots=True)
class RandomSkipSettings:
    """Breadth-first that skips at random."""

    table: ClassVar = "random_skip"

    share: float = setting(0.5, "share of links skipped", at_least=0, at_most=1)


class RandomSkip(Unlearned):
    """A queue that leaves out a share of its links, whatever they are. Seeds are always fetched."""

    settings_type = RandomSkipSettings
    needs_topic = False
    order = Order.OLDEST
    row_width = 1

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.of(RandomSkipSettings))

    def __init__(self, settings: RandomSkipSettings) -> None:
        self._share = settings.share

    def describe(self, candidates: Candidates) -> Rows:
        return candidates.is_seed.astype(np.float16)[:, None]

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:  # noqa: ARG002
        is_seed = bool(row[0])
        return Skipped("by chance") if not is_seed and chance.random() < self._share else None
