"""Files of word vectors as other programs write them, made for tests."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from typing import TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray


def glove(words: Sequence[bytes], vectors: NDArray[np.float32]) -> bytes:
    rows = zip(words, vectors.tolist(), strict=True)
    return b"".join(word + b" " + " ".join(map(repr, numbers)).encode() + b"\n" for word, numbers in rows)


def word2vec_text(words: Sequence[bytes], vectors: NDArray[np.float32]) -> bytes:
    return f"{len(words)} {vectors.shape[1]}\n".encode() + glove(words, vectors)


def fasttext_vec(words: Sequence[bytes], vectors: NDArray[np.float32]) -> bytes:
    """As fastText writes it: with a space at the end of every line but the first."""
    return word2vec_text(words, vectors).replace(b"\n", b" \n").replace(b" \n", b"\n", 1)


def word2vec_binary(words: Sequence[bytes], vectors: NDArray[np.float32], *, newline: bytes = b"\n") -> bytes:
    rows = zip(words, vectors, strict=True)
    head = f"{len(words)} {vectors.shape[1]}\n".encode()
    return head + b"".join(word + b" " + numbers.astype("<f4").tobytes() + newline for word, numbers in rows)


def word2vec_binary_without_newlines(words: Sequence[bytes], vectors: NDArray[np.float32]) -> bytes:
    """As gensim writes it."""
    return word2vec_binary(words, vectors, newline=b"")


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("vectors.txt", content)
    return buffer.getvalue()


FORMATS: dict[str, Callable[[Sequence[bytes], NDArray[np.float32]], bytes]] = {
    "GloVe text": glove,
    "word2vec text": word2vec_text,
    "fastText .vec": fasttext_vec,
    "word2vec binary": word2vec_binary,
    "word2vec binary without newlines": word2vec_binary_without_newlines,
}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.compress,
    "zip": zipped,
}
