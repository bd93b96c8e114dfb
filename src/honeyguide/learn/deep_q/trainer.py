"""Moves networks towards their targets, a batch at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.deep_q.networks import Beside, Network, fresh
from honeyguide.learn.deep_q.pytorch import one_thread
from honeyguide.learn.deep_q.rules import Loss, TargetRule
from honeyguide.learn.deep_q.targets import bootstrapped, clipped_double, double, ordinary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Rows
    from honeyguide.learn.deep_q.pytorch import Tensor, Torch
    from honeyguide.learn.deep_q.replay import Experience
    from honeyguide.learn.deep_q.rules import QRules
    from honeyguide.learn.deep_q.shape import Shape
    from honeyguide.learn.deep_q.state_links import StateLinks

    Arrays = dict[str, NDArray[Any]]


class Trainer:
    """The networks that learn, their targets and the optimiser (Adam). The clipped form has two networks, else one."""

    def __init__(self, torch: Torch, device: str, shape: Shape, rules: QRules, chance: np.random.Generator) -> None:
        self._torch = torch
        self._rules = rules
        self._chance = chance
        count = 2 if rules.target_rule is TargetRule.CLIPPED_DOUBLE else 1
        beginnings = [fresh(shape, rules, chance) for _ in range(count)]
        self._online = [Network(torch, device, shape, rules, towers) for towers in beginnings]
        self._target = [Network(torch, device, shape, rules, towers) for towers in beginnings]
        moved = [tensor for network in self._online for tensor in network.tensors.values()]
        self._optimiser = torch.optim.Adam(moved, lr=rules.learning_rate)

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
                target.follow(online, self._rules.target_share)
        if not np.isfinite(loss.item()):
            raise StrategyError(
                f"the values of deep Q-learning have grown beyond all numbers: lower dqn.learning_rate, now "
                f"{self._rules.learning_rate:g}, or dqn.discount, now {self._rules.discount:g}"
            )

    def targets(self, batch: Sequence[Experience], links: StateLinks | None) -> NDArray[np.float64]:
        """What each link followed should have been worth."""
        found = [experience.next_rows for experience in batch if len(experience.next_rows)]
        following = iter(self._following(found, links) if found else ())
        discount = self._rules.discount
        return np.array(
            [bootstrapped(each.reward, next(following) if len(each.next_rows) else None, discount) for each in batch]
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
        """The value of what follows, for the links of each page."""
        rows, beside = np.concatenate(found), _beside(found, links)
        ends = np.cumsum([len(each) for each in found])[:-1]

        def by(network: Network) -> list[NDArray[np.floating]]:
            with self._torch.no_grad():
                return np.split(network.values(rows, beside).cpu().numpy(), ends)

        match self._rules.target_rule:
            case TargetRule.ORDINARY:
                return list(map(ordinary, by(self._target[0])))
            case TargetRule.DOUBLE:
                return list(map(double, by(self._online[0]), by(self._target[0])))
            case TargetRule.CLIPPED_DOUBLE:
                return list(map(clipped_double, by(self._online[0]), *map(by, self._target)))
            case _:
                assert_never(self._rules.target_rule)

    def _loss(self, network: Network, rows: Rows, beside: Beside | None, wanted: Tensor) -> Tensor:
        rules = self._rules
        values = network.values(rows, beside, self._chance)
        wanted = wanted.to(values.device)
        functional = self._torch.nn.functional
        error = functional.mse_loss if rules.loss is Loss.SQUARED else functional.huber_loss
        loss = error(values, wanted)
        if rules.output_penalty:
            loss = loss + rules.output_penalty * (values**2).mean()
        if rules.weight_penalty:
            loss = loss + rules.weight_penalty * network.weight_penalty()
        return loss


def _beside(found: Sequence[Rows], links: StateLinks | None) -> Beside | None:
    """What the rows of each page are measured against; None where nothing duels."""
    if links is None:
        return None
    groups = [sample if len(sample := links.of(links.state_of(rows[0]))) else rows for rows in found]
    counts = np.array([len(group) for group in groups])
    lengths = [len(rows) for rows in found]
    return Beside(np.concatenate(groups), counts, np.repeat(np.arange(len(found)), lengths))
