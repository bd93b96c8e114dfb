"""Relevance as a calibrated probability, from the topic's words and vectors, that answers of a person teach.

Before any answer, the log-odds of a page are a weighted sum of four numbers:

    how much of the topic's words its text, its title and its beginning have (`topic_terms`), and
    z, how near its vector lies to the topic's.

A page's vector is the direction of its whole text plus that of its title and first words. z is the cosine with the
topic's direction in standard deviations above the mean of the *background*: texts on all kinds of subjects. So it means
the same with any table of vectors. Where the topic has examples to be like, or pages were answered with yes, z is the
nearness to their mean direction. The weights were fitted on one half of the topics of an encyclopaedia and
tested on the other (`benchmarks/judge_quality.py`).

Answers then move the log-odds by a logistic regression over the page's vector and the topic's words, whose start is the
sum above:

    log-odds = start + θ·x,   θ = argmin Σ loss(answers) + BACKGROUND_WEIGHT · mean loss(pages not asked about) + |θ|²/2

An answer's target is 1 or 0. A page that nobody was asked about has the probability it started with as its target, so
what few answers say about pages unlike them counts for little. Examples are chosen, not met, so they say nothing about
how many pages are relevant. Those to be like make the mean direction and are not fitted: all of them being relevant,
they would raise every page. Those to be unlike count as answers of no, and do not move the constant.

The fit alone says too little of the very pages that were called no: one answer against a sure start. So a page falls
from its log-odds towards `REFUSED_ODDS` by how nearly it is one of them. That share is 0 up to the cosine `ALIKE`, or
up to its cosine with the nearest page called yes where that is larger, and 1 for the page itself.

Newton's method with conjugate gradients solves it, row by row without BLAS: the same pages and answers give the same
weights to the last bit.
"""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.errors import JudgeError
from honeyguide.judge.embeddings import ROWS_SHOWN
from honeyguide.judge.judge import LearningJudge
from honeyguide.judge.topic_terms import LEAD_WORDS, MOST_SAID, TopicTerms
from honeyguide.model import Evidence, EvidenceRow, weighted_sums
from honeyguide.model.saved_state import load_arrays
from honeyguide.text import Stems, WordVectors, stop_words, unit, words_of
from honeyguide.text.telling import content_words, idf_of_stem
from honeyguide.text.vectors import count_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.judge.judge import JudgeIngredients
    from honeyguide.model import Page, Topic
    from honeyguide.text import VectorSource

WIDEST: Final = 256  # numbers of a page's vector that are kept: the first tell most
KEYWORD_SHARE: Final = 0.5  # of the keywords' direction beside the name's

SATURATED: Final = 3.0  # nearness to a few words says little more beyond so many standard deviations
# On topics that the weights were not fitted to, pages above even odds were on topic less often than the sum said.
SOBER: Final = 0.5

# How much an answer of yes says of the likeness, against an example. Pages that a crawl meets are near one another, so
# a few of them are no picture of the topic. Pages are ranked as well as with a whole, and better than with a tenth.
ANSWER_SHARE: Final = 0.3
VECTOR_SCALE: Final = 2.0  # of θ for the numbers of a vector: the larger, the more an answer says of pages like it
TERM_SCALE: Final = 1.0
CONSTANT_SCALE: Final = 2.0
BACKGROUND_PAGES: Final = 300  # of those not asked about, evenly spaced
BACKGROUND_WEIGHT: Final = 10.0  # of all of them together, in answers
NEWTON_STEPS: Final = 12
GRADIENT_STEPS: Final = 60
CLOSE_ENOUGH: Final = 1e-6
FEWEST_BACKGROUND: Final = 20  # texts with a vector; with fewer, cosines are taken as they come with usual tables
USUAL_CENTRE: Final = 0.1
USUAL_SPREAD: Final = 0.1
REFUSED_ODDS: Final = -4.0  # of a page that is one called no
ALIKE: Final = 0.8  # cosine with a page called no from which a page falls beyond what the fit says
LARGEST_ODDS: Final = 30.0
ONCE: Final = float(count_weights(np.array(1)))  # weight in a text vector of a word that stands there once
DIRECTIONS_KEPT: Final = 16
FORMAT: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class ClueWeights:
    """Weights of z, text, title, beginning, and the constant."""

    by_name: NDArray[np.float64]
    by_likeness: NDArray[np.float64]
    by_likeness_alone: NDArray[np.float64]  # where the topic has no words


