"""Real vectors: the 80,000 most frequent words of GloVe in 100 numbers each, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from honeyguide.text import WordVectors, neighbours, open_vectors
from honeyguide.text.vector_files import FileVectors

FILE = Path(__file__).parents[3] / "shared" / "data" / "glove-100d-80k.txt.gz"
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not FILE.exists(), reason="needs ../shared/data/glove-100d-80k.txt.gz"),
]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> FileVectors:
    source = open_vectors(str(FILE), tmp_path_factory.mktemp("real"))
    assert isinstance(source, FileVectors)
    return source


def test_it_is_what_it_was(real: FileVectors) -> None:
    about = real.about
    assert (about.format, about.compression, about.words, about.dimension) == ("GloVe text", "gzip", 80_000, 100)
    assert (about.duplicates, about.skipped, about.scale) == (0, 0, 1.0)
    assert list(real.words()[:5]) == ["the", ",", ".", "of", "to"]


@pytest.mark.parametrize(
    ("word", "near"),
    [("river", {"rivers", "creek", "lake"}), ("music", {"musical", "songs", "jazz"}), ("granite", {"limestone"})],
)
def test_words_of_a_kind_are_near_one_another(real: FileVectors, word: str, near: set[str]) -> None:
    (vector,) = real.vectors([word]).astype(np.float64)
    assert near <= {other for other, _ in neighbours(real, vector, 12)}


def test_the_table_of_words_loses_next_to_nothing_of_it(real: FileVectors) -> None:
    words = real.words()[:80_000:40]
    exact = real.vectors(words).astype(np.float64)
    table = WordVectors(real).look_up(tuple(words))
    kept = table.table[table.numbers].astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1), np.linalg.norm(kept, axis=1)
    assert ((exact * kept).sum(axis=1) / lengths[0] / lengths[1]).min() > 0.9999
    cosines = [(each @ each.T) / np.outer(length, length) for each, length in zip((exact, kept), lengths, strict=True)]
    assert np.abs(cosines[0] - cosines[1]).max() < 0.003
