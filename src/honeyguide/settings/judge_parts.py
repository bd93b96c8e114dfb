"""The parts of a combined judge, as a user writes them: `embedding:2` is the embedding judge with weight 2."""

from __future__ import annotations

import math
from typing import Final

from honeyguide.settings.judge_tables import JUDGES

# Weights far from 1 say no more, and beyond what a float holds their mean is lost.
SMALLEST_WEIGHT: Final = 1e-6
LARGEST_WEIGHT: Final = 1e6


def judge_part(text: str) -> tuple[str, float]:
    """The kind of judge and its weight, 1 where none is written; ValueError says in words what is wrong."""
    kind, colon, written = text.partition(":")
    if kind == "combined":
        raise ValueError("a combined judge has no combined parts")
    if kind not in JUDGES:
        raise ValueError(f"choose one of {', '.join(name for name in JUDGES if name != 'combined')}")
    try:
        weight = float(written) if colon else 1.0
    except ValueError:
        weight = math.nan
    if not SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT:
        raise ValueError("a weight is a number from 0.000001 to 1000000, as in embedding:2")
    return kind, weight
