"""Pages of one series of addresses that run on and bring nothing: calendars, pagers, facets, queries that grow.

A series is what addresses have in common when their numbers, ids and parameters are left out. Its pages *turn* when
they link to new addresses of the section that have numbers, ids or parameters in them, and *bring* something when they
link to anything else that is new. They are *alike* when their shingles stood on earlier pages of the series, or their
prints are near. A series runs idle when most of its last pages were alike, went on turning and brought nothing. The
numbered messages of an archive turn as well and bring nothing else, but they are not alike; a shop's list of goods is
alike, but brings goods. And while every other page of a series leads to a page that is like no other, it is not idle,
whatever the addresses look like: a journal's lists of articles are alike, and lead to numbers only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from honeyguide.guard.bounded import remember
from honeyguide.guard.guard import FIRM_LEVEL, FindingKind

if TYPE_CHECKING:
    from honeyguide.guard.fingerprint import Fingerprint
    from honeyguide.guard.url_pattern import Shape
    from honeyguide.model import LinkId

RECENT: Final = 16  # pages that are looked back on
_LEAST_PAGES: Final = 6  # that it takes to tell that a series runs idle
_MASK: Final = (1 << RECENT) - 1
_MOST_PRINTS: Final = 8
_MOST_KEPT: Final = 128  # shingles, and pages to be named
_NEAR_BITS: Final = 6
_REPETITIVE: Final = 2  # the level of a series that repeats itself, though it may come to an end
_ECHO: Final = 0.5  # share of the sampled shingles that stood on earlier pages
_LEAST_SAMPLE: Final = 2
_MANY_PARAMETERS: Final = 8  # from which on a query is one that grows
_LEAST_COMBINATIONS: Final = 3  # of names of parameters, from which on they are facets
_PRICE: Final = 0.5  # pages that are like no others, which each page of a series has to lead to
_MOST_CREDIT: Final = 4.0
_MOST_DEEPER: Final = 3  # levels


def is_about(kind: FindingKind, parameters: int) -> bool:
    """Whether a page with so many parameters is part of the trap: one facet alone is what people choose by."""
    return kind is not FindingKind.FACETS or parameters > 1


@dataclass(slots=True)
class Series:
    """The counts and samples kept of the pages of one series."""

    fetched: int = 0
    alike: int = 0  # one bit for each recent page, the newest last
    brought: int = 0
    turned: int = 0
    copies: int = 0
    prints: list[int] = field(default_factory=list)
    shingles: dict[int, None] = field(default_factory=dict)
    combinations: list[str] = field(default_factory=list)  # of names of parameters, the first few
    most_parameters: int = 0
    idle_pages: list[tuple[LinkId, int]] = field(default_factory=list)  # without a finding, and their parameters
    is_idle: bool = False
    is_dated: bool = True  # all its addresses so far say that they are about days, months or years
    credit: float = 0.0  # for pages that it led to and that are like no others
    is_repetitive: bool = False  # half of its last pages, and eight at least, repeated others; until fewer than four do

    def take(
        self, link: LinkId, print_: Fingerprint, shape: Shape, *, brings: bool, turns: bool, is_copy: bool = False
    ) -> bool:
        """Count a page of the series; whether it is like earlier ones."""
        is_alike = self._is_alike(print_)
        self.fetched += 1
        self.credit = max(0.0, self.credit - _PRICE)
        self.alike = (self.alike << 1 | is_alike) & _MASK
        self.brought = (self.brought << 1 | brings) & _MASK
        self.turned = (self.turned << 1 | turns) & _MASK
        self.copies = (self.copies << 1 | is_copy) & _MASK
        self._remember(print_, shape)
        self.is_dated = self.is_dated and shape.is_dated
        is_part = not brings and (is_alike or not self.is_idle)
        if is_part and len(self.idle_pages) < _MOST_KEPT:
            self.idle_pages.append((link, len(shape.names)))
        self._settle()
        return is_alike

    def lead_to(self) -> None:
        """Count a page of another series that this one led to, if it is like no other."""
        self.credit = min(_MOST_CREDIT, self.credit + 1.0)
        self._settle()

    @property
    def is_last_alike(self) -> bool:
        """Whether its newest page was like earlier ones."""
        return bool(self.alike & 1)

    def _settle(self) -> None:
        """Work out whether the series runs idle, or repeats itself."""
        self.is_repetitive = self.copies.bit_count() >= (RECENT // 4 if self.is_repetitive else RECENT // 2)
        looked_at = min(self.fetched, RECENT)
        alike, turned = self.alike.bit_count(), self.turned.bit_count()
        runs_on = alike * 2 >= looked_at and turned * 8 >= looked_at
        is_monotonous = (
            self.fetched >= 2 * _LEAST_PAGES and alike * 8 >= looked_at * 7 and (turned > 0 or self.is_dated)
        )
        most_brought = looked_at // 2 if self.is_idle else looked_at // 4
        brings_little = self.brought.bit_count() <= most_brought
        # What it was once found to be is not taken back lightly.
        goes_on = self.is_idle and alike * 4 >= looked_at and (turned > 0 or self.is_dated)
        is_endless = brings_little and (runs_on or is_monotonous or goes_on)
        self.is_idle = looked_at >= _LEAST_PAGES and is_endless and self.credit < _PRICE

    @property
    def level(self) -> int:
        """At which its links wait: when it runs idle, deeper with every doubling of its pages."""
        if self.is_idle:
            return FIRM_LEVEL + min(_MOST_DEEPER, (self.fetched // RECENT).bit_length())
        return _REPETITIVE if self.is_repetitive else 0

    def kind(self, shape: Shape) -> FindingKind:
        """Return the kind of trap that an idle series is reported as."""
        if self.most_parameters >= _MANY_PARAMETERS:
            return FindingKind.GROWING_QUERY
        if shape.is_dated:
            return FindingKind.CALENDAR
        return FindingKind.FACETS if len(self.combinations) >= _LEAST_COMBINATIONS else FindingKind.PAGINATION

    def take_pages(self, kind: FindingKind) -> list[LinkId]:
        """The pages that a finding is about, which are forgotten with that."""
        named = [link for link, parameters in self.idle_pages if is_about(kind, parameters)]
        self.idle_pages = []
        return named

    def numbers(self) -> dict[str, float]:
        """Return the numbers that decide, of the last pages and of all."""
        return {
            "recent": min(self.fetched, RECENT),
            "alike": self.alike.bit_count(),
            "turned": self.turned.bit_count(),
            "brought": self.brought.bit_count(),
            "pages": self.fetched,
        }

    def _is_alike(self, print_: Fingerprint) -> bool:
        if any((print_.simhash ^ other).bit_count() <= _NEAR_BITS for other in self.prints):
            return True
        known = sum(shingle in self.shingles for shingle in print_.sketch)
        return len(print_.sketch) >= _LEAST_SAMPLE and known >= _ECHO * len(print_.sketch)

    def _remember(self, print_: Fingerprint, shape: Shape) -> None:
        self.prints = [*self.prints[-_MOST_PRINTS + 1 :], print_.simhash]
        remember(self.shingles, print_.sketch, _MOST_KEPT)
        names = "&".join(shape.names)
        if len(self.combinations) < _LEAST_COMBINATIONS and names not in self.combinations:
            self.combinations.append(names)
        self.most_parameters = max(self.most_parameters, len(shape.names))
