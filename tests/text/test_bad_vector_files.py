"""A bad file of vectors is refused in one line that says what, where and what to do; nothing is left in the cache."""

from __future__ import annotations

import io
import os
import zipfile
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import VectorsError
from honeyguide.text import open_vectors
from honeyguide.text.vector_files import formats as layouts
from written_vectors import COMPRESSIONS, FORMATS, glove, word2vec_binary, word2vec_text

if TYPE_CHECKING:
    from pathlib import Path

THREE = [b"rock", b"mud", b"lava"]
NUMBERS = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
MANY = [f"word{number}".encode() for number in range(3000)]
MANY_NUMBERS = np.random.default_rng(0).normal(size=(3000, 20)).astype(np.float32)


def refusal(file: Path, cache: Path) -> str:
    with pytest.raises(VectorsError) as caught:
        open_vectors(str(file), cache)
    message = str(caught.value)
    assert "\n" not in message
    assert str(file) in message
    assert not cache.exists() or [each.name for each in cache.iterdir() if each.suffix != ".lock"] == []
    return message


def refused(content: bytes, folder: Path) -> str:
    file = folder / "vectors.txt"
    file.write_bytes(content)
    return refusal(file, folder / "cache")


BINARY = word2vec_binary(THREE, NUMBERS)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (COMPRESSIONS["gzip"](b""), "is empty"),
        (b"\n\n", "is no file of vectors"),
        (b"rock 0 0\nmud 0 -0.0\n", "is 0, so no word is near another: get the file again"),
        (word2vec_binary(THREE, 0 * NUMBERS), "is 0, so no word is near another"),
        (b"Dear all,\nhere are the vectors\n", "is no file of vectors"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is no file of vectors"),
        (b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", "whole fastText model: give the .vec"),
        (b"rock 1 2\nmud 3\n", "line 2 has 1 number where line 1 says 2"),
        (b"rock 1 2\nmud 3 4\nlava\n", "line 3 has 0 numbers where line 1 says 2"),
        (b"rock 1 2\nmud 3 4 5\n", "line 2 has 3 numbers where line 1 says 2"),
        (b"rock 1 2\n\nmud 3 4 5\n", "line 3 has 3 numbers"),
        (b"2 3\nrock 1 2 3\nmud 1 2\n", "line 3 has 2 numbers where the header says 3"),
        (b"2 3\nrock 1 2\nmud 1 2 3\n", "line 2 has 2 numbers where the header says 3"),
        (b"rock 1 2\nmud 3 x4\n", "line 2 has 'x4' for its number 2"),
        (b"2 2\nrock 1 2\nmud caf\xe9 4\n", "line 3 has 'caf\ufffd' for its number 1"),
        (b"rock 1 2\nmud nan 4\n", "line 2 has 'nan' for its number 1"),
        (b"rock 1 2\nmud 3 -inf\n", "line 2 has '-inf' for its number 2"),
        (b"rock 1 2\nmud 3 4e38\nlava 5 6\n", "line 2 has '4e38' for its number 2"),
        (b"rock 1 x 2\nmud 1 2 3\n", "is no file of vectors"),
        (b"3 2\nrock 1 2\nmud 3 4\n", "ends after 2 of the 3 words that line 1 promises (its last line is 3)"),
        (b"2 2\nrock 1 2\nmud 3 4\nlava 5 6\n", "has 3 words where line 1 promises 2"),
        (b"0 2\n", "holds no word"),
        (b"3 0\nrock\nmud\nlava\n", "vectors of 0 numbers"),
        (b"3 20000\nrock 1\n", "vectors of 20,000 numbers"),
        (b"rock" + b" 1" * 10_001 + b"\n", "vectors of 10,001 numbers"),
        (b"caf\xe9 1 2\n\xff 3 4\n", "holds no word"),
        (BINARY[:-5], "ends at byte 40, after 2 of the 3 words"),
        (BINARY[:-12], "after 2 of the 3 words"),
        (BINARY[:29], "after 1 of the 3 words"),
        (BINARY + b"more", "byte 45: there is more after the 3 words"),
        (word2vec_binary(THREE, np.array([[1, 2], [3, np.nan], [5, 6]], np.float32)), "its number 2 is nan"),
        (word2vec_binary(THREE, np.array([[1, 2], [np.inf, 3], [5, 6]], np.float32)), "its number 1 is inf"),
        (b"5 2\n" + bytes(200_000), "no end of word 1 in sight"),
    ],
)
def test_what_is_wrong_is_said(content: bytes, said: str, tmp_path: Path) -> None:
    assert said in refused(content, tmp_path)


