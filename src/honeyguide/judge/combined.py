"""Several judges as one: the weighted mean of what they say."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from honeyguide.errors import JudgeError, SettingsError
from honeyguide.judge.judge import Judge
from honeyguide.judge.keywords import KeywordJudge
from honeyguide.model import Evidence, EvidenceRow
from honeyguide.registry import JUDGES
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.judge.judge import JudgeIngredients
    from honeyguide.model import Page, WordCounts
    from honeyguide.settings import Settings

# Weights far from 1 say no more, and beyond what a float holds their mean is lost.
SMALLEST_WEIGHT: Final = 1e-6
LARGEST_WEIGHT: Final = 1e6


@dataclass(frozen=True, slots=True)
class Part:
    """A judge with a name and a weight above 0."""

    name: str
    weight: float
    judge: Judge


@dataclass(frozen=True, slots=True)
class CombinedSettings:
    """The parts of a combined judge, as a user writes them: `embedding:2` is the embedding judge with weight 2."""

    table: ClassVar = "judge"

    parts: tuple[str, ...] = setting((), "the judges that combined asks, with weights, as in embedding:2 and tfidf:1")

    def mistakes(self, settings: Settings) -> Iterator[str]:
        kind = settings.judge.kind
        if kind == "combined" and not self.parts:
            yield 'judge.parts is empty: a combined judge needs some, as in ["embedding:2", "tfidf:1"]'
        if kind != "combined" and self.parts:
            yield f"judge.parts is given, but judge.kind is {kind!r}: leave them out, or set judge.kind to combined"
        kinds = []
        for text in self.parts:
            try:
                kinds.append(judge_part(text)[0])
            except ValueError as error:
                yield f"judge.parts has {text!r}: {error}"
        for repeated in sorted({kind for kind in kinds if kinds.count(kind) > 1}):
            yield f"judge.parts has {repeated} more than once: give it one weight"


def judge_part(text: str) -> tuple[str, float]:
    """Return the kind of judge and its weight, 1 where none is written; ValueError says in words what is wrong."""
    kind, colon, written = text.partition(":")
    if kind == "combined":
        raise ValueError("a combined judge has no combined parts")
    if kind not in JUDGES:
        raise ValueError(f"choose one of {', '.join(name for name in JUDGES if name != 'combined')}")
    try:
        weight = float(written) if colon else 1.0
    except ValueError:
        weight = math.nan
    if not SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT:
        raise ValueError("a weight is a number from 0.000001 to 1000000, as in embedding:2")
    return kind, weight


def kinds_of(settings: Settings) -> list[str]:
    """Return the judges that the settings name: one, or the parts of a combined one."""
    if settings.judge.kind != "combined":
        return [settings.judge.kind]
    return [judge_part(text)[0] for text in settings.of(CombinedSettings).parts]


def build_judge(given: JudgeIngredients, kind: str) -> Judge:
    """Make a judge of this kind; where it needs a topic and there is none, one that finds nothing relevant.

    Raises SettingsError where the judge lacks what it needs: a file, examples, a library; VectorsError where no word
    of the topic has a vector and the judge goes by them.
    """
    if kind not in JUDGES:
        raise SettingsError([f"judge.kind is {kind!r}: no such judge"])
    chosen: type[Judge] = JUDGES[kind]
    return KeywordJudge(given.topic) if given.topic.is_empty and chosen.needs_topic else chosen.build(given)


class CombinedJudge(Judge):
    """Relevance and threshold are the weighted means of those of the parts."""

    settings_type = CombinedSettings

    @classmethod
    def build(cls, given: JudgeIngredients) -> CombinedJudge:
        parts = map(judge_part, given.settings.of(CombinedSettings).parts)
        return cls([Part(kind, weight, build_judge(given, kind)) for kind, weight in parts])

    def __init__(self, parts: Sequence[Part]) -> None:
        assert parts
        self._parts = tuple(parts)
        self._total = sum(part.weight for part in parts)
        self.threshold = sum(part.weight * part.judge.threshold for part in parts) / self._total
        self.shares_all = all(part.judge.shares_all for part in parts)  # type: ignore[misc]

    def relevance(self, page: Page) -> float:
        return self._mean([part.judge.relevance(page) for part in self._parts])

    def see(self, page: Page) -> None:
        for part in self._parts:
            part.judge.see(page)

    def share(self) -> WordCounts | None:
        """The counts of the first part that has any: all parts see the same pages."""
        return next((shared for part in self._parts if (shared := part.judge.share()) is not None), None)

    def take_shared(self, others: WordCounts) -> None:
        for part in self._parts:
            part.judge.take_shared(others)

    def evidence(self, page: Page) -> Evidence:
        """One row a part, in the order given, and their own evidence."""
        found = tuple(part.judge.evidence(page) for part in self._parts)
        rows = tuple(
            EvidenceRow(part.name, "", each.relevance, part.weight * each.relevance / self._total, 0)
            for part, each in zip(self._parts, found, strict=True)
        )
        return Evidence("combined", self._mean([each.relevance for each in found]), self.threshold, rows, parts=found)

    def save(self) -> bytes:
        """The statistics of the parts one after another, behind a line of their lengths; nothing where none has any."""
        states = [part.judge.save() for part in self._parts]
        if not any(states):
            return b""
        return b"".join((json.dumps([len(state) for state in states]).encode(), b"\n", *states))

    def load(self, state: bytes) -> None:
        head, _, body = state.partition(b"\n")
        if not state:
            head = json.dumps([0] * len(self._parts)).encode()
        try:
            lengths = [int(length) for length in json.loads(head)]
        except (ValueError, TypeError) as error:
            raise JudgeError("the saved statistics of the judge are damaged: restore the run from a copy") from error
        if len(lengths) != len(self._parts) or sum(lengths) != len(body) or any(length < 0 for length in lengths):
            raise JudgeError(
                f"the saved statistics are of {len(lengths)} judges and this one has {len(self._parts)} parts, or they "
                "are damaged: use the run's own settings"
            )
        start = 0
        for part, length in zip(self._parts, lengths, strict=True):
            part.judge.load(body[start : start + length])
            start += length

    def _mean(self, relevances: list[float]) -> float:
        total = sum(part.weight * relevance for part, relevance in zip(self._parts, relevances, strict=True))
        return min(1.0, total / self._total)
