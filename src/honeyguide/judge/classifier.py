"""Relevance by a classifier of the user's own, in the style of scikit-learn, over the main texts of pages.

The classifier is given a list of texts, each the main words of a page in lower case with single spaces between them, as
a scikit-learn pipeline that begins with a vectorizer takes them. The relevance is the last column of `predict_proba`
(the class that sorts last: 1 of 0 and 1), or `decision_function` through the logistic curve.

It is named in the setting `judge.classifier`, as `module:attribute` (anything Python can import) or as a file written
by skops, which is data: only types that skops knows to be harmless are built from it. Pickles are not read, because
loading one runs whatever code is in it.
"""

from __future__ import annotations

import importlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from honeyguide.errors import JudgeError, SettingsError
from honeyguide.extras import install_hint
from honeyguide.judge.embeddings import ROWS_SHOWN
from honeyguide.judge.examples import Examples, VectorModelJudge, fitted_logistic, logistic
from honeyguide.judge.judge import StatelessJudge
from honeyguide.model import Evidence, EvidenceRow
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.judge.judge import Judge, JudgeIngredients
    from honeyguide.model import Page, Topic

PROBE: Final = "a short text to see whether it can be asked"
WORDS_TAKEN_OUT: Final = 100  # in turn, for evidence: the most frequent of a page
SLACK: Final = 1e-6  # by which a probability may miss the range from 0 to 1


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """The classifier judge."""

    table: ClassVar = "judge"

    classifier: str = setting(
        "",
        "a classifier of one's own over main texts, module:attribute or a .skops file; empty learns from the examples",
        names_file=lambda value: value.endswith(".skops"),
        everyday=True,
    )


class ClassifierJudge(StatelessJudge):
    """The opinion of a trained classifier on the main text."""

    settings_type = ClassifierSettings
    needs_topic = False
    threshold = 0.5

    @classmethod
    def build(cls, given: JudgeIngredients) -> Judge:
        """The user's own classifier, or one that learns from the topic's examples."""
        name = given.settings.of(ClassifierSettings).classifier
        if name:
            return cls(chosen_classifier(name, given.topic), name)
        examples = Examples.of(given.topic, "classifier")
        return VectorModelJudge("classifier", fitted_logistic(examples, given.vectors()), given.vectors())

    def __init__(self, classifier: Any, name: str = "") -> None:  # noqa: ANN401 - any class with either method
        self._classifier = classifier
        self._name = name or type(classifier).__name__

    def relevance(self, page: Page) -> float:
        return self._relevances([page.main_words])[0]

    def evidence(self, page: Page) -> Evidence:
        """The words without which the page would be less relevant, among its most frequent."""
        words = page.main_words
        counts = Counter(words).most_common(WORDS_TAKEN_OUT)
        relevance = self.relevance(page)
        without = self._relevances([tuple(other for other in words if other != word) for word, _ in counts])
        rows = [
            EvidenceRow(word, "", 0.0, relevance - other, count)
            for (word, count), other in zip(counts, without, strict=True)
        ]
        shown = tuple(sorted(rows, key=lambda row: -row.contribution)[:ROWS_SHOWN])
        return Evidence("classifier", relevance, self.threshold, shown, is_sum=False)

    def _relevances(self, texts: Sequence[tuple[str, ...]]) -> list[float]:
        """Of texts given as words; those without any are not shown to the classifier."""
        asked = [" ".join(words) for words in texts if words]
        try:
            said = iter(_probabilities(self._classifier, asked))
        except JudgeError as error:
            raise JudgeError(f"judge.classifier is {self._name!r}: {error}") from error
        return [next(said) if words else 0.0 for words in texts]


