"""The link graph as a list of edges, the file that WikiCrawler writes: read, and written from a graph or a run.

    100
    /wiki/Tennis /wiki/Racket
    /wiki/Tennis /wiki/Wimbledon

The first line is the number of vertices, each further line an edge: source, blank, target. A vertex is any run of UTF-8
without blanks and control characters; vertices without edges are only counted, so there may be fewer names than
vertices, but never more. Written files have no edge twice and none from a vertex to itself; when read, repeated edges
count once and self-loops are left out, as in `LinkGraph.of`. Blank lines, tabs and Windows line ends are accepted.
Anything else is a GraphError that names the line.

A run's vertices are written as URLs, and for a wiki crawled under the wikipedia profile as paths, `/wiki/Title`. Files
are read in blocks: in memory are the names, 8 bytes an edge, and one block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from honeyguide.errors import GraphError
from honeyguide.runs.exports.rows import EdgesWritten, ExportFormat
from honeyguide.runs.graph import MOST_VERTICES, LinkGraph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from numpy.typing import NDArray

    from honeyguide.model import Url
    from honeyguide.runs.discovered_graph import DiscoveredGraph
    from honeyguide.runs.exports.rows import ExportOptions, OnProgress
    from honeyguide.runs.run import Run

BLOCK_BYTES: Final = 1 << 18  # names of a block fit into a processor's cache: larger ones are slower
EDGES_AT_ONCE: Final = 4096
LONGEST_LINE_BYTES: Final = 1 << 16
_SHOWN: Final = 60
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_NOT_IN_NAMES: Final = re.compile(r"[\x00-\x20\x7f-\x9f]")
_SPACE: Final = 0x20
_NEWLINE: Final = 0x0A
_NO_NUMBER: Final = -1  # stands for a name that is new


def read_edge_file(path: Path | str) -> LinkGraph:
    """Read a file of edges; vertices are numbered in the order in which edges name them. GraphError if it is none."""
    return _EdgeReader(Path(path)).graph()


def write_edge_file(graph: LinkGraph, out: TextIO) -> None:
    """Write a graph, its edges by source and then by target. GraphError for a name that the format cannot hold."""
    for name in graph.names:
        if not _is_name(name):
            raise GraphError(
                f"the vertex {_shown(name.encode())} cannot be written; names have no blanks and no control characters"
            )
    sources, targets = graph.edge_arrays()
    if len(sources) and max(int(sources.max()), int(targets.max())) >= len(graph.names):
        raise GraphError("a vertex with edges has no name and cannot be written; give it one")
    out.write(f"{graph.vertices}\n")
    for start in range(0, len(sources), EDGES_AT_ONCE):
        block = slice(start, start + EDGES_AT_ONCE)
        out.writelines(
            f"{graph.names[source]} {graph.names[target]}\n"
            for source, target in zip(sources[block].tolist(), targets[block].tolist(), strict=True)
        )


@dataclass(frozen=True, slots=True)
class _Block:
    """Whole lines of a file, and the number of the first."""

    text: bytes
    first_line: int

    def lines(self) -> Iterator[tuple[int, bytes]]:
        return enumerate(self.text.split(b"\n"), self.first_line)

    def line_of(self, name: bytes) -> int:
        """Return the first line that has this name."""
        return next(number for number, line in self.lines() if name in line.split())


class _EdgeReader:
    """Reads a file of edges once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number_by_name: dict[bytes, int] = {}
        self._names: list[str] = []
        self._numbers: list[NDArray[np.int32]] = []

    def graph(self) -> LinkGraph:
        with self._path.open("rb") as file:
            count = self._vertex_count(file.readline(LONGEST_LINE_BYTES))
            for block in self._blocks(file):
                self._take(block, count)
        edges = np.concatenate(self._numbers) if self._numbers else np.empty(0, dtype=np.int32)
        self._numbers = []
        return LinkGraph.of(edges[::2], edges[1::2], count, tuple(self._names))

    def _vertex_count(self, line: bytes) -> int:
        digits = line.removeprefix(_BYTE_ORDER_MARK).strip()
        if not (digits.isascii() and digits.isdigit() and len(digits) < 19):
            raise self._error(1, f"is {_shown(digits)}, not the number of vertices")
        count = int(digits)
        if count > MOST_VERTICES:
            raise self._error(1, f"has {count:,} vertices, and at most {MOST_VERTICES:,} fit here")
        return count

    def _blocks(self, file: BinaryIO) -> Iterator[_Block]:
        """Yield the rest of the file, cut after line ends."""
        rest, line = b"", 2
        while read := file.read(BLOCK_BYTES):
            cut = read.rfind(b"\n") + 1
            if not cut and len(rest) + len(read) > LONGEST_LINE_BYTES:
                raise self._error(line, f"has more than {LONGEST_LINE_BYTES:,} bytes")
            if cut:
                text = rest + read[:cut]
                yield _Block(text, line)
                line += text.count(b"\n")
                rest = b""
            rest += read[cut:]
        if rest.strip():
            yield _Block(rest + b"\n", line)

    def _take(self, block: _Block, count: int) -> None:
        names = block.text.split()
        if not _has_two_names_a_line(block.text):
            self._check_lines(block)
        known = self._number_by_name
        numbers = np.fromiter(map(known.get, names, repeat(_NO_NUMBER)), dtype=np.int32, count=len(names))
        for place in np.flatnonzero(numbers == _NO_NUMBER).tolist():
            name = names[place]
            if name not in known:
                self._add_name(name, block, count)
            numbers[place] = known[name]
        self._numbers.append(numbers)

    def _add_name(self, name: bytes, block: _Block, count: int) -> None:
        """Number a name that occurs in this block for the first time."""
        number = len(self._names)
        try:
            text = name.decode()
        except UnicodeDecodeError:
            raise self._error(block.line_of(name), f"names {_shown(name)}, which is not UTF-8") from None
        if not _is_name(text):
            raise self._error(block.line_of(name), f"names {_shown(name)}, which has control characters")
        if number == count:
            wrong = f"names {_shown(name)}, vertex {number + 1:,}, and line 1 says that there are {count:,}"
            raise self._error(block.line_of(name), wrong)
        self._number_by_name[name] = number
        self._names.append(text)

    def _check_lines(self, block: _Block) -> None:
        for number, line in block.lines():
            if len(line.split()) not in (0, 2):
                raise self._error(number, f"is {_shown(line)}, not an edge: two names with a blank between")

    def _error(self, line: int, what: str) -> GraphError:
        return GraphError(
            f"{self._path}: line {line:,} {what}; the first line is the number of vertices, every other one an edge"
        )


