"""The seam: where links wait, and which of them comes out next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import HostId, LinkId, Row, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Arrivals:
    """Links that start to wait, in order of discovery; one row each in every column."""

    links: Sequence[LinkId]
    hosts: Sequence[HostId]
    scores: NDArray[np.float64]
    rows: Rows  # what the strategy knows of each, kept for scoring it again; may have no columns
    levels: NDArray[np.uint8] | None = None  # how far behind the others each is to wait, where that is told; None: 0


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The rows of one link that may have several, in the order in which it got them, and the score of each."""

    rows: Rows
    scores: NDArray[np.float64]


def worth_of(score: NDArray[np.float64], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what links are worth: a score counts as far as an answer is likely, below 0 the more the less it is.

    Between two links that promise nothing, the one that is answered has to come first, too: only answers teach.
    """
    return score * np.where(score > 0, chance, 2.0 - chance)


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A link that has left the frontier to be fetched."""

    link: LinkId
    host: HostId
    score: float  # at this moment
    row: Row
    score_lost_waiting: float = 0.0  # by how much a better link scores that had to wait, its host not being ready
    pairs: Pairs | None = None  # everything it waited with, where a link may have several rows
    level: int = 0  # at which it waited
    chance: float = 1.0  # of an answer, where that is known

    @property
    def worth(self) -> float:
        """What decides its turn."""
        return float(worth_of(np.array(self.score), np.array(self.chance)))


@dataclass(frozen=True, slots=True)
class NotBefore:
    """Links wait, but all on hosts that may not be asked before `moment`; infinite while all of them are busy."""

    moment: float
    is_awaited: bool = field(default=False, compare=False)  # whether one of these hosts is being asked just now
    host: HostId | None = field(default=None, compare=False)  # others are ready, and this one is worth waiting for


class HostReadiness(Protocol):
    """Says when hosts may be asked."""

    def are_all_ready(self, now: float) -> bool:
        """True only if no host has to wait; a quick answer for the common case."""
        ...

    def ready_at(self, count: int) -> NDArray[np.float64]:
        """Return the ready times of the first `count` hosts, infinite while one is being asked; not to be kept."""
        ...


class Chances(Protocol):
    """Says how probable it is that a link is answered."""

    sign_count: int

    @property
    def changed(self) -> NDArray[np.int32] | None:
        """Signs by column, -1 for none: links with one of them have other chances since the last step. None: all."""
        ...

    def signs(self, links: Sequence[LinkId]) -> NDArray[np.int32]:
        """Return what is to be kept of each link for this, `sign_count` numbers; they never change."""
        ...

    def chances(self, signs: NDArray[np.int32], rows: Rows) -> NDArray[np.float64]:
        """Return one probability a link, above 0 and at most 1."""
        ...


class Scorer(Protocol):
    """Scores rows; equal rows get bit-equal scores whatever the batch they are in."""

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Return the weights, where a score is the weighted sum of its row; None where it is anything else."""
        ...

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """Return one score a row."""
        ...


class Frontier(Protocol):
    """Waiting links under one order.

    A link comes out at most once for each time it was pushed, only while its host is ready, lowest number first among
    equals. Links are numbered in order of discovery, and arrive in that order, unless they were given back before.
    """

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        """Let links wait. None of them may be waiting already. Gives back the links for which there is no room now."""
        ...

    def would_keep(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which links would find room, were links of these scores pushed together now."""
        ...

    def take(self, now: float) -> Taken | NotBefore | None:
        """Return the best link on a host that is ready at `now`; if there is none, when to ask again; None if empty.

        What is taken tells how much better the best link of all is, where its host is not ready.
        """
        ...

    def better_soon(self, now: float, hurry: float) -> NotBefore | None:
        """Return until when waiting beats the best link on a host that is ready; None where it does not.

        `hurry` is as in `better_than`. Nothing is taken.
        """
        ...

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        """As `take`, but each link on a ready host is equally likely."""
        ...

    def withdraw(self, link: LinkId) -> Taken:
        """Take this very link, whatever its rank: for callers that choose themselves. KeyError if not waiting."""
        ...

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        """Change scores and rows of waiting links; their turns among equals stay."""
        ...

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        """Change the scores of some waiting links at once."""
        ...

    def reprice(self, scorer: Scorer) -> None:
        """From now on every waiting link has the score that `scorer` gives its row."""
        ...

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        """Current scores and rows of waiting links."""
        ...

    def __contains__(self, link: LinkId) -> bool:
        """Whether the link waits."""
        ...

    def __len__(self) -> int:
        """Return how many links wait."""
        ...


def earliest(ready_at: NDArray[np.float64]) -> NotBefore:
    """Say when the first of some hosts, none of which is ready, will be."""
    return NotBefore(float(ready_at.min()), is_awaited=bool(ready_at.max() == np.inf))


LONGEST_WAIT_S: Final = 60.0
"""A host that rests for longer is not waited for while others are ready."""


def better_than(
    ready: float,
    worth: NDArray[np.float64],
    hosts: NDArray[np.int32],
    rest_s: NDArray[np.float64],
    hurry: float,
) -> int | None:
    """Return the place of the link to wait for, the soonest that beats one of worth `ready`; None for none.

    A link counts 1 - hurry times what it is worth, if its host rests for less than LONGEST_WAIT_S or is being asked.
    What is worth nothing is not waited for.
    """
    is_soon = (rest_s > 0) & ((rest_s < LONGEST_WAIT_S) | np.isinf(rest_s))
    with np.errstate(invalid="ignore"):  # a score may be infinite
        is_better = is_soon & ((1.0 - hurry) * worth > max(ready, 0.0))
    if not is_better.any():
        return None
    places = np.flatnonzero(is_better)
    return int(places[np.lexsort((hosts[places], rest_s[places]))[0]])


def check_scores(links: Sequence[LinkId] | NDArray[np.signedinteger], scores: NDArray[np.float64]) -> None:
    """Raise ValueError for a score that is not a number."""
    if np.isnan(scores).any():
        raise ValueError(f"score of link {links[int(np.argmax(np.isnan(scores)))]} is not a number")