def chosen_classifier(name: str, topic: Topic) -> Any:  # noqa: ANN401
    """The classifier that the setting names, ready to be asked.

    An object is taken as it is. A class or function is called without arguments, and what it gives is fitted to the
    topic's examples. Raises SettingsError where there is no such thing, or where it cannot judge a short text.
    """
    found = _from_file(name) if name.endswith(".skops") else _imported(name)
    if isinstance(found, type) or (callable(found) and not _can_be_asked(found)):
        try:
            found = found()
        except Exception as error:  # it is the user's, and may raise anything; so below
            remedy = "name a classifier, or what makes one"
            raise _mistake(name, f"calling it without arguments fails ({_described(error)}); {remedy}") from error
        if not hasattr(found, "fit"):
            raise _mistake(name, f"it gives a {type(found).__name__}, which has no fit")
        examples = Examples.of(topic, "classifier")
        try:
            found.fit(examples.texts, examples.labels)
        except Exception as error:
            raise _mistake(name, f"it cannot be fitted to texts ({_on_a_line(error)})") from error
    if not _can_be_asked(found):
        raise _mistake(name, f"it gives a {type(found).__name__}, which has no predict_proba")
    try:
        _probabilities(found, [PROBE])
    except JudgeError as error:
        raise _mistake(name, str(error)) from error
    return found


def _can_be_asked(thing: object) -> bool:
    return hasattr(thing, "predict_proba") or hasattr(thing, "decision_function")


def _imported(name: str) -> Any:  # noqa: ANN401
    if name.endswith((".joblib", ".pickle", ".pkl")):
        raise _mistake(name, "a pickle runs the code in it; write it with skops.io.dump, as a .skops file")
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise _mistake(name, "write module:attribute, or the path of a .skops file")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ImportError as error:
        raise _mistake(name, f"{_on_a_line(error)}; is its folder on the PYTHONPATH?") from error
    except AttributeError as error:
        raise _mistake(name, _on_a_line(error)) from error
    except Exception as error:
        raise _mistake(name, f"importing {module} fails ({_described(error)})") from error


def _from_file(path: str) -> Any:  # noqa: ANN401
    """Read a classifier that skops has written: data, of which only types that skops knows are built."""
    try:
        from skops import io as skops  # noqa: PLC0415 - an extra
        from skops.io.exceptions import UntrustedTypesFoundException  # noqa: PLC0415
    except ImportError:
        raise _mistake(path, f"reading it needs skops; {install_hint('classifier')}") from None
    try:
        return skops.load(path)
    except OSError as error:
        raise SettingsError([f"judge.classifier: cannot read {path}: {error.strerror or error}"]) from None
    except UntrustedTypesFoundException as error:
        remedy = "load it in a module of your own and name that, as module:attribute"
        raise _mistake(path, f"it has types that could run code ({_on_a_line(error)}); {remedy}") from error
    except Exception as error:
        raise SettingsError(
            [f"judge.classifier: {path} cannot be loaded ({_described(error)}): write it with skops.io.dump"]
        ) from error


def _mistake(name: str, text: str) -> SettingsError:
    return SettingsError([f"judge.classifier is {name!r}: {text}"])


def _on_a_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {_on_a_line(error)}"


def _probabilities(classifier: Any, texts: list[str]) -> list[float]:  # noqa: ANN401
    """The probability of each text; JudgeError where the classifier gives none."""
    if not texts:
        return []
    try:
        column = _asked(classifier, texts)
    except Exception as error:  # it is the user's, and may raise anything
        remedy = "give one that is trained on texts, as a pipeline with a vectorizer"
        raise JudgeError(f"it cannot be asked ({_described(error)}): {remedy}") from error
    if column.shape != (len(texts),):
        raise JudgeError(f"the classifier gave numbers of shape {column.shape} for {len(texts)} texts: one each is due")
    within = (column >= -SLACK) & (column <= 1 + SLACK)  # not a number is neither
    if not within.all():
        raise JudgeError(f"the classifier gave {column[~within][0]:g}: a probability is from 0 to 1")
    return [min(1.0, max(0.0, number)) for number in column.tolist()]


def _asked(classifier: Any, texts: list[str]) -> NDArray[np.float64]:  # noqa: ANN401
    if hasattr(classifier, "predict_proba"):
        said = np.asarray(classifier.predict_proba(texts), dtype=np.float64)
        return said[:, -1] if said.ndim == 2 and said.shape[1] else said
    column = np.asarray(classifier.decision_function(texts), dtype=np.float64)
    return np.array([logistic(number) for number in column.ravel()]).reshape(column.shape)
