"""Plain values that the core makes and a store writes, one `StepRecord` a step, and those that a resume reads back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypedDict

import numpy as np

from honeyguide.errors import StrategyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Answer, HostRest, KnownPage, LinkId, LinkState, Page, ParentFacts, Row, Url, Verdict
    from honeyguide.runs.parcels import DeliveryRecord, HandedDown, Parcel


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A URL met for the first time, or met again in a way that counts more."""

    link: LinkId
    url: Url
    page: LinkId | None  # the page it stands on; None for a seed
    anchor: str
    description: bytes  # what the strategy keeps of it
    score: float
    row: Row | None = None  # only where several pages have made it
    hops: int = 0  # redirects on the way here, where another shard has followed them


@dataclass(frozen=True, slots=True)
class RedirectedLink:
    """A URL that another one leads to: it takes over the other's description, being the same link."""

    source: LinkId
    target: LinkId
    url: Url
    is_new: bool
    hops: int
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class PairRecord:
    """A row that a link has got from one more page, and the score of every link with that row."""

    link: LinkId
    score: float
    row: Row


@dataclass(frozen=True, slots=True, eq=False)
class DispatchRecord:
    """A link chosen to be fetched."""

    link: LinkId
    number: int  # dispatches are counted from 0
    after_steps: int  # fetches that had ended by then
    chosen_at: float
    score: float
    explored: bool  # drawn at random, not for its score
    decision: int  # decisions to fetch or to skip are counted from 0
    row: Row  # by which it was chosen
    waiting: int = 0  # links that waited beside it
    score_lost: float = 0.0  # by how much a better link scored that had to wait, its host not being ready
    weights: NDArray[np.float64] | None = None  # of the strategy at that time, where it adds up any
    chance: float = 1.0  # of an answer, where the strategy learns that
    bonus: float = 0.0  # that its part of the site adds to its score, where the strategy learns that
    better: int | None = None  # links that were worth more; None where nobody counted


@dataclass(frozen=True, slots=True)
class SkipRecord:
    """A link whose turn had come and that was not fetched."""

    link: LinkId
    after_steps: int
    reason: str
    decision: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class VisitRecord:
    """The page a fetch brought."""

    page: Page
    verdict: Verdict
    depth: int
    distance: int
    targets: tuple[LinkId, ...]  # every link on it, each once
    not_kept: str = ""  # the rule of its publisher by which nothing of its text is kept for good; empty for none
    identity: tuple[int, Url | None] | None = None  # a hash of its text, and the other address that it calls its own
    packed_body: bytes | None = None  # where it is packed already
    description: bytes | None = None  # by which it can be judged again


@dataclass(frozen=True, slots=True, eq=False)
class CompletionRecord:
    """A fetch that ended."""

    dispatch: DispatchRecord
    answer: Answer
    finished_at: float
    reward: float | None  # None where nothing was learned from it
    visit: VisitRecord | None
    redirect_target: LinkId | None = None
    is_final: bool = True  # False where the link waits again


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An input of strategy, judge or guard, kept until their next snapshot; `crawler.learner` writes and reads it."""

    kind: str  # fetch, skip, judge, learn, see, hear or news
    link: LinkId
    row: bytes = b""
    facts: str = ""
    next_rows: bytes | None = None


@dataclass(frozen=True, slots=True)
class PrintRecord:
    """A page as the guard saw it."""

    link: LinkId
    moment: float
    print: bytes  # the fingerprint, packed


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """A page that the guard found to be part of a loop or a trap, or a copy."""

    link: LinkId
    kind: str
    about: str
    rule: str  # of folding, that decided; "" for any other
    like: LinkId | None  # the earlier page that it repeats
    numbers: str  # that decided, by name, as a JSON object
    demotion: int  # that its links carry


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """Waiting links of a host that the guard moved for one reason."""

    host: str
    cause: str
    about: str
    kind: str  # of the findings that it goes with; "" where there is none
    after_steps: int
    lowered: int = 0
    raised: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class GuardRecord:
    """The page that the guard saw, its findings, and the links that it moved since the step before."""

    seen: PrintRecord | None = None
    findings: tuple[FindingRecord, ...] = ()
    level_by_link: dict[LinkId, int] = field(default_factory=dict)  # of links whose level has changed
    carried_by_link: dict[LinkId, int] = field(default_factory=dict)
    moves: tuple[MoveRecord, ...] = ()
    dropped: tuple[LinkId, ...] = ()  # links thrown away, as the guard was asked to


@dataclass(frozen=True, slots=True, eq=False)
class RestartRecord:
    """The crawl began anew elsewhere: these links go first."""

    number: int  # from 1
    after_steps: int
    moment: float
    reason: str
    source: str
    links: tuple[LinkId, ...]
    new_links: tuple[FoundLink, ...] = ()
    again: tuple[FoundLink, ...] = ()  # pruned before, and waiting now
    pruned: tuple[LinkId, ...] = ()  # links that had to make room
    pairs: tuple[PairRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer about a page, as the run keeps it."""

    number: int  # from 1, in the order in which they were taken in
    moment: float  # on the crawl's clock
    step: int  # fetches that had ended by then
    url: Url  # as it was named
    link: LinkId | None  # the page; None as long as it has not come
    answer: str  # yes, no, skip or undo
    by: str  # person, model, labels, file or hook
    name: str  # of that person, model or file
    message: str = ""  # the file in the inbox that held it; its name begins with the time
    description: bytes = b""  # of the page, where it was taken over from another run
    undone_at: int | None = None  # step after which it was taken back; an undo never stands

    @property
    def is_reply(self) -> bool:
        """Whether it stands and was given in this run. One taken over is there before the first step."""
        return self.undone_at is None and (self.step > 0 or bool(self.message))

    @property
    def given_at(self) -> float | None:
        """When it was given, in Unix time; None where nobody knows, as of one taken over or from a callback."""
        return moment_named(self.message)


