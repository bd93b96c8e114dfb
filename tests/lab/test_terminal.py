"""Curves as text: everything on it is where it belongs, at any size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide_lab.terminal import MARKERS, draw_curves

CURVES = st.integers(1, 300).flatmap(
    lambda length: st.dictionaries(
        st.sampled_from(["random", "breadth-first", "best-first", "online-ridge"]),
        st.lists(st.integers(0, 5000), min_size=length, max_size=length).map(sorted),
        min_size=1,
    )
)


def drawn(curves: dict[str, list[int]], width: int = 78, height: int = 12) -> list[str]:
    return draw_curves(curves, x_title="fetches", y_title="on-topic pages", width=width, height=height).splitlines()


def test_the_best_curve_ends_on_top_with_its_name_and_end() -> None:
    lines = drawn({"random": [0] * 101, "online-ridge": list(range(101))})
    assert lines[0].strip() == "on-topic pages"
    assert lines[1].endswith(f"{MARKERS[1]} {MARKERS[1]} online-ridge 100")
    assert lines[12].endswith(f"{MARKERS[0]} {MARKERS[0]} random 0")
    assert lines[-1].endswith("100 fetches")


def test_names_that_would_meet_stand_below_each_other() -> None:
    lines = drawn({"a": [0, 0], "b": [0, 0], "c": [0, 0]})
    ends = [line[-1:] + line[-3:-2] for line in lines if line[-3:] in ("a 0", "b 0", "c 0")]
    assert ends == ["0a", "0b", "0c"]


def test_a_steep_curve_has_no_gaps() -> None:
    lines = drawn({"a": [0] * 50 + [1000] * 51})
    assert all(MARKERS[0] in line for line in lines[1:13])


@given(CURVES, st.integers(40, 120), st.integers(6, 30))
def test_any_curves_fit_the_size_asked_for(curves: dict[str, list[int]], width: int, height: int) -> None:
    lines = drawn(curves, width, height)
    assert len(lines) == height + 3
    assert max(map(len, lines[:-1])) <= width
    for name, curve in curves.items():
        assert sum(f"{name} {curve[-1]:,}" in line for line in lines) == 1
