"""An account of a run for those whose pages it has: what was asked of whom, when, and under which rules.

Everything is read from the database, which sorts on disk, and given out one by one: memory does not grow with the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from honeyguide.model import Url
from honeyguide.runs.exports.rows import iso_time, to_datetime

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.runs.discovered_graph import Select
    from honeyguide.runs.records import Progress
    from honeyguide.settings import Settings

# Up to the first slash behind the host: a canonical URL always has one. `https://` has eight characters.
_ORIGIN: Final = "substr(l.url, 1, instr(substr(l.url, 9), '/') + 7)"
_ASKED: Final = "s.outcome NOT IN ('refused', 'unknown')"
_SUMS: Final = f"""
    sum({_ASKED}) AS requests, sum(p.link IS NOT NULL AND NOT coalesce(d.is_unindexed, 0)),
    sum(coalesce(d.is_unindexed, 0) AND p.link IS NOT NULL),
    sum(p.link IS NOT NULL AND coalesce(d.rules, '') <> '' AND NOT d.is_unindexed),
    sum(s.outcome = 'unchanged'), sum(s.outcome = 'redirected'), sum(s.outcome = 'failed'),
    sum(s.outcome = 'refused'), sum(s.body_bytes),
    min(CASE WHEN {_ASKED} THEN s.finished_at - s.elapsed_s END), max(CASE WHEN {_ASKED} THEN s.finished_at END)"""
_TABLES: Final = """FROM steps s JOIN links l ON l.id = s.link
    LEFT JOIN pages p ON p.link = s.link AND p.step = s.step LEFT JOIN directives d ON d.link = s.link"""


@dataclass(frozen=True, slots=True)
class RequestSums:
    """The requests to one origin, or to all."""

    requests: int  # for pages, as the budget counts them
    pages: int  # kept
    not_kept: int  # pages that came and were not kept, by a rule of their publisher
    with_rules: int  # pages that were kept and ask something of crawlers, such as noai
    unchanged: int
    redirected: int
    failed: int
    refused: int  # links that were not asked for, by robots.txt, address, scope or reservation
    body_bytes: int
    first_at: str | None  # in ISO 8601; None where nothing was asked
    last_at: str | None


@dataclass(frozen=True, slots=True)
class SiteFileRecord:
    """A robots.txt, or another file with rules, as it was for a time."""

    path: str
    since: str  # when it was first found to be so
    times: int  # that it was asked for
    sha256: str  # empty where there was none
    detail: str  # why it could not be had


@dataclass(frozen=True, slots=True)
class OriginAudit:
    """The account of one origin."""

    origin: str
    sums: RequestSums
    files: tuple[SiteFileRecord, ...]


@dataclass(frozen=True, slots=True)
class AuditTotals:
    """The account of all origins together."""

    sums: RequestSums
    origins_asked: int  # for pages
    origins: int  # with those of which nothing was asked, by a rule
    requests_for_rules: int


@dataclass(frozen=True, slots=True)
class AuditRules:
    """The rules that a run was made under."""

    asked_as: str
    world: str
    obeys_robots: bool
    respect: str
    obeyed: tuple[str, ...]  # rules of pages
    site_files: tuple[str, ...]  # asked for besides robots.txt
    delay_s: float
    one_address_at_a_time: bool


@dataclass(frozen=True, slots=True)
class AskedUrl:
    """One link whose turn came."""

    at: str
    url: str
    outcome: str
    status: int | None
    detail: str
    rules: tuple[str, ...]  # that the page asks of crawlers
    is_reserved: bool  # the page came and was not kept, by those rules
    robots_txt: str  # SHA-256 of the robots.txt in force; empty where there was none


class Audit:
    """Reads the account of an open run."""

    def __init__(self, select: Select, settings: Settings, progress: Progress) -> None:
        self._select = select
        self._settings = settings
        self._progress = progress

    @property
    def rules(self) -> AuditRules:
        settings = self._settings
        return AuditRules(
            asked_as=settings.fetch.identity,
            world=settings.crawl.world.partition(":")[0],
            obeys_robots=settings.politeness.obey_robots,
            respect=settings.directives.respect,
            obeyed=settings.directives.rules,
            site_files=settings.directives.files,
            delay_s=settings.politeness.delay_s,
            one_address_at_a_time=settings.politeness.per_address,
        )

    def totals(self) -> AuditTotals:
        ((*row,),) = self._select(f"SELECT {_SUMS} {_TABLES}")
        ((asked, origins),) = self._select(
            f"""SELECT count(DISTINCT {_ORIGIN}) FILTER (WHERE {_ASKED}), count(DISTINCT {_ORIGIN})
                {_TABLES} WHERE s.outcome <> 'unknown'"""
        )
        return AuditTotals(_sums(row), asked, origins, self._progress.robots_fetches)

    def origins(self, limit: int = -1) -> Iterator[OriginAudit]:
        """Yield the origins, those that were asked most first."""
        rows = self._select(
            f"""SELECT {_ORIGIN} AS origin, {_SUMS} {_TABLES} GROUP BY origin HAVING sum(s.outcome <> 'unknown')
                ORDER BY requests DESC, origin LIMIT ?""",
            limit,
        )
        for origin, *row in rows:
            yield OriginAudit(origin, _sums(row), self._files(origin))

    def asked_of(self, place: str) -> Iterator[AskedUrl]:
        """Yield every link to a host, with or without its port, or to an origin, whose turn came, in order."""
        rows = self._select(
            f"""SELECT s.finished_at - s.elapsed_s, l.url, s.outcome, s.status,
                       CASE s.reason WHEN '' THEN coalesce(s.target, s.detail) ELSE s.reason || ': ' || s.detail END,
                       CASE WHEN p.link IS NULL THEN '' ELSE coalesce(d.rules, '') END,
                       p.link IS NOT NULL AND coalesce(d.is_unindexed, 0),
                       coalesce((SELECT f.digest FROM site_files f WHERE f.origin = {_ORIGIN} AND f.path = '/robots.txt'
                        AND f.asked_at <= s.finished_at - s.elapsed_s ORDER BY f.asked_at DESC LIMIT 1), '')
                {_TABLES} WHERE instr(l.url, ?) > 0 ORDER BY s.step""",  # noqa: S608 - our own words
            place,
        )
        for moment, text, outcome, status, detail, rules, is_reserved, digest in rows:
            url = Url(text)
            if place in (url.origin, url.host, url.host.rpartition(":")[0]):
                about = "" if is_reserved else detail  # the rule, which is one of the rules
                yield AskedUrl(
                    _iso(moment) or "", text, outcome, status, about, tuple(rules.split()), bool(is_reserved), digest
                )

    def _files(self, origin: str) -> tuple[SiteFileRecord, ...]:
        rows = self._select(
            "SELECT path, asked_at, times, digest, detail FROM site_files WHERE origin = ? ORDER BY asked_at, path",
            origin,
        )
        return tuple(SiteFileRecord(path, _iso(moment) or "", *facts) for path, moment, *facts in rows)


def _sums(row: list[Any]) -> RequestSums:
    *counts, first_at, last_at = row
    values: list[Any] = [*(int(count or 0) for count in counts), _iso(first_at), _iso(last_at)]
    return RequestSums(*values)


def _iso(moment: float | None) -> str | None:
    return None if moment is None else iso_time(to_datetime(moment))
