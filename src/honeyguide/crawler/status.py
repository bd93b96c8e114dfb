"""Publishes how a crawl stands: `RUN/status.json`, for a dashboard or whoever else watches from outside.

The file is replaced as a whole, so a reader never sees half of one. It is written at most four times a second, and
less often where that takes long: it costs a crawl a two-hundredth of its time at most. The best waiting links, the
questions and the outlook take longest; each has as much of its own, and between two looks the file keeps what the
last one found.
"""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.ask.questions import KnownPages
from honeyguide.frontier import BestFirstFrontier, LevelledFrontier, worths_of
from honeyguide.model import HostId, LinkId
from honeyguide.model.clock import RealClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.crawler.answers import AnswerIntake
    from honeyguide.crawler.core import CrawlCore
    from honeyguide.crawler.parts import Parts
    from honeyguide.frontier import Frontier
    from honeyguide.runs import SqliteStore

log = logging.getLogger(__name__)

FILE: Final = "status.json"
WRITE_EVERY_S: Final = 0.25
LARGEST_SHARE: Final = 0.005  # of a crawl's time that goes into the file, and into each of its costly parts
BEST_LINKS: Final = 10
MOST_HOSTS: Final = 20
MOST_COUNTED: Final = 200  # hosts whose waiting links are counted
MOST_QUESTIONS: Final = 5
QUESTIONS_EVERY_S: Final = 2.0
OUTLOOK_EVERY_S: Final = 2.0
BATCH: Final = 50_000  # links whose scores are looked at together


def write_status(run: Path, status: Mapping[str, Any]) -> None:
    """Replace the status file of a run; OSError where that fails."""
    draft = run / f"{FILE}.draft"
    draft.unlink(missing_ok=True)
    with draft.open("x", encoding="utf-8") as opened:
        opened.write(json.dumps(status))  # by the encoder in C, which json.dump does not use
    draft.replace(run / FILE)


class _Rationed:
    """A value that is made again only so often that making it takes a small share of the crawl's time."""

    def __init__(self, make: Callable[[], Any], every_s: float) -> None:
        self._make = make
        self._every_s = every_s
        self._next = 0.0
        self.value: Any = None  # as JSON has it

    def refresh(self, *, if_due: bool) -> None:
        """Make the value anew: always, or only if it is time for that."""
        if not if_due or perf_counter() >= self._next:
            began = thread_time()  # what other programs do meanwhile is not the crawl's cost
            self.value = self._make()
            self._next = perf_counter() + max(self._every_s, (thread_time() - began) / LARGEST_SHARE)


