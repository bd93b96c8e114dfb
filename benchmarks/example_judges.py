"""How well do judges that learn from examples rank pages they have never seen?

Run `python benchmarks/example_judges.py WORLD [--pages N] [--repeats N] [--json]` on a Wikipedia world made by
`honeyguide wiki build`. A page belongs to a group when one of its categories names it. So many pages of the group are
the texts to be like, as many others the texts to be unlike, both drawn by chance; the area under the curve says how
often a page of the group, among all others, is ranked above one that is not of it. Means over repeats. The embedding
judge, which is told the group's name and no example, is there for comparison; the network where PyTorch is installed.
"""

from __future__ import annotations

import argparse
import json
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import numpy as np
from threadpoolctl import threadpool_limits

from honeyguide.judge import Examples, fitted_logistic, trained_network
from honeyguide.model import Fetched, Page, Topic
from honeyguide.parse import parse
from honeyguide.text import EnglishVectors, WordVectors, cosines, unit
from honeyguide.worlds.wiki import WikiWorld
from machine import machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.judge import VectorModel

GROUPS: Final = {
    "mathematics": r"(?i)algebra|set theory|theorem|topology|mathematical|number theory",
    "film": r"(?i)\bfilms?\b",
    "chemistry": r"(?i)chemical|chemistry|compounds",
    "bible": r"(?i)testament|biblical|bible|christian",
}
COUNTS: Final = (1, 3, 10, 30)


def area_under_curve(scores: NDArray[np.float64], is_in: NDArray[np.bool_]) -> float:
    """Probability that a member scores above another page, a tie counting half."""
    members, others = scores[is_in], np.sort(scores[~is_in])
    below = np.searchsorted(others, members, side="left")
    up_to = np.searchsorted(others, members, side="right")
    return float((below + up_to).mean() / 2 / len(others))


def read(world: WikiWorld, count: int) -> tuple[list[Page], list[tuple[str, ...]]]:
    """Pages drawn by chance, and the categories of each."""
    urls = list(world.urls())
    pages, categories = [], []
    for place in np.random.default_rng(0).permutation(len(urls))[:count].tolist():
        outcome = world.answer(urls[place]).outcome
        if isinstance(outcome, Fetched) and (page := parse(urls[place], outcome)).main_words:
            pages.append(page)
            categories.append(world.categories_of(urls[place]))
    return pages, categories


def areas(
    name: str, pages: list[Page], is_in: NDArray[np.bool_], table: WordVectors, repeats: int
) -> dict[str, dict[int, float]]:
    """Mean area under the curve by judge and number of examples of each kind."""
    texts = [unit(table.vector(page.main_words)) for page in pages]
    by_name = cosines(np.array(texts), table.topic_vector(Topic(name)))
    found: dict[str, dict[int, list[float]]] = {}
    for repeat in range(repeats):
        chance = np.random.default_rng(repeat)
        members, others = (chance.permutation(np.flatnonzero(kind)) for kind in (is_in, ~is_in))
        for count in (number for number in COUNTS if 2 * number <= len(members)):
            like, unlike = (tuple(pages[place].main_words for place in each[:count]) for each in (members, others))
            models: dict[str, VectorModel] = {"classifier": fitted_logistic(Examples(like, unlike), table)}
            if find_spec("torch"):
                models["neural"] = trained_network(Examples(like, unlike), table, repeat)
            scores = {kind: np.array([model.probability(text) for text in texts]) for kind, model in models.items()}
            rest = np.setdiff1d(np.arange(len(pages)), np.concatenate((members[:count], others[:count])))
            for kind, each in {"embedding, by name": by_name, **scores}.items():
                found.setdefault(kind, {}).setdefault(count, []).append(area_under_curve(each[rest], is_in[rest]))
    return {kind: {count: float(np.mean(each)) for count, each in by.items()} for kind, by in found.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("world")
    options.add_argument("--pages", type=int, default=3000)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    vectors = WordVectors(EnglishVectors())
    figures: dict[str, object] = {}
    with WikiWorld(chosen.world) as world, threadpool_limits(1, "blas"):
        pages, categories = read(world, chosen.pages)
        for name, pattern in GROUPS.items():
            is_in = np.array([any(re.search(pattern, category) for category in each) for each in categories])
            figures[f"{name}, {is_in.sum()} of {len(pages)}"] = areas(name, pages, is_in, vectors, chosen.repeats)
    if chosen.json:
        print(json.dumps({"machine": machine(), "areas": figures}, indent=2))
        return
    print(machine())
    for group, by_judge in figures.items():
        print(group)
        assert isinstance(by_judge, dict)
        for kind, by_count in by_judge.items():
            told = "  ".join(f"{count:3} each: {area:.3f}" for count, area in by_count.items())
            print(f"  {kind:20} {told}")


if __name__ == "__main__":
    main()