@dataclass(frozen=True, slots=True)
class JudgementChange:
    """A page that answers have changed the judgement of."""

    url: str
    title: str
    before: float  # relevance
    after: float
    was_relevant: bool
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class LinkMove:
    """A waiting link that comes sooner than before."""

    url: str
    place: int  # from 1
    place_before: int


@dataclass(frozen=True, slots=True)
class AnswerEffect:
    """Changes that answers have made which were taken in together."""

    answers: int
    step: int  # fetches that had ended by then
    pages: int
    relevant_before: int
    relevant: int
    changed: int = 0  # pages that have become relevant, or are no more
    judgements: tuple[JudgementChange, ...] = ()  # the largest changes first
    moved_up: tuple[LinkMove, ...] = ()  # the best waiting links, where they were not as good before


_LATEST: Final = 253_402_300_800.0  # the year 10,000


def moment_named(message: str) -> float | None:
    """Return the Unix time with which the name of a message begins."""
    microseconds = message.partition("-")[0]
    moment = int(microseconds) / 1e6 if microseconds.isdecimal() else None
    return moment if moment is not None and moment < _LATEST else None  # anyone may have named it


@dataclass(frozen=True, slots=True, eq=False)
class JudgedAgain:
    """Pages whose judgement has changed, one place each in every column."""

    links: NDArray[np.int64]
    relevance: NDArray[np.float64]
    is_relevant: NDArray[np.bool_]
    distance: NDArray[np.int64]

    def rows(self) -> Iterator[tuple[float, int, int, int]]:
        """Yield relevance, whether relevant, distance and link, as a database takes them."""
        columns = self.relevance, self.is_relevant.astype(np.int64), self.distance, self.links
        return zip(*(column.tolist() for column in columns), strict=True)

    def lay_over(self, pages: NDArray[np.int64], parents: ParentFacts) -> ParentFacts:
        """Return facts about these pages, as parents of links, as they are with the changes."""
        if not len(self.links):
            return parents
        order = np.argsort(self.links)
        places = order[np.minimum(np.searchsorted(self.links, pages, sorter=order), len(order) - 1)]
        is_changed = self.links[places] == pages
        return replace(
            parents,
            relevance=np.where(is_changed, self.relevance[places], parents.relevance),
            distance=np.where(is_changed, self.distance[places], parents.distance),
        )


