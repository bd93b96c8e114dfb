"""The tables of the document's section 3: lists by PageRank, iterations, and what lists of a hundred have in common."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from honeyguide.runs import Dangling, RankRules, jaccard, pagerank, top
from honeyguide_lab.reproduce.study import Table
from honeyguide_lab.reproduce.wikicrawler.published import EPSILONS, LARGEST, OVERLAPS, TENNIS, TOP, meant_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.runs import LinkGraph
    from honeyguide_lab.reproduce.study import Cell
    from honeyguide_lab.reproduce.wikicrawler.graphs import RankedGraph


def rank_table(ranked: RankedGraph) -> Table:
    """Table 1 or 3: ten ranks for each epsilon, beside the published list where there is one."""
    published = ranked.topic.start.published
    columns: list[str] = ["rank"]
    rows: list[list[Cell]] = [[rank] for rank in range(1, min(TOP, len(ranked.graph.names)) + 1)]
    note = []
    for epsilon in EPSILONS:
        found = pagerank(ranked.graph, RankRules(epsilon=epsilon))
        pages = top(ranked.graph, found.values, TOP)
        theirs = published.most_ranked.get(epsilon, ()) if published else ()
        columns += [f"page rank, epsilon {epsilon}", "value", *(["published"] if theirs else [])]
        for place, (row, page) in enumerate(zip(rows, pages, strict=True)):
            row += [page.url, round(page.value, 5), *([theirs[place]] if theirs else [])]
        if theirs:
            ours = {page.url for page in pages}
            note.append(f"{len(ours & meant_by(theirs))} of ten in both at {epsilon}")
    return Table(
        f"ranks-{ranked.topic.slug}",
        f"{ranked.topic.start.topic}, by PageRank",
        tuple(columns),
        tuple(map(tuple, rows)),
        note="; ".join(note),
    )


def iteration_table(graphs: Sequence[RankedGraph]) -> Table:
    """How many iterations each epsilon takes, by what becomes of the rank of vertices without links."""
    rows: list[tuple[Cell, ...]] = []
    for ranked in graphs:
        start, graph = ranked.topic.start, ranked.graph
        for epsilon in EPSILONS:
            taken = [pagerank(graph, RankRules(epsilon=epsilon, dangling=rule)).iterations for rule in Dangling]
            published = start.published.iterations.get(epsilon) if start.published else None
            without = len(graph.dangling)
            rows.append((ranked.topic.world.name, start.topic, graph.vertices, without, epsilon, *taken, published))
    return Table(
        "iterations",
        "Iterations (Tables 1 and 3)",
        ("world", "topic", "vertices", "without links", "epsilon", *(f"rank {rule}" for rule in Dangling), "published"),
        tuple(rows),
        note="The rank of a vertex without links restarts anywhere (which is ours), stays there, or is lost: the "
        "document does not say which. All begin with equal ranks, at a damping of 0.85.",
    )


def overlap_table(graphs: Sequence[RankedGraph]) -> Table:
    """Table 2: what the hundred vertices with the most links in, with the most links out and of highest rank share."""
    pairs = list(combinations("ABC", 2))
    rows: list[tuple[Cell, ...]] = []
    for ranked in graphs:
        start, graph = ranked.topic.start, ranked.graph
        for epsilon in EPSILONS:
            lists = _lists(graph, epsilon)
            rows.append(
                (
                    ranked.topic.world.name,
                    start.topic,
                    graph.vertices,
                    graph.edges,
                    epsilon,
                    *(jaccard(lists[one], lists[other]) for one, other in pairs),
                    *(OVERLAPS[pair] if start.published is TENNIS else None for pair in pairs),
                )
            )
    named = [f"{one} and {other}" for one, other in pairs]
    return Table(
        "overlaps",
        "Lists of a hundred (Table 2)",
        (
            "world", "topic", "vertices", "edges", "epsilon", *named, *(f"published {name}" for name in named),
        ),
        tuple(rows),
        note="Jaccard similarity of the first hundred by links in (A), links out (B) and PageRank (C); published are "
        "the same figures for both epsilons. The document does not say how many vertices its graph had: 144 at least, "
        "for two lists of a hundred to have 0.389 in common, and 153 for 0.307.",
    )  # fmt: skip


def _lists(graph: LinkGraph, epsilon: float) -> dict[str, list[str]]:
    ranks = pagerank(graph, RankRules(epsilon=epsilon)).values
    figures = {"A": graph.in_degrees, "B": graph.out_degrees, "C": ranks}
    return {name: [page.url for page in top(graph, values, LARGEST)] for name, values in figures.items()}
