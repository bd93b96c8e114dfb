"""The deep Q-learning strategy: Pertejo (2021), 2.6 and 5.2, after Mnih et al. (2015).

A page is a state s, a link on it an action a. A network estimates the value of each link, Q(s, a), from the features of
Han and Pertejo, of the link and of the page that it stands on. The crawl follows the most valuable link of the whole
frontier, or with probability ε a random one. The reward and the unvisited links of the new page go into a replay
memory. At every step the network is moved towards the targets of a batch drawn from there (`training` has the rules),
and its target network a little towards it.

Links are valued by a copy of the network, taken every `refresh_every` training steps, so all links that wait are
valued by the same network, and `learn` says when that has changed. Where `mode` is asynchronous a link keeps the value
that it had when it was found, unless one that looks the same is found later: Pertejo's algorithm 3.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, assert_never

import numpy as np
import zstandard

from honeyguide.errors import StrategyError
from honeyguide.learn.deep_q.networks import STATE, DqnSettings, Network, RowShape, Valuation, pytorch
from honeyguide.learn.deep_q.training import Experience, Replay, StateLinks, Trainer, distinct
from honeyguide.learn.han_features import (
    OF_PAGES,
    FeatureStyle,
    PairRows,
    Scale,
    TopicAndCategories,
    category_group,
    columns,
)
from honeyguide.learn.learned import LearnedWeights, carrying
from honeyguide.learn.strategy import FoundAgain, Order, Strategy
from honeyguide.model.saved_state import load_arrays, unpack_zstandard

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.deep_q.networks import Torch
    from honeyguide.learn.strategy import Ingredients, SavedLearner
    from honeyguide.model import Candidates, Decision, Page, ParentRules, ParentStats, Row, Rows, Transition
    from honeyguide.settings import Settings

FIRST_LAYER: Final = ".0.weights"
LEVEL: Final = 1  # of compression: higher ones take longer and gain little on weights


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The same arrays give the same bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return zstandard.ZstdCompressor(level=LEVEL).compress(buffer.getvalue())


def unpacked(state: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays that were packed; StrategyError if they were not."""
    try:
        return load_arrays(unpack_zstandard(state))
    except ValueError as error:
        raise StrategyError(f"not a saved state of deep Q-learning: {error}") from error


def under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays with a prefix to their names."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def within(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays whose names have the prefix, without it."""
    return {name.removeprefix(f"{prefix}/"): array for name, array in arrays.items() if name.startswith(f"{prefix}/")}


class Descriptions(Protocol):
    """Makes rows of links."""

    shape: RowShape
    parent_rules: ParentRules

    def of_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:
        """The state."""
        ...

    def of_links(self, candidates: Candidates) -> Rows:
        """Rows; zeros for a seed, which stands on no page."""
        ...


class PairDescriptions(PairRows):
    """State and action side by side, for a network with one output."""

    def __init__(self, nearness: TopicAndCategories, style: FeatureStyle, *, is_scaled: bool = True) -> None:
        super().__init__(nearness, style)
        self.shape = _shape(style, nearness.categories, is_scaled=is_scaled)


def _shape(style: FeatureStyle, categories: int, *, is_scaled: bool) -> RowShape:
    state, action = style.state_width(categories), style.action_width(categories)
    largest = _largest(style, categories)
    columns = np.concatenate((largest, largest[:action]))
    scale = 1 / columns if is_scaled else np.ones_like(columns)
    return RowShape(state, state + action, scale.astype(np.float32))


def _largest(style: FeatureStyle, categories: int) -> NDArray[np.float64]:
    """The most that each number of a state can be."""
    match style.scale:
        case Scale.HAN:
            relevance, change = [4.0, 5.0], 4.0
        case Scale.PERTEJO:
            relevance, change = [9.0], 7.0
        case Scale.CONTINUOUS:
            relevance, change = [1.0], 1.0
        case _:
            assert_never(style.scale)
    return np.array([*relevance * (3 + categories), change, float(style.parents.farthest)])


