"""How often a learner leaves the best link for a random one: a constant share, or one that falls in a straight line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exploration:
    """The share of choices made at random after `n` choices."""

    start: float
    end: float
    over: int  # choices until `end` is reached; 0 stays at `start` for ever

    def share(self, choices: int) -> float:
        if not self.over:
            return self.start
        return self.start + (self.end - self.start) * min(choices / self.over, 1.0)
