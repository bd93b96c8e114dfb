"""`honeyguide refresh` and `honeyguide schedule`: look at the pages of a run again, now or again and again."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import zlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from honeyguide import crawler
from honeyguide.cli.options import (
    AnySetting,
    JsonFlag,
    LogFile,
    RunArgument,
    TrustFlag,
    Verbosity,
    limit_flags,
    parse_assignment,
    takes_flags,
    whole_number,
)
from honeyguide.cli.output import command, duration, one_line, print_json
from honeyguide.cli.summary import print_summary
from honeyguide.cli.watching import watching
from honeyguide.errors import SettingsError
from honeyguide.model.counts import count_of
from honeyguide.runs import PageChange, RunFolder, open_run

if TYPE_CHECKING:
    from honeyguide.runs import PassFinding, Revisit, Run

PAGES_SHOWN: Final = 20
_SHOWN: Final = (PageChange.CHANGED, PageChange.NEW, PageChange.MOVED, PageChange.GONE, PageChange.FAILED)


@takes_flags(limit_flags("Options"))
def refresh(
    run: RunArgument,
    new_run: Annotated[
        Path | None,
        typer.Option(
            "--new-run", metavar="NEW", show_default=False,
            help="Keep what came in a run of its own; RUN stays as it is.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="FETCHES", show_default=False, help="Fetches to spend; without it, as many as it takes."),
    ] = None,
    new_links: Annotated[
        float | None,
        typer.Option(
            "--new-links", metavar="0..0.9", show_default=False,
            help="Share of the fetches for links that RUN had not met. \\[default: 0.2]",
        ),
    ] = None,
    *,
    given: Mapping[str, Any],
    set_: AnySetting = None,
    trust: TrustFlag = False,
    as_json: JsonFlag = False,
    verbose: Verbosity = 0,
    log_file: LogFile = None,
) -> None:  # fmt: skip
    """Look at the pages of a run again, as a new pass of it.

    Hosts are asked to send a page only if it has changed. Pages that are old, that were seen to change often, or that
    are relevant come first; then links that are new. The run then has the newest state; older versions stay readable,
    and RUN@1 is the run as it was after its first pass. Killed or stopped, the pass goes on when you type the same
    again; until it has ended, the run is as it was.

    [bold]Examples[/bold]

      honeyguide refresh my-run

      honeyguide diff my-run@1 my-run@2
    """
    overrides: dict[str, Any] = dict(map(parse_assignment, set_ or [])) | dict(given)
    if budget is not None:
        overrides["budget.fetches"] = whole_number(budget)
    if new_links is not None:
        overrides["refresh.new_links"] = new_links
    if new_run is None:
        settings = crawler.settings_of_pass(run, overrides, trust=trust)
    else:
        settings = crawler.settings_to_refresh(run, overrides, trust=trust)
    with open_run(run) as before:
        passes = len(before.passes())
    with watching(verbose, log_file) as watch:
        started = watch.clock.now()
        options = watch.crawl_options(settings)
        finished = crawler.refresh(run, overrides, new_run=new_run, trust=trust, **options)
    seconds = watch.clock.now() - started
    with finished:
        if new_run is not None:
            _print_new_run(finished, seconds, as_json=as_json)
        elif len(finished.passes()) > passes:
            _print_pass(finished, seconds, as_json=as_json)
        else:
            print(f"the pass has not ended; go on with: {command('refresh', run)}", file=sys.stderr)
    raise typer.Exit(watch.is_interrupted.exit_code)


def _print_pass(run: Run, seconds: float, *, as_json: bool) -> None:
    newest, earlier = run.passes()[-1], run.passes()[-2]
    fetches = newest.last_step - newest.first_step + 1
    found = list(run.found_in_pass(newest.number))
    counts = Counter(each.finding for each in found)
    if as_json:
        told = {"run": str(run.path), "pass": newest.number, "fetches": fetches, "seconds": round(seconds, 3)}
        told |= {kind.value: counts[kind] for kind in PageChange if kind is not PageChange.WAITING}
        print_json(told | {"pages": [_entry(each) for each in found if each.finding in _SHOWN]})
        return
    kinds = (PageChange.SAME, *_SHOWN)
    print(f"Pass {newest.number}: {count_of(fetches, 'fetch', 'fetches')} in {duration(seconds)}.")
    print(f"  {', '.join(f'{counts[kind]:,} {kind.value}' for kind in kinds if counts[kind]) or 'no page looked at'}")
    shown = sorted((each for each in found if each.finding in _SHOWN), key=lambda each: _SHOWN.index(each.finding))
    _print_changes([(each.finding, each.url, each.title or each.detail) for each in shown])
    then, now = (Path(f"{run.path}@{each.number}") for each in (earlier, newest))
    print(f"\nNext:\n  {command('diff', then, str(now))}")


def _entry(found: PassFinding) -> dict[str, Any]:
    return {
        "url": found.url,
        "finding": found.finding.value,
        "title": found.title,
        "relevance": found.relevance,
        "relevance_before": found.relevance_before,
        "detail": found.detail,
    }


def _print_new_run(run: Run, seconds: float, *, as_json: bool) -> None:
    found = [revisit for revisit in run.revisits().all() if revisit.finding in _SHOWN]
    pages = sorted(found, key=lambda revisit: _SHOWN.index(revisit.finding))
    further = {"pages": [_revisit_entry(page) for page in pages]} if as_json else {}
    print_summary(run, seconds, as_json=as_json, further=further)
    if not as_json:
        _print_changes([(page.finding, page.known.url.text, page.title or page.detail) for page in pages])


def _revisit_entry(revisit: Revisit) -> dict[str, Any]:
    return {
        "url": revisit.known.url.text,
        "finding": revisit.finding.value,
        "title": revisit.title,
        "relevance": round(revisit.now.relevance, 6),
        "relevance_before": round(revisit.known.relevance, 6),
        "relevant": revisit.is_relevant,
        "changes": revisit.now.changes,
        "detail": revisit.detail,
    }


def _print_changes(pages: list[tuple[PageChange, str, str]]) -> None:
    if pages:
        print()
    for finding, url, about in pages[:PAGES_SHOWN]:
        title = one_line(about)
        print(f"  {finding.value:8} {url}{f'  {title}' if title else ''}")
    if len(pages) > PAGES_SHOWN:
        print(f"  and {len(pages) - PAGES_SHOWN:,} more; --json lists them all")


_DAYS: Final = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0}
_CRON: Final = {"hour": "{minute} * * * *", "day": "{minute} {hour} * * *"}
_CRON_RARE: Final = {"week": "{minute} {hour} * * 1", "month": "{minute} {hour} 1 * *"}
_CALENDAR: Final = {"hour": "*:{minute:02}", "day": "*-*-* {hour:02}:{minute:02}"}
_CALENDAR_RARE: Final = {"week": "Mon *-*-* {hour:02}:{minute:02}", "month": "*-*-01 {hour:02}:{minute:02}"}


def schedule(
    run: RunArgument,
    every: Annotated[
        str, typer.Option(metavar="hour|day|week|month", help="How often; without it, as its pages change.")
    ] = "",
    at: Annotated[str, typer.Option(metavar="HH:MM", help="When; without it, some minute after 3 of its own.")] = "",
    systemd: Annotated[bool, typer.Option("--systemd", metavar="", help="A systemd timer, not a cron line.")] = False,
) -> None:
    """Print a cron line, or a systemd timer, that refreshes a run.

    Nothing is installed: put it where it belongs yourself. A pass that is still under way is left alone.

    [bold]Examples[/bold]

      honeyguide schedule my-run

      honeyguide schedule my-run --every week --systemd
    """
    RunFolder.open(run)  # which RUN@1 does not name
    days = crawler.days_between_changes(run)
    if every and every not in _DAYS:
        raise SettingsError([f"--every is {every!r}: choose one of {', '.join(_DAYS)}"])
    usual = "day" if days is None else next((name for name in reversed(_DAYS) if _DAYS[name] <= days), "hour")
    chosen = every or usual
    path = Path(os.path.abspath(run))  # noqa: PTH100 - which takes .. away, and follows no link
    hour, minute = _clock_time(at) if at else (3, zlib.crc32(str(path).encode()) % 60)
    beside = Path(sys.executable).with_name("honeyguide")  # of this very installation, wherever it is
    program = str(beside) if beside.exists() else shutil.which("honeyguide") or str(Path(sys.argv[0]).absolute())
    often = "how often a page changes is not known"
    if days is not None:
        changes = f"every {days:.0f} days" if days >= 2 else f"every {days * 24:.0f} hours"
        often = f"a page changes {changes if days >= 1 / 12 else 'every hour or two'}, as far as is known"
    print(f"# {one_line(str(path))}: {often}")
    if systemd:
        print(_systemd(path, program, (_CALENDAR | _CALENDAR_RARE)[chosen].format(hour=hour, minute=minute)))
        return
    log = path.with_name(f"{path.name}.refresh.log")
    line = f"{shlex.join([program, 'refresh', str(path)])} >> {shlex.quote(str(log))} 2>&1".replace("%", "\\%")
    print(f"{(_CRON | _CRON_RARE)[chosen].format(hour=hour, minute=minute)} {line}")


def _clock_time(text: str) -> tuple[int, int]:
    hour, _, minute = text.partition(":")
    if not (hour.isdecimal() and minute.isdecimal() and int(hour) < 24 and int(minute) < 60):
        raise SettingsError([f"--at is {text!r}: give a time such as 03:30"])
    return int(hour), int(minute)


def _systemd(path: Path, program: str, calendar: str) -> str:
    name = re.sub(r"[^A-Za-z0-9:_.-]", "-", f"honeyguide-{path.name}")  # what names of units may have
    about = one_line(path.name).replace("%", "%%")
    words = (re.sub(r'([\\"])', r"\\\1", word).replace("%", "%%").replace("$", "$$") for word in ("refresh", str(path)))
    quoted = " ".join(f'"{word}"' for word in (program.replace("%", "%%"), *words))
    return f"""# ~/.config/systemd/user/{name}.service
[Unit]
Description=Refresh {about}

[Service]
Type=oneshot
ExecStart={quoted}

# ~/.config/systemd/user/{name}.timer
[Unit]
Description=Refresh {about} regularly

[Timer]
OnCalendar={calendar}
Persistent=true

[Install]
WantedBy=timers.target

# systemctl --user daemon-reload && systemctl --user enable --now {name}.timer"""
