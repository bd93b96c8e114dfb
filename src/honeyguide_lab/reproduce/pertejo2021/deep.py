"""Deep Q-learning against the basic crawler: section 4.4 and Figure 4.4, and the network that 5.2 asks for.

His network has an output for every page of the reduced dump and sees the state alone. That form is `dqn-fixed`. What
he leaves to the future, one output for a state and a link, is `dqn`, with his network, and with settings of our own.
His network is `--profile pertejo2021-dqn`, the reward of Algorithm 3 included; ours is paid as the linear crawlers are.
Training is a crawl with a share of 0.3 at random, the test a new crawl from the seed with the trained network, 0.1 at
random, where nothing more is learned. A synthetic web does not number its pages, so outputs are there numbered as pages
are met, which differs from crawl to crawl: `dqn-fixed` has a training there and no test.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from honeyguide.crawler.build import ListedWorld
from honeyguide.crawler.world_graph import opened_world
from honeyguide_lab.plots import Panel, PanelPlot
from honeyguide_lab.reproduce.pertejo2021.plan import (
    ASYNCHRONOUS,
    BASIC,
    BASIC_OVER_DEEP,
    DEEP_STEPS,
    DEEP_TOPIC,
    DISCOUNT,
    PROFILE,
    WARM_UP,
)
from honeyguide_lab.reproduce.study import Figure, Section, Table, vectors_name
from honeyguide_lab.reproduce.trials import Method, Trials, mean, mean_line, spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide_lab.reproduce.pertejo2021.plan import OnWorld
    from honeyguide_lab.reproduce.pertejo2021.sample import Reduced
    from honeyguide_lab.reproduce.pertejo2021.whole_world import Duel
    from honeyguide_lab.reproduce.study import Cell
    from honeyguide_lab.reproduce.world_topics import StudiedTopic

_PHASES: Final[tuple[tuple[str, Any], ...]] = (
    ("dqn.discount", DISCOUNT),
    ("dqn.exploration", 0.3),
    ("dqn.exploration_test", 0.1),
    ("dqn.learns_in_test", False),
)
FIXED: Final = Method("an output a page, his network", "dqn-fixed", "pertejo2021-dqn")
HIS_PAIR: Final = Method("state and link, his network", "dqn", "pertejo2021-dqn")
OUR_PAIR: Final = Method("state and link, our settings", "dqn", PROFILE, _PHASES)

NO_PYTORCH: Final = "Deep Q-learning against the basic crawler (4.4): PyTorch is not installed (extra `deep`)."
_EXPLAINED: Final = (
    f"His network is trained for {DEEP_STEPS:,} steps and tested for as many, from the seed, for {DEEP_TOPIC} on the "
    f"reduced dump. The basic crawler “almost quadruples” it (about {BASIC_OVER_DEEP:g} times; no numbers are "
    "printed). He trains one output a page, keyed by its number in the dump, with the best of all outputs in the "
    "target; a network from state and link to one value is his future work. *His network* is `--profile "
    "pertejo2021-dqn`, the reward of his Algorithm 3 included; *our settings* are the defaults of `[dqn]` with his "
    "discount and shares at random, and the reward of his code, as the linear crawlers have it. Figures are pages "
    "found after so many steps, self-graded; *basic over it* is what the basic crawler found in as many, over that."
)


def has_pytorch() -> bool:
    return find_spec("torch") is not None


@dataclass(frozen=True, slots=True)
class Phase:
    """The trainings of one network, or its tests."""

    name: str
    trials: Trials  # a training, or a training and a test, in each
    task: int  # of each trial: 0 the training, 1 the test

    @property
    def curves(self) -> NDArray[np.int64]:
        return self.trials.self_graded[:, self.task]


@dataclass(frozen=True, slots=True)
class Arena:
    """A topic in a world or a share of it, with the networks and the crawlers they are held against."""

    topic: StudiedTopic
    share: float
    steps: int
    phases: tuple[Phase, ...]
    against: tuple[Trials, Trials]  # the basic crawler and the asynchronous one, which may have gone on for longer

    @property
    def slug(self) -> str:
        return f"{self.topic.slug}-{'whole' if self.share == 1 else f'{self.share:g}'}"

    @property
    def trials(self) -> Iterator[Trials]:
        yield from (phase.trials for phase in self.phases)
        yield from self.against


def arenas(world: OnWorld, reduced: Sequence[Reduced], fought: Sequence[Duel]) -> tuple[Arena, ...]:
    """Plan his topic: in the largest share and in the whole world.

    All three networks are tried in both; in the whole of a world that does not number its pages, his is left out.
    """
    topic, made, pages = world.topic_named(DEEP_TOPIC), [], _pages_listed(world)
    shares = [each for each in reduced if each.topic is topic and each.trials and each.share < 1]
    if shares:
        largest = max(shares, key=lambda each: each.share)
        steps = max(1, min(world.sizes.steps, DEEP_STEPS, largest.reachable // 2))
        fixed = FIXED.changed(FIXED.name, dqn__outputs=pages or largest.reachable + 1)
        against = (largest.trials[BASIC.name], largest.trials[ASYNCHRONOUS.name])
        made.append(_arena(world, against, largest.share, steps, (fixed, HIS_PAIR, OUR_PAIR)))
    duel = next(each for each in fought if each.topic is topic and each.vectors == world.sources[0])
    steps = max(1, min(DEEP_STEPS, world.sizes.steps_for(topic.reachable) // 2))  # training and test make a quarter
    networks = (FIXED.changed(FIXED.name, dqn__outputs=pages), HIS_PAIR, OUR_PAIR) if pages else (HIS_PAIR, OUR_PAIR)
    made.append(_arena(world, (duel.basic, duel.asynchronous), 1.0, steps, networks))
    return tuple(made)


def _arena(
    world: OnWorld, against: tuple[Trials, Trials], share: float, steps: int, networks: Sequence[Method]
) -> Arena:
    topic, phases = against[0].topic, []
    for network in networks:
        has_test = network.strategy == "dqn" or _pages_listed(world) > 0
        trained = world.planner.trials(
            network.changed(network.name, dqn__training_steps=steps, dqn__warm_up=warm_up_within(steps)),
            topic,
            against[0].vectors,
            steps=steps,
            trials=world.sizes.deep_trials,
            tasks=1 + has_test,  # the test goes on with the network in a new crawl, with the next seed
            share=share,
            seed_step=100,
        )
        phases.append(Phase(f"{network.name}: training", trained, 0))
        if has_test:
            phases.append(Phase(f"{network.name}: test", trained, 1))
    return Arena(topic, share, steps, tuple(phases), against)


def _pages_listed(world: OnWorld) -> int:
    """The pages of a world that numbers them; 0 where it does not."""
    with opened_world(world.planner.world.name) as opened:
        return sum(1 for _ in opened.urls()) if isinstance(opened, ListedWorld) else 0


def warm_up_within(steps: int) -> int:
    """Steps before the first training: his, but never so many that a short training would hardly learn."""
    return max(1, min(WARM_UP, steps // 4))


def deep_section(world: OnWorld, fought: Sequence[Arena]) -> Section:
    tables = tuple(_table(world, each) for each in fought)
    figures = (Figure(_plot(world, fought), (world.name,)),)
    return Section(f"Deep Q-learning on {world.name} (4.4, 5.2)", (_EXPLAINED,), tables, figures)


def _where(world: OnWorld, arena: Arena) -> str:
    return f"{'the whole' if arena.share == 1 else f'{arena.share:.0%}'} of {world.name}"


def _table(world: OnWorld, arena: Arena) -> Table:
    """After half of the steps too: a small share is nearly empty in the end, whoever crawls it."""
    half = max(1, arena.steps // 2)
    basic = arena.against[0].self_graded[:, 0]
    rows: list[tuple[Cell, ...]] = []
    for trials in arena.against:
        figures = _figures(trials.self_graded[:, 0], basic, (half, arena.steps))
        rows.append((trials.method.name, *figures, mean(trials.labelled(arena.steps))))
    for phase in arena.phases:
        figures = _figures(phase.curves, basic, (half, arena.steps))
        rows.append((phase.name, *figures, mean(phase.trials.labelled(task=phase.task))))
    return Table(
        f"deep-{world.slug}-{arena.slug}",
        f"{arena.topic.topic.name} on {_where(world, arena)}: {arena.steps:,} steps each",
        (
            "crawler",
            f"after {half:,}",
            "±",
            "basic over it",
            f"after {arena.steps:,}",
            "± ",
            "basic over it ",
            "labelled",
        ),
        tuple(rows),
        note=f"{vectors_name(arena.against[0].vectors)}; means over {len(arena.phases[0].trials.sequences)} trials of "
        "a network, ± one "
        f"standard deviation; a network learns from step {warm_up_within(arena.steps):,} on, his from {WARM_UP:,}. "
        "Published: basic over the network about 4.",
    )


def _figures(curves: NDArray[np.int64], basic: NDArray[np.int64], places: Sequence[int]) -> Iterator[Cell]:
    for place in places:
        found = mean(curves[:, place])
        yield from (found, spread(curves[:, place]), float(basic[0, place]) / found if found else None)


def _plot(world: OnWorld, fought: Sequence[Arena]) -> PanelPlot:
    return PanelPlot(
        f"deep-{world.slug}",
        f"{fought[0].topic.topic.name}: deep Q-learning and the basic crawler (Figure 4.4)",
        "self-graded",
        "fetches",
        "pages with the topic's word",
        tuple(
            Panel(
                _where(world, arena),
                (
                    *(trials.line(steps=arena.steps) for trials in arena.against),
                    *(mean_line(phase.name, phase.curves) for phase in arena.phases),
                ),
            )
            for arena in fought
        ),
    )
