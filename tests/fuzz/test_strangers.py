"""Bytes of strangers raise nothing but errors of ours, and no cap is broken.

The short run is Hypothesis's, over samples that are cut, joined and changed. The long one (`-m thorough`) mutates
samples in a loop of its own, and keeps some of what it has made as further samples.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.targets import TARGETS, Target
from honeyguide.errors import HoneyguideError

ROUNDS = {"database": 50, "about": 300, "warc": 2000, "settings": 1000}
OTHER_ROUNDS = 8000
EXAMPLES = {"database": 8, "about": 15, "settings": 25, "warc": 40}
LONGEST = 20_000


def read(target: Target, data: bytes) -> None:
    message = ""
    try:
        target.read(data)
    except HoneyguideError as error:
        message = str(error)
    assert "\n" not in message, "a message is one line"


@pytest.mark.parametrize("name", TARGETS)
def test_a_sample_that_was_tampered_with_breaks_nothing(name: str) -> None:
    target = TARGETS[name]
    piece = st.one_of(st.sampled_from((*target.samples, *target.pieces)), st.binary(max_size=12))
    cut = st.tuples(
        st.sampled_from(target.samples), st.integers(0, 400), st.integers(0, 400), st.lists(piece, max_size=6)
    )

    @settings(max_examples=EXAMPLES.get(name, 80), suppress_health_check=list(HealthCheck))
    @given(cut)
    def reads(drawn: tuple[bytes, int, int, list[bytes]]) -> None:
        sample, start, end, pieces = drawn
        read(target, sample[:start] + b"".join(pieces) + sample[end:])

    reads()


@pytest.mark.thorough
@pytest.mark.parametrize("name", TARGETS)
def test_a_long_row_of_changes_breaks_nothing(name: str) -> None:
    target, chance = TARGETS[name], Random(name)
    pool = list(target.samples)
    for _ in range(ROUNDS.get(name, OTHER_ROUNDS)):
        data = mutated(chance.choice(pool), target, chance)
        try:
            read(target, data)
        except BaseException as error:
            error.add_note(f"the bytes: {data!r}")
            raise
        if chance.random() < 0.05:
            pool = [*pool[-200:], data]


def mutated(data: bytes, target: Target, chance: Random) -> bytes:
    """Return a sample after a few changes: bits, cuts, repetitions, and pieces that mean something."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randint(0, len(changed))
        to = min(len(changed), at + chance.randint(0, 40))
        match chance.randint(0, 5):
            case 0 if changed:
                changed[min(at, len(changed) - 1)] = chance.randrange(256)
            case 1:
                del changed[at:to]
            case 2:
                changed[at:at] = changed[at:to] * chance.randint(1, 20)
            case 3:
                changed[at:at] = chance.choice(target.pieces) * chance.choice((1, 1, 1, 2, 50))
            case 4:
                changed[at:to] = chance.choice(target.samples)
            case _:
                changed[at:at] = chance.randbytes(chance.randint(0, 6))
    return bytes(changed[:LONGEST])
