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


def runnable_strategies() -> tuple[str, ...]:
    """The names of those that can run here."""
    return tuple(name for name in STRATEGIES if HAS_TORCH or name not in DEEP)
