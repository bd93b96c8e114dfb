"""Counting different links from rows alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn import parse_or_skip_q as links_met
from honeyguide.learn.parse_or_skip_q import LinksMet
from honeyguide.model import Url


def urls(count: int, start: int = 0) -> list[Url]:
    return [Url.parse(f"http://h{number % 7}.test/page/{number}") for number in range(start, start + count)]


def counted(*batches: list[Url]) -> LinksMet:
    met = LinksMet()
    for batch in batches:
        met.note(links_met.columns(batch))
    return met


@pytest.mark.parametrize("count", [0, 1, 1000, 20_000])
def test_different_links_are_counted_closely(count: int) -> None:
    assert counted(urls(count)).count() == pytest.approx(count, rel=0.005, abs=0.1)


def test_a_link_counts_once_however_often_it_is_met() -> None:
    once, again = counted(urls(500)), counted(urls(500), urls(300), urls(500), urls(1) * 9)
    assert again.count() == once.count()


@given(st.permutations(urls(40)), st.integers(0, 40))
def test_neither_order_nor_batches_matter(shuffled: list[Url], cut: int) -> None:
    assert counted(shuffled[:cut], shuffled[cut:]).saved() == counted(urls(40)).saved()


def test_the_columns_of_an_address_are_exact_in_half_precision_and_the_same_in_any_batch() -> None:
    many = urls(3000)
    together = links_met.columns(many)
    assert together.dtype == np.float16
    assert together.shape == (3000, links_met.PLACE_COLUMNS)
    assert len(np.unique(together.astype(np.int64) @ [10_000, 1])) > 2980, "hardly two of them share a place"
    assert np.array_equal(np.concatenate([links_met.columns([url]) for url in many[:50]]), together[:50])
    assert links_met.columns([]).shape == (0, links_met.PLACE_COLUMNS)


def test_when_all_places_are_taken_the_count_stays_finite() -> None:
    met = LinksMet()
    one, other = np.divmod(np.arange(links_met.PLACES), 1024)
    met.note(np.stack((one, other), axis=1).astype(np.float16))
    assert np.isfinite(met.count())
    assert met.count() > 10_000_000


def test_a_count_survives_saving_and_goes_on() -> None:
    met = counted(urls(700))
    back = LinksMet.loaded(met.saved())
    assert back.count() == met.count()
    for each in (met, back):
        each.note(links_met.columns(urls(700, start=350)))
    assert back.count() == met.count() == pytest.approx(1050, abs=3)


@pytest.mark.parametrize("saved", ["", "!", "AAAA", "eJwLAAAAAAE="])
def test_what_is_no_saved_count_is_refused(saved: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        LinksMet.loaded(saved)
