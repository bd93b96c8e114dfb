"""The seam: where a crawl keeps what it found, so that it can be killed at any moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.model import HostRest, KnownPage, LinkId, LinkState, Row, Sighting, Url
    from honeyguide.runs.records import DispatchRecord, PairRecord, Progress, StepRecord


@dataclass(frozen=True, slots=True, eq=False)
class StoredLink:
    """A link as a resumed crawl needs it."""

    link: LinkId
    url: Url
    state: LinkState
    hops: int
    score: float
    sighting: Sighting
    row: Row | None
    found_on: LinkId | None = None  # the page on which it was met first; None for a seed
    level: int = 0  # while it waits
    carried: int = 0
    shown_again: int | None = None  # the least demotion among the pages that showed it after the first


@dataclass(frozen=True, slots=True)
class StoredPrint:
    """A page as the guard saw it; see `PrintRecord`."""

    step: int
    link: LinkId
    found_on: LinkId | None
    moment: float
    met: int
    is_same: bool
    print: bytes


@dataclass(frozen=True, slots=True)
class StoredTransition:
    """A step that a strategy learned from. `body` and `content_type` are those of its page, if it brought one."""

    step: int
    link: LinkId
    reward: float
    is_relevant: bool
    depth: int
    distance: int
    relevance: float
    content_type: str
    body: bytes | None
    row: Row | None  # by which its link was chosen, where it was kept
    robots_tag: str = ""


@dataclass(frozen=True, slots=True)
class StoredVisit:
    """What a step says of the link graph: a page and the links on it, or where a redirect led."""

    step: int
    link: LinkId
    relevance: float
    is_relevant: bool
    targets: tuple[LinkId, ...]
    is_redirect: bool


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """A link whose turn had come."""

    number: int  # in the order of decisions
    link: LinkId
    after_steps: int
    is_skipped: bool
    row: Row | None = None  # by which it was chosen, where that was kept


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """A fetch that brought trouble, after which its link waited again."""

    link: LinkId
    after_steps: int
    step: int


@dataclass(frozen=True, slots=True)
class LearnerSnapshot:
    """The state of strategy and judge, and what had happened by then."""

    step: int
    decisions: int
    state: bytes


class Store(Protocol):
    """A run on disk. A step is in whole or not at all, also when the process is killed while writing it."""

    def record(self, step: StepRecord) -> None:
        """Write one step and return when a killed process would no longer lose it. DiskFull when there is no room."""
        ...

    def progress(self) -> Progress | None:
        """Where the crawl stood after the last whole step; None before the first."""
        ...

    def learner_snapshot(self) -> LearnerSnapshot | None:
        """The newest snapshot of the learner."""
        ...

    def links(self) -> Iterator[StoredLink]:
        """Every URL met, in order of discovery."""
        ...

    def transitions_after(self, step: int) -> Iterator[StoredTransition]:
        """What was learned after a step, in order."""
        ...

    def visits(self) -> Iterator[StoredVisit]:
        """Every page and every redirect, in the order of steps."""
        ...

    def pairs(self) -> Iterator[PairRecord]:
        """The rows that links have got, in order; of links that have left, too."""
        ...

    def in_flight(self) -> list[DispatchRecord]:
        """Fetches begun and not ended, in order of dispatch."""
        ...

    def host_rests(self) -> list[HostRest]:
        """When each host that was asked may be asked again."""
        ...

    def attempts_in_vain(self) -> list[StoredAttempt]:
        """Fetches after which their links waited again, in order."""
        ...

    def decisions_from(self, number: int) -> Iterator[StoredDecision]:
        """Links that were fetched, are in flight or were skipped, in the order of decisions, from this one on."""
        ...

    def known(self) -> Iterator[KnownPage]:
        """The pages of an earlier run that this one looks at again, in the order in which it wants to."""
        ...

    def fetches(self) -> Iterator[tuple[int, Url]]:
        """Every fetch that ended and was not unknown: its step and its URL, in order."""
        ...

    def identities(self) -> Iterator[tuple[LinkId, tuple[int, Url | None]]]:
        """What the pages are known by: a hash of the text, and the other address it calls its own, as they came."""
        ...

    def prints_after(self, step: int) -> Iterator[StoredPrint]:
        """Pages as the guard saw them after a step, in order."""
        ...

    def last_moment(self) -> float | None:
        """When the guard saw its last page."""
        ...

    def drops(self) -> Iterator[tuple[LinkId, int]]:
        """Links that the guard threw away, each with the number of steps that had ended."""
        ...

    def size_bytes(self) -> int:
        """Room taken on disk."""
        ...

    def close(self) -> None:
        """Release the folder; may be called twice."""
        ...
