"""Strategies that need PyTorch among those that do not: where it is missing, their tests are skipped and say so."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import pytest

from honeyguide.settings import STRATEGIES

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

DEEP: Final = frozenset({"dqn", "dqn-fixed"})
HAS_TORCH: Final = find_spec("torch") is not None
NEEDS_TORCH: Final = pytest.mark.skipif(not HAS_TORCH, reason="needs PyTorch, the extra deep")


def every_strategy() -> list[ParameterSet]:
    """The names of all strategies, as parameters of a test."""
    return [pytest.param(name, marks=[NEEDS_TORCH] if name in DEEP else []) for name in STRATEGIES]


FRONTIER_KINDS: Final = ("online-ridge", "beam", "lfa-sync", "iterative-deepening", "parse-or-skip-q")


def strategies_by_frontier() -> list[ParameterSet]:
    """One strategy for each kind of frontier; all others in the thorough run."""
    others = [name for name in runnable_strategies() if name not in FRONTIER_KINDS]
    return [*map(pytest.param, FRONTIER_KINDS), *(thorough(name) for name in others)]


def strategies_and_fetches_at_once() -> list[ParameterSet]:
    """The same with six fetches at once; with one, two strategies of the thorough run."""
    at_once = [pytest.param(*each.values, 6, marks=each.marks) for each in strategies_by_frontier()]
    return [*at_once, thorough("online-ridge", 1), thorough("parse-or-skip-q", 1)]


def thorough(*values: object) -> ParameterSet:
    """Values of a test that only the thorough run takes."""
    return pytest.param(*values, marks=pytest.mark.thorough)


def runnable_strategies() -> tuple[str, ...]:
    """The names of those that can run here."""
    return tuple(name for name in STRATEGIES if HAS_TORCH or name not in DEEP)
