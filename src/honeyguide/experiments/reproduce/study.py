"""The seam between the frame and a paper: what a paper is told, and what it must be able to say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from honeyguide.experiments.reproduce.report import Report
    from honeyguide.experiments.run import Task


@dataclass(frozen=True, slots=True)
class StudiedWorld:
    """A world that a paper is reproduced on."""

    number: int  # from 1, in the order given
    name: str  # as in `wiki:PATH`

    @property
    def kind(self) -> str:
        return self.name.partition(":")[0]

    @property
    def slug(self) -> str:
        """A name for files and folders, which no two worlds of a study share."""
        last = PurePath(self.name.partition(":")[2]).name if self.kind == "wiki" else ""
        parts = (str(self.number), self.kind, re.sub(r"[^A-Za-z0-9]+", "-", last)[:30].strip("-"))
        return "-".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Study:
    """What a paper is reproduced on, and where the crawls are kept."""

    folder: Path
    worlds: tuple[StudiedWorld, ...]
    seed: int = 0
    is_quick: bool = False  # smaller in everything, to see whether it works

    def run_folder(self, world: StudiedWorld, name: str) -> Path:
        return self.folder / "runs" / world.slug / name

    @property
    def has_wiki(self) -> bool:
        return any(world.kind == "wiki" for world in self.worlds)


class Reproduction(Protocol):
    """A paper set up on the worlds of a study."""

    @property
    def tasks(self) -> Sequence[Task]:
        """Every crawl that the report needs."""
        ...

    def report(self) -> Report:
        """What came of it; asked once all crawls are made."""
        ...


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper that can be reproduced."""

    name: str
    title: str
    own_world: str  # where nobody names a synthetic web, this one is taken
    quick_world: str
    begin: Callable[[Study], Reproduction]  # raises what is wrong with the worlds, and writes nothing
