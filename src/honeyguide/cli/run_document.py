"""A run as `--json` prints it. Loads no crawler, so that commands that only look at a run start soon."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from honeyguide.runs import PageChange
from honeyguide.runs.advice import advise

if TYPE_CHECKING:
    from honeyguide.runs import Run


def summary(run: Run) -> dict[str, Any]:
    """Return the state of a run as `--json` prints it."""
    settings, progress, advice = run.settings, run.progress, advise(run)
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
        "cut_pages": run.cut_pages(),
        "relevant": progress.relevant,
        "unindexed_pages": progress.unindexed,
        "harvest_rate": round(run.harvest_rate, 6),
        "waiting_links": progress.waiting,
        "largest_frontier": progress.largest_waiting,
        "outlook": asdict(run.outlook()),
        "waited_for_hosts": {
            "times": progress.waited_for_hosts,
            "mean_score": round(progress.score_lost_waiting / progress.waited_for_hosts, 6)
            if progress.waited_for_hosts
            else 0.0,
        },
        "skipped_links": progress.skips,
        "pruned_links": progress.pruned,
        "links_over_host_limit": progress.over_host_limit,
        "links_out_of_scope": progress.out_of_scope,
        "pages_not_followed": progress.pages_not_followed,
        "ran_out_of_links": progress.ran_out_of_links,
        "skipped_every_link": progress.skipped_every_link,
        "traps": {
            "pages": progress.findings,
            "links_lowered": progress.lowered,
            "links_raised": progress.raised,
            "links_dropped": progress.dropped,
        },
        "restarts": progress.restarts,
        "questions": {"asked": settings.ask.limit, **replies(run)},
        "run_bytes": run.size_bytes(),
        "advice": None if advice is None else {**asdict(advice), "command": advice.command},
    }


def findings(run: Run) -> dict[str, int]:
    """Return how many pages of an earlier run are the same, changed, and so on."""
    counts = Counter(revisit.finding for revisit in run.revisits().all())
    return {finding.value: counts[finding] for finding in PageChange if finding is not PageChange.NEW}


def replies(run: Run) -> dict[str, int]:
    """Return how often each answer was given in this run."""
    counts = Counter(each.answer for each in run.answers() if each.is_reply)
    return {answer: counts[answer] for answer in ("yes", "no", "skip")}