SHIPPED: Final = ClueWeights(  # fitted on 60 categories of 8,589 encyclopaedia articles
    by_name=np.array([1.1, 2.5, 1.8, 1.85, -7.6]),
    by_likeness=np.array([0.95, 1.6, 1.05, 1.2, -8.25]),
    by_likeness_alone=np.array([1.2, 0.0, 0.0, 0.0, -8.5]),
)


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """What examples and answers have taught."""

    likeness: NDArray[np.float64] | None = None  # mean direction of what is wanted, of length 1
    shift: NDArray[np.float64] | None = None  # θ above: of the vector, the topic's words and the constant
    yes: int = 0  # examples and answers that the likeness is made of
    weight: float = 0.0  # of them together
    called: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))  # vectors: those `yes`, then all no


class LearnedJudge(LearningJudge):
    """The probability that a person would call the page relevant."""

    by_page_alone = True
    is_probability = True
    threshold = 0.2  # half of the F1 that calibrated probabilities reach: the threshold at which F1 is greatest

    @classmethod
    def build(cls, given: JudgeIngredients) -> LearnedJudge:
        return cls(given.topic, given.vectors(), given.background(), given.settings.judge.language)

    def __init__(
        self,
        topic: Topic,
        vectors: WordVectors,
        background: Sequence[str] = (),
        language: str = "english",
        weights: ClueWeights = SHIPPED,
    ) -> None:
        """Texts of `background` are on all kinds of subjects."""
        self._weights = weights
        self._vectors = vectors
        self._terms = TopicTerms(topic, language)
        self._stop_words = stop_words(language)
        self._size = min(vectors.dimension, WIDEST)
        self.description_width = 3 * len(self._terms.weights) + self._size
        self._background = directions_of(tuple(background), vectors.source, self._size)
        self._centre = self._background.mean(axis=0) if len(self._background) else np.zeros(self._size)
        self._cosines: dict[bytes, tuple[float, float]] = {}  # mean and deviation, by direction
        self.topic_direction = self._direction_of(topic, language)
        examples = [(text, True) for text in topic.like] + [(text, False) for text in topic.unlike]
        described = [(self._described((), tuple(words_of(text))), answer) for text, answer in examples]
        self._examples = np.array([row for row, _ in described], dtype=np.float16).reshape(-1, self.description_width)
        self._example_answers = np.array([answer for _, answer in described], dtype=np.bool_)
        self._untaught = self._lesson = self._lesson_of(self._examples[:0], ())

    def relevance(self, page: Page) -> float:
        return float(self.relevances(self.describe(page)[None])[0])

    def see(self, page: Page) -> None:
        """It learns from answers alone."""

    def describe(self, page: Page) -> NDArray[np.float16]:
        return self._described(tuple(words_of(page.title)), page.main_words, page).astype(np.float16)

    @property
    def is_taught(self) -> bool:
        return self._lesson is not self._untaught

    def relevances(self, descriptions: NDArray[np.float16]) -> NDArray[np.float64]:
        return self._relevances_after(descriptions, self._lesson)

    def first_relevances(self, descriptions: NDArray[np.float16]) -> NDArray[np.float64]:
        return self._relevances_after(descriptions, self._untaught)

    def clues(
        self, descriptions: NDArray[np.floating[Any]], likeness: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return the four numbers that `ClueWeights` weigh, and a one, for each page; z is to a likeness if given."""
        rows = descriptions.astype(np.float64)
        clues = np.ones((len(rows), 5))
        if likeness is None:
            clues[:, 0] = SATURATED * np.tanh(self._nearness(rows, self.topic_direction) / SATURATED)
        else:
            clues[:, 0] = self._nearness(rows, likeness)
        kinds = rows[:, : -self._size].reshape(3 * len(rows), len(self._terms.weights))
        clues[:, 1:4] = np.minimum(weighted_sums(kinds, self._terms.weights), MOST_SAID).reshape(-1, 3)
        return clues

    def teach(self, descriptions: NDArray[np.float16], answers: Sequence[tuple[int, bool]]) -> None:
        self._lesson = self._lesson_of(descriptions, answers) if answers else self._untaught

    def _lesson_of(self, descriptions: NDArray[np.float16], answers: Sequence[tuple[int, bool]]) -> Taught:
        """Learn from the topic's examples and from answers about pages."""
        places = np.array([place for place, _ in answers], dtype=np.int64)
        rows = np.concatenate([self._examples, descriptions[places]]).astype(np.float64)
        wanted = np.append(self._example_answers, np.array([answer for _, answer in answers], dtype=np.bool_))
        if not len(rows):
            return Taught()
        spaced = np.linspace(0, max(len(descriptions) - 1, 0), BACKGROUND_PAGES).astype(np.int64)
        others = np.setdiff1d(spaced, places) if len(descriptions) else spaced[:0]
        return self._learned(rows, wanted, descriptions[others].astype(np.float64))

    def save(self) -> bytes:
        lesson = self._lesson
        if not self.is_taught or lesson.shift is None:
            return b""
        kept = io.BytesIO()
        likeness = np.empty(0) if lesson.likeness is None else lesson.likeness
        called = lesson.called.astype(np.float16)  # as descriptions have them, so nothing is lost
        np.savez(
            kept,
            format=FORMAT,
            likeness=likeness,
            shift=lesson.shift,
            yes=lesson.yes,
            weight=lesson.weight,
            called=called,
        )
        return kept.getvalue()

    def load(self, state: bytes) -> None:
        if not state:
            self._lesson = self._untaught
            return
        try:
            saved = load_arrays(state)
            likeness, shift = saved["likeness"].astype(np.float64), saved["shift"].astype(np.float64)
            yes, weight, fits = int(saved["yes"]), float(saved["weight"]), int(saved["format"]) == FORMAT
            called = saved["called"].astype(np.float64)
        except (ValueError, TypeError, KeyError) as error:
            raise JudgeError(
                f"the saved statistics of the judge are damaged ({error}): restore the run from a copy"
            ) from error
        fits = fits and called.ndim == 2 and called.shape[1] == self._size and len(called) >= yes
        if not fits or likeness.size not in (0, self._size) or shift.shape != (self._shift_size,):
            raise JudgeError("what the judge was taught belongs to another topic or other vectors: use the run's own")
        self._lesson = Taught(likeness if likeness.size else None, shift, yes, weight, called)

    def evidence(self, page: Page) -> Evidence:
        """Return the words without which the page would be less relevant; no stop words but the topic's own."""
        title, words = tuple(words_of(page.title)), page.main_words
        said = dict.fromkeys((*words, *title))
        distinct = [word for word in said if word not in self._stop_words or self._terms.has(word)]
        whole = self._described(title, words)
        rows = np.tile(whole, (len(distinct), 1))
        for place, vector in enumerate(self._directions_without(title, words, distinct)):
            rows[place, -self._size :] = vector
        for place, word in enumerate(distinct):
            if self._terms.has(word):
                fewer = (tuple(other for other in some if other != word) for some in (title, words))
                rows[place, : -self._size] = self._terms.measure(*map(self._vectors.look_up, fewer))
        relevance = self.relevance(page)
        losses = float(_probability(self._log_odds(whole[None], self._lesson))[0]) - _probability(
            self._log_odds(rows, self._lesson)
        )
        order = np.argsort(-losses, kind="stable")[:ROWS_SHOWN].tolist()
        counts = Counter(words)
        shown = [EvidenceRow(distinct[n], "", 0.0, float(losses[n]), counts[distinct[n]]) for n in order]
        return Evidence("learned", relevance, self.threshold, tuple(shown) if words else (), is_sum=False)

    def _direction_of(self, topic: Topic, language: str) -> NDArray[np.float64]:
        """Return the direction of the topic's words, each by how telling it is; zero where none has a vector."""
        name = self._weighed(content_words(topic.name, language))
        keywords = [word for keyword in topic.keywords for word in content_words(keyword, language)]
        direction = unit(unit(name) + KEYWORD_SHARE * unit(self._weighed(keywords)))
        if self._vectors.encoder:
            direction = unit(direction + self._cut(self._vectors.encoder.encode([", ".join(topic.phrases)])[0]))
        return direction

    def _weighed(self, words: Sequence[str]) -> NDArray[np.float64]:
        stems = Stems().of(words)
        weights = [idf_of_stem(stem) for stem in stems]
        directions = [self._cut(self._vectors.vector([word])) for word in words]
        return np.sum([w * d for w, d in zip(weights, directions, strict=True)] or [np.zeros(self._size)], axis=0)

    def _cut(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the direction of the part of a vector that is kept."""
        return unit(vector[: self._size])

    def _described(
        self, title: tuple[str, ...], words: tuple[str, ...], page: Page | None = None
    ) -> NDArray[np.float64]:
        # The title first: the last answer is kept, and others ask about the page.
        named = self._vectors.look_up(title) if title else None
        rows = (
            self._vectors.look_up(words) if page is None else self._vectors.look_up(page.words).within(page.main_spans)
        )
        named = named or rows.first(0)
        start = self._encoded_beginning(title, words)
        if start is None:
            start = self._cut(named.text_vector() + rows.first(LEAD_WORDS).text_vector())
        return np.concatenate([self._terms.measure(named, rows), unit(self._cut(rows.text_vector()) + start)])

    def _encoded_beginning(self, title: tuple[str, ...], words: tuple[str, ...]) -> NDArray[np.float64] | None:
        """Return the direction of title and first words by the encoder; None where there is none."""
        encoder = self._vectors.encoder
        return None if encoder is None else self._cut(encoder.encode([beginning(title, words)])[0])

    def _directions_without(
        self, title: tuple[str, ...], words: tuple[str, ...], distinct: Sequence[str]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the page's direction as it would be without each word."""
        parts = [words, words[:LEAD_WORDS], title]
        counts = [Counter(part) for part in parts]
        vectors = [self._vectors.vector(part) for part in parts]
        encoded = self._encoded_beginning(title, words)  # as a whole: it is not a sum over words
        for word in distinct:
            own = self._vectors.vector([word]) / ONCE
            text, lead, named = (
                vector - count_weights(np.array(count[word])) * own
                for vector, count in zip(vectors, counts, strict=True)
            )
            yield unit(self._cut(text) + (self._cut(lead + named) if encoded is None else encoded))

    def _relevances_after(self, descriptions: NDArray[np.float16], lesson: Taught) -> NDArray[np.float64]:
        has_words = descriptions.any(axis=1)
        return np.where(has_words, _probability(self._log_odds(descriptions.astype(np.float64), lesson)), 0.0)

    @property
    def _shift_size(self) -> int:
        return self._size + len(self._terms.weights) + 1

    def _log_odds(self, rows: NDArray[np.float64], lesson: Taught) -> NDArray[np.float64]:
        odds = self._start(rows, lesson.likeness, lesson.weight)
        if lesson.shift is None:
            return odds
        odds = odds + weighted_sums(self._features(rows), lesson.shift)
        likely = np.flatnonzero(odds > REFUSED_ODDS)  # the others need not be compared
        if len(likely) and len(lesson.called) > lesson.yes:
            share = _share_refused(
                rows[likely, -self._size :], lesson.called[: lesson.yes], lesson.called[lesson.yes :]
            )
            odds[likely] += share * (REFUSED_ODDS - odds[likely])
        return odds

    def _features(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the regression sees of each page."""
        terms, vectors = rows[:, : len(self._terms.weights)], rows[:, -self._size :]
        return np.column_stack(
            [VECTOR_SCALE * (vectors - self._centre), TERM_SCALE * terms, np.full(len(rows), CONSTANT_SCALE)]
        )

    def _start(
        self, rows: NDArray[np.float64], likeness: NDArray[np.float64] | None, weight: float
    ) -> NDArray[np.float64]:
        """Return the log-odds by the topic's words, its vector and the mean of what is wanted, before any fit."""
        clues = self.clues(rows)
        odds = weighted_sums(clues, self._weights.by_name)
        if likeness is not None:
            clues[:, 0] = self._nearness(rows, likeness)
            has_terms = len(self._terms.weights) > 0
            share = weight / (weight + 1) if has_terms else 1.0
            fitted = self._weights.by_likeness if has_terms else self._weights.by_likeness_alone
            odds = (1 - share) * odds + share * weighted_sums(clues, fitted)
        return np.where(odds > 0, SOBER * odds, odds)

    def _nearness(self, rows: NDArray[np.float64], direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return z: the cosine with a direction, in standard deviations above the mean of the background."""
        centre, spread = self._usual_cosines(direction)
        z: NDArray[np.float64] = (weighted_sums(rows[:, -self._size :], direction) - centre) / max(spread, 1e-9)
        return z if direction.any() else np.zeros(len(rows))

    def _usual_cosines(self, direction: NDArray[np.float64]) -> tuple[float, float]:
        """Return mean and standard deviation of the background's cosines with a direction; the last few are kept."""
        if not len(self._background):
            return USUAL_CENTRE, USUAL_SPREAD
        key = direction.tobytes()
        if key not in self._cosines:
            if len(self._cosines) >= DIRECTIONS_KEPT:
                self._cosines.clear()
            cosines = weighted_sums(self._background, direction)
            self._cosines[key] = float(cosines.mean()), float(cosines.std())
        return self._cosines[key]

    def _learned(self, rows: NDArray[np.float64], wanted: NDArray[np.bool_], others: NDArray[np.float64]) -> Taught:
        """Fit the regression to examples, then answered pages, with pages that nobody was asked about beside them."""
        likeness = _mean_direction(rows[wanted, -self._size :]) if wanted.any() else None
        is_example = np.arange(len(rows)) < len(self._examples)
        weights = np.where(wanted, np.where(is_example, 1.0, ANSWER_SHARE), 0.0)
        weight = float(weights.sum())
        is_fitted = ~(is_example & wanted)
        if not is_fitted.any():
            return Taught(likeness, yes=int(wanted.sum()), weight=weight)
        start = self._start(rows, likeness, weight)
        for place in np.flatnonzero(wanted).tolist():  # a page must not vouch for itself
            rest = wanted.copy()
            rest[place] = False
            alike = _mean_direction(rows[rest, -self._size :]) if rest.any() else None
            start[place] = self._start(rows[place : place + 1], alike, weight - weights[place])[0]
        start_of_others = self._start(others, likeness, weight)
        features = self._features(np.concatenate([rows[is_fitted], others]))
        features[: np.count_nonzero(is_example & is_fitted), -1] = 0.0  # the constant
        shift = fitted_shift(
            features,
            np.concatenate([start[is_fitted], start_of_others]),
            np.concatenate([wanted[is_fitted].astype(np.float64), _probability(start_of_others)]),
            np.concatenate([np.ones(is_fitted.sum()), np.full(len(others), BACKGROUND_WEIGHT / max(len(others), 1))]),
        )
        vectors = rows[:, -self._size :]
        return Taught(likeness, shift, int(wanted.sum()), weight, np.concatenate([vectors[wanted], vectors[~wanted]]))


@lru_cache(maxsize=4)  # a process that makes many judges makes them of the same few vectors
def directions_of(texts: tuple[str, ...], source: VectorSource, size: int) -> NDArray[np.float64]:
    """Return the directions of texts on all kinds of subjects, one row each; none where too few have a vector."""
    vectors = WordVectors(source)
    directions = [unit(vectors.vector(words_of(text))[:size]) for text in texts]
    known = [direction for direction in directions if direction.any()]
    return np.array(known if len(known) >= FEWEST_BACKGROUND else []).reshape(-1, size)


def _share_refused(
    pages: NDArray[np.float64], wanted: NDArray[np.float64], refused: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how nearly each page is one that is refused, from 0 to 1; 0 where it is as near to one that is wanted."""
    bar = np.maximum.reduce([np.full(len(pages), ALIKE), *(weighted_sums(pages, each) for each in wanted)])
    nearest = np.maximum.reduce([weighted_sums(pages, each) for each in refused])
    share: NDArray[np.float64] = np.clip((nearest - bar) / np.maximum(1 - bar, CLOSE_ENOUGH), 0.0, 1.0)
    return share


def fitted_shift(
    features: NDArray[np.float64],
    start: NDArray[np.float64],
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the θ with the smallest weighted cross entropy of σ(start + features·θ) with the targets, plus |θ|²/2."""
    columns = np.ascontiguousarray(features.T)
    shift = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        chances = _probability(start + weighted_sums(features, shift))
        gradient = weighted_sums(columns, weights * (chances - targets)) + shift
        curvature = weights * chances * (1 - chances)
        step = _solved(features, columns, curvature, gradient)
        shift = shift - step
        if float(np.abs(step).max()) < CLOSE_ENOUGH:
            break
    return shift


def _solved(
    features: NDArray[np.float64],
    columns: NDArray[np.float64],
    curvature: NDArray[np.float64],
    right: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Solve (I + Xᵀ C X) v = right by conjugate gradients."""
    solution, residual = np.zeros(len(right)), right.copy()
    direction, squared = residual.copy(), float((residual * residual).sum())
    for _ in range(GRADIENT_STEPS):
        if squared < CLOSE_ENOUGH**2:
            break
        image = direction + weighted_sums(columns, curvature * weighted_sums(features, direction))
        length = squared / float((direction * image).sum())
        solution = solution + length * direction
        residual = residual - length * image
        before, squared = squared, float((residual * residual).sum())
        direction = residual + squared / before * direction
    return solution


def beginning(title: Sequence[str], words: Sequence[str]) -> str:
    """Return the part of a page that an encoder reads."""
    return " ".join((*title, *words[:LEAD_WORDS]))


def _mean_direction(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return unit(vectors.mean(axis=0))


def _probability(log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    chance: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(log_odds, -LARGEST_ODDS, LARGEST_ODDS)))
    return chance
