"""Pertejo's own network (2021, 3.7, 4.3, A.8): the state goes in, and every page of the sample has an output.

The program that he ran is keras-rl, and so is what it does with his layers:

    outputs          his last layer is replaced by one with an output more, V(s); the others are advantages A(s, a), and
                     Q(s, a) = V(s) + A(s, a) - mean of A(s, a') over all outputs; hidden layers are shared
    penalty          with the layer goes its activity regulariser of 0.01, so his values are not drawn towards zero
    target           r + γ Q'(s', argmax Q(s', a')), where a' runs over all outputs: over pages that the new page does
                     not link to, and over pages that were fetched before

An output belongs to a page for good: its number is that of the page in the world, where that can tell it (a wiki, also
for redirects, a folder or archive of pages, a recorded run). So a network that was trained in one crawl can be tested
in another, from the seed. On other webs pages are numbered in the order in which they are met; within one crawl that is
the same, because fresh outputs are all alike.

Departures: keras-rl takes the mean of the advantages over the batch of a training step as well; here it is that of the
state, as in Wang et al. (2015). The state of a link is the page that it stands on, where keras-rl takes the page that
was fetched last. A page without unvisited links ends the episode, because nothing can follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.deep_q.deep_q import DeepQ, PairDescriptions
from honeyguide.learn.deep_q.networks import (
    ADVANTAGE,
    DIGITS,
    MOST_OUTPUTS,
    DqnSettings,
    ExactLayers,
    Network,
    RowShape,
    Valuation,
    digits_of,
    layers_of,
)
from honeyguide.model import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.learn.deep_q.deep_q import Descriptions
    from honeyguide.learn.deep_q.networks import Beside, Tensor
    from honeyguide.learn.deep_q.training import StateLinks
    from honeyguide.learn.learned import LearnedWeights
    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Page, ParentStats, Row, Rows, Url

NEVER: Final = -1e30  # the value of a link that has no output: below all others, and still a number


class PageDescriptions:
    """The state, and the number of the page that a link leads to."""

    def __init__(
        self, pairs: PairDescriptions, outputs: int, number_of: Callable[[Url], int | None] | None = None
    ) -> None:
        """`number_of` gives the number of a page of the world; without it they are numbered as they are met."""
        self._pairs = pairs
        self._number_of = number_of
        self.has_numbers = number_of is not None
        width = pairs.shape.state_width
        self.shape = RowShape(width, width + DIGITS, pairs.shape.scale[:width], outputs)
        self.parent_rules = pairs.parent_rules

    def of_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:
        return self._pairs.of_page(page, is_relevant=is_relevant, parents=parents)

    def of_links(self, candidates: Candidates) -> Rows:
        context = candidates.context
        if context is None:
            return np.zeros((len(candidates), self.shape.row_width), dtype=np.float16)
        numbers = context.links
        if self._number_of is not None:
            found = [self._number_of(url) for url in candidates.targets]
            numbers = np.array([MOST_OUTPUTS if number is None else number for number in found], dtype=np.int64)
        states = np.broadcast_to(context.state, (len(candidates), self.shape.state_width))
        return np.concatenate((states, digits_of(numbers)), axis=1)


class PageNetwork(Network):
    """One trunk over the state, an output a page and, in the dueling form, V(s) as the last."""

    def values(self, rows: Rows, beside: Beside | None, chance: np.random.Generator | None = None) -> Tensor:
        """The value of each row, each of which has an output. `beside` does not count: all outputs do."""
        del beside
        activity = self._hidden(ADVANTAGE, rows, chance)
        weights, bias = self._linear(ADVANTAGE)
        chosen = self._on_device(self._shape.which(rows))
        values = (activity * weights[chosen]).sum(dim=1) + bias[chosen]
        match self._settings.dueling:
            case "none":
                return values
            case "mean":
                baselines = activity @ weights[:-1].mean(dim=0) + bias[:-1].mean()
            case _:
                baselines = (activity @ weights[:-1].T + bias[:-1]).amax(dim=1)
        return values + activity @ weights[-1] + bias[-1] - baselines

    def values_by_page(self, found: Sequence[Rows], beside: Beside | None) -> list[NDArray[np.floating]]:
        """The values of all outputs on each of some pages, given by any of its links."""
        del beside
        with self._torch.no_grad():
            weights, bias = self._linear(ADVANTAGE)
            outputs = self._hidden(ADVANTAGE, np.stack([rows[0] for rows in found]), None) @ weights.T + bias
            if self._settings.dueling != "none":
                advantages = outputs[:, :-1]
                is_mean = self._settings.dueling == "mean"
                taken_off = advantages.mean(dim=1) if is_mean else advantages.amax(dim=1)
                outputs = outputs[:, -1:] + advantages - taken_off[:, None]
            return list(outputs.cpu().numpy())


class PageValuation(Valuation):
    """The values by such a network as it was when this was made. Nothing has to be met before."""

    def __init__(self, shape: RowShape, dueling: str, towers: Mapping[str, NDArray[np.float32]]) -> None:
        self.towers = towers
        self.baseline_by_state = {}
        self._shape = shape
        self._is_best_taken_off = dueling == "max"
        layers = layers_of(towers, ADVANTAGE, shape.scale)
        if dueling == "mean":  # V(s) less the mean is the same sum for all outputs, so it goes into their weights
            weights, bias = (part.astype(np.float64) for part in layers[-1])
            above = weights[:, -1:] - weights[:, :-1].mean(axis=1, keepdims=True)
            layers[-1] = (weights[:, :-1] + above, bias[:-1] + (bias[-1] - bias[:-1].mean()))
        self._layers = ExactLayers(layers)

    def values(self, rows: Rows) -> NDArray[np.float64]:
        has_value = self._shape.has_value(rows)
        values = np.where(_are_seeds(rows, self._shape), 0.0, NEVER)
        which = self._shape.which(rows[has_value])
        states = rows[has_value, : self._shape.state_width]
        values[has_value] = self._layers.outputs(states, which)
        if self._is_best_taken_off and len(states):
            distinct, place = np.unique(states + np.float16(0), axis=0, return_inverse=True)
            above = [row[-1] - row[:-1].max() for state in distinct for row in self._layers.all_outputs(state[None])]
            values[has_value] += np.array(above)[place.reshape(-1)]
        return values

    def meet(self, states: object, links: StateLinks) -> None:
        """Nothing: baselines are of all outputs."""


class PageDeepQ(DeepQ):
    """Scores are the outputs of the pages that links lead to; a link to a page without one is never fetched."""

    network_type: ClassVar[type[Network]] = PageNetwork

    @classmethod
    def _descriptions_of(cls, given: Ingredients, pairs: PairDescriptions) -> Descriptions:
        return PageDescriptions(pairs, given.settings.of(DqnSettings).outputs, given.page_numbers())

    def begin_with(self, earlier: Sequence[LearnedWeights]) -> None:
        """Take over the outputs of pages. StrategyError where the world does not number its pages."""
        if not (isinstance(self._descriptions, PageDescriptions) and self._descriptions.has_numbers):
            raise StrategyError(
                "dqn-fixed has an output a page, and this world numbers its pages as they are met, so an output would "
                "go to another page; leave it out, or choose dqn"
            )
        super().begin_with(earlier)

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:  # noqa: ARG002
        """A link that the network has no output for is never fetched; a seed is."""
        if _are_seeds(row[None], self._shape)[0] or self._shape.has_value(row[None])[0]:
            return None
        if self._shape.which(row[None])[0] + 1 == MOST_OUTPUTS:
            return Skipped("no page of the world")
        return Skipped(f"beyond the {self._shape.outputs} outputs of the network")

    def _following(self, next_rows: Rows) -> Rows:
        return next_rows[:1].copy()  # the state is enough: all outputs count

    def _valued_by(self, towers: Mapping[str, NDArray[Any]], baselines: Mapping[bytes, float]) -> Valuation:
        del baselines
        return PageValuation(self._shape, self._settings.dueling, towers)

    def _no_links(self) -> StateLinks | None:
        return None


def _are_seeds(rows: Rows, shape: RowShape) -> NDArray[np.bool_]:
    return (rows[:, shape.state_width :] == 0).all(axis=1)
