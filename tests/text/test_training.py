"""Vectors trained on given texts: sensible, equal for equal texts and seeds, in a file that others can read."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.errors import VectorsError
from honeyguide.text import neighbours, open_vectors
from honeyguide.text.training import (
    LONGEST_SENTENCE,
    TrainedVectors,
    TrainingModel,
    TrainingProgress,
    TrainingSettings,
    train_vectors,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STONES = ("granite", "basalt", "quartz", "slate", "chalk")
DISHES = ("soup", "stew", "bread", "cake", "salad")
SMALL = TrainingSettings(dimension=12, epochs=4, min_count=5)


def texts(count: int = 600) -> list[tuple[str, ...]]:
    """Half of them are of stones, half of dishes, in words that go with either; all of them are several jobs."""
    chance = np.random.default_rng(4)
    kinds = ((STONES, ("hard", "mountain", "layer")), (DISHES, ("tasty", "kitchen", "plate")))
    return [
        tuple(str(word) for word in chance.choice([*kinds[number % 2][0], *kinds[number % 2][1], "the"], 30))
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TrainedVectors:
    return train_vectors(texts(), tmp_path_factory.mktemp("trained") / "own.vectors", SMALL)


def test_words_that_go_together_come_to_lie_together(trained: TrainedVectors, tmp_path: Path) -> None:
    assert_stones_lie_together(trained, tmp_path)


def test_a_bag_of_words_is_another_model_that_brings_them_together_too(trained: TrainedVectors, tmp_path: Path) -> None:
    settings = replace(SMALL, epochs=20, model=TrainingModel.CBOW)  # it learns less from each text
    own = train_vectors(texts(), tmp_path / "cbow.vectors", settings)
    skip_gram = train_vectors(texts(), tmp_path / "skip.vectors", replace(SMALL, epochs=20))
    assert own.path.read_bytes() != skip_gram.path.read_bytes()
    assert_stones_lie_together(own, tmp_path)


def assert_stones_lie_together(trained: TrainedVectors, tmp_path: Path) -> None:
    source = open_vectors(str(trained.path), tmp_path)
    (granite,) = source.vectors(["granite"]).astype(np.float64)
    nearest = [word for word, _ in neighbours(source, granite, 8)]
    assert nearest[0] == "granite"
    assert not {*nearest} & {*DISHES}


def test_the_result_tells_texts_words_and_dimension(trained: TrainedVectors) -> None:
    assert (trained.texts, trained.words_read, trained.words, trained.dimension) == (600, 18_000, 17, 12)


def test_gensim_reads_the_file_as_we_do(trained: TrainedVectors, tmp_path: Path) -> None:
    from gensim.models import KeyedVectors  # noqa: PLC0415 - a second to load

    theirs = KeyedVectors.load_word2vec_format(str(trained.path), binary=True)
    ours = open_vectors(str(trained.path), tmp_path)
    words = list(ours.words())
    assert words == theirs.index_to_key
    scale = ours.vectors(words[:1])[0, 0] / theirs[words[0]][0]
    assert np.array_equal(ours.vectors(words), theirs.vectors * scale)


@pytest.mark.parametrize("binary", [False, True])
def test_what_gensim_writes_is_read(binary: bool, trained: TrainedVectors, tmp_path: Path) -> None:
    from gensim.models import KeyedVectors  # noqa: PLC0415

    theirs = KeyedVectors.load_word2vec_format(str(trained.path), binary=True)
    theirs.save_word2vec_format(str(tmp_path / "theirs"), binary=binary)
    ours = open_vectors(str(tmp_path / "theirs"), tmp_path / "cache")
    assert ours.digest == open_vectors(str(trained.path), tmp_path / "cache").digest


CHILD = """
import sys, pathlib
sys.path.insert(0, sys.argv[1])
from text.test_training import SMALL, texts
from honeyguide.text.training import train_vectors
train_vectors(texts(), pathlib.Path(sys.argv[2]), SMALL)
"""


@pytest.mark.thorough
def test_equal_texts_and_seeds_give_equal_files_in_any_process(trained: TrainedVectors, tmp_path: Path) -> None:
    tests = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-c", CHILD, tests, str(tmp_path / "out")], env=environment, check=True)
    assert (tmp_path / "out").read_bytes() == trained.path.read_bytes()


def test_another_seed_gives_another_file(trained: TrainedVectors, tmp_path: Path) -> None:
    other = train_vectors(texts(), tmp_path / "out", TrainingSettings(dimension=12, epochs=4, seed=1))
    assert other.path.read_bytes() != trained.path.read_bytes()


def test_texts_are_taken_one_by_one(tmp_path: Path) -> None:
    def given() -> Iterator[tuple[str, ...]]:
        yield from texts(60)
        yield ()

    assert train_vectors(given(), tmp_path / "out", SMALL).texts == 60


def test_only_the_result_is_new_in_its_folder(tmp_path: Path) -> None:
    precious = tmp_path / "out.draft"
    precious.write_bytes(b"precious")
    train_vectors(texts(60), tmp_path / "out", SMALL)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "out", precious]
    assert precious.read_bytes() == b"precious"


def test_a_text_longer_than_gensim_takes_is_taken_in_pieces(tmp_path: Path) -> None:
    long = ["rock", "mud"] * LONGEST_SENTENCE + ["lava"] * 10
    result = train_vectors([long], tmp_path / "out", TrainingSettings(dimension=4, epochs=1))
    assert (result.words_read, result.words) == (len(long), 3)


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[TrainingProgress] = []
    train_vectors(texts(250), tmp_path / "out", TrainingSettings(dimension=4, epochs=2), on_progress=told.append)
    assert [(each.stage, each.done, each.total) for each in told] == [
        ("read", 100, 0), ("read", 200, 0), ("read", 250, 250), ("train", 0, 2), ("train", 1, 2), ("train", 2, 2),
    ]  # fmt: skip


class TestRefusals:
    def refused(self, given: list[tuple[str, ...]], out: Path, settings: TrainingSettings = SMALL) -> str:
        before = sorted(out.parent.iterdir()) if out.parent.exists() else None
        with pytest.raises(VectorsError) as caught:
            train_vectors(given, out, settings)
        assert (sorted(out.parent.iterdir()) if out.parent.exists() else None) == before
        message = str(caught.value)
        assert "\n" not in message
        return message

    def test_a_file_that_is_there_is_not_overwritten(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_bytes(b"precious")
        assert "out is there already" in self.refused(texts(), tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == b"precious"

    def test_a_missing_folder_is_named(self, tmp_path: Path) -> None:
        assert "there is no folder" in self.refused(texts(), tmp_path / "absent" / "out")

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            (TrainingSettings(dimension=0), "dimension is 0: it must be from 1 to 10,000"),
            (TrainingSettings(dimension=10_001), "dimension is 10001"),
            (TrainingSettings(epochs=0), "epochs is 0: it must be at least 1"),
            (TrainingSettings(min_count=0), "min_count is 0"),
            (TrainingSettings(window=-1), "window is -1"),
            (TrainingSettings(seed=-1), "seed is -1"),
            (TrainingSettings(seed=2**32), "seed is 4294967296"),
        ],
    )
    def test_settings_that_make_no_sense_are_named(self, settings: TrainingSettings, said: str, tmp_path: Path) -> None:
        assert said in self.refused(texts(), tmp_path / "out", settings)

    @pytest.mark.parametrize("given", [[], [()], [("once", "twice", "twice")], [("rock",) * 20]])
    def test_too_few_words_are_named(self, given: list[tuple[str, ...]], tmp_path: Path) -> None:
        assert "too few to train on: take a smaller min_count, or more pages" in self.refused(given, tmp_path / "out")

    def test_a_missing_gensim_is_named_before_any_text_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "gensim.models", None)

        unread = iter(texts(3))
        with pytest.raises(VectorsError, match=r"pip install .*\[vectors\]'"):
            train_vectors(unread, tmp_path / "out", SMALL)
        assert len(list(unread)) == 3

    def test_an_error_among_the_texts_leaves_nothing(self, tmp_path: Path) -> None:
        def broken() -> Iterator[tuple[str, ...]]:
            yield from texts(50)
            raise LookupError("no more")

        with pytest.raises(LookupError):
            train_vectors(broken(), tmp_path / "out", SMALL)
        assert list(tmp_path.iterdir()) == []
