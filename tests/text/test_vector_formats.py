"""Files of vectors: whatever the format and the compression, the words and numbers that come out are those put in."""

from __future__ import annotations

from itertools import cycle, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from honeyguide.text import WordVectors, compressed, cosine, neighbours, open_vectors
from honeyguide.text.vector_files import FileVectors, file_vectors
from honeyguide.text.vector_files import conversion as cache_draft
from honeyguide.text.vector_files import formats as binary_rows
from written_vectors import COMPRESSIONS, FORMATS, glove, word2vec_binary, word2vec_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

ASCII_SPACE = " \t\n\r\v\f"
words = st.lists(
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters=f"{ASCII_SPACE}\ufeff"), min_size=1, max_size=6
    ),
    min_size=1,
    max_size=8,
    unique=True,
)
tables = words.flatmap(
    lambda known: st.tuples(
        st.just(known),
        st.integers(1, 5).flatmap(
            lambda dimension: arrays(
                np.float32,
                (len(known), dimension),
                elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
            ).filter(np.any)  # zeros alone are refused
        ),
    )
)


def opened(content: bytes, folder: Path) -> FileVectors:
    file = folder / "vectors"
    file.write_bytes(content)
    source = open_vectors(str(file), folder / "cache")
    assert isinstance(source, FileVectors)
    return source


def encoded(known: list[str]) -> list[bytes]:
    return [word.encode() for word in known]


PAIRS = zip(cycle(FORMATS), COMPRESSIONS, strict=False)


@pytest.mark.parametrize(
    ("format_name", "compression"),
    [*PAIRS, *(pytest.param(*pair, marks=pytest.mark.thorough) for pair in product(FORMATS, COMPRESSIONS))],
)
@given(table=tables)
@settings(max_examples=12, deadline=None)
def test_what_is_written_comes_back(
    format_name: str, compression: str, table: tuple[list[str], NDArray[np.float32]]
) -> None:
    known, vectors = table
    with TemporaryDirectory() as folder:
        content = COMPRESSIONS[compression](FORMATS[format_name](encoded(known), vectors))
        source = opened(content, Path(folder))
        assert source.dimension == vectors.shape[1]
        assert list(source.words()) == known
        assert np.array_equal(source.vectors(known), vectors * np.float32(source.about.scale))
        assert source.about.compression == compression
        assert source.about.format == format_name.replace("fastText .vec", "word2vec text").removesuffix(
            " without newlines"
        )


@given(table=tables, asked=words)
@settings(max_examples=30, deadline=None)
def test_a_word_that_is_not_there_has_the_zero_vector(
    table: tuple[list[str], NDArray[np.float32]], asked: list[str]
) -> None:
    known, vectors = table
    with TemporaryDirectory() as folder:
        source = opened(glove(encoded(known), vectors), Path(folder))
        row_by_word = dict(zip(known, vectors * np.float32(source.about.scale), strict=True))
        for word, vector in zip(asked, source.vectors(asked), strict=True):
            spellings = [each for each in (word, word.capitalize(), word.upper()) if each in row_by_word]
            assert np.array_equal(vector, row_by_word[spellings[0]] if spellings else np.zeros_like(vector))


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 64])
@pytest.mark.parametrize("format_name", FORMATS)
def test_where_blocks_end_does_not_matter(
    format_name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "BLOCK_BYTES", size)
    vectors = np.random.default_rng(1).normal(size=(300, 7)).astype(np.float32)
    known = [f"wörd{number}" for number in range(300)]
    source = opened(FORMATS[format_name](encoded(known), vectors), tmp_path)
    assert list(source.words()) == known
    assert np.array_equal(source.vectors(known), vectors * np.float32(source.about.scale))


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz", "zstd"])
def test_compressed_parts_may_follow_one_another(compression: str, tmp_path: Path) -> None:
    pack = COMPRESSIONS[compression]
    source = opened(pack(b"one 1 2\ntwo 3") + pack(b" 4\nthree 5 6\n"), tmp_path)
    assert list(source.words()) == ["one", "two", "three"]
    assert (source.vectors(["two"]) / source.about.scale).tolist() == [[3.0, 4.0]]


