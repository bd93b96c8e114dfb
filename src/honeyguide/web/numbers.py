"""A run in numbers: counts, the harvest curve, and where the budget goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from honeyguide.model.counts import count_of
from honeyguide.runs import CauseSums, Outlook
from honeyguide.runs.sums import OTHER_PAGES
from honeyguide.web.views import View

if TYPE_CHECKING:
    from honeyguide.web.views import Reading

CURVE_POINTS: Final = 200


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
    cluster: str = ""  # workers, shards and links in transit of a crawl on a cluster, while it goes on


def gather_figures(reading: Reading) -> Figures:
    """Read the numbers of a run."""
    card, progress = reading.card, reading.run.progress
    seconds = progress.spent_seconds
    figures = Figures(
        state=card.state,
        stop_reason="" if reading.is_running else card.stop_reason,
        budget=reading.status.get("budget", card.budget) if reading.is_running else card.budget,
        fetches=card.fetches,
        pages=card.pages,
        relevant=card.relevant,
        harvest_rate=card.harvest_rate,
        hosts=reading.sums.host_count,
        waiting=progress.waiting,
        in_flight=len(reading.status.get("in_flight", ())) if reading.is_running else 0,
        pages_a_second=card.pages / seconds if seconds >= 1 else None,
    )
    live = reading.status.get("cluster") if reading.is_running else None
    if live is None or live["fetches"] < card.fetches:  # of an earlier crawl
        return figures
    said = [
        count_of(live["workers"], "worker"),
        count_of(live["shards"], "shard"),
        f"{count_of(live['in_transit'], 'link')} in transit",
        *([f"{count_of(live['replaced'], 'worker')} replaced"] if live["replaced"] else []),
    ]
    return replace(
        figures,
        fetches=live["fetches"],
        pages=live["pages"],
        relevant=live["relevant"],
        harvest_rate=live["relevant"] / max(1, live["fetches"]),
        waiting=live["waiting"],
        in_flight=live["in_flight"],
        pages_a_second=live["pages_per_s"],
        cluster=", ".join(said),
    )


@dataclass(frozen=True, slots=True)
class Harvest:
    """Relevant pages over fetches."""

    points: tuple[tuple[int, int], ...]  # fetches, relevant pages so far; never without the beginning (0, 0)


def gather_harvest(reading: Reading) -> Harvest:
    """Read the harvest curve of a run."""
    return Harvest(reading.sums.curve(CURVE_POINTS))


@dataclass(frozen=True, slots=True)
class Spending:
    """Where the fetches went, by cause: relevant pages, other pages, traps, redirects, failures."""

    fetches: int
    causes: tuple[CauseSums, ...]


def gather_spending(reading: Reading) -> Spending:
    """Count the fetches of a run by what they brought; traps and duplicates apart from other pages."""
    found = reading.run.found_by_kind()
    causes: list[CauseSums] = []
    for each in reading.sums.causes():
        if each.cause == OTHER_PAGES:
            causes.append(CauseSums(OTHER_PAGES, max(0, each.fetches - sum(found.values()))))
            causes += [CauseSums(f"{kind} (a trap or a copy)", count) for kind, count in found.items()]
        else:
            causes.append(each)
    return Spending(len(reading.sums), tuple(causes))


@dataclass(frozen=True, slots=True)
class RunOutlook:
    """Whether it pays to go on, with 90% intervals, and the same in words."""

    outlook: Outlook
    sentences: tuple[str, ...]


def gather_outlook(reading: Reading) -> RunOutlook:
    """Read what more fetches would bring, and what is known of the links that wait."""
    outlook = reading.run.outlook()
    return RunOutlook(outlook, tuple(outlook.sentences()))


FIGURES: Final = View("figures", Figures, gather_figures, "figures.html")
HARVEST: Final = View("harvest", Harvest, gather_harvest, "live_harvest.html", title="Harvest")
OUTLOOK: Final = View("outlook", RunOutlook, gather_outlook, "live_outlook.html", every_s=2, title="Outlook")
SPENDING: Final = View("spending", Spending, gather_spending, "spending.html", every_s=2, title="Budget", is_half=True)
