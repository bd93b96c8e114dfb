"""The training of deep Q-learning: replay memory, targets, and the step that moves a network.

The replay memory (Lin 1992; Pertejo's holds 50,000) keeps what was learned from before, to be learned from again. What
a link should have been worth, r the reward and s' the page that it led to:

    ordinary         r + γ max_a' Q'(s', a')                                   Mnih et al. (2015), Pertejo (2021) 2.6.1
    double           r + γ Q'(s', argmax_a' Q(s', a'))                         van Hasselt et al. (2015)
    clipped double   r + γ min_i Q'_i(s', argmax_a' Q_1(s', a'))               Fujimoto et al. (2018), equation 10

Q is the network that learns, Q' its slowly following copy; the clipped form has two of each. (Pertejo's text, 2.6.2,
has Q and Q' the other way round; the library he ran, keras-rl, has them as here.) Of equal values the first counts.

In the dueling form an advantage is measured against those of the other links in a state. The papers have a fixed set of
actions; here they are the links of the pages that look like that state. `StateLinks` keeps the first `KEPT` of them by
a hash of their numbers: a fair sample of the different links met in it, and the same in whatever order they were met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from honeyguide.errors import StrategyError
from honeyguide.learn.deep_q.networks import Beside, Network, fresh, one_thread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.learn.deep_q.networks import DqnSettings, RowShape, Tensor, Torch
    from honeyguide.model import Row, Rows

    Arrays = dict[str, NDArray[Any]]


def ordinary(target: NDArray[np.floating]) -> float:
    """The value of what follows, from the values of the next links by the target network."""
    return float(target.max())


def double(online: NDArray[np.floating], target: NDArray[np.floating]) -> float:
    """The same, where the learning network chooses the link and the target network says what it is worth."""
    return float(target[online.argmax()])


def clipped_double(
    online: NDArray[np.floating], target: NDArray[np.floating], other_target: NDArray[np.floating]
) -> float:
    """The same, with the lower of what two target networks say."""
    chosen = online.argmax()
    return float(min(target[chosen], other_target[chosen]))


def bootstrapped(reward: float, following: float | None, discount: float) -> float:
    """Return the target of a link; `following` is None where nothing follows."""
    return reward if following is None else reward + discount * following


MOST_NEXT: Final = 256  # of a page with more links that look different, so many by chance


@dataclass(frozen=True, slots=True, eq=False)
class Experience:
    """A link followed, and what came of it. `next_rows` is empty where nothing follows."""

    row: Row
    reward: float
    next_rows: Rows


class Replay:
    """The last `capacity` experiences; older ones are written over."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._kept: list[Experience] = []
        self._oldest = 0

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, experience: Experience) -> None:
        if len(self._kept) < self._capacity:
            self._kept.append(experience)
            return
        self._kept[self._oldest] = experience
        self._oldest = (self._oldest + 1) % self._capacity

    def drawn(self, count: int, chance: np.random.Generator) -> list[Experience]:
        """So many by chance, each draw uniform over all that are kept."""
        return [self._kept[place] for place in chance.integers(len(self._kept), size=count).tolist()]

    def arrays(self, row_width: int) -> dict[str, NDArray[np.generic]]:
        """Everything, in columns."""
        none = np.empty((0, row_width), dtype=np.float16)
        return {
            "rows": np.stack([kept.row for kept in self._kept]) if self._kept else none,
            "rewards": np.array([kept.reward for kept in self._kept], dtype=np.float64),
            "next_counts": np.array([len(kept.next_rows) for kept in self._kept], dtype=np.int64),
            "next_rows": np.concatenate([none, *(kept.next_rows for kept in self._kept)]),
            "oldest": np.array(self._oldest),
        }

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to what `arrays` gave."""
        ends = np.cumsum(arrays["next_counts"].astype(np.int64))
        next_rows = np.split(arrays["next_rows"].astype(np.float16), ends)[: len(ends)]
        rewards = arrays["rewards"].astype(np.float64).tolist()
        columns = zip(arrays["rows"].astype(np.float16), rewards, next_rows, strict=True)
        self._kept = [Experience(row.copy(), reward, following.copy()) for row, reward, following in columns]
        self._oldest = int(arrays["oldest"].item())


def distinct(rows: Rows, chance: np.random.Generator) -> Rows:
    """Each row once, in an order of their own; some of them by chance where they are more than `MOST_NEXT`."""
    found: Rows = np.unique(rows, axis=0) if len(rows) > 1 else rows.copy()
    if len(found) > MOST_NEXT:
        found = found[np.sort(chance.choice(len(found), MOST_NEXT, replace=False))]
    return found


KEPT: Final = 32


class StateLinks:
    """A sample of the distinct rows met in every state. A row begins with the numbers of its state."""

    def __init__(self, state_width: int, row_width: int) -> None:
        self._state_width = state_width
        self._row_width = row_width
        self._rows_by_state: dict[bytes, Rows] = {}

    def __len__(self) -> int:
        return len(self._rows_by_state)

    def state_of(self, row: Row) -> bytes:
        return (row[: self._state_width] + np.float16(0)).tobytes()  # no negative zero

    def states(self) -> Sequence[bytes]:
        """All states, in the order in which they were met."""
        return list(self._rows_by_state)

    def add(self, rows: Rows) -> None:
        """Rows of one page, which all begin with the same numbers."""
        if not len(rows):
            return
        state = self.state_of(rows[0])
        known = self._rows_by_state.get(state, rows[:0])
        row_by_hash = {xxhash.xxh3_64_intdigest(row.tobytes()): row for row in (*known, *rows)}
        self._rows_by_state[state] = np.stack([row_by_hash[each] for each in sorted(row_by_hash)[:KEPT]])

    def of(self, state: bytes) -> Rows:
        """The sample of a state, empty for one that was never met."""
        return self._rows_by_state.get(state, np.empty((0, self._row_width), dtype=np.float16))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Everything, in columns; the states stand in their rows."""
        samples = list(self._rows_by_state.values())
        return {
            "counts": np.array([len(rows) for rows in samples], dtype=np.int64),
            "rows": np.concatenate([np.empty((0, self._row_width), dtype=np.float16), *samples]),
        }

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to what `arrays` gave."""
        ends = np.cumsum(arrays["counts"].astype(np.int64))
        samples = np.split(arrays["rows"].astype(np.float16), ends)[: len(ends)]
        self._rows_by_state = {self.state_of(rows[0]): rows for rows in samples}


class Trainer:
    """The networks that learn, their targets and the optimiser (Adam). The clipped form has two networks, else one."""

    def __init__(
        self,
        torch: Torch,
        shape: RowShape,
        settings: DqnSettings,
        chance: np.random.Generator,
        network: type[Network] = Network,
    ) -> None:
        self._torch = torch
        self._settings = settings
        self._chance = chance
        count = 2 if settings.target == "clipped-double" else 1
        beginnings = [fresh(shape, settings, chance) for _ in range(count)]
        self._online = [network(torch, shape, settings, towers) for towers in beginnings]
        self._target = [network(torch, shape, settings, towers) for towers in beginnings]
        moved = [tensor for each in self._online for tensor in each.tensors.values()]
        self._optimiser = torch.optim.Adam(moved, lr=settings.learning_rate)

    def towers(self) -> dict[str, NDArray[np.float32]]:
        """The parameters of the network that values links, the first."""
        return self._online[0].arrays()

    def train(self, batch: Sequence[Experience], links: StateLinks | None) -> None:
        """One step on a batch. StrategyError when the numbers have run away."""
        torch = self._torch
        with one_thread(torch), np.errstate(over="ignore"):
            wanted = torch.from_numpy(self.targets(batch, links).astype(np.float32))
            rows = np.stack([experience.row for experience in batch])
            beside = _beside([row[None] for row in rows], links)
            self._optimiser.zero_grad()
            loss = sum(self._loss(network, rows, beside, wanted) for network in self._online)
            loss.backward()
            self._optimiser.step()
            for target, online in zip(self._target, self._online, strict=True):
                target.follow(online, self._settings.target_share)
        if not np.isfinite(loss.item()):
            raise StrategyError(
                f"the values of deep Q-learning have grown beyond all numbers: lower dqn.learning_rate, now "
                f"{self._settings.learning_rate:g}, or dqn.discount, now {self._settings.discount:g}"
            )

    def targets(self, batch: Sequence[Experience], links: StateLinks | None) -> NDArray[np.float64]:
        """Return the target of each link followed."""
        found = [experience.next_rows for experience in batch if len(experience.next_rows)]
        following = iter(self._following(found, links) if found else ())
        discount = self._settings.discount
        return np.array(
            [bootstrapped(each.reward, next(following) if len(each.next_rows) else None, discount) for each in batch]
        )

    def begin_with(self, towers: Mapping[str, NDArray[Any]]) -> None:
        """Begin with a network that another trainer has trained."""
        networks = range(len(self._online))
        self.restore(
            {
                f"{kind}.{number}.{name}": array.astype(np.float32)
                for kind in ("online", "target")
                for number in networks
                for name, array in towers.items()
            }
        )

    def arrays(self) -> Arrays:
        """Everything that training changes, but for the generator."""
        found: Arrays = {}
        for kind, networks in (("online", self._online), ("target", self._target)):
            for number, network in enumerate(networks):
                found |= {f"{kind}.{number}.{name}": array for name, array in network.arrays().items()}
        for number, moments in self._optimiser.state_dict()["state"].items():
            found |= {f"adam.{number}.{name}": tensor.cpu().numpy().copy() for name, tensor in moments.items()}
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what `arrays` gave. ValueError or KeyError if it was given by a trainer of other rules."""
        torch = self._torch
        with torch.no_grad():
            for kind, networks in (("online", self._online), ("target", self._target)):
                for number, network in enumerate(networks):
                    for name, tensor in network.tensors.items():
                        array = arrays[f"{kind}.{number}.{name}"]
                        if array.shape != tuple(tensor.shape):
                            raise ValueError(f"{name} has the shape {array.shape}, not {tuple(tensor.shape)}")
                        tensor.copy_(torch.from_numpy(array))
        state = self._optimiser.state_dict()
        moments: dict[int, dict[str, Any]] = {}
        for key, array in arrays.items():
            if key.startswith("adam."):
                _, place, name = key.split(".", 2)
                moments.setdefault(int(place), {})[name] = torch.from_numpy(array.copy())
        self._optimiser.load_state_dict({**state, "state": moments})

    def _following(self, found: Sequence[Rows], links: StateLinks | None) -> list[float]:
        """The value of what follows on each page."""
        beside = _beside(found, links)

        def by(network: Network) -> list[NDArray[np.floating]]:
            return network.values_by_page(found, beside)

        match self._settings.target:
            case "ordinary":
                return list(map(ordinary, by(self._target[0])))
            case "double":
                return list(map(double, by(self._online[0]), by(self._target[0])))
            case _:
                return list(map(clipped_double, by(self._online[0]), *map(by, self._target)))

    def _loss(self, network: Network, rows: Rows, beside: Beside | None, wanted: Tensor) -> Tensor:
        settings = self._settings
        values = network.values(rows, beside, self._chance)
        wanted = wanted.to(values.device)
        functional = self._torch.nn.functional
        error = functional.mse_loss if settings.loss == "squared" else functional.huber_loss
        loss = error(values, wanted)
        if settings.output_penalty:
            loss = loss + settings.output_penalty * (values**2).mean()
        return loss


def _beside(found: Sequence[Rows], links: StateLinks | None) -> Beside | None:
    """Return the links that the rows of each page are measured against; None where nothing duels."""
    if links is None:
        return None
    groups = [sample if len(sample := links.of(links.state_of(rows[0]))) else rows for rows in found]
    counts = np.array([len(group) for group in groups])
    lengths = [len(rows) for rows in found]
    return Beside(np.concatenate(groups), counts, np.repeat(np.arange(len(found)), lengths))
