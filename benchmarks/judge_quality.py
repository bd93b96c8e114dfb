"""How good is the learned judge, with the name of a topic alone, with examples, and with answers?

Run `python benchmarks/judge_quality.py WIKI_WORLD [--categories 60] [--vectors NAME] [--encoder NAME] [--json]`. The
largest categories of a wiki world are topics, told by their names. All articles are ranked by the judge; average
precision says how many of the category's stand in front. The judge's weights are fitted on the even topics for the odd
ones and the other way round, so that no topic is judged by weights that have seen it; `shipped` has the weights of the
program, fitted on all. The other constants of the judge were chosen on the same topics. An encoder reads the articles
once (four minutes of one core) and what it makes of them is kept in `vectors-cache`. Then:

- two articles of the category as examples to be like, in `DRAWS` draws, those two left out of the ranking;
- answers, for every second topic: `SEEN` random articles stand for the pages of a run. The category answers questions
  about them, `BATCH` at a time, chosen by the rule, by the least certainty, or at random; all other articles are
  ranked. Also with all answers yes, all no, and three answers of ten wrong;
- pages seen: the first 300 and 1,000 articles breadth-first from three of the category; all others are ranked by the
  name, with idf from the pages seen over the shipped one, and with the topic's direction turned towards the mean of
  the `BEST` likeliest pages seen (Rocchio);
- reliability: of all articles given a probability in a range, the share that is in the category; by name, with two
  examples, with two of each kind (counterexamples are drawn from the likeliest articles outside the category), and
  after ten answers;
- thresholds: F1 of the articles that reach one, mean over topics.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from dataclasses import replace
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xxhash

from honeyguide.judge import LearnedJudge, next_questions
from honeyguide.judge.learned import SHIPPED, ClueWeights, beginning, fitted_shift
from honeyguide.judge.topic_terms import MOST_TERMS, TopicTerms
from honeyguide.model import Fetched, Page, Topic
from honeyguide.parse import parse
from honeyguide.text import Stems, WordVectors, main_text, open_encoder, open_vectors, unit, words_of
from honeyguide.text.telling import MOST_TELLING, content_words, idf_of_stem, shipped_idf
from honeyguide.topic.presets import subject_texts
from honeyguide.worlds.wiki import WikiWorld
from topic_vectors import average_precision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.text.encoder import TextEncoder
    from honeyguide.worlds.wiki.world import WikiGraph

    Answer = Callable[[bool, int], bool]
    Rows = NDArray[np.float16]
    Truth = NDArray[np.bool_]
    Places = NDArray[np.int64]

DRAWS = 3  # of examples, for each category
SEEN = 2500  # articles that questions may be asked about
ASKED = (5, 10, 20)
BATCH = 5  # questions between two lessons
RANGES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
THRESHOLDS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
LIKELIEST = 40  # articles outside the category, of which counterexamples are drawn
CALIBRATED = ("name", "name, 2 examples", "name, 2 examples of each kind", "others after 10 answers: rule, true")
PAGES_SEEN = (300, 1000)
BEST = 10
ROCCHIO_SHARE = 0.5  # of the best pages' direction beside the topic's
PRIOR_PAGES = 300  # that the shipped idf counts as
WRONG_ANSWERS = 10
TRUE = "true"
ANSWERS: dict[str, Answer] = {
    TRUE: lambda truth, _: truth,
    "all yes": lambda _, __: True,
    "all no": lambda _, __: False,
    "three of ten wrong": lambda truth, number: truth != (number % 10 in (2, 5, 8)),
}


def read(world: WikiWorld) -> Iterator[Page]:
    for url in world.urls():
        outcome = world.answer(url).outcome
        assert isinstance(outcome, Fetched)
        yield parse(url, outcome)


class Articles:
    """All articles, each described once for all topics."""

    def __init__(self, pages: Sequence[Page], vectors: WordVectors, names: Sequence[str]) -> None:
        self.texts = [main_text(page) for page in pages]
        self._vectors = vectors
        self._background = subject_texts()
        no_words = self.judge(Topic(""))
        self.directions = np.array([no_words.describe(page) for page in pages])
        self._said: dict[str, NDArray[np.float16]] = {}  # by stem: text, title, beginning
        words = {stem: word for name in names for stem, word in stems_of(name).items()}
        for first in range(0, len(words), MOST_TERMS):
            some = list(words)[first : first + MOST_TERMS]
            terms = TopicTerms(Topic("", tuple(words[stem] for stem in some)))
            looked_up = (map(vectors.look_up, (tuple(words_of(page.title)), page.main_words)) for page in pages)
            counted = np.array([terms.measure(*rows) for rows in looked_up], np.float16)
            self._said |= zip(some, counted.reshape(len(pages), 3, -1).transpose(2, 1, 0), strict=True)

    def rows(self, name: str) -> Rows:
        """Return the descriptions of all articles by the judge of this topic."""
        said = np.array([self._said[stem] for stem in stems_of(name)])
        return np.hstack([said.transpose(2, 1, 0).reshape(len(self.texts), -1), self.directions])

    def frequency(self, stem: str, places: NDArray[np.int64]) -> int:
        """Count those of the articles that have the stem."""
        return int(np.count_nonzero(self._said[stem][0][places]))

    def judge(self, topic: Topic, weights: ClueWeights = SHIPPED) -> LearnedJudge:
        return LearnedJudge(topic, self._vectors, self._background, weights=weights)


def encode(pages: Sequence[Page], encoder: TextEncoder, cache: Path) -> None:
    """Have the encoder read the beginnings of all articles: once for all runs on the same articles."""
    texts = [beginning(words_of(page.title), page.main_words) for page in pages]
    file = cache / f"beginnings-{xxhash.xxh3_128_hexdigest((encoder.digest + ''.join(texts)).encode())}.npy"
    if not file.exists():
        np.save(file, encoder.encode(texts).astype(np.float32))
    encoder.remember(dict(zip(texts, np.load(file), strict=True)))


def stems_of(name: str) -> dict[str, str]:
    """Return the terms of a topic's name by stem, each with its word."""
    words = content_words(name)
    return dict(zip(Stems("english").of(words), words, strict=True))