class DeepQ(Strategy):
    """Scores are values by a network that is trained while crawling."""

    network_type: ClassVar[type[Network]] = Network
    settings_type = DqnSettings
    hands_on = True
    kind = "dqn"  # of networks that this one can begin with
    order = Order.BEST_SCORE
    found_again = FoundAgain.EVERY
    reads_next_rows = True
    seeds_first = True

    def __init__(
        self,
        torch: Torch,
        descriptions: Descriptions,
        settings: DqnSettings,
        chance: np.random.Generator,
    ) -> None:
        """`torch` is the module; `chance` is this strategy's own generator, apart from the engine's."""
        self._descriptions = descriptions
        self._settings = settings
        self._chance = chance
        self._shape = descriptions.shape
        self.row_width = self._shape.row_width
        self.parent_rules = descriptions.parent_rules
        self.draws_rows = settings.draws == "pair"
        self._links = self._no_links()
        self._replay = Replay(settings.replay)
        self._trainer = Trainer(torch, self._shape, settings, chance, self.network_type)
        self._choices = self._experiences = self._trainings = 0
        self._valuation = self._taken_valuation()

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        dqn, topic, strategy = given.settings.of(DqnSettings), given.topic, given.settings.crawl.strategy
        torch = pytorch(strategy, dqn.device)
        nearness = TopicAndCategories(topic, topic.categories, given.vectors())
        style, is_scaled = dqn.style(), dqn.inputs == "scaled"
        descriptions = cls._descriptions_of(given, PairDescriptions(nearness, style, is_scaled=is_scaled))
        chance = np.random.default_rng([given.settings.crawl.seed, 2])  # apart from the engine's own and from others
        made = cls(torch, descriptions, dqn, chance)
        made.columns = _columns(strategy, style, topic.categories)
        made.kind = _kind(given.settings)
        return made

    @classmethod
    def learned_in(cls, saved: SavedLearner) -> LearnedWeights:
        """The network; neither its memory nor how it was trained."""
        dqn, strategy = saved.settings.of(DqnSettings), saved.settings.crawl.strategy
        names = _columns(strategy, dqn.style(), saved.settings.topic.categories)
        first, trained = "online.0.", within("trainer", unpacked(saved.state))
        towers = {name.removeprefix(first): array for name, array in trained.items() if name.startswith(first)}
        return LearnedWeights(strategy, _kind(saved.settings), names, towers, saved.step)

    def begin_with(self, earlier: Sequence[LearnedWeights]) -> None:
        """Begin with one network; the mean of several would have learned nothing."""
        if len(earlier) != 1:
            raise StrategyError(f"deep Q-learning begins with one network, not with {len(earlier)}; name one")
        (learned,) = earlier
        shapes = {name: array.shape for name, array in self._trainer.towers().items()}
        carried_by_name = {
            name: carrying(_inputs(name, learned.columns), _inputs(name, self.columns), category_group)
            for name in shapes
            if name.endswith(FIRST_LAYER)
        }
        theirs = {name: (carried.shape[1], *shapes[name][1:]) for name, carried in carried_by_name.items()}
        learned.refuse_unless(self.kind, shapes | theirs)
        self._trainer.begin_with(
            {
                name: carried_by_name[name] @ array if name in carried_by_name else array
                for name, array in learned.numbers.items()
            }
        )
        self._valuation = self._taken_valuation()

    @classmethod
    def _descriptions_of(cls, given: Ingredients, pairs: PairDescriptions) -> Descriptions:  # noqa: ARG003
        return pairs

    def describe_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:
        return self._descriptions.of_page(page, is_relevant=is_relevant, parents=parents)

    def describe(self, candidates: Candidates) -> Rows:
        return self._descriptions.of_links(candidates)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return self._valuation.values(rows)

    def explores(self, chance: np.random.Generator) -> bool:
        return bool(chance.random() < self._settings.exploration_after(self._choices))

    def notice(self, decision: Decision) -> None:  # noqa: ARG002
        self._choices += 1

    def learn(self, transition: Transition) -> bool:
        next_rows = transition.next_rows
        if self._links is not None and len(next_rows):
            self._links.add(next_rows)
            self._valuation.meet([self._links.state_of(next_rows[0])], self._links)
        if not self._settings.learns_after(self._choices) or not self._shape.has_value(transition.row[None])[0]:
            return False
        is_end = transition.is_relevant and self._settings.ends_at_relevant
        following = self._following(next_rows[:0] if is_end else next_rows)
        self._replay.add(Experience(transition.row.copy(), transition.reward, following))
        self._experiences += 1
        if self._experiences < self._settings.warm_up:
            return False
        self._trainer.train(self._replay.drawn(self._settings.batch, self._chance), self._links)
        self._trainings += 1
        if self._trainings % self._settings.refresh_every:
            return False
        self._valuation = self._taken_valuation()
        return self._settings.mode == "synchronous"

    def _following(self, next_rows: Rows) -> Rows:
        """What is remembered of the links that may follow."""
        return distinct(next_rows, self._chance)

    def save(self) -> bytes:
        counts = np.array([self._choices, self._experiences, self._trainings])
        chance = json.dumps(self._chance.bit_generator.state)
        state = {"counts": counts, "chance": np.frombuffer(chance.encode(), dtype=np.uint8)}
        state |= under("trainer", self._trainer.arrays())
        state |= under("valuation", self._valuation.towers)
        state |= under("replay", self._replay.arrays(self.row_width))
        if self._links is not None:
            baselines = self._valuation.baseline_by_state
            keys = np.frombuffer(b"".join(baselines), dtype=np.uint8)
            state |= under("links", self._links.arrays())
            state |= under("baselines", {"keys": keys, "values": np.array(list(baselines.values()))})
        return packed(state)

    def load(self, state: bytes) -> None:
        arrays = unpacked(state)
        try:
            chance = json.loads(arrays["chance"].tobytes())
            counts = [int(count) for count in arrays["counts"]]
            self._trainer.restore(within("trainer", arrays))
            self._replay.restore(within("replay", arrays))
            self._valuation = self._valued_by(within("valuation", arrays), self._baselines_in(arrays))
            if self._links is not None:
                self._links.restore(within("links", arrays))
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise StrategyError(f"not a saved state of deep Q-learning with these settings: {error}") from error
        self._choices, self._experiences, self._trainings = counts
        self._chance.bit_generator.state = chance

    def _baselines_in(self, arrays: dict[str, NDArray[Any]]) -> dict[bytes, float]:
        if self._links is None:
            return {}
        saved = within("baselines", arrays)
        keys = saved["keys"].tobytes()
        size = self._shape.state_width * np.dtype(np.float16).itemsize
        states = [keys[start : start + size] for start in range(0, len(keys), size)]
        return dict(zip(states, saved["values"].tolist(), strict=True))

    def _taken_valuation(self) -> Valuation:
        valuation = self._valued_by(self._trainer.towers(), {})
        if self._links is not None:
            valuation.meet(self._links.states(), self._links)
        return valuation

    def _valued_by(self, towers: Mapping[str, NDArray[np.float32]], baselines: Mapping[bytes, float]) -> Valuation:
        return Valuation(self._shape, self._settings.dueling, towers, baselines)

    def _no_links(self) -> StateLinks | None:
        """Links to measure advantages against, where something duels; at first that of a seed, on a page of zeros."""
        if self._settings.dueling == "none":
            return None
        links = StateLinks(self._shape.state_width, self.row_width)
        links.add(np.zeros((1, self.row_width), dtype=np.float16))
        return links


def _kind(settings: Settings) -> str:
    """Name all in which two networks must be alike for one to begin with the other."""
    dqn, strategy = settings.of(DqnSettings), settings.crawl.strategy
    pages = f", {dqn.outputs} outputs for pages of {settings.crawl.world}" if strategy == "dqn-fixed" else ""
    layers = "-".join(map(str, dqn.layers))
    return f"{strategy} with {dqn.inputs} features {dqn.features}, layers {layers}, dueling {dqn.dueling}{pages}"


def _columns(strategy: str, style: FeatureStyle, categories: Sequence[str]) -> tuple[str, ...]:
    """Name the numbers that go into the network."""
    names = columns(style, categories)
    return names[: style.state_width(len(categories))] if strategy == "dqn-fixed" else names


def _inputs(layer: str, names: Sequence[str]) -> Sequence[str]:
    """Return those columns that a first layer looks at."""
    return [name for name in names if name.startswith(OF_PAGES)] if layer.startswith(f"{STATE}.") else names
