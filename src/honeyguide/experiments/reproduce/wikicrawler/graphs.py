"""Graphs of the first hundred pages that a topic-sensitive crawl meets, and who is linked to most in them.

Weighted breadth-first from the topic's page; only the first `max` URLs that are met are considered, and all of them are
fetched. On a wiki under the wikipedia profile: text from the first paragraph on, links to articles only.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from honeyguide.experiments.crawl_task import CrawlTask
from honeyguide.experiments.reproduce.report import Figure, Section, Table
from honeyguide.experiments.reproduce.wikicrawler.degrees import DegreeTable, Ranked, at_least, jaccard
from honeyguide.experiments.reproduce.wikicrawler.published import JACCARD_IN_OUT, LARGEST, PRINTED_FOR, VERTICES
from honeyguide.experiments.spec import LABORATORY
from honeyguide.exports import write
from honeyguide.report import Line, LinePlot
from honeyguide.settings import settings_from, with_overrides
from honeyguide.store import open_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.domain import Url
    from honeyguide.experiments.reproduce.report import Cell
    from honeyguide.experiments.reproduce.study import StudiedWorld, Study
    from honeyguide.experiments.reproduce.wikicrawler.starts import Start
    from honeyguide.settings import Settings

TOP: Final = 10
QUICK_VERTICES: Final = 30
LARGE: Final = 1000  # vertices of the graph whose lists of a hundred are compared; ours
QUICK_LARGE: Final = 150


@dataclass(frozen=True, slots=True)
class TopicGraph:
    """A topic of a world, and the crawl that makes its graph."""

    world: StudiedWorld
    start: Start
    task: CrawlTask
    most_vertices: int

    @property
    def slug(self) -> str:
        return f"{self.world.slug}-{self.start.topic.replace(' ', '-')}"

    def degrees(self) -> DegreeTable:
        with open_run(self.task.run) as run:
            return DegreeTable.of(run, _path if self.world.kind == "wiki" else str)

    def edges_file(self) -> str:
        """The graph as the document's program writes it."""
        text = StringIO()
        with open_run(self.task.run) as run:
            write(run, text, "edges")
        return text.getvalue()


def topic_graph(study: Study, world: StudiedWorld, start: Start) -> TopicGraph:
    """The graph of a hundred vertices."""
    return _graph(study, world, start, QUICK_VERTICES if study.is_quick else VERTICES)


def large_graph(study: Study, world: StudiedWorld, start: Start) -> TopicGraph:
    """One large enough for lists of a hundred to differ."""
    return _graph(study, world, start, QUICK_LARGE if study.is_quick else LARGE)


def _graph(study: Study, world: StudiedWorld, start: Start, vertices: int) -> TopicGraph:
    folder = study.run_folder(world, f"{start.topic.replace(' ', '-')}-{vertices}")
    return TopicGraph(world, start, CrawlTask(folder, _settings(world, start, vertices, study.seed)), vertices)


def _settings(world: StudiedWorld, start: Start, vertices: int, seed: int) -> Settings:
    settings = settings_from(
        {
            "topic": {"name": start.topic, "keywords": list(start.keywords)},
            "crawl": {
                "world": world.name,
                "seed_urls": [start.seed_url.text],
                "strategy": "weighted-breadth-first",
                "seed": seed,
                "profile": "wikipedia" if world.kind == "wiki" else "",
            },
            "scope": {"max_pages": vertices},
            "judge": {"kind": "keyword"},
            "budget": {"fetches": 2 * vertices},  # more than it can spend: every URL is fetched once
        }
    )
    return with_overrides(settings, LABORATORY)


def overview(graphs: Sequence[TopicGraph]) -> Table:
    """Each graph in a row."""
    rows = []
    for graph in graphs:
        degrees, start = graph.degrees(), graph.start
        with open_run(graph.task.run) as run:
            progress = run.progress
        rows.append(
            (
                graph.world.name,
                start.topic,
                _shown_seed(graph),
                len(degrees.vertices),
                start.published.vertices if start.published else None,
                degrees.edges,
                progress.pages,
                _in_common(start.published.most_linked_to if start.published else (), degrees.most_linked_to(TOP)),
                _in_common(start.published.most_links if start.published else (), degrees.most_links(TOP)),
            )
        )
    return Table(
        "graphs",
        "The graphs",
        ("world", "topic", "seed", "vertices", "published vertices", "edges", "pages", "in both, in", "in both, out"),
        tuple(rows),
        note="*In both*: how many of our ten vertices with the most links in, or out, are among the published ten; the "
        "printed `/wiki/Tenni` counts as `/wiki/Tennis`. How many vertices the graph of tennis had is not said.",
    )


