"""The topics and lists of the WikiCrawler document, as printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SOURCE: Final = "*WikiCrawler*: a topic-sensitive crawler with a weighted queue, and page ranks of what it finds."
TITLE: Final = "WikiCrawler: graphs of a hundred pages about a topic"
VERTICES: Final = 100
"""`max` of our graphs: the one that the document names, for its Table 3 and in an example. It gives none for tennis."""

PRINTED_FOR: Final = {"/wiki/Tenni": "/wiki/Tennis"}
"""Misprints of Table 1, and the vertices that they stand for."""

LARGEST: Final = 100
"""The lists compared in Table 2 have so many vertices; how many the graph had is not said."""

JACCARD_IN_OUT: Final = 0.389
"""Table 2, A and B: the vertices with the most links in, and those with the most links out."""


@dataclass(frozen=True, slots=True)
class PublishedTopic:
    """A topic with its words, where the crawl began, and the lists that were printed of its graph."""

    name: str
    seed_title: str
    keywords: tuple[str, ...]
    substitutes: tuple[str, ...]  # ours: articles to begin with where a wiki lacks the seed, the nearest first
    most_linked_to: tuple[str, ...] = ()
    most_links: tuple[str, ...] = ()
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
)
POP_MUSIC: Final = PublishedTopic(
    name="pop music",
    seed_title="Pop music",
    keywords=(
        "album", "formula", "funk", "gospel music", "hit", "pop song", "rapper", "single", "soul music", "verse",
    ),
    substitutes=("Popular music", "Rock music", "Blues", "Country music"),
    vertices=VERTICES,
)  # fmt: skip
PHYSICS: Final = PublishedTopic(
    name="physics",
    seed_title="Physics",
    keywords=("system", "mass", "velocity", "collision", "speed", "inertia", "kinetic energy", "momentum"),
    substitutes=("Classical mechanics", "Isaac Newton", "Energy"),
    vertices=VERTICES,
)
TOPICS: Final = (TENNIS, POP_MUSIC, PHYSICS)
