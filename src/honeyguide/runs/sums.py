"""Sums of a run that may be growing: kept between two looks, and extended by the fetches that came since.

A fetch takes a few bytes: the number of its host, the number of its cause, and whether its page is relevant. So the
sums of a large run are made once, and every later look costs as much as what is new. An answer judges all pages again;
then only that column is read anew.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import islice
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
        places = np.unique(np.linspace(0, len(so_far) - 1, num=max(2, points)).round().astype(np.int64))
        return tuple(zip(places.tolist(), so_far[places].tolist(), strict=True))

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

    def failing_hosts(self, top: int) -> tuple[FailingHost, ...]:
        """Return the hosts with the most fetches that failed or were refused."""
        hosts, causes = np.frombuffer(self._hosts, dtype=np.int32), np.frombuffer(self._causes, dtype=np.int32)
        count = len(self._host_numbers)
        if not count:
            return ()
        asked, failed = np.bincount(hosts, minlength=count), np.bincount(hosts[causes > 1], minlength=count)
        names, words = list(self._host_numbers), list(self._cause_numbers)
        worst = [place for place in np.lexsort((asked, -failed))[:top].tolist() if failed[place]]
        most = [int(np.bincount(causes[(hosts == place) & (causes > 1)]).argmax()) for place in worst]
        return tuple(
            FailingHost(names[place], int(failed[place]), int(asked[place]), words[cause])
            for place, cause in zip(worst, most, strict=True)
        )

    def relevance_bins(self, count: int) -> list[tuple[int, int]]:
        """Return pages and relevant ones among them, in so many equal steps of relevance from 0 to 1."""
        relevance = np.frombuffer(self._relevance, dtype=np.float32)
        places = np.clip((relevance * count).astype(np.int64), 0, count - 1)
        pages = np.bincount(places[relevance >= 0], minlength=count)
        relevant = np.bincount(places[self._relevant_column() > 0], minlength=count)
        return list(zip(pages.tolist(), relevant.tolist(), strict=True))

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


def _cause(outcome: str, reason: str, status: int | None) -> str:
    if outcome in _PAGE_OUTCOMES:
        return OTHER_PAGES
    if outcome == "redirected":
        return REDIRECTS
    return reason + (f" {status}" if status else "") or outcome
