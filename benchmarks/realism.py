"""Is the synthetic web like a real one?

Run `python benchmarks/realism.py [--wiki WORLD] [--site FOLDER@BASE] [--synthetic SPEC] [--json]`, where WORLD was made
by `honeyguide wiki build`. Each world is explored from its entry pages, and a few topics of it are looked at with full
knowledge: how links are spread, whether on-topic pages link to one another, what the words of a link tell of the page
behind it, and how much of the oracle's harvest best-first and breadth-first find with as many fetches as there are
on-topic pages, 500 at most. Links are counted once a page and target, redirects followed, menus included.

Labels: the synthetic web's own truth; the dump's categories; for the site, the number of the chapter in a page's title.
The site's topics are those of the PostgreSQL manual; `--site-topic NAME=TITLE_REGEX` takes others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from honeyguide.crawler import WorldGraph, crawl, explore
from honeyguide.learn.features import LinkFeatures
from honeyguide.model import Candidates, Fetched, Origin, Topic, Url
from honeyguide.parse import parse
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.frozen import open_site
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.wiki import WikiWorld
from honeyguide.worlds.wiki.stats import fit_power_law
from honeyguide_lab.grading import grade
from honeyguide_lab.oracle import oracle
from honeyguide_lab.spec import Contender, Experiment, TopicSpec
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Page
    from honeyguide.worlds import World
    from honeyguide_lab.oracle import Oracle

LEAST_ON_TOPIC = 40
MOST_FETCHES = 500
SCORED_PAGES = 4000  # drawn by chance; the links of these are scored

SYNTHETIC_TOPICS = ("geology", "opera", "chess", "oncology", "finance", "cycling")
WIKI_TOPICS = {
    "war": r"\bwars?\b",
    "film": r"\bfilms?\b",
    "computer": r"\bcomput(er|ers|ing)\b",
    "language": r"\blanguages?\b",
    "music": r"\bmusic",
    "mathematics": r"\bmathematic",
}
SITE_TOPICS = {
    "SQL data types, functions and queries": r"^(Chapter )?([4-9]|1[0-5])\.",
    "server administration": r"^(Chapter )?(1[6-9]|2\d|3[0-3])\.",
    "information schema": r"^(Chapter )?37\.",
    "triggers and procedural languages": r"^(Chapter )?(39|4[0-6])\.",
    "system catalogs and views": r"^(Chapter )?5[34]\.",
    "additional supplied modules": r"^(Appendix )?F\.",
}


FIGURES = {  # by name: what it is called in the table, and how many digits it has there
    "R": ("on-topic pages, R", 0),
    "share_of_pages": ("… of all pages", 3),
    "from_on_topic": ("on-topic links, of links on on-topic pages", 2),
    "from_off_topic": ("… of links on off-topic pages", 3),
    "auc": ("AUC of the anchor score", 2),
    "auc_from_off_topic": ("… of links on off-topic pages", 2),
    "oracle_of_bound": ("oracle, of the bound", 2),
    "best_first": ("**best-first, of the oracle**", 2),
    "breadth_first": ("breadth-first, of the oracle", 2),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """A topic as a crawler is told of it, and what is on topic."""

    topic: TopicSpec
    is_on_topic: Callable[[Url, str], bool]  # of a URL and the title of its page


@dataclass(frozen=True, slots=True)
class Sample:
    """A world to be looked at."""

    heading: str
    name: str  # as in --world
    world: World
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True)
class Degrees:
    """How many links pages have, in one direction."""

    mean: float
    median: float
    percentile_99: float
    most: int
    exponent: float | None  # of the power law that the tail follows best

    @classmethod
    def of(cls, degrees: NDArray[np.int64]) -> Degrees:
        law = fit_power_law(degrees[degrees > 0].astype(np.uint32))
        return cls(
            mean=float(degrees.mean()),
            median=float(np.median(degrees)),
            percentile_99=float(np.percentile(degrees, 99)),
            most=int(degrees.max()),
            exponent=None if law is None else law.exponent,
        )


@dataclass(frozen=True, slots=True)
class TopicFigures:
    """What one topic is like in one world."""

    topic: str
    R: int  # on-topic pages that can be reached
    share_of_pages: float
    from_on_topic: float  # share of links that lead to on-topic pages
    from_off_topic: float
    auc: float  # of the anchor score, over all links
    auc_from_off_topic: float  # over those on off-topic pages
    budget: int
    oracle: int
    oracle_of_bound: float
    best_first: float  # share of the oracle's harvest
    breadth_first: float


class Anatomy:
    """A world with its links between pages, and some of its pages as a crawler reads them."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.graph = explore(sample.world, sample.world.entry_urls())
        self.final = _ends_of(self.graph)
        self.titles, self.pages = asyncio.run(self._read())
        self.sources, self.targets = self._links()

    def degrees(self) -> dict[str, Degrees]:
        size, is_page = len(self.graph.urls), self.graph.is_page
        return {
            "links out": Degrees.of(np.bincount(self.sources, minlength=size)[is_page]),
            "links in": Degrees.of(np.bincount(self.targets, minlength=size)[is_page]),
        }

    def on_topic(self, subject: Subject) -> NDArray[np.bool_]:
        labels = [
            bool(page) and subject.is_on_topic(Url(url), self.titles[node])
            for node, (url, page) in enumerate(zip(self.graph.urls, self.graph.is_page, strict=True))
        ]
        return np.array(labels, dtype=np.bool_)

    def scored_links(self, topic: TopicSpec, vectors: WordVectors) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Best-first's score of every link on the pages drawn, and (from, to) as rows of nodes."""
        features = LinkFeatures(Topic(topic.name, topic.keywords), vectors)
        scores: list[NDArray[np.float64]] = []
        ends: list[NDArray[np.int64]] = []
        for node, page in self.pages.items():
            known = [(link, self.graph.number_by_url.get(link.target.text)) for link in page.links]
            alive = [
                (link, self.final[to]) for link, to in known if to is not None and self.final[to] not in (-1, node)
            ]
            if alive:
                links = [link for link, _ in alive]
                origin = Origin(page.url.host, relevance=0.0, distance=0, depth=0)
                scores.append(features.similarity(features.describe(Candidates.on_page(page, links, origin))))
                ends.append(np.array([(node, to) for _, to in alive], dtype=np.int64))
        return np.concatenate(scores), np.concatenate(ends)

    async def _read(self) -> tuple[list[str], dict[int, Page]]:
        """The title of every node, and pages drawn by chance."""
        nodes = np.flatnonzero(self.graph.is_page)
        drawn = set(np.random.default_rng(0).permutation(nodes)[:SCORED_PAGES].tolist())
        titles, pages = [""] * len(self.graph.urls), {}
        for node in nodes.tolist():
            url = Url(self.graph.urls[node])
            outcome = (await self.sample.world.fetch(url)).outcome
            assert isinstance(outcome, Fetched)
            page = parse(url, outcome)
            titles[node] = page.title
            if node in drawn:
                pages[node] = page
        return titles, pages

    def _links(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Links between pages: redirects followed, each pair once, none to the page itself."""
        size = len(self.graph.urls)
        source = np.repeat(np.arange(size), np.diff(self.graph.starts))
        target = self.final[self.graph.targets]
        kept = self.graph.is_page[source] & (target >= 0) & (target != source)
        pairs = np.unique(source[kept] * size + target[kept])
        return pairs // size, pairs % size


def _ends_of(graph: WorldGraph) -> NDArray[np.int64]:
    """The page that each node leads to: itself, or where its redirects end; -1 where they end nowhere."""
    size = len(graph.urls)
    follows = np.arange(size)
    leads_on = ~graph.is_page & (np.diff(graph.starts) > 0)
    follows[leads_on] = graph.targets[graph.starts[:-1][leads_on]]
    for _ in range(6):  # doubles each time: chains of up to 64 hops
        follows = follows[follows]
    return np.where(graph.is_page[follows], follows, -1)


def area_under_curve(scores: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> float:
    """The chance that a positive has a higher score than a negative; a tie counts half."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    positives, negatives = int(is_positive.sum()), int((~is_positive).sum())
    if not positives or not negatives:
        return float("nan")
    return float((ranks[is_positive].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def figures_of(anatomy: Anatomy, subject: Subject, vectors: WordVectors) -> TopicFigures:
    graph, on_topic = anatomy.graph, anatomy.on_topic(subject)
    reachable = int(on_topic.sum())
    if reachable < LEAST_ON_TOPIC:
        raise SystemExit(f"topic {subject.topic.name}: only {reachable} on-topic pages; choose another")
    scores, ends = anatomy.scored_links(subject.topic, vectors)
    is_hit, is_from_off_topic = on_topic[ends[:, 1]], ~on_topic[ends[:, 0]]
    from_topic, to_topic = on_topic[anatomy.sources], on_topic[anatomy.targets]
    budget = min(reachable, MOST_FETCHES)
    best = oracle(graph, on_topic, graph.numbers(anatomy.sample.world.entry_urls()), budget)
    return TopicFigures(
        topic=subject.topic.name,
        R=reachable,
        share_of_pages=reachable / graph.pages,
        from_on_topic=float(to_topic[from_topic].mean()),
        from_off_topic=float(to_topic[~from_topic].mean()),
        auc=area_under_curve(scores, is_hit),
        auc_from_off_topic=area_under_curve(scores[is_from_off_topic], is_hit[is_from_off_topic]),
        budget=budget,
        oracle=best.curve[-1],
        oracle_of_bound=best.curve[-1] / best.bound[-1],
        best_first=of_oracle("best-first", anatomy, subject, on_topic, best, vectors),
        breadth_first=of_oracle("breadth-first", anatomy, subject, on_topic, best, vectors),
    )


def of_oracle(
    strategy: str,
    anatomy: Anatomy,
    subject: Subject,
    on_topic: NDArray[np.bool_],
    best: Oracle,
    vectors: WordVectors,
) -> float:
    """The share of the oracle's harvest that a strategy finds, crawling as in the laboratory."""
    sample, numbers = anatomy.sample, anatomy.graph.number_by_url
    experiment = Experiment((sample.name,), (subject.topic,), (Contender(strategy, strategy),))
    budget = len(best.curve) - 1
    settings = experiment.settings(sample.name, subject.topic, experiment.contenders[0], seed=0, budget=budget)
    with (
        tempfile.TemporaryDirectory() as folder,
        crawl(Path(folder) / "run", settings, world=sample.world, vectors=vectors) as run,
    ):
        return grade(run, lambda url: bool(on_topic[numbers[url.text]]), budget, best).of_oracle


def synthetic_sample(spec: str) -> Sample:
    web = SyntheticWorld(SyntheticSpec.parse(spec))

    def subject(topic: str) -> Subject:
        return Subject(TopicSpec(topic, web.keywords_for(topic)), lambda url, _: web.topic_of(url) == topic)

    return Sample(f"synthetic:{spec}".strip(":"), f"synthetic:{spec}", web, tuple(map(subject, SYNTHETIC_TOPICS)))


def wiki_sample(path: str) -> Sample:
    world = WikiWorld(path)

    def subject(topic: str, pattern: str) -> Subject:
        wanted = re.compile(pattern, re.IGNORECASE)
        return Subject(TopicSpec(topic), lambda url, _: any(map(wanted.search, world.categories_of(url))))

    return Sample("dump", f"wiki:{path}", world, tuple(subject(*item) for item in WIKI_TOPICS.items()))


def site_sample(spec: str, topics: dict[str, str]) -> Sample:
    def subject(topic: str, pattern: str) -> Subject:
        wanted = re.compile(pattern)
        return Subject(TopicSpec(topic), lambda _, title: bool(wanted.search(title.replace("\xa0", " "))))

    return Sample("site", f"site:{spec}", open_site(spec), tuple(subject(*item) for item in topics.items()))


def measured(sample: Sample, vectors: WordVectors) -> dict[str, Any]:
    anatomy = Anatomy(sample)
    topics = [asdict(figures_of(anatomy, subject, vectors)) for subject in sample.subjects]
    names = [name for name in topics[0] if name != "topic"]
    return {
        "heading": sample.heading,
        "pages": anatomy.graph.pages,
        "links": len(anatomy.sources),
        "degrees": {direction: asdict(degrees) for direction, degrees in anatomy.degrees().items()},
        "mean": {name: float(np.mean([topic[name] for topic in topics])) for name in names},
        "topics": topics,
    }


def table(worlds: Sequence[dict[str, Any]]) -> str:
    """All worlds side by side, as Markdown; of figures by topic the mean and the range."""
    rows = [("", [world["heading"] for world in worlds]), ("---", ["---:"] * len(worlds))]
    rows += [(name, [f"{world[name]:,}" for world in worlds]) for name in ("pages", "links")]
    for direction in ("links out", "links in"):
        degrees = [world["degrees"][direction] for world in worlds]
        rows += [
            (f"{direction}: mean / median", [f"{each['mean']:.1f} / {each['median']:.0f}" for each in degrees]),
            ("… 99th percentile / most", [f"{each['percentile_99']:.0f} / {each['most']:,}" for each in degrees]),
            ("… exponent of the tail", [f"{each['exponent'] or float('nan'):.2f}" for each in degrees]),
        ]
    for name, (label, digits) in FIGURES.items():
        rows.append((label, [_with_range(world, name, digits) for world in worlds]))
    return "\n".join(f"| {label} | {' | '.join(cells)} |" for label, cells in rows)


def _with_range(world: dict[str, Any], name: str, digits: int) -> str:
    values = [topic[name] for topic in world["topics"]]
    return f"{world['mean'][name]:.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--synthetic", action="append", metavar="SPEC", help="as in seed=1,pages=8000; may be repeated"
    )
    options.add_argument("--wiki", metavar="WORLD")
    options.add_argument("--site", metavar="FOLDER@BASE")
    options.add_argument("--site-topic", action="append", metavar="NAME=TITLE_REGEX")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    site_topics = dict(item.split("=", 1) for item in chosen.site_topic or ()) or SITE_TOPICS
    samples = [synthetic_sample(spec) for spec in chosen.synthetic or [""]]
    samples += [wiki_sample(chosen.wiki)] if chosen.wiki else []
    samples += [site_sample(chosen.site, site_topics)] if chosen.site else []
    vectors = WordVectors(EnglishVectors())
    with threadpool_limits(1, "blas"):
        worlds = [measured(sample, vectors) for sample in samples]
    for sample in samples:
        asyncio.run(sample.world.close())
    print(json.dumps({"machine": machine(), "worlds": worlds}, indent=2) if chosen.json else table(worlds))


if __name__ == "__main__":
    main()
