"""Numbers that are handed on by the names of their columns, and columns in words."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn import FeatureStyle, LearnedWeights, Scale, in_words
from honeyguide.learn.features import SCALARS
from honeyguide.learn.han_features import category_group, columns
from honeyguide.learn.learned import carrying
from honeyguide.learn.online_ridge import OnlineRidgeSettings, columns_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

CATEGORIES = st.lists(st.text("abc in five", min_size=1), max_size=4, unique=True)
NAMES = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique=True)


def group_sums(names: tuple[str, ...], numbers: np.ndarray) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for name, number in zip(names, numbers.tolist(), strict=True):
        sums[category_group(name)] += number
    return sums


@given(CATEGORIES, CATEGORIES, st.sampled_from(Scale), st.integers(0, 1000))
def test_a_group_keeps_its_sum_and_a_name_its_number(
    theirs: list[str], mine: list[str], scale: Scale, seed: int
) -> None:
    style = FeatureStyle(scale)
    their_names, my_names = columns(style, theirs), columns(style, mine)
    numbers = np.random.default_rng(seed).normal(size=len(their_names))
    carried = carrying(their_names, my_names, category_group) @ numbers
    by_name = dict(zip(their_names, numbers.tolist(), strict=True))
    mine_by_name = dict(zip(my_names, carried.tolist(), strict=True))
    assert all(mine_by_name[name] == by_name[name] for name in my_names if name in by_name)
    before, after = group_sums(their_names, numbers), group_sums(my_names, carried)
    new, left = set(mine) - set(theirs), set(theirs) - set(mine)
    if bool(new) == bool(left):
        assert after == pytest.approx({group: before[group] for group in after})
    elif not theirs:
        assert all(after[group] == 0 for group in after if group not in before)


@given(NAMES, st.randoms(use_true_random=False))
def test_the_same_columns_in_another_order_are_carried_as_they_are(names: list[str], chance: object) -> None:
    mine = list(names)
    chance.shuffle(mine)  # type: ignore[attr-defined]
    numbers = np.arange(len(names), dtype=np.float64)
    assert (carrying(names, mine) @ numbers).tolist() == [float(names.index(name)) for name in mine]
    back = carrying(mine, names) @ carrying(names, mine)
    assert np.array_equal(back, np.eye(len(names)))


@given(names=NAMES, kind=st.text(max_size=9), step=st.integers(0, 10**9), seed=st.integers(0, 99))
def test_a_file_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], kind: str, step: int, seed: int
) -> None:
    names = [name.rstrip("\0") or "name" for name in names]  # NumPy's texts end before it
    chance = np.random.default_rng(seed)
    numbers: dict[str, NDArray[Any]] = {
        "weights": chance.normal(size=len(names)),
        "a/b": chance.normal(size=(2, 3)).astype(np.float32),
    }
    learned = LearnedWeights("lfa-sync", kind.rstrip("\0"), tuple(names), numbers, step)
    file: Path = tmp_path_factory.mktemp("learned") / "file.npz"
    file.write_bytes(learned.save())
    read = LearnedWeights.load(file)
    assert (read.strategy, read.kind, read.columns, read.step) == ("lfa-sync", learned.kind, learned.columns, step)
    assert read.source == str(file)
    assert all(np.array_equal(read.numbers[name], numbers[name]) for name in numbers)
    assert all(read.numbers[name].dtype == numbers[name].dtype for name in numbers)


def test_there_are_words_for_every_column_that_a_score_adds_up() -> None:
    ridge = [*SCALARS, *columns_of(OnlineRidgeSettings(page_rank=True))]
    han = [name for scale in Scale for name in columns(FeatureStyle(scale), ["earth"])]
    for name in (*ridge, *han):
        if not name.startswith("meaning "):
            assert in_words(name) != name
    assert in_words("page: distance") == "the page it stands on: clicks from a relevant page"
    assert in_words("link: category earth in tenths") == "the link: nearness to category earth, in tenths"
