"""The specification of an experiment: worlds, topics, contenders, budget and repeats, fixed before the first fetch.

It is read from a document, which is a TOML file, flags, or both; a flag replaces the key of the same name. All mistakes
are reported at once, and unknown keys are refused.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.model import Url
from honeyguide.settings import (
    SETTINGS_BY_KEY,
    STRATEGIES,
    USUAL_STRATEGIES,
    settings_from,
    table_of,
    validate,
    with_overrides,
)
from honeyguide_lab.labels import LabelRule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from honeyguide.settings import Settings

FLOORS: Final = frozenset({"random", "breadth-first"})
"""Strategies that do not look at the topic: what any other has to beat."""

# One fetch at a time, no pauses and no guard: nothing but the choice of links differs between two crawls. With
# overrides, `guard.on = true` among them, all of it can be asked for.
LABORATORY: Final = {
    "crawl.concurrency": 1,
    "politeness.delay_s": 0.0,
    "politeness.max_delay_s": 0.0,
    "guard.on": False,
}


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic as the crawler is told of it, where to start, and what grades it."""

    name: str
    keywords: tuple[str, ...] = ()  # empty: those the world has for the topic, if it has any
    seed_urls: tuple[str, ...] = ()  # empty: the entry pages of the world
    labels: str = ""  # empty: the world's own


@dataclass(frozen=True, slots=True)
class Contender:
    """A strategy with the settings it is tried with, and how much of the labels it is told."""

    name: str
    strategy: str
    overrides: tuple[tuple[str, Any], ...] = ()  # setting and value
    answers: int = 0  # questions that the labels answer
    has_perfect_judge: bool = False  # the labels judge every page

    @property
    def is_floor(self) -> bool:
        return self.strategy in FLOORS and not self.overrides

    @property
    def mark(self) -> str:
        """How much of the labels it is told, as every table says it; empty where that is nothing."""
        told = f"answers: {self.answers}" if self.answers else ""
        return ", ".join(filter(None, (told, "perfect judge" if self.has_perfect_judge else "")))

    @property
    def untold_name(self) -> str:
        """The name of the same contender told nothing."""
        return self.name.removesuffix(f" ({self.mark})")

    def told(self, *, answers: int = 0, has_perfect_judge: bool = False) -> Contender:
        """Return the same contender, told more of the labels and named so."""
        contender = replace(self, answers=answers, has_perfect_judge=has_perfect_judge)
        return replace(contender, name=f"{self.name} ({contender.mark})")


@dataclass(frozen=True, slots=True)
class Experiment:
    """Every topic in every world is crawled by every contender, once for each repeat."""

    worlds: tuple[str, ...]
    topics: tuple[TopicSpec, ...]
    contenders: tuple[Contender, ...]
    budget: int | None = 1000  # fetches; None: as many as there are on-topic pages to be reached, R
    repeats: int = 3
    seed: int = 0  # of the first repeat; the others count up from it
    random_seeds: int = 0  # cold starts: so many pages drawn for each repeat instead of seed URLs
    overrides: tuple[tuple[str, Any], ...] = ()  # settings that all contenders share
    swept: str = ""  # the setting in which the contenders differ, where it is a sweep

    @property
    def repeat_seeds(self) -> range:
        return range(self.seed, self.seed + self.repeats)

    @property
    def has_floor(self) -> bool:
        return any(contender.is_floor for contender in self.contenders)

    def settings(
        self,
        world: str,
        topic: TopicSpec,
        contender: Contender,
        *,
        seed: int,
        budget: int,
        seed_urls: Sequence[Url] = (),
    ) -> Settings:
        """The settings of one crawl. SettingsError for settings that do not exist or values of the wrong type."""
        settings = settings_from(
            {
                "topic": {"name": topic.name, "keywords": list(topic.keywords)},
                "crawl": {"world": world, "strategy": contender.strategy, "seed": seed},
                "budget": {"fetches": budget},
            }
        )
        chosen = LABORATORY | dict(self.overrides) | dict(contender.overrides) | {"ask.questions": contender.answers}
        return with_overrides(settings, chosen | {"crawl.seed_urls": [url.text for url in seed_urls]})

    def document(self) -> dict[str, Any]:
        """All of it for a JSON file: equal documents are equal experiments."""
        return {
            name: [asdict(each) for each in value] if name in ("topics", "contenders") else value
            for name, value in ((name, getattr(self, name)) for name in self.__slots__)
        }


