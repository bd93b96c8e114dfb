"""Before anything is crawled: what there is to be found, from where, and how well it could be done.

A survey opens every world once, explores it, labels its pages and asks the oracle. It finds every mistake that only the
world can show: seeds that are not in it, labels that match nothing, on-topic pages that no seed leads to.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.domain import Topic, Url
from honeyguide.errors import SettingsError, WorldError
from honeyguide.experiments.cold_starts import cold_start, named_start, roots_of
from honeyguide.experiments.graph_cache import graph_key, load_graph
from honeyguide.experiments.labels import KnowsTopics, LabelRule
from honeyguide.experiments.offline_world import opened_world
from honeyguide.experiments.oracle import Oracle, oracle
from honeyguide.experiments.provenance import code_version
from honeyguide.experiments.world_graph import WorldGraph, explore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.experiments.spec import Experiment, TopicSpec
    from honeyguide.worlds import World

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Start:
    """Where the crawls of one repeat begin, all contenders alike, and what can be done from there."""

    seed: int
    seed_urls: tuple[Url, ...]
    oracle: Oracle


@dataclass(frozen=True, slots=True)
class Cell:
    """One topic in one world: what every contender gets alike, and what grades it."""

    world: str
    topic: TopicSpec  # with the keywords that the crawler is told
    labels: str
    self_graded: bool
    budget: int  # fetches
    starts: tuple[Start, ...]  # one for each repeat
    on_topic: frozenset[str] = field(repr=False)  # final URLs of all on-topic pages of the explored world
    pages_in_world: int
    data_hash: str


@dataclass(frozen=True, slots=True)
class Survey:
    """All cells of an experiment, and the graphs that were explored for them, by file name."""

    cells: tuple[Cell, ...]
    graphs: dict[str, WorldGraph] = field(repr=False)


def survey(
    experiment: Experiment, graphs: Path, on_progress: Callable[[str, int, int], None] = lambda *_: None
) -> Survey:
    """Look at every world. SettingsError with all mistakes found; reads graphs from a folder, and writes nothing."""
    cells: list[Cell] = []
    new_graphs: dict[str, WorldGraph] = {}
    mistakes: list[str] = []
    for name in experiment.worlds:
        with opened_world(name) as world:
            file_name, graph = _graph_of(name, world, experiment, graphs, on_progress)
            new_graphs[file_name] = graph
            for topic in experiment.topics:
                try:
                    cells.append(_cell(name, world, graph, topic, experiment))
                except SettingsError as error:
                    mistakes += error.mistakes
    if mistakes:
        raise SettingsError(list(dict.fromkeys(mistakes)))
    return Survey(tuple(cells), new_graphs)


def _graph_of(
    name: str, world: World, experiment: Experiment, folder: Path, on_progress: Callable[[str, int, int], None]
) -> tuple[str, WorldGraph]:
    roots = roots_of(world, experiment)
    if not roots:
        raise SettingsError([f"world {name} has no entry pages of its own: give --seed-url"])
    rules = [LabelRule.parse(topic.labels, topic.name) for topic in experiment.topics if topic.labels]
    words = sorted({rule.value for rule in rules if rule.kind == "word"})
    file_name = f"{graph_key(name, roots, words, code_version())}.npz"
    graph = load_graph(folder / file_name)
    if graph is None:
        graph = explore(world, roots, words=words, on_progress=lambda done, known: on_progress(name, done, known))
        log.info("world %s: %s pages can be reached", name, graph.pages)
    return file_name, graph


def _cell(name: str, world: World, graph: WorldGraph, topic: TopicSpec, experiment: Experiment) -> Cell:
    seed_urls = [Url.parse(text) for text in topic.seed_urls] or world.entry_urls()
    named = () if experiment.random_seeds else tuple(named_start(name, graph, seed_urls))
    rule = LabelRule.parse(topic.labels, topic.name) if topic.labels else LabelRule.natural_to(world, topic.name)
    labels = rule.applied_to(world, graph, topic.name)
    on_topic = np.array([labels.is_on_topic(Url(url)) for url in graph.urls], dtype=np.bool_) & graph.is_page
    if not on_topic.any():
        raise SettingsError([f"topic {topic.name}: labels {rule} match none of the {graph.pages:,} pages of {name}"])
    told = _told(topic, world)
    nodes = [
        named or tuple(cold_start(graph, on_topic, experiment.random_seeds, topic, seed))
        for seed in experiment.repeat_seeds
    ]
    budget, starts = _starts(graph, on_topic, nodes, experiment)
    if not all(start.oracle.reachable for start in starts):
        raise SettingsError(
            [f"topic {topic.name}: its seeds lead to none of the {on_topic.sum():,} on-topic pages of {name}"]
        )
    return Cell(
        world=name,
        topic=told,
        labels=str(rule),
        self_graded=rule.is_self_graded(Topic(told.name, told.keywords)),
        budget=budget,
        starts=starts,
        on_topic=frozenset(graph.urls[node] for node in np.flatnonzero(on_topic)),
        pages_in_world=graph.pages,
        data_hash=graph.data_hash,
    )


def _told(topic: TopicSpec, world: World) -> TopicSpec:
    """The topic with the words a person would type, where the world knows some and nobody has given any."""
    if topic.keywords or not isinstance(world, KnowsTopics):
        return topic
    try:
        return replace(topic, keywords=tuple(world.keywords_for(topic.name)))
    except WorldError:  # a topic of the user's own, graded by the user's labels
        return topic


def _starts(
    graph: WorldGraph, on_topic: NDArray[np.bool_], nodes: Sequence[tuple[int, ...]], experiment: Experiment
) -> tuple[int, tuple[Start, ...]]:
    """The budget, and each repeat with what can be done from where it begins; equal beginnings are asked about once."""
    reachable = {start: int((graph.reachable(start) & on_topic).sum()) for start in nodes}
    budget = experiment.budget or max(1, *reachable.values())
    answers = {start: oracle(graph, on_topic, start, budget) for start in reachable}
    return budget, tuple(
        Start(seed, tuple(Url(graph.urls[node]) for node in start), answers[start])
        for seed, start in zip(experiment.repeat_seeds, nodes, strict=True)
    )