class Progress(NamedTuple):
    """Where the crawl stands after a step: everything small that a resume needs.

    Changed a dozen times a page: `_replace` of a tuple takes a sixth of what replacing a dataclass of this size does.
    """

    steps: int = 0  # fetches that have ended
    dispatches: int = 0  # fetches begun
    unchanged: int = 0  # pages of an earlier run whose hosts said that they are the same
    unknown: int = 0  # steps whose answer the world could not tell; they cost nothing
    now: float = 0.0
    spent_seconds: float = 0.0
    body_bytes: int = 0
    relevant: int = 0
    pages: int = 0
    robots_fetches: int = 0
    is_repriced: bool = False  # every waiting link has the score its strategy gives it now
    chance_state: str = ""  # of the random generator, as JSON
    waiting: int = 0
    largest_waiting: int = 0  # links that waited at once, at most
    behind: int = 0  # of the waiting links, those that the guard has put behind others
    decisions: int = 0  # links whose turn came: fetched or skipped
    pruned: int = 0  # times that there was no room for a link to wait
    out_of_scope: int = 0  # times that a page showed a link the scope rules keep out
    pages_not_followed: int = 0  # pages whose links the strategy did not let wait
    links_not_followed: int = 0  # times that such a page showed a link that did not wait and could have
    unindexed: int = 0  # pages that ask not to be indexed, or are reserved: not counted as pages, and not kept
    over_host_limit: int = 0  # links that waited when their host had given all that it may give
    retries: int = 0  # times that a link was put back to be tried again
    waited_for_hosts: int = 0  # times that the best link had to wait for its host, and another was taken
    score_lost_waiting: float = 0.0  # by how much these scored more, all together
    seeds: int = 0  # URLs it started with: the first that it met
    findings: int = 0  # pages that the guard judged part of a loop or a trap, or duplicates
    lowered: int = 0  # times that the guard let a link wait behind others, or farther behind
    raised: int = 0  # times that it let one wait less far behind
    dropped: int = 0  # links that it has thrown away, as it was asked to
    restarts: int = 0  # times that the crawl began anew elsewhere
    restart_state: str = ""  # what decides on the next one, as JSON
    unjudged_in_a_row: int = 0  # pages that the judge broke on, since the last that it judged
    questions: int = 0  # asked while it crawled
    handed_over: int = 0  # links that went to other shards
    taken_over: int = 0  # links that other shards have told this one of
    stop_reason: str = ""  # why the crawl stopped; empty while it may go on

    @property
    def fetches(self) -> int:
        """Fetches that have ended and count against the budget."""
        return self.steps - self.unknown

    @property
    def skips(self) -> int:
        """Links whose turn came and that were not fetched."""
        return self.decisions - self.dispatches

    @property
    def ran_out_of_links(self) -> bool:
        """Whether nothing is left to crawl though links were not followed or pruned.

        A link left out once may have been found again and fetched; that is not looked into.
        """
        return self._is_dry and self.links_not_followed + self.pruned > 0

    @property
    def skipped_every_link(self) -> bool:
        """Whether nothing is left to crawl though links were skipped."""
        return self._is_dry and self.skips > 0

    @property
    def _is_dry(self) -> bool:
        return not self.waiting and self.steps == self.dispatches > 0

    @property
    def charged(self) -> int:
        """Fetches that count against the budget, those in flight included."""
        return self.dispatches - self.unknown


class StepChanges(TypedDict, total=False):
    """Changes of a step besides choices and progress; the fields of `StepRecord` of the same names."""

    completion: CompletionRecord
    new_links: tuple[FoundLink, ...]
    found_again: tuple[FoundLink, ...]
    pruned: tuple[LinkId, ...]
    pairs: tuple[PairRecord, ...]
    redirect: RedirectedLink | None
    known: tuple[KnownPage, ...]
    learner: bytes | None
    answers: tuple[AnswerRecord, ...]
    came: tuple[tuple[int, LinkId], ...]
    undone: tuple[int, ...]
    judged_again: JudgedAgain | None
    effect: AnswerEffect | None
    elsewhere: tuple[LinkId, ...]
    outbox: tuple[Parcel, ...]
    delivery: DeliveryRecord | None


