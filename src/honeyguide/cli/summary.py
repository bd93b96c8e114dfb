"""Numbers, times and names as a person reads them.

What a crawl came to, for people and for programs.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.crawler import LINEAR_STRATEGIES, StopReason
from honeyguide.model.counts import count_of
from honeyguide.runs import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from honeyguide.runs import Progress, Run


def one_line(text: str) -> str:
    """Fold white space, and leave out what a terminal would obey rather than show: titles come from strangers."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def percent(share: float) -> str:
    return f"{share:.1%}"


def duration(seconds: float) -> str:
    """Seconds in the two units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60:,} h {minutes % 60:02} min"


def countdown(seconds: float) -> str:
    """Time left, as a clock shows it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB"


def command(verb: str, run: Path, *flags: str) -> str:
    """A command to type next; a folder with spaces in its name is quoted."""
    return " ".join(["honeyguide", verb, shlex.quote(str(run)), *flags])


def print_json(document: dict[str, Any]) -> None:
    """The one document that `--json` promises."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def summary(run: Run) -> dict[str, Any]:
    """Say where a run stands."""
    settings, progress = run.settings, run.progress
    return {
        "run": str(run.path),
        "topic": settings.topic.name,
        "keywords": list(settings.topic.keywords),
        "categories": list(settings.topic.categories),
        "examples": {"like": len(settings.topic.like), "unlike": len(settings.topic.unlike)},
        "world": settings.crawl.world,
        "strategy": settings.crawl.strategy,
        "stop_reason": progress.stop_reason,
        "budget": settings.budget.fetches,
        "fetches": progress.fetches,
        "unknown": progress.unknown,
        **({"revisits": findings(run)} if settings.refresh.run else {}),
        "retries": progress.retries,
        "robots_fetches": progress.robots_fetches,
        "pages": progress.pages,
        "without_page": run.without_page(),
        "relevant": progress.relevant,
        "unindexed_pages": progress.unindexed,
        "harvest_rate": round(run.harvest_rate, 6),
        "waiting_links": progress.waiting,
        "largest_frontier": progress.largest_waiting,
        "passed_over": {
            "times": progress.passed_over,
            "mean_score": round(progress.score_passed_over / progress.passed_over, 6) if progress.passed_over else 0.0,
        },
        "skipped_links": progress.skips,
        "pruned_links": progress.pruned,
        "surplus_links": progress.surplus,
        "traps": {
            "pages": progress.findings,
            "links_lowered": progress.lowered,
            "links_raised": progress.raised,
            "links_dropped": progress.dropped,
        },
        "restarts": progress.restarts,
        "links_out_of_scope": progress.out_of_scope,
        "pages_without_links": progress.barren,
        "starved": progress.has_starved,
        "skipped_dry": progress.has_skipped_itself_dry,
        "run_bytes": run.size_bytes(),
    }


def findings(run: Run) -> dict[str, int]:
    """How many pages of an earlier run are the same, changed, and so on."""
    counts = Counter(revisit.finding for revisit in run.revisits().all())
    return {finding.value: counts[finding] for finding in Finding}


def print_summary(run: Run, seconds: float, *, as_json: bool, further: Mapping[str, Any] | None = None) -> None:
    """Print what came of a crawl and what to type next; after Ctrl-C also how to go on, on stderr."""
    if as_json:
        print_json(summary(run) | {"seconds": round(seconds, 3)} | dict(further or {}))
    else:
        print(_told(run, seconds))
    if run.progress.stop_reason == StopReason.INTERRUPTED:
        sys.stdout.flush()
        print(f"stopped; go on with: {command('resume', run.path)}", file=sys.stderr)


def _told(run: Run, seconds: float) -> str:
    progress = run.progress
    lines = [
        f"Stopped: {progress.stop_reason}.",
        *_ran_dry(progress),
        *_found_no_link(run),
        "",
        f"  fetches       {progress.fetches:,} of {run.settings.budget.fetches:,}",
        f"  pages         {progress.pages:,}, of which relevant {progress.relevant:,}",
        *_without_page(run),
        *_revisited(run),
        f"  harvest rate  {percent(run.harvest_rate)} of the fetches",
        f"  waiting links {progress.waiting:,}, at most {progress.largest_waiting:,} at once",
        *_traps(progress),
        *_left_out(progress),
        *_politeness(progress),
        f"  time          {duration(seconds)}",
        f"  run folder    {run.path} ({megabytes(run.size_bytes())})",
    ]
    if progress.unknown:
        lines.insert(
            lines.index("") + 2,
            f"  unknown       {count_of(progress.unknown, 'link')} the replayed run never asked for; they cost nothing",
        )
    if progress.stop_reason != StopReason.INTERRUPTED:
        lines += ["", "Next:", *(f"  {line}" for line in _next_commands(run))]
    return "\n".join(lines)


def _without_page(run: Run) -> Iterator[str]:
    """Why fetches brought no page; where none did, what the first was told."""
    reasons = run.without_page()
    if reasons:
        yield f"  no page       {', '.join(f'{count:,} {reason}' for reason, count in reasons.items())}"
    if reasons and not run.progress.pages:
        first = next(step for step in run.steps() if step.outcome in ("refused", "failed"))
        yield f"                {one_line(f'{first.url.text} {first.outcome}, {first.detail}')}"


def _revisited(run: Run) -> Iterator[str]:
    """What became of the pages of an earlier run."""
    if run.settings.refresh.run:
        told = ", ".join(f"{count:,} {finding}" for finding, count in findings(run).items() if count)
        yield f"  known pages   {told}"


def _ran_dry(progress: Progress) -> Iterator[str]:
    """Say that the crawl ended early by a rule of its own, not because it had seen everything."""
    if progress.has_starved:
        causes = (
            (progress.left_alone, f"the links of {count_of(progress.barren, 'page')} were not followed"),
            (progress.pruned, f"{count_of(progress.pruned, 'time')} there was no room for a link to wait"),
        )
        told = ", and ".join(words for count, words in causes if count)
        yield f"It has starved: nothing waits any more, but {told}."
    if progress.has_skipped_itself_dry:
        skipped = count_of(progress.skips, "link")
        yield f"It has skipped itself dry: nothing waits any more, but {skipped} had a turn and went unfetched."


def _found_no_link(run: Run) -> Iterator[str]:
    """Say why a crawl under the wikipedia profile ended with its first pages: it knows no link that they have."""
    progress, profile = run.progress, run.settings.crawl.profile
    has_ended = progress.stop_reason == StopReason.EXHAUSTED and progress.pages > 0
    if profile == "wikipedia" and has_ended and not progress.out_of_scope and next(iter(run.edges()), None) is None:
        yield f"No page has a link that counts under --profile {profile}: on a site of another kind, crawl without it."


def _traps(progress: Progress) -> Iterator[str]:
    """What the guard found, and how often the crawl began anew."""
    if progress.findings:
        share = percent(progress.findings / max(1, progress.fetches))
        found = count_of(progress.findings, "page")
        yield f"  traps         {found} ({share} of the fetches) in loops or traps, or duplicates"
    if progress.restarts:
        yield f"  restarts      {count_of(progress.restarts, 'time')} the crawl began anew elsewhere"


def _left_out(progress: Progress) -> Iterator[str]:
    """What was not followed, by whose decision; nothing where it did not happen."""
    told = (
        ("skipped", progress.skips, "link", "whose turn came and that the strategy did not fetch"),
        ("pruned", progress.pruned, "time", "there was no room for a link to wait"),
        ("out of scope", progress.out_of_scope, "time", "the scope rules kept a link out"),
        ("unindexed", progress.unindexed, "page", "that asked not to be indexed, and were not kept"),
        ("dropped", progress.dropped, "link", "that the guard threw away"),
        ("surplus", progress.surplus, "link", "whose host had given all that it may give"),
        ("barren", progress.barren, "page", "whose links were not followed"),
    )
    return (f"  {name:13} {count_of(count, noun)} {meaning}" for name, count, noun, meaning in told if count)


def _politeness(progress: Progress) -> Iterator[str]:
    """What troubles and the order of politeness came to."""
    if progress.retries:
        yield f"  tried again   {count_of(progress.retries, 'time')} after a trouble that might pass; each cost a fetch"
    if progress.passed_over:
        share = percent(progress.passed_over / max(1, progress.dispatches))
        times = count_of(progress.passed_over, "time")
        yield f"  passed over   {times} ({share}) the best link had to wait for its host"


def _next_commands(run: Run) -> list[str]:
    commands = [
        (command("results", run.path), "the most relevant pages"),
        (command("report", run.path), "a page about the run, to look at in a browser"),
    ]
    if run.settings.crawl.strategy in LINEAR_STRATEGIES:
        commands.append((command("learner", run.path), "what was learned"))
    if run.progress.findings:
        commands.append((command("traps", run.path), "what was judged a loop, a trap or a duplicate"))
    if run.progress.stop_reason == StopReason.FETCHES:
        commands.append((command("resume", run.path, "--budget", "+1000"), "a thousand fetches more"))
    if run.progress.stop_reason == StopReason.RESTING:
        commands.append((command("resume", run.path), "later: see whether they may be asked again"))
    width = max(len(typed) for typed, _ in commands)
    return [f"{typed:{width}}  {meaning}" for typed, meaning in commands]
