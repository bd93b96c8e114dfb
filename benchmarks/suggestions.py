"""Do suggested categories resemble those that a person chooses?

Run `python benchmarks/suggestions.py [--count N] [--vectors FILE] [--world WIKI_WORLD] [--topics N] [--json]`. For each
topic, told by its name alone, the first categories that `honeyguide topic suggest` proposes are compared with those of
a person: for the six topics of Han et al. (2018) with the authors' own, which nothing was tuned on; for 24 others with
those chosen for tuning the rules. Names are the same when their words have the same stems, so that Disease is Diseases,
and Earth is not Earth science.

The list of subjects was written by people who knew the six topics. So there is a third comparison, in which every
subject and word of the list that has a word of the topic's name in it is taken out before the topic is looked at.

With `--world`, also: do suggested keywords help the learned judge? Every third of the largest categories of a wiki
world is a topic, told by its name and the first 0, 3 and 15 keywords suggested; all articles are ranked.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from honeyguide.judge import LearnedJudge
from honeyguide.model import Topic
from honeyguide.settings import VectorSettings
from honeyguide.text import Stems, WordVectors, open_vectors, words_of
from honeyguide.topic import presets, subjects, suggest
from honeyguide.topic.presets import subject_texts
from honeyguide.worlds.wiki import WikiWorld
from judge_quality import read
from topic_vectors import average_precision

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from honeyguide.text import Vocabulary
    from honeyguide.topic import Subject

STEMS = Stems()
KEYWORDS = (0, 3, 15)
CHOSEN_FOR_TUNING: Mapping[str, tuple[str, ...]] = {
    "Volcanoes": ("Geology", "Earth science", "Science"),
    "Bees": ("Entomology", "Biology", "Agriculture"),
    "Coral reefs": ("Marine biology", "Biology", "Ecology"),
    "Chess": ("Games", "Board games"),
    "Jazz": ("Music", "Arts"),
    "Vaccines": ("Medicine", "Health", "Public health"),
    "Diabetes": ("Diseases", "Medicine", "Health"),
    "Buddhism": ("Religion", "Philosophy"),
    "Sharks": ("Fish", "Marine biology", "Biology", "Zoology"),
    "Steam locomotives": ("Railways", "Transport", "Technology"),
    "Wine": ("Food and drink", "Agriculture"),
    "Human rights": ("Law", "Society"),
    "Programming languages": ("Programming", "Computers"),
    "Football": ("Sports",),
    "Ballet": ("Dance", "Performing arts", "Arts"),
    "Dinosaurs": ("Palaeontology", "Science", "Biology"),
    "Castles": ("Middle Ages", "History", "Architecture"),
    "Solar energy": ("Renewable energy", "Energy", "Technology"),
    "Inflation": ("Economics", "Finance", "Business"),
    "Earthquakes": ("Seismology", "Earth science", "Science"),
    "Gardening": ("Home", "Horticulture", "Botany"),
    "Sculpture": ("Arts", "Visual arts"),
    "Elections": ("Government", "Society", "Political science"),
    "Knitting": ("Crafts", "Arts"),
}


class Row(TypedDict):
    """What was proposed for a topic, what a person chose, and what of the latter is among the former."""

    proposed: list[str]
    chosen: list[str]
    hits: list[str]


def compared(
    chosen: Mapping[str, tuple[str, ...]], vectors: WordVectors, count: int, *, blind: bool = False
) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for name, categories in chosen.items():
        among = blind_to(name, categories) if blind else subjects()
        suggested = suggest(Topic(name), vectors, categories=count, among=among)
        proposed = [suggestion.text for suggestion in suggested.categories]
        known = set(map(stems_of, proposed))
        rows[name] = Row(
            proposed=proposed,
            chosen=list(categories),
            hits=[category for category in categories if stems_of(category) in known],
        )
    return rows


def blind_to(name: str, categories: Sequence[str]) -> list[Subject]:
    """The list of subjects without anything that has a word of the name in it; only the chosen categories stay."""
    taboo = set(stems_of(name))
    kept = {stems_of(category) for category in categories}
    return [
        replace(subject, words=tuple(word for word in subject.words if not taboo & set(stems_of(word))))
        for subject in subjects()
        if stems_of(subject.name) in kept or not taboo & set(stems_of(subject.name))
    ]


def ranked(place: str, vectors: WordVectors, vocabulary: Vocabulary, topics: int) -> dict[int, float]:
    """Return the mean average precision by number of suggested keywords."""
    precisions: dict[int, list[float]] = {count: [] for count in KEYWORDS}
    with WikiWorld(place) as world:
        named = [name for name, pages in world.categories() if pages >= 12 and not any(map(str.isdigit, name))]
        pages = list(read(world))
        for name in named[: 3 * topics : 3]:
            wanted = np.isin(np.arange(len(pages)), world.pages_labelled([name]))
            found = suggest(Topic(name), vectors, vocabulary=vocabulary, keywords=max(KEYWORDS)).keywords
            for count in KEYWORDS:
                topic = Topic(name, tuple(keyword.text for keyword in found[:count]))
                judge = LearnedJudge(topic, vectors, subject_texts())
                said = judge.relevances(np.array([judge.describe(page) for page in pages]))
                precisions[count].append(average_precision(said, wanted))
    return {count: float(np.mean(found)) for count, found in precisions.items()}


def stems_of(text: str) -> tuple[str, ...]:
    return tuple(STEMS.of(words_of(text)))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--count", type=int, default=5, help="categories proposed for each topic")
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--vectors", default=VectorSettings().source, help="as in vectors.source")
    arguments.add_argument("--world", help="a folder made by honeyguide wiki build")
    arguments.add_argument("--topics", type=int, default=20, help="categories of that world")
    options = arguments.parse_args()
    source = open_vectors(options.vectors, VectorSettings().cache_path)
    vectors = WordVectors(source)
    paper = {preset.topic.name: preset.topic.categories for preset in presets().values()}
    results = {
        "the paper's topics": compared(paper, vectors, options.count),
        "topics of the tuning": compared(CHOSEN_FOR_TUNING, vectors, options.count),
        "the paper's topics, without their words in the list": compared(paper, vectors, options.count, blind=True),
        "topics of the tuning, without their words in the list": compared(
            CHOSEN_FOR_TUNING, vectors, options.count, blind=True
        ),
    }
    precisions = ranked(options.world, vectors, source, options.topics) if options.world else None
    if options.json:
        print(json.dumps({**results, "average precision by keywords": precisions}, indent=2))
        return
    if precisions:
        print("average precision by keywords:", ", ".join(f"{count}: {mean:.3f}" for count, mean in precisions.items()))
    for title, rows in results.items():
        hits = sum(len(row["hits"]) for row in rows.values())
        total = sum(len(row["chosen"]) for row in rows.values())
        print(f"{title}: {hits} of {total} chosen categories among the first {options.count} proposed")
        for name, row in rows.items():
            print(f"  {name:22} {len(row['hits'])}/{len(row['chosen'])}  {', '.join(row['proposed'])}")


if __name__ == "__main__":
    main()
