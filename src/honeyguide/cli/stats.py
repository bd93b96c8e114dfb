"""`honeyguide stats`: a run added up."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import JsonFlag, RunArgument
from honeyguide.cli.summary import duration, megabytes, one_line, percent
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.runs import RunStats

HELP: Final = (
    "Add up a run: pages, harvest, hosts, outcomes, bytes, time by stage, shapes of addresses.\n\n"
    "Works while the crawl is going on, too.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide stats my-run --top 5"
)
_BAR: Final = 30
_TITLE_WIDTH: Final = 46


def stats(
    run: RunArgument,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many hosts and shapes to name.")] = 10,
    as_json: JsonFlag = False,
) -> None:
    from honeyguide import runs as reading  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load
    from honeyguide.cli.summary import print_json  # noqa: PLC0415

    counted = reading.stats(run, top)
    if as_json:
        print_json(asdict(counted))
        return
    for line in _lines(counted):
        print(line)


def _lines(counted: RunStats) -> Iterator[str]:
    yield one_line(f"topic: {counted.topic or 'none'}; strategy: {counted.strategy}; world: {counted.world}")
    yield f"stopped: {counted.stop_reason}" if counted.stop_reason else "not finished"
    yield ""
    yield f"  fetches       {counted.fetches:,} of {counted.budget:,}"
    yield f"  pages         {counted.pages:,}, of which relevant {counted.relevant:,}"
    yield f"  harvest rate  {percent(counted.harvest_rate)} of the fetches"
    gave = f"{counted.hosts_with_pages:,} gave pages"
    yield f"  hosts         {counted.hosts:,} asked, of {count_of(counted.domains, 'domain')}; {gave}"
    yield f"  waiting links {counted.waiting_links:,}"
    yield f"  received      {megabytes(counted.body_bytes)}; the run takes {megabytes(counted.run_bytes)}"
    yield f"  time          {duration(counted.crawl_seconds)} on the crawl's clock"
    yield from _counts("Outcomes", counted.outcomes)
    yield from _counts("No page, because of", counted.without_page)
    yield from _counts("Kinds of pages", counted.media_types)
    yield from _stages(counted)
    hosts = [(host.host, host.pages, host.relevant) for host in counted.top_hosts]
    yield from _table(f"Hosts, {len(hosts)} of {counted.hosts:,} asked", hosts)
    patterns = [(pattern.pattern, pattern.pages, pattern.relevant) for pattern in counted.patterns]
    yield from _table("Shapes of addresses", patterns)
    yield from _counts(
        "Signs of a wasted fetch in addresses of pages",
        {sign.split("_", 1)[1].replace("_", " "): count for sign, count in counted.url_signs.items()},
    )
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
    for stage, seconds in sorted(counted.stage_seconds.items(), key=lambda item: -item[1]):
        each_ms, share = 1000 * seconds / max(1, counted.fetches), seconds / total
        figures = f"{duration(seconds):>12}  {percent(share):>6}  {each_ms:8.2f} ms a fetch"
        yield f"  {stage:7} {figures}  {_bar(share)}".rstrip()


def _bar(share: float) -> str:
    mark = "█" if (sys.stdout.encoding or "").lower().startswith("utf") else "#"
    return mark * round(share * _BAR)


def _table(title: str, rows: Sequence[tuple[str, int, int]]) -> Iterator[str]:
    if not rows:
        return
    width = min(_TITLE_WIDTH, max(len(title), *(len(name) for name, _, _ in rows)))
    yield f"\n{title:{width + 2}} {'pages':>9} {'relevant':>9}"
    for name, pages, relevant in rows:
        told = one_line(name)
        shown = told if len(told) <= width else told[: width - 1] + "…"
        yield f"  {shown:{width}} {pages:>9,} {relevant:>9,} {percent(relevant / pages) if pages else '':>7}".rstrip()
