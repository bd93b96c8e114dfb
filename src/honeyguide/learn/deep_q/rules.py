"""The parameters of deep Q-learning."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from honeyguide.learn.strategy import Phases


class TargetRule(StrEnum):
    """How the value of what follows is estimated."""

    ORDINARY = "ordinary"
    DOUBLE = "double"
    CLIPPED_DOUBLE = "clipped-double"


class Dueling(StrEnum):
    """Whether a value is the sum of a state's value and a link's advantage, and what an advantage is measured from."""

    NONE = "none"
    MEAN = "mean"
    MAX = "max"


class Loss(StrEnum):
    """How an error counts."""

    SQUARED = "squared"
    HUBER = "huber"  # squared up to 1, then in proportion


ALWAYS_TRAINING: Final = Phases()


@dataclass(frozen=True, slots=True)
class QRules:
    """How a network learns; docs/explanation/deep-q.md has where each default is from."""

    layers: tuple[int, ...] = (64, 64)  # units in each hidden layer
    target_rule: TargetRule = TargetRule.DOUBLE
    dueling: Dueling = Dueling.NONE
    loss: Loss = Loss.HUBER
    discount: float = 0.3  # γ
    learning_rate: float = 0.001  # of Adam
    replay: int = 50_000  # transitions remembered
    batch: int = 32  # transitions a training step
    warm_up: int = 100  # transitions before the first training step
    train_every: int = 1  # transitions from one training step to the next
    refresh_every: int = 10  # training steps from one valuation to the next
    target_share: float = 0.01  # τ: how much of the network its target takes over at each training step
    dropout: float = 0.0  # share of the last hidden layer's units left out in training
    weight_penalty: float = 0.0  # λ of the sum of squared weights
    output_penalty: float = 0.0  # λ of the mean squared value: Keras's activity regulariser
    ends_at_relevant: bool = False  # a relevant page ends an episode
    reprices: bool = True  # a new valuation counts for all waiting links, not for new ones alone
    draws_pairs: bool = True  # a random choice is uniform over (s, a), then over its links; else over links
    phases: Phases = ALWAYS_TRAINING
