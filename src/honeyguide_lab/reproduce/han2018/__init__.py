"""Han, Wuillemin and Senellart (2018), reproduced: figures 1 to 3, computation times, and the reasons behind them.

`plan` has what the paper reports and decides what is crawled: three learners and a baseline, six topics, tasks in a row
with the weights carried on. `curves` draws the figures, `gains` compares the learners with the baseline and measures
what they cost, and `ablations` changes one thing at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from honeyguide_lab.reproduce.han2018.ablations import ablation_section, ablations
from honeyguide_lab.reproduce.han2018.curves import figure_1, figure_2, figure_3
from honeyguide_lab.reproduce.han2018.gains import gains_section, timed_methods, times_section, topics_section
from honeyguide_lab.reproduce.han2018.plan import FULL, QUICK, SOURCE, STEPS, TASKS, TITLE, TRIALS, HanSizes, plan_all
from honeyguide_lab.reproduce.study import BUNDLED, Paper, Report, Reproduction, vector_sources
from honeyguide_lab.reproduce.world_topics import world_topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide_lab.parallel import Task
    from honeyguide_lab.reproduce.han2018.ablations import Ablations
    from honeyguide_lab.reproduce.study import Section, Study
    from honeyguide_lab.reproduce.trials import TimedMethod, Trials
    from honeyguide_lab.reproduce.world_topics import WorldTopics

__all__ = ["HAN2018"]

_NO_WIKI: Final = (
    "No wiki is among the worlds; the paper crawls one. Name it with `--world wiki:PATH` (see `honeyguide wiki build`)."
)
_NO_VECTORS: Final = "No vectors like the paper's: give GloVe with `--vectors FILE`. The bundled ones were used."


@dataclass(frozen=True, slots=True)
class _OnWorld:
    """All that is crawled on one world."""

    topics: WorldTopics
    sizes: HanSizes
    trials: tuple[Trials, ...]
    timed: tuple[TimedMethod, ...]
    ablations: Ablations | None


def _tasks(worlds: Sequence[_OnWorld]) -> Iterator[Task]:
    """Times first: then the figures, for as long as they take."""
    for world in worlds:
        yield from (crawl for method in world.timed for crawl in method.crawls)
        reasons = world.ablations.trials if world.ablations else ()
        yield from (sequence for each in (*world.trials, *reasons) for sequence in each.sequences)


def _report(study: Study, worlds: Sequence[_OnWorld]) -> Report:
    steps = {world.topics.world.name: world.sizes.steps for world in worlds}
    sections = [topics_section([world.topics for world in worlds], steps)]
    for world in worlds:
        sections += _sections(world)
    sections.append(times_section([world.timed for world in worlds]))
    return Report(TITLE, SOURCE, tuple(sections), tuple(_left_out(study, worlds)))


def _left_out(study: Study, worlds: Sequence[_OnWorld]) -> Iterator[str]:
    for world in worlds:
        yield from world.topics.left_out
    for world in worlds:
        sizes = world.sizes
        if (sizes.steps, sizes.tasks, sizes.trials) != (STEPS, TASKS, TRIALS):
            yield (
                f"The paper's sizes on `{world.topics.world.name}`: a task visits {sizes.steps:,} pages and not "
                f"{STEPS:,}, {sizes.tasks} tasks are in a row and not {TASKS}, and there are {sizes.trials} "
                f"trials and not {TRIALS}. For a larger dump: `--steps {STEPS} --tasks {TASKS} --trials {TRIALS}`."
            )
    if not study.has_wiki:
        yield _NO_WIKI
    if vector_sources(study) == (BUNDLED,):
        yield _NO_VECTORS


def _sections(world: _OnWorld) -> list[Section]:
    here, found = world.topics.world, world.trials
    sections = [figure_1(here, found), figure_2(here, found), figure_3(here, found), gains_section(here, found)]
    if world.ablations:
        sections.append(ablation_section(here.name, here.slug, world.ablations, found))
    return sections


def _begin(study: Study) -> Reproduction:
    wanted = (QUICK if study.is_quick else FULL)["topics"]
    worlds = []
    for studied in study.worlds:
        topics = world_topics(study, studied, wanted=wanted)
        sizes = HanSizes.for_world(study, topics)
        worlds.append(
            _OnWorld(
                topics,
                sizes,
                plan_all(study, topics, sizes),
                timed_methods(study, topics, vector_sources(study)[0], sizes.steps),
                ablations(study, topics, sizes) if study.options.ablations else None,
            )
        )
    explored = tuple(world.topics for world in worlds)
    return Reproduction(tuple(_tasks(worlds)), partial(_report, study, worlds), explored)


HAN2018: Final = Paper(
    name="han2018",
    title=TITLE,
    own_world="synthetic:seed=1",
    quick_world="synthetic:seed=1,pages=3000,hosts=40,topics=12",
    begin=_begin,
    options=frozenset({"vectors", "steps", "tasks", "trials", "ablations"}),
    has_own_world_always=False,
)
