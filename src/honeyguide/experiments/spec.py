"""What an experiment is: worlds, topics, contenders, a budget and repeats, all fixed before the first fetch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from honeyguide.settings import settings_from, with_overrides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.domain import Url
    from honeyguide.settings import Settings

FLOORS: Final = frozenset({"random", "breadth-first"})
"""Strategies that do not look at the topic: what any other has to beat."""

# One fetch at a time, no pauses and no guard: nothing but the choice of links differs between two crawls. With
# overrides, `guard.on = true` among them, all of it can be asked for.
LABORATORY: Final = {
    "crawl.concurrency": 1,
    "politeness.delay_s": 0.0,
    "politeness.max_delay_s": 0.0,
    "guard.on": False,
}


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic as the crawler is told of it, where to start, and what grades it."""

    name: str
    keywords: tuple[str, ...] = ()  # empty: those the world has for the topic, if it has any
    seed_urls: tuple[str, ...] = ()  # empty: the entry pages of the world
    labels: str = ""  # empty: the world's own


@dataclass(frozen=True, slots=True)
class Contender:
    """A strategy with the settings it is tried with."""

    name: str
    strategy: str
    overrides: tuple[tuple[str, Any], ...] = ()  # setting and value

    @property
    def is_floor(self) -> bool:
        return self.strategy in FLOORS and not self.overrides


@dataclass(frozen=True, slots=True)
class Experiment:
    """Every topic in every world is crawled by every contender, once for each repeat."""

    worlds: tuple[str, ...]
    topics: tuple[TopicSpec, ...]
    contenders: tuple[Contender, ...]
    budget: int | None = 1000  # fetches; None: as many as there are on-topic pages to be reached, R
    repeats: int = 3
    seed: int = 0  # of the first repeat; the others count up from it
    random_seeds: int = 0  # cold starts: so many pages drawn for each repeat instead of seed URLs
    overrides: tuple[tuple[str, Any], ...] = ()  # settings that all contenders share
    swept: str = ""  # the setting in which the contenders differ, where it is a sweep

    @property
    def repeat_seeds(self) -> range:
        return range(self.seed, self.seed + self.repeats)

    @property
    def has_floor(self) -> bool:
        return any(contender.is_floor for contender in self.contenders)

    def settings(
        self,
        world: str,
        topic: TopicSpec,
        contender: Contender,
        *,
        seed: int,
        budget: int,
        seed_urls: Sequence[Url] = (),
    ) -> Settings:
        """The settings of one crawl. SettingsError for settings that do not exist or values of the wrong type."""
        settings = settings_from(
            {
                "topic": {"name": topic.name, "keywords": list(topic.keywords)},
                "crawl": {"world": world, "strategy": contender.strategy, "seed": seed},
                "budget": {"fetches": budget},
            }
        )
        chosen = LABORATORY | dict(self.overrides) | dict(contender.overrides)
        return with_overrides(settings, chosen | {"crawl.seed_urls": [url.text for url in seed_urls]})

    def document(self) -> dict[str, Any]:
        """All of it for a JSON file: equal documents are equal experiments."""
        return {
            name: [asdict(each) for each in value] if name in ("topics", "contenders") else value
            for name, value in ((name, getattr(self, name)) for name in self.__slots__)
        }
