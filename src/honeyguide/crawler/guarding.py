"""Shows the pages of a crawl to its guard, and lets links wait at the levels that the guard gives them.

A link gets its level when it begins to wait. The guard is asked again when the link's turn comes, and the link is moved
down if its level is deeper by now, so a demotion costs nothing before it matters. Links are moved up when the guard
says that a host may have a better level, or when a page with less demotion shows them. `NoGuarding` is a crawl without
a guard: all links wait at one level.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from honeyguide.frontier import LevelledFrontier, NotBefore, Taken
from honeyguide.guard import MAX_LEVEL, Cause, Reason, SeenPage, Target, fingerprint_of
from honeyguide.model import LinkId, LinkState
from honeyguide.runs import FindingRecord, GuardRecord, MoveRecord, PrintRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.discovery import FoundLinks
    from honeyguide.crawler.journal import JournaledStages
    from honeyguide.crawler.ledger import Ledger
    from honeyguide.crawler.parts import Parts
    from honeyguide.crawler.preparing import Prepared
    from honeyguide.guard import Finding, Judgement, LinkLevel
    from honeyguide.model import HostKey, Verdict

MOVED_AT_ONCE: Final = 1000
"""Links moved down before the crawl takes in what has arrived: some tenth of a second."""

_RECOVERED: Final = Reason(Cause.RECOVERED)


@dataclass(frozen=True, slots=True, eq=False)
class PageLevels:
    """The guard's answer to a page: where its links wait. Columns run over the unvisited links that are shown."""

    is_dropped: NDArray[np.bool_]  # links that are never to wait
    demotions: NDArray[np.int64]  # of the pages that show them
    levels: NDArray[np.uint8] | None = None  # None where the frontier has no levels
    reasons: Sequence[Reason | None] = ()
    has_finding: bool = False


class NoGuarding:
    """A crawl without a guard: nothing is looked at, and all links wait at one level."""

    def go_on_from(self, moment: float) -> None:
        """Nothing is remembered."""

    def see(self, link: LinkId, prepared: Prepared, verdict: Verdict, found: FoundLinks) -> PageLevels:  # noqa: ARG002
        """Let every link of a page wait."""
        return PageLevels(np.zeros(len(found.links), dtype=np.bool_), np.zeros(len(found.links), dtype=np.int64))

    def see_same(self, link: LinkId, prepared: Prepared) -> None:
        """Nothing is looked at."""

    def hear(self, found: FoundLinks, demotions: NDArray[np.int64]) -> PageLevels:
        """Let every link that other shards have found wait."""
        return PageLevels(np.zeros(len(found.links), dtype=np.bool_), demotions)

    def note_admitted(
        self,
        found: FoundLinks,
        links: NDArray[np.int64],
        seen: PageLevels,
        is_met: NDArray[np.bool_],
        has_room: NDArray[np.bool_],
    ) -> None:
        """Nothing is kept."""

    def follow(self, source: LinkId, target: LinkId, *, is_new: bool, is_waiting: bool) -> int | None:  # noqa: ARG002
        """Return no level."""
        return None

    def put_back(self, link: LinkId) -> int | None:  # noqa: ARG002
        """Return no level."""
        return None

    def level_now(self, link: LinkId, level: int) -> int | None:  # noqa: ARG002
        """Return the level at which the link waits."""
        return level

    def move_down(self, links: Iterable[LinkId]) -> None:
        """Links stay where they are."""

    def take(self, take: Callable[[], Taken | NotBefore | None], now: float) -> Taken | NotBefore | None:  # noqa: ARG002
        """Take the next link as it comes."""
        return take()

    def close_step(self) -> GuardRecord | None:
        """Return nothing to store."""
        return None


