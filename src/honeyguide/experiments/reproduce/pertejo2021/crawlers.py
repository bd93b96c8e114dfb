"""His crawlers as settings: the basic one, linear function approximation, and deep Q-learning.

The basic crawler (3.5 and A.6) follows the waiting link whose text is nearest to the topic's word: one vector of its
address, its anchor and its surroundings, by the page that showed it first, and never again looked at. The linear ones
(3.8 and A.9) have the features of 3.3.1, weights that begin uniform in [0, 1], and neither end an episode at a relevant
page nor learn from a page without links. The reward is that of his code (A.9).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from honeyguide.experiments.reproduce.pertejo2021.published import DISCOUNT
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
    """A way to crawl: the changes to the settings that all have in common."""

    name: str
    strategy: str
    changes: tuple[tuple[str, Any], ...] = ()
    is_chance: bool = True  # whether another seed gives another crawl

    def changed(self, name: str, **changes: object) -> Crawler:
        """The same with other settings, told as `section__key`."""
        more = tuple((key.replace("__", "."), value) for key, value in changes.items())
        return Crawler(name, self.strategy, (*self.changes, *more), self.is_chance)


_LINEAR: Final = (
    ("lfa.features", "pertejo"),
    ("lfa.step_size", 0.001),
    ("lfa.discount", DISCOUNT),
    ("lfa.exploration", 0.1),
    ("lfa.exploration_end", 0.1),
    ("lfa.starts_at", "uniform"),
    ("lfa.ends_at_relevant", False),
    ("lfa.learns_without_links", False),
    ("lfa.draws", "link"),
)

BASIC_CRAWLER: Final = Crawler(
    BASIC, "best-first", (("best_first.as_one_text", True), ("frontier.found_again", "first")), is_chance=False
)
ASYNCHRONOUS_CRAWLER: Final = Crawler(ASYNCHRONOUS, "lfa-async", _LINEAR)
SYNCHRONOUS_CRAWLER: Final = Crawler(SYNCHRONOUS, "lfa-sync", _LINEAR)


def settings_of(crawler: Crawler, world: StudiedWorld, topic: StudiedTopic, *, steps: int, seed: int) -> Settings:
    """One crawl of a topic."""
    common = settings_from(
        {
            "topic": {"name": topic.topic.name, "categories": list(topic.topic.categories)},
            "crawl": {
                "world": world.name,
                "seed_urls": [topic.seed_url.text],
                "strategy": crawler.strategy,
                "seed": seed,
            },
            "judge": {"kind": "embedding-tfidf", "relevant_when": "word", "reward": "pertejo-code"},
            "budget": {"fetches": steps},
        }
    )
    return with_overrides(common, LABORATORY | dict(crawler.changes))
