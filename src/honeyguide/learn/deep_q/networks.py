"""The networks of deep Q-learning, and the values of links by one state of them.

Pertejo's future work (5.2) asks for a network that takes the state and the action and has one output. There are hidden
layers of tanh units, then a linear layer (4.3 and his program, A.8), in one tower, or two in the dueling form: one sees
the state alone and gives V(s), the other gives A(s, a). Weights begin uniform within ±√(6 / (inputs + units)), as in
Keras, and biases at 0. All chance comes from NumPy's generators, so a network begins the same and drops the same units
on every device.

`Network` learns, in PyTorch: an extra, heavy, and therefore imported when a deep strategy is made. `Valuation` values
links, in NumPy alone, and the same for equal rows in any batch. A matrix product adds up a row in an order that depends
on how many rows there are, and rounds at every step. In `ExactLayers` nothing is rounded: inputs and weights are whole
multiples of powers of two, chosen so that every partial sum fits the 53 bits of a double. Sums of whole numbers do not
depend on their order, so BLAS may add as it likes, with any number of threads. What that costs is a rounding
beforehand: rows to multiples of 2^-12 (exact for indexes), the activity of a unit to multiples of 2^-20, weights to
some 24 bits of the largest in their layer, as many as single precision has.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

import numpy as np

from honeyguide.errors import SettingsError
from honeyguide.extras import install_hint
from honeyguide.learn.han_features import FeatureSettings, Scale
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.learn.deep_q.training import StateLinks
    from honeyguide.model import Rows
    from honeyguide.settings import Settings

    Floats = NDArray[np.float64]

Torch: TypeAlias = Any
"""The module: it is not there for everyone, so its types are not either."""

Tensor: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class DqnSettings(FeatureSettings):
    """Deep Q-learning, after Pertejo 2021; the profile pertejo2021-dqn has his own values."""

    table: ClassVar = "dqn"

    device: str = setting("cpu", "where the network is trained", choices=("cpu", "cuda"))
    layers: tuple[int, ...] = setting((64, 64), "units in each hidden layer of tanh units")
    target: str = setting(
        "double", "how the value of what follows is estimated", choices=("ordinary", "double", "clipped-double")
    )
    dueling: str = setting(
        "none", "what a link's advantage is measured from, where state and link have parts of their own in a value",
        choices=("none", "mean", "max"),
    )  # fmt: skip
    discount: float = setting(0.3, "γ: what the value of the next link counts", at_least=0, at_most=1)
    learning_rate: float = setting(0.001, "step of Adam", above=0, at_most=1)
    loss: str = setting("huber", "how an error counts", choices=("squared", "huber"))
    dropout: float = setting(
        0.0, "share of the last hidden layer's units left out in training", at_least=0, at_most=0.99
    )
    output_penalty: float = setting(0.0, "λ of the mean squared value", at_least=0)
    replay: int = setting(50_000, "transitions remembered, to be learned from again", at_least=1, at_most=10_000_000)
    batch: int = setting(32, "transitions in a training step", at_least=1, at_most=65_536)
    warm_up: int = setting(100, "transitions before the first training step", at_least=1)
    target_share: float = setting(
        0.01, "τ: how much of the network its target takes over at each training step", above=0, at_most=1
    )
    refresh_every: int = setting(
        10, "training steps after which links are valued by the newest network; until then by the last", at_least=1
    )
    mode: str = setting(
        "synchronous", "whether a newer network values all waiting links, or only new ones",
        choices=("synchronous", "asynchronous"),
    )  # fmt: skip
    features: str = setting("pertejo", "numbers that describe pages and links", choices=tuple(Scale))
    inputs: str = setting(
        "scaled", "whether features go in as parts of the most they can be, or as they are", choices=("scaled", "raw")
    )
    exploration: float = setting(0.1, "ε: share of choices made at random", at_least=0, at_most=1)
    exploration_test: float = setting(0.1, "ε in the test that follows the training", at_least=0, at_most=1)
    training_steps: int = setting(0, "choices after which the test begins; 0 goes on training", at_least=0)
    learns_in_test: bool = setting(default=True, meaning="whether the network goes on learning in the test")
    ends_at_relevant: bool = setting(default=False, meaning="whether a relevant page ends an episode")
    draws: str = setting(
        "pair", "what is drawn at random: pairs of state and action, or links", choices=("pair", "link")
    )
    outputs: int = setting(
        10_000, "outputs of the network of dqn-fixed, one a page; links to pages beyond are never fetched",
        at_least=1, at_most=1_000_000,
    )  # fmt: skip

    def mistakes(self, settings: Settings) -> Iterator[str]:  # noqa: ARG002
        yield from self.mistakes_of_changes(self.table)
        if not self.layers or not all(1 <= units <= 4096 for units in self.layers):
            yield f"dqn.layers is {list(self.layers)}: give at least one layer, each of 1 to 4096 units"

    def exploration_after(self, choices: int) -> float:
        """The share of choices made at random after so many: Pertejo trains with more, then tests with less."""
        return self.exploration if self._is_training(choices) else self.exploration_test

    def learns_after(self, choices: int) -> bool:
        return self.learns_in_test or self._is_training(choices)

    def _is_training(self, choices: int) -> bool:
        return not self.training_steps or choices < self.training_steps


def pytorch(strategy: str, device: str) -> Torch:
    """The module. SettingsError where it is missing, or where there is no such device."""
    try:
        import torch  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        raise SettingsError(
            [f"crawl.strategy is {strategy!r}: it needs PyTorch; {install_hint('deep')}, or choose lfa-sync"]
        ) from None
    if device == "cuda" and not torch.cuda.is_available():
        raise SettingsError(
            ["dqn.device is 'cuda': PyTorch finds no CUDA device here; use --device cpu, or a CUDA build of PyTorch"]
        )
    return torch


@contextmanager
def one_thread(torch: Torch) -> Iterator[None]:
    """Sums that do not depend on how many processors there are. The number of threads is put back afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


