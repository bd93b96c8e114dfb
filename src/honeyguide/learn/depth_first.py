"""Depth-first (Lim 2016, section 3.1): the links of the newest page first, in reading order, before any older link.

One fetch at a time and without pauses between two requests to a host, pages are fetched in the order in which the
recursive algorithm first visits them:

    visit(page): for each link on it, in reading order: if it was not visited, visit(it)

A link found again while it waits goes on top, as it would there. A host that rests is passed over, and so is one that
is asked already: then the next link down the stack has its turn.
"""

from __future__ import annotations

from honeyguide.learn.strategy import FoundAgain, Order
from honeyguide.learn.unlearned import Unlearned


class DepthFirst(Unlearned):
    """The stack: down into the first site, long before the second."""

    order = Order.NEWEST
    found_again = FoundAgain.LATEST
