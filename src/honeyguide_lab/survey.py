"""Surveys the worlds of an experiment before any crawl: pages to find, starts, and the best possible result.

A survey opens every world once, explores it, labels its pages and asks the oracle. Crawls start at named pages, at the
world's own entries, or cold, at off-topic pages drawn by chance. A survey finds every mistake that only the world can
show: seeds that are not in it, labels that match nothing, on-topic pages that no seed leads to. The graph of a world is
kept beside the comparison, so that it is explored once.
"""

from __future__ import annotations

import json
import logging
import zipfile
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
import xxhash

from honeyguide.crawler.world_graph import WorldGraph, explore, opened_world
from honeyguide.errors import SettingsError, WorldError
from honeyguide.model import Topic, Url
from honeyguide_lab.crawl_task import code_version, data_files
from honeyguide_lab.labels import KnowsTopics, LabelRule
from honeyguide_lab.oracle import Oracle, oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.worlds import World
    from honeyguide_lab.spec import Experiment, TopicSpec

_FORMAT: Final = 1


def graph_key(world: str, roots: Sequence[Url], words: Iterable[str], code: str) -> str:
    """Hash everything that a graph depends on: name and data of the world, its roots, words, and our code."""
    parts = [str(_FORMAT), world, *data_files(world), *sorted(url.text for url in roots), *sorted(words), code]
    return xxhash.xxh3_64("\n".join(parts).encode()).hexdigest()


def save_graphs(graphs: Mapping[str, WorldGraph], folder: Path) -> None:
    """Write the graphs that are not there yet, each in whole or not at all."""
    for name, graph in graphs.items():
        if not (folder / name).exists():
            save_graph(graph, folder / name)


