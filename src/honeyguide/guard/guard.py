"""The seam: does the crawl walk in circles, and which waiting links should pay for it?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.guard.fingerprint import Fingerprint
    from honeyguide.model import HostKey, LinkId, Url

MAX_LEVEL: Final = 7
"""The deepest level at which a link may wait. Level 0 is that of a link of which nothing bad is known."""


FIRM_LEVEL: Final = 3
"""From here on something was found out about a link; above, there is a doubt that costs it its turn and no more."""


class FindingKind(StrEnum):
    """What a page was found to be part of."""

    DUPLICATE = "duplicate"  # the very text of a page seen recently
    NEAR_DUPLICATE = "near-duplicate"  # nearly the text of a page seen recently
    LOOP = "loop"  # a chain of pages, each found on the one before, that stay alike
    VARIANT = "variant"  # another address of a page, by a rule learned of the host
    SESSION_ID = "session-id"  # the same, where the addresses differ in an id that names the visit
    MIRROR = "mirror"  # the same on another host
    CALENDAR = "calendar"  # dates that run on for ever
    PAGINATION = "pagination"  # numbered pages that run on and bring nothing
    FACETS = "facets"  # the same items under ever new combinations of parameters
    REPEATING_PATH = "repeating-path"  # a path that says the same again and again
    GROWING_QUERY = "growing-query"  # a query that is longer on every page
    SOFT_404 = "soft-404"  # one answer to addresses that have nothing in common
    MAZE = "maze"  # a space of addresses that grows with every page and that nobody else refers to


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page that came in, as the guard sees it."""

    step: int
    link: LinkId
    url: Url
    parent: LinkId | None  # the page it was first found on; None for a seed
    moment: float  # seconds, by the clock of the crawl; never falls from page to page
    fingerprint: Fingerprint
    reward: float
    is_relevant: bool
    is_seed: bool
    importance: float = 0.0  # its PageRank where ranks are kept: 1 is an average page


@dataclass(frozen=True, slots=True)
class Target:
    """A link on such a page."""

    link: LinkId
    url: Url
    is_new: bool  # met first on this page
    importance: float = 0.0  # its PageRank where ranks are kept: 1 is an average page


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found out, for a person to read."""

    kind: FindingKind
    about: str  # the host, shape of address, group of hosts or chain of pages that it is about
    evidence: str  # one line, with the numbers that decided
    like: LinkId | None = None  # an earlier page that it is compared with and whose address the evidence does not have

    def told(self, url_of: Callable[[LinkId], Url]) -> str:
        """The evidence with the address of the page that it speaks of."""
        return self.evidence if self.like is None else f"{self.evidence}; the earlier page is {url_of(self.like).text}"


class Late(NamedTuple):
    """A page that came before, had no finding, and has one now."""

    link: LinkId
    finding: Finding
    demotion: int = 0  # for the links that were first met on it


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the guard makes of a page."""

    finding: Finding | None = None
    demotion: int = 0  # for every link of the page, 0 to MAX_LEVEL
    reconsider: tuple[HostKey, ...] = ()  # hosts whose waiting links may stand better now
    earlier: tuple[Late, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """How a link waits: 0 as if there were no guard, deeper behind everything above."""

    level: int = 0  # 0 to MAX_LEVEL
    reason: str = ""  # the rule and what it goes by, in a few words; empty at level 0


class Guard(Protocol):
    """Remembers what the crawl has seen, in bounded memory, and says which links wait behind the others.

    A fold: the same pages in the same order give the same answers. One that is saved, loaded into a guard made with
    the same settings and shown the later pages gives the answers of one that saw them all.
    """

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        """Take in a page and its links. Called once for every page, in the order of steps."""
        ...

    def level(self, url: Url, carried: int) -> Standing:
        """How a link to `url` waits now. Changes nothing.

        `carried` is the least demotion among the pages that show the link: found on one clean page, it is clean.
        """
        ...

    def save(self) -> bytes:
        """The state, to be loaded by a guard made with the same settings."""
        ...

    def load(self, state: bytes) -> None:
        """Go back to a saved state; GuardError if it is not one."""
        ...
