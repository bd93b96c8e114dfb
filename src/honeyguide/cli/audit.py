"""`honeyguide audit`: what a run asked of whom, when, and under which rules."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from honeyguide.cli.options import JsonFlag, RunArgument
from honeyguide.cli.output import command, folded, megabytes, one_line
from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.model import Url
from honeyguide.model.counts import count_of
from honeyguide.runs import open_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.runs.audit import AskedUrl, Audit, AuditRules, OriginAudit, RequestSums


def audit(
    run: RunArgument,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="How many hosts to name; --json names all.")] = 20,
    host: Annotated[str, typer.Option(metavar="HOST", help="List all that was asked of this host, or origin.")] = "",
    as_json: JsonFlag = False,
) -> None:
    """Account for a run: what was asked of whom, when, under which rules.

    For every host: requests, pages kept, pages not kept because their publisher reserved them, links that robots.txt
    refused, and each robots.txt with its time and SHA-256. Works while the crawl is going on, too.

    [bold]Example[/bold]

      honeyguide audit my-run --host example.org
    """
    with open_run(run) as opened, opened.at_one_moment():
        account = opened.audit()
        asked = _asked_of(account, host, opened.path) if host else None
        if as_json:
            for piece in _json_pieces(opened.path, account, asked):
                print(piece, end="")
            return
        for line in _lines(account, top) if asked is None else map(_request_line, asked):
            print(line)


def _asked_of(account: Audit, host: str, run: Path) -> Iterator[AskedUrl]:
    """Return the requests to a host or an origin. SettingsError where there are none, or it is neither."""
    try:
        parsed = Url.parse(host if "://" in host else f"http://{host}/")
    except InvalidUrl:
        parsed = None
    if parsed is None or parsed.path_and_query != "/":
        raise SettingsError([f"--host is {host!r}: write a host or an origin, as example.org or https://example.org"])
    asked = account.asked_of(parsed.origin if "://" in host else parsed.host)
    first = next(asked, None)
    if first is None:
        raise SettingsError(
            [f"--host is {host!r}: no link to it had its turn; {command('audit', run)} names the hosts"]
        )
    return chain((first,), asked)


def _json_pieces(path: Path, account: Audit, asked: Iterator[AskedUrl] | None) -> Iterator[str]:
    """Yield a document in pieces, so that a long one takes no memory."""
    totals = account.totals()
    head = {"run": str(path), "rules": asdict(account.rules), "origins_asked": totals.origins_asked}
    head |= {"requests_for_rules": totals.requests_for_rules, "totals": asdict(totals.sums)}
    rows: Iterator[AskedUrl | OriginAudit] = account.origins() if asked is None else asked
    yield json.dumps(head)[:-1] + (', "origins": [' if asked is None else ', "asked": [')
    for number, row in enumerate(rows):
        yield (",\n " if number else "\n ") + json.dumps(asdict(row))
    yield "\n]}\n"


def _lines(account: Audit, top: int) -> Iterator[str]:
    totals = account.totals()
    sums = totals.sums
    yield from _rule_lines(account.rules)
    yield ""
    when = f", {_minute(sums.first_at)} to {_minute(sums.last_at)} UTC" if sums.first_at else ""
    yield f"{count_of(sums.requests, 'request')} to {count_of(totals.origins_asked, 'host')}{when}"
    yield f"  {count_of(sums.pages, 'page')} kept, {megabytes(sums.body_bytes)} received"
    yield from _counted(sums, totals.requests_for_rules)
    if totals.origins:
        yield "\n  asked   kept  not kept  refused  failed  host"
    for each in account.origins(top):
        yield from _origin_lines(each)
    if totals.origins > top:
        yield f"and {totals.origins - top:,} more; --top {totals.origins} or --json names them all"


def _rule_lines(rules: AuditRules) -> Iterator[str]:
    yield f"asked as    {one_line(rules.asked_as)}"
    yield f"robots.txt  {'obeyed' if rules.obeys_robots else 'not obeyed'}"
    obeyed = ", ".join(rules.obeyed) or "none"
    yield f"respect     {rules.respect}; pages may say {obeyed}"
    if rules.site_files:
        yield f"also asked  {', '.join(rules.site_files)}"
    together = ", also between hosts at one address" if rules.one_address_at_a_time else ""
    yield f"pause       {rules.delay_s:g} s or more{together}; world: {rules.world}"


def _counted(sums: RequestSums, files: int) -> Iterator[str]:
    facts = (
        (
            sums.not_kept,
            "page came and was not kept: reserved by its publisher",
            "pages came and were not kept: reserved",
        ),
        (sums.with_rules, "page kept that asks something of crawlers", "pages kept that ask something of crawlers"),
        (sums.refused, "link not asked for, by a rule", "links not asked for, by a rule"),
        (files, "request for robots.txt and the like", "requests for robots.txt and the like"),
    )
    for count, one, many in facts:
        if count:
            yield f"  {count:,} {one if count == 1 else many}"


def _origin_lines(each: OriginAudit) -> Iterator[str]:
    sums = each.sums
    counts = f"{sums.requests:7,} {sums.pages:6,} {sums.not_kept:9,} {sums.refused:8,} {sums.failed:7,}"
    yield f"{counts}  {one_line(each.origin)}"
    for file in each.files:
        digest = f"sha256 {file.sha256[:12]}" if file.sha256 else "" if file.detail else "no such file"
        again = f", {file.times} times" if file.times > 1 else ""
        said = ", ".join(filter(None, (digest, one_line(file.detail))))
        line = f"{'':15}{file.path[1:].rpartition('/')[2]}: {said}, since {_minute(file.since)}{again}"
        yield folded(line, indent=17)


def _request_line(each: AskedUrl) -> str:
    status = f" {each.status}" if each.status else ""
    rules = " ".join(each.rules)
    said = f"not kept: {rules}" if each.is_reserved else rules
    robots = f"robots.txt {each.robots_txt[:12]}" if each.robots_txt else ""
    facts = (f"{each.at[:19]}Z", f"{each.outcome}{status}", each.url, each.detail, said, robots)
    return "  ".join(one_line(fact) for fact in facts if fact)


def _minute(moment: str | None) -> str:
    return (moment or "")[:16].replace("T", " ")
