"""The pages of a run with their bodies, in order, from a step on: what an index catches up with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from honeyguide.domain import Url
from honeyguide.store.bodies import StoredBodies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Select = Callable[..., Iterator[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class PageToRead:
    """A page as it came, and what was judged of it."""

    step: int
    url: Url
    fetched_at: float  # on the crawl's clock
    title: str
    relevance: float
    is_relevant: bool
    content_type: str  # as the server sent it
    body: bytes | None  # None where it was not kept


def pages_to_read(select: Select, database_file: Path, after_step: int) -> Iterator[PageToRead]:
    """The pages that came after a step, in order; those that asked not to be indexed are left out."""
    bodies = StoredBodies(database_file)
    rows = select(
        """SELECT p.step, l.url, s.finished_at, p.title, p.relevance, p.is_relevant, p.content_type,
                  p.body, a.file, a.offset
           FROM steps s JOIN pages p ON p.link = s.link AND p.step = s.step JOIN links l ON l.id = p.link
           LEFT JOIN archive a ON a.step = p.step
           WHERE s.step > ? AND p.link NOT IN (SELECT link FROM directives WHERE is_unindexed) ORDER BY s.step""",
        after_step,
    )
    for step, url, fetched_at, title, relevance, is_relevant, content_type, *kept in rows:
        body = bodies.read(*kept)
        yield PageToRead(step, Url(url), fetched_at, title, relevance, bool(is_relevant), content_type, body)