def save_graph(graph: WorldGraph, file: Path) -> None:
    """Write a graph, in whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft.npz")
    about = json.dumps({"data_hash": graph.data_hash, "words": list(graph.has_word)})
    np.savez_compressed(
        draft,
        urls=np.frombuffer("\n".join(graph.urls).encode(), dtype=np.uint8),
        is_page=graph.is_page,
        starts=graph.starts,
        targets=graph.targets,
        has_word=np.array(list(graph.has_word.values()), dtype=np.bool_),
        about=np.frombuffer(about.encode(), dtype=np.uint8),
    )
    draft.replace(file)


def load_graph(file: Path) -> WorldGraph | None:
    """A graph saved earlier; None where there is none that can be read."""
    try:
        # Opened here: numpy leaves a file open that turns out to be none of its own.
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as saved:
            about = json.loads(saved["about"].tobytes())
            text = saved["urls"].tobytes().decode()
            return WorldGraph(
                urls=tuple(text.split("\n")) if text else (),
                is_page=saved["is_page"],
                starts=saved["starts"],
                targets=saved["targets"],
                has_word=dict(zip(about["words"], saved["has_word"], strict=True)),
                data_hash=about["data_hash"],
            )
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


_DRAWS: Final = 100


@runtime_checkable
class ListsUrls(Protocol):
    """A world that can name all its pages."""

    def urls(self) -> Iterable[Url]: ...


def roots_of(world: World, experiment: Experiment) -> list[Url]:
    """Everything that some crawl of the experiment may begin with: from there the world is explored."""
    named = [Url.parse(text) for topic in experiment.topics for text in topic.seed_urls]
    if experiment.random_seeds and isinstance(world, ListsUrls):
        return list(dict.fromkeys([*named, *world.urls()]))
    if experiment.random_seeds or not all(topic.seed_urls for topic in experiment.topics):
        named += world.entry_urls()
    return list(dict.fromkeys(named))


def named_start(world: str, graph: WorldGraph, urls: Sequence[Url]) -> list[int]:
    """The nodes of seed URLs. SettingsError that names those which the world does not answer."""
    if not urls:
        raise SettingsError([f"world {world} has no entry pages of its own: give --seed-url, or --seeds random:N"])
    outside = [url for url in urls if url.text not in graph.number_by_url]
    if outside:
        raise SettingsError([f"seed URL {url} is not in world {world}: name a page that it answers" for url in outside])
    return graph.numbers(urls)


def cold_start(graph: WorldGraph, on_topic: NDArray[np.bool_], count: int, topic: TopicSpec, seed: int) -> list[int]:
    """Off-topic pages by chance, the same for all contenders, drawn again until they lead to some on-topic page."""
    off_topic = np.flatnonzero(graph.is_page & ~on_topic)
    if count > len(off_topic):
        raise SettingsError([f"seeds is 'random:{count}': there are only {len(off_topic):,} off-topic pages"])
    chance = np.random.default_rng(xxhash.xxh3_64_intdigest(f"{topic.name}\n{seed}".encode()))
    for _ in range(_DRAWS):
        drawn: list[int] = sorted(chance.choice(off_topic, size=count, replace=False).tolist())
        if (graph.reachable(drawn) & on_topic).any():
            return drawn
    raise SettingsError([f"seeds is 'random:{count}': {_DRAWS} draws led to no on-topic page; draw more, or name some"])


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


Marks: TypeAlias = "dict[tuple[str, str, str], NDArray[np.bool_]]"
"""By world, labels and topic: which nodes of the graph are on topic."""


class SurveyInterrupted(Exception):  # noqa: N818 - no error: someone wants it to stop
    """The survey was told to stop; nothing of it is kept."""


def survey(
    experiment: Experiment,
    graphs: Path,
    *,
    known: Mapping[str, WorldGraph] | None = None,
    marks: Marks | None = None,
    is_interrupted: Callable[[], bool] = lambda: False,
    on_progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Survey:
    """Look at every world. SettingsError with all mistakes found; reads graphs from a folder, and writes nothing.

    `known` graphs, of another survey, are not read again, nor are pages labelled again that have `marks` from there.
    SurveyInterrupted when it is to stop.
    """

    def note_exploring(world: str, done: int, found: int) -> None:
        if is_interrupted():
            raise SurveyInterrupted
        on_progress(f"exploring {world}", done, found)

    cells: list[Cell] = []
    new_graphs = dict(known or {})
    mistakes: list[str] = []
    for name in experiment.worlds:
        with opened_world(name) as world:
            file_name, graph = _graph_of(name, world, experiment, graphs, new_graphs, note_exploring)
            new_graphs[file_name] = graph
            for topic in experiment.topics:
                try:
                    cells.append(_cell(name, world, graph, topic, experiment, {} if marks is None else marks))
                except SettingsError as error:
                    mistakes += error.mistakes
    if mistakes:
        raise SettingsError(list(dict.fromkeys(mistakes)))
    return Survey(tuple(cells), new_graphs)


def _graph_of(
    name: str,
    world: World,
    experiment: Experiment,
    folder: Path,
    known: Mapping[str, WorldGraph],
    on_progress: Callable[[str, int, int], None],
) -> tuple[str, WorldGraph]:
    roots = roots_of(world, experiment)
    if not roots:
        raise SettingsError([f"world {name} has no entry pages of its own: give --seed-url"])
    rules = [LabelRule.parse(topic.labels, topic.name) for topic in experiment.topics if topic.labels]
    words = sorted({rule.value for rule in rules if rule.kind == "word"})
    file_name = f"{graph_key(name, roots, words, code_version())}.npz"
    graph = known.get(file_name) or load_graph(folder / file_name)
    if graph is None:
        graph = explore(world, roots, words=words, on_progress=lambda done, known: on_progress(name, done, known))
        log.info("world %s: %s pages can be reached", name, graph.pages)
    return file_name, graph


def _cell(name: str, world: World, graph: WorldGraph, topic: TopicSpec, experiment: Experiment, marks: Marks) -> Cell:
    seed_urls = [Url.parse(text) for text in topic.seed_urls] or world.entry_urls()
    named = () if experiment.random_seeds else tuple(named_start(name, graph, seed_urls))
    rule = LabelRule.parse(topic.labels, topic.name) if topic.labels else LabelRule.natural_to(world, topic.name)
    labelled = name, str(rule), topic.name
    if labelled not in marks:
        labels = rule.applied_to(world, graph, topic.name)
        marks[labelled] = np.array([labels.is_on_topic(Url(url)) for url in graph.urls], dtype=np.bool_)
    on_topic = marks[labelled] & graph.is_page
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
