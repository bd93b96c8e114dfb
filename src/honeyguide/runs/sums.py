"""Sums of a run that may be growing: kept between two looks, and extended by the fetches that came since.

A fetch takes a few bytes: the number of its host, the number of its cause, and whether its page is relevant. So the
sums of a large run are made once, and every later look costs as much as what is new. An answer judges all pages again;
then only that column is read anew.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from heapq import nsmallest
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.model import Url

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from honeyguide.runs.run import Run

_PAGE_OUTCOMES: Final = frozenset({"fetched", "unchanged"})
_BATCH: Final = 10_000  # fetches read at once


@dataclass(frozen=True, slots=True)
class HostSums:
    """Fetches of one host."""

    host: str
    asked: int
    relevant: int
    failed: int  # failed or refused


@dataclass(frozen=True, slots=True)
class CauseSums:
    """Fetches that went into one thing: relevant pages, other pages, redirects, or a reason for no page."""

    cause: str
    fetches: int


@dataclass(frozen=True, slots=True)
class FailingHost:
    """Fetches of one host that brought no page."""

    host: str
    failed: int  # failed or refused
    asked: int
    cause: str  # of most of them


RELEVANT, OTHER_PAGES, REDIRECTS = "relevant pages", "other pages", "redirects"
_NOT_FAILED: Final = frozenset({OTHER_PAGES, REDIRECTS})


class RunSums:
    """Sums over the fetches of one run, in the order of its steps. Not for several threads at once."""

    def __init__(self) -> None:
        self._last_step = 0
        self._changes = (0, 0)  # answers taken in and passes made, by which pages are judged anew
        self._steps = array("q")
        self._hosts = array("i")
        self._causes = array("i")
        self._relevant = bytearray()
        self._host_numbers: dict[str, int] = {}
        self._cause_numbers: dict[str, int] = {OTHER_PAGES: 0, REDIRECTS: 1}

        self._relevance = array("f")

    def __len__(self) -> int:
        """Return the number of fetches summed up."""
        return len(self._steps)

    def extend(self, run: Run) -> None:
        """Add the fetches that the run has by now. Read it inside `at_one_moment` where a crawl may be writing."""
        rows, hosts, causes = run.fetches(self._last_step), self._host_numbers, self._cause_numbers
        while batch := list(islice(rows, _BATCH)):
            steps, urls, outcomes, reasons, statuses, relevance, is_relevant = zip(*batch, strict=True)
            self._last_step = steps[-1]
            self._steps.extend(steps)
            self._hosts.extend([hosts.setdefault(Url(url).host, len(hosts)) for url in urls])
            names = map(_cause, outcomes, reasons, statuses)
            self._causes.extend([causes.setdefault(name, len(causes)) for name in names])
            self._relevance.extend([-1.0 if each is None else each for each in relevance])
            self._relevant.extend(bool(each) for each in is_relevant)
        changes = run.answer_count(), len(run.passes())
        if changes != self._changes:
            self._changes = changes
            self._judge_again(run)

    def _judge_again(self, run: Run) -> None:
        steps = np.frombuffer(self._steps, dtype=np.int64)
        relevance = np.full(self._last_step + 1, -1.0, dtype=np.float32)
        is_relevant = np.zeros(self._last_step + 1, dtype=np.uint8)
        for step, value, is_good in run.judgements():
            relevance[step] = value
            is_relevant[step] = is_good
        self._relevance = array("f", relevance[steps].tobytes())
        self._relevant = bytearray(is_relevant[steps].tobytes())

    @property
    def relevant(self) -> int:
        """The number of relevant pages."""
        return sum(self._relevant)

    def curve(self, points: int) -> tuple[tuple[int, int], ...]:
        """Return pairs of fetches and relevant pages so far: at most `points`, evenly spaced, from first to last."""
        so_far = np.concatenate(([0], np.cumsum(self._relevant_column(), dtype=np.int64)))
        places = evenly(len(so_far) - 1, points)
        return tuple(zip(places, so_far[places].tolist(), strict=True))

    def best(self, top: int) -> list[int]:
        """Return the steps that brought the most relevant pages, the best first; none that is not relevant."""
        (places,) = np.nonzero(self._relevant_column())
        relevance = np.frombuffer(self._relevance, dtype=np.float32)[places]
        if len(places) > top:
            cut = np.partition(relevance, -top)[-top]
            places, relevance = places[relevance >= cut], relevance[relevance >= cut]
        order = np.lexsort((places, -relevance))[:top]
        return [self._steps[place] for place in places[order].tolist()]

    def newest(self, top: int) -> list[int]:
        """Return the last steps that brought a relevant page, the newest first."""
        (places,) = np.nonzero(self._relevant_column())
        return [self._steps[place] for place in places[: -top - 1 : -1].tolist()]

    def hosts(self, top: int, also: Iterable[str] = ()) -> tuple[HostSums, ...]:
        """Return the hosts with the most relevant pages, then the most fetches; behind them those of `also`."""
        if not self._host_numbers:
            return ()
        hosts, count = np.frombuffer(self._hosts, dtype=np.int32), len(self._host_numbers)
        asked = np.bincount(hosts, minlength=count)
        relevant = np.bincount(hosts[self._relevant_column() > 0], minlength=count)
        failed = np.bincount(hosts[np.frombuffer(self._causes, dtype=np.int32) > 1], minlength=count)
        names = list(self._host_numbers)
        others = [self._host_numbers[host] for host in also if host in self._host_numbers]
        return tuple(
            HostSums(names[place], int(asked[place]), int(relevant[place]), int(failed[place]))
            for place in dict.fromkeys([*np.lexsort((-asked, -relevant))[:top].tolist(), *others])
        )

    @property
    def host_count(self) -> int:
        """The number of hosts that were asked."""
        return len(self._host_numbers)

    def causes(self) -> Sequence[CauseSums]:
        """Return where the fetches went: relevant and other pages first, then redirects and failures by number."""
        if not len(self):
            return ()
        counts = np.bincount(np.frombuffer(self._causes, dtype=np.int32), minlength=len(self._cause_numbers)).tolist()
        failures = sorted(zip(list(self._cause_numbers)[2:], counts[2:], strict=True), key=lambda each: -each[1])
        found = [(RELEVANT, self.relevant), (OTHER_PAGES, counts[0] - self.relevant), (REDIRECTS, counts[1]), *failures]
        return tuple(CauseSums(cause, fetches) for cause, fetches in found if fetches)

    def _relevant_column(self) -> NDArray[np.uint8]:
        return np.frombuffer(self._relevant, dtype=np.uint8)


class RunTotals:
    """Totals over the fetches of a run as it is now, made in one pass: a few numbers a host, however many fetches."""

    def __init__(self, run: Run, points: int = 2, bins: int = 10) -> None:
        """Have a curve of so many points, and so many equal steps of relevance. Read it inside `at_one_moment`."""
        self.fetches = self.relevant = 0
        self._asked: Counter[str] = Counter()
        self._relevant: Counter[str] = Counter()  # by host
        self._failed: dict[str, Counter[str]] = {}  # by host and cause
        self.bins = [(0, 0)] * bins
        """Pages and relevant ones among them, in so many equal steps of relevance from 0 to 1."""
        ends = evenly(run.fetch_count, points)
        curve = [0] * len(ends)
        for _, url, outcome, reason, status, relevance, is_relevant in run.fetches():
            host, is_good = Url(url).host, bool(is_relevant)
            self._asked[host] += 1
            self._relevant[host] += is_good
            self.fetches += 1
            curve[bisect_left(ends, self.fetches)] += is_good
            if relevance is not None:
                place = min(bins - 1, int(relevance * bins))
                pages, relevant = self.bins[place]
                self.bins[place] = (pages + 1, relevant + is_good)
            elif (cause := _cause(outcome, reason, status)) not in _NOT_FAILED:
                self._failed.setdefault(host, Counter())[cause] += 1
        self.curve = tuple(zip(ends, accumulate(curve), strict=True))
        """Pairs of fetches and relevant pages so far, evenly spaced, from first to last."""
        self.relevant = self.curve[-1][1]

    def hosts(self) -> list[HostSums]:
        """Return the hosts, those with the most relevant pages first, then those with the most fetches."""
        found = (
            HostSums(host, asked, self._relevant[host], self._failed.get(host, Counter()).total())
            for host, asked in self._asked.items()
        )
        return sorted(found, key=lambda each: (-each.relevant, -each.asked))

    def failing_hosts(self, top: int) -> list[FailingHost]:
        """Return the hosts with the most fetches that failed or were refused."""
        found = (
            FailingHost(host, causes.total(), self._asked[host], causes.most_common(1)[0][0])
            for host, causes in self._failed.items()
        )
        return nsmallest(top, found, key=lambda each: (-each.failed, each.asked))


def evenly(last: int, points: int) -> list[int]:
    """Return whole numbers from 0 to the last, evenly spaced, at most so many, but for the two ends."""
    return np.unique(np.linspace(0, last, num=max(2, points)).round().astype(np.int64)).tolist()


def _cause(outcome: str, reason: str, status: int | None) -> str:
    if outcome in _PAGE_OUTCOMES:
        return OTHER_PAGES
    if outcome == "redirected":
        return REDIRECTS
    return reason + (f" {status}" if status else "") or outcome
