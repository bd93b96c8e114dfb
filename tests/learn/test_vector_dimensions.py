"""A link has as many columns whatever the dimension of the word vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.learn.features import COLUMNS, MEANING, SCALARS, LinkFeatures
from honeyguide.model import Topic
from honeyguide.text import WordVectors
from pages import candidates_of, sighting_of
from vectors_by_hash import HashedVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LINKS = candidates_of(
    sighting_of("http://a.test/rock", "a rock", "before", "after", relevance=0.7, depth=2),
    sighting_of("http://c.test/", "", "", ""),
)


class FirstNumbers:
    """The first numbers of other vectors."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        return HashedVectors().vectors(words)[:, : self.dimension]


@pytest.mark.parametrize("dimension", [1, 5, MEANING - 1, MEANING, MEANING + 1, 64])
def test_columns_that_short_vectors_cannot_fill_are_zero(dimension: int) -> None:
    features = LinkFeatures(Topic("geology", ("rock",)), WordVectors(FirstNumbers(dimension)))
    rows = features.rows(features.describe(LINKS), LINKS.parents)
    assert rows.shape == (2, len(COLUMNS))
    meaning = rows[0, len(SCALARS) :].astype(np.float64)
    assert meaning[:dimension].any()
    assert not meaning[dimension:].any()
    if dimension <= MEANING:
        assert np.linalg.norm(meaning) == pytest.approx(1.0, abs=0.002)
