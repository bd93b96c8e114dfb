"""Reads answers about pages, and all that it takes to judge the pages of a run again and to learn from them anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.model import LinkId, LinkState, ParentFacts, Url
from honeyguide.runs.records import AnswerRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Row

Select = Callable[..., Iterator[tuple[Any, ...]]]

NO_PAGE: Final = -1
BATCH: Final = 8192  # fetches or links read at once
MOST_HOPS: Final = 50  # redirects followed to a page


@dataclass(frozen=True, slots=True, eq=False)
class PageColumns:
    """The pages of a run in the order in which they came, one place each in every column."""

    links: NDArray[np.int64]
    parents: NDArray[np.int64]  # the page that the link to it is described from; NO_PAGE for a seed
    depth: NDArray[np.int64]
    relevance: NDArray[np.float64]
    is_relevant: NDArray[np.bool_]
    distance: NDArray[np.int64]
    crawl_relevance: NDArray[np.float64]
    was_relevant: NDArray[np.bool_]
    reward: NDArray[np.float64]  # when it was crawled
    described: NDArray[np.int64]  # places of the pages that can be judged again
    descriptions: NDArray[np.float16]  # a row for each of these


@dataclass(frozen=True, slots=True, eq=False)
class PastFetches:
    """Some fetches that were learned from, in order, one place each in every column."""

    steps: Sequence[int]
    links: Sequence[LinkId]
    urls: Sequence[Url]
    pages: Sequence[int | None]  # that the links are described from
    rewards: Sequence[float]  # at that time
    descriptions: Sequence[bytes]  # of the links
    rows: Sequence[Row | None]  # where a description does not tell all


@dataclass(frozen=True, slots=True, eq=False)
class UnfetchedLinks:
    """Some links that wait or are being fetched, one place each in every column."""

    links: NDArray[np.int64]
    pages: NDArray[np.int64]  # that they are described from; NO_PAGE for a seed
    is_waiting: NDArray[np.bool_]
    parents: ParentFacts  # by the newest judgement of the pages that they are described from
    descriptions: Sequence[bytes]
    rows: Sequence[Row | None]  # where a description does not tell all


LIKELIEST: Final = 500  # pages, by the newest judgement
SAMPLED: Final = 2000  # pages at least, where a run has more, evenly spaced
_TO_ASK: Final = f"""WHERE s.step IN (
    SELECT step FROM pages WHERE step % max(1, (SELECT count(*) FROM pages) / {SAMPLED}) = 0
    UNION SELECT step FROM (SELECT step FROM pages ORDER BY relevance DESC, step LIMIT {LIKELIEST})
    UNION SELECT p.step FROM answers a JOIN pages p ON p.link = a.link)"""  # noqa: S608 - two numbers


def read_answers(select: Select) -> Iterator[AnswerRecord]:
    """Yield every answer, in the order in which they were taken in."""
    rows = select(
        """SELECT number, moment, step, url, link, answer, answerer, name, message, description, undone_at
           FROM answers ORDER BY number"""
    )
    for number, moment, step, url, link, answer, by, name, message, description, undone_at in rows:
        page = None if link is None else LinkId(link)
        yield AnswerRecord(
            number, moment, step, Url(url), page, answer, by, name, message or "", description or b"", undone_at
        )


def read_pages(select: Select, width: int | None = None, *, to_ask: bool = False) -> PageColumns:
    """Return all pages. Those whose descriptions have not this many numbers, or as many as the first, have none.

    With `to_ask`, of a large run only the likeliest pages, those asked about, and a sample to compare them with.
    """
    which = _TO_ASK if to_ask else ""
    # A cross join keeps the order of the steps.
    rows = list(
        select(
            f"""SELECT p.link, coalesce(l.page, -1), p.depth, p.relevance, p.is_relevant, p.distance, p.crawl_relevance,
                      p.was_relevant, coalesce(s.reward, 0.0), p.description
               FROM steps s CROSS JOIN pages p ON p.link = s.link AND p.step = s.step JOIN links l ON l.id = p.link
               {which}"""  # noqa: S608
        )
    )
    columns = list(zip(*rows, strict=True)) or [()] * 10
    *numbers, descriptions = columns
    kinds = (np.int64, np.int64, np.int64, np.float64, np.bool_, np.int64, np.float64, np.bool_, np.float64)
    if width is None:
        width = next((len(kept) // 2 for kept in descriptions if kept is not None), 0)
    described = [place for place, kept in enumerate(descriptions) if kept is not None and len(kept) == 2 * width]
    joined = b"".join(descriptions[place] for place in described)
    arrays: list[NDArray[Any]] = [np.array(column, dtype=kind) for column, kind in zip(numbers, kinds, strict=True)]
    arrays.append(np.array(described, dtype=np.int64))
    arrays.append(np.frombuffer(joined, dtype=np.float16).reshape(len(described), width))
    return PageColumns(*arrays)


def read_past_fetches(select: Select) -> Iterator[PastFetches]:
    """Yield the fetches that were learned from, in order, some thousands at a time."""
    rows = select(
        """SELECT s.step, s.link, l.url, l.page, s.reward, l.description, l.row
           FROM steps s JOIN links l ON l.id = s.link WHERE s.reward IS NOT NULL ORDER BY s.step"""
    )
    while batch := list(islice(rows, BATCH)):
        steps, links, urls, pages, rewards, descriptions, merged = zip(*batch, strict=True)
        kept = [None if row is None else np.frombuffer(row, dtype=np.float16) for row in merged]
        yield PastFetches(
            steps, [LinkId(link) for link in links], [Url(url) for url in urls], pages, rewards, descriptions, kept
        )


def read_choices(select: Select) -> Iterator[tuple[int, LinkId]]:
    """Yield the links whose fetches were learned from, in the order of choice, each with the steps made by then."""
    rows = select("SELECT after_steps, link FROM steps WHERE reward IS NOT NULL ORDER BY dispatch")
    for after_steps, link in rows:
        yield after_steps, LinkId(link)


def read_unfetched(select: Select) -> Iterator[UnfetchedLinks]:
    """Yield the links that wait or are being fetched, in order of number, some thousands at a time."""
    rows = select(
        """SELECT l.id, coalesce(l.page, -1), l.state = ?,
                  coalesce(p.relevance, e.relevance, 0.0), coalesce(p.distance, e.distance, 0),
                  coalesce(p.depth, e.depth, -1) + 1, l.description, l.row
           FROM links l LEFT JOIN pages p ON p.link = l.page LEFT JOIN pages_elsewhere e ON e.link = l.page
           WHERE l.state IN (?, ?) ORDER BY l.id""",
        LinkState.WAITING,
        LinkState.WAITING,
        LinkState.IN_FLIGHT,
    )
    while batch := list(islice(rows, BATCH)):
        links, pages, waiting, relevance, distance, depth, descriptions, merged = zip(*batch, strict=True)
        parents = ParentFacts(
            np.array(relevance, dtype=np.float64), np.array(distance, dtype=np.int64), np.array(depth, dtype=np.int64)
        )
        kept = [None if row is None else np.frombuffer(row, dtype=np.float16) for row in merged]
        yield UnfetchedLinks(
            np.array(links, dtype=np.int64),
            np.array(pages, dtype=np.int64),
            np.array(waiting, dtype=np.bool_),
            parents,
            descriptions,
            kept,
        )


def redirect_end(select: Select, link: LinkId) -> LinkId:
    """Return the link to which redirects have led from this one by now; itself where there were none."""
    for _ in range(MOST_HOPS):
        ((has_page,),) = select("SELECT EXISTS (SELECT 1 FROM pages WHERE link = ?)", link)
        # The only edge of a link without a page is its redirect.
        target = None if has_page else next(select("SELECT target FROM edges WHERE source = ?", link), None)
        if target is None:
            break
        link = LinkId(target[0])
    return link


def page_at(select: Select, link: LinkId) -> LinkId | None:
    """Return the page of a link, or the one that it led to; None where none has come."""
    end = redirect_end(select, link)
    ((has_page,),) = select("SELECT EXISTS (SELECT 1 FROM pages WHERE link = ?)", end)
    return end if has_page else None
