"""A run opened for reading, also while a crawl writes to it."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from honeyguide.errors import RunDamaged
from honeyguide.guard import simhashes_of
from honeyguide.model import KeywordMatch, LinkId, Url
from honeyguide.runs.answers import page_at, read_answers, read_pages
from honeyguide.runs.bodies import StoredBodies, wrap_sqlite_errors
from honeyguide.runs.discovered_graph import DiscoveredGraph
from honeyguide.runs.fields import FieldCondition, asked_kinds, field_kinds, steps_where, stored_fields
from honeyguide.runs.folder import RunFolder, split_pass
from honeyguide.runs.forecast import HORIZONS, MOST_LOOKED_AT, last_fetches, read_outlook
from honeyguide.runs.gathering import gather, learner_of_owner
from honeyguide.runs.history import (
    kept_choice,
    kept_of_every,
    kept_of_link,
    link_history,
    link_number,
    path_to,
    visits_showing,
)
from honeyguide.runs.pages import CrawledPage, CrawledPages
from honeyguide.runs.passes import found_in, read_passes, show_as_of
from honeyguide.runs.recorded import RecordedAnswers, RecordedExchanges
from honeyguide.runs.records import LearnerSnapshot, Progress
from honeyguide.runs.revisits import HostsAsked, Revisits
from honeyguide.runs.schema import refuse_strange_tables
from honeyguide.runs.shards import is_sharded, shard_folders
from honeyguide.runs.state import read_progress
from honeyguide.runs.traps import TrapRecords
from honeyguide.settings import load_run_settings
from honeyguide.settings.checks import may_draw_links

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from honeyguide.model import FieldValue
    from honeyguide.runs.answers import PageColumns
    from honeyguide.runs.audit import Audit
    from honeyguide.runs.forecast import Outlook
    from honeyguide.runs.graph import LinkGraph
    from honeyguide.runs.history import KeptChoice, KeptOfLink, LinkHistory
    from honeyguide.runs.passes import Pass, PassFinding
    from honeyguide.runs.records import AnswerRecord, StoredVisit
    from honeyguide.runs.traps import GuardFinding, Restart, TrapSummary
    from honeyguide.settings import Settings


@dataclass(frozen=True, slots=True)
class CrawledStep:
    """One fetch of a run: the link that was chosen, its score, and the outcome."""

    step: int
    url: Url
    outcome: str
    score: float
    explored: bool
    reward: float | None
    is_relevant: bool
    detail: str


class FetchColumns(NamedTuple):
    """One fetch of a run in plain columns, of which many are read to be counted."""

    url: str
    outcome: str
    explored: int
    body_bytes: int
    is_page: int  # that may be indexed; without, the columns after this one say nothing but whether it is relevant
    depth: int
    media_type: str
    relevance: float
    is_relevant: int


@dataclass(frozen=True, slots=True)
class PageVersion:
    """A page as an earlier pass found it."""

    step: int  # that brought it
    title: str
    words: int
    relevance: float
    is_relevant: bool
    fetched_at: float
    digest: str


class Run:
    """A run folder, read-only. Close it, or use it as a context manager. For one thread at a time."""

    def __init__(self, path: Path, pass_number: int | None = None) -> None:
        """`pass_number` shows the run as it was at the end of that pass; RunDamaged where it has no such pass."""
        self._folder = RunFolder.open(path)
        self._then: Pass | None = None
        gather(path)
        if not self._folder.database_file.exists():
            raise RunDamaged(f"{path} has no crawl.sqlite; resume it, or restore the file from a copy of the run")
        with wrap_sqlite_errors(self._folder.database_file):
            # Through a URI: a plain open would create a missing database and leave it behind.
            self._db = sqlite3.connect(
                f"{self._folder.database_file.resolve().as_uri()}?{self._mode()}", uri=True, check_same_thread=False
            )
        try:
            with wrap_sqlite_errors(self._folder.database_file):
                refuse_strange_tables(self._db, self._folder.database_file)
            self._progress()
            if pass_number is not None:
                self._go_back_to(pass_number)
        except BaseException:
            self._db.close()
            raise

    def _go_back_to(self, number: int) -> None:
        passes = self.passes()
        if number != 1 and not any(each.number == number for each in passes):
            count = max(1, len(passes))
            last = f" to @{count}" if count > 1 else ""
            raise RunDamaged(f"{self.path} has no pass {number}: it has {count}; name {self.path}@1{last}")
        if number < len(passes):
            self._then = passes[number - 1]
            show_as_of(self._db, self._then.progress.steps)

    @property
    def is_newest(self) -> bool:
        """Whether this is the run as it stands, and not as it was after an earlier pass."""
        return self._then is None

    @property
    def name(self) -> str:
        """The folder, and the pass where it is not the newest."""
        return str(self.path) if self._then is None else f"{self.path}@{self._then.number}"

    @property
    def path(self) -> Path:
        return self._folder.path

    @cached_property
    def settings(self) -> Settings:
        """The effective settings the run was made with, as they are when first asked for."""
        return load_run_settings(self._folder.settings_file)

    @property
    def progress(self) -> Progress:
        """The progress of the crawl."""
        return self._progress() or Progress()

    @property
    def fetch_budget(self) -> int:
        """Fetches that the run may spend in all, those of its passes among them."""
        if self._then is not None:
            return self._then.budget
        # A kill may have come after a pass was taken in, and before the settings were saved.
        return max([self.settings.budget.fetches, *(each.budget for each in self.passes())])

    @property
    def has_begun(self) -> bool:
        """Whether a first step was stored."""
        return self._progress() is not None

    @property
    def harvest_rate(self) -> float:
        """Relevant pages per fetch."""
        progress = self.progress
        return progress.relevant / progress.fetches if progress.fetches else 0.0

    def pages(self, *, best_first: bool = False, relevant_only: bool = False, limit: int = -1) -> Iterator[CrawledPage]:
        """Yield the pages of the run, in the order they came or the most relevant first."""
        return self.crawled_pages(relevant_only=relevant_only).all(best_first=best_first, limit=limit)

    def has_met(self, url: Url) -> bool:
        """Return whether the crawl has met a URL, whatever came of it."""
        return next(self._select("SELECT 1 FROM links WHERE url = ?", url.text), None) is not None

    @property
    def is_at_rest(self) -> bool:
        """Whether the learner is stored as it is, as at the end of a crawl that was not killed."""
        return next(self._select("SELECT 1 FROM journal LIMIT 1"), None) is None

    def passes(self) -> list[Pass]:
        """Return the passes of this run, in order; none where the crawl is all there was."""
        with wrap_sqlite_errors(self._folder.database_file):
            return read_passes(self._db)

    def found_in_pass(self, number: int) -> Iterator[PassFinding]:
        """Yield what a pass found about the pages it looked at; nothing for the first, or one that was not made."""
        for each in self.passes():
            if each.number == number > 1:
                yield from found_in(self._select, each)

    def versions(self, url: Url) -> list[PageVersion]:
        """Return the versions of a page before the newest, the oldest first; their bodies by `body_of_version`."""
        rows = self._select(
            """SELECT v.step, v.title, v.words, v.relevance, v.is_relevant, s.finished_at, v.digest
               FROM links l JOIN versions v ON v.link = l.id JOIN steps s ON s.step = v.step
               WHERE l.url = ? ORDER BY v.step""",
            url.text,
        )
        return [
            PageVersion(step, title, words, relevance, bool(is_relevant), seen_at, bytes(digest).hex())
            for step, title, words, relevance, is_relevant, seen_at, digest in rows
        ]

    def body_of_version(self, version: PageVersion) -> bytes | None:
        """Return the body of an older version of a page; None where it was not stored."""
        rows = self._select(
            "SELECT v.body, a.file, a.offset FROM versions v LEFT JOIN archive a ON a.step = v.step WHERE v.step = ?",
            version.step,
        )
        return next((StoredBodies(self._folder.database_file).read(*row) for row in rows), None)

    def crawled_pages(self, *, relevant_only: bool = False, after_step: int = 0) -> CrawledPages:
        """Return a reader of pages, their bodies and links, usable while the run is open; all, or those asked for."""
        return CrawledPages(self._db, self._folder.database_file, relevant_only=relevant_only, after_step=after_step)

    def steps(self, *, newest: int = 0) -> Iterator[CrawledStep]:
        """Yield every fetch, in the order in which answers were processed; or only the newest, the last one first."""
        order, limit = ("DESC", newest) if newest else ("ASC", -1)
        rows = self._select(
            f"""SELECT s.step, l.url, s.outcome, s.score, s.explored, s.reward, coalesce(p.is_relevant, 0),
                      CASE WHEN s.reason = '' THEN coalesce(s.target, s.detail) ELSE s.reason || ': ' || s.detail END
               FROM steps s JOIN links l ON l.id = s.link LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
               ORDER BY s.step {order} LIMIT ?""",  # noqa: S608
            limit,
        )
        for step, url, outcome, score, explored, reward, is_relevant, detail in rows:
            yield CrawledStep(step, Url(url), outcome, score, bool(explored), reward, bool(is_relevant), detail)

    def fetch_columns(self) -> Iterator[FetchColumns]:
        """Yield every fetch in order of steps."""
        rows = self._select(
            """SELECT l.url, s.outcome, s.explored, s.body_bytes, p.link IS NOT NULL AND d.link IS NULL,
                      coalesce(p.depth, 0), coalesce(p.media_type, ''), coalesce(p.relevance, 0.0),
                      coalesce(p.is_relevant, 0)
               FROM steps s CROSS JOIN links l ON l.id = s.link LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
                    LEFT JOIN directives d ON d.link = s.link AND d.is_unindexed
               ORDER BY s.step"""
        )
        return map(FetchColumns._make, rows)

    def fetches(self, after_step: int = 0) -> Iterator[tuple[Any, ...]]:
        """Yield step, URL as text, outcome, reason, status, relevance and whether that is relevant, in order of steps.

        Of every fetch that ended after a step: plain columns, because sums are made of very many. Without a page
        that is kept, the last two are None.
        """
        return self._select(
            """SELECT s.step, l.url, s.outcome, s.reason, s.status, p.relevance, p.is_relevant
               FROM steps s JOIN links l ON l.id = s.link LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
                 AND p.link NOT IN (SELECT link FROM directives WHERE is_unindexed)
               WHERE s.step > ? AND s.outcome <> 'unknown' ORDER BY s.step""",
            after_step,
        )

    @property
    def fetch_count(self) -> int:
        """The fetches that `fetches` yields."""
        ((count,),) = self._select("SELECT count(*) FROM steps WHERE outcome <> 'unknown'")
        return int(count)

    def harvest_sketch(self, points: int) -> tuple[int, ...]:
        """Return the relevant pages after each of so many equal parts of the fetches; all of it in one look."""
        ((last,),) = self._select("SELECT coalesce(max(step), 0) FROM steps")
        rows = self._select(
            "SELECT (step - 1) * ?1 / ?2, count(*) FROM pages WHERE is_relevant GROUP BY 1", points, max(1, last)
        )
        counts = dict(rows)
        return tuple(accumulate((counts.get(part, 0) for part in range(points)), initial=0)) if last else ()

    def last_fetches(self, count: int = MOST_LOOKED_AT) -> list[bool]:
        """Return whether each of the last fetches brought a relevant page, oldest first."""
        return last_fetches(self._select, count)

    def outlook(self, horizons: Sequence[int] = HORIZONS) -> Outlook:
        """Return what so many more fetches would bring, and what is known of the links that wait."""
        return read_outlook(
            self._select, self.progress, horizons, may_draw=may_draw_links(self.settings.crawl.strategy)
        )

    def judgements(self) -> Iterator[tuple[int, float, int]]:
        """Yield step, relevance and whether it is relevant of every page that is kept, by the newest judgement."""
        rows = self._select(
            """SELECT step, relevance, is_relevant FROM pages
               WHERE link NOT IN (SELECT link FROM directives WHERE is_unindexed)"""
        )
        return cast("Iterator[tuple[int, float, int]]", rows)

    def path_to(self, page: CrawledPage, longest: int = 30) -> tuple[tuple[Url, str], ...]:
        """Return the pages over which the crawl came to a page, with titles: from a seed to the one before it."""
        path = path_to(self._select, LinkId(page.link), longest)
        return tuple((Url(each.url), each.title) for each in path)

    def history(self, url: Url) -> LinkHistory | None:
        """Return all that is stored of one URL: how the crawl came to it, what it expected and what came."""
        link = link_number(self._select, url)
        return None if link is None else link_history(self._select, link)

    def kept_of_link(self, url: Url) -> KeptOfLink | None:
        """Return what the strategy needs to score the link to a URL again; None where it was never met."""
        link = link_number(self._select, url)
        return None if link is None else kept_of_link(self._select, link)

    def some_links(self, most: int) -> Iterator[KeptOfLink]:
        """Yield what the strategy needs to score links again, of about so many, evenly over all that were met."""
        ((count,),) = self._select("SELECT count(*) FROM links")
        return kept_of_every(self._select, max(1, -(-count // most)))

    def kept_choice(self, step: int) -> KeptChoice | None:
        """Return what the strategy knew when it chose the link of a fetch; None where it adds up no weights."""
        return kept_choice(self._select, step)

    def visits_showing(self, link: LinkId) -> Iterator[StoredVisit]:
        """Yield the pages that show a link, the redirects to it and the pages that show those, in order of steps."""
        return visits_showing(self._select, link)

    def page(self, url: Url) -> CrawledPage | None:
        """Return the page at a URL; None where none came, or where it asked not to be indexed."""
        steps = self._select("SELECT p.step FROM links l JOIN pages p ON p.link = l.id WHERE l.url = ?", url.text)
        return next(self.crawled_pages().at_steps([step for (step,) in steps]), None)

    def found_by_kind(self) -> dict[str, int]:
        """Count pages without relevance that the guard judged part of a trap, or duplicates, by kind, most first."""
        rows = self._select(
            """SELECT f.kind, count(*) AS times FROM findings f JOIN pages p ON p.link = f.link
               WHERE NOT p.is_relevant GROUP BY 1 ORDER BY times DESC, 1"""
        )
        return dict(rows)

    def answer_count(self) -> int:
        """Return how many answers were taken in."""
        ((count,),) = self._select("SELECT coalesce(max(number), 0) FROM answers")
        return int(count)

    def without_page(self) -> dict[str, int]:
        """Count fetches that brought no page, by reason, the most frequent first; failures with their status."""
        rows = self._select(
            """SELECT reason, status, count(*) AS times FROM steps
               WHERE outcome IN ('refused', 'failed') GROUP BY 1, 2 ORDER BY times DESC, 1, 2"""
        )
        return {f"{reason} {status}" if status else reason: times for reason, status, times in rows}

    def failures(self) -> Iterator[tuple[str, str, str]]:
        """Yield reason, host and detail of every fetch that failed or was refused, in order."""
        rows = self._select(
            """SELECT s.reason, l.url, s.detail FROM steps s JOIN links l ON l.id = s.link
               WHERE s.outcome IN ('refused', 'failed') ORDER BY s.step"""
        )
        return ((reason, Url(url).host, detail) for reason, url, detail in rows)

    def edge_count(self) -> int:
        """Return how many times a page showed a link, those out of scope left out."""
        ((count,),) = self._select("SELECT count(*) FROM edges")
        return int(count)

    def cut_pages(self) -> dict[str, int]:
        """Count the pages that were over each limit of `[parse]`, the most frequent first."""
        rows = self._select("SELECT cut_by, count(*) FROM pages WHERE cut_by <> '' GROUP BY 1 ORDER BY 1")
        counts: Counter[str] = Counter()
        for cut_by, times in rows:
            counts.update(dict.fromkeys(cut_by.split(), times))
        return dict(counts.most_common())

    def body(self, url: Url) -> bytes:
        """Return the body of a page as it was received; KeyError if the run has no such page or no body of it."""
        found = self._select(
            """SELECT b.body, a.file, a.offset FROM pages p JOIN links l ON l.id = p.link
               LEFT JOIN bodies b ON b.link = p.link LEFT JOIN archive a ON a.step = p.step
               WHERE l.url = ? AND p.link NOT IN (SELECT link FROM directives WHERE is_unindexed)""",
            url.text,
        )
        for stored, file, offset in found:
            body = StoredBodies(self._folder.database_file).read(stored, file, offset)
            if body is not None:
                return body
        raise KeyError(url.text)

    def field_kinds(self) -> dict[str, str]:
        """Return the names of all fields with number, list or text: those of the settings, then those of hooks."""
        return asked_kinds(self.settings.parse.fields) | field_kinds(self._select)

    def fields_of(self, step: int) -> dict[str, FieldValue]:
        """Return the fields of the page that a fetch brought, by name."""
        return stored_fields(self._select, step)

    def steps_where(self, *conditions: FieldCondition | str) -> list[int]:
        """Return the fetches that brought pages whose fields fulfil all conditions, as in `price<100`, in order."""
        read = tuple(FieldCondition.parse(each) if isinstance(each, str) else each for each in conditions)
        return steps_where(self._select, read)

    def keyword_matches(self, *, relevant_only: bool = False) -> Iterator[KeywordMatch]:
        """Yield the keywords of pages that satisfy a search phrase, in the order in which the pages came."""
        those = "WHERE p.is_relevant" if relevant_only else ""
        rows = self._select(
            f"""SELECT k.score, k.search, k.keyword, l.url FROM keywords k JOIN pages p USING (link)
                JOIN links l ON l.id = k.link {those} ORDER BY p.step, k.number"""  # noqa: S608 - our own words
        )
        return (KeywordMatch(score, search, keyword, Url(url)) for score, search, keyword, url in rows)

    def answers(self) -> Iterator[AnswerRecord]:
        """Yield every answer about a page, in the order in which they were taken in."""
        return read_answers(self._select)

    def newest_effect(self) -> str:
        """Return the changes that the newest answers have made, as JSON of an `AnswerEffect`; empty where none were."""
        rows = self._select("SELECT effect FROM effects ORDER BY number DESC LIMIT 1")
        return next((text for (text,) in rows), "")

    def page_at(self, url: Url) -> Url | None:
        """Return the address of the page that a URL gave or led to; None where the run has none."""
        for (link,) in self._select("SELECT id FROM links WHERE url = ?", url.text):
            page = page_at(self._select, LinkId(link))
            if page is not None:
                return next(Url(text) for (text,) in self._select("SELECT url FROM links WHERE id = ?", page))
        return None

    def judged_steps(self) -> dict[int, tuple[float, bool]]:
        """Return the relevance of every page by the newest judgement, and whether it is relevant, by step."""
        rows = self._select("SELECT step, relevance, is_relevant FROM pages")
        return {step: (relevance, bool(is_relevant)) for step, relevance, is_relevant in rows}

    def titles(self, links: Iterable[int]) -> dict[int, tuple[Url, str]]:
        """Return address and title of some pages, by number."""
        query = "SELECT l.url, p.title FROM pages p JOIN links l ON l.id = p.link WHERE p.link = ?"
        return {link: (Url(url), title) for link in links for url, title in self._select(query, link)}

    def title_at(self, url: Url) -> str:
        """Return the title of the page that a URL gave or led to; empty where the run has none."""
        page = self.page_at(url)
        return next((title for _, title in self.titles(self.link_numbers([page])).values()), "") if page else ""

    def urls_on_host(self, host: str, limit: int = -1) -> list[Url]:
        """Return the addresses of the pages on a host, in the order in which they came."""
        rows = self._select(
            """SELECT l.url FROM steps s CROSS JOIN pages p ON p.link = s.link AND p.step = s.step
               JOIN links l ON l.id = p.link WHERE instr(l.url, ?) > 0 ORDER BY s.step""",
            host,
        )
        return list(islice((url for (text,) in rows if (url := Url(text)).host == host), limit if limit >= 0 else None))

    def link_numbers(self, urls: Iterable[Url]) -> set[int]:
        """Return the numbers of these URLs in the run; those that it has not met are left out."""
        return {link for url in urls for (link,) in self._select("SELECT id FROM links WHERE url = ?", url.text)}

    def page_columns(self, *, to_ask: bool = False) -> PageColumns:
        """Return all pages with their judgements, or as many as it takes to choose questions about them."""
        return read_pages(self._select, to_ask=to_ask)

    def page_descriptions(self, links: Iterable[int]) -> dict[int, bytes]:
        """Return what a judge that learns keeps of some pages, by number; those without are left out."""
        found = (
            (link, next(self._select("SELECT description FROM pages WHERE link = ?", link), (None,))) for link in links
        )
        return {link: description for link, (description,) in found if description is not None}

    def descriptions_unasked(self, count: int) -> list[bytes]:
        """Return what a judge that learns keeps of some pages without an answer, evenly spaced, so many or a few more.

        With fewer pages, all of them.
        """
        rows = self._select(
            """SELECT description FROM pages
               WHERE step % max(1, (SELECT count(*) FROM pages) / ?) = 0 AND description IS NOT NULL
                 AND link NOT IN (SELECT link FROM answers WHERE link IS NOT NULL) ORDER BY step""",
            count,
        )
        return [description for (description,) in rows]

    def stage_seconds(self) -> dict[str, float]:
        """Return the time that each stage took, up to the learner's last snapshot."""
        return dict(self._select("SELECT stage, seconds FROM stage_seconds"))

    def outcomes(self) -> dict[str, int]:
        """Count fetches by outcome, the most frequent first."""
        return dict(self._select("SELECT outcome, count(*) AS times FROM steps GROUP BY 1 ORDER BY times DESC, 1"))

    def answer_seconds(self) -> float:
        """Return the sum of all response times; simulated offline."""
        ((seconds,),) = self._select("SELECT coalesce(sum(elapsed_s), 0.0) FROM steps")
        return float(seconds)

    def revisits(self) -> Revisits:
        """Return a reader of the pages that this run fetched again, usable while the run is open."""
        return Revisits(self._select)

    def audit(self) -> Audit:
        """Return a reader of what was asked of whom, under which rules, usable while the run is open."""
        from honeyguide.runs.audit import Audit  # noqa: PLC0415 - it needs the exports, which need this

        return Audit(self._select, self.settings, self.progress)

    def hosts_asked(self) -> HostsAsked:
        """Return a reader of host rests and robots.txt files, usable while the run is open."""
        return HostsAsked(self._db, self._folder.database_file, self.progress)

    def trap_records(self) -> TrapRecords:
        """Return a reader of what the guard has found, usable while the run is open."""
        return TrapRecords(self._select)

    def guard_findings(self, *, kind: str = "", host: str = "") -> Iterator[GuardFinding]:
        """Yield pages judged part of a loop or a trap, or duplicates, in the order they came; of one kind or host."""
        return TrapRecords(self._select).findings(kind, host)

    def shards(self) -> list[Path]:
        """Return the run folders that this run was gathered from, each with an index of its own; else none.

        A run that was looked at again in place has left them behind.
        """
        if not is_sharded(self.path) or self.passes():
            return []
        return shard_folders(self.path)

    def steps_in_shards(self) -> Iterator[tuple[int, int, int]]:
        """Yield every step that was gathered from a shard, in order, with the shard and the step's number there."""
        rows = self._select("SELECT step, shard, own FROM gathered_steps ORDER BY step")
        return cast("Iterator[tuple[int, int, int]]", rows)

    def guard_simhashes(self, batch: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """Yield the steps of pages that the guard saw, which rise, and their simhashes, so many at a time."""
        rows = self._select("SELECT step, print FROM prints ORDER BY step")
        while some := list(islice(rows, batch)):
            steps, prints = zip(*some, strict=True)
            yield np.array(steps, dtype=np.int64), simhashes_of(prints)

    def trap_summary(self, *, kind: str = "", host: str = "") -> TrapSummary:
        """Return traps with their cost and evidence, and the links moved; of one kind or host alone, where given."""
        return TrapRecords(self._select).summary(kind, host)

    def restarts(self) -> Iterator[Restart]:
        """Yield every restart of the crawl, in order."""
        return TrapRecords(self._select).restarts()

    def learner_snapshot(self, url: Url | None = None) -> LearnerSnapshot | None:
        """Return the newest stored state of strategy and judge: of the end, or of some steps ago.

        Of a run in shards it is that of the shard with the most steps, or with a URL that of the shard that has it.
        """
        owner = None if url is None else learner_of_owner(self.shards(), url)
        if owner is not None:
            shard, own = owner
            query = "SELECT coalesce(max(step), 0) FROM gathered_steps WHERE shard = ? AND own <= ?"
            ((step,),) = self._select(query, shard, own.step)
            return LearnerSnapshot(step, own.state)
        newest = next(self._select("SELECT step, state FROM learner"), None)
        return None if newest is None else LearnerSnapshot(*newest)

    def seed_urls(self) -> tuple[Url, ...]:
        """Return the URLs that the run started with, which are the first that it met."""
        rows = self._select("SELECT url FROM links WHERE id < ? ORDER BY id", self.progress.seeds)
        return tuple(Url(text) for (text,) in rows)

    def recorded_answers(self) -> RecordedAnswers:
        """Return the answers up to now, to be looked up by URL while the run is open."""
        return RecordedAnswers(self._select, self._folder.database_file, self.seed_urls())

    def recorded_exchanges(self, *, relevant_only: bool = False) -> RecordedExchanges:
        """Return the answers as WARC records, usable while the run is open; of all fetches, or of relevant pages."""
        return RecordedExchanges(self._select, self._folder.database_file, relevant_only=relevant_only)

    def discovered_graph(self) -> DiscoveredGraph:
        """Return the graph over the pages discovered, redirects resolved, usable while the run is open.

        Read it inside `at_one_moment` where a crawl may be writing.
        """
        return DiscoveredGraph(self._select)

    def graph(self) -> LinkGraph:
        """Return the same graph in memory, to be ranked."""
        with self.at_one_moment():
            return self.discovered_graph().link_graph()

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let everything read inside see the run as at the first read, whatever a crawl writes meanwhile.

        May be nested.
        """
        if self._db.in_transaction:
            yield
            return
        with wrap_sqlite_errors(self._folder.database_file):
            self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.rollback()

    def edges(self) -> Iterator[tuple[Url, Url]]:
        """Yield every page with the targets of its links, each pair once."""
        rows = self._select(
            """SELECT s.url, t.url FROM edges e JOIN links s ON s.id = e.source JOIN links t ON t.id = e.target
               ORDER BY e.source, e.target"""
        )
        return ((Url(source), Url(target)) for source, target in rows)

    def to_arrow(self, *, relevant: bool = False, text: bool = True) -> pa.Table:
        """Return the pages as an Arrow table with the columns of exports, all in memory (extra `parquet`)."""
        from honeyguide.runs.exports.tables import to_arrow  # noqa: PLC0415 - exports are made from runs

        return to_arrow(self, relevant=relevant, text=text)

    def to_pandas(self, *, relevant: bool = False, text: bool = True) -> pd.DataFrame:
        """Return the pages as a data frame with the columns of exports, all in memory (extra `pandas`).

        `relevant` gives the relevant pages alone; `text=False` leaves out the text of pages, which takes parsing them.
        """
        from honeyguide.runs.exports.tables import to_pandas  # noqa: PLC0415

        return to_pandas(self, relevant=relevant, text=text)

    def size_bytes(self) -> int:
        return self._folder.size_bytes()

    def close(self) -> None:
        """Release the database; may be called twice."""
        self._db.close()

    def _mode(self) -> str:
        # Readers share a file that SQLite makes beside the database. Where it may not, nobody writes a finished run.
        log = self._folder.database_file.with_name(f"{self._folder.database_file.name}-wal")
        return "mode=ro" if os.access(self.path, os.W_OK) or log.exists() else "immutable=1"

    def _progress(self) -> Progress | None:
        if self._then is not None:
            return self._then.progress
        with wrap_sqlite_errors(self._folder.database_file):
            return read_progress(self._db)

    def _select(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        with wrap_sqlite_errors(self._folder.database_file):
            for row in self._db.execute(query, values):  # noqa: UP028 - `yield from` would close the cursor of a closed run
                yield row

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_run(path: Path | str) -> Run:
    """Open a run folder for reading, or RUN@1 as it was after its first pass. RunDamaged where it cannot be read."""
    return Run(*split_pass(path))


def opened_run(run: Run | Path | str) -> AbstractContextManager[Run]:
    """Give an open run: one opened from its folder is closed at the end, the caller's own stays open."""
    return nullcontext(run) if isinstance(run, Run) else open_run(run)
