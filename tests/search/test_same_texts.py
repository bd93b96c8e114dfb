"""Pages that say the same are one group: exactly those that comparing each with all before it would give."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.search.page_table import group_pages

Page = tuple[int, int, int]  # address, text and simhash


def by_definition(pages: list[Page]) -> list[int]:
    groups: list[int] = []
    for place, page in enumerate(pages):
        equal = [
            groups[other]
            for number in range(3)
            for other in range(place)
            if pages[other][number] == page[number] and (number < 2 or page[2])
        ]
        near = [
            other
            for other in range(place)
            if groups[other] == other and page[2] and pages[other][2] and (page[2] ^ pages[other][2]).bit_count() <= 3
        ]
        groups.append((equal or near or [place])[0])
    return groups


def found(pages: list[Page]) -> list[int]:
    urls, texts, simhashes = ([page[number] for page in pages] for number in range(3))
    groups = group_pages(np.array(urls, np.int64), np.array(texts, np.int64), np.array(simhashes, np.uint64))
    return [int(place) for place in groups]


flips = st.sets(st.integers(0, 63), max_size=4).map(lambda bits: sum(1 << bit for bit in bits))
simhash = st.one_of(st.just(0), flips.map(lambda bits: 0x0123456789ABCDEF ^ bits), flips, st.integers(0, 2**64 - 1))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5), simhash), max_size=30))
def test_it_is_what_comparing_each_with_all_before_it_gives(pages: list[Page]) -> None:
    assert found(pages) == by_definition(pages)


@given(st.lists(st.tuples(st.integers(0, 2**62), st.integers(0, 2**62), simhash), max_size=30))
def test_also_where_hardly_a_text_stands_twice(pages: list[Page]) -> None:
    assert found(pages) == by_definition(pages)


def test_three_bits_are_near_and_four_are_not() -> None:
    assert found([(1, 1, 0xFF), (2, 2, 0xFF ^ 0b111 << 60)]) == [0, 0]
    assert found([(1, 1, 0xFF), (2, 2, 0xFF ^ 0b1111 << 60)]) == [0, 1]


def test_pages_without_a_fingerprint_are_told_apart_by_their_texts() -> None:
    assert found([(1, 7, 0), (2, 8, 0), (3, 7, 0)]) == [0, 1, 0]


def test_an_address_that_has_another_text_now_is_the_same_page() -> None:
    assert found([(1, 7, 0), (1, 8, 0), (2, 8, 0)]) == [0, 0, 0]


def test_no_pages_no_groups() -> None:
    assert found([]) == []
