"""How good is the learned judge, with the name of a topic alone, with examples, and with answers?

Run `python benchmarks/judge_quality.py WIKI_WORLD [--categories 60] [--vectors english|wordllama|FILE] [--json]`. The
largest categories of a wiki world are topics, told by their names. All articles are ranked by the judge; average
precision says how many of the category's stand in front. Even and odd topics are also given apart. Then:

- two articles of the category as examples to be like, in `DRAWS` draws, those two left out of the ranking;
- answers, for every second topic: `SEEN` random articles stand for the pages of a run. The category answers questions
  about them, `BATCH` at a time, chosen by the rule, by the greatest relevance, or at random; all other articles are
  ranked. Also with all answers yes, all no, and three answers of ten wrong;
- reliability: of all articles given a probability in a range, the share that is in the category.

The judge's weights were fitted on halves of these topics; figures of a fit on the other half were 0.33 by name and 0.44
with two examples.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from honeyguide.judge import LearnedJudge, next_questions
from honeyguide.judge.topic_terms import TopicTerms
from honeyguide.model import Fetched, Page, Topic
from honeyguide.parse import parse
from honeyguide.text import WordVectors, main_text, open_vectors, words_of
from honeyguide.topic.presets import subject_texts
from honeyguide.worlds.wiki import WikiWorld
from topic_vectors import average_precision

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Answer = Callable[[bool, int], bool]

DRAWS = 3  # of examples, for each category
SEEN = 2500  # articles that questions may be asked about
ASKED = (5, 10, 20, 40)
BATCH = 5  # questions between two lessons
RANGES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
ANSWERS: dict[str, Answer] = {
    "true answers": lambda truth, _: truth,
    "all yes": lambda _, __: True,
    "all no": lambda _, __: False,
    "three of ten wrong": lambda truth, number: truth != (number % 10 in (2, 5, 8)),
}


def read(world: WikiWorld) -> list[Page]:
    pages = []
    for url in world.urls():
        outcome = world.answer(url).outcome
        assert isinstance(outcome, Fetched)
        pages.append(parse(url, outcome))
    return pages


class Measured:
    """Figures by what the judge was told, over topics."""

    def __init__(self, pages: list[Page], vectors: WordVectors) -> None:
        self._pages = pages
        self._vectors = vectors
        self._background = subject_texts()
        no_words = self.judge(Topic(""))
        self._vectors_of_pages = np.array([no_words.describe(page) for page in pages])
        self._chance = np.random.default_rng(3)
        self.precisions = defaultdict[str, list[float]](list)
        self.counts = np.zeros((len(RANGES) - 1, 3))  # pages, sum of probabilities, on topic
        self.refit_s: list[float] = []

    def judge(self, topic: Topic) -> LearnedJudge:
        return LearnedJudge(topic, self._vectors, self._background)

    def add(self, name: str, members: NDArray[np.int64], *, is_asked: bool) -> None:
        wanted = np.zeros(len(self._pages), dtype=np.bool_)
        wanted[members] = True
        judge, terms = self.judge(Topic(name)), TopicTerms(Topic(name))
        counted = [terms.measure(words_of(page.title), page.main_words) for page in self._pages]
        rows = np.hstack([np.array(counted), self._vectors_of_pages]).astype(np.float16)
        said = judge.relevances(rows)
        self.precisions["name"].append(average_precision(said, wanted))
        places = np.clip(np.digitize(said, RANGES) - 1, 0, len(RANGES) - 2)
        for column, values in enumerate((np.ones(len(said)), said, wanted)):
            self.counts[:, column] += np.bincount(places, weights=values, minlength=len(RANGES) - 1)
        for _ in range(DRAWS):
            like = self._chance.choice(members, 2, replace=False)
            texts = tuple(main_text(self._pages[place]) for place in like)
            others = np.delete(np.arange(len(rows)), like)
            shown = self.judge(Topic(name, like=texts)).relevances(rows[others])
            self.precisions["name, 2 examples"].append(average_precision(shown, wanted[others]))
        if is_asked:
            self._ask(name, rows, wanted)

    def _ask(self, name: str, rows: NDArray[np.float16], wanted: NDArray[np.bool_]) -> None:
        seen = self._chance.permutation(len(rows))[: min(SEEN, len(rows) // 2)]
        others = np.setdiff1d(np.arange(len(rows)), seen)
        if not wanted[others].any():
            return
        first = self.judge(Topic(name))
        self.precisions["articles not asked about: no answers"].append(
            average_precision(first.relevances(rows[others]), wanted[others])
        )
        ways = [("rule", said) for said in ANSWERS] + [("likeliest", "true answers"), ("random", "true answers")]
        for way, kind in ways:
            judge, answers = self.judge(Topic(name)), list[tuple[int, bool]]()
            for asked in range(0, max(ASKED), BATCH):
                places = self._questions(way, judge, rows[seen], answers)
                for number, place in enumerate(places, asked):
                    answers.append((place, ANSWERS[kind](bool(wanted[seen[place]]), number)))
                started = time.process_time()
                judge.teach(rows[seen], answers)
                self.refit_s.append(time.process_time() - started)
                if asked + BATCH in ASKED:
                    self.precisions[f"articles not asked about: {asked + BATCH:2} by {way}, {kind}"].append(
                        average_precision(judge.relevances(rows[others]), wanted[others])
                    )

    def _questions(
        self, way: str, judge: LearnedJudge, rows: NDArray[np.float16], answers: list[tuple[int, bool]]
    ) -> list[int]:
        done = [place for place, _ in answers]
        if way == "rule":
            return next_questions(judge, rows, answers, count=BATCH)
        if way == "random":
            places: list[int] = self._chance.choice(
                np.setdiff1d(np.arange(len(rows)), done), BATCH, replace=False
            ).tolist()
            return places
        said = judge.relevances(rows)
        said[done] = -1.0
        likeliest: list[int] = np.argsort(-said, kind="stable")[:BATCH].tolist()
        return likeliest

    def results(self) -> dict[str, Any]:
        return {
            "average_precision": {
                way: {"all": float(np.mean(found)), "topics": len(found)} for way, found in self.precisions.items()
            },
            "name_by_half": [float(np.mean(self.precisions["name"][half::2])) for half in (0, 1)],
            "reliability": [
                {"from": low, "to": high, "pages": int(count), "said": total / count, "on_topic": hits / count}
                for low, high, (count, total, hits) in zip(RANGES, RANGES[1:], self.counts.tolist(), strict=False)
                if count
            ],
            "refit_ms": 1000 * float(np.mean(self.refit_s)),
        }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("world")
    arguments.add_argument("--categories", type=int, default=60)
    arguments.add_argument("--vectors", default="english")
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    vectors = WordVectors(open_vectors(options.vectors, Path("vectors-cache")))
    with WikiWorld(options.world) as world:
        measured = Measured(read(world), vectors)
        names = [name for name, pages in world.categories() if pages >= 12 and not any(map(str.isdigit, name))]
        for number, name in enumerate(names[: options.categories]):
            measured.add(name, np.array(world.pages_labelled([name])), is_asked=number % 2 == 1)
    results = measured.results()
    if options.json:
        print(json.dumps(results, indent=2))
        return
    print("average precision")
    for way, found in results["average_precision"].items():
        print(f"  {found['all']:.3f}  {way}")
    print(f"name, even and odd topics: {results['name_by_half'][0]:.3f} {results['name_by_half'][1]:.3f}")
    print("probability  pages  mean said  share on topic")
    for row in results["reliability"]:
        print(f"{row['from']:4.2f}-{row['to']:4.2f}{row['pages']:9,}{row['said']:9.3f}{row['on_topic']:9.3f}")
    print(f"refit {results['refit_ms']:.1f} ms of processor time")


if __name__ == "__main__":
    main()