def test_text_may_have_a_byte_order_mark_windows_line_ends_tabs_and_blank_lines(tmp_path: Path) -> None:
    source = opened(b"\xef\xbb\xbfone 1 2\r\n\r\ntwo\t3\t4\r\n\n\n", tmp_path)
    assert list(source.words()) == ["one", "two"]
    assert (source.vectors(["one", "two"]) / source.about.scale).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    assert list(opened(b"2 1\none 1\ntwo 2", tmp_path).words()) == ["one", "two"]


def test_words_may_have_spaces_in_them_as_some_of_gloves_do(tmp_path: Path) -> None:
    source = opened(b"the 1 2\n. . . 3 4\nat name@domain.com 5 6\n7 8 9\n", tmp_path)
    assert list(source.words()) == ["the", ". . .", "at name@domain.com", "7"]
    assert source.dimension == 2


def test_spaces_of_other_scripts_belong_to_the_word(tmp_path: Path) -> None:
    known = ["a\u00a0b", "\u0085", "\u3000"]
    assert list(opened(word2vec_text(encoded(known), np.ones((3, 2), np.float32)), tmp_path).words()) == known


def test_of_a_word_that_stands_there_twice_the_first_counts(tmp_path: Path) -> None:
    source = opened(b"rock 1 0\nmud 0 1\nrock 5 5\nmud 6 6\nrock 7 7\nlava 1 1\n", tmp_path)
    assert list(source.words()) == ["rock", "mud", "lava"]
    assert (source.vectors(["rock", "mud", "lava"]) / source.about.scale).tolist() == [[1, 0], [0, 1], [1, 1]]
    assert (source.about.words, source.about.duplicates) == (3, 3)


def test_words_that_are_not_utf8_or_empty_are_left_out_and_counted(tmp_path: Path) -> None:
    source = opened(b"rock 1 2\ncaf\xe9 3 4\n 5 6\nmud 7 8\n", tmp_path)
    assert list(source.words()) == ["rock", "mud"]
    assert (source.about.words, source.about.skipped) == (2, 2)
    assert (source.vectors(["mud"]) / source.about.scale).tolist() == [[7.0, 8.0]]


def test_words_that_are_not_utf8_are_left_out_of_a_binary_file_too(tmp_path: Path) -> None:
    vectors = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
    source = opened(word2vec_binary([b"rock", b"caf\xe9", b"mud"], vectors), tmp_path)
    assert list(source.words()) == ["rock", "mud"]
    assert (source.vectors(["mud"]) / source.about.scale).tolist() == [[5.0, 6.0]]


def test_lower_case_comes_first_then_a_capital_then_capitals(tmp_path: Path) -> None:
    source = opened(b"NASA 1\nNasa 2\nParis 3\nUNESCO 4\nrock 5\nRock 6\n", tmp_path)
    found = source.vectors(["nasa", "paris", "unesco", "rock", "Rock", "mud"]) / source.about.scale
    assert found[:, 0].tolist() == [2, 3, 4, 5, 6, 0]


def test_words_with_the_same_key_are_told_apart_by_their_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_draft, "key_of", lambda word: len(word) % 2)
    monkeypatch.setattr(file_vectors, "key_of", lambda word: len(word) % 2)
    source = opened(b"rock 1\nmud 2\nlava 3\nrock 9\nsand 4\nash 5\nmud 9\nlava 9\nsand 9\n", tmp_path)
    assert list(source.words()) == ["rock", "mud", "lava", "sand", "ash"]
    found = source.vectors(["sand", "ash", "rock", "mud", "lava", "clay", "tar"]) / source.about.scale
    assert found[:, 0].tolist() == [4, 5, 1, 2, 3, 0, 0]


def test_no_words_are_no_vectors(tmp_path: Path) -> None:
    assert opened(b"rock 1 2\n", tmp_path).vectors([]).shape == (0, 2)


def test_a_lone_surrogate_is_a_word_that_is_not_there(tmp_path: Path) -> None:
    assert not opened(b"rock 1 2\n", tmp_path).vectors(["\ud800"]).any()


