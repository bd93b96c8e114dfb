"""A wiki of a few articles, all of one host, that a reproduction can be tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.worlds.wiki import build_wiki
from worlds.wiki.dumps import Written, write_dump

if TYPE_CHECKING:
    from pathlib import Path

STUBS = 40
PAGES = [
    Written("Racket", "#REDIRECT [[Andre Agassi]]", redirect="Andre Agassi"),
    Written("Andre Agassi", "A player of tennis from [[France]] and [[Spain]]. He won at [[Paris]] and in [[Spain]]."),
    Written("France", "A country near [[Spain]], with [[Paris]] and free [[classical music|music]] and car museums."),
    Written("Spain", "A country near [[France]]. Its [[stub 1]] is a travel guide to free textbooks."),
    Written("Paris", "In [[France]]. See [[Andre Agassi]] and [[stub 2]]. Classical music in the opera."),
    Written("Classical music", "Old [[music of France]] that is [[France|French]] or from [[Paris]], and [[Spain]]."),
    Written("Physics", "The system of [[mass]] and of velocity in [[France]]."),
    Written("Mass", "What [[physics]] weighs, at any speed."),
    *(
        Written(f"Stub {number}", f"It leads to [[stub {number + 1}]], [[stub {number * 2}]] and [[France]].")
        for number in range(1, STUBS + 1)
    ),
]


def build_small_wiki(folder: Path) -> Path:
    """Return the folder of the world, which is built once."""
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "wiki").exists():
        return folder / "wiki"
    build_wiki(write_dump(folder / "dump.xml", PAGES), folder / "wiki")
    return folder / "wiki"