@dataclass(frozen=True, slots=True, eq=False)
class StepRecord:
    """All that changed since the step before; a store writes it in whole or not at all."""

    progress: Progress
    dispatches: tuple[DispatchRecord, ...] = ()
    skips: tuple[SkipRecord, ...] = ()
    completion: CompletionRecord | None = None
    new_links: tuple[FoundLink, ...] = ()
    found_again: tuple[FoundLink, ...] = ()
    pruned: tuple[LinkId, ...] = ()  # links that no longer wait, or could not begin to
    pairs: tuple[PairRecord, ...] = ()
    redirect: RedirectedLink | None = None
    known: tuple[KnownPage, ...] = ()  # pages of an earlier run that are looked at again
    hosts: tuple[HostRest, ...] = ()  # hosts that were asked
    over_host_limit: tuple[LinkId, ...] = ()  # links that no longer wait because their host may give no more
    learner: bytes | None = None  # a snapshot of the strategy, every so often
    journal: tuple[JournalEntry, ...] = ()
    guard: GuardRecord | None = None
    restarts: tuple[RestartRecord, ...] = ()
    answers: tuple[AnswerRecord, ...] = ()
    came: tuple[tuple[int, LinkId], ...] = ()  # answers, by number, whose pages have come
    undone: tuple[int, ...] = ()  # answers, by number, that were taken back
    judged_again: JudgedAgain | None = None
    effect: AnswerEffect | None = None  # of these answers
    stage_seconds: dict[str, float] = field(default_factory=dict)  # what stages took since the last that told
    elsewhere: tuple[LinkId, ...] = ()  # new links whose hosts other shards have
    outbox: tuple[Parcel, ...] = ()  # for other shards
    delivery: DeliveryRecord | None = None  # of other shards

    def numbered_outbox(self) -> Iterator[tuple[int, Parcel]]:
        """Yield the parcels, each with the number of links that were handed over up to and with it."""
        number = self.progress.handed_over - sum(len(parcel.links) for parcel in self.outbox)
        for parcel in self.outbox:
            number += len(parcel.links)
            yield number, parcel


@dataclass(frozen=True, slots=True, eq=False)
class StoredLink:
    """A link as a resumed crawl needs it."""

    link: LinkId
    url: Url
    state: LinkState
    hops: int
    score: float
    description: bytes
    row: Row | None  # where several pages have made it
    relevance: float = 0.0  # of the page that it is described from
    distance: int = 0  # clicks since a relevant page, of that page
    depth: int = 0  # clicks from a seed
    found_on: LinkId | None = None  # the page on which it was met first; None for a seed
    level: int = 0  # while it waits
    carried: int = 0


@dataclass(frozen=True, slots=True)
class StoredVisit:
    """A page and the links on it, or where a redirect led."""

    step: int
    link: LinkId
    relevance: float  # when it came
    is_relevant: bool
    newest_relevance: float
    targets: tuple[LinkId, ...]
    is_redirect: bool
    handed_down: HandedDown | None = None  # of a page of another shard
    is_elsewhere: bool = False  # a page of another shard, with those of its links that are in this one


@dataclass(frozen=True, slots=True)
class LearnerSnapshot:
    """The state of strategy, judge and guard after a step."""

    step: int
    state: bytes


_MARK: Final = b"HGS1"
_MARK_WITH_GUARD: Final = b"HGS2"
_LENGTH_BYTES: Final = 8


def join_snapshot(states: Sequence[bytes]) -> bytes:
    """Make the state of a `LearnerSnapshot` from those of strategy, judge and, where there is one, guard."""
    lengths = b"".join(len(state).to_bytes(_LENGTH_BYTES, "little") for state in states[:-1])
    return (_MARK if len(states) < 3 else _MARK_WITH_GUARD) + lengths + b"".join(states)


def split_snapshot(snapshot: bytes) -> tuple[bytes, bytes, bytes | None]:
    """The states of strategy, judge and guard; the last is None where there was none. StrategyError if not these."""
    mark, rest = snapshot[: len(_MARK)], snapshot[len(_MARK) :]
    if mark not in (_MARK, _MARK_WITH_GUARD):
        raise StrategyError("not a snapshot of a learner")
    count = 1 if mark == _MARK else 2
    if len(rest) < count * _LENGTH_BYTES:
        raise StrategyError("not a snapshot of a learner")
    states, end = [], count * _LENGTH_BYTES
    for number in range(count):
        length = rest[number * _LENGTH_BYTES : (number + 1) * _LENGTH_BYTES]
        begin, end = end, end + int.from_bytes(length, "little")
        states.append(rest[begin:end])
    if end > len(rest):
        raise StrategyError("the snapshot of the learner is cut short")
    states.append(rest[end:])
    return states[0], states[1], states[2] if count > 1 else None
