"""Several judges as one: the weighted mean of what they say."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from honeyguide.errors import JudgeError
from honeyguide.model import Evidence, EvidenceRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.judge.judge import Judge
    from honeyguide.model import Page


@dataclass(frozen=True, slots=True)
class Part:
    """A judge with a name and a weight above 0."""

    name: str
    weight: float
    judge: Judge


class CombinedJudge:
    """Relevance and threshold are the weighted means of those of the parts."""

    def __init__(self, parts: Sequence[Part]) -> None:
        assert parts
        self._parts = tuple(parts)
        self._total = sum(part.weight for part in parts)
        self.threshold = sum(part.weight * part.judge.threshold for part in parts) / self._total

    def relevance(self, page: Page) -> float:
        return self._mean([part.judge.relevance(page) for part in self._parts])

    def see(self, page: Page) -> None:
        for part in self._parts:
            part.judge.see(page)

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
