"""Labels that grade a crawl: which pages are on topic, unseen by any judge or strategy.

A `LabelRule` is what a person writes: `truth`, `category:REGEX`, `url:REGEX`, `csv:FILE` or `word:TERM`. Applied to a
world it becomes `Labels`, which say of a final URL whether its page is on topic. A crawl never gets hold of either.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from honeyguide.errors import InvalidUrl, SettingsError, WorldError
from honeyguide.model import Url, linear_pattern
from honeyguide.text import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.crawler.world_graph import WorldGraph
    from honeyguide.model import Topic
    from honeyguide.worlds import World

KINDS: Final = ("truth", "category", "url", "csv", "word")
_YES: Final = frozenset({"1", "true", "yes"})


class Labels(Protocol):
    """Tells by final URL whether a page is on topic; the same URL always gets the same answer."""

    def is_on_topic(self, url: Url) -> bool:
        """Whether the page at this URL counts as relevant."""
        ...


@runtime_checkable
class KnowsTopics(Protocol):
    """A world that made its pages and knows what each is about."""

    def topic_of(self, url: Url) -> str | None: ...

    def keywords_for(self, topic: str) -> tuple[str, ...]: ...


@runtime_checkable
class KnowsCategories(Protocol):
    """A world whose pages were put into categories by people; they are nowhere on the pages."""

    def categories_of(self, url: Url) -> Iterable[str]: ...


@dataclass(frozen=True, slots=True)
class TruthLabels:
    """The synthetic web's own knowledge of its pages."""

    world: KnowsTopics
    topic: str

    def is_on_topic(self, url: Url) -> bool:
        return self.world.topic_of(url) == self.topic


@dataclass(frozen=True, slots=True)
class CategoryLabels:
    """Pages in a category whose name a pattern is found in."""

    world: KnowsCategories
    pattern: re.Pattern[str]

    def is_on_topic(self, url: Url) -> bool:
        return any(self.pattern.search(category) for category in self.world.categories_of(url))


@dataclass(frozen=True, slots=True)
class ListedLabels:
    """Pages by their URLs: read from a CSV, matched by a pattern, or found to have a word in their text."""

    urls: frozenset[str]

    def is_on_topic(self, url: Url) -> bool:
        return url.text in self.urls


@dataclass(frozen=True, slots=True)
class LabelRule:
    """How pages are labelled, as a person writes it."""

    kind: str
    value: str = ""

    @classmethod
    def parse(cls, text: str, topic: str) -> LabelRule:
        """Read `kind:value`; `{topic}` in the value stands for the topic's name. SettingsError if it is no rule."""
        kind, colon, value = text.partition(":")
        value = value.replace("{topic}", topic).strip()
        if kind not in KINDS or (kind == "truth") == bool(colon) or (colon and not value):
            raise SettingsError([f"labels is {text!r}: write truth, category:REGEX, url:REGEX, csv:FILE or word:TERM"])
        if kind in ("category", "url"):
            _pattern(kind, value)
        if kind == "word" and not words_of(value):
            raise SettingsError([f"labels is {text!r}: there is no word in it"])
        return cls(kind, value)

    @classmethod
    def natural_to(cls, world: World, topic: str) -> LabelRule:
        """Return the rule for a world's own labels, for when nobody has named any. SettingsError if it has none."""
        if isinstance(world, KnowsTopics):
            return cls("truth")
        if isinstance(world, KnowsCategories):
            return cls("category", f"^{re.escape(topic)}$")
        raise SettingsError(
            [f"topic {topic}: this world has no labels of its own; give --labels url:REGEX, csv:FILE or word:TERM"]
        )

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}" if self.value else self.kind

    def is_self_graded(self, topic: Topic) -> bool:
        """Whether the topic that judge and strategy are told has a word of the label in it, in whatever form.

        Other kinds never are: categories, URLs, lists and the truth stand on no page, whatever they are called.
        """
        if self.kind != "word":
            return False
        told = {_stem(word) for phrase in topic.phrases for word in words_of(phrase)}
        return not told.isdisjoint(map(_stem, words_of(self.value)))

    def applied_to(self, world: World, graph: WorldGraph, topic: str) -> Labels:
        """The labels themselves. SettingsError or WorldError where the world or the file does not have them."""
        match self.kind:
            case "truth":
                return self._truth(world, topic)
            case "category":
                if not isinstance(world, KnowsCategories):
                    raise SettingsError([f"labels is '{self}': this world has no categories; see wiki:PATH"])
                return CategoryLabels(world, _pattern(self.kind, self.value))
            case "url":
                found = _pattern(self.kind, self.value).search
                return ListedLabels(frozenset(url for url in graph.urls if found(url)))
            case "csv":
                return ListedLabels(_final_urls(_read_csv(Path(self.value), topic), graph))
            case _:
                hits = graph.has_word[self.value]
                return ListedLabels(frozenset(url for url, hit in zip(graph.urls, hits, strict=True) if hit))

    def _truth(self, world: World, topic: str) -> Labels:
        if not isinstance(world, KnowsTopics):
            raise SettingsError(["labels is 'truth': only the synthetic web knows the truth; name other labels"])
        try:
            world.keywords_for(topic)
        except WorldError as error:
            raise SettingsError([f"topic {topic}: {error}"]) from error
        return TruthLabels(world, topic)


def _stem(word: str) -> str:
    """A word without its commonest English endings: enough to know rocks and rocky from rock."""
    for ending in ("ings", "ing", "ies", "ers", "es", "ed", "er", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _final_urls(urls: frozenset[str], graph: WorldGraph) -> frozenset[str]:
    """Where listed URLs lead to, redirects followed; those that the graph does not have stay as they are."""
    number_by_url = {url: number for number, url in enumerate(graph.urls)}
    final = set()
    for url in urls:
        number, passed = number_by_url.get(url), set[int]()
        while number is not None and not graph.is_page[number] and number not in passed:
            passed.add(number)
            onward = graph.targets[graph.starts[number] : graph.starts[number + 1]]
            number = int(onward[0]) if len(onward) else None
        final.add(url if number is None else graph.urls[number])
    return frozenset(final)


def _pattern(kind: str, text: str) -> re.Pattern[str]:
    """A regular expression, in any case of letters."""
    try:
        return linear_pattern(f"(?i){text}")
    except ValueError as error:
        raise SettingsError([f"labels is '{kind}:{text}': not a regular expression that RE2 knows ({error})"]) from None


def _read_csv(file: Path, topic: str) -> frozenset[str]:
    """URLs whose label is the topic's name, or 1, true or yes. The first line names the columns."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            if not {"url", "label"} <= set(rows.fieldnames or ()):
                raise SettingsError([f"labels: {file} has no columns url and label; its first line must name them"])
            wanted = _YES | {topic.strip().lower()}
            return frozenset(
                Url.parse(row["url"] or "").text for row in rows if (row["label"] or "").strip().lower() in wanted
            )
    except OSError as error:
        raise SettingsError([f"labels: cannot read {file}: {error.strerror or error}"]) from error
    except (UnicodeDecodeError, csv.Error, InvalidUrl) as error:
        raise SettingsError([f"labels: {file} is not a CSV of url,label: {error}"]) from error
