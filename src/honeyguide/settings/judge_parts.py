"""The parts of a combined judge, as a user writes them: `embedding:2` is the embedding judge with weight 2."""

from __future__ import annotations

import math

from honeyguide.settings.schema import JUDGES


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
    if not 0 < weight < math.inf:
        raise ValueError("a weight is a number above 0, as in embedding:2")
    return kind, weight
