"""Word vectors trained on one's own pages, with gensim's word2vec (Mikolov et al., 2013, arXiv:1301.3781).

The texts are read once, into a file without a name beside the result, because training goes over them several times and
they may not fit into memory. The result is a file in word2vec's binary format: `open_vectors` reads it, and so do other
programs. Equal texts and an equal seed give an equal file: there is one worker, and no hash that differs by process.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, Final, Literal

import xxhash

from honeyguide.drafts import holding, remove_abandoned
from honeyguide.errors import VectorsError
from honeyguide.extras import install_hint
from honeyguide.model.counts import count_of
from honeyguide.text.vector_files.formats import LARGEST_DIMENSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    import numpy as np
    from numpy.typing import NDArray

LONGEST_SENTENCE: Final = 10_000  # words; gensim leaves out what is beyond
_TELL_EVERY: Final = 100  # texts


class TrainingModel(StrEnum):
    """What word2vec predicts from what (Mikolov et al., 2013, 3.1 and 3.2)."""

    SKIP_GRAM = "skip-gram"  # the words around a word, each from it: slower, better on few texts
    CBOW = "cbow"  # a word from the words around it together


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How vectors are trained. The numbers are word2vec's own."""

    dimension: int = 100  # numbers a word
    epochs: int = 5  # times over all texts
    min_count: int = 5  # a word that is rarer gets no vector
    window: int = 5  # words on either side that go with a word
    seed: int = 0
    model: TrainingModel = TrainingModel.SKIP_GRAM


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far the training is: texts read, then epochs done."""

    stage: Literal["read", "train"]
    done: int
    total: int  # 0 where nobody knows


@dataclass(frozen=True, slots=True)
class TrainedVectors:
    """The result of training."""

    path: Path
    texts: int  # with words in them
    words_read: int
    words: int  # distinct ones, each with a vector
    dimension: int


def train_vectors(
    texts: Iterable[Sequence[str]],
    out: Path,
    settings: TrainingSettings = TrainingSettings(),
    *,
    on_progress: Callable[[TrainingProgress], None] = lambda _: None,
) -> TrainedVectors:
    """Train vectors on texts, each given by its words, and write them to a new file.

    VectorsError where the file is there already or cannot be written, where gensim is not installed, and where too few
    words are frequent enough; the file is then not there.
    """
    _check(out, settings)
    word2vec = _gensim_word2vec()
    try:
        with TemporaryFile("w+b", dir=out.parent) as file:
            read = _ReadTexts(file)
            read.take(texts, on_progress)
            model = word2vec(
                vector_size=settings.dimension,
                window=settings.window,
                min_count=settings.min_count,
                seed=settings.seed,
                sg=int(settings.model is TrainingModel.SKIP_GRAM),
                workers=1,
                hashfxn=_hash,
            )
            _learn_words(model, read, settings)
            epochs = _EpochProgress(settings.epochs, on_progress)
            model.train(read, total_examples=read.sentences, epochs=settings.epochs, callbacks=[epochs])
        _write(out, model.wv.index_to_key, model.wv.vectors)
    except OSError as error:
        raise VectorsError(f"cannot write {out}: {error.strerror or error}; choose another place") from error
    return TrainedVectors(out, read.texts, read.words, len(model.wv), settings.dimension)


class _ReadTexts:
    """Texts in a file, a sentence a line, to be gone through again and again."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.texts = 0
        self.words = 0
        self.sentences = 0

    def take(self, texts: Iterable[Sequence[str]], on_progress: Callable[[TrainingProgress], None]) -> None:
        for words in texts:
            for first in range(0, len(words), LONGEST_SENTENCE):
                self._file.write(" ".join(words[first : first + LONGEST_SENTENCE]).encode() + b"\n")
                self.sentences += 1
            self.words += len(words)
            self.texts += bool(words)
            if words and self.texts % _TELL_EVERY == 0:
                on_progress(TrainingProgress("read", self.texts, 0))
        on_progress(TrainingProgress("read", self.texts, self.texts))

    def __iter__(self) -> Iterator[list[str]]:
        self._file.seek(0)
        for line in self._file:
            yield line.decode().rstrip("\n").split(" ")


class _EpochProgress:
    """The callback that gensim reports epochs to."""

    def __init__(self, epochs: int, on_progress: Callable[[TrainingProgress], None]) -> None:
        self._epochs = epochs
        self._done = 0
        self._on_progress = on_progress

    def on_train_begin(self, model: object) -> None:
        del model
        self._on_progress(TrainingProgress("train", 0, self._epochs))

    def on_epoch_begin(self, model: object) -> None: ...

    def on_epoch_end(self, model: object) -> None:
        del model
        self._done += 1
        self._on_progress(TrainingProgress("train", self._done, self._epochs))

    def on_train_end(self, model: object) -> None: ...


def _check(out: Path, settings: TrainingSettings) -> None:
    if out.exists():
        raise VectorsError(f"{out} is there already: choose another name for the vectors")
    if not out.parent.is_dir():
        raise VectorsError(f"there is no folder {out.parent}: make it, or choose another place for the vectors")
    for name, most in (("dimension", LARGEST_DIMENSION), ("epochs", None), ("min_count", None), ("window", None)):
        value = getattr(settings, name)
        if value < 1 or (most is not None and value > most):
            allowed = "at least 1" if most is None else f"from 1 to {most:,}"
            raise VectorsError(f"{name} is {value}: it must be {allowed}")
    if not 0 <= settings.seed < 2**32:
        raise VectorsError(f"seed is {settings.seed}: it must be from 0 to 4,294,967,295")


def _gensim_word2vec() -> Any:  # noqa: ANN401 - gensim has no types
    try:
        from gensim.models import Word2Vec  # noqa: PLC0415 - a second to load, and an extra
    except ImportError:
        raise VectorsError(
            f"training vectors needs gensim, which is not installed: {install_hint('vectors')}"
        ) from None
    return Word2Vec


def _learn_words(model: Any, read: _ReadTexts, settings: TrainingSettings) -> None:  # noqa: ANN401
    if read.words:
        model.build_vocab(read)
    if len(model.wv) < 2:  # the neighbour that a lone word is to go with is missing
        raise VectorsError(
            f"{count_of(len(model.wv), 'word')} with {count_of(settings.min_count, 'occurrence')} or more in "
            f"{count_of(read.texts, 'text')}, too few to train on: take a smaller min_count, or more pages"
        )


def _hash(text: str) -> int:
    return xxhash.xxh32_intdigest(text.encode())


def _write(out: Path, words: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Write word2vec's binary format, in whole or not at all."""
    # In a new folder of its own: beside `out`, any name may be somebody's file.
    remove_abandoned(out.parent, ".vectors-")
    with TemporaryDirectory(prefix=".vectors-", suffix=".draft", dir=out.parent, ignore_cleanup_errors=True) as folder:
        draft = Path(folder, "draft")
        with holding(Path(folder)), draft.open("wb") as opened:
            opened.write(f"{len(words)} {vectors.shape[1]}\n".encode())
            for word, vector in zip(words, vectors, strict=True):
                opened.write(word.encode() + b" " + vector.astype("<f4").tobytes() + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
        draft.rename(out)
