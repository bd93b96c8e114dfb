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


TENNIS: Final = PublishedTopic(
    name="tennis",
    seed_title="Tennis",
    keywords=("tennis", "grand slam", "french open", "australian open", "wimbledon", "US open", "masters"),
    substitutes=(
        "Grand Slam (tennis)",
        "The Championships, Wimbledon",
        "Australian Open",
        "French Open",
        "Rod Laver",
        "Andre Agassi",
    ),
    most_linked_to=(
        "/wiki/Australia",
        "/wiki/Grand_Slam_(tennis)",
        "/wiki/United_Kingdom",
        "/wiki/France",
        "/wiki/Spain",
        "/wiki/Tenni",
        "/wiki/South_Africa",
        "/wiki/The_Championships,_Wimbledon",
        "/wiki/Switzerland",
        "/wiki/Australian_Open",
    ),
    most_links=(
        "/wiki/The_Championships,_Wimbledon",
        "/wiki/Grand_Slam_in_tennis",
        "/wiki/Career_Golden_Slam",
        "/wiki/Grand_Slam_(tennis)",
        "/wiki/List_of_Wimbledon_gentlemen%27s_singles_champions",
        "/wiki/French_Open",
        "/wiki/Rod_Laver",
        "/wiki/List_of_Grand_Slam_related_tennis_records",
        "/wiki/Roger_Federer",
        "/wiki/Rafael_Nadal",
    ),
    most_ranked={
        0.01: (
            "/wiki/France",
            "/wiki/United_Kingdom",
            "/wiki/Grand_Slam_(tennis)",
            "/wiki/Spain",
            "/wiki/Australia",
            "/wiki/Switzerland",
            "/wiki/Tennis",
            "/wiki/Czech_Republic",
            "/wiki/Romania",
            "/wiki/Serbia",
        ),
        0.005: (
            "/wiki/France",
            "/wiki/United_Kingdom",
            "/wiki/Spain",
            "/wiki/Grand_Slam_(tennis)",
            "/wiki/Australia",
            "/wiki/Switzerland",
            "/wiki/Tennis",
            "/wiki/Czech_Republic",
            "/wiki/Romania",
            "/wiki/Serbia",
        ),
    },
    iterations={0.01: 6, 0.005: 8},
)
POP_MUSIC: Final = PublishedTopic(
    name="pop music",
    seed_title="Pop music",
    keywords=(
        "album", "formula", "funk", "gospel music", "hit", "pop song", "rapper", "single", "soul music", "verse",
    ),
    substitutes=("Popular music", "Rock music", "Blues", "Country music"),
    most_ranked={
        0.01: (
            "/wiki/International_Standard_Book_Number",
            "/wiki/Internet_Archive",
            "/wiki/Jazz",
            "/wiki/Popular_music",
            "/wiki/Public_domain_music",
            "/wiki/Rock_music",
            "/wiki/The_Beatles",
            "/wiki/Pop_music",
            "/wiki/Blues",
            "/wiki/Country_music",
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
        0.01: (
            "/wiki/Isaac_Newton",
            "/wiki/Ancient_Greek",
            "/wiki/Galileo_Galilei",
            "/wiki/Physics",
            "/wiki/Universe",
            "/wiki/Scientific_revolution",
            "/wiki/Homer",
            "/wiki/Astronomy",
            "/wiki/Thales",
            "/wiki/Democritus",
        )
    },
    iterations={0.01: 6},
    vertices=VERTICES,
)
TOPICS: Final = (TENNIS, POP_MUSIC, PHYSICS)


def meant_by(printed: Sequence[str]) -> set[str]:
    """The vertices of a printed list, misprints put right."""
    return {PRINTED_FOR.get(vertex, vertex) for vertex in printed}
