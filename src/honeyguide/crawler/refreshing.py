"""Another look at the pages of a run: which come first, and with which settings.

A refresh is an ordinary crawl that starts at the pages of a run. It looks first at the pages where that is worth most.
A page is taken to change at random at a rate λ of its own. Cho and Garcia-Molina ("Estimating frequency of change",
ACM TOIT 2003) estimate it from n looks at intervals of I days, of which X found a change, with little bias:

    λ = -log((n - X + 0.5) / (n + 0.5)) / I

We depart in two places. I is the mean interval, since looks are not regular. And one look without news would make λ
zero, so the estimate is averaged with that of a page of which nothing is known, once in `refresh.change_days`, which
counts as one look. Looked at again after t days the page has changed with probability 1 - exp(-λt), and finding that
out is worth

    (1 - exp(-λt)) · (1 - w + w · relevance)          w = `refresh.relevance_weight`

In place, the crawl is a pass (`runs/passes.py`): it has the strategy of the run, begins with what that has learned
where it can be handed on, and follows links that the run has not met, once the pages to look at again have had their
turn or wait for their hosts, with at most `refresh.new_links` of the fetches.
"""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from honeyguide.crawler.learned_weights import hands_on
from honeyguide.errors import StoreError
from honeyguide.model import Url
from honeyguide.model.clock import RealClock
from honeyguide.runs import RunFolder, open_run, settings_to_build
from honeyguide.settings import with_overrides

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from honeyguide.model import KnownPage
    from honeyguide.settings import RefreshSettings, Settings

DAY_S: Final = 86_400.0
_IF_LISTED_AS_OLD: Final = 0.1


def change_rate(page: KnownPage, settings: RefreshSettings) -> float:
    """Return how often a page is thought to change, in times a day."""
    unknown = 1 / settings.change_days
    watched_days = max(0.0, page.checked_at - page.first_seen_at) / DAY_S
    if not page.checks or not watched_days:
        return unknown
    same = max(0, page.checks - page.changes)
    estimate = -math.log((same + 0.5) / (page.checks + 0.5)) / (watched_days / page.checks)
    return (unknown + page.checks * estimate) / (1 + page.checks)


def days_between_changes(run: Path | str) -> float | None:
    """How long a page of a run stays as it is, on average over its pages. StoreError where it has none.

    None for an offline run, whose clock is a simulated one.
    """
    with open_run(run) as opened:
        is_live = opened.settings.crawl.world == "live"
        rates = [change_rate(page, opened.settings.refresh) for page in opened.revisits().known_pages()]
    if not rates:
        raise StoreError(f"{run} has no pages to look at again; name a run that has fetched some")
    return len(rates) / math.fsum(rates) if is_live else None


def worth(page: KnownPage, now: float, settings: RefreshSettings) -> float:
    """Return the worth of another look at a page, from 0 to 1."""
    age_days = max(0.0, now - page.checked_at) / DAY_S
    weight = settings.relevance_weight
    return -math.expm1(-change_rate(page, settings) * age_days) * (1 - weight + weight * page.relevance)


def by_worth(
    pages: Iterable[KnownPage],
    now: float,
    settings: RefreshSettings,
    modified: Mapping[Url, float | None] = MappingProxyType({}),
) -> list[KnownPage]:
    """The pages, most worth a look first; of equals, the more relevant, then the one known for longer.

    `modified` is what sitemaps and feeds say. A page that they date after the last look has changed; one that they date
    before it has changed a tenth as probably as else, because not all of them are right.
    """

    def listed_worth(page: KnownPage) -> float:
        moment = modified.get(page.url)
        if moment is None:
            return worth(page, now, settings)
        if moment > page.checked_at:
            return 1 - settings.relevance_weight + settings.relevance_weight * page.relevance
        return _IF_LISTED_AS_OLD * worth(page, now, settings)

    return sorted(pages, key=lambda page: (-listed_worth(page), -page.relevance))


