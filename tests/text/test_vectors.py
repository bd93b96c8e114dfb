"""Word vectors: exact sums, whatever the order, the batch or the history of the cache."""

from __future__ import annotations

import math
import tracemalloc
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Topic
from honeyguide.text import EnglishVectors, WordllamaVectors, WordVectors, cosine, cosines, vectors
from honeyguide.text.vectors import WordLabels
from vectors_by_hash import HashedVectors, hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

words = st.lists(st.text("abcde", min_size=1, max_size=2), max_size=40)


def naive_text_vector(text: list[str]) -> NDArray[np.float64]:
    table = {word: rounded(word) for word in text}
    total = np.zeros(HashedVectors.dimension)
    for word, vector in table.items():
        total += np.round(np.log1p(text.count(word)) * 256) / 256 * vector
    return total


def rounded(word: str) -> NDArray[np.float64]:
    vector = HashedVectors().vectors([word])[0].astype(np.float64)
    return np.round(np.clip(vector, -8, 8) * 256) / 256


@given(words)
def test_text_vector_is_the_log_weighted_sum_to_the_last_bit(text: list[str]) -> None:
    assert np.array_equal(hashed_vectors().vector(text), naive_text_vector(text))


@given(words, words)
def test_text_vector_depends_neither_on_word_order_nor_on_what_was_met_before(
    text: list[str], met_before: list[str]
) -> None:
    table = hashed_vectors()
    table.vector(met_before)
    shuffled = sorted(text, reverse=True)
    assert np.array_equal(table.vector(text), hashed_vectors().vector(shuffled))


@given(
    words,
    st.integers(2, 4),
    st.sampled_from([1, 16, 20, 64]),
    st.sampled_from([1, 3, 64]),
    st.sampled_from([2, 256]),
    st.data(),
)
def test_sums_between_cuts_equal_adding_up_the_words_there(
    text: list[str], count: int, dimension: int, words_at_once: int, spans_at_once: int, data: st.DataObject
) -> None:
    places = st.lists(st.integers(0, len(text)), min_size=count, max_size=count).map(sorted)
    cuts = data.draw(st.lists(places, max_size=6))
    with patch.multiple(vectors, WORDS_AT_ONCE=words_at_once, SPANS_AT_ONCE=spans_at_once):
        rows = hashed_vectors().look_up(tuple(text))
        sums = rows.sums_between(np.array(cuts, dtype=np.int64).reshape(-1, count), dimension)
    expected = [
        sum((rounded(word)[:dimension] for word in text[begin:end]), np.zeros(dimension))
        for row in cuts
        for begin, end in pairwise(row)
    ]
    assert np.array_equal(sums, np.array(expected).reshape(-1, count - 1, dimension))


@given(st.lists(words, max_size=6), st.sampled_from([3, 1000]))
def test_every_word_has_its_label_whatever_was_met_and_forgotten_before(texts: list[list[str]], room: int) -> None:
    labels = WordLabels(lambda word: sum(map(ord, word)))
    with patch.object(vectors, "CACHED_WORDS", room):
        table = hashed_vectors()
        looked_up = [table.look_up(tuple(text)) for text in texts]
        for text, rows in (
            *zip(texts, looked_up, strict=True),
            *zip(texts, map(table.look_up, map(tuple, texts)), strict=True),
        ):
            assert labels.of(rows).tolist() == [sum(map(ord, word)) for word in text]


@given(words, st.booleans(), st.data())
def test_words_outside_the_spans_are_not_looked_up_and_sums_are_the_same(
    text: list[str], is_at_hand: bool, data: st.DataObject
) -> None:
    place = st.integers(0, len(text))
    spans = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=6))
    cuts = np.array(spans, dtype=np.int64).reshape(-1, 2)
    page, table = tuple(text), WordVectors(HashedVectors())
    if is_at_hand:
        table.look_up(page)
    with patch.object(table.source, "vectors", wraps=table.source.vectors) as asked:
        rows = table.look_up_within(page, *cuts.T)
    assert np.array_equal(rows.sums_between(cuts, 16), hashed_vectors().look_up(page).sums_between(cuts, 16))
    met = {word for call in asked.call_args_list for word in call.args[0]}
    assert met == (set() if is_at_hand else {word for begin, end in spans for word in text[begin:end]})


class LargeVectors:
    """Nearly the largest vectors there can be, with a last bit; in single precision their sums are soon rounded."""

    dimension = 2
    number = vectors.LARGEST - vectors.GRAIN

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(words), self.dimension), self.number, dtype=np.float32)


def test_the_sum_of_a_very_long_span_is_exact() -> None:
    count = 100_001
    sums = WordVectors(LargeVectors()).look_up(("rock",) * count).sums_between(np.array([[0, count]]), 2)
    assert sums.tolist() == [[[count * LargeVectors.number] * 2]]


def test_the_vector_of_a_long_text_is_exact() -> None:
    counts = [*repeat(1, 3001), 2, 3, 50, 3000]
    text = tuple(chain.from_iterable(repeat(f"word{number}", count) for number, count in enumerate(counts)))
    grains = sum(round(math.log1p(count) * 256) for count in counts)
    assert WordVectors(LargeVectors()).vector(text).tolist() == [grains / 256 * LargeVectors.number] * 2


