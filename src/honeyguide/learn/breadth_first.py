"""Breadth-first: links in the order in which they were found."""

from __future__ import annotations

from honeyguide.learn.strategy import Order
from honeyguide.learn.unlearned import Unlearned


class BreadthFirst(Unlearned):
    """The queue: the floor that every focused crawler must beat, and the fairest picture of a site."""

    order = Order.OLDEST
