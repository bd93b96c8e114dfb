"""Which frontier serves a strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from honeyguide.frontier import (
    BeamFrontier,
    BestFirstFrontier,
    HeldBackFrontier,
    LevelledBeam,
    LevelledFrontier,
    LevelledRows,
    SharedRowsFrontier,
)
from honeyguide.learn import FoundAgain, Order

if TYPE_CHECKING:
    from honeyguide.frontier import Frontier, HostClocks, Patience
    from honeyguide.learn import Strategy


def plain_frontier(strategy: Strategy, clocks: HostClocks) -> Frontier:
    """One in which all links wait on one level."""
    if strategy.found_again is FoundAgain.EVERY:
        return _shared_rows(strategy, clocks)
    if strategy.order is Order.SHALLOWEST:
        return HeldBackFrontier(clocks, strategy.row_width)
    if strategy.capacity:
        return _beam(strategy, clocks)
    return BestFirstFrontier(clocks, strategy.row_width)


def levelled_frontier(strategy: Strategy, clocks: HostClocks, patience: Patience) -> LevelledFrontier[Any]:
    """One in which links may wait behind others whatever their scores."""
    if strategy.found_again is FoundAgain.EVERY:
        return LevelledRows(lambda: _shared_rows(strategy, clocks), patience)
    if strategy.capacity and strategy.order is not Order.SHALLOWEST:
        return LevelledBeam(lambda: _beam(strategy, clocks), strategy.capacity, patience)
    return LevelledFrontier(lambda: plain_frontier(strategy, clocks), patience)


def _shared_rows(strategy: Strategy, clocks: HostClocks) -> SharedRowsFrontier:
    return SharedRowsFrontier(clocks, strategy.row_width, draws_rows=strategy.draws_rows)


def _beam(strategy: Strategy, clocks: HostClocks) -> BeamFrontier:
    return BeamFrontier(clocks, strategy.capacity, strategy.row_width)
