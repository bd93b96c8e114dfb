"""The specification of a leaderboard: webs, strategies, and the sizes of its two rounds.

It is a list of comparisons (`[[compare]]`, with the keys of `lab compare`), each on webs of one kind, under a name. In
the first round all strategies crawl the first topics of each; in the second the best of them crawl every topic, also
with larger budgets and with answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from honeyguide.errors import SettingsError
from honeyguide.settings import STRATEGIES
from honeyguide_lab.spec import experiment_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from honeyguide_lab.spec import Contender, Experiment

Budget: TypeAlias = int | None
"""Fetches; None is R, as many as there are on-topic pages to be reached."""

BASELINE: Final = "best-first"
"""The strategy that all others are set against."""

_TOPICS: Final = ("geology", "opera", "chess", "oncology", "finance", "cycling")
SYNTHETIC_WEBS: Final[dict[str, Any]] = {
    "compare": [
        {
            "name": name,
            "worlds": [f"synthetic:{spec}"],
            "seeds": "random:3",
            "topics": [{"name": topic} for topic in _TOPICS],
        }
        for name, spec in (
            ("synthetic", "seed=21,pages=6000"),
            ("dead links", "seed=22,pages=16000,hosts=800,gone_share=0.6,lost_share=0.35"),
        )
    ]
}
"""The leaderboard of the webs that need no files, for when nobody names others."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """What is compared: webs, strategies, and the sizes of both rounds."""

    webs: tuple[tuple[str, Experiment], ...]  # by name; contenders are all strategies
    topics_each: int = 4  # of each comparison, for the first round
    budgets: tuple[Budget, ...] = (None, 500)  # fetches; None: R
    best: int = 6  # strategies that are in the second round; 0: there is none
    best_budgets: tuple[Budget, ...] = (None, 500, 2000)
    answers: int = 10  # questions that the labels answer once more in the second round; 0: none

    @property
    def contenders(self) -> tuple[Contender, ...]:
        return self.webs[0][1].contenders

    def quick(self) -> Leaderboard:
        """Return the same webs in minutes: two topics, one repeat, 100 fetches, one round."""
        webs = tuple((name, replace(experiment, repeats=1)) for name, experiment in self.webs)
        return replace(self, webs=webs, topics_each=2, budgets=(100,), best=0)

    def second_round(self, best: Sequence[str]) -> tuple[Contender, ...]:
        """Return the contenders of the second round: the best, the baseline, and all of them told answers."""
        plain = tuple(each for each in self.contenders if each.name in (*best, BASELINE))
        told = (each.told(answers=self.answers) for each in plain if not each.is_floor)
        return (*plain, *told) if self.answers else plain


KEYS: Final = ("strategies", "topics_each", "budgets", "repeats", "seed", "best", "settings", "compare")
BEST_KEYS: Final = ("strategies", "budgets", "ask")
COMPARE_KEYS: Final = ("name", "worlds", "topics", "seed_urls", "seeds", "labels", "settings")


def leaderboard_from(document: Mapping[str, Any]) -> Leaderboard:
    """The leaderboard that a document describes. SettingsError with every mistake in it."""
    mistakes = [f"unknown key {key}; known are {', '.join(KEYS)}" for key in document if key not in KEYS]
    best = document.get("best", {})
    if not isinstance(best, dict):
        mistakes.append(f"best is {best!r}: write [best] and {', '.join(BEST_KEYS)} below it")
        best = {}
    mistakes += [f"best: unknown key {key}; known are {', '.join(BEST_KEYS)}" for key in best if key not in BEST_KEYS]
    strategies = document.get("strategies", list(STRATEGIES))
    if isinstance(strategies, list) and BASELINE not in strategies:
        mistakes.append(f"strategies leave out {BASELINE}: add it, because all differences are from it")
    shared = {key: document[key] for key in ("repeats", "seed") if key in document} | {"strategies": strategies}
    board = Leaderboard(
        webs=_webs(document, shared, mistakes),
        topics_each=_whole("topics_each", document.get("topics_each", 4), mistakes, at_least=1),
        budgets=_budgets("budgets", document.get("budgets", ["R", 500]), mistakes),
        best=_whole("best.strategies", best.get("strategies", 6), mistakes),
        best_budgets=_budgets("best.budgets", best.get("budgets", ["R", 500, 2000]), mistakes),
        answers=_whole("best.ask", best.get("ask", 10), mistakes),
    )
    if mistakes:
        raise SettingsError(list(dict.fromkeys(mistakes)))
    return board


def _webs(
    document: Mapping[str, Any], shared: Mapping[str, Any], mistakes: list[str]
) -> tuple[tuple[str, Experiment], ...]:
    tables = document.get("compare", [])
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        mistakes.append("no webs are given: write [[compare]] with name, worlds and topics, once for webs of each kind")
        return ()
    names = [table.get("name") for table in tables]
    webs = []
    for name, table in zip(names, tables, strict=True):
        if not isinstance(name, str) or not name.strip() or names.count(name) > 1:
            mistakes.append(f"compare: name is {name!r}: give each a name of its own")
            continue
        unknown = [key for key in table if key not in COMPARE_KEYS]
        mistakes += [f"compare {name}: unknown key {key}; known are {', '.join(COMPARE_KEYS)}" for key in unknown]
        given = {key: table[key] for key in COMPARE_KEYS[1:] if key in table}
        settings = {"settings": document.get("settings", {}) | table.get("settings", {})}
        try:
            webs.append((name, experiment_from(given | settings | dict(shared))))
        except SettingsError as error:
            mistakes += [f"compare {name}: {mistake}" for mistake in error.mistakes]
    return tuple(webs)


def _whole(key: str, value: object, mistakes: list[str], *, at_least: int = 0, instead: str = "") -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= at_least:
        return value
    mistakes.append(f"{key} is {value!r}: it must be a whole number of at least {at_least}{instead}")
    return at_least


def _budgets(key: str, value: object, mistakes: list[str]) -> tuple[Budget, ...]:
    if not isinstance(value, list) or not value:
        mistakes.append(f'{key} is {value!r}: list numbers of fetches, or R, as in ["R", 500]')
        return ()
    return tuple(
        dict.fromkeys(
            None if each == "R" else _whole(key, each, mistakes, at_least=1, instead=", or R") for each in value
        )
    )
