"""How well do the texts of links tell whether their targets are about a topic: by wordllama, our table, an encoder?

Run `python benchmarks/link_quality.py WIKI_WORLD [--links N] [--encoder NAME] [--json]`. The largest categories of a
wiki world are topics, told by their names; each second one, so that the others are left to tune on. N links are drawn
by chance, half of them to articles of these categories. Every link is described as a crawl describes it, and:

by name: links are ranked by the mean cosine of anchor, surrounding words and address with the topic.
learned: a ridge over the 32 numbers that rows keep learns from one half of the links which lead to the category, and
  ranks the other half: what a learner could know from link texts with perfect rewards.

"With category lines" adds to each link the names of its target's categories, as a site that lists its categories does;
without, links are as the articles have them. Average precision is averaged over topics.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from honeyguide.learn.features import SCALARS, LinkFeatures
from honeyguide.model import Candidates, Fetched, Origin, ParentFacts, Topic
from honeyguide.parse import parse
from honeyguide.settings import VectorSettings
from honeyguide.text import EnglishVectors, WordllamaVectors, WordVectors, open_encoder, words_of
from honeyguide.worlds.wiki import WikiWorld
from machine import machine
from topic_vectors import average_precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import LinkDescriptions

PENALTY = 10.0
PAGES_APART = 3  # each third page shows enough links


def drawn_links(world: WikiWorld, wanted: set[int], count: int) -> tuple[list[Candidates], NDArray[np.int64]]:
    """Return links with the words around them, page by page, and the numbers of their targets."""
    pages, targets = [], []
    chance = np.random.default_rng(0)
    leads = np.isin(world.link_graph.targets, list(wanted))
    shares = {True: PAGES_APART * count / 2 / leads.sum(), False: PAGES_APART * count / 2 / (~leads).sum()}
    for url in list(world.urls())[::PAGES_APART]:
        outcome = world.answer(url).outcome
        assert isinstance(outcome, Fetched)
        page = parse(url, outcome)
        for link in page.links:
            number = world.number_of(link.target)
            if number is not None and chance.random() < shares[number in wanted]:
                origin = Origin(url.host, relevance=0.0, distance=0, depth=0)
                pages.append(Candidates.on_page(page, [link], origin))
                targets.append(number)
    return pages, np.array(targets)


def with_categories(world: WikiWorld, pages: list[Candidates]) -> list[Candidates]:
    """Return the links, one at a time, with the categories of their targets written behind their anchors."""
    changed = []
    for links in pages:
        words: list[str] = []
        spans = []
        for first, start, end, last in links.spans.tolist():
            names = [word for name in world.categories_of(links.targets[0]) for word in words_of(name)]
            parts = (links.words[first:start], links.words[start:end], names, links.words[end:last])
            ends = np.cumsum([len(part) for part in parts]) + len(words)
            spans.append((len(words), int(ends[0]), int(ends[1]), int(ends[3])))
            for part in parts:
                words += part
        changed.append(replace(links, words=tuple(words), spans=np.array(spans, dtype=np.int64)))
    return changed


def learned_precision(rows: NDArray[np.float64], leads: NDArray[np.bool_], chance: np.random.Generator) -> float:
    """Average precision on one half of the links of a ridge that has learned from the other."""
    half = chance.random(len(rows)) < 0.5
    if not leads[half].any() or not leads[~half].any():
        return float("nan")
    known = rows[half] - rows[half].mean(axis=0)
    weights = np.linalg.solve(known.T @ known + PENALTY * np.eye(rows.shape[1]), known.T @ leads[half].astype(float))
    return average_precision(rows[~half] @ weights, leads[~half])


def measured(
    world: WikiWorld, topics: list[str], pages: list[Candidates], targets: NDArray[np.int64], vectors: WordVectors
) -> dict[str, float]:
    described: LinkDescriptions | None = None
    by_name, learned = [], []
    chance = np.random.default_rng(1)
    for name in topics:
        features = LinkFeatures(Topic(name), vectors)
        if described is None:
            described = np.concatenate([features.describe(links) for links in pages])
            zeros = np.zeros(len(described))
            parents = ParentFacts(zeros, zeros.astype(np.int64), zeros.astype(np.int64))
            meaning = features.rows(described, parents)[:, len(SCALARS) :].astype(np.float64)
        leads = np.isin(targets, world.pages_labelled([name]))
        if not leads.any():  # none of the links drawn leads there
            continue
        by_name.append(average_precision(features.similarity(described), leads))
        learned.append(learned_precision(meaning, leads, chance))
    return {"by name": float(np.nanmean(by_name)), "learned": float(np.nanmean(learned))}


def main() -> None:
    options = _arguments()
    results: dict[str, dict[str, float]] = {}
    with WikiWorld(options.world) as world, threadpool_limits(1):
        names = [name for name, pages in world.categories() if pages >= 12 and not any(map(str.isdigit, name))]
        topics = names[1:60:2]
        pages, targets = drawn_links(world, set(world.pages_labelled(topics)), options.links)
        tables = {"wordllama": WordVectors(WordllamaVectors()), "english": WordVectors(EnglishVectors())}
        if options.encoder:
            source = EnglishVectors()
            encoder = open_encoder(options.encoder, source, VectorSettings().cache_path)
            tables[f"english and {options.encoder}"] = WordVectors(source, encoder)
        for place, links in {"": pages, ", with category lines": with_categories(world, pages)}.items():
            for name, vectors in tables.items():
                results[name + place] = measured(world, topics, links, targets, vectors)
    if options.json:
        print(json.dumps({"machine": machine(), "links": len(targets), "topics": len(topics), **results}, indent=2))
        return
    print(f"{machine()}\n{len(targets):,} links, {len(topics)} topics\n| average precision | by name | learned |")
    print("| --- | ---: | ---: |")
    for name, found in results.items():
        print(f"| {name} | {found['by name']:.3f} | {found['learned']:.3f} |")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world")
    parser.add_argument("--links", type=int, default=4000)
    parser.add_argument("--encoder", default="", help="minilm, or a folder with a model")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
