"""Pages that a host shows wherever it has nothing: one title and much of one text at addresses of several shapes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from honeyguide.guard.bounded import remember

if TYPE_CHECKING:
    from honeyguide.guard.fingerprint import Fingerprint
    from honeyguide.model import LinkId

_MOST_KEPT: Final = 64  # shingles, and pages to be named
_LEAST_PAGES: Final = 4
_LEAST_SERIES: Final = 3
_LENGTHS: Final = 1.5  # the longest may be so many times as long as the shortest
_MOSTLY: Final = 0.75  # share of the pages after the first that have much of their text in common
_COMMON: Final = 0.4  # share of the sampled shingles that stood on earlier pages with the title


@dataclass(slots=True)
class SameTitle:
    """The counts and samples kept of the pages of one host that have one title."""

    fetched: int = 0
    alike: int = 0  # of them, in how many much of the text was known
    series: list[str] = field(default_factory=list)  # the first few of their addresses
    plain: int = 0  # print of the newest, without what was asked for
    fewest_words: int = 0
    most_words: int = 0
    shingles: dict[int, None] = field(default_factory=dict)
    pages: list[LinkId] = field(default_factory=list)  # without a finding

    def take(self, link: LinkId, print_: Fingerprint, series: str) -> bool:
        """Count a page; whether it is a soft 404."""
        known = sum(shingle in self.shingles for shingle in print_.sketch)
        is_alike = bool(print_.sketch) and known >= _COMMON * len(print_.sketch)
        is_alike = is_alike or (self.fetched > 0 and print_.plain == self.plain)
        self.fewest_words = min(self.fewest_words, print_.words) if self.fetched else print_.words
        self.most_words = max(self.most_words, print_.words)
        self.fetched += 1
        self.alike += is_alike
        self.plain = print_.plain
        remember(self.shingles, print_.sketch, _MOST_KEPT)
        if series not in self.series and len(self.series) < _LEAST_SERIES:
            self.series.append(series)
        if len(self.pages) < _MOST_KEPT:
            self.pages.append(link)
        return is_alike and self.is_soft_404

    @property
    def is_soft_404(self) -> bool:
        """Whether these pages are one answer. Sites that give all their pages one title have pages of all lengths."""
        return (
            self.fetched >= _LEAST_PAGES
            and len(self.series) >= _LEAST_SERIES
            and self.most_words <= _LENGTHS * self.fewest_words
            and self.alike >= _MOSTLY * (self.fetched - 1)
        )

    def numbers(self) -> dict[str, float]:
        """Return the numbers that decide."""
        return {"alike": self.alike, "pages": self.fetched, "series": len(self.series)}
