"""Pertejo (2021), reproduced: the discount, basic against linear crawlers on a world and on a share of it, networks.

`plan` has his figures, his crawlers as settings and our sizes. `whole_world`, `discount`, `sample`, `deep` and
`ablations` each say which crawls they need and make their part of the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide_lab.reproduce.pertejo2021.ablations import Ablation, Untaught, ablations, ablations_section, untaught
from honeyguide_lab.reproduce.pertejo2021.deep import NO_PYTORCH, Arena, arenas, deep_section, has_pytorch
from honeyguide_lab.reproduce.pertejo2021.discount import Sweep, sweep, sweep_section, timed_methods, times_section
from honeyguide_lab.reproduce.pertejo2021.plan import SOURCE, TITLE, OnWorld, PertejoSizes
from honeyguide_lab.reproduce.pertejo2021.sample import Reduced, reduced_topics, sample_section
from honeyguide_lab.reproduce.pertejo2021.whole_world import Duel, duels, learned_section, whole_section
from honeyguide_lab.reproduce.study import Paper, Report, Reproduction, vector_sources
from honeyguide_lab.reproduce.trials import Planner
from honeyguide_lab.reproduce.world_topics import world_topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide_lab.parallel import Task
    from honeyguide_lab.reproduce.study import Section, StudiedWorld, Study
    from honeyguide_lab.reproduce.trials import TimedMethod, Trials

__all__ = ["PERTEJO2021"]

_NO_VECTORS: Final = (
    "GloVe vectors, which he had: name a file with `--vectors FILE`. All figures are with the bundled vectors."
)
_NO_ABLATIONS: Final = "Ablations: `--ablations`."


@dataclass(frozen=True, slots=True)
class _Crawls:
    """All that is crawled on one world."""

    world: OnWorld
    fought: tuple[Duel, ...]
    swept: Sweep
    reduced: tuple[Reduced, ...]
    networks: tuple[Arena, ...]  # none without PyTorch
    ablated: tuple[Ablation, ...]  # none where nobody asked
    unlearned: tuple[Untaught, ...]  # likewise
    timed: tuple[TimedMethod, ...]

    @property
    def trials(self) -> Iterator[Trials]:
        for duel in self.fought:
            yield from (duel.basic, duel.asynchronous)
        yield from self.swept.trials.values()
        for each in self.reduced:
            yield from each.trials.values()
        for arena in self.networks:
            yield from arena.trials
        for ablation in self.ablated:
            yield from ablation.trials
        yield from (each.untaught for each in self.unlearned)

    @property
    def tasks(self) -> Iterator[Task]:
        """Each crawl once, those with the same vectors together: a process keeps one set of them in memory."""
        yield from (crawl for method in self.timed for crawl in method.crawls)
        by_folder = {sequence.folder: sequence for trials in self.trials for sequence in trials.sequences}
        sources = self.world.sources
        yield from sorted(by_folder.values(), key=lambda each: sources.index(each.settings.vectors.source))

    def sections(self) -> Iterator[Section]:
        yield sweep_section(self.world, self.swept)
        if self.networks:
            yield deep_section(self.world, self.networks)
        yield times_section(self.world, self.timed)
        yield whole_section(self.world, self.fought)
        yield learned_section(self.world, self.fought)
        yield sample_section(self.world, self.reduced)
        if self.ablated:
            yield ablations_section(self.world, self.ablated, self.unlearned)


def _left_out(study: Study, crawls: Sequence[_Crawls]) -> Iterator[str]:
    for each in crawls:
        yield from each.world.found.left_out
    if not study.options.vectors:
        yield _NO_VECTORS
    if not has_pytorch():
        yield NO_PYTORCH
    if not study.options.ablations:
        yield _NO_ABLATIONS


def _begin(study: Study) -> Reproduction:
    crawls = [_plan(study, studied) for studied in study.worlds]

    def report() -> Report:
        sections = tuple(section for each in crawls for section in each.sections())
        return Report(TITLE, SOURCE, sections, tuple(_left_out(study, crawls)))

    tasks = tuple(task for each in crawls for task in each.tasks)
    return Reproduction(tasks, report, tuple(each.world.found for each in crawls))


def _plan(study: Study, studied: StudiedWorld) -> _Crawls:
    sizes = PertejoSizes.of(study)
    found = world_topics(study, studied, wanted=sizes.topics)
    world = OnWorld(Planner(study, studied), found, sizes, vector_sources(study))
    fought, reduced = duels(world), reduced_topics(world)
    return _Crawls(
        world=world,
        fought=fought,
        swept=sweep(world),
        reduced=reduced,
        networks=arenas(world, reduced, fought) if has_pytorch() else (),
        ablated=ablations(world) if study.options.ablations else (),
        unlearned=untaught(world, fought) if study.options.ablations else (),
        timed=timed_methods(world),
    )


PERTEJO2021: Final = Paper(
    name="pertejo2021",
    title=TITLE,
    own_world="synthetic:seed=1",
    quick_world="synthetic:seed=1,pages=2000,hosts=40",
    begin=_begin,
    options=frozenset({"vectors", "steps", "trials", "shares", "ablations"}),
    has_own_world_always=False,
)
