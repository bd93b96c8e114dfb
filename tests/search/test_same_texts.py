"""Pages that say the same are shown as one: exactly those that comparing each with all before it would give."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.search.choosing import shown_under


def by_definition(texts: list[int], simhashes: list[int]) -> list[int]:
    shown: list[int] = []
    under: list[int] = []
    for place, (text, simhash) in enumerate(zip(texts, simhashes, strict=True)):
        same = [other for other in shown if texts[other] == text]
        near = [
            other for other in shown if simhash and simhashes[other] and (simhash ^ simhashes[other]).bit_count() <= 3
        ]
        under.append((same or near or [place])[0])
        if not same and not near:
            shown.append(place)
    return under


def found(texts: list[int], simhashes: list[int]) -> list[int]:
    under = shown_under(np.array(texts, dtype=np.int64), np.array(simhashes, dtype=np.uint64))
    return [int(place) for place in under]


flips = st.sets(st.integers(0, 63), max_size=4).map(lambda bits: sum(1 << bit for bit in bits))
simhash = st.one_of(st.just(0), flips.map(lambda bits: 0x0123456789ABCDEF ^ bits), flips, st.integers(0, 2**64 - 1))


@given(st.lists(st.tuples(st.integers(0, 5), simhash), max_size=30))
def test_it_is_what_comparing_each_with_all_before_it_gives(pages: list[tuple[int, int]]) -> None:
    texts, simhashes = [text for text, _ in pages], [each for _, each in pages]
    assert found(texts, simhashes) == by_definition(texts, simhashes)


@given(st.lists(st.tuples(st.integers(0, 2**62), simhash), max_size=30))
def test_also_where_hardly_a_text_stands_twice(pages: list[tuple[int, int]]) -> None:
    texts, simhashes = [text for text, _ in pages], [each for _, each in pages]
    assert found(texts, simhashes) == by_definition(texts, simhashes)


def test_three_bits_are_near_and_four_are_not() -> None:
    assert found([1, 2], [0xFF, 0xFF ^ 0b111 << 60]) == [0, 0]
    assert found([1, 2], [0xFF, 0xFF ^ 0b1111 << 60]) == [0, 1]


def test_pages_without_a_fingerprint_are_reported_apart_by_their_texts() -> None:
    assert found([7, 8, 7], [0, 0, 0]) == [0, 1, 0]


def test_no_pages_no_places() -> None:
    assert found([], []) == []
