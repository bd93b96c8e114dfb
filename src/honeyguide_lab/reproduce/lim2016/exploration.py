"""How much waits after 5, 50 and 500 iterations, and how long it took: Lim (2016), section 7.3.1.

His breadth-first queue and modified depth-first stack, and beside them the other searches that section 3 discusses.
Everything but the order of the links is the same: one fetch at a time, no pauses, and the work that his crawler does on
a page, keywords by RAKE held against search words.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.runs import open_run
from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab.plots import Line, LinePlot
from honeyguide_lab.reproduce.lim2016.measured_crawl import MeasuredCrawl
from honeyguide_lab.reproduce.lim2016.published import BETWEEN, EXPLORATION, ITERATIONS, SEARCH_WORDS
from honeyguide_lab.reproduce.study import Figure, Section, Table
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from honeyguide.runs import Progress
    from honeyguide.settings import Settings
    from honeyguide_lab.reproduce.lim2016.measured_crawl import Milestone
    from honeyguide_lab.reproduce.study import Cell, StudiedWorld, Study

QUEUE: Final = "breadth-first"
STACK: Final = "modified-depth-first"
PLAIN_STACK: Final = "depth-first"
STRATEGIES: Final = (QUEUE, STACK, PLAIN_STACK, "iterative-deepening", "beam")
MILESTONES: Final = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500)
QUICK_MILESTONES: Final = (1, 5, 20, 50)
# Where every link of a page goes into the frontier, one can tell how many there would be with repeats.
_TAKES_ALL: Final = frozenset({QUEUE, PLAIN_STACK, "iterative-deepening"})

_COLUMNS: Final = (
    "iterations", "strategy", "size", "published size", "largest size", "with repeats", "fetches", "published visited",
    "pages", "hosts", "simulated s", "real s", "published s",
)  # fmt: skip

_SIZES_EXPLAINED: Final = (
    "**Size** is the number of links that wait after so many iterations, as in Lim's “Size of Queue” (breadth-first) "
    "and “Size of Stack” (modified depth-first); an iteration is a fetch. Ours counts a URL once. His queue keeps a "
    "link as often as pages show it; *with repeats* counts ours that way, where all links of a page go in."
)
_TIMES_EXPLAINED: Final = (
    "His seconds went by on the network. *Simulated s* is the time that our crawl would have taken with the latencies "
    "of its world, one request after the other; *real s* is what this machine took offline, judging and storing "
    "included: one measurement, which differs from run to run by more than strategies do. Neither can be compared with "
    "his as they stand: compare the ratios below, which are of the simulated ones."
)

_RATIOS_EXPLAINED: Final = (
    "Modified depth-first is the rule of Lim's section 5.1: after three pages in a row of one host, no links of it. "
    "His printed code (6.2.2) compares hosts with a last host that it never sets, so that the rule cannot apply; it is "
    "a depth-first search that pushes a link as often as it is shown. *Time* is his seconds on the network, and our "
    "simulated ones: one fetch at a time, a crawl takes as long as the pages that it happens to fetch."
)


@dataclass(frozen=True, slots=True)
class Explored:
    """The crawls of one world, by strategy."""

    world: StudiedWorld
    crawl_by_strategy: Mapping[str, MeasuredCrawl]


def explorations(study: Study) -> tuple[Explored, ...]:
    """Every strategy on every world."""
    milestones = QUICK_MILESTONES if study.is_quick else MILESTONES
    return tuple(
        Explored(
            world,
            {
                strategy: MeasuredCrawl(
                    study.run_folder(world, strategy),
                    _settings(world, strategy, budget=milestones[-1], seed=study.seed),
                    milestones,
                )
                for strategy in STRATEGIES
            },
        )
        for world in study.worlds
    )


def _settings(world: StudiedWorld, strategy: str, *, budget: int, seed: int) -> Settings:
    lower, upper = BETWEEN
    settings = settings_from(
        {
            "topic": {"keywords": list(SEARCH_WORDS)},
            "crawl": {"world": world.name, "strategy": strategy, "seed": seed},
            "judge": {"kind": "rake", "lower": lower, "upper": upper},
            "budget": {"fetches": budget},
        }
    )
    return with_overrides(settings, LABORATORY)


def exploration_section(explored: Sequence[Explored]) -> Section:
    """Tables and plots of all worlds, and what to make of them."""
    rows_by_world = {each.world.slug: tuple(_rows(each)) for each in explored}
    tables = [
        Table(
            f"exploration-{each.world.slug}",
            f"Queue and stack on {each.world.name}",
            _COLUMNS,
            rows_by_world[each.world.slug],
        )
        for each in explored
    ]
    text = (_SIZES_EXPLAINED, _TIMES_EXPLAINED, *(remark for each in explored for remark in _remarks(each)))
    figures = tuple(Figure(_plot(each), (each.world.name,)) for each in explored)
    return Section("Queue and stack (7.3.1)", text, (*tables, _ratios(explored)), figures)


def _rows(explored: Explored) -> Iterator[tuple[Cell, ...]]:
    facts = {strategy: _Facts.of(crawl.run) for strategy, crawl in explored.crawl_by_strategy.items()}
    for iterations in ITERATIONS:
        for strategy, crawl in explored.crawl_by_strategy.items():
            seen = _at(crawl, iterations)
            if seen is None:
                continue
            published = EXPLORATION.get(strategy, {}).get(iterations)
            yield (
                iterations,
                strategy,
                seen.waiting,
                published.size if published else None,
                seen.largest_waiting,
                facts[strategy].pushed_by(seen.fetches) - seen.fetches if strategy in _TAKES_ALL else None,
                seen.fetches,
                published.visited if published else None,
                seen.pages,
                facts[strategy].hosts_by(seen.fetches),
                seen.simulated_s,
                seen.real_s,
                published.seconds if published else None,
            )


def _at(crawl: MeasuredCrawl, iterations: int) -> Milestone | None:
    return next((seen for seen in crawl.measured() if seen.iterations == iterations), None)


@dataclass(frozen=True, slots=True)
class _Facts:
    """The hosts and links of a finished run by step, to count them at any moment of its crawl."""

    seeds: int
    first_step_by_host: Mapping[str, int]
    pages: tuple[tuple[int, int], ...]  # step, distinct links; in order

    @classmethod
    def of(cls, path: Path) -> _Facts:
        with open_run(path) as run:
            links_by_url: dict[str, int] = {}
            for source, _ in run.edges():
                links_by_url[source.text] = links_by_url.get(source.text, 0) + 1
            first_step_by_host: dict[str, int] = {}
            for step in run.steps():
                first_step_by_host.setdefault(step.url.host, step.step)
            pages = tuple((page.step, links_by_url.get(page.url.text, 0)) for page in run.pages())
            return cls(run.progress.seeds, first_step_by_host, pages)

    def pushed_by(self, step: int) -> int:
        """Links put into the frontier up to a step, were each put in as often as a page shows it."""
        return self.seeds + sum(links for at, links in self.pages if at <= step)

    def hosts_by(self, step: int) -> int:
        return bisect_right(sorted(self.first_step_by_host.values()), step)


def _remarks(explored: Explored) -> Iterator[str]:
    """Yield a remark for each crawl of a world that ran out of links."""
    for strategy, crawl in explored.crawl_by_strategy.items():
        last = crawl.measured()[-1]
        if last.is_exhausted:
            ended, reason = _ending(strategy, crawl)
            yield (
                f"On `{explored.world.name}` {strategy} {ended}: after {last.fetches:,} fetches nothing waits any "
                f"more, {reason}"
            )


def _ending(strategy: str, crawl: MeasuredCrawl) -> tuple[str, str]:
    """Say how a crawl without waiting links ended, and why: it left links alone, or it had fetched everything."""
    with open_run(crawl.run) as run:
        progress = run.progress
    not_followed = _links_not_followed(progress)
    if not not_followed:
        return "is **exhausted**", "because all that can be reached has been fetched."
    if strategy == STACK and _Facts.of(crawl.run).hosts_by(progress.fetches) == 1:
        return "**runs out of links**", (
            "because the world is a single host: after its first pages the rule lets no page's links wait "
            f"({progress.pages_not_followed:,} of {progress.pages:,} pages gave none). "
            "What keeps the stack small needs many hosts."
        )
    return "**runs out of links**", f"because the strategy does not follow links: {not_followed}."


def _links_not_followed(progress: Progress) -> str:
    """Say in words which links a strategy left out by its own rules; empty where it took every link."""
    causes = (
        (progress.pages_not_followed, f"the links of {{:,}} of {progress.pages:,} pages were not followed"),
        (progress.pruned, "{:,} times there was no room for a link to wait"),
        (progress.skips, "{:,} links were skipped when their turn came"),
    )
    return ", and ".join(words.format(count) for count, words in causes if count)


def _end_word(crawl: MeasuredCrawl) -> str:
    with open_run(crawl.run) as run:
        return "ran out of links" if _links_not_followed(run.progress) else "exhausted"


def _ratios(explored: Sequence[Explored]) -> Table:
    """The table of ratios, the stack over the queue, in size and in time; published ones first."""
    rows: list[tuple[Cell, ...]] = []
    for iterations in ITERATIONS:
        queue, stack = EXPLORATION[QUEUE][iterations], EXPLORATION[STACK][iterations]
        rows.append((iterations, "published", stack.size / queue.size, None, stack.seconds / queue.seconds))
        rows += [
            (iterations, each.world.name, *ratios) for each in explored if (ratios := _ratios_in(each, iterations))
        ]
    return Table(
        "exploration-ratios",
        "Over breadth-first: how much smaller, how much faster",
        ("iterations", "world", "modified, size", "depth-first, size", "modified, time"),
        tuple(rows),
        note=_RATIOS_EXPLAINED,
    )


def _ratios_in(explored: Explored, iterations: int) -> tuple[Cell, ...]:
    seen = {strategy: _at(crawl, iterations) for strategy, crawl in explored.crawl_by_strategy.items()}
    queue, stack, plain = seen[QUEUE], seen[STACK], seen[PLAIN_STACK]
    if queue is None or stack is None or plain is None:
        return ()
    ran_out_of_links = stack.fetches < queue.fetches  # then it has not done the same work
    return (
        None if ran_out_of_links else _over(stack.waiting, queue.waiting),
        _over(plain.waiting, queue.waiting),
        None if ran_out_of_links else _over(stack.simulated_s, queue.simulated_s),
    )


def _over(one: float, other: float) -> float | None:
    return one / other if other else None


def _plot(explored: Explored) -> LinePlot:
    lines = []
    for strategy, crawl in explored.crawl_by_strategy.items():
        seen = crawl.measured()
        ends = next((each.fetches for each in seen if each.is_exhausted), None)
        points = tuple((each.iterations, each.waiting) for each in seen)
        lines.append(Line(strategy, points, end="" if ends is None else f"{_end_word(crawl)} after {ends:,} fetches"))
    last = explored.crawl_by_strategy[QUEUE].milestones[-1]
    for strategy, named in ((QUEUE, "queue, published"), (STACK, "stack, published")):
        published = EXPLORATION[strategy]
        points = tuple((each, published[each].size) for each in ITERATIONS if each <= last)
        lines.append(Line(named, points, is_published=True))
    return LinePlot(
        f"frontier-{explored.world.slug}",
        "Links that wait",
        f"on {explored.world.name}",
        "iterations (fetches)",
        "links that wait",
        tuple(lines),
        x_marks=tuple(each for each in (1, 2, 5, 10, 20, 50, 100, 200, 500) if each <= last),
    )
