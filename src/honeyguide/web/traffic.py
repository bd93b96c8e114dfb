"""What a crawl asks for: hosts, links that are being fetched, links that wait, and the last fetches.

What waits and what is under way only the crawl knows. It says so in its status file, which may be older than the run
where the crawl was killed.
"""

from __future__ import annotations

from dataclasses import dataclass
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

from honeyguide.crawler.status import MOST_COUNTED
from honeyguide.web.starting import LOG as LOG_FILE
from honeyguide.web.views import View

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.runs import CrawledStep, Run
    from honeyguide.web.views import Reading

TOP_HOSTS: Final = 20
MOST_IN_FLIGHT: Final = 30
LOG_LINES: Final = 25
MOST_RESTARTS: Final = 5
PRINTED_LINES: Final = 15


@dataclass(frozen=True, slots=True)
class HostRow:
    """A host, and why it rests where it does."""

    host: str
    asked: int
    relevant: int
    failed: int
    waiting: int | None  # links that wait; None where it is not among the hosts with the most
    rests_s: float  # seconds until it may be asked again; 0 where it may be now
    reason: str  # why it rests; empty where it does not


@dataclass(frozen=True, slots=True)
class HostTable:
    """The hosts with the most relevant pages, and those that rest."""

    hosts: tuple[HostRow, ...]
    resting: tuple[HostRow, ...]  # the soonest first
    asked: int  # hosts that were asked
    least_waiting: int  # a host without a number has at most so many links that wait
    waits_for: str = ""  # the host for which the crawl waits, because it promises more than those that are ready


def gather_hosts(reading: Reading) -> HostTable:
    """Read the hosts of a run."""
    waiting = reading.status.get("waiting_by_host", {})
    rests = dict(_rests(reading)) if reading.is_running else {}
    # A host that rests need not be among the best: sums of all hosts are kept, so any can be looked up.
    rows = {
        each.host: HostRow(
            each.host, each.asked, each.relevant, each.failed,
            waiting.get(each.host, None if len(waiting) >= MOST_COUNTED else 0),
            rests.get(each.host, 0.0), _why_it_rests(reading.run, each.host) if each.host in rests else "",
        )
        for each in reading.sums.hosts(TOP_HOSTS, also=rests)
    }  # fmt: skip
    return HostTable(
        hosts=tuple(rows.values())[:TOP_HOSTS],
        resting=tuple(rows[host] for host in rests if host in rows),
        asked=reading.sums.host_count,
        least_waiting=min(waiting.values(), default=0),
        waits_for=(reading.status.get("waits_for") or "") if reading.is_running else "",
    )


def _rests(reading: Reading) -> Iterator[tuple[str, float]]:
    now = reading.status.get("now", 0.0)
    for each in reading.status.get("resting_hosts", ()):
        yield each["host"], max(0.0, each["ready_at"] - now)


def _why_it_rests(run: Run, host: str) -> str:
    rest = run.hosts_asked().host_rest(host)
    if rest is None:
        return "it was asked a moment ago"
    if rest.troubles:
        return f"it failed {rest.troubles} times in a row" if rest.troubles > 1 else "it failed the last time"
    if rest.crawl_delay_s:
        return f"its robots.txt asks for {rest.crawl_delay_s:g} s between two requests"
    return "the pause between two requests"


@dataclass(frozen=True, slots=True)
class Fetching:
    """A link that is being fetched."""

    url: str
    seconds: float  # since it was chosen, on the crawl's clock


@dataclass(frozen=True, slots=True)
class Underway:
    """The links that are being fetched now, the longest first."""

    links: tuple[Fetching, ...]
    count: int


def gather_underway(reading: Reading) -> Underway:
    """Read what is being fetched."""
    if not reading.is_running:
        return Underway((), 0)
    now, said = reading.status.get("now", 0.0), reading.status.get("in_flight", ())
    links = sorted((Fetching(each["url"], max(0.0, now - each["since"])) for each in said), key=_age)
    return Underway(tuple(links[:MOST_IN_FLIGHT]), len(links))


def _age(link: Fetching) -> tuple[float, str]:
    return -link.seconds, link.url


@dataclass(frozen=True, slots=True)
class WaitingLink:
    """A link that waits, what the strategy expects of it, and what speaks for it."""

    url: str
    score: float
    level: int  # how far it waits behind others because of a trap; 0 where it does not
    anchor: str
    found_on: str  # the page that shows it; empty for a seed
    page_relevance: float | None  # of that page
    depth: int  # clicks from a seed


@dataclass(frozen=True, slots=True)
class BestWaiting:
    """The links that come out next, were all hosts ready."""

    links: tuple[WaitingLink, ...]
    waiting: int  # in all


def gather_waiting(reading: Reading) -> BestWaiting:
    """Read the best of the waiting links."""
    links = tuple(
        WaitingLink(
            each["url"], each["score"], each["level"], each["anchor"],
            each["found_on"] or "", each["page_relevance"], each["depth"],
        )
        for each in reading.status.get("best_waiting", ())
    )  # fmt: skip
    return BestWaiting(links, reading.run.progress.waiting)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A fetch, in the order in which answers were taken in."""

    step: int
    url: str
    outcome: str
    detail: str
    score: float  # of the link, when it was chosen
    explored: bool  # drawn at random
    reward: float | None
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class Log:
    """The last fetches, the newest first, and the last restarts; what a crawl that was started here has printed."""

    lines: tuple[LogLine, ...]
    restarts: tuple[str, ...]  # the newest first
    printed: tuple[str, ...]  # the last lines, in order


def gather_log(reading: Reading) -> Log:
    """Read the last fetches of a run."""
    restarts = [f"after step {each.after_steps:,}: {each.reason}" for each in reading.run.restarts()]
    return Log(
        tuple(map(_line, reading.run.steps(newest=LOG_LINES))),
        tuple(restarts[: -MOST_RESTARTS - 1 : -1]),
        tuple(_last_lines(reading.run.path / LOG_FILE)),
    )


def _last_lines(file: Path) -> list[str]:
    """Return the last lines of a file; none where it is no plain file that can be read."""
    try:
        if not S_ISREG(file.lstat().st_mode):  # a run may be a stranger's
            return []
        with file.open("rb") as opened:
            opened.seek(max(0, file.stat().st_size - 400 * PRINTED_LINES))
            return opened.read(100_000).decode("utf-8", "replace").splitlines()[-PRINTED_LINES:]
    except OSError:
        return []


def _line(step: CrawledStep) -> LogLine:
    return LogLine(
        step.step, step.url.text, step.outcome, step.detail, step.score, step.explored, step.reward, step.is_relevant
    )


HOSTS: Final = View("hosts", HostTable, gather_hosts, "live_hosts.html", every_s=1, title="Hosts", is_half=True)
UNDERWAY: Final = View(
    "underway", Underway, gather_underway, "underway.html", every_s=0.5, title="Being fetched", is_half=True
)
WAITING: Final = View("waiting", BestWaiting, gather_waiting, "waiting.html", every_s=1, title="Waiting", is_half=True)
LOG: Final = View("log", Log, gather_log, "log.html", every_s=0.5, title="Log")
