"""`honeyguide traps`: what a run judged a loop, a trap or a duplicate, by what evidence, and what it cost."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Final

import typer

from honeyguide.cli.options import JsonFlag, RunArgument
from honeyguide.cli.output import one_line, percent, print_json, print_json_lists
from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.model import Url
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from honeyguide.model import HostKey
    from honeyguide.runs import GuardFinding, HostMoves, LinksMoved, Run, Trap, TrapSummary

HELP: Final = (
    "Show what a run judged a loop, a trap or a duplicate.\n\n"
    "For each, the most costly first: the pages that it cost, what became of links (they wait behind others, and may "
    "be raised again), the evidence, what it is made up of, and a few pages to look at. Restarts are listed with their "
    "reasons. Works while the crawl is going on, too.\n\n"
    "[bold]Examples[/bold]\n\n"
    "  honeyguide traps my-run\n\n"
    "  honeyguide traps my-run --kind calendar --pages"
)
_MOST_TRAPS: Final = 20
_MOST_PARTS: Final = 4  # of a trap
_MOST_MOVES: Final = 10
_MOST_PLACES: Final = 3  # of a restart


def traps(
    run: RunArgument,
    kind: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Only what is of this kind: duplicate, near-duplicate, loop, session-id, calendar, maze, and so on.",
        ),
    ] = "",
    host: Annotated[str, typer.Option(metavar="HOST", show_default=False, help="Only what is on this host.")] = "",
    pages: Annotated[bool, typer.Option("--pages", metavar="", help="List every page, too.")] = False,
    as_json: JsonFlag = False,
) -> None:
    from honeyguide.runs import FindingKind, open_run  # noqa: PLC0415 - numpy, SQLite and the rest take a while to load

    kinds = [each.value for each in FindingKind]
    if kind and kind not in kinds:
        raise SettingsError([f"--kind is {kind!r}: choose one of {', '.join(kinds)}"])
    host = _host_key(host) if host else ""
    with open_run(run) as opened, opened.at_one_moment():
        wanted = opened.guard_findings(kind=kind, host=host) if pages else None
        if as_json:
            _print_json(opened, opened.trap_summary(kind=kind, host=host), wanted)
            return
        for number, line in enumerate(_lines(opened, kind, host, wanted or ())):
            print(line, flush=number == 0)  # at once: the findings of a large run take a while to sum up


def _host_key(text: str) -> HostKey:
    """A host as URLs have it, whatever the case and the letters that it is written with."""
    try:
        parsed = Url.parse(f"http://{text}/")
    except InvalidUrl:
        parsed = None
    if parsed is None or parsed.text != f"http://{parsed.host}/":
        raise SettingsError([f"--host is {text!r}: write the name of a host alone, as in example.org"])
    return parsed.host


def _lines(run: Run, kind: str, host: str, pages: Iterable[GuardFinding]) -> Iterator[str]:
    yield from _guarded(run, kind, host, pages)
    if not (kind or host):
        yield from _restarts(run)


def _guarded(run: Run, kind: str, host: str, pages: Iterable[GuardFinding]) -> Iterator[str]:
    if not run.settings.guard.on:
        yield "This run was made without a guard (guard.on = false): nobody looked out for traps."
        return
    if run.settings.refresh.run:
        yield "This run looks at known pages again and follows no links: it needs no guard."
        return
    records = run.trap_records()
    seen, found = records.pages_seen(), records.pages_found(kind, host)
    looked = count_of(seen, "page")
    if not found:
        what = "of that kind or host " if kind or host else ""
        yield f"No page {what}was judged part of a loop or a trap, or a duplicate; the guard looked at {looked}."
    else:
        share = percent(found / max(1, seen))
        yield f"{found:,} of {looked} ({share}) were judged part of a loop or a trap, or duplicates."
    summary = records.summary(kind, host)
    if found:
        yield ""
        yield from _traps(summary)
    yield from _moves(summary)
    for number, page in enumerate(pages):
        if not number:
            yield ""
            yield "Pages:"
        yield f"  step {page.step:<7,} {page.kind:14} {one_line(page.url.text)}"


def _traps(summary: TrapSummary) -> Iterator[str]:
    for trap in summary.traps[:_MOST_TRAPS]:
        yield f"  {trap.kind:14} {one_line(trap.about)}"
        for line in _about_trap(trap):
            yield f"  {'':14} {line}"
    rest = summary.traps[_MOST_TRAPS:]
    if rest:
        cost = count_of(sum(trap.pages for trap in rest), "page")
        yield f"  and {len(rest):,} more, which cost {cost}; --json has them all"


def _about_trap(trap: Trap) -> Iterator[str]:
    steps = f"step {trap.first_step:,}" if trap.pages == 1 else f"steps {trap.first_step:,} to {trap.last_step:,}"
    relevant = f", {trap.relevant:,} relevant" if trap.relevant else ""
    moved = _moved(trap.links)
    yield f"cost {count_of(trap.pages, 'page')}{relevant}, {steps}" + (f"; links: {moved}" if moved else "")
    yield one_line(trap.evidence)
    for part in trap.parts[:_MOST_PARTS] if len(trap.parts) > 1 else ():
        yield f"- {count_of(part.pages, 'page')}: {part.kind}, {one_line(part.about)}"
    rest = trap.parts[_MOST_PARTS:]
    if rest:
        yield f"- {count_of(sum(part.pages for part in rest), 'page')}: {len(rest):,} more, all in --json"
    for url in trap.examples:
        yield f"> {one_line(url.text)}"


def _moves(summary: TrapSummary) -> Iterator[str]:
    if not summary.moves:
        return
    yield ""
    dropped = f", {summary.dropped:,} dropped" if summary.dropped else ""
    behind = "" if summary.waiting_behind is None else f"; {summary.waiting_behind:,} wait behind now"
    yield (
        f"Links: {count_of(summary.lowered, 'time')} one was let wait behind others, "
        f"{count_of(summary.raised, 'time')} one was raised again{dropped}{behind}."
    )
    if summary.other_moves and summary.traps:
        yield "Of these, for reasons that speak of none of the above:"
    for move in summary.other_moves[:_MOST_MOVES]:
        yield f"  {one_line(move.host)}: {one_line(move.reason)} ({_moved(move)})"
    if len(summary.other_moves) > _MOST_MOVES:
        yield f"  and {len(summary.other_moves) - _MOST_MOVES:,} more; --json has them all"


def _moved(links: LinksMoved | HostMoves) -> str:
    ways = ((links.lowered, "lowered"), (links.raised, "raised"), (links.dropped, "dropped"))
    return ", ".join(f"{count:,} {way}" for count, way in ways if count)


def _restarts(run: Run) -> Iterator[str]:
    for first, restart in enumerate(run.restarts()):
        if not first:
            yield ""
            yield "Restarts:"
        places = restart.urls[:_MOST_PLACES]
        more = f" and {len(restart.urls) - len(places):,} more" if len(restart.urls) > len(places) else ""
        yield f"  after step {restart.after_steps:<7,} {restart.reason}; from {restart.source}:"
        yield f"    {', '.join(one_line(url.text) for url in places)}{more}"


def _print_json(run: Run, summary: TrapSummary, pages: Iterable[GuardFinding] | None) -> None:
    document = {
        "run": str(run.path),
        "guard": run.settings.guard.on and not run.settings.refresh.run,
        "pages_seen": summary.pages_seen,
        "pages_found": summary.pages_found,
        "links": {
            "lowered": summary.lowered,
            "raised": summary.raised,
            "dropped": summary.dropped,
            "waiting_behind": summary.waiting_behind,
        },
        "traps": [asdict(trap) | {"examples": [url.text for url in trap.examples]} for trap in summary.traps],
        "moves": [asdict(move) | {"reason": move.reason} for move in summary.moves],
    }
    document["restarts"] = [asdict(each) | {"urls": [url.text for url in each.urls]} for each in run.restarts()]
    if pages is None:
        print_json(document)
        return
    entries = (
        asdict(page)
        | {"url": page.url.text, "like": None if page.like is None else page.like.text, "evidence": page.evidence}
        for page in pages
    )
    print_json_lists(document, {"pages": entries})
