"""PageRank by one of several programs: `python ranks.py NAME EDGES.npz EPSILON RANKS.npy`.

Prints one JSON object: seconds from arrays in memory to ranks, graph and ranks apart; or that the program is missing.
The time to load the program and the arrays is not counted.
"""

# ruff: noqa: PLC0415 - a program is loaded if it is the one to be measured

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

NAME, EDGES, EPSILON, RANKS = sys.argv[1:]
DAMPING = 0.85


def networkx(sources: Any, targets: Any, vertices: int, epsilon: float) -> tuple[Any, float]:
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    made = time.perf_counter()
    # It stops at a change of tol for each vertex, on average.
    ranks = nx.pagerank(graph, alpha=DAMPING, tol=epsilon / vertices, max_iter=1000)
    return np.array([ranks[vertex] for vertex in range(vertices)]), made


def igraph(sources: Any, targets: Any, vertices: int, _epsilon: float) -> tuple[Any, float]:
    from igraph import Graph

    graph = Graph(n=vertices, edges=np.column_stack((sources, targets)), directed=True)
    made = time.perf_counter()
    return np.array(graph.pagerank(damping=DAMPING)), made  # PRPACK, which has an accuracy of its own


def scikit_network(sources: Any, targets: Any, vertices: int, epsilon: float) -> tuple[Any, float]:
    from scipy.sparse import csr_matrix
    from sknetwork.ranking import PageRank

    marks = np.ones(len(sources), dtype=np.bool_)
    matrix = csr_matrix((marks, (sources, targets)), shape=(vertices, vertices))
    made = time.perf_counter()
    return PageRank(DAMPING, solver="piteration", n_iter=1000, tol=epsilon).fit_predict(matrix), made


def main() -> None:
    modules = {"networkx": "networkx", "igraph": "igraph", "scikit-network": "sknetwork.ranking"}
    try:
        __import__(modules[NAME])
        __import__("scipy.sparse")
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    with np.load(EDGES) as edges:
        sources, targets, vertices = edges["sources"], edges["targets"], int(edges["vertices"])
    program = {"networkx": networkx, "igraph": igraph, "scikit-network": scikit_network}[NAME]
    begun = time.perf_counter()
    ranks, made = program(sources, targets, vertices, float(EPSILON))
    ended = time.perf_counter()
    np.save(RANKS, ranks)
    print(json.dumps({"graph_s": made - begun, "ranks_s": ended - made}))


main()
