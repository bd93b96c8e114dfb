"""Graphs of the first hundred pages that a topic-sensitive crawl meets, the most linked pages, and the spread of links.

The crawl is weighted breadth-first from the topic's page. Only the first `max` URLs that are met are considered, and
all of them are fetched. On a wiki it has the wikipedia profile: text from the first paragraph on, links to articles
only.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from io import StringIO
from typing import TYPE_CHECKING, Final

from honeyguide.model import Url
from honeyguide.runs import open_run, top
from honeyguide.runs.exports import write
from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab.crawl_task import CrawlTask
from honeyguide_lab.plots import Line, LinePlot
from honeyguide_lab.reproduce.study import Figure, Section, Table
from honeyguide_lab.reproduce.wikicrawler.published import TOP, VERTICES, meant_by
from honeyguide_lab.reproduce.wikicrawler.ranks import rank_table
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from honeyguide.runs import LinkGraph, RankedPage
    from honeyguide.settings import Settings
    from honeyguide_lab.reproduce.study import Cell, StudiedWorld, Study
    from honeyguide_lab.reproduce.wikicrawler.starts import TopicStart


def at_least(links: Iterable[int]) -> tuple[tuple[float, float], ...]:
    """For each number of links that occurs, how many vertices have so many or more."""
    counts = Counter(links)
    points, above = [], 0
    for number in sorted(counts, reverse=True):
        above += counts[number]
        points.append((float(number), float(above)))
    return tuple(reversed(points))


QUICK_VERTICES: Final = 30
LARGE: Final = 1000  # vertices of the graph whose lists of a hundred are compared; ours
QUICK_LARGE: Final = 150


@dataclass(frozen=True, slots=True)
class TopicGraph:
    """A topic of a world, and the crawl that makes its graph."""

    world: StudiedWorld
    start: TopicStart
    task: CrawlTask
    most_vertices: int

    @property
    def slug(self) -> str:
        return f"{self.world.slug}-{self.start.topic.replace(' ', '-')}"

    def ranked(self) -> RankedGraph:
        """Return the graph that the crawl has found, vertices named as the document has them."""
        with open_run(self.task.run) as run:
            graph, pages = run.graph(), run.progress.pages
        if self.world.kind == "wiki":
            graph = replace(graph, names=tuple(_path(Url(name)) for name in graph.names))
        return RankedGraph(self, graph, pages)

    def edges_file(self) -> str:
        """The graph as the document's program writes it."""
        text = StringIO()
        with open_run(self.task.run) as run:
            write(run, text, "edges")
        return text.getvalue()


@dataclass(frozen=True, slots=True)
class RankedGraph:
    """A topic's graph, made."""

    topic: TopicGraph
    graph: LinkGraph
    pages: int  # of its vertices, those that were fetched

    def most_linked_to(self) -> list[RankedPage]:
        return top(self.graph, self.graph.in_degrees, TOP)

    def most_links(self) -> list[RankedPage]:
        return top(self.graph, self.graph.out_degrees, TOP)


def topic_graph(study: Study, world: StudiedWorld, start: TopicStart) -> TopicGraph:
    """The graph of a hundred vertices."""
    return _graph(study, world, start, QUICK_VERTICES if study.is_quick else VERTICES)


def large_graph(study: Study, world: StudiedWorld, start: TopicStart) -> TopicGraph:
    """One large enough for lists of a hundred to differ."""
    return _graph(study, world, start, QUICK_LARGE if study.is_quick else LARGE)


def _graph(study: Study, world: StudiedWorld, start: TopicStart, vertices: int) -> TopicGraph:
    folder = study.run_folder(world, f"{start.topic.replace(' ', '-')}-{vertices}")
    return TopicGraph(world, start, CrawlTask(folder, _settings(world, start, vertices, study.seed)), vertices)


def _settings(world: StudiedWorld, start: TopicStart, vertices: int, seed: int) -> Settings:
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


def overview(graphs: Sequence[RankedGraph]) -> Table:
    """Each graph in a row."""
    rows = []
    for ranked in graphs:
        start = ranked.topic.start
        published = start.published
        rows.append(
            (
                ranked.topic.world.name,
                start.topic,
                _shown_seed(ranked.topic),
                ranked.graph.vertices,
                published.vertices if published else None,
                ranked.graph.edges,
                ranked.pages,
                _in_common(published.most_linked_to if published else (), ranked.most_linked_to()),
                _in_common(published.most_links if published else (), ranked.most_links()),
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


def world_section(world: StudiedWorld, graphs: Sequence[RankedGraph]) -> Section:
    """The lists of each topic of one world, and how links are spread."""
    tables = tuple(table for ranked in graphs for table in (_top_table(ranked), rank_table(ranked)))
    degrees = {
        "links in": [(each.topic.start.topic, each.graph.in_degrees) for each in graphs],
        "links out": [(each.topic.start.topic, each.graph.out_degrees) for each in graphs],
    }
    figures = tuple(
        Figure(
            LinePlot(
                f"{name.replace(' ', '-')}-{world.slug}",
                f"How {name} are spread",
                f"on {world.name}",
                f"k {name}",
                f"vertices with k or more {name}",
                tuple(Line(topic, at_least(counts.tolist())) for topic, counts in by_topic),
                x_marks=(1, 2, 5, 10, 20, 50, 100),
            ),
            (world.name,),
        )
        for name, by_topic in degrees.items()
    )
    remarks = tuple(_remarks([each.topic for each in graphs]))
    return Section(f"Most linked to, most links and highest ranks, on {world.name}", remarks, tables, figures)


def _top_table(ranked: RankedGraph) -> Table:
    """Ten ranks; a list to the right of ours where the document has one."""
    published = ranked.topic.start.published
    sides = (
        ("most linked to", "links in", ranked.most_linked_to(), published.most_linked_to if published else ()),
        ("most links", "links out", ranked.most_links(), published.most_links if published else ()),
    )
    columns: list[str] = ["rank"]
    rows: list[list[Cell]] = [[rank] for rank in range(1, min(TOP, ranked.graph.vertices) + 1)]
    for title, figure, ours, theirs in sides:
        columns += [title, figure, *(["published"] if theirs else [])]
        for place, (row, page) in enumerate(zip(rows, ours, strict=True)):
            row += [page.url, page.value]
            if theirs:
                row.append(theirs[place])
    return Table(
        f"top-{ranked.topic.slug}",
        f"{ranked.topic.start.topic}, from {_shown_seed(ranked.topic)}",
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


def _in_common(published: Sequence[str], ours: Sequence[RankedPage]) -> int | None:
    return len(meant_by(published) & {each.url for each in ours}) if published else None


def _shown_seed(graph: TopicGraph) -> str:
    url = graph.start.seed_url
    return _path(url) if graph.world.kind == "wiki" else url.text


def _path(url: Url) -> str:
    return url.path_and_query
