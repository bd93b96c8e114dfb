"""The topics and lists of the WikiCrawler document, as printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SOURCE: Final = "*WikiCrawler*: a topic-sensitive crawler with a weighted queue, and page ranks of what it finds."
TITLE: Final = "WikiCrawler: graphs of a hundred pages about a topic"
VERTICES: Final = 100
"""`max` of our graphs: the one that the document names, for its Table 3 and in an example. It gives none for tennis."""

PRINTED_FOR: Final = {"/wiki/Tenni": "/wiki/Tennis"}
"""Misprints of Table 1, and the vertices that they stand for."""

LARGEST: Final = 100
"""The lists compared in Table 2 have so many vertices; how many the graph had is not said."""

TOP: Final = 10
"""The lists of Tables 1 and 3 have so many vertices."""

EPSILONS: Final = (0.01, 0.005)
"""At which the iteration ends; Table 3 has the first only."""

OVERLAPS: Final = {("A", "B"): 0.389, ("A", "C"): 0.724, ("B", "C"): 0.307}
"""Table 2, for either epsilon: Jaccard similarities of the lists by links in (A), links out (B) and page rank (C)."""


@dataclass(frozen=True, slots=True)
class PublishedTopic:
    """A topic with its words, where the crawl began, and the lists that were printed of its graph."""

    name: str
    seed_title: str
    keywords: tuple[str, ...]
    substitutes: tuple[str, ...]  # ours: articles to begin with where a wiki lacks the seed, the nearest first
    most_linked_to: tuple[str, ...] = ()
    most_links: tuple[str, ...] = ()
    most_ranked: Mapping[float, tuple[str, ...]] = field(default_factory=dict)  # by epsilon
    iterations: Mapping[float, int] = field(default_factory=dict)  # by epsilon
    vertices: int | None = None  # of its graph, where the document says how many


def _wiki(names: str) -> tuple[str, ...]:
    return tuple(f"/wiki/{name}" for name in names.split())


TENNIS: Final = PublishedTopic(
    name="tennis",
    seed_title="Tennis",
    keywords=("tennis", "grand slam", "french open", "australian open", "wimbledon", "US open", "masters"),
    substitutes=(
        "Grand Slam (tennis)", "The Championships, Wimbledon", "Australian Open", "French Open", "Rod Laver",
        "Andre Agassi",
    ),
    most_linked_to=_wiki(
        "Australia Grand_Slam_(tennis) United_Kingdom France Spain Tenni South_Africa The_Championships,_Wimbledon "
        "Switzerland Australian_Open"
    ),
    most_links=_wiki(
        "The_Championships,_Wimbledon Grand_Slam_in_tennis Career_Golden_Slam Grand_Slam_(tennis) "
        "List_of_Wimbledon_gentlemen%27s_singles_champions French_Open Rod_Laver "
        "List_of_Grand_Slam_related_tennis_records Roger_Federer Rafael_Nadal"
    ),
    most_ranked={
        0.01: _wiki(
            "France United_Kingdom Grand_Slam_(tennis) Spain Australia Switzerland Tennis Czech_Republic Romania Serbia"
        ),
        0.005: _wiki(
            "France United_Kingdom Spain Grand_Slam_(tennis) Australia Switzerland Tennis Czech_Republic Romania Serbia"
        ),
    },
    iterations={0.01: 6, 0.005: 8},
)  # fmt: skip
POP_MUSIC: Final = PublishedTopic(
    name="pop music",
    seed_title="Pop music",
    keywords=(
        "album", "formula", "funk", "gospel music", "hit", "pop song", "rapper", "single", "soul music", "verse",
    ),
    substitutes=("Popular music", "Rock music", "Blues", "Country music"),
    most_ranked={
        0.01: _wiki(
            "International_Standard_Book_Number Internet_Archive Jazz Popular_music Public_domain_music Rock_music "
            "The_Beatles Pop_music Blues Country_music"
        )
    },
    iterations={0.01: 7},
    vertices=VERTICES,
)  # fmt: skip
PHYSICS: Final = PublishedTopic(
    name="physics",
    seed_title="Physics",
    keywords=("system", "mass", "velocity", "collision", "speed", "inertia", "kinetic energy", "momentum"),
    substitutes=("Classical mechanics", "Isaac Newton", "Energy"),
    most_ranked={
        0.01: _wiki(
            "Isaac_Newton Ancient_Greek Galileo_Galilei Physics Universe Scientific_revolution Homer Astronomy Thales "
            "Democritus"
        )
    },
    iterations={0.01: 6},
    vertices=VERTICES,
)
TOPICS: Final = (TENNIS, POP_MUSIC, PHYSICS)


def meant_by(printed: Sequence[str]) -> set[str]:
    """The vertices of a printed list, misprints put right."""
    return {PRINTED_FOR.get(vertex, vertex) for vertex in printed}
