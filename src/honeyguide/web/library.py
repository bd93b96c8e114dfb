"""The runs that a dashboard shows: folders that were named, and run folders below them.

Folders are looked for anew each time, so a run that begins later appears, and one that is deleted goes. A run that
cannot be read stays in the list, with the reason.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeVar

from honeyguide.crawler.events import StopReason
from honeyguide.errors import HoneyguideError
from honeyguide.runs import is_being_crawled, open_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from honeyguide.runs import Run

_ABOUT: Final = "honeyguide.json"
_DEEPEST: Final = 3  # folders below a named one
MOST_RUNS: Final = 500
_MOST_FOLDERS: Final = 20_000  # looked into
SPARK_POINTS: Final = 40
MOST_JUDGES: Final = 4  # of runs, kept with their word vectors

T = TypeVar("T")
RunState = Literal["running", "stopped", "finished", "unreadable"]


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run in a list. Counts are zero where it cannot be read."""

    name: str  # in addresses
    path: str
    state: RunState
    problem: str = ""  # why it cannot be read, and the remedy
    topic: str = ""
    world: str = ""
    strategy: str = ""
    stop_reason: str = ""
    budget: int = 0
    fetches: int = 0
    pages: int = 0
    relevant: int = 0
    spark: tuple[int, ...] = ()  # relevant pages so far, evenly spaced over the fetches

    @property
    def harvest_rate(self) -> float:
        return self.relevant / self.fetches if self.fetches else 0.0


class RunUnknown(HoneyguideError):  # noqa: N818 - reads as a statement about the name
    """A name that no run of the library has."""


class Library:
    """Finds runs by name. The name of a run is its path below the named folder, with ~ for /."""

    def __init__(self, places: Sequence[Path]) -> None:
        self._places = tuple(places)
        self._cards: dict[Path, tuple[object, RunCard]] = {}

    @property
    def home(self) -> Path | None:
        """The folder in which new runs begin: the first that is no run itself; None where all are runs."""
        return next((each.resolve() for each in self._places if not _is_run(each)), None)

    def paths(self) -> dict[str, Path]:
        """Return the run folders there are now, by name."""
        found: dict[str, Path] = {}
        for place in self._places:
            for path in _runs_below(place):
                name = base = _name(path, place)
                number = 2
                while name in found:
                    name, number = f"{base}-{number}", number + 1
                found[name] = path
                if len(found) == MOST_RUNS:
                    return found
        return found

    def path(self, name: str) -> Path:
        """Return the folder of a run. RunUnknown where there is none, or none any more."""
        for place in self._places:  # without looking at all folders, where the name says it
            path = place if name == _name(place, place) else place.joinpath(*name.split("~"))
            if ".." not in path.parts and _is_run(path) and _name(path, place) == name:
                return path
        with suppress(KeyError):
            return self.paths()[name]
        raise RunUnknown(f"there is no run {name!r} here; it may have been moved or deleted")

    def cards(self) -> list[RunCard]:
        """Return all runs: those that are being crawled first, then the newest."""
        found = [(self.card(name, path), when_written(path)) for name, path in self.paths().items()]
        found.sort(key=lambda each: (each[0].state != "running", -max(each[1]), each[0].name))
        return [card for card, _ in found]

    def card(self, name: str, path: Path) -> RunCard:
        """Return a run as the list shows it; read anew only where something was written to it."""
        signature = (name, is_being_crawled(path), when_written(path))
        known = self._cards.get(path)
        if known is None or known[0] != signature:
            known = self._cards[path] = signature, read_card(name, path)
        return known[1]


class KeptByRun(Generic[T]):
    """Keeps a thing for each of the runs that were looked at last: what takes a while to make, or grows with a run.

    For several threads, of which one at a time has the thing of a run.
    """

    def __init__(self, make: Callable[[Path], T], most: int) -> None:
        """`make` makes the thing of a run; of how many runs it is kept."""
        self._make = make
        self._most = most
        self._kept: OrderedDict[Path, tuple[object, T, Lock]] = OrderedDict()
        self._lock = Lock()

    @contextmanager
    def of(self, run: Path) -> Iterator[T]:
        """Give the thing of a run: a new one where the run is another one of its name, or its settings have changed."""
        mark = number_of(run / "crawl.sqlite"), _written_at(run / "settings.toml")
        with self._lock:
            if run not in self._kept or self._kept[run][0] != mark:
                self._kept[run] = mark, self._make(run), Lock()
            self._kept.move_to_end(run)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            _, thing, lock = self._kept[run]
        with lock:
            yield thing

    def forget(self, run: Path) -> None:
        """Let the next who asks get a new one."""
        with self._lock:
            self._kept.pop(run, None)


def read_card(name: str, path: Path) -> RunCard:
    """Read a run; one that cannot be read says why."""
    try:
        with open_run(path) as run, run.at_one_moment():
            return card_of(name, run, run.harvest_sketch(SPARK_POINTS))
    except HoneyguideError as error:
        return RunCard(name, str(path), "unreadable", str(error))
    except OSError as error:
        return RunCard(name, str(path), "unreadable", f"{path}: {error.strerror}; change its rights, or copy it")


def card_of(name: str, run: Run, spark: tuple[int, ...]) -> RunCard:
    """Return an open run as the list shows it, with its harvest over the fetches."""
    settings, progress = run.settings, run.progress
    return RunCard(
        name,
        str(run.path),
        state_of(run.path, progress.stop_reason),
        topic=settings.topic.name or ", ".join(settings.topic.keywords),
        world=settings.crawl.world,
        strategy=settings.crawl.strategy,
        stop_reason=progress.stop_reason,
        budget=settings.budget.fetches,
        fetches=progress.fetches,
        pages=progress.pages,
        relevant=progress.relevant,
        spark=spark,
    )


def state_of(path: Path, stop_reason: str) -> RunState:
    """Return whether a run that can be read is being crawled, could go on, or has come to its end."""
    if is_being_crawled(path):
        return "running"
    is_final = stop_reason in tuple(StopReason) and StopReason(stop_reason).is_final
    return "finished" if is_final else "stopped"


def when_written(path: Path) -> tuple[int, ...]:
    """Return when the files of a run were last written, which costs no look into them; zeros where they are gone."""
    files = ("crawl.sqlite", "crawl.sqlite-wal", _ABOUT, "status.json", "inbox")
    return tuple(_written_at(path / name) for name in files)


def _written_at(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def number_of(file: Path) -> int:
    """Return the number of a file, which another one of the same name has not; 0 where there is none."""
    try:
        return file.stat().st_ino
    except OSError:
        return 0


def _is_run(path: Path) -> bool:
    return (path / _ABOUT).is_file()


def _name(path: Path, place: Path) -> str:
    """Return the name of a run below a place, or of one that is the place itself."""
    parts = path.relative_to(place).parts or (place.resolve().name,)
    return "~".join(parts).encode("utf-8", "replace").decode()


def _runs_below(place: Path) -> Iterator[Path]:
    """Yield the run folders at a place or a few folders below it, by name; nothing inside a run is looked at."""
    waiting, looked = [(place, 0)], 0
    while waiting and looked < _MOST_FOLDERS:
        folder, depth = waiting.pop()
        looked += 1
        if _is_run(folder):
            yield folder
        elif depth < _DEEPEST:
            with suppress(OSError), os.scandir(folder) as entries:
                below = sorted(
                    entry.name
                    for entry in entries
                    if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
                )
                waiting += [(folder / name, depth + 1) for name in reversed(below)]
