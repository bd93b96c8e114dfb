"""The seam between a crawl and its guard: the pages that a guard is shown, and what it says of pages and links."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from honeyguide.guard.fingerprint import Fingerprint
    from honeyguide.model import HostKey, LinkId, Url

MAX_LEVEL: Final = 7
"""The deepest level at which a link may wait. Links of which nothing bad is known wait at level 0."""

DEEPEST: Final = MAX_LEVEL - 1
"""The deepest level that one rule gives a link; below it two rules agree."""

FIRM_LEVEL: Final = 3
"""From this level on a rule has decided against a link; levels 1 and 2 are doubts that cost it its turn only."""


class FindingKind(StrEnum):
    """The loop, trap or kind of copy that a page belongs to."""

    DUPLICATE = "duplicate"  # the very text of a recent page
    NEAR_DUPLICATE = "near-duplicate"  # nearly the text of a recent page
    LOOP = "loop"  # the last of several copies in a row, each found on the one before
    VARIANT = "variant"  # another address of a fetched page, by a rule learned on the host
    SESSION_ID = "session-id"  # the same, where the addresses differ in the id of a visit
    MIRROR = "mirror"  # the same on another host
    CALENDAR = "calendar"  # dates that run on for ever
    PAGINATION = "pagination"  # numbered pages that run on and bring nothing
    FACETS = "facets"  # the same items under ever new combinations of parameters
    REPEATING_PATH = "repeating-path"  # a path in which one part stands again and again
    GROWING_QUERY = "growing-query"  # a query that is longer on every page
    SOFT_404 = "soft-404"  # one answer to addresses that have nothing in common
    MAZE = "maze"  # a site that has spent its budget on pages that nobody else refers to


class Cause(StrEnum):
    """The rule by which a link waits at its level."""

    COPIES = "copies"  # it was found on copies and soft 404s only
    VARIANT = "variant"  # its page was fetched under another address
    REPEATING_PATH = "repeating-path"
    SERIES = "series"  # it belongs to a series that brings nothing new
    REPETITIVE = "repetitive"  # it belongs to a series of which half of the pages are copies
    OVER_BUDGET = "over-budget"  # its site has spent its budget
    RECOVERED = "recovered"  # nothing is said against it any more


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page that came in, as the guard sees it."""

    link: LinkId
    url: Url
    parent: LinkId | None  # the page it was first found on; None for a seed
    moment: float  # seconds, by the clock of the crawl; never falls from page to page
    fingerprint: Fingerprint
    is_relevant: bool


class Target(NamedTuple):
    """A link on such a page."""

    link: LinkId
    url: Url
    is_new: bool  # no page has shown it before


@dataclass(frozen=True, slots=True)
class Finding:
    """The trap or copy that a page was found to be, with the numbers that decided. `runs.traps` words it."""

    kind: FindingKind
    about: str  # the host, section, site or shape of address that it is about
    rule: str = ""  # the part of the address that does not matter, where a rule of folding decided
    like: LinkId | None = None  # the earlier page that it repeats
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LateFinding:
    """A finding on a page that came before and had none."""

    link: LinkId
    finding: Finding
    demotion: int = 0  # for the links that were first met on it


@dataclass(frozen=True, slots=True)
class Judgement:
    """The guard's answer to a page."""

    finding: Finding | None = None
    demotion: int = 0  # for every link of the page, 0 to MAX_LEVEL
    raised: tuple[HostKey, ...] = ()  # hosts whose waiting links may have a better level now
    earlier: tuple[LateFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a link waits behind others, or no longer."""

    cause: Cause
    about: str = ""  # the site, series or rule that the cause speaks of
    kind: FindingKind | None = None  # of the findings that it goes with


@dataclass(frozen=True, slots=True)
class LinkLevel:
    """The level at which a link waits, and why; level 0 needs no reason."""

    level: int = 0
    reason: Reason | None = None


class Guard(Protocol):
    """Remembers what the crawl has seen, in bounded memory, and says which links wait behind others.

    The same pages in the same order give the same answers. A guard that is saved, loaded into one made with the same
    settings and shown the later pages answers as if it had seen them all.
    """

    def observe(self, page: SeenPage, targets: Sequence[Target]) -> Judgement:
        """Take in a page and its links. Called once for every page, in the order of steps."""
        ...

    def hear(self, page: Url, targets: Sequence[Target]) -> Sequence[HostKey]:
        """Take in links on a page that another guard has observed, those alone that are for this one.

        Gives the hosts whose waiting links may have a better level now.
        """
        ...

    def remember(self, pages: Sequence[tuple[Url, Fingerprint]], moment: float) -> None:
        """Know pages that another guard has observed, so that copies of them are found here, too."""
        ...

    def level(self, url: Url, carried: int) -> LinkLevel:
        """Return the level at which a link to `url` waits now. Changes nothing.

        `carried` is the least demotion among the pages that show the link: found on one clean page, it is clean.
        """
        ...

    def is_shown_twice(self, link: LinkId) -> bool:
        """Whether a second page has shown the link lately, as far as the guard remembers."""
        ...

    def save(self) -> bytes:
        """Return the state, to be loaded by a guard made with the same settings."""
        ...

    def load(self, state: bytes) -> None:
        """Go back to a saved state; GuardError if it is not one."""
        ...
