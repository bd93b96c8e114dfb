"""What a crawl has found: relevant pages as cards, and a map of the links between the best of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from honeyguide.runs.report.drawing import lay_out
from honeyguide.runs.report.gathering import MAP_CANDIDATES, TopicMap, topic_map
from honeyguide.web.views import View

if TYPE_CHECKING:
    from honeyguide.runs.report.drawing import Places
    from honeyguide.web.views import Reading

NEWEST: Final = 6
BEST: Final = 12
MAP_PAGES: Final = 250
MAP_LINKS: Final = 1500


@dataclass(frozen=True, slots=True)
class PathStep:
    """A page on the way to another."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class SnippetPiece:
    """A piece of a snippet, and whether it is a word of the topic."""

    text: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A relevant page, with the part about the topic and the way to it."""

    url: str
    host: str
    title: str
    step: int  # the fetch that brought it
    relevance: float  # the judge's probability, by its newest judgement
    depth: int  # clicks from a seed
    snippet: tuple[SnippetPiece, ...]  # empty where no body is stored
    path: tuple[PathStep, ...]  # from a seed to the page before it


@dataclass(frozen=True, slots=True)
class Finds:
    """Relevant pages: the newest, and the best."""

    newest: tuple[FoundPage, ...]
    best: tuple[FoundPage, ...]
    relevant: int  # in all


def gather_finds(reading: Reading) -> Finds:
    """Read the newest and the best relevant pages of a run."""
    newest, best = reading.sums.newest(NEWEST), reading.sums.best(BEST)
    found = found_pages(reading, [*newest, *best])
    by_step = {page.step: page for page in found}
    return Finds(
        tuple(by_step[step] for step in newest if step in by_step),
        tuple(by_step[step] for step in best if step in by_step),
        reading.card.relevant,
    )


def found_pages(reading: Reading, steps: list[int]) -> list[FoundPage]:
    """Read the pages that some fetches brought, as cards show them; each once."""
    run = reading.run
    pages = list(run.crawled_pages().at_steps(dict.fromkeys(steps)))
    snippets = reading.snippets.of(run, pages)
    return [
        FoundPage(
            url=page.url.text,
            host=page.url.host,
            title=page.title,
            step=page.step,
            relevance=page.relevance,
            depth=page.depth,
            snippet=tuple(SnippetPiece(*piece) for piece in snippet.pieces()) if snippet else (),
            path=tuple(PathStep(url.text, title) for url, title in run.path_to(page)),
        )
        for page, snippet in zip(pages, snippets, strict=True)
    ]


def gather_map(reading: Reading) -> TopicMap:
    """Choose the pages of the map as the report does, only more of them."""
    relevant, sums = reading.run.crawled_pages(relevant_only=True), reading.sums
    best = relevant.at_steps(sums.best(MAP_CANDIDATES))
    return topic_map(relevant, best, sums.relevant, MAP_PAGES, MAP_LINKS)


def map_places(reading: Reading, found: TopicMap) -> Places:
    """Place the pages of a map; those that were on the last one stay about where they were."""
    pages = tuple(page.url for page in found.pages)
    known, old_links, places = reading.memory.get("map", ((), (), None))
    if places is None or (known, old_links) != (pages, found.links):
        room = min(0.05, 0.5 / max(1, len(pages)) ** 0.5)
        begin = None
        if places is not None:
            at = dict(zip(known, places, strict=True))
            begin = np.array([at.get(url, (np.nan, np.nan)) for url in pages]).reshape(-1, 2)
        places = lay_out([page.host for page in found.pages], found.links, room, begin)
        reading.memory["map"] = pages, found.links, places
    return cast("Places", places)


FINDS: Final = View("finds", Finds, gather_finds, "finds.html", every_s=1, title="Found")
MAP: Final = View("map", TopicMap, gather_map, "live_map.html", every_s=10, title="Map")