def world_section(world: StudiedWorld, graphs: Sequence[TopicGraph]) -> Section:
    """The lists of each topic of one world, and how links are spread."""
    degrees = {graph.start.topic: graph.degrees() for graph in graphs}
    tables = tuple(_top_table(graph, degrees[graph.start.topic]) for graph in graphs)
    figures = tuple(
        Figure(
            LinePlot(
                f"{name.replace(' ', '-')}-{world.slug}",
                f"How {name} are spread",
                f"on {world.name}",
                f"k {name}",
                f"vertices with k or more {name}",
                tuple(Line(topic, at_least(counts(table))) for topic, table in degrees.items()),
                x_marks=(1, 2, 5, 10, 20, 50, 100),
            ),
            (world.name,),
        )
        for name, counts in (("links in", attrgetter("links_in")), ("links out", attrgetter("links_out")))
    )
    return Section(f"Most linked to, and most links, on {world.name}", tuple(_remarks(graphs)), tables, figures)


def lists_compared(graphs: Sequence[TopicGraph]) -> Table:
    """Table 2, as far as degrees go: what the two lists of a hundred have in common."""
    rows: list[tuple[Cell, ...]] = []
    for graph in graphs:
        degrees = graph.degrees()
        both = jaccard(degrees.most_linked_to(LARGEST), degrees.most_links(LARGEST))
        published = JACCARD_IN_OUT if graph.start.published and graph.start.published.most_linked_to else None
        rows.append((graph.world.name, graph.start.topic, len(degrees.vertices), degrees.edges, both, published))
    return Table(
        "lists-compared",
        "Top 100 by links in and top 100 by links out (Table 2, A and B)",
        ("world", "topic", "vertices", "edges", "Jaccard", "published"),
        tuple(rows),
        note="The document does not say how many vertices its graph had: 144 at least, for two lists of a hundred to "
        "have 0.389 in common.",
    )


def _top_table(graph: TopicGraph, degrees: DegreeTable) -> Table:
    """Ten ranks; a list to the right of ours where the document has one."""
    published = graph.start.published
    sides = (
        ("most linked to", "links in", degrees.most_linked_to(TOP), published.most_linked_to if published else ()),
        ("most links", "links out", degrees.most_links(TOP), published.most_links if published else ()),
    )
    columns: list[str] = ["rank"]
    rows: list[list[Cell]] = [[rank] for rank in range(1, min(TOP, len(degrees.vertices)) + 1)]
    for title, figure, ours, theirs in sides:
        columns += [title, figure, *(["published"] if theirs else [])]
        for place, (row, ranked) in enumerate(zip(rows, ours, strict=True)):
            row += [ranked.vertex, ranked.links]
            if theirs:
                row.append(theirs[place])
    return Table(
        f"top-{graph.slug}",
        f"{graph.start.topic}, from {_shown_seed(graph)}",
        tuple(columns),
        tuple(map(tuple, rows)),
    )


def _remarks(graphs: Sequence[TopicGraph]) -> Iterator[str]:
    absent = [graph for graph in graphs if graph.start.stands_for]
    if absent:
        told = ", ".join(f"{_shown_seed(graph)} for {graph.start.stands_for}" for graph in absent)
        yield (
            f"This wiki lacks seeds of the document; the nearest article it has stands in: {told}. The topic words are "
            "the document's. Its lists are of another year's Wikipedia and another article, so few names can agree."
        )


def _in_common(published: Sequence[str], ours: Sequence[Ranked]) -> int | None:
    meant = {PRINTED_FOR.get(vertex, vertex) for vertex in published}
    return len(meant & {each.vertex for each in ours}) if published else None


def _shown_seed(graph: TopicGraph) -> str:
    url = graph.start.seed_url
    return _path(url) if graph.world.kind == "wiki" else url.text


def _path(url: Url) -> str:
    return url.path_and_query
