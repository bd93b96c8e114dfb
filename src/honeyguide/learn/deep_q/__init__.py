"""Deep Q-learning: a network values links, and is trained on what following them brought.

`DeepQ` is the strategy. A transition goes into a `replay` memory; every so many steps a `trainer` draws a batch, works
out what each link should have been worth (`targets`) and moves the networks (`networks`) towards it with PyTorch. Every
so often the newest network is taken out as a `valuation`, which needs NumPy alone and gives equal links equal values in
any batch (`exact_layers`); waiting links are scored by that. `descriptions` says what a network sees of a link, `rules`
has the parameters, `state_links` what the dueling form must know besides, `saved_state` how all of it is kept.
"""

from honeyguide.learn.deep_q.deep_q import (
    DeepQ,
    Descriptions,
    DqnSettings,
    OutputDescriptions,
    PairDescriptions,
    q_rules,
)
from honeyguide.learn.deep_q.networks import pytorch
from honeyguide.learn.deep_q.rules import Dueling, Loss, QRules, TargetRule

__all__ = [
    "DeepQ",
    "Descriptions",
    "DqnSettings",
    "Dueling",
    "Loss",
    "OutputDescriptions",
    "PairDescriptions",
    "QRules",
    "TargetRule",
    "pytorch",
    "q_rules",
]
