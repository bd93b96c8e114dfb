"""A page of a run as a row: what every export of pages is made of."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from honeyguide.guard import Fingerprint
from honeyguide.reading.page_texts import PageTexts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.store import KeptPages, Run

MOST_PARENTS: Final = 100
"""Of a page are named; a front page may be linked from every other one."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PageRecord:
    """One page. The fields are the columns, in their order."""

    url: str
    host: str
    fetched_at: datetime  # offline the crawl's simulated time, from 1970
    step: int  # the fetch that brought it, from 1
    status: int
    media_type: str
    body_bytes: int
    title: str
    text: str | None  # the main text, white space folded; None where the run kept no body, or nobody asked
    words: int  # of all its text
    score: float  # of its link, when that was chosen
    relevance: float  # from 0 to 1
    is_relevant: bool
    reward: float | None
    depth: int  # clicks from a seed
    found_on: str | None  # the page whose link was followed; None for a seed
    parents: tuple[str, ...]  # pages that link here, in order of discovery, the first hundred
    parent_count: int
    canonical: str | None  # the other address that the page calls its own
    digest: str  # of title and text: equal for pages that read the same
    simhash: str | None  # 64 bits in hexadecimal: few differ between pages that read much alike; None without a guard
    robots: str  # what robots.txt said: allowed, no-file, ignored by setting, or empty where none was asked
    robots_tag: str | None  # the X-Robots-Tag headers, one a line


def records_of(run: Run, pages: KeptPages, *, with_text: bool = True) -> Iterator[PageRecord]:
    """The pages as rows, in the order they came, one in memory at a time; within `run.at_one_moment`."""
    return (record for _, record in numbered_records_of(run, pages, with_text=with_text))


def numbered_records_of(run: Run, pages: KeptPages, *, with_text: bool = True) -> Iterator[tuple[int, PageRecord]]:
    """As `records_of`, each with the page's number in the run, by which links name it."""
    texts = PageTexts(run, pages)
    obeys_robots = run.settings.politeness.obey_robots
    for page in pages.all():
        parents = pages.parents(page, MOST_PARENTS)
        record = PageRecord(
            url=page.url.text,
            host=page.url.host,
            fetched_at=moment_of(page.fetched_at),
            step=page.step,
            status=page.status,
            media_type=page.media_type,
            body_bytes=page.body_bytes,
            title=page.title,
            text=texts.main_text(page) if with_text else None,
            words=page.words,
            score=page.score,
            relevance=page.relevance,
            is_relevant=page.is_relevant,
            reward=page.reward,
            depth=page.depth,
            found_on=None if page.found_on is None else page.found_on.text,
            parents=tuple(url.text for url in parents.urls),
            parent_count=parents.count,
            canonical=None if page.canonical is None else page.canonical.text,
            digest=page.digest,
            simhash=_simhash(pages.fingerprint(page)),
            robots=pages.robots(page) if obeys_robots else "ignored",
            robots_tag=page.robots_tag or None,
        )
        yield page.link, record


def _simhash(fingerprint: bytes | None) -> str | None:
    return None if fingerprint is None else f"{Fingerprint.unpack(fingerprint).simhash:016x}"


def moment_of(clock_time: float) -> datetime:
    """A time on the crawl's clock as a date, to the microsecond."""
    return _EPOCH + timedelta(seconds=clock_time)


def iso(moment: datetime) -> str:
    """As in 2026-03-01T12:00:00.250000Z."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
