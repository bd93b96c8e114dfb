"""What an export came to, for a person to read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from honeyguide.counts import count_of

Progress: TypeAlias = Callable[[int, int], None]
"""Is told now and then how much is done, and of how much."""


@dataclass(frozen=True, slots=True)
class EdgesWritten:
    """What a file of a graph holds."""

    vertices: int
    edges: int

    def __str__(self) -> str:
        return f"{count_of(self.vertices, 'vertex', 'vertices')}, {count_of(self.edges, 'edge')}"


@dataclass(frozen=True, slots=True)
class PagesWritten:
    """What a file or folder of pages holds."""

    pages: int
    without_text: int = 0  # pages whose bodies the run had not kept, so that they have no text here

    def __str__(self) -> str:
        told = count_of(self.pages, "page")
        return f"{told}, {self.without_text:,} of them without text: it was not kept" if self.without_text else told


@dataclass(frozen=True, slots=True)
class RecordsWritten:
    """What a WARC file holds."""

    responses: int
    pages: int  # of these responses

    def __str__(self) -> str:
        return f"{count_of(self.responses, 'response')}, {count_of(self.pages, 'page')} among them"
