"""Says in words how a crawl went, and the one command to try next.

The verdict is chosen from a few situations, each of which is measured on the run. They are looked for in the order of
`Situation`; the first that holds is told.
"""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from honeyguide.model.counts import count_of
from honeyguide.runs.sums import RunTotals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.runs.run import Run
    from honeyguide.settings import ScopeSettings

FEWEST_FETCHES: Final = 20  # before which nothing is said of a crawl that has pages
REFUSED_SHARE: Final = 0.5  # of the fetches, refused by robots.txt
OUTSIDE_SHARE: Final = 0.5  # of the links on pages, out of scope
RELEVANT_SHARE: Final = 0.01  # of the pages, below which the judge finds nothing
UNPAID_SHARE: Final = 0.6  # of the fetches, to hosts without a relevant page
PAYING_SHARE: Final = 0.8  # of the relevant pages, on so few hosts that they can be named
MOST_NAMED: Final = 4
PAYING_YIELD: Final = 0.05  # of the next fetches
MORE_FETCHES: Final = 1000


class Situation(StrEnum):
    """What a verdict is about."""

    NO_PAGE = "no page came"
    ROBOTS = "refused by robots.txt"
    NOTHING_RELEVANT = "nothing is relevant"
    OUT_OF_SCOPE = "links out of scope"
    UNPAID_HOSTS = "hosts that never paid"
    PAYS = "going on pays"
    DRY = "going on does not pay"


@dataclass(frozen=True, slots=True)
class Advice:
    """A verdict in words, and the arguments of `honeyguide` to try; none where there is nothing to do."""

    situation: Situation
    words: str
    arguments: tuple[str, ...]

    @property
    def command(self) -> str:
        return shlex.join(["honeyguide", *self.arguments])


_LEFT_NOTHING: Final = ("nothing left to crawl", "budget of seconds spent")
"""Why a crawl stops that has asked for nothing, though nobody and nothing else was in its way."""


def advise(run: Run) -> Advice | None:
    """Return the verdict on a crawl that has ended; None where too little was fetched to tell, or it was a refresh."""
    progress = run.progress
    was_cut_short = not progress.fetches and progress.stop_reason not in _LEFT_NOTHING
    if not progress.stop_reason or was_cut_short or run.settings.refresh.run:
        return None
    if not progress.pages:
        return _without_a_page(run)
    if progress.fetches < FEWEST_FETCHES:
        return None
    with run.at_one_moment():
        totals = RunTotals(run)
    return next(
        found
        for found in (
            _refused(run, totals), _nothing_relevant(run), _out_of_scope(run), _unpaid_hosts(run, totals), _yield(run),
        )
        if found is not None
    )  # fmt: skip


def _again(run: Run, *flags: str) -> tuple[str, ...]:
    """Return the arguments that crawl again into a new folder, with the settings of this run and other flags."""
    folder = next(name for number in count(2) if not Path(name := f"{run.path}-{number}").exists())
    return ("crawl", folder, "--config", str(run.path / "settings.toml"), *flags)


def _added(flag: str, given: Sequence[str], *further: str) -> Iterator[str]:
    """Yield a repeatable flag with the values that the run had, which flags would replace, and further ones."""
    for value in (*given, *further):
        yield from (flag, value)


def _without_a_page(run: Run) -> Advice:
    reason, host, detail = next(run.failures(), ("", "", ""))
    if reason == "robots" and "cannot be had" in detail:  # the host itself did not answer
        reason = "connection"
    match reason:
        case "address":
            words = f"{host} is not on the public internet"
            name = host.rpartition(":")[0] if ":" in host else host
            arguments = _again(run, *_added("--allow-private", run.settings.fetch.allow_private, name))
        case "robots":
            words = f"The robots.txt of {host} forbids what was asked for: start elsewhere"
            arguments = _again(run, "--seed-url", "URL")
        case "dns" | "connection" | "timeout" | "tls":
            words, arguments = f"{host} cannot be reached", ("doctor", host)
        case "" if run.progress.unknown:
            words = "No seed is a page that this world has recorded"
            arguments = _again(run, "--seed-url", "URL")
        case "":
            words = "Nothing was asked for: no seed is in scope, or the limits left no time"
            arguments = _again(run, "--seed-url", "URL")
        case _:
            words, arguments = f"{host} gave no page: {detail or reason}", _again(run, "--seed-url", "URL")
    return Advice(Situation.NO_PAGE, f"{words}.", arguments)


