"""How often a learner leaves the best link for a random one: one share, one that falls in a straight line, or two."""

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


@dataclass(frozen=True, slots=True)
class Phases:
    """Pertejo's two phases: training with more exploration, then a test with less."""

    training: float = 0.1  # ε while training
    test: float = 0.1  # ε afterwards
    training_choices: int = 0  # 0: there is no test
    learns_in_test: bool = True

    def share(self, choices: int) -> float:
        """The share of choices made at random after so many."""
        return self.training if self._is_training(choices) else self.test

    def learns(self, choices: int) -> bool:
        return self.learns_in_test or self._is_training(choices)

    def _is_training(self, choices: int) -> bool:
        return not self.training_choices or choices < self.training_choices
