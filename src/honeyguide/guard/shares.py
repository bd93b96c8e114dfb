"""What share of the budget hosts and shapes of addresses have: all they ask for while they pay, less if they never do.

A relevant page pays its reward. What a host has been paid is compared with what as many pages of this crawl pay on
average, and both begin with a credit of a few relevant pages, so that a few others prove nothing. One that has earned
less than a quarter of it has its share halved, and halved again with every further halving of what it earned in
proportion. Half a share means that every other of its links, by a hash of the address, waits a level deeper; so some
are always tried at once, and one that begins to pay is noticed and gets its share back. Shapes of addresses on a host
are judged in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log2
from typing import TYPE_CHECKING, Final

from honeyguide.guard.bounded import Bounded, fields_of
from honeyguide.guard.folding import hash_of

if TYPE_CHECKING:
    from honeyguide.guard.bounded import State

MOST_HALVINGS: Final = 4
"""One link in sixteen is always as good as those of others."""

_OVERLOOKED: Final = 1  # halvings of the earnings that take nothing from the share
_HYSTERESIS: Final = 0.5  # of a halving, that it takes to go back by one


@dataclass(slots=True)
class Share:
    """What one host or shape has earned."""

    pages: int = 0
    earned: float = 0.0
    halvings: int = 0


class Shares:
    """The shares of what was seen lately, by any key."""

    def __init__(self, credit: float, memory: int) -> None:
        """`credit` is how many relevant pages everyone is taken to have had, and been expected to have, beforehand."""
        self._credit = credit
        self._all = Share()
        self._paying = 0  # pages of the crawl that paid anything
        self._by_key: Bounded[str, Share] = Bounded(memory)

    def begin_page(self, pay: float) -> float:
        """Count a page of the crawl that pays so much, before its host and shape; the mean pay before it."""
        mean = self._all.earned / max(1, self._all.pages)
        self._all.pages += 1
        self._all.earned += pay
        self._paying += pay > 0
        return mean

    def count(self, key: str, pay: float, mean: float) -> bool:
        """Count a page for its host or shape, where a page pays `mean`; whether more of its links go first now."""
        share = self._by_key.touch(key)
        if share is None:
            share = Share()
            self._by_key.put(key, share)
        share.pages += 1
        share.earned += pay
        before = share.halvings
        share.halvings = self._halvings(share, mean)
        return share.halvings < before

    def is_behind(self, key: str, address: str) -> bool:
        """Whether an address is among those that wait, for what its host or shape has not earned. Changes nothing."""
        share = self._by_key.get(key)
        if share is None or not share.halvings:
            return False
        return bool(hash_of(address) % (1 << share.halvings))

    def state(self) -> State:
        """What `restore` takes."""
        return fields_of(self._all), self._paying, [(key, fields_of(share)) for key, share in self._by_key.items()]

    def restore(self, state: State) -> None:
        everything, self._paying, shares = state
        self._all = Share(*everything)
        self._by_key.replace((key, Share(*fields)) for key, fields in shares)

    def _halvings(self, share: Share, mean: float) -> int:
        credit = self._credit * self._all.earned / max(1, self._paying)
        if not credit:
            return 0
        missing = log2((share.pages * mean + credit) / (share.earned + credit)) - _OVERLOOKED
        halvings = min(MOST_HALVINGS, max(0, floor(missing)))
        if halvings < share.halvings:
            halvings = min(share.halvings, max(0, floor(missing + _HYSTERESIS)))
        return halvings
