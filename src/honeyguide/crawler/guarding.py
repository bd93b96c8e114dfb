"""What the guard means for the links that wait: pages are shown to it, and links stand where it says.

A link gets its level when it begins to wait. It is asked about again when its turn comes, and moved down if it stands
lower by now; so a demotion costs nothing before it matters. Links are moved up when the guard says that a host may
stand better, or when a page shows them that carries less demotion than those before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.frontier import LevelledFrontier, NotBefore, Taken
from honeyguide.guard import MAX_LEVEL, SeenPage, Target
from honeyguide.model import LinkId, LinkState
from honeyguide.model.guard_words import Cause, Reason
from honeyguide.runs import DropRecord, FindingRecord, GuardRecord, MoveRecord, PrintRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.discovery import FoundLinks
    from honeyguide.crawler.ledger import Ledger
    from honeyguide.crawler.parts import Parts
    from honeyguide.guard import Finding, Fingerprint, Judgement, Standing
    from honeyguide.model import HostKey, Url, Verdict
    from honeyguide.runs import RefreshedRanks

MOVED_AT_ONCE: Final = 1000
"""Links moved down before the crawl looks up from it: some tenth of a second."""

RECOVERED: Final = Reason(Cause.RECOVERED).told()


@dataclass(slots=True, eq=False)
class _Changes:
    """What is not yet stored."""

    seen: PrintRecord | None = None
    findings: list[FindingRecord] = field(default_factory=list)
    level_by_link: dict[LinkId, int] = field(default_factory=dict)
    carried_by_link: dict[LinkId, int] = field(default_factory=dict)
    shown_again: dict[LinkId, int] = field(default_factory=dict)
    moves: Counter[tuple[HostKey, str, int, str]] = field(default_factory=Counter)  # host, reason, steps, which way
    drops: list[DropRecord] = field(default_factory=list)

    def record(self) -> GuardRecord:
        moves = [
            MoveRecord(host, reason, steps, **{way: count}) for (host, reason, steps, way), count in self.moves.items()
        ]
        return GuardRecord(
            self.seen,
            tuple(self.findings),
            self.level_by_link,
            self.carried_by_link,
            self.shown_again,
            tuple(moves),
            tuple(self.drops),
        )


class Guarding:
    """Shows pages to the guard of a crawl, and keeps its links where the guard says they stand."""

    def __init__(
        self,
        parts: Parts,
        ledger: Ledger,
        observe: Callable[[SeenPage, Sequence[Target]], Judgement],
        *,
        drops: bool,
    ) -> None:
        """`observe` shows the guard a page, and notes that for a resumed crawl."""
        assert parts.guard is not None
        assert isinstance(parts.frontier, LevelledFrontier), "with a guard, the frontier has levels"
        self._guard = parts.guard
        self._observe = observe
        self._links = parts.links
        self._importance_of = importance_in(parts.ranks)
        self._frontier = parts.frontier
        self._ledger = ledger
        self._drops = drops
        self._moment = 0.0
        self._changes = _Changes()

    def go_on_from(self, moment: float) -> None:
        """When the guard saw its last page; for its later ones time does not run backwards."""
        self._moment = moment

    def closed(self) -> GuardRecord:
        """What changed since the step before; it is in the ledger, too."""
        record, self._changes = self._changes.record(), _Changes()
        self._ledger.note_moved(record.moves)
        return record

    def see(self, link: LinkId, fingerprint: Fingerprint, verdict: Verdict, found: FoundLinks) -> Judgement:
        """Show a page with its links, and move up what may stand better for it."""
        return self._show(link, fingerprint, verdict, targets_of(found, self._links.url, self._importance_of))

    def see_same(self, link: LinkId, fingerprint: Fingerprint) -> None:
        """Show a page that has come before, under another address. Its links are not looked at."""
        self._show(link, fingerprint, None, [])

    def levels(self, found: FoundLinks, demotion: int) -> tuple[NDArray[np.uint8], list[str]]:
        """Where the links of a page stand that carries this demotion, and why.

        Links that wait already keep their places, unless this page shows them in a better light.
        """
        levels, reasons = np.zeros(len(found.links), dtype=np.uint8), [""] * len(found.links)
        for place, link in enumerate(found.links.tolist()):
            carried = demotion if found.is_new[place] else min(demotion, self._links.carried(link))
            if not found.is_new[place]:
                self._note_shown_again(link, demotion)
            if found.is_new[place] or found.is_pruned[place]:
                standing = self._guard.level(found.candidates.targets[place], carried)
                levels[place], reasons[place] = standing.level, standing.reason
            elif carried < self._links.carried(link):
                self._carry(link, carried)
                self._raise([link])
        waits = ~found.is_new & ~found.is_pruned
        levels[waits] = self._frontier.levels(found.links[waits].tolist())
        return levels, reasons

    def is_dropped(self, levels: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Which links that stand at these levels are thrown away."""
        return (levels == MAX_LEVEL) & self._drops

    def show(self, link: LinkId, demotion: int, *, is_new: bool) -> None:
        """Note that a page with this demotion shows a link that does not wait yet."""
        carried = self._links.carried(link)
        if demotion < carried or (is_new and demotion):
            self._carry(link, demotion)

    def admit(self, link: LinkId, level: int, reason: str, *, is_new: bool) -> None:
        """Note that a link begins to wait, or is dropped at once."""
        if self._drops and level == MAX_LEVEL:
            self._drop(link, reason)
        else:
            self._place(link, level, reason, is_new=is_new)

    def follow(self, source: LinkId, target: LinkId, *, is_new: bool) -> int:
        """The level at which a link begins to wait that another one leads to."""
        self.show(target, self._links.carried(source), is_new=is_new)
        self._note_led_to(source, target)
        return self._begin(target, is_new=is_new)

    def show_again(self, source: LinkId, target: LinkId) -> None:
        """A waiting link is one that another one leads to."""
        self._note_led_to(source, target)
        demotion = self._links.carried(source)
        if demotion < self._links.carried(target):
            self._carry(target, demotion)
            self._raise([target])

    def put_back(self, link: LinkId) -> int:
        """The level at which a link waits again."""
        return self._begin(link, is_new=False)

    def stands_at(self, link: LinkId) -> int | None:
        """The level at which a link stands by now, wherever it waits; None if it is to be dropped. Changes nothing."""
        level = self._standing(link).level
        return None if self._drops and level == MAX_LEVEL else level

    def move_down(self, links: Iterable[LinkId]) -> None:
        """Let waiting links wait where they stand by now, which is lower; drop those that are to be dropped."""
        moved, levels = [], []
        for link in links:
            standing = self._standing(link)
            if self._drops and standing.level == MAX_LEVEL:
                self._frontier.withdraw(link)
                self._drop(link, standing.reason)
            else:
                self._lower(link, standing)
                moved.append(link)
                levels.append(standing.level)
        self._frontier.move(moved, levels)

    def next_standing(self, take: Callable[[], Taken | NotBefore | None], now: float) -> Taken | NotBefore | None:
        """What `take` gives, once all that stands lower by now has been moved down.

        After so many that were, a moment is given at which to ask again: at once, but others may have their turn first.
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
            standing = self._standing(taken.link)
            if self._drops and standing.level == MAX_LEVEL:
                self._drop(taken.link, standing.reason)
                moved += 1
            elif standing.level > taken.level:
                self._lower(taken.link, standing)
                lowered.append(taken)
                levels.append(standing.level)
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

    def _show(
        self, link: LinkId, fingerprint: Fingerprint, verdict: Verdict | None, targets: Sequence[Target]
    ) -> Judgement:
        progress = self._ledger.progress
        self._moment = max(self._moment, progress.now)
        seen = PrintRecord(
            link, self._links.found_on(link), self._moment, len(self._links), verdict is None, fingerprint.pack()
        )
        reward, is_relevant = (0.0, False) if verdict is None else (verdict.reward, verdict.is_relevant)
        page = seen_page(
            progress.steps,
            self._links.url(link),
            seen,
            fingerprint,
            reward,
            is_relevant=is_relevant,
            importance=self._importance_of(link),
        )
        judgement = self._observe(page, targets)
        self._changes.seen = seen
        if judgement.finding is not None:
            self._note_finding(link, judgement.finding, judgement.demotion)
        for late in judgement.earlier:
            self._note_finding(late.link, late.finding, 0)
        self._carry_late({late.link: late.demotion for late in judgement.earlier if late.demotion})
        if judgement.reconsider:
            behind = self._links.of_hosts(self._frontier.behind(), judgement.reconsider)
            self._raise([LinkId(each) for each in behind.tolist()])
        return judgement

    def _note_finding(self, link: LinkId, finding: Finding, demotion: int) -> None:
        evidence = finding.told(self._links.url)
        self._changes.findings.append(FindingRecord(link, finding.kind.value, finding.about, evidence, demotion))
        self._ledger.note_findings(1)

    def _carry_late(self, demotion_by_page: dict[LinkId, int]) -> None:
        """Earlier pages were found out with this one: what was first met on them is moved when its turn comes.

        A link that other pages have shown carries the least of their demotions, so none if one of them was clean; a
        clean page that shows it later moves it back.
        """
        for link in self._links.first_met_on(list(demotion_by_page)) if demotion_by_page else ():
            found_on = self._links.found_on(link)
            assert found_on is not None  # one of these pages
            demotion = min(demotion_by_page[found_on], self._links.shown_again(link))
            if demotion and not self._links.carried(link) and link in self._frontier:
                self._carry(link, demotion)

    def _note_shown_again(self, link: LinkId, demotion: int) -> None:
        """A page with this demotion shows a link, and is not the first; it counts if the first is found out late."""
        if demotion < self._links.shown_again(link) and not self._links.carried(link):
            self._links.show_again(link, demotion)
            self._changes.shown_again[link] = demotion

    def _note_led_to(self, source: LinkId, target: LinkId) -> None:
        """A link is one that another leads to: the pages that show the one show the other."""
        if self._links.found_on(source) != self._links.found_on(target):
            self._note_shown_again(target, self._links.carried(source))
        else:
            self._note_shown_again(target, self._links.shown_again(source))

    def _begin(self, link: LinkId, *, is_new: bool) -> int:
        standing = self._standing(link)
        self._place(link, standing.level, standing.reason, is_new=is_new)
        return standing.level

    def _standing(self, link: LinkId) -> Standing:
        return self._guard.level(self._links.url(link), self._links.carried(link))

    def _carry(self, link: LinkId, demotion: int) -> None:
        self._links.carry(link, demotion)
        self._changes.carried_by_link[link] = demotion

    def _place(self, link: LinkId, level: int, reason: str, *, is_new: bool) -> None:
        """A link begins to wait at a level; that of a new one needs telling only if it is not 0."""
        if level:
            self._count(link, reason, "lowered")
        if level or not is_new:
            self._changes.level_by_link[link] = level

    def _lower(self, link: LinkId, standing: Standing) -> None:
        self._changes.level_by_link[link] = standing.level
        self._count(link, standing.reason, "lowered")

    def _raise(self, links: Iterable[LinkId]) -> None:
        """Move up those waiting links that stand better than they wait."""
        listed = list(links)
        moved, levels = [], []
        for link, level in zip(listed, self._frontier.levels(listed).tolist(), strict=True):
            standing = self._standing(link)
            if standing.level < level:
                moved.append(link)
                levels.append(standing.level)
                self._count(link, standing.reason or RECOVERED, "raised")
                self._changes.level_by_link[link] = standing.level
        self._frontier.move(moved, levels)

    def _drop(self, link: LinkId, reason: str) -> None:
        self._links.set_state(link, LinkState.DROPPED)
        self._changes.drops.append(DropRecord(link, self._ledger.progress.steps, reason))
        self._count(link, reason, "dropped")

    def _count(self, link: LinkId, reason: str, way: str) -> None:
        self._changes.moves[self._links.url(link).host, reason, self._ledger.progress.steps, way] += 1


def importance_in(ranks: RefreshedRanks | None) -> Callable[[LinkId], float]:
    """How important links are by the ranks of a crawl; not at all where it keeps none."""
    return (lambda _: 0.0) if ranks is None else ranks.importance


def targets_of(
    found: FoundLinks, url_of: Callable[[LinkId], Url], importance_of: Callable[[LinkId], float]
) -> list[Target]:
    """The links of a page as a guard is shown them: those it will not follow, then the others, in reading order."""
    visited = [Target(link, url_of(link), is_new=False, importance=importance_of(link)) for link in found.visited]
    shown = zip(map(LinkId, found.links.tolist()), found.candidates.targets, found.is_new.tolist(), strict=True)
    return visited + [Target(link, url, is_new, importance_of(link)) for link, url, is_new in shown]


def seen_page(
    step: int,
    url: Url,
    seen: PrintRecord,
    fingerprint: Fingerprint,
    reward: float,
    *,
    is_relevant: bool,
    importance: float,
) -> SeenPage:
    """A page as a guard is shown it."""
    parent = seen.found_on
    return SeenPage(
        step, seen.link, url, parent, seen.moment, fingerprint, reward, is_relevant, parent is None, importance
    )
