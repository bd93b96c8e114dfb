"""A small neural network over text vectors, trained on a topic's examples by PyTorch.

One hidden layer of `HIDDEN` rectified units, both kinds of example weighing the same, Adam with weight decay and
dropout over the whole set at every pass. Where each kind has at least `ENOUGH_TO_HOLD_BACK` examples, one in five is
held back, and training stops when these have not got better for `PATIENCE` passes; the best weights count. With fewer
examples none can be spared: training stops as soon as the fit is good, before it is perfect.

PyTorch only trains. The weights are taken out, so judging needs NumPy alone, and is the same on every machine that has
the same weights. Training is on the CPU with one thread and a seed of its own, so the same examples and seed give the
same weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.errors import SettingsError
from honeyguide.judge.logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.judge.examples import Examples
    from honeyguide.text import WordVectors

HIDDEN: Final = 32
DROPOUT: Final = 0.2
LEARNING_RATE: Final = 0.01
WEIGHT_DECAY: Final = 0.01
MOST_PASSES: Final = 400
PATIENCE: Final = 30
ENOUGH_TO_HOLD_BACK: Final = 10
HELD_BACK: Final = 5  # one in so many
GOOD_LOSS: Final = 0.1  # cross entropy: a text to be like is at 0.9


@dataclass(frozen=True, slots=True, eq=False)
class NeuralModel:
    """One hidden layer of rectified units."""

    hidden_weights: NDArray[np.float64]  # one row a unit
    hidden_bias: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float

    def probability(self, vector: NDArray[np.float64]) -> float:
        hidden = np.maximum(0.0, (self.hidden_weights * vector).sum(axis=1) + self.hidden_bias)
        return logistic(float((self.weights * hidden).sum()) + self.bias)


def trained_network(examples: Examples, table: WordVectors, seed: int) -> NeuralModel:
    """The network of these examples. Leaves PyTorch's own generator and number of threads as they were."""
    try:
        import torch  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        raise SettingsError(
            ["judge.kind is 'neural': it needs PyTorch; pip install 'honeyguide[deep]', or choose the judge classifier"]
        ) from None
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return _trained(torch, examples.vectors(table), examples.labels, np.random.default_rng(seed))
    finally:
        torch.set_num_threads(threads)


def _trained(
    torch: Any,  # noqa: ANN401 - the module
    vectors: NDArray[np.float64],
    labels: NDArray[np.int64],
    chance: np.random.Generator,
) -> NeuralModel:
    held = _held_back(labels, chance)
    network = torch.nn.Sequential(
        torch.nn.Linear(vectors.shape[1], HIDDEN),
        torch.nn.ReLU(),
        torch.nn.Dropout(DROPOUT),
        torch.nn.Linear(HIDDEN, 1),
    )
    optimiser = torch.optim.AdamW(network.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    learned, watched = (_batch(torch, vectors[rows], labels[rows]) for rows in (~held, held if held.any() else ~held))
    best_loss, best, waited = float("inf"), _model(network), 0
    for _ in range(MOST_PASSES):
        network.train()
        optimiser.zero_grad()
        _loss(torch, network, *learned).backward()
        optimiser.step()
        network.eval()
        with torch.no_grad():
            loss = float(_loss(torch, network, *watched))
        waited += 1
        if loss < best_loss:
            best_loss, best, waited = loss, _model(network), 0
        if waited >= PATIENCE or (not held.any() and loss < GOOD_LOSS):
            break
    return best


def _held_back(labels: NDArray[np.int64], chance: np.random.Generator) -> NDArray[np.bool_]:
    """Which examples are not learned from, so that they can say when to stop."""
    held = np.zeros(len(labels), dtype=bool)
    kinds = [np.flatnonzero(labels == kind) for kind in (0, 1)]
    if min(map(len, kinds)) >= ENOUGH_TO_HOLD_BACK:
        for places in kinds:
            held[chance.permutation(places)[: len(places) // HELD_BACK]] = True
    return held


def _batch(torch: Any, vectors: NDArray[np.float64], labels: NDArray[np.int64]) -> tuple[Any, Any, Any]:  # noqa: ANN401
    """Vectors, labels, and weights that make both kinds count the same."""
    shares = {kind: (labels == kind).mean() for kind in (0, 1)}
    weights = np.array([0.5 / shares[label] for label in labels.tolist()])
    inputs, targets, balance = (torch.tensor(part, dtype=torch.float32) for part in (vectors, labels, weights))
    return inputs, targets, balance


def _loss(torch: Any, network: Any, inputs: Any, targets: Any, balance: Any) -> Any:  # noqa: ANN401
    return torch.nn.functional.binary_cross_entropy_with_logits(network(inputs)[:, 0], targets, weight=balance)


def _model(network: Any) -> NeuralModel:  # noqa: ANN401
    first, last = network[0], network[3]
    hidden, hidden_bias, weights, bias = (
        part.detach().numpy().astype(np.float64) for part in (first.weight, first.bias, last.weight, last.bias)
    )
    return NeuralModel(hidden, hidden_bias, weights[0], float(bias[0]))
