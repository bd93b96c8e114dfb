"""Pertejo (2021), reproduced: the discount, basic against linear crawlers on a world and on a share of it, networks.

`published` has his figures and `crawlers` his crawlers as settings; `trials` repeats and grades crawls. `whole_world`,
`discount`, `sample`, `deep`, `times` and `ablations` each say which crawls they need and make their part of the report;
`learned` looks at what the crawls of `whole_world` were paid and learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide_lab.reproduce.pertejo2021.ablations import Ablation, Untaught, ablations, ablations_section, untaught
from honeyguide_lab.reproduce.pertejo2021.deep import NO_PYTORCH, Arena, arenas, deep_section, has_pytorch
from honeyguide_lab.reproduce.pertejo2021.discount import Sweep, sweep, sweep_section
from honeyguide_lab.reproduce.pertejo2021.sample import Reduced, reduced_topics, sample_section
from honeyguide_lab.reproduce.pertejo2021.times import timed, times_section
from honeyguide_lab.reproduce.pertejo2021.trials import SOURCE, TITLE, Sizes, Tries
from honeyguide_lab.reproduce.pertejo2021.whole_world import Duel, duels, learned_section, whole_section
from honeyguide_lab.reproduce.study import Paper, Report, vector_sources
from honeyguide_lab.reproduce.world_topics import WorldTopics, world_topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide_lab.reproduce.pertejo2021.trials import Trials
    from honeyguide_lab.reproduce.study import Section, StudiedWorld, Study
    from honeyguide_lab.reproduce.timed_crawl import TimedCrawl
    from honeyguide_lab.run import Task

__all__ = ["PERTEJO2021"]

_NO_VECTORS: Final = (
    "GloVe vectors, which he had: name a file with `--vectors FILE`. All figures are with the bundled vectors."
)
_NO_ABLATIONS: Final = "Ablations: `--ablations`."


@dataclass(frozen=True, slots=True)
class _World:
    """All that is crawled on one world."""

    tries: Tries
    found: WorldTopics
    sources: tuple[str, ...]
    fought: tuple[Duel, ...]
    swept: Sweep
    reduced: tuple[Reduced, ...]
    networks: tuple[Arena, ...]  # none without PyTorch
    ablated: tuple[Ablation, ...]  # none where nobody asked
    unlearned: tuple[Untaught, ...]  # likewise
    measured: tuple[TimedCrawl, ...]

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
        by_folder = {trials.sequence.folder: trials.sequence for trials in self.trials}
        yield from self.measured
        yield from sorted(by_folder.values(), key=lambda each: self.sources.index(each.settings.vectors.source))

    def sections(self) -> Iterator[Section]:
        yield sweep_section(self.tries, self.found, self.swept)
        if self.networks:
            yield deep_section(self.found, self.networks)
        yield times_section(self.found, self.measured)
        yield whole_section(self.tries, self.found, self.fought)
        yield learned_section(self.found, self.fought)
        yield sample_section(self.tries, self.found, self.reduced)
        if self.ablated:
            yield ablations_section(self.tries, self.found, self.ablated, self.unlearned, self.sources[0])


@dataclass(frozen=True, slots=True)
class _Pertejo2021:
    study: Study
    worlds: tuple[_World, ...]

    @property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(task for world in self.worlds for task in world.tasks)

    def report(self) -> Report:
        sections = tuple(section for world in self.worlds for section in world.sections())
        return Report(TITLE, SOURCE, sections, tuple(self._left_out()))

    def data_hash_of(self, world: StudiedWorld) -> str:
        return next(each.found.graph.data_hash for each in self.worlds if each.found.world == world)

    def keep_worlds(self) -> None:
        for each in self.worlds:
            each.found.keep_graph(self.study)

    def _left_out(self) -> Iterator[str]:
        for world in self.worlds:
            yield from world.found.left_out
        if not self.study.options.vectors:
            yield _NO_VECTORS
        if not has_pytorch():
            yield NO_PYTORCH
        if not self.study.options.ablations:
            yield _NO_ABLATIONS


def _begin(study: Study) -> _Pertejo2021:
    return _Pertejo2021(study, tuple(_world(study, studied) for studied in study.worlds))


def _world(study: Study, studied: StudiedWorld) -> _World:
    sizes = Sizes.of(study)
    found = world_topics(study, studied, wanted=sizes.topics)
    tries, sources = Tries(study, studied, sizes), vector_sources(study)
    fought, reduced = duels(tries, found, sources), reduced_topics(tries, found, sources[0])
    return _World(
        tries=tries,
        found=found,
        sources=sources,
        fought=fought,
        swept=sweep(tries, found, sources[0]),
        reduced=reduced,
        networks=arenas(tries, found, reduced, fought, sources[0]) if has_pytorch() else (),
        ablated=ablations(tries, found, sources[0]) if study.options.ablations else (),
        unlearned=untaught(tries, fought) if study.options.ablations else (),
        measured=timed(tries, found, sources[0]),
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
