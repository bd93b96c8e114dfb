"""A page of an earlier run, as much of it as is needed to ask whether it is still the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.domain.url import Url


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What is known of a page from the last time it was looked at, and from all the times before."""

    url: Url
    relevance: float
    digest: bytes  # of title and text; empty where it is not known
    etag: str  # as the host sent it, empty where it did not
    last_modified: str
    first_seen_at: float  # on the crawl's clock
    checked_at: float
    changes: int = 0  # how often it was found changed since it was first seen