class Guarding:
    """Shows the pages of a crawl to its guard, and keeps its links at the levels that the guard gives them."""

    def __init__(
        self,
        parts: Parts,
        ledger: Ledger,
        learner: JournaledStages,
        *,
        drops: bool,
    ) -> None:
        """`learner` shows the guard pages, and notes that for a resumed crawl."""
        assert parts.guard is not None
        assert isinstance(parts.frontier, LevelledFrontier), "with a guard, the frontier has levels"
        self._guard = parts.guard
        self._learner = learner
        self._links = parts.links
        self._frontier = parts.frontier
        self._ledger = ledger
        self._drops = drops
        self._moment = 0.0
        self._changes = _Changes()

    def go_on_from(self, moment: float) -> None:
        """Note when the guard saw its last page: for later ones time does not run backwards."""
        self._moment = moment

    def see(self, link: LinkId, prepared: Prepared, verdict: Verdict, found: FoundLinks) -> PageLevels:
        """Show a page with its links, move up what has a better level for it, and say where its links wait."""
        targets = targets_by_page(found).get(link, [])
        judgement = self._show(link, prepared, targets, is_relevant=verdict.is_relevant)
        demotions = np.full(len(found.links), judgement.demotion, dtype=np.int64)
        return self._page_levels(found, demotions, has_finding=judgement.finding is not None)

    def hear(self, found: FoundLinks, demotions: NDArray[np.int64]) -> PageLevels:
        """Tell the guard of links on pages that other shards have seen, with the demotions that they carry."""
        for page, targets in targets_by_page(found).items():
            self._raise_hosts(self._learner.hear(page, targets))
        return self._page_levels(found, demotions)

    def see_same(self, link: LinkId, prepared: Prepared) -> None:
        """Show a page that has come before, under another address. Its links are not looked at."""
        self._show(link, prepared, [], is_relevant=False)

    def note_admitted(
        self,
        found: FoundLinks,
        links: NDArray[np.int64],
        seen: PageLevels,
        is_met: NDArray[np.bool_],
        has_room: NDArray[np.bool_],
    ) -> None:
        """Note which links of a page begin to wait, or are dropped; `links` are their numbers by now."""
        assert seen.levels is not None
        for place in np.flatnonzero((found.is_new | found.is_pruned) & is_met & ~found.is_elsewhere).tolist():
            link, is_new = LinkId(int(links[place])), bool(found.is_new[place])
            self._note_shown(link, int(seen.demotions[place]), is_new=is_new)
            if seen.is_dropped[place]:
                self._drop(link, seen.reasons[place])
            elif has_room[place]:
                self._place(link, int(seen.levels[place]), seen.reasons[place], is_new=is_new)

    def follow(self, source: LinkId, target: LinkId, *, is_new: bool, is_waiting: bool) -> int | None:
        """Return the level at which a link begins to wait that another one leads to; None where it waits already."""
        demotion = self._links.carried(source)
        if is_waiting:
            if demotion < self._links.carried(target):
                self._carry(target, demotion)
                self._raise([target])
            return None
        self._note_shown(target, demotion, is_new=is_new)
        return self._begin(target, is_new=is_new)

    def put_back(self, link: LinkId) -> int | None:
        """Return the level at which a link waits again."""
        return self._begin(link, is_new=False)

    def level_now(self, link: LinkId, level: int) -> int | None:  # noqa: ARG002
        """Return the level that a waiting link has by now; None if it is to be dropped. Changes nothing."""
        now = self._level(link).level
        return None if self._is_bottom(now) else now

    def move_down(self, links: Iterable[LinkId]) -> None:
        """Let waiting links wait at the level that they have by now, which is deeper, or drop them."""
        moved, levels = [], []
        for link in links:
            now = self._level(link)
            if self._is_bottom(now.level):
                self._frontier.withdraw(link)
                self._drop(link, now.reason)
            else:
                self._place(link, now.level, now.reason, is_new=False)
                moved.append(link)
                levels.append(now.level)
        self._frontier.move(moved, levels)

    def take(self, take: Callable[[], Taken | NotBefore | None], now: float) -> Taken | NotBefore | None:
        """Return what `take` gives, once all that has a deeper level by now has been moved down.

        After `MOVED_AT_ONCE` moves it returns the moment `now`, so that the crawl can take in answers in between.
        """
        lowered: list[Taken] = []
        levels: list[int] = []

        def settle() -> None:
            self._frontier.give_back(lowered, levels)
            lowered.clear()
            levels.clear()

        moved = 0
        while moved < MOVED_AT_ONCE:
            taken = take()
            if not isinstance(taken, Taken):
                if not lowered:
                    return taken
                settle()
                continue
            current = self._level(taken.link)
            if self._is_bottom(current.level):
                self._drop(taken.link, current.reason)
                moved += 1
            elif current.level > taken.level:
                self._place(taken.link, current.level, current.reason, is_new=False)
                lowered.append(taken)
                levels.append(current.level)
                moved += 1
            elif not levels or taken.level < min(levels):
                settle()
                return taken
            else:
                lowered.append(taken)
                levels.append(taken.level)
                settle()
        settle()
        return NotBefore(now)

    def close_step(self) -> GuardRecord | None:
        """Return what changed since the step before, and count it."""
        record, self._changes = self._changes.record(), _Changes()
        self._ledger.note_findings(len(record.findings))
        self._ledger.note_moved(record.moves)
        return record

    def _show(self, link: LinkId, prepared: Prepared, targets: Sequence[Target], *, is_relevant: bool) -> Judgement:
        self._moment = max(self._moment, self._ledger.progress.now)
        fingerprint = prepared.fingerprint or fingerprint_of(prepared.page)
        found_on = self._links.found_on(link)
        page = SeenPage(link, self._links.url(link), found_on, self._moment, fingerprint, is_relevant)
        judgement = self._learner.observe(page, targets)
        self._changes.seen = PrintRecord(link, self._moment, fingerprint.pack())
        if judgement.finding is not None:
            self._note_finding(link, judgement.finding, judgement.demotion)
        for late in judgement.earlier:
            self._note_finding(late.link, late.finding, 0)
        self._carry_late({late.link: late.demotion for late in judgement.earlier if late.demotion})
        self._raise_hosts(judgement.raised)
        return judgement

    def _raise_hosts(self, hosts: Sequence[HostKey]) -> None:
        """Move up those waiting links of some hosts that have a better level by now."""
        if hosts:
            behind = self._links.of_hosts(self._frontier.behind(), hosts)
            self._raise([LinkId(each) for each in behind.tolist()])

    def _page_levels(self, found: FoundLinks, demotions: NDArray[np.int64], *, has_finding: bool = False) -> PageLevels:
        levels, reasons = self._levels(found, demotions)
        is_dropped = (levels == MAX_LEVEL) & self._drops & (found.is_new | found.is_pruned)
        return PageLevels(is_dropped, demotions, levels, reasons, has_finding)

    def _levels(self, found: FoundLinks, demotions: NDArray[np.int64]) -> tuple[NDArray[np.uint8], list[Reason | None]]:
        """Return where the links wait whose pages have these demotions, and why.

        Links that wait already keep their levels, unless a page has less demotion than those that showed them.
        """
        levels = np.zeros(len(found.links), dtype=np.uint8)
        reasons: list[Reason | None] = [None] * len(found.links)
        waits = ~(found.is_new | found.is_pruned | found.is_elsewhere)
        relieved = np.flatnonzero(waits & (demotions < self._links.carried_column(np.where(waits, found.links, 0))))
        for place in relieved.tolist():
            self._carry(LinkId(int(found.links[place])), int(demotions[place]))
            self._raise([LinkId(int(found.links[place]))])
        # The guard of another shard says where those of its hosts wait.
        for place in np.flatnonzero(~(waits | found.is_elsewhere)).tolist():
            carried = int(demotions[place])
            if not found.is_new[place]:
                carried = min(carried, self._links.carried(LinkId(int(found.links[place]))))
            level = self._guard.level(found.candidates.targets[place], carried)
            levels[place], reasons[place] = level.level, level.reason
        levels[waits] = self._frontier.levels(found.links[waits])
        return levels, reasons

    def _note_finding(self, link: LinkId, finding: Finding, demotion: int) -> None:
        numbers = json.dumps(finding.numbers, sort_keys=True)
        self._changes.findings.append(
            FindingRecord(link, finding.kind, finding.about, finding.rule, finding.like, numbers, demotion)
        )

    def _carry_late(self, demotion_by_page: dict[LinkId, int]) -> None:
        """Demote waiting links that were first met on pages with a late finding, and that no other page has shown."""
        for link in self._links.first_met_on(list(demotion_by_page)) if demotion_by_page else ():
            found_on = self._links.found_on(link)
            assert found_on is not None  # one of these pages
            is_clean = self._links.carried(link) == 0 and link in self._frontier
            if is_clean and not self._guard.is_shown_twice(link):
                self._carry(link, demotion_by_page[found_on])

    def _note_shown(self, link: LinkId, demotion: int, *, is_new: bool) -> None:
        """Note that a page with this demotion shows a link that does not wait yet."""
        if demotion < self._links.carried(link) or (is_new and demotion):
            self._carry(link, demotion)

    def _begin(self, link: LinkId, *, is_new: bool) -> int:
        now = self._level(link)
        self._place(link, now.level, now.reason, is_new=is_new)
        return now.level

    def _level(self, link: LinkId) -> LinkLevel:
        return self._guard.level(self._links.url(link), self._links.carried(link))

    def _is_bottom(self, level: int) -> bool:
        """Whether a link at this level is dropped."""
        return self._drops and level == MAX_LEVEL

    def _carry(self, link: LinkId, demotion: int) -> None:
        self._links.carry(link, demotion)
        self._changes.carried_by_link[link] = demotion

    def _place(self, link: LinkId, level: int, reason: Reason | None, *, is_new: bool) -> None:
        """Note that a link waits at a level; level 0 of a new one goes without saying."""
        if level:
            self._count(link, reason, "lowered")
        if level or not is_new:
            self._changes.level_by_link[link] = level

    def _raise(self, links: Sequence[LinkId]) -> None:
        """Move up those waiting links whose level is better than the one they wait at."""
        moved, levels = [], []
        for link, level in zip(links, self._frontier.levels(links).tolist(), strict=True):
            now = self._level(link)
            if now.level < level:
                moved.append(link)
                levels.append(now.level)
                self._count(link, now.reason or _RECOVERED, "raised")
                self._changes.level_by_link[link] = now.level
        self._frontier.move(moved, levels)

    def _drop(self, link: LinkId, reason: Reason | None) -> None:
        self._links.set_state(link, LinkState.DROPPED)
        self._changes.dropped.append(link)
        self._count(link, reason, "dropped")

    def _count(self, link: LinkId, reason: Reason | None, way: str) -> None:
        assert reason is not None  # every level but 0 has one
        self._changes.moves[self._links.url(link).host, reason, self._ledger.progress.steps, way] += 1