def _has_two_names_a_line(text: bytes) -> bool:
    """Say whether every line is a name, one space, a name; False also for lines that are only unusual."""
    letters = np.frombuffer(text, dtype=np.uint8)
    marks = np.flatnonzero(letters <= _SPACE)
    if len(marks) % 2 or not len(marks):
        return False
    kinds = letters[marks]
    is_usual = (kinds[::2] == _SPACE).all() and (kinds[1::2] == _NEWLINE).all()
    return bool(is_usual and marks[0] > 0 and (np.diff(marks) > 1).all())


def _is_name(name: str) -> bool:
    return bool(name) and _NOT_IN_NAMES.search(name) is None


def _shown(text: bytes) -> str:
    """Return text for an error message: short, and without control characters."""
    cut = text[:_SHOWN].decode("utf-8", "backslashreplace")
    return repr(cut) + ("…" if len(text) > _SHOWN else "")


def write_edges(run: Run, out: TextIO, _: ExportOptions, on_progress: OnProgress) -> EdgesWritten:
    """Write the graph over all pages that a run has discovered."""
    edges = 0
    with run.at_one_moment():
        pages, graph = run.progress.pages, run.discovered_graph()
        name = _path if _are_articles_of_one_wiki(run, graph) else str
        out.write(f"{graph.vertex_count}\n")
        for done, (source, successors) in enumerate(graph.edges(), 1):
            out.writelines(f"{name(source)} {name(target)}\n" for target in successors)
            edges += len(successors)
            on_progress(done, pages)
    return EdgesWritten(graph.vertex_count, edges)


def _path(url: Url) -> str:
    return url.path_and_query


def _are_articles_of_one_wiki(run: Run, graph: DiscoveredGraph) -> bool:
    if run.settings.crawl.profile != "wikipedia":
        return False
    origin = ""
    for vertex in graph.vertices():
        origin = origin or vertex.origin
        if not vertex.text.startswith(f"{origin}/"):
            return False
    return True


EDGES: Final = ExportFormat("edges", write_edges, needs_all_pages=True)
