"""Networks in PyTorch: hidden layers of tanh units, then a linear layer (Pertejo 4.3 and his program, A.8).

A network has one tower of layers, or two in the dueling form: one sees the state alone and gives V(s), the other gives
A(s, a). Weights begin uniform within ±√(6 / (inputs + units)), as in Keras, and biases at 0. All chance comes from
NumPy's generators, so a network begins the same and drops the same units on every device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.learn.deep_q.rules import Dueling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Rows
    from honeyguide.learn.deep_q.pytorch import Tensor, Torch
    from honeyguide.learn.deep_q.rules import QRules
    from honeyguide.learn.deep_q.shape import Shape

ADVANTAGE: Final = "advantage"  # the only tower where nothing duels
STATE: Final = "state"


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """The links that rows are measured against in the dueling form: a group for every state."""

    rows: Rows  # of all groups, one after the other
    counts: NDArray[np.int64]  # in each group
    group: NDArray[np.int64]  # of each row that is measured


class Network:
    """Values rows on a device; its parameters are what an optimiser moves."""

    def __init__(
        self, torch: Torch, device: str, shape: Shape, rules: QRules, towers: Mapping[str, NDArray[Any]]
    ) -> None:
        self._torch = torch
        self._device = device
        self._shape = shape
        self._rules = rules
        self._scale = torch.from_numpy(shape.scale).to(device)
        self.tensors: dict[str, Tensor] = {
            name: torch.from_numpy(array.astype(np.float32)).to(device).requires_grad_()
            for name, array in towers.items()
        }

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Copies of the parameters."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.tensors.items()}

    def values(self, rows: Rows, beside: Beside | None, chance: np.random.Generator | None = None) -> Tensor:
        """The value of each row, as a tensor. With a generator units are dropped, as in training."""
        advantages = self._tower(ADVANTAGE, rows, chance)
        if beside is None:
            return advantages
        states = self._tower(STATE, rows, chance)
        return states + advantages - self._baselines(beside)

    def weight_penalty(self) -> Tensor:
        """The sum of squared weights, biases left out."""
        return sum((tensor**2).sum() for name, tensor in self.tensors.items() if name.endswith("weights"))

    def follow(self, other: Network, share: float) -> None:
        """Take over this share of another network's parameters."""
        with self._torch.no_grad():
            for name, tensor in self.tensors.items():
                tensor.lerp_(other.tensors[name], share)

    def _tower(self, name: str, rows: Rows, chance: np.random.Generator | None) -> Tensor:
        torch, tensors = self._torch, self.tensors
        width = self._shape.state_width if name == STATE else self._shape.inputs
        activity = self._on_device(rows[:, :width].astype(np.float32)) * self._scale[:width]
        last = len(self._rules.layers)
        for layer in range(last):
            activity = torch.tanh(activity @ tensors[f"{name}.{layer}.weights"] + tensors[f"{name}.{layer}.bias"])
        if chance is not None and self._rules.dropout:
            kept = chance.random(tuple(activity.shape)) >= self._rules.dropout
            activity = activity * self._on_device(kept.astype(np.float32) / np.float32(1 - self._rules.dropout))
        weights, bias = tensors[f"{name}.{last}.weights"], tensors[f"{name}.{last}.bias"]
        which = None if name == STATE else self._shape.which(rows)
        if which is None:
            return activity @ weights[0] + bias[0]
        chosen = self._on_device(which)
        return (activity * weights[chosen]).sum(dim=1) + bias[chosen]

    def _baselines(self, beside: Beside) -> Tensor:
        torch = self._torch
        places = np.arange(beside.counts.max())
        is_there = places < beside.counts[:, None]
        starts = np.cumsum(beside.counts) - beside.counts
        found = self._tower(ADVANTAGE, beside.rows, None)
        grouped = found[self._on_device(np.where(is_there, starts[:, None] + places, 0))]
        mask = self._on_device(is_there)
        if self._rules.dueling is Dueling.MEAN:
            baselines = (grouped * mask).sum(dim=1) / self._on_device(beside.counts)
        else:
            baselines = torch.where(mask, grouped, -torch.inf).amax(dim=1)
        return baselines[self._on_device(beside.group)]

    def _on_device(self, array: NDArray[Any]) -> Tensor:
        return self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device)


def fresh(shape: Shape, rules: QRules, chance: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """The parameters that a network begins with."""
    towers = _fresh_tower(ADVANTAGE, (shape.inputs, *rules.layers), max(shape.outputs, 1), chance)
    if rules.dueling is not Dueling.NONE:
        towers |= _fresh_tower(STATE, (shape.state_width, *rules.layers), 1, chance)
    return towers


def layers_of(
    towers: Mapping[str, NDArray[np.float32]], name: str, scale: NDArray[np.float32]
) -> list[tuple[NDArray[np.floating], NDArray[np.floating]]]:
    """Weights (inputs, units) and biases of one tower, for rows as they are: the scale is in the first weights."""
    count = sum(1 for key in towers if key.startswith(f"{name}.")) // 2
    layers: list[tuple[NDArray[np.floating], NDArray[np.floating]]] = [
        (towers[f"{name}.{layer}.weights"], towers[f"{name}.{layer}.bias"]) for layer in range(count)
    ]
    layers[-1] = (layers[-1][0].T, layers[-1][1])
    weights, bias = layers[0]
    layers[0] = (weights.astype(np.float64) * scale[: len(weights), None], bias)
    return layers


def _fresh_tower(
    name: str, sizes: Sequence[int], outputs: int, chance: np.random.Generator
) -> dict[str, NDArray[np.float32]]:
    parts: dict[str, NDArray[np.float32]] = {}
    for layer, (inputs, units) in enumerate(zip(sizes, (*sizes[1:], outputs), strict=True)):
        bound = np.sqrt(6 / (inputs + units))
        weights = chance.uniform(-bound, bound, (inputs, units)).astype(np.float32)
        # The last layer has a row an output, so that one output's weights lie together.
        is_last = layer == len(sizes) - 1
        parts[f"{name}.{layer}.weights"] = np.ascontiguousarray(weights.T) if is_last else weights
        parts[f"{name}.{layer}.bias"] = np.zeros(units, dtype=np.float32)
    return parts
