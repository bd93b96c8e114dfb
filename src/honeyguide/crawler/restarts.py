"""Beginning anew elsewhere: by schedule, or when what the crawl earns or finds has fallen far below its best.

A restart puts a few links before all others: spare seeds, starting points, or the best waiting link of each of the
hosts that were asked least. They are fetched next, one after the other as their hosts are ready; everything else waits
on as it did. What decides on the next restart is small and saved with every step, so that a resumed crawl restarts when
an uninterrupted one would.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from honeyguide.frontier import LevelledFrontier
from honeyguide.guard import FIRM_LEVEL, MAX_LEVEL
from honeyguide.model import LinkId, LinkState
from honeyguide.model.counts import count_of
from honeyguide.runs import RestartRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.discovery import Discovery
    from honeyguide.crawler.guarding import AnyGuarding
    from honeyguide.crawler.ledger import Ledger
    from honeyguide.crawler.parts import Parts
    from honeyguide.model import Url
    from honeyguide.settings import RestartSettings

_Rank: TypeAlias = "tuple[int, float, int]"
"""Of a waiting link: its level, minus its score, and its number."""

UNEXPLORED: Final = "unexplored"
BATCH: Final = 4096  # waiting links looked at together


@dataclass(slots=True)
class Mean:
    """A moving mean, and the best that it has been."""

    count: int = 0  # values since it began anew
    value: float = 0.0
    best: float = 0.0

    def add(self, value: float, window: int) -> None:
        self.count += 1
        self.value += (value - self.value) / min(self.count, window)
        if self.count >= window:
            self.best = max(self.best, self.value)

    def has_collapsed(self, share: float, window: int) -> bool:
        """Whether it is below this share of its best; not before it is a mean of so many."""
        return share > 0 and self.count >= window and self.value < share * self.best

    def begin_anew(self) -> None:
        self.count, self.value = 0, 0.0


@dataclass(slots=True)
class _State:
    """All that decides on the next restart."""

    fetches: int = 0  # that had ended at the last one
    spent_s: float = 0.0  # at the last one
    reward: Mean = field(default_factory=Mean)
    novelty: Mean = field(default_factory=Mean)
    used: dict[str, int] = field(default_factory=dict)  # spare URLs, by where they come from
    first: list[LinkId] = field(default_factory=list)  # that go before all others

    @classmethod
    def read(cls, text: str) -> _State:
        saved: dict[str, Any] = json.loads(text)
        return cls(**saved | {"reward": Mean(**saved["reward"]), "novelty": Mean(**saved["novelty"])})


class Restarts:
    """Decides when the crawl begins anew, and where."""

    def __init__(
        self,
        parts: Parts,
        settings: RestartSettings,
        ledger: Ledger,
        discovery: Discovery,
        guarding: AnyGuarding,
    ) -> None:
        self._parts = parts
        self._settings = settings
        self._ledger = ledger
        self._discovery = discovery
        self._guarding = guarding
        saved = ledger.progress.restart_state
        self._state = _State.read(saved) if saved else _State()

    def saved(self) -> str:
        """Return the state that a resumed crawl goes on from."""
        return json.dumps(asdict(self._state))

    def note(self, reward: float, novelty: float) -> None:
        """A fetch has brought this much."""
        self._state.reward.add(reward, self._settings.window)
        self._state.novelty.add(novelty, self._settings.window)

    def first_ready(self, now: float) -> LinkId | None:
        """The next link that goes before all others, if the host of one is ready."""
        parts, state = self._parts, self._state
        if not state.first:
            return None
        state.first = [link for link in state.first if parts.links.state(link) is LinkState.WAITING]
        for link, host in zip(state.first, parts.links.hosts(state.first), strict=True):
            if parts.schedule.is_ready(host, now):
                state.first.remove(link)
                return link
        return None

    def begin_if_due(self) -> bool:
        """Begin anew, if it is time and there is somewhere to begin; whether it did."""
        reason = self._reason()
        return reason is not None and self.begin(reason)

    def begin(self, reason: str) -> bool:
        """Begin anew, if there is somewhere to begin and it was not done too often; whether it did."""
        if self._ledger.progress.restarts >= self._settings.most:
            return False
        self._begin_count()
        for source in self._settings.sources:
            begun = self._from_unexplored(reason) if source == UNEXPLORED else self._from_urls(source, reason)
            if begun is not None:
                self._state.first = list(begun.links)
                self._ledger.note_restart(begun)
                return True
        return False

    def _reason(self) -> str | None:
        settings, state, progress = self._settings, self._state, self._ledger.progress
        fetches, spent_s = progress.fetches - state.fetches, progress.spent_seconds - state.spent_s
        if settings.every_fetches and fetches >= settings.every_fetches:
            return f"{count_of(settings.every_fetches, 'fetch has', 'fetches have')} passed"
        if settings.every_s and spent_s >= settings.every_s:
            return f"{settings.every_s:g} seconds have passed"
        for name, mean, share in (
            ("reward", state.reward, settings.reward_share),
            ("novelty", state.novelty, settings.novelty_share),
        ):
            if mean.has_collapsed(share, settings.window):
                return f"mean {name} fell to {mean.value:.3f}, its best was {mean.best:.3f}"
        return None

    def _begin_count(self) -> None:
        state, progress = self._state, self._ledger.progress
        state.fetches, state.spent_s = progress.fetches, progress.spent_seconds
        state.reward.begin_anew()
        state.novelty.begin_anew()

    def _record(self, reason: str, source: str, links: Sequence[LinkId], **met: Any) -> RestartRecord | None:  # noqa: ANN401 - fields of the record
        progress = self._ledger.progress
        if not links:
            return None
        return RestartRecord(progress.restarts + 1, progress.steps, progress.now, reason, source, tuple(links), **met)

    def _from_urls(self, source: str, reason: str) -> RestartRecord | None:
        """From the next of the spare URLs that the crawl may still fetch."""
        urls = self._parts.spare_urls.get(source, ())
        used = self._state.used.get(source, 0)
        chosen: list[Url] = []
        for url in urls[used:]:
            if len(chosen) == self._settings.links:
                break
            used += 1
            if self._may_begin_at(url) and url not in chosen:
                chosen.append(url)
        self._state.used[source] = used
        if not chosen:
            return None
        met = self._discovery.meet_seeds(chosen, self._ledger.progress.steps)
        links = [link for link in met.targets if self._parts.links.state(link) is LinkState.WAITING]
        return self._record(
            reason, source, links, new_links=met.new, again=met.again, pruned=met.pruned, pairs=met.pairs
        )

    def _may_begin_at(self, url: Url) -> bool:
        links, scope = self._parts.links, self._parts.scope
        known = links.find(url)
        if scope.objection(url, depth=0) is not None:
            return False
        if known is None:
            return scope.has_room(len(links))
        return links.state(known) in (LinkState.WAITING, LinkState.PRUNED)

    def _from_unexplored(self, reason: str) -> RestartRecord | None:
        """From the best waiting link of each of the hosts that were asked least."""
        links, frontier = self._parts.links, self._parts.frontier
        waiting = links.waiting()
        if not len(waiting):
            return None
        scores = np.concatenate(
            [frontier.peek(waiting[start : start + BATCH].tolist())[0] for start in range(0, len(waiting), BATCH)]
        )
        levels = np.zeros(len(waiting), dtype=np.uint8)
        if isinstance(frontier, LevelledFrontier):
            levels = frontier.levels(waiting.tolist())
        return self._record(reason, UNEXPLORED, self._best_of_hosts(waiting, scores, levels))

    def _best_of_hosts(
        self, waiting: NDArray[np.int64], scores: NDArray[np.float64], levels: NDArray[np.uint8]
    ) -> list[LinkId]:
        """The best link of each host: the least demoted, then by score, then the first that was met. Of these those of
        the hosts asked least, again the least demoted first.

        Those about which something was found out are chosen only where nothing else waits.

        Links wait where the guard put them when they were last looked at. So it is asked about each before it is
        chosen; one that stands lower by now is moved down, and the next of its host has its place.
        """
        hosts, asked_by_host = self._parts.links.host_column(waiting), self._parts.links.asked_by_host()
        in_order = np.lexsort((waiting, -scores, levels, hosts))
        by_host = np.split(in_order, np.flatnonzero(np.diff(hosts[in_order])) + 1)
        first = np.array([places[0] for places in by_host])
        asked = asked_by_host[hosts[first]].tolist()
        ranked = enumerate(_ranks(first, levels, scores, waiting))
        best = [(level, asked[host], minus_score, number, host) for host, (level, minus_score, number) in ranked]
        heapify(best)
        others: dict[int, list[_Rank]] = {}  # of hosts whose best link stood lower
        chosen: list[LinkId] = []
        best_level = MAX_LEVEL
        lowered: dict[LinkId, None] = {}
        while best and len(chosen) < self._settings.links:
            level, _, minus_score, number, host = heappop(best)
            link = LinkId(number)
            stands_at = self._guarding.level_now(link, level)
            if stands_at is not None and stands_at <= level:
                if best_level < FIRM_LEVEL <= level:
                    break
                best_level = min(best_level, level)
                chosen.append(link)
                continue
            lowered[link] = None
            if host not in others:
                others[host] = _ranks(by_host[host][1:], levels, scores, waiting)
            if stands_at is not None:
                heappush(others[host], (stands_at, minus_score, number))
            if others[host]:
                level, minus_score, number = heappop(others[host])
                heappush(best, (level, asked[host], minus_score, number, host))
        self._guarding.move_down(lowered)
        return chosen


def _ranks(
    places: NDArray[np.int64], levels: NDArray[np.uint8], scores: NDArray[np.float64], waiting: NDArray[np.int64]
) -> list[_Rank]:
    """In the order of these places."""
    return list(zip(levels[places].tolist(), (-scores[places]).tolist(), waiting[places].tolist(), strict=True))
