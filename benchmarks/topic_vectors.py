"""What do examples and suggested keywords do to the ranking of pages by a topic's vector?

Run `python benchmarks/topic_vectors.py WIKI_WORLD [--categories N] [--json]`. The largest categories of a wiki world
are topics, told by their names, with two of their articles as examples, with two near misses besides (drawn from the
articles nearest to name and examples that are not in the category), or with suggested keywords. All other articles
are ranked by the cosine with the topic's vector; average precision says how many of the category's stand in front. The
share of all articles that reach the embedding judge's threshold is given as well.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.judge import EmbeddingJudge
from honeyguide.model import Fetched, Topic
from honeyguide.parse import parse
from honeyguide.text import EnglishVectors, WordVectors, main_text, words_of
from honeyguide.topic import suggest
from honeyguide.worlds.wiki import WikiWorld

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWS = 3  # of examples, for each category
NEAR_MISSES = 60  # to draw two from


def read(world: WikiWorld, vectors: WordVectors) -> tuple[list[str], NDArray[np.float64]]:
    """The main text of every article, and its direction."""
    texts, directions = [], []
    for url in world.urls():
        outcome = world.answer(url).outcome
        assert isinstance(outcome, Fetched)
        texts.append(main_text(parse(url, outcome)))
        vector = vectors.vector(words_of(texts[-1]))
        directions.append(vector / max(float(np.linalg.norm(vector)), 1e-9))
    return texts, np.array(directions)


def average_precision(scores: NDArray[np.float64], wanted: NDArray[np.bool_]) -> float:
    hits = wanted[np.argsort(-scores, kind="stable")]
    found = np.cumsum(hits)
    return float((found[hits] / (np.flatnonzero(hits) + 1)).mean())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("world")
    arguments.add_argument("--categories", type=int, default=60)
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    vectors = WordVectors(EnglishVectors())
    chance = np.random.default_rng(3)
    precisions: dict[str, list[float]] = {}
    reached: dict[str, list[float]] = {}
    with WikiWorld(options.world) as world:
        texts, directions = read(world, vectors)
        names = [name for name, pages in world.categories() if pages >= 12 and not any(map(str.isdigit, name))]
        for name in names[: options.categories]:
            members = np.array(world.pages_labelled([name]))
            wanted = np.zeros(len(texts), dtype=np.bool_)
            wanted[members] = True
            keywords = tuple(keyword.text for keyword in suggest(Topic(name), vectors).keywords)
            for _ in range(DRAWS):
                like = chance.choice(members, 2, replace=False)
                shown = Topic(name, like=tuple(texts[number] for number in like))
                nearest = np.argsort(-(directions @ vectors.topic_vector(shown)), kind="stable")
                misses = chance.choice(nearest[~wanted[nearest]][:NEAR_MISSES], 2, replace=False)
                ranked = np.ones(len(texts), dtype=np.bool_)
                ranked[[*like, *misses]] = False
                topics = {
                    "name": Topic(name),
                    "name, 2 examples": shown,
                    "name, 2 examples, 2 near misses": Topic(name, (), shown.like, tuple(texts[n] for n in misses)),
                    "name, 3 keywords": Topic(name, keywords[:3]),
                    "name, 15 keywords": Topic(name, keywords),
                }
                for way, topic in topics.items():
                    vector = vectors.topic_vector(topic)
                    scores = directions[ranked] @ vector / np.linalg.norm(vector)
                    threshold = EmbeddingJudge(topic, vectors).threshold
                    precisions.setdefault(way, []).append(average_precision(scores, wanted[ranked]))
                    reached.setdefault(way, []).append(float((scores >= threshold).mean()))
    results = {
        way: {"average_precision": float(np.mean(precisions[way])), "reached": float(np.mean(reached[way]))}
        for way in precisions
    }
    if options.json:
        print(json.dumps(results, indent=2))
        return
    print("average precision  share that reaches the threshold")
    for way, result in results.items():
        print(f"{result['average_precision']:17.3f}{result['reached']:10.3f}  {way}")


if __name__ == "__main__":
    main()
