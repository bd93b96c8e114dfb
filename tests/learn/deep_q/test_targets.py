"""Targets of Q-learning on numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.learn.deep_q.rules import Dueling
from honeyguide.learn.deep_q.targets import baseline, bootstrapped, clipped_double, double, ordinary

ONLINE = np.array([1.0, 5.0, 4.0])
TARGET = np.array([2.0, 3.0, 7.0])
OTHER = np.array([9.0, 2.5, 0.0])


def test_ordinary_takes_the_best_by_the_target_network() -> None:
    assert ordinary(TARGET) == 7.0


def test_double_takes_the_choice_of_the_one_network_at_the_value_of_the_other() -> None:
    # The learning network likes the second link best, and the target network finds that one worth 3.
    assert double(ONLINE, TARGET) == 3.0


def test_clipped_double_takes_the_lower_of_two_values() -> None:
    # The second link again: 3 by the one target network, 2.5 by the other.
    assert clipped_double(ONLINE, TARGET, OTHER) == 2.5
    assert clipped_double(ONLINE, OTHER, TARGET) == 2.5


def test_of_equal_links_the_first_is_chosen() -> None:
    assert double(np.array([4.0, 4.0]), np.array([1.0, 2.0])) == 1.0


def test_a_reward_and_what_follows_at_a_discount() -> None:
    assert bootstrapped(30.0, 7.0, 0.3) == pytest.approx(30 + 0.3 * 7)
    assert bootstrapped(-1.0, 2.5, 0.0) == -1.0


def test_where_nothing_follows_only_the_reward_counts() -> None:
    assert bootstrapped(-1.0, None, 0.9) == -1.0


@pytest.mark.parametrize(("dueling", "expected"), [(Dueling.NONE, 0.0), (Dueling.MEAN, 2.0), (Dueling.MAX, 6.0)])
def test_an_advantage_is_measured_from_the_mean_or_the_best(dueling: Dueling, expected: float) -> None:
    assert baseline(np.array([-1.0, 1.0, 6.0]), dueling) == expected