KEYS: Final = (
    "worlds", "topics", "seed_urls", "seeds", "labels", "budget", "strategies", "repeats", "seed", "settings",
    "parameter", "values", "ask", "perfect_judge",
)  # fmt: skip
TOPIC_KEYS: Final = ("name", "keywords", "seed_urls", "labels")
_SAID_BY_THE_EXPERIMENT: Final = {
    "topic.name": "topics", "topic.keywords": "topics", "crawl.world": "worlds", "crawl.strategy": "strategies",
    "crawl.seed": "seed", "crawl.seed_urls": "seed_urls", "budget.fetches": "budget", "ask.questions": "ask",
    "budget.relevant": "budget", "budget.stop_when": "budget",
}  # fmt: skip


def experiment_from(document: Mapping[str, Any]) -> Experiment:
    """The experiment that a document describes. SettingsError with every mistake in it."""
    return _Reading(document).experiment()


class _Reading:
    """Reads one document and gathers what is wrong with it."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._mistakes = [f"unknown key {key}; known are {', '.join(KEYS)}" for key in document if key not in KEYS]

    def experiment(self) -> Experiment:
        experiment = Experiment(
            worlds=self._worlds(),
            topics=self._topics(),
            contenders=self._contenders(),
            budget=self._budget(),
            repeats=self._whole("repeats", 3, at_least=1),
            seed=self._whole("seed", 0, at_least=0),
            random_seeds=self._random_seeds(),
            overrides=tuple(self._overrides().items()),
            swept=str(self._document.get("parameter", "")),
        )
        self._check_settings(experiment)
        if self._mistakes:
            raise SettingsError(list(dict.fromkeys(self._mistakes)))
        return experiment

    def _worlds(self) -> tuple[str, ...]:
        worlds = self._texts("worlds", self._document.get("worlds", []))
        if not worlds:
            self._mistakes.append("no world is given: name an offline one, as in --world synthetic")
        for world in worlds:
            kind = world.partition(":")[0]
            if kind == "live" or kind.endswith("+http"):
                self._mistakes.append(f"world {world} is not offline, so no two crawls see the same: try synthetic")
        return worlds

    def _topics(self) -> tuple[TopicSpec, ...]:
        given = self._document.get("topics", [])
        if not isinstance(given, list) or not all(isinstance(topic, dict) for topic in given):
            self._mistakes.append("topics must be tables: write [[topics]] and name = … below it")
            return ()
        if not given:
            self._mistakes.append("no topic is given: name one, as in --topic geology")
        topics = tuple(self._topic(topic) for topic in given)
        names = [topic.name for topic in topics]
        self._mistakes += [f"topic {name} is given twice" for name in dict.fromkeys(names) if names.count(name) > 1]
        return topics

    def _topic(self, given: Mapping[str, Any]) -> TopicSpec:
        name = given.get("name", "")
        if not isinstance(name, str) or not name.strip():
            self._mistakes.append("a topic has no name: write name = … in it")
            return TopicSpec("")
        for key in given.keys() - set(TOPIC_KEYS):
            self._mistakes.append(f"topic {name}: unknown key {key}; known are {', '.join(TOPIC_KEYS)}")
        seed_urls = self._texts("seed_urls", given.get("seed_urls", self._document.get("seed_urls", [])))
        if given.get("seed_urls") and self._document.get("seeds"):
            self._mistakes.append(f"topic {name}: seed_urls and seeds are both given: leave one out")
        for url in seed_urls:
            self._attempt(f"topic {name}: ", Url.parse, url)
        labels = str(given.get("labels", self._document.get("labels", "")))
        if labels:
            self._attempt(f"topic {name}: ", LabelRule.parse, labels, name)
        return TopicSpec(name.strip(), self._texts("keywords", given.get("keywords", [])), seed_urls, labels)

    def _contenders(self) -> tuple[Contender, ...]:
        strategies = self._texts("strategies", self._document.get("strategies", []))
        for name in strategies:
            if name not in STRATEGIES:
                self._mistakes.append(f"strategy is {name!r}: choose one of {', '.join(STRATEGIES)}")
        if "parameter" in self._document or "values" in self._document:
            return self._with_told(self._swept(strategies))
        return self._with_told(tuple(Contender(name, name) for name in dict.fromkeys(strategies or USUAL_STRATEGIES)))

    def _with_told(self, contenders: tuple[Contender, ...]) -> tuple[Contender, ...]:
        """Return the contenders, and beside each that looks at the topic those that are told of the labels."""
        perfect = self._document.get("perfect_judge", False)
        if not isinstance(perfect, bool):
            self._mistakes.append(f"perfect_judge is {perfect!r}: it must be true or false")
        counts = self._answer_counts()
        more: list[Contender] = []
        for each in contenders:
            if not each.is_floor:
                more += [each.told(answers=count) for count in counts if count]
                more += [each.told(has_perfect_judge=True)] if perfect is True else []
        return (*contenders, *more)

    def _answer_counts(self) -> list[int]:
        """Return how many questions the labels answer: one number, or several to be compared."""
        given = self._document.get("ask", [])
        counts = given if isinstance(given, list) else [given]
        if not all(isinstance(each, int) and not isinstance(each, bool) and 0 <= each <= 10_000 for each in counts):
            self._mistakes.append(f"ask is {given!r}: give a number of questions from 0 to 10000, or a list of them")
            return []
        return list(dict.fromkeys(counts))

    def _swept(self, strategies: Sequence[str]) -> tuple[Contender, ...]:
        parameter, values = self._document.get("parameter", ""), self._document.get("values", [])
        setting = SETTINGS_BY_KEY.get(parameter)
        if setting is None or parameter in _SAID_BY_THE_EXPERIMENT:
            self._mistakes.append(f"parameter is {parameter!r}: name a setting, as in online_ridge.regularisation")
            return ()
        if not isinstance(values, list) or not values:
            self._mistakes.append("values is empty: list the values to try, as in --values 0.1,1,10")
            return ()
        own = [name for name in STRATEGIES if table_of(name) == setting.table]
        names = list(dict.fromkeys(strategies)) or own
        if not names:
            self._mistakes.append(f"no strategy is given: {parameter} belongs to none in particular; add --strategy")
        for name in names if own else ():
            if name not in own:
                self._mistakes.append(f"strategy {name} does not look at {parameter}: sweep {own[0]}, or leave it out")
        return tuple(
            Contender(f"{name} {setting.name}={value}", name, ((parameter, value),))
            for name in names
            for value in dict.fromkeys(values)
        )

    def _budget(self) -> int | None:
        budget = self._document.get("budget", 1000)
        return None if budget == "R" else self._whole("budget", 1000, at_least=1, instead=", or R")

    def _random_seeds(self) -> int:
        text = self._document.get("seeds")
        if text is None:
            return 0
        kind, _, number = str(text).partition(":")
        if kind != "random" or not number.isdecimal() or not 1 <= int(number) <= 10_000:
            self._mistakes.append(f"seeds is {text!r}: write random:N with N from 1 to 10000, or give --seed-url")
            return 0
        if self._document.get("seed_urls"):
            self._mistakes.append("seed_urls and seeds are both given: leave one out")
        return int(number)

    def _overrides(self) -> dict[str, Any]:
        """Settings of the document by dotted key; it may have them as tables or dotted already."""
        given = self._document.get("settings", {})
        if not isinstance(given, dict):
            self._mistakes.append("settings must be a table, as in [settings.judge]")
            return {}
        flat: dict[str, Any] = {}
        for key, value in given.items():
            flat |= {f"{key}.{name}": each for name, each in value.items()} if isinstance(value, dict) else {key: value}
        for key in flat.keys() & _SAID_BY_THE_EXPERIMENT.keys():
            self._mistakes.append(f"setting {key} is the experiment's own: use {_SAID_BY_THE_EXPERIMENT[key]}")
        return {key: value for key, value in flat.items() if key not in _SAID_BY_THE_EXPERIMENT}

    def _check_settings(self, experiment: Experiment) -> None:
        """Build and check the settings of every contender, for any one topic."""
        topic = next(iter(experiment.topics), TopicSpec("any"))
        known = [contender for contender in experiment.contenders if contender.strategy in STRATEGIES]
        for world, contender in product(experiment.worlds, known):
            self._attempt("", _check, experiment, world, topic, contender)

    def _attempt(self, where: str, action: Callable[..., object], *arguments: object) -> None:
        """Do something and note what it says is wrong."""
        try:
            action(*arguments)
        except SettingsError as error:
            self._mistakes += [where + mistake for mistake in error.mistakes]
        except InvalidUrl as error:
            self._mistakes.append(f"{where}{error}")

    def _texts(self, key: str, value: object) -> tuple[str, ...]:
        if isinstance(value, list | tuple) and all(isinstance(item, str) and item.strip() for item in value):
            return tuple(value)
        self._mistakes.append(f"{key} is {value!r}: it must be a list of texts that are not empty")
        return ()

    def _whole(self, key: str, default: int, *, at_least: int, instead: str = "") -> int:
        value = self._document.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
            self._mistakes.append(f"{key} is {value!r}: it must be a whole number of at least {at_least}{instead}")
            return default
        return value


def _check(experiment: Experiment, world: str, topic: TopicSpec, contender: Contender) -> None:
    validate(experiment.settings(world, topic, contender, seed=0, budget=experiment.budget or 1))
