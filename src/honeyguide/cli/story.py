"""A crawl told in the log: at INFO in a screenful, at DEBUG URL by URL."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, assert_never

from honeyguide.counts import count_of
from honeyguide.engine import (
    CrawlRestarted,
    CrawlStarted,
    CrawlStopped,
    FetchFailed,
    LinkPutBack,
    LinkRedirected,
    LinkRefused,
    LinkSkipped,
    LinkUnknown,
    PageJudged,
    PageUnchanged,
)

if TYPE_CHECKING:
    from honeyguide.engine import Event
    from honeyguide.settings import Settings
    from honeyguide.store import Progress

log = logging.getLogger(__name__)

CHAPTERS = 10


class Story:
    """A listener that logs: the beginning, ten looks at the state of things, the end; and at DEBUG every step."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._every = max(1, settings.budget.fetches // CHAPTERS)
        self._follows_urls = log.isEnabledFor(logging.DEBUG)

    def __call__(self, event: Event) -> None:
        if isinstance(event, CrawlStarted):
            self._begin(event)
        elif isinstance(event, CrawlStopped):
            log.info("stopped: %s; %s", event.reason.value, _state(event.progress))
        elif isinstance(event, CrawlRestarted):
            log.info("beginning anew at %s (%s): %s", count_of(event.links, "link"), event.source, event.reason)
        else:
            if self._follows_urls:
                _follow(event)
            if not isinstance(event, LinkSkipped) and event.progress.steps % self._every == 0:
                log.info("%s", _state(event.progress))

    def _begin(self, event: CrawlStarted) -> None:
        settings = self._settings
        log.info(
            "%s: topic %r, keywords %s; strategy %s, world %s, budget %s%s, seed %s",
            f"going on after {_fetches(event.progress.fetches)}" if event.is_resumed else "starting",
            settings.topic.name,
            ", ".join(settings.topic.keywords) or "none",
            settings.crawl.strategy,
            settings.crawl.world,
            _fetches(settings.budget.fetches),
            f", {settings.crawl.concurrency} at once" if settings.crawl.concurrency else "",
            settings.crawl.seed,
        )


def _state(progress: Progress) -> str:
    return (
        f"{_fetches(progress.fetches)}: {count_of(progress.pages, 'page')}, {progress.relevant:,} relevant, "
        f"harvest rate {progress.relevant / max(1, progress.fetches):.1%}, {count_of(progress.waiting, 'link')} waiting"
    )


def _fetches(count: int) -> str:
    return count_of(count, "fetch", "fetches")


def _follow(
    event: PageJudged
    | PageUnchanged
    | LinkRedirected
    | LinkRefused
    | FetchFailed
    | LinkPutBack
    | LinkUnknown
    | LinkSkipped,
) -> None:
    match event:
        case PageJudged():
            log.debug(
                "%s judged %.3f%s, expected %.3f%s; %s; %r",
                event.url,
                event.verdict.relevance,
                " (relevant)" if event.verdict.is_relevant else "",
                event.score,
                " (explored)" if event.explored else "",
                count_of(event.new_links, "new link"),
                event.title,
            )
        case PageUnchanged():
            log.debug("%s is unchanged", event.url)
        case LinkRedirected():
            log.debug("%s leads to %s%s", event.url, event.target, "" if event.is_new else ", met before")
        case LinkRefused():
            log.debug("%s refused, %s: %s", event.url, event.outcome.reason.value, event.outcome.detail)
        case FetchFailed():
            log.debug("%s failed, %s: %s", event.url, event.outcome.reason.value, event.outcome.detail)
        case LinkPutBack():
            log.debug("%s waits again, %s: %s", event.url, event.outcome.reason.value, event.outcome.detail)
        case LinkUnknown():
            log.debug("%s unknown: %s", event.url, event.outcome.detail)
        case LinkSkipped():
            log.debug("%s skipped: %s", event.url, event.decision.reason)
        case _:
            assert_never(event)
