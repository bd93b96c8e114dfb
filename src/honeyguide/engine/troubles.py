"""What a live crawl does about trouble that may pass: the link is tried again, its host left alone for a while.

Offline nothing of this happens: an offline world answers the same every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from honeyguide.domain import Failed, Refused
from honeyguide.frontier import backoff_s, next_request_at
from honeyguide.settings.fetch_tables import LONGEST_REST_S

if TYPE_CHECKING:
    import numpy as np

    from honeyguide.domain import Answer, LinkId
    from honeyguide.frontier import HostId
    from honeyguide.settings import FetchSettings, PolitenessSettings


def may_pass(answer: Answer) -> bool:
    """Whether the same link may well bring a page later: a temporary failure, or a robots.txt not to be had for now."""
    outcome = answer.outcome
    return (isinstance(outcome, Failed) and outcome.is_temporary) or (
        isinstance(outcome, Refused) and answer.retry_after_s > 0
    )


@dataclass(frozen=True, slots=True)
class Rest:
    """When a host may be asked again after an answer, and when its address may be."""

    ready_at: float
    address_ready_at: float


class Troubles:
    """How often links were tried in vain, and how many troubles in a row each host has had."""

    def __init__(self, fetch: FetchSettings, politeness: PolitenessSettings, chance: np.random.Generator) -> None:
        self._fetch = fetch
        self._politeness = politeness
        self._chance = chance
        self.tries_by_link: dict[LinkId, int] = {}  # of links that wait to be tried again, or are being
        self.in_a_row_by_host: dict[HostId, int] = {}

    def has_tried(self, link: LinkId) -> bool:
        return link in self.tries_by_link

    def is_to_be_tried_again(self, link: LinkId, answer: Answer) -> bool:
        """Whether the link waits again. Where it does not, its tries are forgotten."""
        tries = self.tries_by_link.pop(link, 0) + 1
        is_too_late = isinstance(answer.outcome, Failed) and answer.retry_after_s > self._fetch.max_retry_after_s
        if not may_pass(answer) or is_too_late or tries > self._fetch.retries:
            return False
        self.tries_by_link[link] = tries
        return True

    def rest_after(self, host: HostId, answer: Answer, ended_at: float) -> Rest:
        """How long a live host and its address rest after an answer."""
        is_asked = not isinstance(answer.outcome, Refused) or answer.robots_fetches > 0
        pause_until = next_request_at(ended_at, answer.host_delay_s, self._politeness, answer.elapsed_s)
        ready_at = pause_until if is_asked else ended_at
        address_ready_at = ended_at + self._politeness.pause_s(answer.elapsed_s) if is_asked else ended_at
        if may_pass(answer):
            troubles = self.in_a_row_by_host[host] = self.in_a_row_by_host.get(host, 0) + 1
            asked_s = min(answer.retry_after_s, LONGEST_REST_S)
            ready_at = max(ready_at, ended_at + max(asked_s, backoff_s(troubles, self._fetch, self._chance)))
        elif not isinstance(answer.outcome, Refused):
            self.in_a_row_by_host.pop(host, None)
        return Rest(ready_at, address_ready_at)
