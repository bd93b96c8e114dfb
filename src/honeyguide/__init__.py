"""Honeyguide: a focused web crawler that learns which links are worth following.

import honeyguide

settings = honeyguide.settings_from({"topic": {"name": "geology"}, "crawl": {"world": "synthetic"}})
with honeyguide.crawl("my-run", settings) as run:
    for page in run.pages(best_first=True, limit=10):
        print(f"{page.relevance:.2f}", page.url, page.title)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from honeyguide.errors import HoneyguideError
from honeyguide.settings import Settings, load_settings, settings_from, with_overrides

if TYPE_CHECKING:
    from honeyguide.crawler import (
        crawl,
        crawl_async,
        judge_page,
        judge_pages,
        judge_pages_async,
        learned_weights,
        link_graph,
        rank,
        refresh,
        refresh_async,
        resume,
        resume_async,
        suggest_topic,
        suggest_topic_async,
    )
    from honeyguide.runs import Run, diff, open_run, stats
    from honeyguide.runs.exports import export
    from honeyguide.runs.report import write_report
    from honeyguide.search import Searcher, search_runs

__all__ = [
    "HoneyguideError",
    "Run",
    "Searcher",
    "Settings",
    "crawl",
    "crawl_async",
    "diff",
    "export",
    "judge_page",
    "judge_pages",
    "judge_pages_async",
    "learned_weights",
    "link_graph",
    "load_settings",
    "open_run",
    "rank",
    "refresh",
    "refresh_async",
    "resume",
    "resume_async",
    "search_runs",
    "settings_from",
    "stats",
    "suggest_topic",
    "suggest_topic_async",
    "with_overrides",
    "write_report",
]

_HOME_BY_NAME = {
    "crawl": "honeyguide.crawler",
    "crawl_async": "honeyguide.crawler",
    "judge_page": "honeyguide.crawler",
    "judge_pages": "honeyguide.crawler",
    "judge_pages_async": "honeyguide.crawler",
    "learned_weights": "honeyguide.crawler",
    "refresh": "honeyguide.crawler",
    "refresh_async": "honeyguide.crawler",
    "resume": "honeyguide.crawler",
    "resume_async": "honeyguide.crawler",
    "diff": "honeyguide.runs",
    "export": "honeyguide.runs.exports",
    "link_graph": "honeyguide.crawler",
    "rank": "honeyguide.crawler",
    "Searcher": "honeyguide.search",
    "search_runs": "honeyguide.search",
    "stats": "honeyguide.runs",
    "suggest_topic": "honeyguide.crawler",
    "suggest_topic_async": "honeyguide.crawler",
    "write_report": "honeyguide.runs.report",
    "Run": "honeyguide.runs",
    "open_run": "honeyguide.runs",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as the language defines it
    """Load the engine when it is first used, so that `import honeyguide` stays fast."""
    home = _HOME_BY_NAME.get(name)
    if home is None:
        raise AttributeError(f"module 'honeyguide' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(home), name)
