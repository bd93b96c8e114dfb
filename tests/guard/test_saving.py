"""States are packed and unpacked as they are; what is damaged or of another version is refused in one line."""

from __future__ import annotations

import pickle
import zlib

import pytest

from honeyguide.errors import GuardError
from honeyguide.guard.bounded import pack, unpack

STATE = {"a": [(1, 2.5), ("x", None)], "b": {"c": (True, [])}}


def test_what_was_packed_is_unpacked_and_equal_states_are_equal_bytes() -> None:
    assert unpack(pack(STATE)) == STATE
    part = [1, "x"]
    assert pack([part, part]) == pack([part, list(part)])


def mark() -> bytes:
    return pack(None).partition(b"\n")[0] + b"\n"


@pytest.mark.parametrize("rest", [b"", b"rubbish", pack(STATE)[20:], zlib.compress(b"rubbish"), zlib.compress(b"")])
def test_what_is_damaged_is_refused(rest: bytes) -> None:
    with pytest.raises(GuardError, match="is damaged"):
        unpack(mark() + rest)


def test_what_could_run_is_refused() -> None:
    with pytest.raises(GuardError, match=r"builtins\.print does not belong there"):
        unpack(mark() + zlib.compress(pickle.dumps(print)))


@pytest.mark.parametrize("packed", [b"", b"guard 1\n", b"guard 3\n" + pack(STATE)[8:], b"else"])
def test_what_is_of_another_version_is_refused(packed: bytes) -> None:
    with pytest.raises(GuardError, match="another version"):
        unpack(packed)
