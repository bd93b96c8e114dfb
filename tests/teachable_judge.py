"""A small judge that learns: by its words a page is near pages that were answered yes, or near those answered no."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import xxhash

from honeyguide.judge import Judge, KeywordJudge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.judge import JudgeIngredients
    from honeyguide.model import Evidence, Page, Topic

WIDTH = 17
WEIGHT = 0.7  # of answers against the keywords


class TeachableJudge(Judge):
    """Begins as the keyword judge."""

    threshold = 0.5
    description_width = WIDTH

    def __init__(self, topic: Topic) -> None:
        self._keywords = KeywordJudge(topic)
        self._centre = np.zeros(WIDTH - 1)

    @property
    def is_taught(self) -> bool:
        return bool(self._centre.any())

    def describe(self, page: Page) -> NDArray[np.float16]:
        counts = np.zeros(WIDTH - 1)
        for word in page.main_words:
            counts[xxhash.xxh3_64_intdigest(word.encode()) % (WIDTH - 1)] += 1
        length = np.sqrt((counts * counts).sum())
        return np.concatenate(([self._keywords.relevance(page)], counts / (length or 1.0))).astype(np.float16)

    def relevances(self, descriptions: NDArray[np.float16]) -> NDArray[np.float64]:
        return self._relevances_about(descriptions, self._centre)

    def first_relevances(self, descriptions: NDArray[np.float16]) -> NDArray[np.float64]:
        return self._relevances_about(descriptions, np.zeros(WIDTH - 1))

    def _relevances_about(self, descriptions: NDArray[np.float16], centre: NDArray[np.float64]) -> NDArray[np.float64]:
        wide = descriptions.astype(np.float64)
        pull = (wide[:, 1:] * centre).sum(axis=1)
        return np.clip(wide[:, 0] + WEIGHT * pull, 0.01, 0.99)  # never sure: there is always a question

    def teach(self, descriptions: NDArray[np.float16], answers: Sequence[tuple[int, bool]]) -> None:
        rows = [(2 * is_yes - 1) * descriptions[place, 1:].astype(np.float64) for place, is_yes in answers]
        self._centre = np.sum(rows, axis=0) / len(rows) if rows else np.zeros(WIDTH - 1)

    def relevance(self, page: Page) -> float:
        return float(self.relevances(self.describe(page)[None, :])[0])

    def see(self, page: Page) -> None:
        pass

    def evidence(self, page: Page) -> Evidence:
        return self._keywords.evidence(page)

    def save(self) -> bytes:
        return self._centre.tobytes()

    def load(self, state: bytes) -> None:
        self._centre = np.frombuffer(state)


def build(given: JudgeIngredients, kind: str) -> TeachableJudge:
    del kind
    return TeachableJudge(given.topic)


@contextmanager
def teachable() -> Iterator[None]:
    """Let the crawls inside have this judge, whatever their settings say."""
    with patch("honeyguide.crawler.build.build_judge", build):
        yield