def pages_to_refresh(
    settings: Settings, modified: Mapping[Url, float | None] = MappingProxyType({}), *, is_cut: bool = True
) -> list[KnownPage]:
    """The pages of the run that is to be looked at again, in the order in which they are; none for other crawls.

    `modified` is what sitemaps and feeds say of pages. In place there are as many as the budget is for, if `is_cut`.
    """
    if not settings.refresh.run:
        return []
    with open_run(settings.refresh.run) as run:
        # Ages are told on the clock of the old run, which was a simulated one in an offline world.
        ended_at = run.progress.now
        is_live = settings.crawl.world == "live"
        now = max(ended_at, RealClock().now()) if is_live else ended_at
        pages = by_worth(run.revisits().known_pages(), now, settings.refresh, modified)
        if not (is_cut and settings.scope.follow_links):  # as many as the budget lasts for, and the rest waits
            return pages
        return pages[: max(1, round(settings.budget.fetches * (1 - settings.refresh.new_links)))]


def origins_of_seeds(settings: Settings) -> list[str]:
    """The origins at which the run that is looked at again had begun."""
    with open_run(settings.refresh.run) as run:
        return list(dict.fromkeys(Url.parse(text).origin for text in run.settings.crawl.seed_urls))


def new_among(listed: Iterable[Url], settings: Settings) -> list[Url]:
    """The listed URLs that a run which is looked at again has not met: at most half of what is for new links."""
    if not settings.refresh.run or not settings.scope.follow_links:
        return []
    most = round(settings.budget.fetches * settings.refresh.new_links / 2)
    with open_run(settings.refresh.run) as run:
        return list(islice((url for url in listed if not run.has_met(url)), most))


_FETCHES_A_PAGE: Final = 4  # of the usual budget: redirects and second tries are fetches too
_FETCHES_A_PAGE_IN_PLACE: Final = 1.5  # what does not come in time is looked at in the next pass
_OWN_OF_A_CRAWL: Final[dict[str, Any]] = {
    "crawl.learn_from": [],
    "crawl.seed_urls": [],
    "world.missing": "404",  # a page that was there and is not any more is gone
    "scope.max_pages": 0,
    "budget.relevant": 0,
    "crawl.blind_spots": 0.0,
    "budget.stop_when": "",
    "budget.seconds": 0.0,
    "budget.megabytes": 0.0,
    "budget.disk_megabytes": 0.0,
}


def settings_to_refresh(old: Path | str, overrides: Mapping[str, Any], *, trust: bool = False) -> Settings:
    """The settings of a new run over the pages of another. StoreError where it has no pages."""
    settings, pages, _ = _earlier(old, overrides, trust=trust)
    changed = {
        "crawl.strategy": "breadth-first",
        "crawl.sitemaps": [],
        "crawl.feeds": [],
        "crawl.sitemaps_from_robots": False,
        "scope.follow_links": False,
        "budget.fetches": pages * _FETCHES_A_PAGE,
        **overrides,
        "refresh.run": str(Path(old).absolute()),
    }
    return with_overrides(settings, _OWN_OF_A_CRAWL | changed)


def settings_of_pass(run: Path | str, overrides: Mapping[str, Any], *, trust: bool = False) -> Settings:
    """The settings of a pass over a run in place. StoreError where it has no pages, or must be resumed first."""
    settings, pages, has_answers = _earlier(run, overrides, trust=trust)
    share = with_overrides(settings, {k: v for k, v in overrides.items() if k == "refresh.new_links"}).refresh.new_links
    path = str(Path(run).absolute())
    changed = {
        "crawl.learn_from": [path] if hands_on(settings.crawl.strategy) else [],
        "scope.follow_links": settings.scope.follow_links and share > 0,
        "budget.fetches": math.ceil(pages * _FETCHES_A_PAGE_IN_PLACE / (1 - min(share, 0.9))),
        "search.live": "off",  # the run's own index is made anew when the pass is in
        "restart.every_fetches": 0,
        "restart.every_s": 0.0,
        "restart.reward_share": 0.0,
        "restart.novelty_share": 0.0,
        "ask.questions": 0,
        "ask.model": "",
        "ask.answers": path if has_answers else "",
        **overrides,
        "refresh.run": path,
    }
    return with_overrides(settings, _OWN_OF_A_CRAWL | changed)


def _earlier(old: Path | str, overrides: Mapping[str, Any], *, trust: bool) -> tuple[Settings, int, bool]:
    """The settings of a run that is looked at again, how many pages it has, and whether answers about them stand."""
    settings = settings_to_build(RunFolder.open(Path(old)), overrides, trust=trust, goes_on=False)
    with open_run(old) as run:
        pages = sum(1 for _ in run.revisits().known_pages())
        if not pages:
            raise StoreError(f"{old} has no pages to look at again; name a run that has fetched some")
        return settings, pages, any(answer.undone_at is None for answer in run.answers())
