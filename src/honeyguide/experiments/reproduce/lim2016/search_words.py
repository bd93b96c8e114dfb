"""What people look for: the search words that pages are held against.

Lim (7.2.2) took a list of popular search words from a web page that is no longer what it was. This is a list of our
own, of the same kind; the first five are visible in his sample. Names of people are left out.
"""

from __future__ import annotations

from typing import Final

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