def test_a_list_of_words_is_a_sequence(tmp_path: Path) -> None:
    known = opened(b"one 1\ntwo 2\none 3\nthree 4\n", tmp_path).words()
    assert len(known) == 3
    assert [known[0], known[-1]] == ["one", "three"]
    assert list(known[1:]) == ["two", "three"]
    assert "two" in known
    with pytest.raises(IndexError):
        known[3]


def test_a_tiny_binary_file_whose_numbers_look_like_letters_is_still_binary(tmp_path: Path) -> None:
    numbers = np.frombuffer(b"abcdefghABCDEFGH", dtype="<f4").reshape(2, 2)
    source = opened(word2vec_binary([b"rock", b"mud"], numbers), tmp_path)
    assert source.about.format == "word2vec binary"
    assert list(source.words()) == ["rock", "mud"]


def test_a_word_across_the_longest_look_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary_rows, "_LONGEST_WORD", 16)
    vectors = np.ones((3, 2), dtype=np.float32)
    assert list(opened(word2vec_binary([b"a" * 15, b"b", b"c" * 15], vectors), tmp_path).words())[2] == "c" * 15


class TestScale:
    @pytest.mark.parametrize(("size", "scale"), [(1.0, 1.0), (0.6, 1.0), (0.5, 2.0), (0.01, 64.0), (100.0, 2.0**-7)])
    def test_a_power_of_two_brings_typical_numbers_between_a_half_and_one(
        self, size: float, scale: float, tmp_path: Path
    ) -> None:
        vectors = np.full((10, 4), size, dtype=np.float32)
        source = opened(glove(encoded([f"word{number}" for number in range(10)]), vectors), tmp_path)
        assert source.about.scale == scale
        assert 0.5 < source.vectors(["word1"])[0, 0] <= 1.0

    def test_up_to_two_halvings_keep_the_largest_number_within_bounds(self, tmp_path: Path) -> None:
        vectors = np.full((100, 10), 0.8, dtype=np.float32)
        vectors[5, 5] = 20.0
        source = opened(glove(encoded([f"word{number}" for number in range(100)]), vectors), tmp_path)
        assert source.about.scale == 0.25
        vectors[5, 5] = 20_000.0  # an outlier like this is cut rather than squeezing all others
        vectors[:5] = 200.0
        (tmp_path / "other").mkdir()
        other = opened(glove(encoded([f"word{number}" for number in range(100)]), vectors), tmp_path / "other")
        typical = np.sqrt((vectors.astype(float) ** 2).mean()) * other.about.scale
        assert 0.125 < typical <= 1.0

    @pytest.mark.parametrize("number", [b"1e-45", b"3e38"])
    def test_numbers_at_the_ends_of_single_precision_stay_finite(self, number: bytes, tmp_path: Path) -> None:
        source = opened(b"rock " + number + b" 0\n", tmp_path)
        assert np.isfinite(source.vectors(["rock"])).all()

    def test_small_vectors_keep_their_cosines_in_the_table_of_words(self, tmp_path: Path) -> None:
        vectors = np.random.default_rng(2).normal(0, 0.01, size=(50, 100)).astype(np.float32)
        known = [f"word{number}" for number in range(50)]
        table = WordVectors(opened(glove(encoded(known), vectors), tmp_path))
        for one, two in zip(range(0, 50, 2), range(1, 50, 2), strict=True):
            exact = cosine(vectors[one].astype(np.float64), vectors[two].astype(np.float64))
            assert cosine(table.vector([known[one]]), table.vector([known[two]])) == pytest.approx(exact, abs=0.002)


def test_neighbours_are_looked_for_among_all_the_words_of_a_file(tmp_path: Path) -> None:
    source = opened(b"up 0 1\nright 1 0\nRight 2 0.1\nleft -1 0\nup 5 5\n", tmp_path)
    found = neighbours(source, np.array([1.0, 0.0]), 3)
    assert [word for word, _ in found] == ["right", "Right", "up"]
