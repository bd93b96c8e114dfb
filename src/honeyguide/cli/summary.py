"""The result of a crawl, for people and for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from honeyguide.cli.output import WIDTH, command, duration, folded, megabytes, one_line, percent, print_json
from honeyguide.cli.run_document import findings, replies, summary
from honeyguide.crawler import StopReason, hands_on
from honeyguide.model.counts import count_of
from honeyguide.runs.advice import Situation, advise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from honeyguide.cli.watching import Interruption
    from honeyguide.runs import Run
    from honeyguide.runs.advice import Advice


def print_summary(run: Run, seconds: float, *, as_json: bool, further: Mapping[str, Any] | None = None) -> None:
    """Print what came of a crawl and what to type next; after Ctrl-C also how to go on, on stderr."""
    if as_json:
        print_json(summary(run) | {"seconds": round(seconds, 3)} | dict(further or {}))
    else:
        print("\n".join(_lines(run, seconds, advise(run))))
    if run.progress.stop_reason == StopReason.INTERRUPTED:
        sys.stdout.flush()
        print(f"stopped; go on with: {command('resume', run.path)}", file=sys.stderr)


def exit_status(run: Run, is_interrupted: Interruption) -> int:
    """Return the exit status of a command that crawled: 1 where no page came."""
    return is_interrupted.exit_code or int(not run.progress.pages)


def _lines(run: Run, seconds: float, advice: Advice | None) -> Iterator[str]:
    yield from map(folded, (f"Stopped: {run.progress.stop_reason}.", *_why_it_ran_out(run), ""))
    yield from map(folded, _numbers(run, seconds))
    if advice is not None:
        yield from ("", folded(advice.words, indent=0), f"  {advice.command}")
    if run.progress.stop_reason != StopReason.INTERRUPTED and run.progress.pages:
        yield from ("", "Next:", *_next_commands(run, advice))


def _numbers(run: Run, seconds: float) -> Iterator[str]:
    progress = run.progress
    yield f"  fetches       {progress.fetches:,} of {run.settings.budget.fetches:,}"
    if progress.unknown:
        yield f"  unknown       {count_of(progress.unknown, 'link')} that the world never recorded, at no cost"
    yield f"  pages         {progress.pages:,}, of which relevant {progress.relevant:,}"
    redirected = run.outcomes().get("redirected", 0)
    if redirected:
        yield f"  redirects     {count_of(redirected, 'fetch', 'fetches')} led elsewhere"
    yield from _without_page(run)
    cut = run.cut_pages()
    if cut:
        yield f"  cut pages     {', '.join(f'{count:,} by {cap}' for cap, count in cut.items())}, limits of [parse]"
    if run.settings.refresh.run:
        counts = ", ".join(f"{count:,} {finding}" for finding, count in findings(run).items() if count)
        yield f"  known pages   {counts}"
    yield from _questions(run)
    yield f"  harvest rate  {percent(run.harvest_rate)} of the fetches"
    yield f"  waiting links {progress.waiting:,}, at most {progress.largest_waiting:,} at once"
    yield from _not_followed(run)
    for each in run.outlook().next_fetches[-1:]:
        low, high = each.relevant.low, count_of(each.relevant.high, "relevant page")
        ahead = count_of(each.fetches, "fetch", "fetches")
        yield f"  outlook       {low:,} to {high} in the next {ahead} (90% interval)"
    yield f"  time          {duration(seconds)}"
    yield f"  run folder    {run.path} ({megabytes(run.size_bytes())})"


def _questions(run: Run) -> Iterator[str]:
    """Say how many of the questions were answered; nothing where none was asked."""
    counts = replies(run)
    asked, skipped = max(run.settings.ask.limit, sum(counts.values())), counts.pop("skip")
    if asked:
        said = ", ".join(f"{count:,} {answer}" for answer, count in counts.items() if count)
        told = f"{sum(counts.values()):,} of {count_of(asked, 'question')} answered"
        yield f"  answers       {told}{f': {said}' if said else ''}{f'; {skipped:,} skipped' if skipped else ''}"


def _without_page(run: Run) -> Iterator[str]:
    """Say why fetches brought no page; where none did, name the first."""
    reasons = run.without_page()
    if reasons:
        yield f"  no page       {', '.join(f'{count:,} {reason}' for reason, count in reasons.items())}"
    if reasons and not run.progress.pages:
        first = next(step for step in run.steps() if step.outcome in ("refused", "failed"))
        yield f"                {one_line(f'{first.url.text} {first.outcome}, {first.detail}')}"


def _why_it_ran_out(run: Run) -> Iterator[str]:
    """Say that the crawl ended early by a rule of its own, not because it had seen everything."""
    progress, profile = run.progress, run.settings.crawl.profile
    if progress.ran_out_of_links:
        causes = (
            (
                progress.links_not_followed,
                f"the links of {count_of(progress.pages_not_followed, 'page')} were not followed",
            ),
            (progress.pruned, f"{count_of(progress.pruned, 'time')} there was no room for a link to wait"),
        )
        yield f"It ran out of links: {' and '.join(words for count, words in causes if count)}."
    if progress.skipped_every_link:
        yield f"It ran out of links: the strategy skipped {count_of(progress.skips, 'link')}."
    has_ended = progress.stop_reason == StopReason.EXHAUSTED and progress.pages > 0
    if profile == "wikipedia" and has_ended and not progress.out_of_scope and next(iter(run.edges()), None) is None:
        yield f"No page has a link that counts under --profile {profile}: crawl other sites without it."


def _not_followed(run: Run) -> Iterator[str]:
    """Say what was found to be a trap, not followed, retried or waited for; nothing where it did not happen."""
    progress, seen = run.progress, run.trap_records().pages_seen()
    trapped = f"{percent(progress.findings / max(1, seen))} of the {seen:,} that came"
    is_one = progress.unindexed == 1
    reserved = (
        "came and was not kept, as its publisher asks" if is_one else "came and were not kept, as their publishers ask"
    )
    counts = (
        ("traps", progress.findings, "page", f"({trapped}) in loops or traps, or duplicates"),
        ("restarts", progress.restarts, "time", "the crawl started again elsewhere"),
        ("skipped", progress.skips, "link", "not fetched, by the strategy's choice"),
        ("pruned", progress.pruned, "time", "there was no room for a link to wait"),
        ("out of scope", progress.out_of_scope, "time", "a link was out of scope"),
        ("reserved", progress.unindexed, "page", reserved),
        ("dropped", progress.dropped, "link", "dropped by the guard"),
        ("host limit", progress.over_host_limit, "link", "not followed, their hosts being at their limit of pages"),
        ("not followed", progress.pages_not_followed, "page", "whose links were not followed"),
        ("retries", progress.retries, "time", "a fetch was tried again, at the cost of a fetch"),
        ("waited", progress.waited_for_hosts, "time", "another link was taken, the best link's host being busy"),
    )
    return (f"  {name:13} {count_of(count, noun)} {meaning}" for name, count, noun, meaning in counts if count)


def _next_commands(run: Run, advice: Advice | None) -> Iterator[str]:
    """Yield commands with their meaning, which stands on a line of its own where both do not fit."""
    commands = [
        (command("results", run.path), "the most relevant pages"),
        (command("report", run.path), "a page about the run, for a browser"),
    ]
    if hands_on(run.settings.crawl.strategy):
        commands.append((command("learner", run.path), "what was learned"))
    if run.settings.judge.kind == "learned":
        commands.append((command("ask", run.path), "answer questions: which pages do you mean?"))
    if run.progress.findings:
        commands.append((command("traps", run.path), "the loops, traps and duplicates"))
    if run.progress.stop_reason == StopReason.FETCHES and (advice is None or advice.situation is not Situation.DRY):
        commands.append((command("resume", run.path, "--budget", "+1000"), "a thousand fetches more"))
    if run.progress.stop_reason == StopReason.RESTING:
        commands.append((command("resume", run.path), "later, when the hosts may be asked again"))
    if run.progress.stop_reason == StopReason.DISK_FULL:
        commands.append((command("resume", run.path), "when there is more room on the disk"))
    if run.progress.stop_reason == StopReason.MEMORY:
        more = ("--set", "budget.memory_megabytes=N")
        commands.append((command("resume", run.path, *more), "with more memory"))
    commands = [each for each in commands if advice is None or each[0] != advice.command]
    width = max(len(typed) for typed, _ in commands)
    for typed, meaning in commands:
        is_wide = width + len(meaning) > WIDTH - 4
        yield f"  {typed}\n      {meaning}" if is_wide else f"  {typed:{width}}  {meaning}"
