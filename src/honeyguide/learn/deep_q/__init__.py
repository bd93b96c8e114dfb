"""Deep Q-learning: a network values links, and is trained on what following them brought.

`deep_q` has the strategy, `fixed` the one with Pertejo's own network, which has an output a page; `training` has the
replay memory, the targets and the training step, `networks` the settings, the networks in PyTorch, and the valuation in
NumPy by which waiting links are scored.
"""

from honeyguide.learn.deep_q.deep_q import DeepQ, PairDescriptions
from honeyguide.learn.deep_q.fixed import PageDeepQ, PageDescriptions
from honeyguide.learn.deep_q.networks import DqnSettings, pytorch

__all__ = ["DeepQ", "DqnSettings", "PageDeepQ", "PageDescriptions", "PairDescriptions", "pytorch"]
