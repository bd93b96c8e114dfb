"""The history of one URL in a run: how the crawl came to it, what it expected, what came, how that was judged.

All of it is stored, so nothing is fetched or judged here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.model import FieldValue, LinkId, LinkState, Url
from honeyguide.runs.answers import page_at
from honeyguide.runs.fields import stored_fields
from honeyguide.runs.records import StoredVisit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Select = Callable[..., Iterator[tuple[Any, ...]]]

LONGEST_PATH: Final = 100
MOST_FETCHES: Final = 20
_STATES: Final = {
    LinkState.WAITING: "waiting",
    LinkState.IN_FLIGHT: "being fetched",
    LinkState.DONE: "fetched",
    LinkState.SKIPPED: "skipped",
    LinkState.PRUNED: "pruned: there was no room for it to wait",
    LinkState.OVER_HOST_LIMIT: "over the limit of its host",
    LinkState.DROPPED: "dropped by the guard",
    LinkState.ELSEWHERE: "handed over to the shard of its host",
}


@dataclass(frozen=True, slots=True)
class PageOnPath:
    """A page on the way from a seed, and the link by which it was found; both empty where they are not known."""

    url: str
    title: str
    anchor: str
    relevance: float | None  # by the newest judgement; None where no page came


@dataclass(frozen=True, slots=True)
class FetchOfUrl:
    """One fetch of a URL; times are on the crawl's clock."""

    step: int  # in order of answers, from 1
    after_steps: int  # fetches that had ended when it was chosen
    chosen_at: float
    finished_at: float
    predicted: float  # the score by which it was chosen
    explored: bool  # drawn at random, whatever its score
    outcome: str  # fetched, unchanged, redirected, refused, failed or unknown
    status: int | None
    reason: str  # why it was refused or has failed
    target: str  # where the host sent the crawl instead
    detail: str
    elapsed_s: float
    body_bytes: int
    reward: float | None  # None where nothing was learned


@dataclass(frozen=True, slots=True)
class PageJudgement:
    """A page as it came, and how it was judged."""

    title: str
    media_type: str
    words: int
    depth: int  # clicks from a seed
    relevance: float  # by the newest judgement
    is_relevant: bool
    crawl_relevance: float  # when it was crawled
    was_relevant: bool
    is_unindexed: bool  # it asked not to be indexed, and is not shown
    finding: str  # of the guard: the kind of trap or duplicate; empty for none
    answer: str  # yes, no or skip, by the newest answer that stands; empty for none
    fields: dict[str, FieldValue]  # that the user has asked for, by name


@dataclass(frozen=True, slots=True)
class LinkHistory:
    """All that a run has stored of one URL."""

    url: str
    state: str
    is_seed: bool
    anchor: str  # of the link by which it was found
    score: float  # when last written
    skipped_because: str
    path: tuple[PageOnPath, ...]  # from a seed to the page that showed the link
    fetches: tuple[FetchOfUrl, ...]  # the newest first
    page: PageJudgement | None
    led_to: str  # the page to which redirects have led; empty where there were none


@dataclass(frozen=True, slots=True, eq=False)
class KeptChoice:
    """What a strategy knew when it chose a link."""

    waiting: int  # links that waited beside it
    score_lost: float  # by how much a better link scored that had to wait, its host not being ready
    row: NDArray[np.float16]
    weights: NDArray[np.float64]
    chance: float  # of an answer; 1 where the strategy does not learn that
    bonus: float  # that its part of the site added to its score
    better: int | None  # links that were worth more; None where nobody counted


@dataclass(frozen=True, slots=True)
class KeptOfLink:
    """What a strategy needs to score a link again."""

    link: LinkId
    description: bytes
    row: bytes | None  # where the description does not tell all
    relevance: float  # of the page that shows it, by the newest judgement
    distance: int
    depth: int


def link_number(select: Select, url: Url) -> LinkId | None:
    """Return the number of a URL in a run; None where it was never met."""
    return next((LinkId(link) for (link,) in select("SELECT id FROM links WHERE url = ?", url.text)), None)


def link_history(select: Select, link: LinkId) -> LinkHistory:
    """Read the history of a link by its number."""
    ((url, state, anchor, score, skipped, parent),) = select(
        """SELECT l.url, l.state, l.anchor, l.score, coalesce(k.reason, ''), l.page
           FROM links l LEFT JOIN skips k ON k.link = l.id WHERE l.id = ?""",
        link,
    )
    end = page_at(select, link)
    ends = () if end is None or end == link else select("SELECT url FROM links WHERE id = ?", end)
    return LinkHistory(
        url=url,
        state=_STATES[LinkState(state)],
        is_seed=parent is None,
        anchor=anchor,
        score=score,
        skipped_because=skipped,
        path=path_to(select, link),
        fetches=tuple(_fetches(select, link)),
        page=_judgement(select, link),
        led_to=next((text for (text,) in ends), ""),
    )


_KEPT: Final = """SELECT l.id, l.description, l.row, coalesce(p.relevance, 0.0), coalesce(p.distance, 0),
                         coalesce(p.depth + 1, 0)
                  FROM links l LEFT JOIN pages p ON p.link = l.page"""


