"""A bandit over hosts: of the hosts that have paid so far, the best link.

Meusel, Mika and Blanco (2014), "Focused crawling for structured data": hosts are the arms of a bandit. With probability
λ a choice is random; else the host with the best value is taken, and of its links the one that a classifier, trained
online, thinks best. Of the values that the paper compares, this is the host's success rate times the score of its best
link, so that the best link of the best host is the link with the greatest

    (good(host) + 1) / (fetched(host) + 2)  ·  P(good | words of the link).

The classifier is naive Bayes on the words of address, anchor and surroundings (`link_classifier`), which learns from
every fetch. Smoothing by one success and one failure is ours. A random choice is of any link, not of any host. The
paper also lets λ decay; it is constant here. Hosts are told apart by 16 bits of a hash of their names: memory is
bounded, and two of some hundreds of hosts rarely share an arm.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import xxhash

from honeyguide.errors import StrategyError
from honeyguide.learn.link_classifier import WIDTH, LinkWords, NaiveBayes
from honeyguide.learn.strategy import Order, Strategy
from honeyguide.model.saved_state import load_arrays
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Rows, Transition

HALF: Final = 256  # half precision holds whole numbers up to 2,048, so an arm's number takes two columns
ARMS: Final = HALF * HALF


@dataclass(frozen=True, slots=True)
class HostBanditSettings:
    """The bandit over hosts."""

    table: ClassVar = "host_bandit"

    exploration: float = setting(0.1, "λ: share of choices made at random", at_least=0, at_most=1)


class HostBandit(Strategy):
    """A row has the arm of a link's host in two numbers, and the link's words."""

    settings_type = HostBanditSettings
    order = Order.BEST_SCORE
    row_width = 2 + WIDTH
    seeds_first = True

    def __init__(self, language: str, settings: HostBanditSettings) -> None:
        self._words = LinkWords(language)
        self._exploration = settings.exploration
        self._forget()

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.judge.language, given.settings.of(HostBanditSettings))

    def describe(self, candidates: Candidates) -> Rows:
        arms = np.array([_arm(target.host) for target in candidates.targets], dtype=np.int64)
        halves = np.column_stack(np.divmod(arms, HALF)).astype(np.float16)
        return np.concatenate((halves, self._words.describe(candidates)), axis=1)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        arms = _arms(rows)
        success = (self._good[arms] + 1) / (self._fetched[arms] + 2)
        return success / (1 + np.exp(-np.clip(self._classifier.log_odds(rows[:, 2:]), -500, 500)))

    def explores(self, chance: np.random.Generator) -> bool:
        return bool(chance.random() < self._exploration)

    def learn(self, transition: Transition) -> bool:
        arm = _arms(transition.row[None])[0]
        self._fetched[arm] += 1
        self._good[arm] += transition.is_relevant
        self._classifier.add(transition.row[2:], is_good=transition.is_relevant)
        self._classifier.fit()
        return True

    def relearn(self, transitions: Iterable[Transition]) -> bool:
        self._forget()
        for transition in transitions:
            self.learn(transition)
        return True

    def save(self) -> bytes:
        buffer = io.BytesIO()
        np.savez_compressed(buffer, good=self._good, fetched=self._fetched, words=self._classifier.state)
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        try:
            saved = load_arrays(state)
            self._classifier = NaiveBayes.of(saved["words"])
            self._good, self._fetched = saved["good"].reshape(ARMS), saved["fetched"].reshape(ARMS)
        except (ValueError, KeyError) as error:
            raise StrategyError(f"not a saved state of host-bandit: {error}") from error

    def _forget(self) -> None:
        self._classifier = NaiveBayes()
        self._good, self._fetched = np.zeros(ARMS, dtype=np.int64), np.zeros(ARMS, dtype=np.int64)


def _arm(host: str) -> int:
    return xxhash.xxh3_64_intdigest(host.encode()) % ARMS


def _arms(rows: Rows) -> NDArray[np.int64]:
    high, low = rows[:, :2].astype(np.int64).T
    return high * HALF + low
