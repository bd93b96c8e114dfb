"""A run opened for reading, also while a crawl writes to it."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from honeyguide.errors import RunDamaged
from honeyguide.model import KeywordMatch, LinkId, Url
from honeyguide.runs.answers import page_at, read_answers, read_pages
from honeyguide.runs.bodies import StoredBodies, wrap_sqlite_errors
from honeyguide.runs.discovered_graph import DiscoveredGraph
from honeyguide.runs.folder import RunFolder
from honeyguide.runs.forecast import HORIZONS, read_outlook
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
from honeyguide.runs.recorded import RecordedAnswers, RecordedExchanges
from honeyguide.runs.records import LearnerSnapshot, Progress
from honeyguide.runs.revisits import HostsAsked, Revisits
from honeyguide.runs.schema import refuse_strange_tables
from honeyguide.runs.state import read_progress
from honeyguide.runs.traps import TrapRecords
from honeyguide.settings import load_run_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from honeyguide.runs.answers import PageColumns
    from honeyguide.runs.forecast import Outlook
    from honeyguide.runs.graph import LinkGraph
    from honeyguide.runs.history import KeptChoice, KeptOfLink, LinkHistory
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


class Run:
    """A run folder, read-only. Close it, or use it as a context manager. For one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._folder = RunFolder.open(path)
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
        except BaseException:
            self._db.close()
            raise

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

    def fetches(self, after_step: int = 0) -> Iterator[tuple[Any, ...]]:
        """Yield step, URL as text, outcome, reason, status, relevance and whether that is relevant, in order of steps.

        Of every fetch that ended after a step: plain columns, because sums are made of very many. Without a page, the
        last two are None.
        """
        return self._select(
            """SELECT s.step, l.url, s.outcome, s.reason, s.status, p.relevance, p.is_relevant
               FROM steps s JOIN links l ON l.id = s.link LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
               WHERE s.step > ? AND s.outcome <> 'unknown' ORDER BY s.step""",
            after_step,
        )

    def harvest_sketch(self, points: int) -> tuple[int, ...]:
        """Return the relevant pages after each of so many equal parts of the fetches; all of it in one look."""
        ((last,),) = self._select("SELECT coalesce(max(step), 0) FROM steps")
        rows = self._select(
            "SELECT (step - 1) * ?1 / ?2, count(*) FROM pages WHERE is_relevant GROUP BY 1", points, max(1, last)
        )
        counts = dict(rows)
        return tuple(accumulate((counts.get(part, 0) for part in range(points)), initial=0)) if last else ()

    def outlook(self, horizons: Sequence[int] = HORIZONS) -> Outlook:
        """Return what so many more fetches would bring, and what is known of the links that wait."""
        return read_outlook(self._select, self.progress, horizons)

    def judgements(self) -> Iterator[tuple[int, float, int]]:
        """Yield step, relevance and whether it is relevant of every page, by the newest judgement."""
        return cast("Iterator[tuple[int, float, int]]", self._select("SELECT step, relevance, is_relevant FROM pages"))

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

    def hosts_asked(self) -> HostsAsked:
        """Return a reader of host rests and robots.txt files, usable while the run is open."""
        return HostsAsked(self._db, self._folder.database_file, self.progress)

    def trap_records(self) -> TrapRecords:
        """Return a reader of what the guard has found, usable while the run is open."""
        return TrapRecords(self._select)

    def guard_findings(self, *, kind: str = "", host: str = "") -> Iterator[GuardFinding]:
        """Yield pages judged part of a loop or a trap, or duplicates, in the order they came; of one kind or host."""
        return TrapRecords(self._select).findings(kind, host)

    def guard_fingerprint(self, step: int) -> bytes | None:
        """Return the guard's packed fingerprint of the page that a step brought; None where there is none."""
        return next((packed for (packed,) in self._select("SELECT print FROM prints WHERE step = ?", step)), None)

    def trap_summary(self, *, kind: str = "", host: str = "") -> TrapSummary:
        """Return traps with their cost and evidence, and the links moved; of one kind or host alone, where given."""
        return TrapRecords(self._select).summary(kind, host)

    def restarts(self) -> Iterator[Restart]:
        """Yield every restart of the crawl, in order."""
        return TrapRecords(self._select).restarts()

    def learner_snapshot(self) -> LearnerSnapshot | None:
        """Return the newest stored state of strategy and judge: of the end, or of some steps ago."""
        newest = next(self._select("SELECT step, state FROM learner"), None)
        return None if newest is None else LearnerSnapshot(*newest)

    def recorded_answers(self) -> RecordedAnswers:
        """Return the answers up to now, to be looked up by URL while the run is open."""
        return RecordedAnswers(self._select, self._folder.database_file, self.progress.seeds)

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
    """Open a run folder for reading. RunDamaged when it is not one that this program can read."""
    return Run(Path(path))


def opened_run(run: Run | Path | str) -> AbstractContextManager[Run]:
    """Give an open run: one opened from its folder is closed at the end, the caller's own stays open."""
    return nullcontext(run) if isinstance(run, Run) else open_run(run)