@given(words, words)
def test_words_are_looked_up_in_order_whether_met_before_or_not(met_before: list[str], text: list[str]) -> None:
    table = hashed_vectors()
    table.look_up(tuple(met_before))
    rows = table.look_up(tuple(text))
    assert rows.numbers.shape == (len(text),)
    assert np.array_equal(rows.table[rows.numbers], np.array([rounded(word) for word in text]).reshape(-1, 64))


def test_a_full_cache_starts_over_and_rows_handed_out_stay_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "CACHED_WORDS", 3)
    table = hashed_vectors()
    early = table.look_up(("one", "two"))
    for number in range(50):
        table.look_up((f"word{number}",))
    assert np.array_equal(early.text_vector(), naive_text_vector(["one", "two"]))
    assert np.array_equal(table.vector(["one", "two"]), naive_text_vector(["one", "two"]))


def test_the_page_with_which_the_cache_is_full_copies_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "CACHED_WORDS", 3)
    monkeypatch.setattr(vectors, "ROOM_FOR_A_PAGE", 4)
    cache = WordVectors(HashedVectors())
    before = cache.look_up(("a", "b", "c"))
    assert cache.look_up(("d", "e", "f", "g")).table is before.table
    assert cache.look_up(("h", "i")).table is not before.table, "and then it starts over"


def test_a_page_with_more_new_words_than_there_is_room_for_is_looked_up_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vectors, "CACHED_WORDS", 3)
    monkeypatch.setattr(vectors, "ROOM_FOR_A_PAGE", 1)
    cache = hashed_vectors()
    cache.look_up(("a", "b"))
    words = ("a", "c", "d", "e", "f", "g", "b")
    assert np.array_equal(cache.look_up(words).text_vector(), hashed_vectors().look_up(words).text_vector())


def test_an_empty_text_and_an_empty_topic_have_the_zero_vector() -> None:
    table = hashed_vectors()
    assert not table.vector([]).any()
    assert not table.topic_vector(Topic("")).any()
    assert cosine(table.vector([]), table.vector(["rock"])) == 0.0
    assert cosines(np.zeros((2, 64)), table.vector(["rock"])).tolist() == [0.0, 0.0]


texts = st.lists(words.map(" ".join), max_size=3).map(tuple)


def direction(text: str) -> NDArray[np.float64]:
    vector = naive_text_vector(text.split())
    length = np.linalg.norm(vector)
    return vector / length if length else vector


@given(words, words, st.sampled_from(["", "a b"]))
def test_a_topic_without_examples_has_the_text_vector_of_its_phrases(
    name: list[str], keywords: list[str], category: str
) -> None:
    topic = Topic(" ".join(name), tuple(keywords), categories=(category,))
    phrases = [word for phrase in dict.fromkeys(topic.phrases) for word in phrase.split()]
    assert np.array_equal(hashed_vectors().topic_vector(topic), naive_text_vector(phrases))


@given(words, texts, texts)
def test_examples_move_a_topic_by_their_mean_direction(
    name: list[str], like: tuple[str, ...], unlike: tuple[str, ...]
) -> None:
    expected = direction(" ".join(name))
    for share, examples in ((1.0, like), (-0.25, unlike)):
        for example in examples:
            expected = expected + share * direction(example) / len(examples)
    moved = hashed_vectors().topic_vector(Topic(" ".join(name), (), like, unlike))
    if not (like or unlike):
        moved = moved / (np.linalg.norm(moved) or 1.0)
    assert np.allclose(moved, expected, atol=1e-12)


def test_an_example_draws_its_own_kind_nearer_and_a_counterexample_pushes_it_away() -> None:
    table = hashed_vectors()
    page = table.vector(["basalt", "granite", "gneiss"])
    plain, like, unlike = (
        cosine(page, table.topic_vector(topic))
        for topic in (
            Topic("rock"),
            Topic("rock", like=("basalt granite",)),
            Topic("rock", unlike=("basalt granite",)),
        )
    )
    assert unlike < plain < like


@pytest.fixture(scope="module", params=[EnglishVectors, WordllamaVectors])
def bundled(request: pytest.FixtureRequest) -> WordVectors:
    return WordVectors(request.param())


def test_bundled_vectors_know_that_a_stone_is_nearer_to_a_rock_than_to_a_football(bundled: WordVectors) -> None:
    rock, stone, football = (bundled.vector([word]) for word in ("rock", "stone", "football"))
    assert cosine(rock, stone) > 0.3
    assert cosine(rock, stone) > cosine(rock, football) + 0.2


def test_bundled_vectors_of_common_words_are_short(bundled: WordVectors) -> None:
    assert np.linalg.norm(bundled.vector(["the"])) < np.linalg.norm(bundled.vector(["volcano"])) / 2


@given(st.text(max_size=8))
def test_any_text_has_a_bundled_vector_and_none_is_too_large(bundled: WordVectors, text: str) -> None:
    vector = bundled.look_up((text,)).sums_between(np.array([[0, 1]]), bundled.dimension)
    assert np.isfinite(vector).all()
    assert np.abs(vector).max() <= vectors.LARGEST


def test_a_page_of_very_many_links_needs_memory_for_a_block_of_them_only() -> None:
    words = tuple(f"word{number % 20_000}" for number in range(40_000))
    cuts = np.arange(0, 40_000 - 60, 2)[:, None] + (0, 53)
    table = hashed_vectors().look_up(words)
    tracemalloc.start()
    sums = table.sums_between(cuts, 16)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(sums) == len(cuts)
    assert np.array_equal(sums[7], table.sums_between(cuts[7:8], 16)[0])
    assert peak_bytes < 50e6
