"""How often a learner explores."""

from __future__ import annotations

import pytest

from honeyguide.learn import Phases


def test_pertejos_phases() -> None:
    phases = Phases(0.3, 0.1, training_choices=5000, learns_in_test=False)
    assert [phases.share(choices) for choices in (0, 4999, 5000, 9999)] == [0.3, 0.3, 0.1, 0.1]
    assert [phases.learns(choices) for choices in (0, 4999, 5000)] == [True, True, False]


@pytest.mark.parametrize("choices", [0, 10**6])
def test_without_a_test_training_goes_on(choices: int) -> None:
    phases = Phases(0.3, 0.1, training_choices=0, learns_in_test=False)
    assert phases.share(choices) == 0.3
    assert phases.learns(choices)


def test_learning_may_go_on_in_the_test() -> None:
    assert Phases(0.3, 0.1, training_choices=10).learns(11)
