"""The seam: where links wait, and which of them comes out next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

from honeyguide.model import HostId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import LinkId, Row, Rows


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


def worth_of_one(score: float, chance: float) -> float:
    """As `worth_of`, of one link; the same to the last bit, in a tenth of the time."""
    return score * (chance if score > 0 else 2.0 - chance)


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
    bonus: float = 0.0  # what its part of the site adds to its score, where that is known
    better: int | None = None  # links that were worth more and had to wait, or were passed over; None: nobody counted

    @property
    def worth(self) -> float:
        """What decides its turn."""
        return worth_of_one(self.score + self.bonus, self.chance)


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

    def asked_at(self, count: int) -> NDArray[np.float64]:
        """Return when the first `count` hosts were asked last; not to be kept."""
        ...


class Chances(Protocol):
    """Says how probable it is that a link is answered, and what its part of the site adds to its score."""

    sign_count: int
    signs_of_chances: int  # how many of the signs decide chances: the first ones; the others decide bonuses

    @property
    def changed(self) -> NDArray[np.int32] | None:
        """Signs by column, -1 for none: links with one of them have other chances or bonuses by now. None: all."""
        ...

    def signs(self, links: Sequence[LinkId]) -> NDArray[np.uint16]:
        """Return what is to be kept of each link for this, `sign_count` numbers; they never change."""
        ...

    def chances(self, signs: NDArray[np.uint16], rows: Rows) -> NDArray[np.float64]:
        """Return one probability a link, above 0 and at most 1."""
        ...

    def bonuses(self, signs: NDArray[np.uint16]) -> NDArray[np.float64]:
        """Return what is to be added to the score of each link."""
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

    def better_soon(self, now: float, haste: Haste) -> NotBefore | None:
        """Return until when waiting beats the best link on a host that is ready; None where it does not.

        Nothing is taken.
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


@dataclass(frozen=True, slots=True)
class Ready:
    """What can be asked for at once: the worth of the best link on a ready host, and how many such hosts have links."""

    worth: float
    hosts: int


@dataclass(frozen=True, slots=True)
class Haste:
    """How much time counts against fetches, from 0, not at all, to below 1.

    A fetch costs 1 - hurry. One that is waited for costs hurry more for each fetch that the ready hosts could make
    meanwhile. A link is waited for where it is worth more for its price than the best that is ready.
    """

    hurry: float
    turn_s: float  # that a fetch takes a host, its pause included
    ready_elsewhere: int = 0  # hosts of other shards

    def price_of(self, wait_s: NDArray[np.float64], ready_hosts: int) -> NDArray[np.float64]:
        """Return what a link costs that is waited for so long, where one that is ready costs 1."""
        turns = (ready_hosts + self.ready_elsewhere) * wait_s / self.turn_s
        return 1.0 + self.hurry / (1.0 - self.hurry) * turns

    def worth_a_wait(self, ready: Ready, wait_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return above which worth a link is waited for so long; always above 0."""
        return max(ready.worth, 0.0) * self.price_of(wait_s, ready.hosts)


class Resting(NamedTuple):
    """A link that is waited for, by whoever has its host."""

    worth: float
    moment: float  # when its host is ready


class Standing(NamedTuple):
    """What can be asked for at once, and what is the most to wait for."""

    ready: Ready  # worth minus infinity where nothing is
    resting: tuple[Resting, ...]


def soonest(
    worth: NDArray[np.float64],
    hosts: NDArray[np.int32],
    readiness: HostReadiness,
    now: float,
    ready: Ready,
    haste: Haste,
) -> NotBefore | None:
    """Return until when to wait for the first of the links that are worth it, one or more on each of the hosts.

    A host that is being asked is thought to take as long again as it has taken so far, and at least a turn.
    """
    wait_s = waits_of(hosts, readiness, now, haste)
    is_soon = (wait_s > 0) & (wait_s < LONGEST_WAIT_S)
    places = np.flatnonzero(is_soon & (worth > haste.worth_a_wait(ready, np.where(is_soon, wait_s, 0.0))))
    if not len(places):
        return None
    place = places[np.lexsort((hosts[places], wait_s[places]))[0]]
    return NotBefore(now + float(wait_s[place]), host=HostId(int(hosts[place])))


def waits_of(hosts: NDArray[np.int32], readiness: HostReadiness, now: float, haste: Haste) -> NDArray[np.float64]:
    """Return in how many seconds each of these hosts will be ready, as far as one can tell."""
    count = int(hosts.max(initial=0)) + 1
    wait_s = readiness.ready_at(count)[hosts] - now
    return np.where(wait_s == np.inf, np.maximum(now - readiness.asked_at(count)[hosts], haste.turn_s), wait_s)


def check_scores(links: Sequence[LinkId] | NDArray[np.signedinteger], scores: NDArray[np.float64]) -> None:
    """Raise ValueError for a score that is not a number."""
    if np.isnan(scores).any():
        raise ValueError(f"score of link {links[int(np.argmax(np.isnan(scores)))]} is not a number")