DIGIT: Final = 1024  # an output is told in digits of this base: half precision has whole numbers up to 2,048 only
DIGITS: Final = 3
MOST_OUTPUTS: Final = DIGIT**DIGITS - 1


@dataclass(frozen=True, slots=True, eq=False)
class RowShape:
    """The columns of a row, and how many outputs there are.

    A row begins with the state. The link follows: in numbers of its own, or as the digits of its output plus one,
    lowest first; zeros are a link without an output.
    """

    state_width: int
    row_width: int
    scale: NDArray[np.float32]  # factor of each number that goes in
    outputs: int = 0

    @property
    def inputs(self) -> int:
        return self.state_width if self.outputs else self.row_width

    def which(self, rows: Rows) -> NDArray[np.int64]:
        """The output of each row, -1 for none; where there are several."""
        digits = rows[:, self.state_width :].astype(np.int64)
        return digits @ (DIGIT ** np.arange(DIGITS)) - 1

    def has_value(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows the network can value."""
        if not self.outputs:
            return np.ones(len(rows), dtype=np.bool_)
        which = self.which(rows)
        return (which >= 0) & (which < self.outputs)


def digits_of(outputs: NDArray[np.int64]) -> Rows:
    """Outputs as they stand in rows; one too large to be told is the largest that can be."""
    numbers = np.minimum(outputs + 1, MOST_OUTPUTS)
    return (numbers[:, None] // DIGIT ** np.arange(DIGITS) % DIGIT).astype(np.float16)


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
        self, torch: Torch, shape: RowShape, settings: DqnSettings, towers: Mapping[str, NDArray[Any]]
    ) -> None:
        self._torch = torch
        self._device = device = settings.device
        self._shape = shape
        self._settings = settings
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

    def values_by_page(self, found: Sequence[Rows], beside: Beside | None) -> list[NDArray[np.floating]]:
        """The values of what could follow on each of some pages: of its links."""
        ends = np.cumsum([len(each) for each in found])[:-1]
        with self._torch.no_grad():
            return np.split(self.values(np.concatenate(found), beside).cpu().numpy(), ends)

    def follow(self, other: Network, share: float) -> None:
        """Take over this share of another network's parameters."""
        with self._torch.no_grad():
            for name, tensor in self.tensors.items():
                tensor.lerp_(other.tensors[name], share)

    def _tower(self, name: str, rows: Rows, chance: np.random.Generator | None) -> Tensor:
        weights, bias = self._linear(name)
        return self._hidden(name, rows, chance) @ weights[0] + bias[0]

    def _linear(self, name: str) -> tuple[Tensor, Tensor]:
        """The weights and biases of the last layer, a row an output."""
        last = len(self._settings.layers)
        return self.tensors[f"{name}.{last}.weights"], self.tensors[f"{name}.{last}.bias"]

    def _hidden(self, name: str, rows: Rows, chance: np.random.Generator | None) -> Tensor:
        """The activity of the last hidden layer."""
        torch, tensors = self._torch, self.tensors
        width = self._shape.state_width if name == STATE else self._shape.inputs
        activity = self._on_device(rows[:, :width].astype(np.float32)) * self._scale[:width]
        for layer in range(len(self._settings.layers)):
            activity = torch.tanh(activity @ tensors[f"{name}.{layer}.weights"] + tensors[f"{name}.{layer}.bias"])
        if chance is not None and self._settings.dropout:
            kept = chance.random(tuple(activity.shape)) >= self._settings.dropout
            activity = activity * self._on_device(kept.astype(np.float32) / np.float32(1 - self._settings.dropout))
        return activity

    def _baselines(self, beside: Beside) -> Tensor:
        torch = self._torch
        places = np.arange(beside.counts.max())
        is_there = places < beside.counts[:, None]
        starts = np.cumsum(beside.counts) - beside.counts
        found = self._tower(ADVANTAGE, beside.rows, None)
        grouped = found[self._on_device(np.where(is_there, starts[:, None] + places, 0))]
        mask = self._on_device(is_there)
        if self._settings.dueling == "mean":
            baselines = (grouped * mask).sum(dim=1) / self._on_device(beside.counts)
        else:
            baselines = torch.where(mask, grouped, -torch.inf).amax(dim=1)
        return baselines[self._on_device(beside.group)]

    def _on_device(self, array: NDArray[Any]) -> Tensor:
        return self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device)


