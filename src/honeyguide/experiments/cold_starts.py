"""Where the crawls of an experiment begin: at named pages, at the world's own entries, or cold, anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

import numpy as np
import xxhash

from honeyguide.domain import Url
from honeyguide.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from honeyguide.experiments.spec import Experiment, TopicSpec
    from honeyguide.experiments.world_graph import WorldGraph
    from honeyguide.worlds import World

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
