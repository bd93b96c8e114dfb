"""Relevance by a model that was trained on a topic's examples: texts that pages should be like and unlike.

Over the vectors of texts there are two: logistic regression, fitted by scikit-learn, and a small network, trained
by PyTorch. The network has one hidden layer of `HIDDEN` rectified units, both kinds of example weighing the same, Adam
with weight decay and dropout over the whole set at every pass. Where each kind has at least `ENOUGH_TO_HOLD_BACK`
examples, one in five is held back, and training stops when these have not got better for `PATIENCE` passes; the best
weights count. With fewer examples none can be spared: training stops as soon as the fit is good, before it is perfect.

PyTorch only trains. The weights are taken out, so judging needs NumPy alone, and is the same on every machine that has
the same weights. Training is on the CPU with one thread and a seed of its own, so the same examples and seed give the
same weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from honeyguide.errors import SettingsError
from honeyguide.extras import install_hint
from honeyguide.judge.embeddings import ROWS_SHOWN, DistinctWords
from honeyguide.judge.judge import StatelessJudge
from honeyguide.model import Evidence, EvidenceRow
from honeyguide.text import unit, words_of
from honeyguide.text.vectors import count_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.judge.judge import JudgeIngredients
    from honeyguide.model import Page, Topic
    from honeyguide.text import WordVectors


@dataclass(frozen=True, slots=True)
class Examples:
    """Texts as main texts are: words in lower case. Invariant: at least one of each kind, none empty."""

    like: tuple[tuple[str, ...], ...]
    unlike: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, topic: Topic, kind: str) -> Examples:
        """The topic's examples, for a judge of this kind; SettingsError where it cannot learn from them."""
        like, unlike = (tuple(filter(None, map(_words, texts))) for texts in (topic.like, topic.unlike))
        if not like or not unlike:
            mistake = (
                f"judge.kind is {kind!r}: it learns from examples of both kinds, and the topic has {len(like)} texts "
                f"to be like and {len(unlike)} to be unlike; give at least one of each, or choose another judge"
            )
            raise SettingsError([mistake])
        return cls(like, unlike)

    @property
    def texts(self) -> list[str]:
        return [" ".join(words) for words in (*self.like, *self.unlike)]

    @property
    def labels(self) -> NDArray[np.int64]:
        """1 for a text to be like, 0 for one to be unlike, in the order of `texts`."""
        return np.array([1] * len(self.like) + [0] * len(self.unlike))

    def vectors(self, table: WordVectors) -> NDArray[np.float64]:
        """The texts as vectors of length 1, one row each."""
        return np.array([unit(table.vector(words)) for words in (*self.like, *self.unlike)])


def _words(text: str) -> tuple[str, ...]:
    return tuple(words_of(text))


class VectorModel(Protocol):
    """A model that was trained on examples."""

    def probability(self, vector: NDArray[np.float64]) -> float:
        """Return how likely a text with this vector, which has length 1, is one to be like."""
        ...


class VectorModelJudge(StatelessJudge):
    """The probability that the main text is one to be like; 0 for a text without a word that has a vector."""

    threshold = 0.5

    def __init__(self, kind: str, model: VectorModel, vectors: WordVectors) -> None:
        self._kind = kind
        self._model = model
        self._vectors = vectors

    def relevance(self, page: Page) -> float:
        return self._probability(self._vectors.look_up(page.words).within(page.main_spans).text_vector())

    def evidence(self, page: Page) -> Evidence:
        """The words without which the page would be less relevant."""
        relevance = self.relevance(page)
        text = DistinctWords.of(page, self._vectors)
        weights = count_weights(text.counts)
        whole = weights @ text.vectors
        losses = [
            relevance - self._probability(whole - weight * vector)
            for weight, vector in zip(weights.tolist(), text.vectors, strict=True)
        ]
        order = sorted(range(len(losses)), key=lambda place: -losses[place])
        rows = tuple(
            EvidenceRow(text.words[place], "", 0.0, losses[place], int(text.counts[place]))
            for place in order[:ROWS_SHOWN]
        )
        return Evidence(self._kind, relevance, self.threshold, rows, is_sum=False)

    def _probability(self, vector: NDArray[np.float64]) -> float:
        return self._model.probability(unit(vector)) if vector.any() else 0.0


class NeuralJudge(VectorModelJudge):
    """The opinion of a small network that was trained on the topic's examples."""

    needs_topic = False

    @classmethod
    def build(cls, given: JudgeIngredients) -> NeuralJudge:
        examples = Examples.of(given.topic, "neural")
        return cls("neural", trained_network(examples, given.vectors(), given.settings.crawl.seed), given.vectors())


# On the groups and numbers of examples of `benchmarks/example_judges.py`, 1, 10 and 100 rank pages alike; at 1 all
# probabilities stay near a half, and at 100 the ranking of the hardest group is a little worse.
INVERSE_REGULARISATION: Final = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel:
    """A weighted sum through the logistic curve."""

    weights: NDArray[np.float64]
    bias: float

    def probability(self, vector: NDArray[np.float64]) -> float:
        return logistic(float((self.weights * vector).sum()) + self.bias)


def fitted_logistic(examples: Examples, table: WordVectors) -> LogisticModel:
    """The model of these examples, both kinds weighing the same however many there are. Chance plays no part."""
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        mistake = (
            "judge.kind is 'classifier': learning from examples needs scikit-learn; "
            f"{install_hint('classifier')}, or name a classifier of your own in judge.classifier"
        )
        raise SettingsError([mistake]) from None
    fitted = LogisticRegression(C=INVERSE_REGULARISATION, class_weight="balanced", max_iter=1000)
    fitted.fit(examples.vectors(table), examples.labels)
    return LogisticModel(np.array(fitted.coef_[0], dtype=np.float64), float(fitted.intercept_[0]))


def logistic(number: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    if number >= 0:
        return 1 / (1 + math.exp(-number))
    power = math.exp(number)
    return power / (1 + power)


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
            [f"judge.kind is 'neural': it needs PyTorch; {install_hint('deep')}, or choose the judge classifier"]
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
