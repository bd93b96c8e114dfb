"""Iterative deepening (Lim 2016, section 3.3): depth-first to a limit of 0 clicks, then of 1, then of 2, and so on.

The textbook algorithm visits the shallow pages again in every round. Nothing is fetched twice here, so what is left of
it is the order of first visits: all links at one depth, in the order found, before any that is deeper. That order is
the one of breadth-first. What differs is the barrier between two depths: while a shallower link waits, be it for a host
that rests, no deeper one is fetched, whereas breadth-first takes the next link whose host is ready. The round with the
largest limit is `scope.max_depth`.
"""

from __future__ import annotations

from honeyguide.learn.strategy import FoundAgain, Order
from honeyguide.learn.unlearned import Unlearned


class IterativeDeepening(Unlearned):
    """One depth after the other. A link counts at the smallest depth at which it was found."""

    order = Order.SHALLOWEST
    found_again = FoundAgain.BEST
