"""Parse or skip by a policy that is solved beforehand: Lim (2016), sections 4 and 5.2.

Breadth-first, except that each link whose turn has come is in one of sixteen states, told from its row and from what
became of the links of the hosts so far (N_sp, N_ss and R_same of section 5.2.1), and the policy that policy iteration
finds for a model of the crawl (`parse_or_skip_model`) says whether it is parsed or skipped. With Lim's reward, the
number of true features, that policy skips in every state, as published in section 7.3.2: the crawl fetches its seeds,
which are never skipped, and ends. `docs/explanation/parse-or-skip.md` explains why; `parse_or_skip_q` learns instead.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.parse_or_skip_model import Assumptions, Thresholds, parses_by_state, solve, state_of
from honeyguide.learn.strategy import Order, Strategy
from honeyguide.learn.url_heuristic import UrlHeuristic, UrlReader
from honeyguide.model import Skipped
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.parse_or_skip_model import State
    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Decision, HostKey, Row, Rows, Topic, Transition, Url
    from honeyguide.text import WordVectors


@dataclass(frozen=True, slots=True)
class HostTally:
    """The books of one host."""

    parsed: int = 0  # links that were fetched, or are being fetched
    skipped: int = 0
    judged: int = 0  # of those fetched, the ones whose relevance has come in; a failure counts, with 0
    relevance: float = 0.0  # sum over those


NEVER_MET = HostTally()


class HostHistory:
    """The books of all hosts, one entry for each host that was decided on. A function of what it was told."""

    def __init__(self) -> None:
        self._tally_by_host: dict[HostKey, HostTally] = {}
        self._previous: HostKey | None = None

    def of(self, host: HostKey) -> HostTally:
        return self._tally_by_host.get(host, NEVER_MET)

    @property
    def previous(self) -> HostTally:
        """Of the host of the last link decided on, as it is now."""
        return NEVER_MET if self._previous is None else self.of(self._previous)

    def note_decision(self, decision: Decision) -> None:
        host, tally = decision.url.host, self.of(decision.url.host)
        if decision.is_skipped:
            self._tally_by_host[host] = replace(tally, skipped=tally.skipped + 1)
        else:
            self._tally_by_host[host] = replace(tally, parsed=tally.parsed + 1)
        self._previous = host

    def note_relevance(self, transition: Transition) -> None:
        host, tally = transition.url.host, self.of(transition.url.host)
        relevance = tally.relevance + transition.relevance
        self._tally_by_host[host] = replace(tally, judged=tally.judged + 1, relevance=relevance)

    def saved(self) -> dict[str, Any]:
        """All of it, as JSON takes it."""
        tallies = {host: astuple(tally) for host, tally in self._tally_by_host.items()}
        return {"hosts": tallies, "previous": self._previous}

    @classmethod
    def loaded(cls, saved: dict[str, Any]) -> HostHistory:
        """KeyError, TypeError or ValueError where `saved` is nothing of the kind."""
        history = cls()
        for host, (parsed, skipped, judged, relevance) in saved["hosts"].items():
            tally = HostTally(int(parsed), int(skipped), int(judged), float(relevance))
            history._tally_by_host[host] = tally
        history._previous = saved["previous"]
        return history


COLUMNS: Final = ("is a seed", "address is relevant")


class UrlMeasure(StrEnum):
    """The prediction of a page's relevance from its address."""

    WORDS = "words"  # Lim 5.2.2: the mean over its words of how like a phrase of the topic each is
    COSINE = "cosine"  # all its words together against the topic


@dataclass(frozen=True, slots=True)
class UrlRule:
    """When an address is relevant; the defaults are Lim's."""

    measure: UrlMeasure = UrlMeasure.WORDS
    relevance: float = 2 / 3
    word_similarity: float = 2 / 3  # of a word and a phrase, below which it counts as 0


class LinkStates:
    """Tells the states of links from what became of their hosts. The history is a function of what it was told."""

    def __init__(self, topic: Topic, vectors: WordVectors, thresholds: Thresholds, rule: UrlRule) -> None:
        self._thresholds = thresholds
        self._rule = rule
        self._reader = UrlReader(topic, vectors, UrlHeuristic(lower_bound=rule.word_similarity))
        self._history = HostHistory()

    def columns(self, candidates: Candidates) -> Rows:
        """Return `COLUMNS` of each link. Relevance is decided here, because a row is too coarse for it."""
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


@dataclass(frozen=True, slots=True)
class ParseOrSkipSettings:
    """Parse or skip by a policy solved beforehand (Lim 2016), with his thresholds and our chances."""

    table: ClassVar = "parse_or_skip"

    discount: float = setting(
        0.9, "weight of the next state's value; at 1 a thousand steps count", at_least=0, at_most=1
    )
    skip_penalty: float = setting(0.0, "what a skip costs; a true feature pays 1", at_least=0)
    relevant: float = setting(0.2, "chance that a known host is relevant", at_least=0, at_most=1)


class ParseOrSkip(Strategy):
    """A queue that leaves out what the solved policy would not parse. Seeds are always fetched."""

    settings_type = ParseOrSkipSettings
    order = Order.OLDEST
    row_width = len(COLUMNS)

    def __init__(self, topic: Topic, vectors: WordVectors, settings: ParseOrSkipSettings) -> None:
        self._states = LinkStates(topic, vectors, Thresholds(), UrlRule())
        assumed = Assumptions(relevant=settings.relevant)
        self.policy = parses_by_state(solve(assumed, discount=settings.discount, skip_penalty=settings.skip_penalty))

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.vectors(), given.settings.of(ParseOrSkipSettings))

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
