"""Naming a synthetic web."""

from __future__ import annotations

import pytest

from honeyguide.errors import WorldError
from honeyguide.worlds.synthetic import SyntheticSpec


def test_the_empty_text_is_the_default_spec() -> None:
    assert SyntheticSpec.parse("") == SyntheticSpec()


def test_keys_and_values_are_read_with_spaces_and_underscores() -> None:
    spec = SyntheticSpec.parse(" seed=3, pages=100_000 ,dead_share=0.5,")

    assert spec == SyntheticSpec(seed=3, pages=100_000, dead_share=0.5)


def test_a_trap_is_named_by_its_scenario() -> None:
    spec = SyntheticSpec.parse("trap=maze-hosts,trap_entrances=3,maze_hosts=7")

    assert spec == SyntheticSpec(trap="maze-hosts", trap_entrances=3, maze_hosts=7)
    assert SyntheticSpec().trap == "none"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("page=5000", "did you mean 'pages'"),
        ("colour=red", "known are seed, pages"),
        ("pages", "'pages' is not key=value"),
        ("pages=many", "pages='many' is not a whole number"),
        ("pages=1e5", "pages='1e5' is not a whole number"),
        ("dead_share=lots", "dead_share='lots' is not a number from 0 to 1"),
        ("seed=1,seed=2", "seed is given twice"),
        ("pages=10", "pages=10 is out of range; give 200 to"),
        ("hosts=1", "hosts=1 is out of range"),
        ("topics=99", "topics=99 is out of range"),
        ("dead_share=1.5", "dead_share=1.5 is out of range; give 0 to 1"),
        ("dead_share=nan", "dead_share=nan is out of range"),
        ("trap=calender", "no trap is called 'calender'; did you mean 'calendar'?"),
        ("trap=", "no trap is called ''; choose one of none, calendar, dynamic"),
        ("maze_hosts=0", "maze_hosts=0 is out of range; give 1 to 1000"),
        ("maze_topical_share=2", "maze_topical_share=2.0 is out of range"),
        ("seed=-1", "seed=-1 is out of range"),
        ("plain_anchor_share=0.9,misleading_anchor_share=0.9", "add up to more than 1"),
    ],
)
def test_a_mistake_is_told_in_one_line_that_names_it(text: str, told: str) -> None:
    with pytest.raises(WorldError) as caught:
        SyntheticSpec.parse(text)

    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