def test_the_place_of_a_bad_number_in_a_binary_file_is_its_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide.text.compressed.BLOCK_BYTES", 10_000)
    monkeypatch.setattr(layouts, "LONGEST_LINE", 10_000)
    vectors = MANY_NUMBERS.copy()
    vectors[2900, 7] = np.nan
    content = word2vec_binary(MANY, vectors)
    message = refused(content, tmp_path)
    assert f"byte {content.index(b'word2900 ') - 1:,}" in message  # the newline before belongs to it
    assert "its number 8 is nan" in message


def test_lines_are_counted_far_into_a_file(tmp_path: Path) -> None:
    lines = word2vec_text(MANY, MANY_NUMBERS).splitlines(keepends=True)
    lines[2751] = lines[2751].replace(b" ", b" x", 1)
    assert "line 2,752 has 'x" in refused(b"".join(lines), tmp_path)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide.text.compressed.BLOCK_BYTES", 1000)
    monkeypatch.setattr(layouts, "LONGEST_LINE", 5000)
    assert "first line has no end" in refused(b"rock " * 10_000, tmp_path)
    assert "line 2 is longer than 5,000 bytes" in refused(b"rock 1 2\n" + b"mud " * 10_000, tmp_path)


STREAMS = ("gzip", "bzip2", "xz", "zstd")


@pytest.mark.parametrize(
    ("compression", "format_name"),
    [
        *((compression, "GloVe text") for compression in STREAMS),
        *(pytest.param(*pair, marks=pytest.mark.thorough) for pair in product(STREAMS, FORMATS)),
    ],
)
def test_compressed_data_that_is_cut_off_is_refused_wherever_it_is_cut(
    compression: str, format_name: str, tmp_path: Path
) -> None:
    packed = COMPRESSIONS[compression](FORMATS[format_name](MANY[:500], MANY_NUMBERS[:500]))
    for size in (len(packed) // 2, len(packed) - 1):
        message = refused(packed[:size], tmp_path)
        assert f"{compression} data is cut off after" in message
        assert "get it again" in message


@pytest.mark.parametrize("compression", [*STREAMS, "zip"])
def test_compressed_data_that_is_broken_is_refused(compression: str, tmp_path: Path) -> None:
    packed = bytearray(COMPRESSIONS[compression](glove(MANY[:500], MANY_NUMBERS[:500])))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = bytes(40)
    message = refused(bytes(packed), tmp_path)
    assert f"{compression} data cannot be read" in message or "data is cut off" in message or ", line " in message


def test_a_zip_that_is_cut_off_or_holds_several_files_is_refused(tmp_path: Path) -> None:
    packed = COMPRESSIONS["zip"](glove(THREE, NUMBERS))
    assert "zip data cannot be read" in refused(packed[:-10], tmp_path)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("a.50d.txt", "a.100d.txt"):
            archive.writestr(name, glove(THREE, NUMBERS))
    message = refused(buffer.getvalue(), tmp_path)
    assert "holds 2 files (a.50d.txt, a.100d.txt): unpack it and name one of them" in message


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    assert "there is no file of vectors" in refusal(tmp_path / "absent.txt", tmp_path / "cache")
    assert "is a folder" in refusal(tmp_path, tmp_path / "cache")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_bytes(b"rock 1\n")
    file.chmod(0)
    assert "Permission denied" in refusal(file, tmp_path / "cache")


@given(st.binary(max_size=200), st.sampled_from([b"", b"2 2\n", b"3 1\n", b"rock 1 2\n", b"\x1f\x8b", b"BZh9"]))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_either_vectors_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, start: bytes
) -> None:
    folder = tmp_path_factory.mktemp("any")
    file = folder / "vectors"
    file.write_bytes(start + content)
    try:
        source = open_vectors(str(file), folder / "cache")
    except VectorsError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert len(source.words()) >= 1
        assert np.isfinite(source.vectors(source.words())).all()
