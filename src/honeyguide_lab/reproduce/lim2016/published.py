"""The figures of Lim (2016) that ours are set beside, as printed, and the search words that pages are held against.

Lim (7.2.2) took a list of popular search words from a web page that is no longer what it was. This is a list of our
own, of the same kind; the first five are visible in his sample. Names of people are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SOURCE: Final = "Lim Jia Yee, *Reinforcement Learning and the Web Crawling Problem*, 2016."
TITLE: Final = "Lim 2016: reinforcement learning and the web crawling problem"


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One run of his `memory.py` (7.3.1): the links that wait at the end, pages visited, seconds over the network."""

    size: int
    visited: int
    seconds: float


ITERATIONS: Final = (5, 50, 500)
EXPLORATION: Final = {
    "breadth-first": {  # "Size of Queue"
        5: PublishedRun(1205, 5, 65.640972),
        50: PublishedRun(9522, 50, 535.173888),
        500: PublishedRun(68615, 500, 4459.348122),
    },
    "modified-depth-first": {  # "Size of Stack"
        5: PublishedRun(923, 5, 47.394564),
        50: PublishedRun(6096, 50, 411.113517),
        500: PublishedRun(26864, 500, 1881.018762),
    },
}

SIMILAR_FROM: Final = 2 / 3  # 5.2.2 and the breadth-first code of 6.2.1
BETWEEN: Final = (3 / 5, 4 / 5)  # the modified depth-first code of 6.2.2, both excluded

# Keyword, search words, similarity: the sample of 7.3.3, without the names of people.
SIMILARITIES: Final = (
    ("free travel guide", "travel", 0.701035129669),
    ("free textbooks", "used textbooks", 0.777232581809),
    ("free silver", "free", 0.674772488876),
    ("car crash", "car", 0.75632134745),
    ("classical music", "music", 0.866416812575),
)

SEARCH_WORDS: Final = (
    "travel", "used textbooks", "free", "car", "music",
    "classical music", "weather", "news", "maps", "recipes",
    "games", "movies", "books", "jobs", "hotels",
    "cheap flights", "football", "basketball", "health", "fitness",
    "history", "dictionary", "translation", "photography", "video",
    "computers", "mobile phones", "software", "education", "university",
    "science", "mathematics", "elections", "museum", "gardening",
    "pets", "cooking", "shopping", "shoes", "insurance",
    "real estate", "stock market", "climate", "festival", "astronomy",
)  # fmt: skip
