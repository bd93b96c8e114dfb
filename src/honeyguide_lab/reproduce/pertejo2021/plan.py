"""The figures of Pertejo (2021) that ours are set beside, as printed, his crawlers as settings, and our sizes.

All crawlers have the judge and the reward of `--profile pertejo2021`. The basic crawler (3.5 and A.6) follows the
waiting link whose text is nearest to the topic's word: one vector of its address, its anchor and its surroundings, by
the page that showed it first, and never again looked at. The linear ones (3.8, A.9) are the profile: the features of
3.3.1, weights that begin uniform in [0, 1], no end of an episode at a relevant page, nothing learned from a page
without links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.errors import SettingsError
from honeyguide_lab.reproduce.trials import Method, Planner
from honeyguide_lab.reproduce.world_topics import at_most_a_quarter

if TYPE_CHECKING:
    from honeyguide_lab.reproduce.study import Study
    from honeyguide_lab.reproduce.trials import Trials
    from honeyguide_lab.reproduce.world_topics import StudiedTopic, WorldTopics

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

PROFILE: Final = "pertejo2021"
BASIC: Final = Method(
    "basic",
    "best-first",
    PROFILE,
    (("best_first.as_one_text", True), ("frontier.found_again", "first")),
    is_chancy=False,
)
ASYNCHRONOUS: Final = Method("asynchronous", "lfa-async", PROFILE)
SYNCHRONOUS: Final = Method("synchronous", "lfa-sync", PROFILE)


@dataclass(frozen=True, slots=True)
class PertejoSizes:
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
    def of(cls, study: Study) -> PertejoSizes:
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


QUICK: Final = PertejoSizes(
    steps=120, trials=2, topics=2, discounts=(0.1, 0.5, 0.9), fewer_trials=1, shares=(SHARE, 0.5), deep_trials=1,
    ablated_topics=1, ablation_trials=1,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OnWorld:
    """A world that is studied, with its topics, our sizes, and the word vectors to be tried, the first of them most."""

    planner: Planner
    found: WorldTopics
    sizes: PertejoSizes
    sources: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.found.world.name

    @property
    def slug(self) -> str:
        return self.found.world.slug

    @property
    def study(self) -> Study:
        return self.planner.study

    def whole(self, method: Method, topic: StudiedTopic, vectors: str = "", *, trials: int) -> Trials:
        """Plan trials on the whole world, as long as the sizes allow."""
        steps = self.sizes.steps_for(topic.reachable)
        return self.planner.trials(method, topic, vectors or self.sources[0], steps=steps, trials=trials)

    def topic_named(self, slug: str) -> StudiedTopic:
        """His topic, or the first that the world has."""
        return next((each for each in self.found.topics if each.slug == slug), self.found.topics[0])
