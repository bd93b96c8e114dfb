"""The reduced world: a random share of the pages, and the links between those. Table 4.1 and section 4.5.3.

He draws a tenth of the pages of his dump and keeps the links between them. Ours are the URLs of `scope.share`, so that
any world can be reduced. On a small world a tenth leaves hardly a link: a larger share that leaves as many links a
page as his is crawled beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.scope import UrlShare
from honeyguide.crawler.world_graph import WorldGraph
from honeyguide_lab.plots import Panel, PanelPlot
from honeyguide_lab.reproduce.pertejo2021.plan import (
    ASYNCHRONOUS,
    BASIC,
    DUMPS,
    SAMPLE_STEPS,
    SAMPLE_TOPICS,
    SYNCHRONOUS,
)
from honeyguide_lab.reproduce.study import Figure, Section, Table, vectors_name
from honeyguide_lab.reproduce.trials import mean, spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide_lab.reproduce.pertejo2021.plan import OnWorld
    from honeyguide_lab.reproduce.study import Cell
    from honeyguide_lab.reproduce.trials import Trials
    from honeyguide_lab.reproduce.world_topics import StudiedTopic

LEAST_REACHABLE: Final = 40
"""Pages that must be reachable from a topic's seed for it to be crawled; below, every order finds all at once."""
METHODS: Final = (BASIC, ASYNCHRONOUS, SYNCHRONOUS)

_EXPLAINED: Final = (
    "A share of the world's pages and the links between them, drawn by a hash of each address; a topic's seed is "
    "always among them. The crawls go on until nothing is left, as his did after some "
    f"{SAMPLE_STEPS:,} steps: in the end all have found the same, and the question is how soon. *At a quarter* is "
    "after a quarter of the pages that can be reached (in the end, where a crawl has fewer steps); *half after* is the "
    "step at which half of the relevant pages are found."
)
_PUBLISHED: Final = (
    "Published (Figure 4.6, no numbers printed): the basic crawler is the last but for cancer, where all are alike; "
    "synchronous is first for fiction and poetry, asynchronous between the two."
)


