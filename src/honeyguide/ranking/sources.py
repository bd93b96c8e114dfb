"""A link graph from whatever a person names: a run folder, a file of edges, or an offline world."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.domain import Url
from honeyguide.errors import GraphError, InvalidUrl
from honeyguide.experiments.offline_world import opened_world
from honeyguide.experiments.world_graph import explore
from honeyguide.graph import LinkGraph, read_edge_file
from honeyguide.settings.crawl_tables import WORLDS
from honeyguide.store import Run, open_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.experiments.world_graph import WorldGraph
    from honeyguide.worlds import World


@dataclass(frozen=True, slots=True, eq=False)
class GraphSource:
    """A graph, and which of its pages were judged relevant; None where nobody has judged them."""

    graph: LinkGraph
    relevant: tuple[str, ...] | None = None

    def number(self, name: str) -> int:
        """The vertex that a person means: by its name, any spelling of its URL, or the path where names are paths.

        GraphError if there is none.
        """
        spellings = [name]
        with suppress(InvalidUrl):
            url = Url.parse(name)
            spellings += [url.text, url.path_and_query]
        known = self.graph.number_by_name
        return self.graph.number(next((spelling for spelling in spellings if spelling in known), name))


def link_graph(source: Run | Path | str, on_progress: Callable[[int, int], None] = lambda *_: None) -> LinkGraph:
    """The graph of a run (its folder, or opened), of a file of edges, or of a world by its name, such as `wiki:PATH`.

    `on_progress` hears of URLs asked for and known, where a world must be walked through.
    """
    return open_source(source, on_progress).graph


def open_source(
    source: Run | LinkGraph | Path | str, on_progress: Callable[[int, int], None] = lambda *_: None
) -> GraphSource:
    """As `link_graph`, with what else is known of the pages. GraphError if it is nothing of the kind."""
    if isinstance(source, LinkGraph):
        return GraphSource(source)
    if isinstance(source, Run):
        return _of_run(source)
    path = Path(source)
    if path.is_dir() and (path / "wiki.sqlite").exists():
        source = f"wiki:{path}"
    elif path.is_dir():
        with open_run(path) as run:
            return _of_run(run)
    elif path.exists():
        return GraphSource(read_edge_file(path))
    if str(source).partition(":")[0] in WORLDS:
        with opened_world(str(source)) as world:
            return GraphSource(_of_world(world, on_progress))
    raise GraphError(f"{source} is no run folder, no file of edges and no world; name one, such as wiki:PATH")


def _of_run(run: Run) -> GraphSource:
    return GraphSource(run.graph(), tuple(page.url.text for page in run.pages(relevant_only=True)))


def _of_world(world: World, on_progress: Callable[[int, int], None]) -> LinkGraph:
    from honeyguide.worlds.wiki import WikiWorld  # noqa: PLC0415 - SQLite and zstandard, for this world alone

    if isinstance(world, WikiWorld):
        links = world.link_graph
        names = tuple(url.text for url in world.urls())
        return LinkGraph.of(links.sources().astype(np.int32), links.targets.astype(np.int32), links.page_count, names)
    return without_redirects(explore(world, world.entry_urls(), on_progress=on_progress))


def without_redirects(world: WorldGraph) -> LinkGraph:
    """The pages alone: where a link leads to a redirect, the page at its end; where there is none, nowhere."""
    page_of = _ends(world)
    sources = np.repeat(np.arange(len(world.urls)), np.diff(world.starts))
    targets = page_of[world.targets]
    is_edge = world.is_page[sources] & (targets >= 0)
    number_by_node = np.cumsum(world.is_page) - 1
    names = tuple(url for url, is_page in zip(world.urls, world.is_page.tolist(), strict=True) if is_page)
    return LinkGraph.of(number_by_node[sources[is_edge]], number_by_node[targets[is_edge]], len(names), names)


def _ends(world: WorldGraph) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """By node, the page that stands for it; -1 where redirects lead nowhere or in a circle."""
    count = len(world.urls)
    leads_to = np.arange(count + 1)
    redirects = np.flatnonzero(~world.is_page)
    has_target = world.starts[redirects + 1] > world.starts[redirects]
    leads_to[redirects] = count  # nowhere
    leads_to[redirects[has_target]] = world.targets[world.starts[redirects[has_target]]]
    for _ in range(count.bit_length()):  # each time round, twice as many hops are taken at once
        leads_to = leads_to[leads_to]
    is_page = np.append(world.is_page, False)
    return np.where(is_page[leads_to], leads_to, -1)[:count]
