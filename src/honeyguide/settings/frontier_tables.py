"""The waiting links: how they are kept and ranked, and when the crawl begins anew elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from honeyguide.settings.declaring import setting

FOUND_AGAIN: Final = ("first", "best", "merge", "latest")
RESTART_SOURCES: Final = ("urls", "starting-points", "unexplored")


@dataclass(frozen=True, slots=True)
class FrontierSettings:
    """How waiting links are kept."""

    found_again: str = setting("best", "which sighting counts when several pages show one link", choices=FOUND_AGAIN)


@dataclass(frozen=True, slots=True)
class RankSettings:
    """Ranks of the pages met, kept while the crawl goes on."""

    every: int = setting(
        0, "pages between two computations of PageRank over the links met so far; 0 for none", at_least=0
    )
    damping: float = setting(0.85, "share of steps that follow a link, in PageRank", at_least=0, at_most=1)
    epsilon: float = setting(1e-4, "change of all ranks together at which they are good enough", above=0)


@dataclass(frozen=True, slots=True)
class RestartSettings:
    """When the crawl begins anew elsewhere, and where. Off, unless one of the first four is set."""

    every_fetches: int = setting(0, "fetches after which it does, again and again; 0 for never", at_least=0)
    every_s: float = setting(0.0, "seconds after which it does; 0 for never", at_least=0)
    reward_share: float = setting(
        0.0,
        "it does when the mean reward falls below this share of the best mean so far; 0 for never",
        at_least=0,
        at_most=1,
    )
    novelty_share: float = setting(
        0.0,
        "the same for the mean novelty: of a page, the share of its links that were never met; 0 where the guard has "
        "found it out, and for a fetch that failed",
        at_least=0,
        at_most=1,
    )
    window: int = setting(
        200, "fetches that the means are taken over; after a restart as many have to pass before the next", at_least=1
    )
    most: int = setting(20, "restarts of a run at most", at_least=1)
    links: int = setting(5, "links that go first at each", at_least=1)
    sources: tuple[str, ...] = setting(
        ("urls", "starting-points", "unexplored"),
        "where these come from, the first that has any: restart.urls; the starting points of the topic, the "
        "shipped ones on the live web alone; or the best waiting links of the hosts that were asked least",
    )
    urls: tuple[str, ...] = setting((), "seed URLs kept for restarts; each is used once")

    @property
    def is_on(self) -> bool:
        return bool(self.every_fetches or self.every_s or self.reward_share or self.novelty_share)
