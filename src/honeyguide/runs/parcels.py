"""What one shard of a run tells another: a page, and the links on it whose hosts the other has.

A parcel holds all that the owner of a link needs to score it as the sender would have: the strategy's description of
the link, what is known of the page, and what the page hands down to its links.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import zstandard

from honeyguide.model import Url
from honeyguide.model.saved_state import unpack_zstandard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from honeyguide.model import LinkId


class HandedDown(NamedTuple):
    """The facts of a page that count for its links, where the strategy counts the pages that show them."""

    relevance: float
    is_relevant: bool
    smoothed: float
    distance: int


@dataclass(frozen=True, slots=True)
class TravellingLink:
    """A link on its way to the shard of its host."""

    url: Url
    anchor: str
    description: bytes  # what the strategy keeps of it
    hops: int = 0  # redirects on the way here
    row: bytes = b""  # where the description does not tell all


@dataclass(frozen=True, slots=True)
class Parcel:
    """A page and links on it, or an address that has led to one of another shard."""

    page: Url
    relevance: float
    is_relevant: bool
    distance: int  # clicks since a relevant page
    depth: int  # clicks from a seed; -1 where a seed has led elsewhere
    demotion: int  # by the guard, that its links carry
    handed_down: HandedDown | None
    links: tuple[TravellingLink, ...]

    def by_shard(self, shard_of: Callable[[Url], int]) -> Iterator[tuple[int, Parcel]]:
        """Yield for each shard the parcel with its links alone."""
        links: dict[int, list[TravellingLink]] = {}
        for link in self.links:
            links.setdefault(shard_of(link.url), []).append(link)
        for shard, theirs in links.items():
            yield shard, replace(self, links=tuple(theirs))

    def pack(self) -> bytes:
        """Return the parcel as it is stored."""
        about = {
            "page": [self.page.text, self.relevance, self.is_relevant, self.distance, self.depth, self.demotion],
            "handed_down": self.handed_down,
            "links": [(link.url.text, link.anchor, link.hops, len(link.row)) for link in self.links],
        }
        body = b"".join(link.description + link.row for link in self.links)
        return zstandard.ZstdCompressor(level=1).compress(json.dumps(about).encode() + b"\n" + body)

    @classmethod
    def unpack(cls, packed: bytes) -> Parcel:
        """Read a stored parcel. ValueError where it is none."""
        head, _, body = unpack_zstandard(packed).partition(b"\n")
        try:
            about = json.loads(head)
            page, relevance, is_relevant, distance, depth, demotion = about["page"]
            down, shown = about["handed_down"], about["links"]
            width = (len(body) - sum(row_bytes for *_, row_bytes in shown)) // max(1, len(shown))
            links, start = [], 0
            for url, anchor, hops, row_bytes in shown:
                end = start + width
                links.append(TravellingLink(Url(url), anchor, body[start:end], hops, body[end : end + row_bytes]))
                start = end + row_bytes
            handed_down = None if down is None else HandedDown(*down)
            return cls(Url(page), relevance, is_relevant, distance, depth, demotion, handed_down, tuple(links))
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a parcel of links: {error!r}") from None


@dataclass(frozen=True, slots=True)
class Delivery:
    """Parcels of one shard for another, in order, each with its number: all that come after number `after`."""

    sender: int
    after: int
    parcels: tuple[tuple[int, Parcel], ...]

    @property
    def number(self) -> int:
        """The number of the last parcel."""
        return self.parcels[-1][0] if self.parcels else self.after

    def beyond(self, mark: int) -> Delivery:
        """Return what comes after a number up to which it was taken in already."""
        return replace(self, parcels=tuple(each for each in self.parcels if each[0] > mark))


@dataclass(frozen=True, slots=True)
class SightingRecord:
    """A page of another shard that shows links of this one."""

    page: LinkId
    parcel: Parcel
    targets: tuple[LinkId, ...]


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """Deliveries that were taken in together: up to which number of each sender, and what they tell."""

    marks: Mapping[int, int]  # by sender
    sightings: tuple[SightingRecord, ...]
