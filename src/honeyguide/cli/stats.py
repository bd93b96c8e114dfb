"""`honeyguide stats` and `diff`: a run added up, and two runs compared."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide import runs
from honeyguide.cli.options import JsonFlag, RunArgument
from honeyguide.cli.output import (
    duration,
    folded,
    megabytes,
    one_line,
    percent,
    print_json,
    print_json_lists,
    progress_bar,
)
from honeyguide.model.counts import count_of
from honeyguide.runs.forecast import HORIZONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from honeyguide.runs import HostOfOne, PageOfBoth, PageOfOne, Run, RunDiff, RunStats

_BAR: Final = 27
_TITLE_WIDTH: Final = 46


def stats(
    run: RunArgument,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many hosts and URL patterns to name.")] = 10,
    ahead: Annotated[
        list[int] | None,
        typer.Option(
            "--next",
            metavar="N",
            min=1,
            show_default=False,
            help="Tell the yield of so many more fetches, up to five times those made; may be given several times. "
            "[default: 100, 500]",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Add up a run: pages, harvest, outlook, hosts, outcomes, bytes, time by stage, URL patterns.

    Works while the crawl is going on, too. The outlook says what more fetches would bring, with 90% intervals.

    [bold]Example[/bold]

      honeyguide stats my-run --top 5
    """
    with runs.open_run(run) as opened, opened.at_one_moment():
        if not as_json:  # at once: the rest of a large run takes a while to count
            print("\n".join(_head_lines(opened)), flush=True)
        with progress_bar("fetches") as progress:
            counted = runs.stats(opened, top, ahead or HORIZONS, progress)
    if as_json:
        print_json(asdict(counted))
    else:
        print("\n".join(_counted_lines(counted)))


def _head_lines(run: Run) -> Iterator[str]:
    settings, progress = run.settings, run.progress
    crawl = settings.crawl
    about = one_line(f"topic: {settings.topic.name or 'none'}; strategy: {crawl.strategy}; world: {crawl.world}")
    yield folded(about, indent=2)
    yield f"stopped: {progress.stop_reason}" if progress.stop_reason else "not finished"
    yield ""
    yield f"  fetches       {progress.fetches:,} of {run.fetch_budget:,}"
    yield f"  pages         {progress.pages:,}, of which relevant {progress.relevant:,}"
    yield f"  harvest rate  {percent(run.harvest_rate)} of the fetches"


def _counted_lines(counted: RunStats) -> Iterator[str]:
    yield f"  relevance     {counted.mean_relevance:.4f} on average over all pages"
    gave = f"{counted.hosts_with_pages:,} gave pages"
    yield f"  hosts         {counted.hosts:,} asked, of {count_of(counted.domains, 'domain')}; {gave}"
    yield f"  waiting links {counted.waiting_links:,}"
    if counted.drawn_fetches:
        fetches = count_of(counted.drawn_fetches, "fetch", "fetches")
        yield f"  by chance     {fetches} of links drawn at random, {counted.drawn_relevant:,} relevant"
    yield f"  received      {megabytes(counted.body_bytes)}; the run takes {megabytes(counted.run_bytes)}"
    yield f"  time          {duration(counted.crawl_seconds)} on the crawl's clock"
    if counted.fetches:
        yield "\nOutlook (90% intervals)"
        yield from (folded(f"  {sentence}", indent=4) for sentence in counted.outlook.sentences())
    yield from _counts("Outcomes", counted.outcomes)
    yield from _counts("No page, because of", counted.without_page)
    yield from _counts("Kinds of pages", counted.media_types)
    yield from _stages(counted)
    hosts = [(host.host, host.pages, host.relevant) for host in counted.top_hosts]
    yield from _table(f"Hosts, {len(hosts)} of {counted.hosts:,} asked", hosts)
    patterns = [(pattern.pattern, pattern.pages, pattern.relevant) for pattern in counted.patterns]
    yield from _table("URL patterns", patterns)
    signs = {sign.split("_", 1)[1].replace("_", " "): count for sign, count in counted.url_signs.items()}
    yield from _counts("Signs of a wasted fetch in URLs of pages", signs)
    yield from _table("Clicks from a seed", [(f"{depth}", pages, good) for depth, pages, good in counted.depths])


def _counts(title: str, counts: dict[str, int]) -> Iterator[str]:
    if counts:
        yield f"\n{title}"
        width = max(map(len, counts))
        for name, count in counts.items():
            yield f"  {one_line(name):{width}}  {count:>9,}"


def _stages(counted: RunStats) -> Iterator[str]:
    total = sum(counted.stage_seconds.values())
    if not total:
        return
    yield f"\nTime by stage, {duration(total)} in all"
    mark = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    for stage, seconds in sorted(counted.stage_seconds.items(), key=lambda item: -item[1]):
        each_ms, share = 1000 * seconds / max(1, counted.fetches), seconds / total
        figures = f"{duration(seconds):>12}  {percent(share):>6}  {each_ms:8.2f} ms a fetch"
        yield f"  {stage:7} {figures}  {mark * round(share * _BAR)}".rstrip()


