"""How well does an address alone tell a page on topic, by Lim's formula and by the cosine?

Run `python benchmarks/url_features.py WORLD [--topics FILE] [--json]` on a built Wikipedia. Every article's address is
read with each topic of the file in mind; categories, which no page shows, say which articles are on topic. The area
under the curve is the chance that an address on topic is ranked above one that is not, ties counting half.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.learn.url_heuristic import UrlReader
from honeyguide.model import Topic
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.wiki import WikiWorld
from machine import machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOPICS = Path(__file__).parent.parent / "examples" / "wiki_topics.toml"


def area(scores: NDArray[np.float64], is_on_topic: NDArray[np.bool_]) -> float:
    """Area under the ROC curve, from mean ranks."""
    _, which, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[which.reshape(-1)]
    hits = int(is_on_topic.sum())
    return float((ranks[is_on_topic].sum() - hits * (hits + 1) / 2) / (hits * (len(scores) - hits)))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("world", type=Path)
    options.add_argument("--topics", type=Path, default=TOPICS)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    topics = tomllib.loads(chosen.topics.read_text(encoding="utf-8"))["topics"]
    vectors = WordVectors(EnglishVectors())
    rows: dict[str, dict[str, float]] = {}
    with WikiWorld(chosen.world) as world:
        urls = [world.url_of(number) for number in range(world.page_count)]
        for topic in topics:
            pattern = re.compile(topic["labels"].partition(":")[2], re.IGNORECASE)
            labels = np.array([any(map(pattern.search, world.categories_of(url))) for url in urls])
            reader = UrlReader(Topic(topic["name"]), vectors)
            started = time.perf_counter()
            features = reader.read_all(urls)
            rows[topic["name"]] = {
                "on_topic": int(labels.sum()),
                "area_by_lims_formula": area(np.array([one.word_relevance for one in features]), labels),
                "area_by_cosine": area(np.array([one.similarity for one in features]), labels),
                "area_by_score": area(np.array([one.score for one in features]), labels),
                "share_above_0_by_lims_formula": float(np.mean([one.word_relevance > 0 for one in features])),
                "share_predicted_relevant": float(np.mean([one.is_predicted_relevant for one in features])),
                "urls_per_s": len(urls) / (time.perf_counter() - started),
            }
    rows["mean"] = {name: float(np.mean([row[name] for row in rows.values()])) for name in next(iter(rows.values()))}
    if chosen.json:
        print(json.dumps({"machine": machine(), "urls": len(urls), "topics": rows}, indent=2))
        return
    print(machine(), f"{len(urls):,} addresses")
    for name, row in rows.items():
        print(f"{name:12}", "  ".join(f"{what.replace('_', ' ')} {value:.4g}" for what, value in row.items()))


if __name__ == "__main__":
    main()
