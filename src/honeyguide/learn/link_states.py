"""Telling the state of a link whose turn has come, from its row and from what became of the hosts so far."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.learn.host_history import HostHistory
from honeyguide.learn.parse_or_skip_states import state_of
from honeyguide.learn.url_features import UrlHeuristic, UrlReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Decision, Row, Rows, Topic, Transition, Url
    from honeyguide.learn.parse_or_skip_states import State, Thresholds
    from honeyguide.text import WordVectors

COLUMNS: Final = ("is a seed", "address is relevant")


class UrlMeasure(StrEnum):
    """How the relevance of a page is predicted from its address."""

    WORDS = "words"  # Lim 5.2.2: the mean over its words of how like a phrase of the topic each is
    COSINE = "cosine"  # all its words together against the topic


@dataclass(frozen=True, slots=True)
class UrlRule:
    """When an address is relevant; the defaults are Lim's."""

    measure: UrlMeasure = UrlMeasure.WORDS
    relevance: float = 2 / 3
    word_similarity: float = 2 / 3  # of a word and a phrase, below which it counts as 0


class LinkStates:
    """What is known of links and hosts, as states. The history is a function of what it was told."""

    def __init__(self, topic: Topic, vectors: WordVectors, thresholds: Thresholds, rule: UrlRule) -> None:
        self._thresholds = thresholds
        self._rule = rule
        self._reader = UrlReader(topic, vectors, UrlHeuristic(lower_bound=rule.word_similarity))
        self._history = HostHistory()

    def columns(self, candidates: Candidates) -> Rows:
        """What a state needs of each link: `COLUMNS`. Decided here, because a row is too coarse for the relevance."""
        return np.stack((candidates.is_seed, self._are_relevant(candidates.targets)), axis=1).astype(np.float16)

    def of(self, url: Url, row: Row) -> State:
        """The state of a link with these `columns`, if its turn has come now."""
        history = self._history
        return state_of(history.previous, history.of(url.host), self._thresholds, url_relevant=bool(row[1]))

    def note_decision(self, decision: Decision) -> None:
        self._history.note_decision(decision)

    def note_relevance(self, transition: Transition) -> None:
        self._history.note_relevance(transition)

    def saved(self) -> dict[str, Any]:
        """The history, as JSON takes it."""
        return self._history.saved()

    def load(self, saved: dict[str, Any]) -> None:
        """KeyError, TypeError or ValueError where `saved` is nothing of the kind; then nothing has changed."""
        self._history = HostHistory.loaded(saved)

    def _are_relevant(self, urls: Sequence[Url]) -> NDArray[np.bool_]:
        match self._rule.measure:
            case UrlMeasure.WORDS:
                relevances = self._reader.word_relevances(urls)
            case UrlMeasure.COSINE:
                relevances = self._reader.similarities(urls)
        # Two words of three that are the topic's own make 2/3, however the cosine of a word with itself was rounded.
        return relevances >= self._rule.relevance - 1e-12
