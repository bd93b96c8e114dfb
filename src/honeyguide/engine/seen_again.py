"""Pages shown to the guard once more, after its state was loaded: what it had seen since, in the same order."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from honeyguide.domain import LinkId
from honeyguide.engine.guarding import importance_in, seen_page
from honeyguide.guard import Fingerprint, Target
from honeyguide.store import PrintRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.domain import Link, Page
    from honeyguide.engine.parts import Parts
    from honeyguide.store import Store, StoredPrint, StoredTransition


class SeenAgain:
    """Shows the guard of a restored crawl what it saw after a step, as that is told again."""

    def __init__(self, parts: Parts, store: Store, step: int) -> None:
        self._parts = parts
        self._importance_of = importance_in(parts.ranks)
        self._prints = deque(store.prints_after(step) if parts.guard is not None else ())

    def replay(self, *, before_step: int) -> None:
        """Pages that had come before under other addresses, up to a step: nothing was learned from them."""
        while self._prints and self._prints[0].step < before_step:
            seen = self._prints.popleft()
            assert seen.is_same, f"the page of step {seen.step} is not there"
            self._show(seen, [], 0.0, is_relevant=False)

    def show(self, told: StoredTransition, page: Page, unvisited: Sequence[Link]) -> None:
        """The page of a step that was learned from, with the links on it that were unvisited then."""
        if self._parts.guard is None or not self._prints or self._prints[0].step != told.step:
            return
        seen = self._prints.popleft()
        self._show(seen, self._targets(page, unvisited, seen.met), told.reward, is_relevant=told.is_relevant)

    def _targets(self, page: Page, unvisited: Sequence[Link], met: int) -> list[Target]:
        """As `targets_of` gave them: links that had been met by then, and the new ones with the numbers to come."""
        find = self._parts.links.find
        is_unvisited = {link.target for link in unvisited}
        targets = []
        for link in page.links:
            number = None if link.target in is_unvisited else find(link.target)
            if number is not None and number < met:
                targets.append(Target(number, link.target, is_new=False, importance=self._importance_of(number)))
        new = met
        for link in unvisited:
            number = find(link.target)
            is_new = number is None or number >= met
            shown = LinkId(new) if is_new or number is None else number
            targets.append(Target(shown, link.target, is_new, self._importance_of(shown)))
            new += is_new
        return targets

    def _show(self, seen: StoredPrint, targets: list[Target], reward: float, *, is_relevant: bool) -> None:
        assert self._parts.guard is not None
        fingerprint = Fingerprint.unpack(seen.print)
        record = PrintRecord(seen.link, seen.found_on, seen.moment, seen.met, seen.is_same, seen.print)
        url = self._parts.links.url(seen.link)
        importance = self._importance_of(seen.link)
        page = seen_page(seen.step, url, record, fingerprint, reward, is_relevant=is_relevant, importance=importance)
        self._parts.guard.observe(page, targets)
