"""Best-first without learning: three texts with a mean, or one text."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.learn import BestFirst, Ingredients
from honeyguide.model import Topic
from honeyguide.settings import Settings, with_overrides
from pages import candidates_of, rows_of, sighting_of
from vectors_by_hand import compass_vectors

NORTH = Topic("north")
LINK = sighting_of("http://x.test/east", anchor="north", before="north north nowhere", after="east")


def scored(*, as_one_text: bool) -> float:
    strategy = BestFirst(NORTH, compass_vectors(), as_one_text=as_one_text)
    return float(strategy.score(rows_of(strategy, candidates_of(LINK)))[0])


def test_as_one_text_a_link_is_the_cosine_of_all_its_words() -> None:
    """Pertejo 2021, A.6: three words north and two east are (2, 3)."""
    assert scored(as_one_text=True) == pytest.approx(3 / np.sqrt(13), abs=0.02)


def test_without_a_link_is_the_mean_of_three_cosines() -> None:
    """Anchor 1, address 0; around the anchor two words north and one east: 2/√5."""
    assert scored(as_one_text=False) == pytest.approx((1 + 0 + 2 / np.sqrt(5)) / 3, abs=0.02)


@pytest.mark.parametrize("as_one_text", [True, False])
def test_the_setting_chooses(as_one_text: bool) -> None:
    changed = {"best_first.as_one_text": as_one_text}
    made = BestFirst.build(Ingredients(with_overrides(Settings(), changed), NORTH, compass_vectors))
    assert float(made.score(rows_of(made, candidates_of(LINK)))[0]) == scored(as_one_text=as_one_text)
