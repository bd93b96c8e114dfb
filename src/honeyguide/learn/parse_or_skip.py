"""Parse or skip by a policy that is solved beforehand: Lim (2016), sections 4 and 5.2.

Breadth-first, except that each link whose turn has come is in one of sixteen states (`parse_or_skip_states`), and the
policy that policy iteration finds for a model of the crawl (`parse_or_skip_model`) says whether it is parsed or
skipped. With Lim's reward, the number of true features, that policy skips in every state, as published in section
7.3.2: the crawl fetches its seeds, which are never skipped, and ends. `docs/parse-or-skip.md` explains why. Other
assumptions about the web, and a penalty for skipping, are settings; `parse_or_skip_q` learns instead.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.domain import Skipped
from honeyguide.errors import StrategyError
from honeyguide.learn.link_states import COLUMNS, LinkStates, UrlMeasure, UrlRule
from honeyguide.learn.parse_or_skip_model import Assumptions, parses_by_state, solve
from honeyguide.learn.parse_or_skip_states import Thresholds
from honeyguide.learn.strategy import Order, Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Decision, Row, Rows, Topic, Transition, Url
    from honeyguide.learn.parse_or_skip_states import State
    from honeyguide.settings import ParseOrSkipSettings
    from honeyguide.text import WordVectors


class ParseOrSkip(Strategy):
    """A queue that leaves out what the solved policy would not parse. Seeds are always fetched."""

    order = Order.OLDEST
    row_width = len(COLUMNS)

    def __init__(self, topic: Topic, vectors: WordVectors, settings: ParseOrSkipSettings) -> None:
        self._states = LinkStates(
            topic,
            vectors,
            Thresholds(settings.ratio, settings.previous_relevance, settings.current_relevance),
            UrlRule(UrlMeasure(settings.url_measure), settings.url_relevance, settings.word_similarity),
        )
        self.policy = solved_policy(settings)

    def describe(self, candidates: Candidates) -> Rows:
        return self._states.columns(candidates)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return np.zeros(len(rows))

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:  # noqa: ARG002
        state = self._states.of(url, row)
        return None if row[0] or self.policy[state] else Skipped(f"the policy skips {state}")

    def notice(self, decision: Decision) -> None:
        self._states.note_decision(decision)

    def learn(self, transition: Transition) -> bool:
        self._states.note_relevance(transition)
        return False

    def save(self) -> bytes:
        return json.dumps(self._states.saved()).encode()

    def load(self, state: bytes) -> None:
        try:
            self._states.load(json.loads(state))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise StrategyError(f"not a saved state of parse-or-skip: {error}") from error


def solved_policy(settings: ParseOrSkipSettings) -> dict[State, bool]:
    """Whether to parse, for each state, by the model that the settings describe."""
    assumptions = Assumptions(
        same_host=settings.same_host,
        new_host=settings.new_host,
        mostly_skipped=settings.mostly_skipped,
        relevant=settings.relevant,
        zero=settings.zero,
        ratio_moves=settings.ratio_moves,
        mean_moves=settings.mean_moves,
        url_relevant=settings.url_relevant,
    )
    return parses_by_state(solve(assumptions, discount=settings.discount, skip_penalty=settings.skip_penalty))