def _table(title: str, rows: Sequence[tuple[str, int, int]]) -> Iterator[str]:
    if not rows:
        return
    width = min(_TITLE_WIDTH, max(len(title), *(len(name) for name, _, _ in rows)))
    yield f"\n{title:{width + 2}} {'pages':>9} {'relevant':>9}"
    for name, pages, relevant in rows:
        line = one_line(name)
        shown = line if len(line) <= width else line[: width - 1] + "…"
        yield f"  {shown:{width}} {pages:>9,} {relevant:>9,} {percent(relevant / pages) if pages else '':>7}".rstrip()


def diff(
    before: Annotated[Path, typer.Argument(metavar="RUN_A", show_default=False, help="The run to start from.")],
    after: Annotated[Path, typer.Argument(metavar="RUN_B", show_default=False, help="The run to compare with it.")],
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many pages and hosts to name of each kind.")] = 10,
    as_json: JsonFlag = False,
) -> None:
    """Compare two runs: pages and hosts gained and lost, verdicts and relevance changed.

    Pages are matched by URL. --json has every page, also those that are too many to print.

    [bold]Example[/bold]

      honeyguide diff my-run@1 my-run@2 --top 10
    """
    with runs.open_run(before) as first, runs.open_run(after) as second:
        if not as_json:  # at once: pages of large runs take a while to compare
            print("\n".join(_run_line(name, run) for name, run in (("A", first), ("B", second))), flush=True)
        with progress_bar("pages") as progress:
            if as_json:
                _print_diff_json(first, second, progress)
                return
            found = runs.diff(first, second, top=top, on_progress=progress)
    print("\n".join(folded(line, indent=9) for line in _diff_lines(found)))


def _print_diff_json(first: Run, second: Run, progress: Callable[[int, int], None]) -> None:
    """Print every difference. They are sorted in a file without a name, so that many take no memory."""
    with closing(sqlite3.connect("")) as database:
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("CREATE TABLE found (list TEXT, first REAL, second INTEGER, third TEXT, entry TEXT)")

        def keep(name: str, key: tuple[float, int, str], item: PageOfOne | PageOfBoth | HostOfOne) -> None:
            database.execute("INSERT INTO found VALUES (?, ?, ?, ?, ?)", (name, *key, json.dumps(asdict(item))))

        def entries(name: str) -> Iterator[dict[str, Any]]:
            rows = database.execute("SELECT entry FROM found WHERE list = ? ORDER BY first, second, third", (name,))
            yield from (json.loads(entry) for (entry,) in rows)

        document = asdict(runs.diff(first, second, top=0, on_progress=progress, on_difference=keep))
        lists = document["totals"]
        print_json_lists(
            {name: value for name, value in document.items() if name not in lists},
            {name: entries(name) for name in lists},
        )


def _run_line(name: str, run: Run) -> str:
    progress = run.progress
    return f"{name}: {run.name}: {count_of(progress.pages, 'page')}, {progress.relevant:,} relevant"


def _diff_lines(found: RunDiff) -> Iterator[str]:
    change = "" if found.mean_change is None else f", {found.mean_change:+.4f} relevance on average"
    same = "the same" if found.same_settings else "differ"
    yield f"{count_of(found.common, 'page')} in both{change}; settings {same}"
    totals = found.totals
    yield f"\nGained, in B alone: {count_of(totals['gained'], 'page')}, {found.gained_relevant:,} relevant"
    yield from _pages_of_one(found.gained, totals["gained"])
    yield f"\nLost, in A alone: {count_of(totals['lost'], 'page')}, {found.lost_relevant:,} relevant"
    yield from _pages_of_one(found.lost, totals["lost"])
    yield from _hosts("Hosts gained, with pages in B alone", found.hosts_gained, totals["hosts_gained"])
    yield from _hosts("Hosts lost, with pages in A alone", found.hosts_lost, totals["hosts_lost"])
    yield from _pages_of_both("Became relevant", found.became_relevant, totals["became_relevant"])
    yield from _pages_of_both("No longer relevant", found.became_irrelevant, totals["became_irrelevant"])
    yield from _pages_of_both("Another relevance, the same verdict", found.rejudged, totals["rejudged"])
    yield from _pages_of_both("Other words, the same relevance", found.rewritten, totals["rewritten"])


def _pages_of_one(pages: Sequence[PageOfOne], total: int) -> Iterator[str]:
    for page in pages:
        yield f"  {page.relevance:.3f}{'*' if page.is_relevant else ' '} {page.url}  {one_line(page.title)}".rstrip()
    yield from _rest(total, len(pages))


def _pages_of_both(title: str, pages: Sequence[PageOfBoth], total: int) -> Iterator[str]:
    if not pages:
        return
    yield f"\n{title}: {count_of(total, 'page')}"
    for page in pages:
        words = " (other words)" if page.has_changed else ""
        yield f"  {page.relevance_before:.3f} → {page.relevance:.3f} {page.url}{words}  {one_line(page.title)}".rstrip()
    yield from _rest(total, len(pages))


def _hosts(title: str, hosts: Sequence[HostOfOne], total: int) -> Iterator[str]:
    if not hosts:
        return
    yield f"\n{title}: {total:,}"
    for host in hosts:
        yield f"  {host.host}  {count_of(host.pages, 'page')}, {host.relevant:,} relevant"
    yield from _rest(total, len(hosts))


def _rest(total: int, shown: int) -> Iterator[str]:
    if total > shown:
        yield f"  … and {total - shown:,} more; --top shows them, --json has all"
