"""The sizes and figures of Pertejo (2021) that ours are set beside, as printed.

His crawlers as settings: the basic one and linear function approximation.

All have the judge and the reward of `--profile pertejo2021`. The basic crawler (3.5 and A.6) follows the waiting link
whose text is nearest to the topic's word: one vector of its address, its anchor and its surroundings, by the page that
showed it first, and never again looked at. The linear ones (3.8, A.9) are the profile: the features of 3.3.1, weights
that begin uniform in [0, 1], no end of an episode at a relevant page, nothing learned from a page without links.

Crawls of one kind, repeated with other seeds, and what they found.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.errors import SettingsError
from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab import Line
from honeyguide_lab.reproduce.study import two_grades, vectors_slug
from honeyguide_lab.reproduce.unkept_crawl import TaskSequence
from honeyguide_lab.reproduce.world_topics import at_most_a_quarter
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.settings import Settings
    from honeyguide_lab.reproduce.study import StudiedWorld, Study, TwoGrades
    from honeyguide_lab.reproduce.world_topics import StudiedTopic

SOURCE: Final = "Pertejo, *Crawlers basados en Reinforcement Learning*, master's thesis, 2021, chapters 3 and 4."
TITLE: Final = "Pertejo 2021: crawlers based on reinforcement learning"

STEPS: Final = 10_000
"""Of every crawl with a linear function."""

DEEP_STEPS: Final = 5_000
"""Of the training of the network, and again of its test."""

WARM_UP: Final = 100
"""Steps of the training before the network learns (A.8)."""

DISCOUNT: Final = 0.3
"""γ of all crawls but those of the sweep."""

RELEVANT_BY_DISCOUNT: Final = {
    0.1: 1636, 0.2: 1600, 0.3: 1573, 0.4: 1603, 0.5: 1618, 0.6: 1617, 0.7: 1494, 0.8: 1422, 0.9: 1300,
}  # fmt: skip
"""Table 4.2: relevant pages of the topic fiction after 10,000 steps, by the discount."""


@dataclass(frozen=True, slots=True)
class WholeDump:
    """A row of Table 4.3: relevant pages after 10,000 steps on the whole dump."""

    basic: int
    asynchronous: int

    @property
    def gain(self) -> float:
        """More pages than the basic crawler, as a share of its own."""
        return self.asynchronous / self.basic - 1


WHOLE_DUMP: Final = {
    "cameras": WholeDump(80, 104),
    "cancer": WholeDump(538, 648),
    "fiction": WholeDump(850, 1590),
    "geology": WholeDump(597, 823),
    "poetry": WholeDump(250, 409),
}
"""Olympics is left out there: "after a few steps the crawler has no links left"."""


@dataclass(frozen=True, slots=True)
class DumpSize:
    """A row of Table 4.1."""

    name: str
    pages: int
    links: int  # he gives millions, and some 63,000
    links_a_page: float  # as printed: of the pages that have any, by his code


DUMPS: Final = (DumpSize("norm-seng-dump", 323_198, 5_000_000, 21.41), DumpSize("its 10%", 32_325, 63_000, 4.0))

SHARE: Final = 0.1
"""Of the pages of the dump that are in the reduced one."""

SAMPLE_TOPICS: Final = frozenset({"cancer", "fiction", "geology", "poetry"})
"""Figure 4.6; from cameras and olympics very few pages of the reduced dump can be reached."""

SAMPLE_STEPS: Final = 4_700
"""About so many steps are shown in Figure 4.6: then nothing is left to crawl."""

DEEP_TOPIC: Final = "geology"
"""Figure 4.4."""

BASIC_OVER_DEEP: Final = 4.0
"""4.4: the basic crawler "almost quadruples" what the network finds; the figure's numbers are not printed."""

MINUTES: Final = {"basic": 2.5, "asynchronous": 4.0}
"""4.5: of 10,000 steps on the whole dump, about."""

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