def kept_of_link(select: Select, link: LinkId) -> KeptOfLink:
    """Read what the strategy has kept of a link."""
    (row,) = select(f"{_KEPT} WHERE l.id = ?", link)
    return KeptOfLink(*row)


def kept_of_every(select: Select, step: int) -> Iterator[KeptOfLink]:
    """Read what the strategy has kept of every so many links, in the order in which they were met."""
    return (KeptOfLink(*row) for row in select(f"{_KEPT} WHERE l.id % ? = 0 ORDER BY l.id", step))


def kept_choice(select: Select, step: int) -> KeptChoice | None:
    """Read what was known when the link of a fetch was chosen; None where its strategy adds up no weights."""
    for waiting, lost, row, weights, *worth in select(
        "SELECT waiting, score_lost, row, weights, chance, bonus, better FROM choices WHERE step = ?", step
    ):
        return KeptChoice(waiting, lost, np.frombuffer(row, np.float16), np.frombuffer(weights, np.float64), *worth)
    return None


def visits_showing(select: Select, link: LinkId) -> Iterator[StoredVisit]:
    """Yield the pages that show a link, the redirects to it and the pages that show those, in order of steps."""
    rows = select(
        """WITH RECURSIVE shown(source, target) AS (
             SELECT source, target FROM edges WHERE target = ?
             UNION SELECT e.source, e.target FROM shown CROSS JOIN edges e ON e.target = shown.source
             WHERE shown.source NOT IN (SELECT link FROM pages))
           SELECT s.step, s.link, s.outcome, coalesce(p.crawl_relevance, 0.0), coalesce(p.was_relevant, 0),
                  coalesce(p.relevance, 0.0), shown.target
           FROM steps s CROSS JOIN shown ON shown.source = s.link LEFT JOIN pages p ON p.link = s.link
           WHERE (s.outcome = 'fetched' AND p.step = s.step) OR (s.outcome = 'redirected' AND p.link IS NULL)
           ORDER BY s.step, shown.target""",
        link,
    )
    return grouped_visits(rows)


def grouped_visits(rows: Iterator[tuple[Any, ...]]) -> Iterator[StoredVisit]:
    """Make visits of rows of step, link, outcome, three columns of its page, and a target, in the order of steps."""
    for _, same in groupby(rows, key=itemgetter(0)):
        shown = list(same)
        step, link, outcome, then, is_relevant, newest, first = shown[0]
        targets = () if first is None else tuple([row[-1] for row in shown])
        yield StoredVisit(step, link, then, bool(is_relevant), newest, targets, is_redirect=outcome == "redirected")


def path_to(select: Select, link: LinkId, longest: int = LONGEST_PATH) -> tuple[PageOnPath, ...]:
    """Return the pages over which the crawl came to a link, from a seed to the page that showed it."""
    rows = select(
        """WITH RECURSIVE way(link, clicks) AS (
             SELECT page, 1 FROM links WHERE id = ?1
             UNION ALL SELECT l.page, clicks + 1 FROM way JOIN links l ON l.id = way.link WHERE clicks < ?2)
           SELECT l.url, coalesce(p.title, ''), l.anchor, p.relevance FROM way JOIN links l ON l.id = way.link
           LEFT JOIN pages p ON p.link = l.id ORDER BY clicks DESC""",
        link,
        longest,
    )
    return tuple(PageOnPath(*row) for row in rows)


def _fetches(select: Select, link: LinkId) -> Iterator[FetchOfUrl]:
    rows = select(
        """SELECT step, after_steps, chosen_at, finished_at, score, explored, outcome, status, reason,
                  coalesce(target, ''), detail, elapsed_s, body_bytes, reward
           FROM steps WHERE link = ? ORDER BY step DESC LIMIT ?""",
        link,
        MOST_FETCHES,
    )
    for step, after_steps, chosen_at, finished_at, score, explored, *came in rows:
        yield FetchOfUrl(step, after_steps, chosen_at, finished_at, score, bool(explored), *came)


def _judgement(select: Select, link: LinkId) -> PageJudgement | None:
    rows = select(
        """SELECT p.title, p.media_type, p.words, p.depth, p.relevance, p.is_relevant, p.crawl_relevance,
                  p.was_relevant, coalesce(d.is_unindexed, 0), coalesce(f.kind, ''),
                  coalesce((SELECT answer FROM answers a WHERE a.link = p.link AND a.undone_at IS NULL
                            ORDER BY number DESC LIMIT 1), ''), p.step
           FROM pages p LEFT JOIN directives d ON d.link = p.link LEFT JOIN findings f ON f.link = p.link
           WHERE p.link = ?""",
        link,
    )
    for title, media_type, words, depth, relevance, good, then, was_good, is_unindexed, finding, answer, step in rows:
        return PageJudgement(
            title, media_type, words, depth, relevance, bool(good), then, bool(was_good), bool(is_unindexed), finding,
            answer, stored_fields(select, step),
        )  # fmt: skip
    return None
