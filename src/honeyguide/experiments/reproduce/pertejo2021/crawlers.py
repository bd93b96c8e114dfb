"""His crawlers as settings: the basic one and linear function approximation.

All have the judge and the reward of `--profile pertejo2021`. The basic crawler (3.5 and A.6) follows the waiting link
whose text is nearest to the topic's word: one vector of its address, its anchor and its surroundings, by the page that
showed it first, and never again looked at. The linear ones (3.8, A.9) are the profile: the features of 3.3.1, weights
that begin uniform in [0, 1], no end of an episode at a relevant page, nothing learned from a page without links.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from honeyguide.experiments.spec import LABORATORY
from honeyguide.settings import settings_from, with_overrides

if TYPE_CHECKING:
    from honeyguide.experiments.reproduce.study import StudiedWorld
    from honeyguide.experiments.reproduce.world_topics import StudiedTopic
    from honeyguide.settings import Settings

BASIC: Final = "basic"
ASYNCHRONOUS: Final = "asynchronous"
SYNCHRONOUS: Final = "synchronous"


@dataclass(frozen=True, slots=True)
class Crawler:
    """A way to crawl: a profile, and what is changed of it."""

    name: str
    strategy: str
    changes: tuple[tuple[str, Any], ...] = ()
    is_chance: bool = True  # whether another seed gives another crawl
    profile: str = "pertejo2021"

    def changed(self, name: str, **changes: object) -> Crawler:
        """The same with other settings, told as `section__key`."""
        more = tuple((key.replace("__", "."), value) for key, value in changes.items())
        return replace(self, name=name, changes=(*self.changes, *more))


BASIC_CRAWLER: Final = Crawler(
    BASIC, "best-first", (("best_first.as_one_text", True), ("frontier.found_again", "first")), is_chance=False
)
ASYNCHRONOUS_CRAWLER: Final = Crawler(ASYNCHRONOUS, "lfa-async")
SYNCHRONOUS_CRAWLER: Final = Crawler(SYNCHRONOUS, "lfa-sync")


def settings_of(crawler: Crawler, world: StudiedWorld, topic: StudiedTopic, *, steps: int, seed: int) -> Settings:
    """One crawl of a topic."""
    common = settings_from(
        {
            "topic": {"name": topic.topic.name, "categories": list(topic.topic.categories)},
            "crawl": {
                "profile": crawler.profile,
                "world": world.name,
                "seed_urls": [topic.seed_url.text],
                "strategy": crawler.strategy,
                "seed": seed,
            },
            "budget": {"fetches": steps},
        }
    )
    return with_overrides(common, LABORATORY | dict(crawler.changes))
