"""Views of a run: each gathers plain values, which a template shows and `/api` gives as JSON.

A gatherer looks at a `Reading`: the run at one moment, and what the crawl last said of itself. Every query in it has a
limit, or is a sum that is kept (`RunSums`), however large the run.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from honeyguide.runs import RunSums, open_run
from honeyguide.web.library import card_of, read_status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from honeyguide.runs import Run
    from honeyguide.web.library import RunCard

CURVE_POINTS: Final = 200
TOP_HOSTS: Final = 20
_MOST_SUMS: Final = 30  # runs whose sums are kept


@dataclass(frozen=True, slots=True)
class Reading:
    """A run at one moment. `card` and `sums` are of that moment, `status` is empty where nothing crawls it."""

    name: str
    run: Run
    card: RunCard
    sums: RunSums
    status: dict[str, Any]

    @property
    def is_running(self) -> bool:
        return self.card.state == "running"


@dataclass(frozen=True, slots=True)
class View:
    """A part of a run's page, and its twin in `/api`."""

    name: str  # in addresses, and the id of the part
    shape: type  # the frozen dataclass that `gather` returns, of values that JSON has
    gather: Callable[[Reading], Any]
    template: str  # gets the value as `view`, and the `reading`
    every_s: float = 0.25  # how often it changes at most
    title: str = ""  # in the list of a page's parts; empty for one that needs no name
    has_page: bool = False  # shown on a page of its own rather than on that of the run


class Readings:
    """Opens runs to be looked at, and keeps their sums from one look to the next. For several threads."""

    def __init__(self) -> None:
        self._sums: OrderedDict[Path, tuple[RunSums, Lock]] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def open(self, name: str, path: Path) -> Iterator[Reading]:
        """Open a run at one moment; its errors are those of `open_run`."""
        with open_run(path) as run, run.at_one_moment():
            sums, lock = self._kept(path)
            with lock:  # sums grow: whoever looks at them keeps others from adding to them
                try:
                    sums.extend(run)
                except BaseException:
                    self._forget(path)
                    raise
                card = card_of(name, run)
                yield Reading(name, run, card, sums, read_status(path) if card.state == "running" else {})

    def _kept(self, path: Path) -> tuple[RunSums, Lock]:
        with self._lock:
            kept = self._sums.setdefault(path, (RunSums(), Lock()))
            self._sums.move_to_end(path)
            while len(self._sums) > _MOST_SUMS:
                self._sums.popitem(last=False)
            return kept

    def _forget(self, path: Path) -> None:
        with self._lock:
            self._sums.pop(path, None)


@dataclass(frozen=True, slots=True)
class Figures:
    """A run in numbers."""

    state: str
    stop_reason: str
    budget: int
    fetches: int
    pages: int
    relevant: int
    harvest_rate: float  # relevant pages a fetch
    hosts: int
    waiting: int
    in_flight: int
    pages_a_second: float | None  # since the crawl began, on its clock; None before a second has passed


def gather_figures(reading: Reading) -> Figures:
    """Read the numbers of a run."""
    card, progress = reading.card, reading.run.progress
    seconds = progress.spent_seconds
    return Figures(
        state=card.state,
        stop_reason=card.stop_reason,
        budget=int(reading.status.get("budget") or card.budget),
        fetches=card.fetches,
        pages=card.pages,
        relevant=card.relevant,
        harvest_rate=card.harvest_rate,
        hosts=reading.sums.host_count,
        waiting=progress.waiting,
        in_flight=len(reading.status.get("in_flight") or ()),
        pages_a_second=card.pages / seconds if seconds >= 1 else None,
    )


@dataclass(frozen=True, slots=True)
class Harvest:
    """Relevant pages over fetches."""

    points: tuple[tuple[int, int], ...]  # fetches, relevant pages so far; never without the beginning (0, 0)


def gather_harvest(reading: Reading) -> Harvest:
    """Read the harvest curve of a run."""
    return Harvest(reading.sums.curve(CURVE_POINTS))


VIEWS: Final = (
    View("figures", Figures, gather_figures, "figures.html"),
    View("harvest", Harvest, gather_harvest, "live_harvest.html", title="Harvest"),
)