@dataclass(frozen=True, slots=True)
class Reduced:
    """A topic in a reduced world."""

    topic: StudiedTopic
    share: float
    reachable: int
    with_word: int
    vectors: str
    trials: Mapping[str, Trials]  # by method; empty where too little can be reached

    @property
    def quarter(self) -> int:
        return max(1, self.reachable // 4)


def share_graph(graph: WorldGraph, share: float, seed: int, root: str = "") -> WorldGraph:
    """The nodes of a share of all URLs, and the root; all others are without links."""
    drawn = UrlShare(share, seed)
    kept = np.array([url == root or drawn.has(url) for url in graph.urls], dtype=np.bool_)
    source = np.repeat(np.arange(len(graph.urls)), np.diff(graph.starts))
    is_kept = kept[source] & kept[graph.targets]
    counts = np.bincount(source[is_kept], minlength=len(graph.urls))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return WorldGraph(graph.urls, graph.is_page & kept, starts, graph.targets[is_kept], graph.has_word)


def reduced_topics(world: OnWorld) -> tuple[Reduced, ...]:
    """His four topics, or all where a world has none of them, in every share, with the crawls to be made."""
    topics = [each for each in world.found.topics if each.slug in SAMPLE_TOPICS] or world.found.topics
    return tuple(_reduced(world, topic, share) for share in world.sizes.shares for topic in topics)


def _reduced(world: OnWorld, topic: StudiedTopic, share: float) -> Reduced:
    source = world.sources[0]
    graph = share_graph(world.found.graph, share, world.study.seed, topic.seed_url.text)
    nodes = graph.reachable([graph.number_by_url[topic.seed_url.text]])
    pages = int((nodes & graph.is_page).sum())
    with_word = int((nodes & graph.is_page & graph.has_word[topic.topic.name.lower()]).sum())
    steps, trials = min(world.sizes.steps, int(nodes.sum())), world.sizes.fewer_trials
    crawled = METHODS if pages >= LEAST_REACHABLE else ()
    by_method = {
        method.name: world.planner.trials(method, topic, source, steps=steps, trials=trials, share=share)
        for method in crawled
    }
    return Reduced(topic, share, pages, with_word, source, by_method)


def dump_table(world: OnWorld) -> Table:
    """Table 4.1: his dumps and our worlds."""
    rows: list[tuple[Cell, ...]] = [
        (f"published: {each.name}", each.pages, each.links, each.links / each.pages, each.links_a_page, None)
        for each in DUMPS
    ]
    for share in (1.0, *world.sizes.shares):
        graph = share_graph(world.found.graph, share, world.study.seed)
        pages, links = graph.pages, len(graph.targets)
        with_links = int(((np.diff(graph.starts) > 0) & graph.is_page).sum())
        reached = [_reached(world, topic, share) for topic in world.found.topics]
        named = f"{world.name}, {share:.0%}"
        rows.append((named, pages, links, links / max(1, pages), links / max(1, with_links), float(np.median(reached))))
    return Table(
        f"dumps-{world.slug}",
        "Pages and links (Table 4.1)",
        ("world", "pages", "links", "links a page", "links a page that has any", "reachable, median of topics"),
        tuple(rows),
        note="His numbers of links are rounded, more than 5 million and about 63,000. His links a page are over the "
        "pages that have any, by his code (A.1).",
    )


def _reached(world: OnWorld, topic: StudiedTopic, share: float) -> int:
    graph = share_graph(world.found.graph, share, world.study.seed, topic.seed_url.text)
    return int((graph.reachable([graph.number_by_url[topic.seed_url.text]]) & graph.is_page).sum())


def sample_section(world: OnWorld, reduced: Sequence[Reduced]) -> Section:
    """How soon the three crawlers find what a reduced world has."""
    crawled = [each for each in reduced if each.trials]
    figures = tuple(
        Figure(_plot(world, here), (world.name,))
        for share in world.sizes.shares
        if (here := [each for each in crawled if each.share == share])
    )
    return Section(
        f"Basic, asynchronous and synchronous on a share of {world.name} (4.5.3)",
        (_EXPLAINED, _PUBLISHED, *_remarks(reduced)),
        (dump_table(world), _table(world, crawled)),
        figures,
    )


def _remarks(reduced: Sequence[Reduced]) -> Iterator[str]:
    for share in dict.fromkeys(each.share for each in reduced):
        here = [each for each in reduced if each.share == share]
        too_few = [f"{each.topic.topic.name} ({each.reachable})" for each in here if not each.trials]
        if too_few:
            yield (
                f"At a share of {share:.0%} fewer than {LEAST_REACHABLE} pages can be reached for "
                f"{len(too_few)} of {len(here)} topics, which are not crawled: {', '.join(too_few)}."
            )


def _table(world: OnWorld, crawled: Sequence[Reduced]) -> Table:
    columns = ["share", "topic", "reachable", "with word"]
    for method in METHODS:
        columns += [f"{method.name} at a quarter", *(["±"] if method.is_chancy else [])]
    columns += [f"{method.name}, half after" for method in METHODS]
    return Table(
        f"sample-{world.slug}",
        f"Relevant pages of a share, self-graded{f', {vectors_name(crawled[0].vectors)}' if crawled else ''}",
        tuple(columns),
        tuple(map(_row, crawled)),
        note=f"Means over {world.sizes.fewer_trials} trials, ± one standard deviation; the basic crawler leaves "
        "nothing to chance.",
    )


def _row(reduced: Reduced) -> tuple[Cell, ...]:
    row: list[Cell] = [f"{reduced.share:.0%}", reduced.topic.topic.name, reduced.reachable, reduced.with_word]
    halves: list[Cell] = []
    for trials in reduced.trials.values():
        curves = trials.self_graded[:, 0]
        at_quarter = curves[:, min(reduced.quarter, trials.steps)]
        row += [mean(at_quarter), *([spread(at_quarter)] if trials.method.is_chancy else [])]
        halves.append(mean(steps_to_half(curves, reduced.with_word)))
    return (*row, *halves)


def steps_to_half(curves: NDArray[np.int64], relevant: int) -> list[float]:
    """The step at which each trial has found half of the relevant pages; trials that never do are left out."""
    wanted = (relevant + 1) // 2
    return [float(np.argmax(curve >= wanted)) for curve in curves if curve[-1] >= wanted]


def _plot(world: OnWorld, here: Sequence[Reduced]) -> PanelPlot:
    share, vectors = here[0].share, vectors_name(here[0].vectors)
    return PanelPlot(
        f"sample-{world.slug}-{share:g}",
        "Until nothing is left (Figure 4.6)",
        f"{share:.0%} of {world.name}, {vectors}, self-graded",
        "fetches",
        "pages with the topic's word",
        tuple(Panel(each.topic.topic.name, tuple(tried.line() for tried in each.trials.values())) for each in here),
    )
