"""A hyperlink: where it leads, where it was found, and every place on its page where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NamedTuple, NewType

if TYPE_CHECKING:
    from honeyguide.model.url import Url

_NOFOLLOW: Final = frozenset({"nofollow", "ugc", "sponsored"})

LinkId = NewType("LinkId", int)
"""Number of a target URL in one run, in order of discovery from 0. The same number names its page once fetched."""


class LinkState(IntEnum):
    """The state of a URL that was met."""

    WAITING = 0
    IN_FLIGHT = 1
    DONE = 2  # fetched, with whatever outcome
    SKIPPED = 3
    PRUNED = 4  # there was no room for it to wait; it may be found again
    OVER_HOST_LIMIT = 5  # its host has given all the pages that it may give
    DROPPED = 6  # the guard thinks nothing of it, and was asked to throw such links away
    ELSEWHERE = 7  # another shard of the run has its host, and was told of it


class Occurrence(NamedTuple):
    """One place on a page where a link stands: its anchor, and the words `start` up to `end` of `Page.words`.

    A tuple, because a page may have hundreds of them, and tuples are made and handed over much faster.
    """

    anchor: str
    start: int
    end: int
    in_main: bool  # False inside navigation, header, footer or sidebar


@dataclass(frozen=True, slots=True)
class Link:
    """A hyperlink as found on a page, before anyone decides to follow it. One per target and page."""

    target: Url
    parent: Url
    occurrences: tuple[Occurrence, ...]  # in reading order, at least one
    rel: frozenset[str] = frozenset()  # rel tokens that every occurrence carries
    tag_path: str = ""  # elements around its first occurrence, outermost first, where the crawl asks for them

    @property
    def is_nofollow(self) -> bool:
        """Whether the page does not vouch for where it leads, wherever it stands."""
        return not self.rel.isdisjoint(_NOFOLLOW)

    @property
    def first_occurrence(self) -> Occurrence:
        """The first place in reading order, whatever stands there."""
        return self.occurrences[0]

    @property
    def telling_occurrence(self) -> Occurrence:
        """The occurrence a reader would judge by: the first with an anchor in the main text, else with any anchor."""
        first = self.occurrences[0]
        if len(self.occurrences) == 1 or (first.in_main and first.start < first.end):
            return first
        with_anchor = [place for place in self.occurrences if place.start < place.end]
        in_main = [place for place in with_anchor if place.in_main]
        return (in_main or with_anchor or list(self.occurrences))[0]
