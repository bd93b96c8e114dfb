"""Saved states are unpacked up to a bound, and not beyond."""

from __future__ import annotations

import io
import zipfile
import zlib

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model.saved_state import inflate, load_arrays, unpack_zstandard


@given(st.binary(max_size=200))
def test_what_was_packed_comes_back(state: bytes) -> None:
    assert inflate(zlib.compress(state), 200) == state
    assert unpack_zstandard(zstandard.compress(state), 200) == state


@pytest.mark.parametrize("size", [101, 10_000_000])
def test_what_unpacks_to_more_than_it_may_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="more than 100 bytes"):
        inflate(zlib.compress(bytes(size)), 100)
    with pytest.raises(ValueError, match="more than 100"):
        unpack_zstandard(zstandard.compress(bytes(size)), 100)


@given(st.binary(min_size=1, max_size=60), st.integers(0, 40))
def test_what_is_damaged_is_refused(state: bytes, kept: int) -> None:
    for packed in (zlib.compress(state)[: kept % 8], zstandard.compress(state)[: kept % 9], state):
        for unpack in (inflate, unpack_zstandard, load_arrays):
            with pytest.raises(ValueError):  # noqa: PT011 - of whatever words
                unpack(packed)


def test_arrays_come_back_and_too_large_ones_are_refused() -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, weights=np.zeros(100_000), bias=np.ones(3))
    assert load_arrays(buffer.getvalue())["bias"].tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="more than 100,000"):
        load_arrays(buffer.getvalue(), 100_000)


def test_an_array_that_claims_to_be_endless_is_refused() -> None:
    whole = io.BytesIO()
    np.save(whole, np.zeros(3))
    claim = whole.getvalue().replace(b"(3,), }              ", b"(300000000000000,), }")
    assert claim != whole.getvalue()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("weights.npy", claim)
    with pytest.raises(ValueError, match=r"MemoryError|EOF|read"):
        load_arrays(buffer.getvalue())
