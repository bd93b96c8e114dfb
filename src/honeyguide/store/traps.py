"""What the guard of a run judged a loop, a trap or a duplicate: page by page, and summed up."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from honeyguide.domain import LinkState, Url
from honeyguide.store.trap_grouping import GuardFinding, HostMoves, grouped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from honeyguide.store.trap_grouping import Trap


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
