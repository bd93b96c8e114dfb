"""Clusters of texts that are nearly the same."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.text.minhash import SHINGLE_WORDS, TextClusters

WORDS = [f"{first}{second}" for first in "bcdfghklmnprst" for second in ("asalt", "ranite", "ock", "ime", "late")]


def likeness(one: list[str], other: list[str]) -> float:
    """The exact share of shingles that two texts have in common."""
    sets = [
        {tuple(words[at : at + SHINGLE_WORDS]) for at in range(len(words) - SHINGLE_WORDS + 1)}
        for words in (one, other)
    ]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


@pytest.mark.parametrize(("changed", "are_alike"), [(2, True), (5, True), (60, False), (200, False)])
def test_texts_with_few_changes_are_one_cluster(changed: int, are_alike: bool) -> None:
    chance = random.Random(changed)
    text = [chance.choice(WORDS) for _ in range(500)]
    other = list(text)
    for place in chance.sample(range(500), changed):
        other[place] = "changed"
    assert (likeness(text, other) > 0.85) == are_alike
    assert likeness(text, other) > 0.85 or likeness(text, other) < 0.7
    clusters = TextClusters()
    assert clusters.place(7, " ".join(text)) == 7
    assert clusters.place(9, " ".join(other)) == (7 if are_alike else 9)


def test_a_cluster_is_named_by_its_first_text() -> None:
    clusters = TextClusters()
    texts = ["one two three four five six", "seven", "One two, three four FIVE six!", "seven", "", ""]
    assert [clusters.place(number, text) for number, text in enumerate(texts, 1)] == [1, 2, 1, 2, 5, 5]


@given(st.lists(st.text(max_size=40), max_size=12))
def test_equal_texts_are_always_one_cluster(texts: list[str]) -> None:
    clusters, first = TextClusters(), dict[str, int]()
    for number, text in enumerate([*texts, *texts]):
        placed = clusters.place(number, text)
        assert placed <= number
        assert first.setdefault(text, placed) == placed
