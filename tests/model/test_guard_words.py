"""What a guard says in a run is read again as it was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.guard import FindingKind
from honeyguide.model.guard_words import (
    Cause,
    Reason,
    by_rule,
    first_of,
    mirror_of,
    mirrored_by,
    section_and_rule,
    with_others,
)

TOLD = {
    Reason(Cause.COPIES): "found only on pages that repeat others or lead to nothing",
    Reason(Cause.RECOVERED): "stands clear again",
    Reason(Cause.VARIANT, "parameter sid", "variant"): "variant of a fetched page: parameter sid",
    Reason(Cause.VARIANT, "mirror of http://a.test", "variant"): "variant of a fetched page: mirror of http://a.test",
    Reason(Cause.REPEATING_PATH, "3", "repeating-path"): "repeating-path: a part of it stands there 3 times",
    Reason(Cause.OVERDRAWN, "a.test and 9 more", "maze"): "maze: a.test and 9 more is overdrawn",
    Reason(Cause.OVERDRAWN, "a.test/x/", "maze"): "maze: a.test/x/ is overdrawn",
    Reason(Cause.IDLE, "a.test/cal/#/", "calendar"): "calendar: a.test/cal/#/ runs idle",
    Reason(Cause.IDLE, "a.test/?", "growing-query"): "growing-query: a.test/? runs idle",
    Reason(Cause.REPETITIVE, "a.test/p/#"): "a.test/p/# repeats itself",
    Reason(Cause.UNPAID, "a.test"): "a.test hardly pays: most of its links wait",
}
"""Runs were written so: they must be read on."""

PLACES = st.text(st.characters(exclude_categories=["Zs", "Zl", "Zp", "Cc"]), min_size=1)


@pytest.mark.parametrize("reason", TOLD, ids=TOLD.get)
def test_reasons_are_told_in_these_words_and_read_again(reason: Reason) -> None:
    assert reason.told() == TOLD[reason]
    assert Reason.read(TOLD[reason]) == reason


def test_there_is_an_example_of_every_cause() -> None:
    assert {reason.cause for reason in TOLD} == set(Cause)


@given(st.sampled_from([cause for cause in Cause if "{about}" in cause.value]), PLACES, st.sampled_from(FindingKind))
def test_whatever_address_a_reason_speaks_of_it_is_read_again(cause: Cause, about: str, kind: FindingKind) -> None:
    reason = Reason(cause, about, kind if "{kind}" in cause.value else "")
    assert Reason.read(reason.told()) == reason


@given(st.sampled_from(Cause), PLACES, st.sampled_from(FindingKind))
def test_what_has_to_do_with_a_kind_begins_with_it(cause: Cause, about: str, kind: FindingKind) -> None:
    """`honeyguide traps --kind` looks for that."""
    if "{kind}" in cause.value:
        assert Reason(cause, about, kind).told().startswith((f"{kind}: ", f"{kind} "))


@pytest.mark.parametrize("text", ["", "maze", "maze: ", "by its words", "level 3", "stands clear", "x: y"])
def test_what_no_guard_of_ours_says_is_no_reason(text: str) -> None:
    assert Reason.read(text) is None


@given(PLACES.filter(lambda text: ": " not in text), PLACES)
def test_what_a_finding_is_about_is_read_again(section: str, host: str) -> None:
    origin = f"https://{host}"
    assert section_and_rule(by_rule(section, mirror_of(origin))) == (section, mirror_of(origin))
    assert mirrored_by(mirror_of(origin)) == host
    assert section_and_rule(section) == (section, "")
    assert mirrored_by("parameter mirror") == ""


@given(PLACES, st.integers(0, 10**6))
def test_the_first_of_several_is_read_again(first: str, others: int) -> None:
    assert first_of(with_others(first, others)) == first
    assert with_others("a.test", 2) == "a.test and 2 more"
