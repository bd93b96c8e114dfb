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
    from honeyguide.engine import (
        crawl,
        crawl_async,
        judge_page,
        judge_pages,
        judge_pages_async,
        learned_weights,
        refresh,
        refresh_async,
        resume,
        resume_async,
        suggest_topic,
        suggest_topic_async,
    )
    from honeyguide.exports import export
    from honeyguide.index import Searcher, search
    from honeyguide.ranking import link_graph, rank
    from honeyguide.reading import diff, stats
    from honeyguide.report.run_page import write_report
    from honeyguide.store import Run, open_run

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
    "search",
    "settings_from",
    "stats",
    "suggest_topic",
    "suggest_topic_async",
    "with_overrides",
    "write_report",
]

_HOME_BY_NAME = {
    "crawl": "honeyguide.engine",
    "crawl_async": "honeyguide.engine",
    "judge_page": "honeyguide.engine",
    "judge_pages": "honeyguide.engine",
    "judge_pages_async": "honeyguide.engine",
    "learned_weights": "honeyguide.engine",
    "refresh": "honeyguide.engine",
    "refresh_async": "honeyguide.engine",
    "resume": "honeyguide.engine",
    "resume_async": "honeyguide.engine",
    "diff": "honeyguide.reading",
    "export": "honeyguide.exports",
    "link_graph": "honeyguide.ranking",
    "rank": "honeyguide.ranking",
    "Searcher": "honeyguide.index",
    "search": "honeyguide.index",
    "stats": "honeyguide.reading",
    "suggest_topic": "honeyguide.engine",
    "suggest_topic_async": "honeyguide.engine",
    "write_report": "honeyguide.report.run_page",
    "Run": "honeyguide.store",
    "open_run": "honeyguide.store",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as the language defines it
    """Load the engine when it is first used, so that `import honeyguide` stays fast."""
    home = _HOME_BY_NAME.get(name)
    if home is None:
        raise AttributeError(f"module 'honeyguide' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(home), name)