def fit(clues: Sequence[NDArray[np.float64]], truths: Sequence[Truth]) -> NDArray[np.float64]:
    features, wanted = np.concatenate(clues), np.concatenate(truths).astype(np.float64)
    return fitted_shift(features, np.zeros(len(features)), wanted, np.ones(len(features)))


class Measured:
    """Figures by what the judge was told, over topics."""

    def __init__(self, articles: Articles, members_by_name: dict[str, NDArray[np.int64]], graph: WikiGraph) -> None:
        self._articles = articles
        self._graph = graph
        self._chance = np.random.default_rng(3)
        self.precisions = defaultdict[str, dict[int, list[float]]](lambda: {0: [], 1: []})  # by half of the topics
        # Pages, sum of probabilities, on topic; by range.
        self.counts = {way: np.zeros((len(RANGES) - 1, 3)) for way in CALIBRATED}
        self.f1 = defaultdict[str, dict[int, list[list[float]]]](lambda: {0: [], 1: []})
        self.refit_s: list[float] = []
        weights = self._fitted_by_half(members_by_name)
        for number, (name, members) in enumerate(members_by_name.items()):
            self._add(number, name, members, weights[1 - number % 2])

    def _fitted_by_half(self, members_by_name: dict[str, NDArray[np.int64]]) -> list[ClueWeights]:
        by_name, by_likeness, truths = [], [], []
        for name, members in members_by_name.items():
            judge, rows = self._articles.judge(Topic(name)), self._articles.rows(name)
            like = self._chance.choice(members, 2, replace=False)
            likeness = unit(self._articles.directions[like].astype(np.float64).mean(axis=0))
            truth = np.isin(np.arange(len(rows)), members)
            by_name.append(judge.clues(rows))
            by_likeness.append(judge.clues(rows, likeness))
            by_likeness[-1][like] = 0.0  # they would vouch for themselves
            truths.append(truth)
        return [
            ClueWeights(
                fit(by_name[half::2], truths[half::2]),
                fit(by_likeness[half::2], truths[half::2]),
                SHIPPED.by_likeness_alone,
            )
            for half in (0, 1)
        ]

    def _add(self, number: int, name: str, members: NDArray[np.int64], weights: ClueWeights) -> None:
        rows = self._articles.rows(name)
        wanted: Truth = np.isin(np.arange(len(rows)), members)
        half = number % 2
        said = self._articles.judge(Topic(name), weights).relevances(rows)
        self._rank("name", half, said, wanted)
        self._rank("name, shipped weights", half, self._articles.judge(Topic(name)).relevances(rows), wanted)
        likeliest = np.argsort(np.where(wanted, -1.0, -said), kind="stable")
        likeliest = likeliest[~wanted[likeliest]][:LIKELIEST]
        for _ in range(DRAWS):
            like = self._chance.choice(members, 2, replace=False)
            unlike = self._chance.choice(likeliest, 2, replace=False)
            self._show("name, 2 examples", half, Topic(name), like, unlike[:0], rows, wanted, weights)
            self._show("name, 2 examples of each kind", half, Topic(name), like, unlike, rows, wanted, weights)
        self._see_pages(half, name, rows, wanted, weights)
        if half:
            self._ask(name, rows, wanted, weights)

    def _show(
        self, way: str, half: int, topic: Topic, like: Places, unlike: Places, rows: Rows, wanted: Truth,
        weights: ClueWeights,
    ) -> None:  # fmt: skip
        """Rank all articles but the examples."""
        wanted_texts, others_texts = (tuple(self._articles.texts[each] for each in kind) for kind in (like, unlike))
        shown = replace(topic, like=wanted_texts, unlike=others_texts)
        others = np.setdiff1d(np.arange(len(rows)), [*like, *unlike])
        said = self._articles.judge(shown, weights).relevances(rows[others])
        self._rank(way, half, said, wanted[others])

    def _rank(self, way: str, half: int, said: NDArray[np.float64], wanted: Truth) -> None:
        self.precisions[way][half].append(average_precision(said, wanted))
        if way in CALIBRATED:
            places = np.clip(np.digitize(said, RANGES) - 1, 0, len(RANGES) - 2)
            for column, values in enumerate((np.ones(len(said)), said, wanted)):
                self.counts[way][:, column] += np.bincount(places, weights=values, minlength=len(RANGES) - 1)
        hits = [np.count_nonzero(wanted & (said >= threshold)) for threshold in THRESHOLDS]
        found = [np.count_nonzero(said >= threshold) for threshold in THRESHOLDS]
        self.f1[way][half].append([2 * hit / (all_ + wanted.sum()) for hit, all_ in zip(hits, found, strict=True)])

    def _see_pages(self, half: int, name: str, rows: Rows, wanted: Truth, weights: ClueWeights) -> None:
        """Rank by the name, by idf from pages seen, and by the direction of the best pages seen."""
        order = self._breadth_first(self._chance.choice(np.flatnonzero(wanted), 3, replace=False))
        judge = self._articles.judge(Topic(name), weights)
        for count in PAGES_SEEN:
            seen = order[:count]
            others = np.setdiff1d(np.arange(len(rows)), seen)
            if not wanted[others].any():
                continue
            said = judge.relevances(rows)
            best = seen[np.argsort(-said[seen], kind="stable")[:BEST]]
            turned = unit(judge.topic_direction + ROCCHIO_SHARE * unit(self._articles.directions[best].mean(axis=0)))
            way = f"after {count:,} pages seen:"
            self._rank(f"{way} name", half, said[others], wanted[others])
            with_idf = self._judge_with_idf(name, seen, weights).relevances(rows[others])
            self._rank(f"{way} idf from them", half, with_idf, wanted[others])
            judge_of_best = self._articles.judge(Topic(name), weights)
            judge_of_best.topic_direction = turned
            self._rank(f"{way} Rocchio", half, judge_of_best.relevances(rows[others]), wanted[others])

    def _judge_with_idf(self, name: str, seen: NDArray[np.int64], weights: ClueWeights) -> LearnedJudge:
        shipped = dict(shipped_idf())
        for stem in stems_of(name):
            expected = PRIOR_PAGES * exp(-idf_of_stem(stem)) + self._articles.frequency(stem, seen)
            shipped_idf()[stem] = min(MOST_TELLING, max(0.0, log((PRIOR_PAGES + len(seen)) / expected)))
        try:
            return self._articles.judge(Topic(name), weights)
        finally:
            shipped_idf().clear()
            shipped_idf().update(shipped)

    def _breadth_first(self, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        seen = dict.fromkeys(starts.tolist())
        for place in (queue := list(seen)):
            if len(seen) >= max(PAGES_SEEN):
                break
            new = [target for target in self._graph.targets_of(place).tolist() if target not in seen]
            seen |= dict.fromkeys(new)
            queue.extend(dict.fromkeys(new))
        return np.array(list(seen))

    def _ask(self, name: str, rows: Rows, wanted: Truth, weights: ClueWeights) -> None:
        seen = self._chance.permutation(len(rows))[: min(SEEN, len(rows) // 2)]
        others = np.setdiff1d(np.arange(len(rows)), seen)
        if not wanted[others].any():
            return
        first = self._articles.judge(Topic(name), weights)
        self._rank("others after 0 answers", 1, first.relevances(rows[others]), wanted[others])
        ways = [("rule", kind) for kind in ANSWERS] + [("uncertain", TRUE), ("random", TRUE)]
        for way, kind in ways:
            judge, answers = self._articles.judge(Topic(name), weights), list[tuple[int, bool]]()
            for asked in range(0, max(ASKED) if kind == TRUE else WRONG_ANSWERS, BATCH):
                places = self._questions(way, judge, rows[seen], answers)
                for number, place in enumerate(places, asked):
                    answers.append((place, ANSWERS[kind](bool(wanted[seen[place]]), number)))
                started = time.process_time()
                judge.teach(rows[seen], answers)
                self.refit_s.append(time.process_time() - started)
                if asked + BATCH in ASKED:
                    said = judge.relevances(rows[others])
                    self._rank(f"others after {asked + BATCH} answers: {way}, {kind}", 1, said, wanted[others])

    def _questions(self, way: str, judge: LearnedJudge, rows: Rows, answers: list[tuple[int, bool]]) -> list[int]:
        done = [place for place, _ in answers]
        if way == "rule":
            return next_questions(judge, rows, answers, count=BATCH)
        said = judge.relevances(rows)
        said = self._chance.random(len(rows)) if way == "random" else said * (1 - said)
        said[done] = -1.0
        first: list[int] = np.argsort(-said, kind="stable")[:BATCH].tolist()
        return first

    def results(self) -> dict[str, Any]:
        return {
            "average_precision": {
                way: {
                    "all": float(np.mean(even + odd)),
                    "even": float(np.mean(even)) if even else None,
                    "odd": float(np.mean(odd)),
                    "rankings": len(even + odd),
                }
                for way, (even, odd) in ((way, halves.values()) for way, halves in self.precisions.items())
            },
            "f1": {
                way: {"even": np.mean(even or [[0.0]], axis=0).tolist(), "odd": np.mean(odd, axis=0).tolist()}
                for way, (even, odd) in ((way, halves.values()) for way, halves in self.f1.items())
            },
            "reliability": {
                way: [
                    {"from": low, "to": high, "pages": int(count), "said": total / count, "on_topic": hits / count}
                    for low, high, (count, total, hits) in zip(RANGES, RANGES[1:], counts.tolist(), strict=False)
                    if count
                ]
                for way, counts in self.counts.items()
            },
            "refit_ms": 1000 * float(np.mean(self.refit_s)),
        }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("world")
    arguments.add_argument("--categories", type=int, default=60)
    arguments.add_argument("--vectors", default="english")
    arguments.add_argument("--encoder", default="", help="minilm, or a folder with a model")
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    cache = Path("vectors-cache")
    source = open_vectors(options.vectors, cache)
    vectors = WordVectors(source, open_encoder(options.encoder, source, cache) if options.encoder else None)
    with WikiWorld(options.world) as world:
        named = [name for name, pages in world.categories() if pages >= 12 and not any(map(str.isdigit, name))]
        members = {name: np.array(world.pages_labelled([name])) for name in named[: options.categories]}
        pages = list(read(world))
        if vectors.encoder:
            encode(pages, vectors.encoder, cache)
        articles = Articles(pages, vectors, list(members))
        measured = Measured(articles, members, world.link_graph)
    results = measured.results()
    if options.json:
        print(json.dumps(results, indent=2))
        return
    print(f"average precision: all, even, odd topics; F1 of odd ones at {', '.join(map(str, THRESHOLDS))}")
    for way, found in results["average_precision"].items():
        halves = "  ".join("     " if found[half] is None else f"{found[half]:.3f}" for half in ("all", "even", "odd"))
        print(f"  {halves}  |  {'  '.join(f'{share:.3f}' for share in results['f1'][way]['odd'])}  {way}")
    for way, rows in results["reliability"].items():
        print(f"{way}: probability, pages, mean said, share on topic")
        for row in rows:
            print(f"{row['from']:4.2f}-{row['to']:4.2f}{row['pages']:9,}{row['said']:9.3f}{row['on_topic']:9.3f}")
    print(f"refit {results['refit_ms']:.1f} ms of processor time")


if __name__ == "__main__":
    main()