_POINTS: Final = 101  # of a line in a plot


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is crawled. The steps are his; a crawl of a whole world stops at a quarter of what can be reached.

    `trials` are of the headline, his Table 4.3; the others are of the rest, and never more than those.
    """

    steps: int = STEPS
    trials: int = 5
    topics: int = 6
    discounts: tuple[float, ...] = tuple(RELEVANT_BY_DISCOUNT)
    fewer_trials: int = 2  # of the sweep, the shares, and the headline with a second set of vectors
    shares: tuple[float, ...] = (SHARE, 0.3)
    deep_trials: int = 2
    ablated_topics: int = 3
    ablation_trials: int = 1

    @classmethod
    def of(cls, study: Study) -> Sizes:
        """The usual ones with what a person has asked for. SettingsError for a share that is none."""
        options, usual = study.options, QUICK if study.is_quick else cls()
        mistakes = [
            f"--share is {share:g}: give a part between 0 and 1" for share in options.shares if not 0 < share < 1
        ]
        if mistakes:
            raise SettingsError(mistakes)
        trials = options.trials or usual.trials
        return cls(
            steps=options.steps or usual.steps,
            trials=trials,
            topics=usual.topics,
            discounts=usual.discounts,
            fewer_trials=min(trials, usual.fewer_trials),
            shares=options.shares or usual.shares,
            deep_trials=min(trials, usual.deep_trials),
            ablated_topics=usual.ablated_topics,
            ablation_trials=min(trials, usual.ablation_trials),
        )

    def steps_for(self, reachable: int) -> int:
        return at_most_a_quarter(self.steps, reachable)


QUICK: Final = Sizes(
    steps=120, trials=2, topics=2, discounts=(0.1, 0.5, 0.9), fewer_trials=1, shares=(SHARE, 0.5), deep_trials=1,
    ablated_topics=1, ablation_trials=1,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trials:
    """A crawler tried on a topic, once for each seed; where nothing is left to chance, once."""

    crawler: Crawler
    topic: StudiedTopic
    sequence: TaskSequence

    @property
    def steps(self) -> int:
        return self.sequence.settings.budget.fetches

    def self_graded(self) -> NDArray[np.int64]:
        """Pages with the topic's word after 0, 1, 2, … fetches; a row a trial."""
        return np.array([each.self_graded for each in self._grades()])

    def independent(self) -> NDArray[np.int64] | None:
        """The same by the labels; None where there are too few labelled pages."""
        curves = [each.independent for each in self._grades()]
        known = [each for each in curves if each is not None]
        return np.array(known) if known else None

    def found(self, after: int = -1) -> NDArray[np.int64]:
        """Pages with the word after so many fetches, or in the end, of each trial."""
        return self.self_graded()[:, after]

    def labelled(self, after: int = -1) -> NDArray[np.int64] | None:
        """Labelled pages after so many fetches, or in the end, of each trial."""
        curves = self.independent()
        return None if curves is None else curves[:, after]

    def fetches(self) -> int:
        """The most that a trial made; fewer than its budget where nothing was left to crawl."""
        return max(each.fetches for each in self.sequence.crawled())

    def line(self, name: str = "", *, steps: int | None = None) -> Line:
        """The mean of all trials, for a plot in the form of his."""
        last = min(self.fetches(), steps or self.steps)
        return mean_line(name or self.crawler.name, self.self_graded()[:, : last + 1])

    def _grades(self) -> list[TwoGrades]:
        crawled = self.sequence.crawled()[: self.sequence.tasks]
        return [two_grades(each, self.steps, self.topic.on_topic) for each in crawled]


@dataclass(frozen=True, slots=True)
class Tries:
    """Makes trials in a world. The same trial asked for twice has the same folder, and is crawled once."""

    study: Study
    world: StudiedWorld
    sizes: Sizes

    def of(
        self,
        crawler: Crawler,
        topic: StudiedTopic,
        vectors: str,
        *,
        steps: int,
        trials: int | None = None,
        share: float = 1.0,
    ) -> Trials:
        there = crawler.changed(crawler.name, vectors__source=vectors)
        if share < 1:
            there = there.changed(crawler.name, scope__share=share, scope__share_seed=self.study.seed)
        parts = (vectors_slug(vectors), f"share-{share:g}" if share < 1 else "whole", topic.slug, crawler.name)
        folder = self.study.run_folder(self.world, "/".join(map(_slug, parts)))
        settings = settings_of(there, self.world, topic, steps=steps, seed=self.study.seed)
        count = (trials or self.sizes.trials) if crawler.is_chance else 1
        return Trials(crawler, topic, TaskSequence(folder, settings, count, is_carried=False))


def mean_line(name: str, curves: NDArray[np.int64]) -> Line:
    """The mean of curves by fetches, and one standard deviation around it."""
    places = np.unique(np.linspace(0, curves.shape[1] - 1, _POINTS).astype(int))
    means = curves.mean(axis=0)[places]
    around = curves.std(axis=0, ddof=1)[places] if len(curves) > 1 else np.zeros(0)
    points = tuple((int(place), round(float(height), 3)) for place, height in zip(places, means, strict=True))
    return Line(name, points, spread=tuple(around.round(3).tolist()))


def gains(tried: NDArray[np.int64], basic: NDArray[np.int64]) -> list[float]:
    """How much more each trial found than the basic crawler, as a share of that; empty where that found nothing."""
    return [float(each / basic[0] - 1) for each in tried] if basic[0] else []


def spread(values: NDArray[np.int64] | list[float]) -> float | None:
    """The standard deviation between trials; none of a single one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def mean(values: NDArray[np.int64] | list[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")
