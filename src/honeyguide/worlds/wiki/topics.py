"""Topics to experiment on: categories with enough articles that a crawl can reach, and where such a crawl starts.

A topic is a category, or every category that has a given word in its name. Two starts are chosen for each, always by
the same rule:

- *on topic*: the article whose title is the topic's name, else the labelled article with the most links in;
- *off topic*: the article with the most links in and out (their product) that has none of the labels and from which
  as many of the topic's articles can be reached as from the other start, or more; a cold start.

An article counts as reachable when a walk from the on-topic start comes to it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.wiki.world import WikiWorld

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.worlds.wiki.world import Mask

_COLD_STARTS_TRIED: Final = 50
_WORD = re.compile(r"[^\W\d_]{4,}")  # shorter ones are mostly articles and prepositions


@dataclass(frozen=True, slots=True)
class WikiTopic:
    """Something to look for, with the labels that grade the search and where to begin."""

    name: str
    categories: tuple[str, ...]
    pages: int  # that have one of the categories
    reachable: int  # of those, from the on-topic start
    seed_url: str  # on topic
    cold_seed_url: str  # off topic; "" where no such article leads to the topic


def wiki_topics(
    path: Path | str, *, at_least: int = 40, words: Sequence[str] = (), by_word: bool = False, with_dates: bool = False
) -> list[WikiTopic]:
    """Return the topics of a world with at least so many reachable articles, those with the most first.

    Every category is a topic of its own. With `words` there is one topic for each word instead: all categories that
    have a word in their names that starts with it. `by_word` does so for every whole word that occurs in names.
    Unless `with_dates`, names with digits in them are left out: they gather articles by date ("1952 births").
    """
    with WikiWorld(path) as world:
        chooser = _Chooser(world)
        sizes = {
            name: pages
            for name, pages in world.categories()
            if with_dates or not any(letter.isdigit() for letter in name)
        }
        topics = [
            topic
            for name, names in _group_categories(sizes, at_least, words, by_word=by_word)
            if (topic := chooser.topic(name, names, at_least)) is not None
        ]
    return sorted(topics, key=lambda topic: (-topic.reachable, topic.name))


def _group_categories(
    sizes: Mapping[str, int], at_least: int, words: Sequence[str], *, by_word: bool
) -> Iterator[tuple[str, list[str]]]:
    """Names of topics, each with its categories."""
    if words:
        for word in words:
            pattern = re.compile(rf"\b{re.escape(word)}", re.IGNORECASE)
            yield word, [name for name in sizes if pattern.search(name)]
    elif by_word:
        names_by_word = defaultdict(list)
        for name in sizes:
            for word in set(_WORD.findall(name.lower())):
                names_by_word[word].append(name)
        for word, names in names_by_word.items():
            if sum(sizes[name] for name in names) >= at_least:
                yield word, names
    else:
        yield from ((name, [name]) for name, pages in sizes.items() if pages >= at_least)


class _Chooser:
    """Chooses starts. What can be reached is worked out once for all articles that can reach each other."""

    def __init__(self, world: WikiWorld) -> None:
        self._world = world
        self._graph = world.link_graph
        self._in_degrees = np.frombuffer(world.fact("in_degrees"), dtype="<u4").astype(np.int64)
        out_degrees = np.frombuffer(world.fact("out_degrees"), dtype="<u4")
        self._best_linked = np.argsort(-(self._in_degrees * out_degrees), kind="stable")
        entry = int(self._best_linked[0])
        self._from_entry = self._graph.reachable([entry])
        self._to_entry = self._graph.reversed().reachable([entry])

    def topic(self, name: str, categories: list[str], at_least: int) -> WikiTopic | None:
        """Return the topic with its starts; None where too few of its articles can be reached."""
        labelled = np.array(self._world.pages_labelled(categories), dtype=np.int64)
        if len(labelled) < at_least:
            return None
        start = self._choose_start(name, labelled)
        reachable = int(self._reachable(start)[labelled].sum())
        if reachable < at_least:
            return None
        cold = self._choose_cold_start(labelled, reachable)
        return WikiTopic(
            name=name,
            categories=tuple(sorted(categories)),
            pages=len(labelled),
            reachable=reachable,
            seed_url=self._world.url_of(start).text,
            cold_seed_url="" if cold is None else self._world.url_of(cold).text,
        )

    def _choose_start(self, name: str, labelled: NDArray[np.int64]) -> int:
        named = self._world.number_titled(name)
        return named if named is not None else int(labelled[np.argmax(self._in_degrees[labelled])])

    def _choose_cold_start(self, labelled: NDArray[np.int64], reachable: int) -> int | None:
        has_label = set(labelled.tolist())
        others = (page for page in self._best_linked.tolist() if page not in has_label)
        for page, _ in zip(others, range(_COLD_STARTS_TRIED), strict=False):
            if int(self._reachable(page)[labelled].sum()) >= reachable:
                return int(page)
        return None

    def _reachable(self, start: int) -> Mask:
        """Return the articles reachable from `start`; those of the entry where each of the two reaches the other."""
        if self._from_entry[start] and self._to_entry[start]:
            return self._from_entry
        return self._graph.reachable([start])
