"""`honeyguide diff`: two runs held against each other."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import JsonFlag
from honeyguide.cli.summary import one_line
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.runs import HostOfOne, PageOfBoth, PageOfOne, RunDiff

HELP: Final = (
    "Hold a run against an earlier one: pages and hosts gained and lost, verdicts and relevance changed.\n\n"
    "Pages are told by their URLs. --json has every page, also those that are too many to print.\n\n"
    "[bold]Example[/bold]\n\n"
    "  honeyguide diff monday tuesday --top 10"
)


def diff(
    before: Annotated[Path, typer.Argument(metavar="RUN_A", show_default=False, help="The run to start from.")],
    after: Annotated[Path, typer.Argument(metavar="RUN_B", show_default=False, help="The run to compare with it.")],
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many pages and hosts to name of each kind.")] = 10,
    as_json: JsonFlag = False,
) -> None:
    from honeyguide import runs as reading  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load
    from honeyguide.cli.summary import print_json  # noqa: PLC0415

    found = reading.diff(before, after)
    if as_json:
        print_json(asdict(found))
        return
    for line in _lines(found, top):
        print(line)


def _lines(found: RunDiff, top: int) -> Iterator[str]:
    yield f"A: {found.before}: {count_of(found.pages_before, 'page')}, {found.relevant_before:,} relevant"
    yield f"B: {found.after}: {count_of(found.pages, 'page')}, {found.relevant:,} relevant"
    change = "" if found.mean_change is None else f", {found.mean_change:+.4f} relevance on average"
    yield (
        f"{count_of(found.common, 'page')} in both{change}; settings {'the same' if found.same_settings else 'differ'}"
    )
    yield from _pages_of_one("Gained, in B alone", found.gained, top)
    yield from _pages_of_one("Lost, in A alone", found.lost, top)
    yield from _hosts("Hosts gained, with pages in B alone", found.hosts_gained, top)
    yield from _hosts("Hosts lost, with pages in A alone", found.hosts_lost, top)
    yield from _pages_of_both("Became relevant", found.became_relevant, top)
    yield from _pages_of_both("No longer relevant", found.became_irrelevant, top)
    yield from _pages_of_both("Another relevance, the same verdict", found.rejudged, top)
    yield from _pages_of_both("Other words, the same relevance", found.rewritten, top)


def _pages_of_one(title: str, pages: Sequence[PageOfOne], top: int) -> Iterator[str]:
    relevant = sum(page.is_relevant for page in pages)
    yield f"\n{title}: {count_of(len(pages), 'page')}, {relevant:,} relevant"
    for page in pages[:top]:
        yield f"  {page.relevance:.3f}{'*' if page.is_relevant else ' '} {page.url}  {one_line(page.title)}".rstrip()
    yield from _rest(len(pages), top)


def _pages_of_both(title: str, pages: Sequence[PageOfBoth], top: int) -> Iterator[str]:
    if not pages:
        return
    yield f"\n{title}: {count_of(len(pages), 'page')}"
    for page in pages[:top]:
        words = " (other words)" if page.has_changed else ""
        yield f"  {page.relevance_before:.3f} → {page.relevance:.3f} {page.url}{words}  {one_line(page.title)}".rstrip()
    yield from _rest(len(pages), top)


def _hosts(title: str, hosts: Sequence[HostOfOne], top: int) -> Iterator[str]:
    if not hosts:
        return
    yield f"\n{title}: {len(hosts):,}"
    for host in hosts[:top]:
        yield f"  {host.host}  {count_of(host.pages, 'page')}, {host.relevant:,} relevant"
    yield from _rest(len(hosts), top)


def _rest(count: int, top: int) -> Iterator[str]:
    if count > top:
        yield f"  … and {count - top:,} more; --top shows them, --json has all"