def _refused(run: Run, totals: RunTotals) -> Advice | None:
    refused = Counter(host for reason, host, _ in run.failures() if reason == "robots")
    if refused.total() < REFUSED_SHARE * totals.fetches:
        return None
    ((worst, _),) = refused.most_common(1)
    words = f"{refused.total() / totals.fetches:.0%} of the fetches were refused by robots.txt, most by that of {worst}"
    if any(seed.host == worst for seed in run.seed_urls()):
        return Advice(Situation.ROBOTS, f"{words}: start elsewhere.", _again(run, "--seed-url", "URL"))
    flags = _added("--deny-host", run.settings.scope.deny_hosts, worst)
    return Advice(Situation.ROBOTS, f"{words}: leave it out.", _again(run, *flags))


def _nothing_relevant(run: Run) -> Advice | None:
    progress, topic = run.progress, run.settings.topic
    has_topic = bool(topic.name or topic.keywords or topic.like)
    if not has_topic or progress.relevant >= RELEVANT_SHARE * progress.pages:
        return None
    found = f"{progress.relevant:,} of {count_of(progress.pages, 'page')} is relevant" if progress.relevant else (
        f"None of {count_of(progress.pages, 'page')} is relevant"
    )  # fmt: skip
    if run.settings.judge.kind == "learned":
        return Advice(
            Situation.NOTHING_RELEVANT, f"{found}: answer a few questions, so that all are judged anew.",
            ("ask", str(run.path)),
        )  # fmt: skip
    subject = topic.name or " ".join(topic.keywords) or "your topic"
    words = f"{found}: the words of the topic may not be those of the pages."
    return Advice(Situation.NOTHING_RELEVANT, words, ("topic", "suggest", subject))


def _out_of_scope(run: Run) -> Advice | None:
    outside, inside = run.progress.out_of_scope, run.edge_count()
    flags = tuple(_wider(run.settings.scope))
    if run.progress.waiting or outside < OUTSIDE_SHARE * (outside + inside) or not flags:
        return None
    words = (
        f"Everything in scope was fetched; {outside / (outside + inside):.0%} of the links on its pages lead out of "
        "it: widen it to go on."
    )
    return Advice(Situation.OUT_OF_SCOPE, words, _again(run, *flags))


def _wider(scope: ScopeSettings) -> Iterator[str]:
    """Yield flags that lift the rules that keep a crawl in a place."""
    if scope.allow_prefixes:
        yield from ("--under", "/")
    elif scope.allow_paths:
        yield from ("--allow-path", ".")
    elif scope.max_depth:
        yield from ("--max-depth", str(2 * scope.max_depth))
    elif scope.stay_on == "seed-hosts":
        yield "--stay-on-domain"
    elif scope.allow_hosts or scope.domains:
        yield from ("--allow-host", "*")


def _unpaid_hosts(run: Run, totals: RunTotals) -> Advice | None:
    hosts = totals.hosts()
    paying = [each for each in hosts if each.relevant]
    unpaid = sorted((each for each in hosts if not each.relevant), key=lambda each: -each.asked)
    share = sum(each.asked for each in unpaid) / totals.fetches
    if share < UNPAID_SHARE or not paying:
        return None
    words = f"{share:.0%} of the fetches went to hosts that never paid"
    if sum(each.relevant for each in paying[:MOST_NAMED]) >= PAYING_SHARE * totals.relevant:
        named = [each.host for each in paying[:MOST_NAMED]]
        return Advice(
            Situation.UNPAID_HOSTS, f"{words}: stay on the {count_of(len(named), 'host')} that did.",
            _again(run, *_added("--allow-host", named)),
        )  # fmt: skip
    worst = unpaid[:MOST_NAMED]
    if sum(each.asked for each in worst) < UNPAID_SHARE / 2 * totals.fetches:
        return None  # to so many hosts that naming some would change nothing
    flags = _added("--deny-host", run.settings.scope.deny_hosts, *(each.host for each in worst))
    return Advice(Situation.UNPAID_HOSTS, f"{words}: leave out the worst.", _again(run, *flags))


def _yield(run: Run) -> Advice:
    progress, outlook = run.progress, run.outlook()
    results = ("results", str(run.path), "--relevant")
    if not outlook.waiting:
        words = f"Nothing is left to fetch; {count_of(progress.relevant, 'page is', 'pages are')} relevant."
        return Advice(Situation.DRY, words, results)
    share, ahead = run.harvest_rate, "fetches"
    for each in outlook.next_fetches[-1:]:  # the one that the summary shows
        share, ahead = each.relevant.expected / each.fetches, count_of(each.fetches, "fetch", "fetches")
    if share < PAYING_YIELD:
        return Advice(Situation.DRY, f"About {share:.1%} of the next {ahead} would be relevant: stop here.", results)
    words = f"About {share:.0%} of the next {ahead} would be relevant: going on pays."
    return Advice(Situation.PAYS, words, ("resume", str(run.path), "--budget", f"+{MORE_FETCHES}"))
