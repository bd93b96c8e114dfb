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

if TYPE_CHECKING:
    from honeyguide.cluster.crawling import crawl_on_cluster, resume_on_cluster
    from honeyguide.crawler import (
        answer,
        crawl,
        crawl_async,
        explain,
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
        what_pays,
    )
    from honeyguide.crawler.hooks import HookedPage
    from honeyguide.crawler.reporting import write_report
    from honeyguide.runs import Run, diff, open_run, stats
    from honeyguide.runs.exports import export
    from honeyguide.search import Searcher, search_runs
    from honeyguide.settings import Settings, load_settings, settings_from, with_overrides

__all__ = [
    "HoneyguideError",
    "HookedPage",
    "Run",
    "Searcher",
    "Settings",
    "answer",
    "crawl",
    "crawl_async",
    "crawl_on_cluster",
    "diff",
    "explain",
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
    "resume_on_cluster",
    "search_runs",
    "settings_from",
    "stats",
    "suggest_topic",
    "suggest_topic_async",
    "what_pays",
    "with_overrides",
    "write_report",
]

_NAMES_BY_MODULE = {
    "honeyguide.cluster.crawling": ("crawl_on_cluster", "resume_on_cluster"),
    "honeyguide.crawler.reporting": ("write_report",),
    "honeyguide.crawler.hooks": ("HookedPage",),
    "honeyguide.runs": ("Run", "diff", "open_run", "stats"),
    "honeyguide.runs.exports": ("export",),
    "honeyguide.search": ("Searcher", "search_runs"),
    "honeyguide.settings": ("Settings", "load_settings", "settings_from", "with_overrides"),
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as the language defines it
    """Load a part when it is first used, so that `import honeyguide` stays fast."""
    if name not in __all__:
        raise AttributeError(f"module 'honeyguide' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    home = next((module for module, names in _NAMES_BY_MODULE.items() if name in names), "honeyguide.crawler")
    return getattr(import_module(home), name)