AnyGuarding: TypeAlias = Guarding | NoGuarding


@dataclass(slots=True, eq=False)
class _Changes:
    """The changes that are not yet stored."""

    seen: PrintRecord | None = None
    findings: list[FindingRecord] = field(default_factory=list)
    level_by_link: dict[LinkId, int] = field(default_factory=dict)
    carried_by_link: dict[LinkId, int] = field(default_factory=dict)
    moves: Counter[tuple[HostKey, Reason, int, str]] = field(default_factory=Counter)  # by host, reason, steps and way
    dropped: list[LinkId] = field(default_factory=list)

    def record(self) -> GuardRecord:
        moves = [
            MoveRecord(host, reason.cause, reason.about, reason.kind or "", steps, **{way: count})
            for (host, reason, steps, way), count in self.moves.items()
        ]
        return GuardRecord(
            self.seen, tuple(self.findings), self.level_by_link, self.carried_by_link, tuple(moves), tuple(self.dropped)
        )


def targets_by_page(found: FoundLinks) -> dict[LinkId, list[Target]]:
    """Return the links of each page as a guard is shown them: visited ones, then the others, in reading order."""
    targets: dict[LinkId, list[Target]] = {}
    for page, link, url in zip(found.visited_on, found.visited, found.visited_targets, strict=True):
        targets.setdefault(page, []).append(Target(link, url, is_new=False))
    columns = found.pages.tolist(), found.links.tolist(), found.candidates.targets, found.is_new.tolist()
    for page, link, url, is_new in zip(*columns, strict=True):
        targets.setdefault(page, []).append(Target(link, url, is_new))
    return targets