def fresh(shape: RowShape, settings: DqnSettings, chance: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """The parameters that a network begins with."""
    is_dueling = settings.dueling != "none"
    if shape.outputs:  # one trunk for all of them; V(s) is one more
        return _fresh_tower(ADVANTAGE, (shape.inputs, *settings.layers), shape.outputs + is_dueling, chance)
    towers = _fresh_tower(ADVANTAGE, (shape.inputs, *settings.layers), 1, chance)
    if is_dueling:
        towers |= _fresh_tower(STATE, (shape.state_width, *settings.layers), 1, chance)
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


DOUBLE_BITS: Final = 53
ROW_GRID: Final = 2.0**-12
ROW_LIMIT: Final = 2.0**9  # numbers in a row beyond it count as it
ROW_BITS: Final = 21
UNIT_GRID: Final = 2.0**-20  # of an activity, which is from -1 to 1
UNIT_BITS: Final = 20
BLOCK_ROWS: Final = 8192


class ExactLayers:
    """Hidden layers of tanh units over rows, then a linear layer."""

    def __init__(self, layers: Sequence[tuple[NDArray[np.floating], NDArray[np.floating]]]) -> None:
        """From weights, of shape (inputs, units), and biases of each layer, the linear one last."""
        self._layers = [
            (on_grid(weights.astype(np.float64), UNIT_BITS if place else ROW_BITS), bias.astype(np.float64))
            for place, (weights, bias) in enumerate(layers)
        ]

    def all_outputs(self, rows: Rows) -> Floats:
        """Every output of each row, one column each."""
        weights, bias = self._layers[-1]
        return self._hidden(rows) @ weights + bias

    def outputs(self, rows: Rows, which: NDArray[np.int64] | None = None) -> Floats:
        """The output of each row: the only one, or that of the linear layer's unit `which`."""
        found = np.empty(len(rows))
        for start in range(0, len(rows), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            found[block] = self._outputs(rows[block], None if which is None else which[block])
        return found

    def _hidden(self, rows: Rows) -> Floats:
        activity = np.clip(np.round(rows.astype(np.float64) / ROW_GRID) * ROW_GRID, -ROW_LIMIT, ROW_LIMIT)
        for weights, bias in self._layers[:-1]:
            activity = np.round(np.tanh(activity @ weights + bias) / UNIT_GRID) * UNIT_GRID
        return activity

    def _outputs(self, rows: Rows, which: NDArray[np.int64] | None) -> Floats:
        activity = self._hidden(rows)
        weights, bias = self._layers[-1]
        if which is None:
            return activity @ weights[:, 0] + bias[0]
        return (activity * weights.T[which]).sum(axis=1) + bias[which]


def on_grid(weights: Floats, input_bits: int) -> Floats:
    """Weights rounded so that their sums with inputs of so many bits are exact."""
    largest = float(np.abs(weights).max(initial=0.0))
    if not largest:
        return weights
    room = DOUBLE_BITS - input_bits - math.ceil(math.log2(max(len(weights), 1)))
    grid = 2.0 ** (math.frexp(largest)[1] - room)
    return np.round(weights / grid) * grid


def baseline(advantages: NDArray[np.floating], dueling: str) -> float:
    """Return the mean or the best of the advantages of all links in a state, which is taken off each.

    Dueling (Wang et al. 2015, equations 8 and 9): Q(s, a) = V(s) + A(s, a) - baseline of A(s, a').
    """
    return float(advantages.mean() if dueling == "mean" else advantages.max())


class Valuation:
    """The values by a network as it was when this was made.

    In the dueling form a state's baseline is fixed when the state is first told of (`meet`) and holds for this
    valuation, so that a value does not change while links wait by it. A link in a state never told of is worth V(s).
    """

    def __init__(
        self,
        shape: RowShape,
        dueling: str,
        towers: Mapping[str, NDArray[np.float32]],
        baseline_by_state: Mapping[bytes, float] | None = None,
    ) -> None:
        self.towers = towers
        self.baseline_by_state = dict(baseline_by_state or {})
        self._shape = shape
        self._dueling = dueling
        self._advantages = ExactLayers(layers_of(towers, ADVANTAGE, shape.scale))
        self._states = None if dueling == "none" else ExactLayers(layers_of(towers, STATE, shape.scale))

    def meet(self, states: Iterable[bytes], links: StateLinks) -> None:
        """Fix the baselines of states that have none yet."""
        if self._states is None:
            return
        new = [state for state in states if state not in self.baseline_by_state]
        samples = [links.of(state) for state in new]
        ends = np.cumsum([len(sample) for sample in samples])
        found = np.split(self._advantages_of(np.concatenate(samples)), ends)[: len(new)] if new else []
        for state, advantages in zip(new, found, strict=True):
            if len(advantages):
                self.baseline_by_state[state] = baseline(advantages, self._dueling)

    def values(self, rows: Rows) -> NDArray[np.float64]:
        advantages = self._advantages_of(rows)
        if self._states is None or not len(rows):
            return advantages
        width = self._shape.state_width
        states, place = np.unique(rows[:, :width] + np.float16(0), axis=0, return_inverse=True)
        place = place.reshape(-1)
        baselines = np.array([self.baseline_by_state.get(state.tobytes(), np.nan) for state in states])[place]
        beyond = np.where(np.isnan(baselines), 0.0, advantages - baselines)
        return self._states.outputs(states)[place] + beyond

    def _advantages_of(self, rows: Rows) -> NDArray[np.float64]:
        return self._advantages.outputs(rows)
