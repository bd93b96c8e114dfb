"""Findings of a run's guard: page by page, put together into traps, and put into words.

A trap is what has one key: a maze has one for each budget; other addresses of pages one for each host, or for the host
that is mirrored; any other kind one for each host. Copies belong to the trap that was found in their section, else to
that of the copies of their host.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from honeyguide.guard import Cause, FindingKind
from honeyguide.model import LinkState, Url
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_COPIES: Final = frozenset({FindingKind.DUPLICATE, FindingKind.NEAR_DUPLICATE, FindingKind.LOOP})
_ADDRESSES: Final = frozenset({FindingKind.VARIANT, FindingKind.SESSION_ID, FindingKind.MIRROR})
_VARYING: Final = re.compile(r"[#*@?]")
_RULE_WORDS: Final = {"query": "the query", "slash": "the slash at the end", "index": "the name of an index page"}
_HOST_OF: Final = "substr({url}, instr({url}, '://') + 3, instr(substr({url}, instr({url}, '://') + 3), '/') - 1)"

_Key: TypeAlias = "tuple[str, str]"


@dataclass(frozen=True, slots=True)
class GuardFinding:
    """A page that was judged part of a loop or a trap, or a duplicate."""

    step: int  # that brought it
    url: Url
    kind: str
    about: str  # the host, section, site or shape of address
    rule: str  # of folding, that decided; "" for any other
    like: Url | None  # the earlier page that it repeats
    numbers: Mapping[str, float]  # that decided
    found_at: int  # step that brought the finding
    demotion: int  # that its links carry
    is_relevant: bool

    @property
    def evidence(self) -> str:
        """The numbers that decided, in words."""
        return _EVIDENCE[FindingKind(self.kind)](self)


@dataclass(frozen=True, slots=True)
class HostMoves:
    """Waiting links of a host that were moved for one reason."""

    host: str
    cause: str
    about: str
    kind: str  # of the findings that it goes with; "" where there is none
    lowered: int  # times that a link was let wait behind others, or farther behind
    raised: int  # times that one was let wait less far behind
    dropped: int
    first_step: int
    last_step: int

    @property
    def reason(self) -> str:
        """The reason in words."""
        return _REASONS[Cause(self.cause)].format(about=_RULE_WORDS.get(self.about, self.about), kind=self.kind)


@dataclass(frozen=True, slots=True)
class TrapPart:
    """The pages of a trap that have one kind of finding, about one shape of address or by one rule."""

    kind: str
    about: str
    pages: int


@dataclass(frozen=True, slots=True)
class LinksMoved:
    """Times that waiting links were moved."""

    lowered: int = 0
    raised: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Trap:
    """One loop or trap, or the duplicates of one host: what it has cost, and why it was judged one."""

    kind: str
    about: str  # the section, host or site
    hosts: tuple[str, ...]  # of its pages, the most pages first
    pages: int
    relevant: int  # of these
    first_step: int
    last_step: int
    evidence: str  # the latest of its kind
    parts: tuple[TrapPart, ...]  # the most pages first
    examples: tuple[Url, ...]  # a few pages: the first, the last and one between
    links: LinksMoved  # because of this trap


@dataclass(frozen=True, slots=True)
class Restart:
    """A moment at which the crawl began anew elsewhere."""

    number: int
    after_steps: int
    reason: str
    source: str  # urls, starting-points or unexplored
    urls: tuple[Url, ...]  # that went first


@dataclass(frozen=True, slots=True)
class TrapSummary:
    """The traps of a run, and the links moved for them."""

    pages_seen: int  # pages that the guard looked at
    pages_found: int  # of these, judged part of a loop or a trap, or duplicates
    waiting_behind: int | None  # links that wait behind others now; None of one kind, as links do not keep it
    traps: tuple[Trap, ...]  # the most pages first
    moves: tuple[HostMoves, ...]  # the most links first
    other_moves: tuple[HostMoves, ...]  # of these, for reasons that go with none of the traps

    @property
    def lowered(self) -> int:
        return sum(move.lowered for move in self.moves)

    @property
    def raised(self) -> int:
        return sum(move.raised for move in self.moves)

    @property
    def dropped(self) -> int:
        return sum(move.dropped for move in self.moves)


def grouped(
    findings: Iterable[GuardFinding], moves: Iterable[HostMoves]
) -> tuple[tuple[Trap, ...], tuple[HostMoves, ...]]:
    """Return the traps that findings make up, the most pages first, and the moves of links that go with none.

    Each finding is in one trap. Findings are in order of steps and iterated twice; none is kept.
    """
    key_by_section: dict[str, _Key] = {}
    for finding in findings:
        if finding.kind not in _COPIES:
            section = finding.url.host if finding.kind == FindingKind.MAZE else _section(finding.about)
            key_by_section[section] = _key(finding.kind, finding.url.host, finding.about, finding.rule)
    members: defaultdict[_Key, _Members] = defaultdict(_Members)
    for finding in findings:
        host = finding.url.host
        if finding.kind in _COPIES:
            key = key_by_section.get(_section(finding.about)) or key_by_section.get(host) or ("copies", host)
        else:
            key = _key(finding.kind, host, finding.about, finding.rule)
        members[key].add(finding)
    keys_by_host: dict[str, set[_Key]] = defaultdict(set)
    for key, found in members.items():
        for name in found.hosts:
            keys_by_host[name].add(key)
    moved: dict[_Key, list[HostMoves]] = defaultdict(list)
    others: list[HostMoves] = []
    for move in moves:
        key = _key(move.kind, move.host, move.about, "")
        if key not in members and len(keys_by_host[move.host]) == 1:
            (key,) = keys_by_host[move.host]
        (moved[key] if key in members else others).append(move)
    traps = [found.trap(moved[key]) for key, found in members.items()]
    return tuple(sorted(traps, key=lambda trap: (-trap.pages, trap.first_step, trap.about))), tuple(others)


def _key(kind: str, host: str, about: str, rule: str) -> _Key:
    """Return a key that all findings of one trap share."""
    if kind == FindingKind.MAZE:
        return kind, about
    if kind in _ADDRESSES:
        return "addresses", rule.partition("//")[2] if kind == FindingKind.MIRROR and rule else host
    return kind, host


def _section(about: str) -> str:
    """The beginning of what a finding is about that does not vary, up to a slash: a host and a part of its path."""
    place = _VARYING.split(about)[0]
    return place[: place.rindex("/") + 1] if "/" in place else place


@dataclass(slots=True)
class _Signs:
    """What the findings of a trap are about, of one sort: copies, or all others."""

    latest: dict[str, GuardFinding] = field(default_factory=dict)  # by kind
    pages: Counter[str] = field(default_factory=Counter)  # by kind
    abouts: set[str] = field(default_factory=set)

    def add(self, finding: GuardFinding) -> None:
        latest = self.latest.setdefault(finding.kind, finding)
        if (finding.found_at, finding.step) > (latest.found_at, latest.step):
            self.latest[finding.kind] = finding
        self.pages[finding.kind] += 1
        self.abouts.add(finding.about)


@dataclass(slots=True)
class _Members:
    """Counts of the findings that make up one trap; they come in order of steps."""

    copies: _Signs = field(default_factory=_Signs)
    others: _Signs = field(default_factory=_Signs)
    hosts: Counter[str] = field(default_factory=Counter)
    parts: Counter[tuple[str, str]] = field(default_factory=Counter)
    pages: int = 0
    relevant: int = 0
    first: GuardFinding | None = None
    last: GuardFinding | None = None
    between: list[GuardFinding] = field(default_factory=list)  # the last two whose place is a power of two

    def add(self, finding: GuardFinding) -> None:
        (self.copies if finding.kind in _COPIES else self.others).add(finding)
        self.hosts[str(finding.url.host)] += 1
        self.parts[finding.kind, finding.rule or finding.about] += 1
        self.first, self.last = self.first or finding, finding
        if self.pages.bit_count() == 1:
            self.between = [*self.between[-1:], finding]
        self.pages += 1
        self.relevant += finding.is_relevant

    def trap(self, moves: list[HostMoves]) -> Trap:
        assert self.first is not None
        assert self.last is not None
        telling = self.others if self.others.pages else self.copies
        kind = telling.pages.most_common(1)[0][0]
        hosts = tuple(host for host, _ in self.hosts.most_common())
        between = [each for each in self.between if each is not self.last][-1:]
        return Trap(
            kind=kind,
            about=_place(telling.abouts, hosts),
            hosts=hosts,
            pages=self.pages,
            relevant=self.relevant,
            first_step=self.first.step,
            last_step=self.last.step,
            evidence=telling.latest[kind].evidence,
            parts=tuple(
                TrapPart(*part, pages)
                for part, pages in sorted(self.parts.items(), key=lambda item: (-item[1], item[0]))
            ),
            examples=tuple(dict.fromkeys(each.url for each in (self.first, *between, self.last))),
            links=LinksMoved(
                sum(move.lowered for move in moves),
                sum(move.raised for move in moves),
                sum(move.dropped for move in moves),
            ),
        )


def _place(abouts: set[str], hosts: tuple[str, ...]) -> str:
    """Return what all are about, the section that all are in, or the host; of several the first, and how many more."""
    sections = {_section(about) for about in abouts}
    name = min(abouts) if len(abouts) == 1 else min(sections) if len(sections) == 1 else hosts[0]
    return f"{name} and {len(hosts) - 1} more" if len(hosts) > 1 else name


@dataclass(frozen=True, slots=True)
class _StoredFindings:
    """Findings of a run, read anew each time that they are iterated."""

    records: TrapRecords
    kind: str
    host: str

    def __iter__(self) -> Iterator[GuardFinding]:
        return self.records.findings(self.kind, self.host)


class TrapRecords:
    """Reads what a guard left in a run. `select` runs a query."""

    def __init__(self, select: Callable[..., Iterator[tuple[Any, ...]]]) -> None:
        self._select = select

    def findings(self, kind: str = "", host: str = "", found_after: int = -1) -> Iterator[GuardFinding]:
        """Yield every page with a finding, in the order in which they came; of one kind or host where given.

        `found_after` leaves out what was found out up to a step.
        """
        rows = self._select(
            f"""SELECT f.step, l.url, f.kind, f.about, f.rule, other.url, f.numbers, f.found_at, f.demotion,
                       coalesce(p.is_relevant, 0)
                FROM findings f JOIN links l ON l.id = f.link LEFT JOIN links other ON other.id = f.like
                     LEFT JOIN pages p ON p.link = f.link
                WHERE (?1 = '' OR f.kind = ?1) AND (?2 = '' OR {_HOST_OF.format(url="l.url")} = ?2) AND f.found_at > ?3
                ORDER BY f.step""",  # noqa: S608
            kind,
            host.lower(),
            found_after,
        )
        for step, url, found, about, rule, like, numbers, found_at, demotion, is_relevant in rows:
            yield GuardFinding(
                step, Url(url), found, about, rule, None if like is None else Url(like), json.loads(numbers),
                found_at, demotion, bool(is_relevant),
            )  # fmt: skip

    def summary(self, kind: str = "", host: str = "") -> TrapSummary:
        """Sum up all of it; of one kind, or of one host, where these are given."""
        host = host.lower()
        moves = self.moves(kind, host)
        traps, others = grouped(_StoredFindings(self, kind, host), moves)
        return TrapSummary(
            pages_seen=self.pages_seen(),
            pages_found=sum(trap.pages for trap in traps),
            waiting_behind=None if kind else self._waiting_behind(host),
            traps=traps,
            moves=moves,
            other_moves=others,
        )

    def moves(self, kind: str = "", host: str = "") -> tuple[HostMoves, ...]:
        """Return the waiting links that were moved, by host and cause, the most first."""
        rows = self._select(
            """SELECT * FROM moves WHERE (?1 = '' OR host = ?1) AND (?2 = '' OR kind = ?2)
               ORDER BY lowered + dropped DESC, raised DESC, host, cause, about""",
            host,
            kind,
        )
        return tuple(HostMoves(*row) for row in rows)

    def pages_seen(self) -> int:
        """Return how many pages the guard looked at."""
        return self._count("SELECT count(*) FROM prints")

    def pages_found(self, kind: str = "", host: str = "") -> int:
        """Return how many pages have a finding; quicker than to sum them up."""
        on_host = f"JOIN links l ON l.id = f.link AND {_HOST_OF.format(url='l.url')} = ?2" if host else ""
        return self._count(
            f"SELECT count(*) FROM findings f {on_host} WHERE (?1 = '' OR f.kind = ?1) AND ?2 = ?2",  # noqa: S608
            kind,
            host.lower(),
        )

    def restarts(self) -> Iterator[Restart]:
        """Yield every restart, in order."""
        rows = self._select("SELECT number, after_steps, reason, source, links FROM restarts ORDER BY number")
        for number, after_steps, reason, source, links in list(rows):
            urls = [next(self._select("SELECT url FROM links WHERE id = ?", link)) for link in json.loads(links)]
            yield Restart(number, after_steps, reason, source, tuple(Url(url) for (url,) in urls))

    def _waiting_behind(self, host: str) -> int:
        return self._count(
            f"""SELECT count(*) FROM links WHERE state = ?1 AND level > 0
                AND (?2 = '' OR {_HOST_OF.format(url="url")} = ?2)""",  # noqa: S608
            LinkState.WAITING,
            host,
        )

    def _count(self, query: str, *values: object) -> int:
        ((count,),) = self._select(query, *values)
        return int(count)


_REASONS: Final = {
    Cause.COPIES: "found only on pages that repeat others or lead to nothing",
    Cause.VARIANT: "its page was fetched under another address, which differs in {about}",
    Cause.REPEATING_PATH: "one part stands {about} times in its path",
    Cause.SERIES: "{kind}: {about} runs on and brings nothing new",
    Cause.REPETITIVE: "{about} repeats itself",
    Cause.OVER_BUDGET: "{about} has spent its budget",
    Cause.RECOVERED: "nothing is said against it any more",
}


def _of_copy(finding: GuardFinding) -> str:
    numbers, like = finding.numbers, finding.like
    if "pairs" in numbers:
        part = "the host" if finding.kind == FindingKind.MIRROR else _RULE_WORDS.get(finding.rule, finding.rule)
        pairs = count_of(int(numbers["pairs"]), "such pair")
        return f"its text is that of {like}, whose address differs in {part} only; {pairs}"
    if "similarity" in numbers:
        bits = f"{numbers['bits']:.0f} of 64 bits {'differs' if numbers['bits'] == 1 else 'differ'}"
        said = f"similarity {numbers['similarity']:.2f} with {like}, {bits}"
    else:
        said = f"its text of {count_of(int(numbers['words']), 'word')} is that of {like}"
    return f"{said}; the {numbers['copies']:.0f} pages that led here were copies, too" if "copies" in numbers else said


def _of_series(finding: GuardFinding) -> str:
    return (
        "of its last {recent:.0f} pages {alike:.0f} were like earlier ones, {turned:.0f} led on to more of them, and "
        "{brought:.0f} brought anything else; {pages:.0f} so far".format(**finding.numbers)
    )


def _of_soft_404(finding: GuardFinding) -> str:
    return (
        "{alike:.0f} of {pages:.0f} pages with this title had much of their text in common, at addresses of "
        "{series:.0f} shapes or more".format(**finding.numbers)
    )


def _of_maze(finding: GuardFinding) -> str:
    return (
        "{cost:.0f} of {pages:.0f} pages on {sites:.0f} sites show new addresses and are known from one page only; its "
        "budget is {budget:.0f}, with {referrers:.0f} referring sites and {relevant:.0f} relevant pages; it has some "
        "{addresses:,.0f} addresses or more".format(**finding.numbers)
    )


_EVIDENCE: Final[dict[FindingKind, Callable[[GuardFinding], str]]] = {
    **dict.fromkeys((*_COPIES, *_ADDRESSES, FindingKind.REPEATING_PATH), _of_copy),
    FindingKind.CALENDAR: _of_series,
    FindingKind.PAGINATION: _of_series,
    FindingKind.FACETS: _of_series,
    FindingKind.GROWING_QUERY: _of_series,
    FindingKind.SOFT_404: _of_soft_404,
    FindingKind.MAZE: _of_maze,
}