class StatusFile:
    """Writes the status of one crawl. What goes wrong here is logged once, and never stops the crawl."""

    def __init__(self, run: Path, core: CrawlCore, parts: Parts, store: SqliteStore, answers: AnswerIntake) -> None:
        self._answers = answers
        self._questions = _Rationed(self._newest_questions, QUESTIONS_EVERY_S)
        self._best = _Rationed(self._best_waiting, WRITE_EVERY_S)
        self._outlook = _Rationed(lambda: asdict(store.outlook()), OUTLOOK_EVERY_S)
        self._file = run / FILE
        self._core = core
        self._parts = parts
        self._store = store
        self._next = 0.0
        self._answers_seen = len(answers.answers)
        self._has_failed = False

    def write_if_due(self, now: float) -> None:
        """Write the file, if it is time for a new one; `now` is on the crawl's clock."""
        if perf_counter() >= self._next:
            has_answers = len(self._answers.answers) != self._answers_seen
            self._answers_seen = len(self._answers.answers)
            self._refresh(if_due=not has_answers)  # an answer changes scores and questions at once
            began = thread_time()
            self._write(now)
            self._next = perf_counter() + max(WRITE_EVERY_S, (thread_time() - began) / LARGEST_SHARE)

    def write(self, now: float) -> None:
        """Replace the file by one that says how the crawl stands now, new in all its parts."""
        self._refresh(if_due=False)
        self._write(now)

    def _refresh(self, *, if_due: bool) -> None:
        self._best.refresh(if_due=if_due)
        self._questions.refresh(if_due=if_due)
        self._outlook.refresh(if_due=if_due)

    def _write(self, now: float) -> None:
        try:
            write_status(self._file.parent, self._status(now))
        except OSError as error:
            if not self._has_failed:
                log.warning("%s cannot be written (%s); the crawl goes on without it", self._file, error.strerror)
            self._has_failed = True

    def _status(self, now: float) -> dict[str, Any]:
        progress = self._core.progress
        counts = ("steps", "dispatches", "fetches", "pages", "relevant", "spent_seconds", "stop_reason")
        replies = [each.answer for each in self._answers.answers if each.is_reply]
        return {
            "written_at": RealClock().now(),  # Unix time
            "now": now,  # on the crawl's clock, as all times below
            "budget": self._core.budget,
            "progress": {
                **{name: getattr(progress, name) for name in counts},
                "waiting": len(self._parts.frontier),
                "questions": len(replies),  # replied to, whoever was asked; skips too
                "answered": len(replies) - replies.count("skip"),
            },
            "outlook": self._outlook.value,  # as of some seconds ago
            "in_flight": [{"url": each.url.text, "since": each.record.chosen_at} for each in self._core.dispatches],
            "best_waiting": self._best.value,
            "waits_for": self._core.waits_for,  # a better host at rest, while others are ready
            "resting_hosts": list(self._resting_hosts(now)),
            "waiting_by_host": self._waiting_by_host(),
            "weights": self._weights(),
            "questions": self._questions.value,
        }

    def _newest_questions(self) -> list[dict[str, Any]]:
        """Return the pages about which an answer helps most; none where the judge does not learn."""
        judge = self._parts.judge.learner
        if judge is None:
            return []
        pages = self._store.page_columns(judge.description_width, to_ask=True)
        relevance_by_link = dict(zip(pages.links.tolist(), pages.relevance.tolist(), strict=True))
        links = KnownPages.of(pages, self._answers.answers).links_to_ask_about(judge, MOST_QUESTIONS)
        return [
            {
                "url": self._parts.links.url(LinkId(link)).text,
                "title": self._store.title(LinkId(link)),
                "relevance": relevance_by_link[link],
            }
            for link in links
        ]

    def _best_waiting(self) -> list[dict[str, Any]]:
        """Return the links that would come out next were all hosts ready, with what speaks for each."""
        return [
            {
                "url": self._parts.links.url(link).text,
                "score": score,
                "level": level,
                **self._store.reasons_to_follow(link),
            }
            for level, score, link in best_waiting(self._parts, BEST_LINKS)
        ]

    def _waiting_by_host(self) -> dict[str, int]:
        """Count waiting links by host: of those with the most, the most first."""
        links = self._parts.links
        counts = np.bincount(links.host_column(links.waiting()), minlength=links.host_count)
        hosts = np.argsort(-counts, kind="stable")[:MOST_COUNTED]
        return {links.host_key(HostId(host)): int(counts[host]) for host in hosts.tolist() if counts[host]}

    def _weights(self) -> dict[str, float]:
        """Return what the strategy has learned, by the name of each column; empty where it has no weights."""
        weights, columns = self._parts.strategy.weights, self._parts.strategy.columns
        return dict(zip(columns, weights.tolist(), strict=True)) if weights is not None and columns else {}

    def _resting_hosts(self, now: float) -> Iterator[dict[str, Any]]:
        """Yield the hosts that may not be asked yet and are not being asked, the soonest first."""
        links = self._parts.links
        ready_at = self._parts.schedule.ready_at(links.host_count)
        resting = np.flatnonzero((ready_at > now) & np.isfinite(ready_at))
        for host in resting[np.argsort(ready_at[resting], kind="stable")][:MOST_HOSTS].tolist():
            yield {"host": links.host_key(HostId(host)), "ready_at": float(ready_at[host])}


class WaitingOrder:
    """The order in which the links that wait would come out were all hosts ready, as long as none comes or goes."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._links = parts.links.waiting()

    def now(self) -> NDArray[np.int64]:
        """Return the links in their order by the scores that they have now."""
        scores, levels = _standing(self._parts, self._links)
        return self._links[np.lexsort((self._links, -scores, levels))]


def best_waiting(parts: Parts, count: int) -> list[tuple[int, float, LinkId]]:
    """Return level, score and number of the waiting links that come first, whatever their hosts."""
    waiting = _foremost(parts.frontier, count)
    if waiting is None:
        waiting = parts.links.waiting()
    found: list[tuple[int, float, LinkId]] = []
    for start in range(0, len(waiting), BATCH):
        links = waiting[start : start + BATCH]
        scores, levels = _standing(parts, links)
        first = np.lexsort((links, -scores, levels))[:count]
        found += [(int(levels[place]), float(scores[place]), LinkId(int(links[place]))) for place in first.tolist()]
    return sorted(found, key=lambda each: (each[0], -each[1], each[2]))[:count]


def _foremost(frontier: Frontier | LevelledFrontier[Any], count: int) -> NDArray[np.integer] | None:
    """Return the links that come first; None where the frontier cannot tell without looking at all of them."""
    if isinstance(frontier, LevelledFrontier):
        found: list[NDArray[np.integer]] = []
        for _, inner in frontier.by_level():
            links = _foremost(inner, count)
            if links is None:
                return None
            found.append(links)
            if sum(map(len, found)) >= count:
                break
        return np.concatenate(found)
    return frontier.foremost(count) if isinstance(frontier, BestFirstFrontier) else None


def _standing(parts: Parts, links: NDArray[np.integer]) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    numbers = [LinkId(link) for link in links.tolist()]
    frontier = parts.frontier
    levels = frontier.levels(numbers) if isinstance(frontier, LevelledFrontier) else np.zeros(len(numbers), np.uint8)
    return worths_of(frontier, numbers), levels
