"""Findings page by page, put together into what a person calls one trap.

One trap is of one host, or of several that have pages in common, and of one kind:

- other addresses of pages (variant, session-id, mirror): all of a host, and of hosts that are mirrors of one another;
- series (calendar, pagination, facets, growing-query) and repeating-path: all of one kind on a host; a series that was
  called otherwise at first is still the same;
- soft-404: of a host;
- maze: of a group of sites, which has the name of its first; and of groups that have hosts in common.

Pages that repeat others (duplicate, near-duplicate, loop) belong to the trap that was found in their section, or to the
maze that their host is part of; those with the very text of another to the mirrors that their host is one of. Where
there is none they are put together by host. At the root of a host, where all sorts of pages lie, only copies of the
front page belong to a trap that was found there.

What the guard of a run judged a loop, a trap or a duplicate: page by page, and summed up.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from honeyguide.model import LinkState, Url
from honeyguide.model.guard_words import Cause, Reason, first_of, mirrored_by, section_and_rule, with_others

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

COPIES: Final = frozenset({"duplicate", "near-duplicate", "loop"})
_ADDRESSES: Final = frozenset({"variant", "session-id", "mirror"})
_SERIES: Final = frozenset({"calendar", "pagination", "facets", "growing-query"})
_VARYING: Final = re.compile(r"[#*@?]")


@dataclass(frozen=True, slots=True)
class GuardFinding:
    """A page that was judged part of a loop or a trap, or a duplicate."""

    step: int  # that brought it
    url: Url
    kind: str
    about: str  # the host, shape of address, group of hosts or chain of pages
    evidence: str
    found_at: int  # step after which it was found out
    demotion: int  # that its links carry
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class HostMoves:
    """Waiting links of a host that were moved for one reason."""

    host: str
    reason: str
    lowered: int  # times that a link was let wait behind others, or farther behind
    raised: int  # times that one was let wait less far behind
    dropped: int
    first_step: int
    last_step: int


@dataclass(frozen=True, slots=True)
class TrapPart:
    """The pages of a trap that have one kind of finding, about one shape of address or by one rule."""

    kind: str
    about: str
    pages: int
    evidence: str  # the latest


@dataclass(frozen=True, slots=True)
class LinksMoved:
    """Times that waiting links were moved."""

    lowered: int = 0
    raised: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Trap:
    """One loop or trap, or the duplicates of one host: what it has cost, and why it was judged one."""

    kind: str  # of its parts the most telling
    about: str  # the section, host or group of hosts
    hosts: tuple[str, ...]  # of its pages, the most pages first
    pages: int
    relevant: int  # of these
    first_step: int
    last_step: int
    evidence: str  # the latest of its kind
    parts: tuple[TrapPart, ...]  # the most pages first
    examples: tuple[Url, ...]  # a few pages: the first, the last and one between
    links: LinksMoved  # on its hosts, as far as the reasons tell that it was because of this trap


_Key: TypeAlias = "Hashable"


def grouped(
    findings: Sequence[GuardFinding], moves: Iterable[HostMoves]
) -> tuple[tuple[Trap, ...], tuple[HostMoves, ...]]:
    """The traps that findings make up, the most pages first, and the moves of links that none of them explains.

    Each finding is in one trap.
    """
    traps = _Groups(findings).traps()
    reasons = _Reasons(traps)
    moved: dict[_Key, list[HostMoves]] = defaultdict(list)
    others: list[HostMoves] = []
    for move in moves:
        key = reasons.trap_of(move)
        (others if key is None else moved[key]).append(move)
    told = [_told(members, moved[key]) for key, members in traps.items()]
    return tuple(sorted(told, key=lambda trap: (-trap.pages, trap.first_step, trap.about))), tuple(others)


class _Groups:
    """Which findings belong together."""

    def __init__(self, findings: Sequence[GuardFinding]) -> None:
        self._findings = findings
        self._leader: dict[_Key, _Key] = {}
        self._at: dict[str, Counter[_Key]] = defaultdict(Counter)  # traps found in a section, or that a host is part of
        for finding in findings:
            first, *others = _keys_of(finding)
            for other in others:
                self._unite(first, other)

    def traps(self) -> dict[_Key, list[GuardFinding]]:
        members: dict[_Key, list[GuardFinding]] = defaultdict(list)
        for finding in self._findings:
            if finding.kind in COPIES:
                continue
            key = self._find(_keys_of(finding)[0])
            members[key].append(finding)
            is_whole = finding.kind == "maze" and "/" not in finding.about
            self._at[finding.url.host if is_whole else _section(finding.about)][key] += 1
            if finding.kind == "mirror":
                for host in (finding.url.host, _mirrored(finding.about)):
                    self._at[f"mirror {host}"][key] += 1
        for finding in self._findings:
            if finding.kind in COPIES:
                members[self._home_of(finding)].append(finding)
        return members

    def _home_of(self, copy: GuardFinding) -> _Key:
        host, section = copy.url.host, _section(copy.about)
        is_telling = section != f"{host}/" or copy.about.partition("?")[0] == section
        is_equal = copy.kind == "duplicate"
        for place in [section] * is_telling + [host] + [f"mirror {host}"] * is_equal:
            if place in self._at:
                return self._at[place].most_common(1)[0][0]
        return "copies", host

    def _find(self, key: _Key) -> _Key:
        leader = self._leader.setdefault(key, key)
        while leader != key:
            key, leader = leader, self._leader[leader]
        return key

    def _unite(self, one: _Key, other: _Key) -> None:
        self._leader[self._find(other)] = self._find(one)


def _keys_of(finding: GuardFinding) -> list[_Key]:
    """What a finding has in common with others of its trap."""
    kind, host = finding.kind, finding.url.host
    if kind in _ADDRESSES:
        return [("addresses", host), ("addresses", _mirrored(finding.about) or host)]
    if kind in _SERIES:
        return [(kind, host), ("series", finding.about)]
    if kind == "maze":
        return [("maze", _first_site(finding.about)), ("maze on", host)]
    return [(kind, host)]


def _mirrored(about: str) -> str:
    """The host that pages are copies of, by a finding about mirrors; "" of any other."""
    return mirrored_by(section_and_rule(about)[1])


def _section(about: str) -> str:
    """The beginning of what a finding is about that does not vary, up to a slash: a host and a part of its path."""
    place = _VARYING.split(section_and_rule(about)[0])[0]
    return place[: place.rindex("/") + 1] if "/" in place else place


def _part_of(finding: GuardFinding) -> str:
    """What part of a trap a finding is about: a rule, wherever it was seen, a group of sites, or a shape."""
    if finding.kind == "maze" and "/" not in finding.about:
        return _first_site(finding.about)
    return section_and_rule(finding.about)[1] or finding.about


def _told(findings: list[GuardFinding], moves: list[HostMoves]) -> Trap:
    findings = sorted(findings, key=lambda finding: finding.step)
    telling = [each for each in findings if each.kind not in COPIES] or findings
    kind = Counter(each.kind for each in telling).most_common(1)[0][0]
    hosts = tuple(host for host, _ in Counter(str(each.url.host) for each in findings).most_common())
    parts = _parts(findings)
    between = len(findings) // 2
    examples = dict.fromkeys(findings[place].url for place in (0, between, -1))
    return Trap(
        kind=kind,
        about=findings[0].about if len({each.about for each in findings}) == 1 else _where(telling, hosts),
        hosts=hosts,
        pages=len(findings),
        relevant=sum(each.is_relevant for each in findings),
        first_step=findings[0].step,
        last_step=findings[-1].step,
        evidence=_latest([each for each in telling if each.kind == kind]).evidence,
        parts=parts,
        examples=tuple(examples),
        links=LinksMoved(
            sum(move.lowered for move in moves),
            sum(move.raised for move in moves),
            sum(move.dropped for move in moves),
        ),
    )


def _parts(findings: list[GuardFinding]) -> tuple[TrapPart, ...]:
    by_part: dict[tuple[str, str], list[GuardFinding]] = defaultdict(list)
    for finding in findings:
        by_part[finding.kind, _part_of(finding)].append(finding)
    parts = [
        TrapPart(kind, _latest(pages).about if kind == "maze" else part, len(pages), _latest(pages).evidence)
        for (kind, part), pages in by_part.items()
    ]
    return tuple(sorted(parts, key=lambda part: (-part.pages, part.kind, part.about)))


def _latest(findings: list[GuardFinding]) -> GuardFinding:
    return max(findings, key=lambda finding: (finding.found_at, finding.step))


def _where(findings: list[GuardFinding], hosts: tuple[str, ...]) -> str:
    """The section that all are in, or the host; of several that with the most pages, and how many more there are. A
    group of sites has its name.
    """
    if all(each.kind == "maze" and "/" not in each.about for each in findings):
        return _latest(findings).about
    if len(hosts) > 1:
        return with_others(hosts[0], len(hosts) - 1)
    sections = {_section(finding.about) for finding in findings}
    return sections.pop() if len(sections) == 1 else hosts[0]


class _Reasons:
    """Because of which trap links were moved."""

    def __init__(self, traps: dict[_Key, list[GuardFinding]]) -> None:
        self._there: dict[str, dict[_Key, set[tuple[str, str]]]] = defaultdict(lambda: defaultdict(set))
        self._mazes: dict[str, _Key] = {}
        for key, findings in traps.items():
            for finding in findings:
                self._there[finding.url.host][key].add((finding.kind, finding.about))
                if finding.kind == "maze":
                    self._mazes[_first_site(finding.about)] = key

    def trap_of(self, move: HostMoves) -> _Key | None:
        """The one that the reason speaks of, or the only one that has pages on the host; None where there is none."""
        there, reason = self._there.get(move.host, {}), Reason.read(move.reason)
        if reason is not None:
            if reason.cause is Cause.UNPAID:
                return None  # that is about what a host or shape earned, trap or not
            if reason.cause is Cause.OVERDRAWN and _first_site(reason.about) in self._mazes:
                return self._mazes[_first_site(reason.about)]
            for is_meant in (_is_by_its_rule, _is_of_its_kind, _is_in_its_section, _is_another_address):
                meant = [key for key, found in there.items() if any(is_meant(reason, each) for each in found)]
                if meant:
                    return meant[0] if len(meant) == 1 else None
        return next(iter(there)) if len(there) == 1 else None


def _is_by_its_rule(reason: Reason, found: tuple[str, str]) -> bool:
    return reason.cause is Cause.VARIANT and reason.about == section_and_rule(found[1])[1]


def _is_of_its_kind(reason: Reason, found: tuple[str, str]) -> bool:
    return reason.kind == found[0]


def _is_in_its_section(reason: Reason, found: tuple[str, str]) -> bool:
    section = _section(found[1])
    return section.count("/") > 1 and reason.about.startswith(section)


def _is_another_address(reason: Reason, found: tuple[str, str]) -> bool:
    return reason.cause is Cause.VARIANT and found[0] in _ADDRESSES


def _first_site(about: str) -> str:
    """What a group of sites is called by, however many there are of them; of a section, its host."""
    return first_of(about).partition("/")[0]


@dataclass(frozen=True, slots=True)
class Restart:
    """The crawl began anew elsewhere."""

    number: int
    after_steps: int
    reason: str
    source: str  # urls, starting-points or unexplored
    urls: tuple[Url, ...]  # that went first


@dataclass(frozen=True, slots=True)
class TrapSummary:
    """What a guard came to in a run."""

    pages_seen: int  # pages that it looked at
    pages_found: int  # of these, judged part of a loop or a trap, or duplicates
    waiting_behind: int | None  # links that wait behind others now; None of one kind, as links do not keep it
    traps: tuple[Trap, ...]  # the most pages first
    moves: tuple[HostMoves, ...]  # the most links first
    other_moves: tuple[HostMoves, ...]  # of these, for reasons that speak of none of the traps

    @property
    def lowered(self) -> int:
        return sum(move.lowered for move in self.moves)

    @property
    def raised(self) -> int:
        return sum(move.raised for move in self.moves)

    @property
    def dropped(self) -> int:
        return sum(move.dropped for move in self.moves)


_HOST_OF: Final = "substr({url}, instr({url}, '://') + 3, instr(substr({url}, instr({url}, '://') + 3), '/') - 1)"


class TrapRecords:
    """Reads what a guard left in a run. `select` runs a query."""

    def __init__(self, select: Callable[..., Iterator[tuple[Any, ...]]]) -> None:
        self._select = select

    def findings(self, kind: str = "", host: str = "") -> Iterator[GuardFinding]:
        """Every page with a finding, in the order in which they came; of one kind or host where these are given."""
        rows = self._select(
            f"""SELECT f.step, l.url, f.kind, f.about, f.evidence, f.found_at, f.demotion, coalesce(p.is_relevant, 0)
                FROM findings f JOIN links l ON l.id = f.link LEFT JOIN pages p ON p.link = f.link
                WHERE (?1 = '' OR f.kind = ?1) AND (?2 = '' OR {_HOST_OF.format(url="l.url")} = ?2)
                ORDER BY f.step""",  # noqa: S608
            kind,
            host.lower(),
        )
        for step, url, found, about, evidence, found_at, demotion, is_relevant in rows:
            yield GuardFinding(step, Url(url), found, about, evidence, found_at, demotion, bool(is_relevant))

    def summary(self, kind: str = "", host: str = "") -> TrapSummary:
        """All of it summed up; of one kind, or of one host, where these are given.

        Links moved are of a kind where their reason begins with it: not those that were found on pages that repeat
        others, whatever the kind, nor those that stand clear again.
        """
        host = host.lower()
        rows = self._select(
            """SELECT * FROM moves WHERE (?1 = '' OR host = ?1)
               AND (?2 = '' OR reason = ?2 OR substr(reason, 1, length(?2) + 1) IN (?2 || ':', ?2 || ' '))
               ORDER BY lowered + dropped DESC, raised DESC, host, reason""",
            host,
            kind,
        )
        findings, moves = list(self.findings(kind, host)), tuple(HostMoves(*row) for row in rows)
        traps, others = grouped(findings, moves)
        return TrapSummary(
            pages_seen=self._count("SELECT count(*) FROM prints"),
            pages_found=len(findings),
            waiting_behind=None if kind else self._waiting_behind(host),
            traps=traps,
            moves=moves,
            other_moves=others,
        )

    def restarts(self) -> Iterator[Restart]:
        """Every restart, in order."""
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
