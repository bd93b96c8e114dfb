"""Fetches that brought trouble, after which their links waited again: what a resumed crawl has to know of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.domain import LinkId
    from honeyguide.store import StoredAttempt, StoredDecision


class VainAttempts:
    """Fetches in vain by link, each with the number of steps after which it was chosen and the step at which it ended.

    A link is decided on once, when it is first chosen; to try it again is no further decision.
    """

    def __init__(self, attempts: Iterable[StoredAttempt]) -> None:
        self._by_link: dict[LinkId, list[tuple[int, int]]] = defaultdict(list)
        for attempt in attempts:
            self._by_link[attempt.link].append((attempt.after_steps, attempt.step))

    def tries_by_link(self) -> dict[LinkId, int]:
        return {link: len(attempts) for link, attempts in self._by_link.items()}

    def is_repeated(self, decision: StoredDecision) -> bool:
        """Whether the link had been tried in vain before this turn of its."""
        return any(ended <= decision.after_steps for _, ended in self._by_link.get(decision.link, ()))

    def is_vain(self, decision: StoredDecision) -> bool:
        """Whether the link waited again after this turn of its."""
        return any(chosen == decision.after_steps for chosen, _ in self._by_link.get(decision.link, ()))

    def was_under_way(self, link: LinkId, step: int) -> bool:
        """Whether the link was being fetched in vain when the answer of `step` came in."""
        return any(chosen < step <= ended for chosen, ended in self._by_link.get(link, ()))
