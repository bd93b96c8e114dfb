"""Passes: a run looked at again in place, pass by pass, with the older versions of its pages kept.

A pass is crawled beside the run, in a run folder of its own inside it (`RUN/pass-2`), by the same engine: it can be
killed and goes on. When it has ended, one transaction takes it into the run. Its fetches become the next steps of the
run, so a pass is a range of steps. A page that came changed takes the place of the one before, which goes to
`versions`, as do pages that have moved or are gone; one that came with the same title and text, or not at all, stays.
New pages and links are added under new numbers. The learner of the run is not told: its journal and rewards stay those
of the crawl. Of a page that its publisher has reserved meanwhile, no version stays.

The tables of a run thus hold its newest state, and everything that reads them shows that. `RUN@1` is the state at the
end of the first pass: views take the place of three tables, for one connection.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from honeyguide.errors import RunDamaged, StoreError
from honeyguide.model import LinkState
from honeyguide.runs.archive import file_name
from honeyguide.runs.bodies import ARCHIVE_FOLDER, wrap_sqlite_errors
from honeyguide.runs.records import Progress
from honeyguide.runs.revisits import GONE_STATUSES, MOVED_STATUSES, PageChange
from honeyguide.runs.state import FIRST_PROGRESS, read_progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.runs.discovered_graph import Select
    from honeyguide.runs.folder import RunFolder

INDEX_FOLDER: Final = "index"
_PREFIX: Final = "pass-"
_PAGE_COLUMNS: Final = """title, content_type, media_type, charset, words, relevance, is_relevant, crawl_relevance,
    was_relevant, depth, distance, digest, description, cut_by"""
_OF_P: Final = ", ".join(f"p.{name.strip()}" for name in _PAGE_COLUMNS.split(","))
_ADDED: Final = (
    "unchanged", "unknown", "dispatches", "decisions", "spent_seconds", "body_bytes", "robots_fetches", "pruned",
    "out_of_scope", "pages_not_followed", "links_not_followed", "retries", "waited_for_hosts", "score_lost_waiting",
)  # fmt: skip


class Pass(NamedTuple):
    """One pass of a run that has several."""

    number: int
    first_step: int
    last_step: int  # of its own looks; where the crawl went on after them, `progress.steps` is larger
    ended_at: float
    budget: int  # fetches of the run in all
    progress: Progress  # before the next pass


def read_passes(database: sqlite3.Connection) -> list[Pass]:
    """Return the passes of a run, in order; none where there was but one."""
    rows: list[tuple[Any, ...]] = database.execute("SELECT * FROM passes ORDER BY number").fetchall()
    return [Pass(*(*row[:-1], _progress_from(row[-1]))) for row in rows]


def _progress_from(text: str) -> Progress:
    try:
        state = json.loads(text)
        return Progress(**{name: type(default)(state.get(name, default)) for name, default in FIRST_PROGRESS.items()})
    except (ValueError, TypeError) as error:
        raise RunDamaged(f"a pass of this run cannot be read ({error!r}); restore it from a copy") from error


@dataclass(frozen=True, slots=True)
class PassFinding:
    """A page that a pass has looked at, and what it found."""

    url: str
    finding: PageChange
    title: str  # empty where it did not come
    relevance: float | None  # None where it did not come
    relevance_before: float | None  # None where it had not come before, or no version is kept
    detail: str


def found_in(select: Select, looked: Pass) -> Iterator[PassFinding]:
    """Yield what a pass found about pages, by their last answer; links that never gave a page are left out."""
    rows = select(
        """SELECT l.url, s.outcome, v.step IS NOT NULL, p.link IS NOT NULL, coalesce(p.step = s.step, 0),
                  w.step IS NOT NULL,
                  coalesce(CASE WHEN p.step = s.step THEN p.title END, w.title, ''),
                  coalesce(CASE WHEN p.step = s.step THEN p.relevance END, w.relevance),
                  coalesce(v.relevance, p.relevance),
                  coalesce(p.step = s.step, 0)
                    AND s.link IN (SELECT link FROM directives WHERE is_unindexed)
                    AND s.link IN (SELECT link FROM steps WHERE step < ?1 AND outcome = 'fetched'),
                  CASE s.reason WHEN '' THEN coalesce(s.target, s.detail) ELSE s.reason || ': ' || s.detail END
           FROM (SELECT max(step) AS step FROM steps WHERE step BETWEEN ?1 AND ?2 GROUP BY link) last
           JOIN steps s ON s.step = last.step JOIN links l ON l.id = s.link LEFT JOIN pages p ON p.link = s.link
           LEFT JOIN versions v ON v.link = s.link AND v.until_step = s.step LEFT JOIN versions w ON w.step = s.step
           ORDER BY s.step""",
        looked.first_step,
        looked.last_step,
    )
    for (
        url,
        outcome,
        is_otherwise,
        has_page,
        is_newest,
        is_older,
        title,
        relevance,
        before,
        is_reserved,
        detail,
    ) in rows:
        is_there = is_newest or is_older
        match outcome:
            case "unchanged":
                finding = PageChange.SAME
            case "fetched" if is_otherwise or is_reserved:
                finding = PageChange.CHANGED
            case "fetched" if is_there:
                finding = PageChange.NEW
            case "redirected" if is_otherwise:
                finding = PageChange.MOVED
            case "failed" if is_otherwise:
                finding = PageChange.GONE
            case "failed" | "refused" | "redirected" if has_page:
                finding = PageChange.FAILED
            case _:
                continue
        known = None if finding is PageChange.NEW or is_reserved else before
        told = "reserved by its publisher" if is_reserved else "" if is_there else detail
        yield PassFinding(url, finding, title, relevance, known, told)


def show_as_of(database: sqlite3.Connection, last_step: int) -> None:
    """Let everything that reads this connection see pages, bodies and steps as they were after a step."""
    last = int(last_step)
    then = f"step <= {last} AND until_step > {last}"
    database.executescript(
        f"""CREATE TEMP VIEW steps AS SELECT * FROM main.steps WHERE step <= {last};
            CREATE TEMP VIEW pages AS SELECT link, step, {_PAGE_COLUMNS} FROM main.pages WHERE step <= {last}
              UNION ALL SELECT link, step, {_PAGE_COLUMNS} FROM main.versions WHERE {then};
            CREATE TEMP VIEW bodies AS SELECT b.link, b.body FROM main.bodies b JOIN main.pages p ON p.link = b.link
              WHERE p.step <= {last}
              UNION ALL SELECT link, body FROM main.versions WHERE {then} AND body IS NOT NULL;"""  # noqa: S608
    )


class PassFolder:
    """The folder of the next pass of a run, which the caller holds."""

    def __init__(self, run: RunFolder) -> None:
        """Pass folders that are in the run already, or were never whole, are removed."""
        self._run = run
        with wrap_sqlite_errors(run.database_file), self._opened() as database:
            done = [each.number for each in read_passes(database)]
        self.number = max(2, len(done) + 1)
        self.path = run.path / f"{_PREFIX}{self.number}"
        for number in done:
            shutil.rmtree(run.path / f"{_PREFIX}{number}", ignore_errors=True)
        self.is_begun = (self.path / "honeyguide.json").exists()
        if not self.is_begun:
            shutil.rmtree(self.path, ignore_errors=True)

    def take_in(self, budget: int) -> None:
        """Take the pass, which has ended, into its run, all or nothing. `budget` is the fetches of the run in all."""
        index = self._run.path / INDEX_FOLDER
        with wrap_sqlite_errors(self._run.database_file), self._opened() as database:
            shutil.rmtree(index, ignore_errors=True)  # derived, and made again when it is wanted
            database.execute("ATTACH DATABASE ? AS later", (str(self.path / "crawl.sqlite"),))
            first_file = _copy_archive(database, self._run.path, self.path)
            with _transaction(database):
                _Merge(database, self.number, budget, first_file).make()
        shutil.rmtree(index, ignore_errors=True)  # a search may have made it again meanwhile
        shutil.rmtree(self.path, ignore_errors=True)

    def _opened(self) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(self._run.database_file, isolation_level=None))


def _copy_archive(database: sqlite3.Connection, run: Path, folder: Path) -> int:
    """Copy the archive files of a pass behind those of the run; return the number of the first."""
    ((first,),) = database.execute("SELECT coalesce(max(file) + 1, 0) FROM main.archive WHERE file >= 0")
    files = [file for (file,) in database.execute("SELECT DISTINCT file FROM later.archive")]
    for file in files:
        target = run / ARCHIVE_FOLDER / file_name(first + file)
        target.parent.mkdir(exist_ok=True)
        try:
            shutil.copyfile(folder / ARCHIVE_FOLDER / file_name(file), target)
        except OSError as error:
            raise StoreError(f"cannot write {target}: {error.strerror}; free some space and refresh again") from error
    return int(first)


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


class _Merge:
    """Writes what a pass found into the tables of its run; `main` is the run, `later` the pass."""

    def __init__(self, database: sqlite3.Connection, number: int, budget: int, first_file: int) -> None:
        self._db = database
        self._number = number
        self._budget = budget
        self._first_file = first_file
        before, later = read_progress(database), _progress_from(_only(database, "SELECT state FROM later.progress"))
        assert before is not None, "a run without a first step has no pages to look at again"
        self._before, self._later = before, later
        self._steps = before.steps  # that the pass comes after

    def make(self) -> None:
        self._number_links()
        self._add_links_and_steps()
        self._put_pages_aside()
        self._add_pages()
        self._add_facts_about_hosts()
        self._save_progress()

    def _number_links(self) -> None:
        """Give every link of the pass its number in the run, and note the findings about pages that it had."""
        self._run(
            f"""CREATE TEMP TABLE renumbered (old INTEGER PRIMARY KEY, new INTEGER NOT NULL, is_new INTEGER NOT NULL);
               INSERT INTO renumbered SELECT l.id, m.id, 0 FROM later.links l JOIN main.links m ON m.url = l.url;
               INSERT INTO renumbered
                 SELECT l.id, (SELECT coalesce(max(id), -1) FROM main.links) + row_number() OVER (ORDER BY l.id), 1
                 FROM later.links l WHERE l.id NOT IN (SELECT old FROM renumbered);
               CREATE TEMP TABLE same AS SELECT p.link AS old FROM later.pages p JOIN renumbered r ON r.old = p.link
                 JOIN main.pages m ON m.link = r.new LEFT JOIN later.directives d ON d.link = p.link
                 LEFT JOIN main.directives b ON b.link = m.link
                 WHERE m.digest = p.digest AND coalesce(d.is_unindexed, 0) = coalesce(b.is_unindexed, 0);
               CREATE TEMP TABLE ended AS SELECT r.new AS link, max(s.step) AS step, p.link IS NOT NULL AS is_replaced,
                   coalesce(d.is_unindexed, 0) AS is_unindexed
                 FROM later.steps s JOIN renumbered r ON r.old = s.link JOIN main.pages m ON m.link = r.new
                 LEFT JOIN later.pages p ON p.link = s.link LEFT JOIN later.directives d ON d.link = s.link
                 WHERE s.link NOT IN (SELECT old FROM same) AND (s.outcome = 'fetched'
                   OR (s.outcome = 'redirected' AND s.status IN {MOVED_STATUSES})
                   OR (s.outcome = 'failed' AND s.status IN {GONE_STATUSES})) GROUP BY r.new;"""  # noqa: S608
        )

    def _add_links_and_steps(self) -> None:
        """Let links of the pass that still wait wait in the run; those it fetched are done."""
        done, waiting, before = LinkState.DONE, LinkState.WAITING, self._before
        self._run(
            f"""INSERT INTO main.links SELECT r.new, l.url, CASE l.state WHEN {LinkState.IN_FLIGHT} THEN {waiting}
                    ELSE l.state END, p.new, l.hops, l.anchor, l.description, l.score, l.row, f.new, l.level, l.carried
                  FROM later.links l JOIN renumbered r ON r.old = l.id AND r.is_new
                  LEFT JOIN renumbered p ON p.old = l.page LEFT JOIN renumbered f ON f.old = l.found_on;
                UPDATE main.links SET state = {done} WHERE id IN (SELECT r.new FROM renumbered r
                  JOIN later.links l ON l.id = r.old WHERE NOT r.is_new AND l.state = {done});
                INSERT INTO main.pairs SELECT r.new, p.score, p.row FROM later.pairs p
                  JOIN renumbered r ON r.old = p.link AND r.is_new;
                INSERT OR IGNORE INTO main.skips SELECT r.new, s.after_steps + {self._steps}, s.reason,
                  s.decision + {before.decisions} FROM later.skips s JOIN renumbered r ON r.old = s.link;
                INSERT INTO main.steps SELECT s.step + {self._steps}, r.new, s.dispatch + {before.dispatches},
                    s.after_steps + {self._steps}, s.chosen_at, s.finished_at, s.score, s.explored,
                    CASE WHEN s.outcome = 'fetched' AND s.link IN (SELECT old FROM same) THEN 'unchanged'
                      ELSE s.outcome END, s.status, s.reason, s.target, s.detail, s.elapsed_s, s.body_bytes, NULL,
                    s.decision + {before.decisions}
                  FROM later.steps s JOIN renumbered r ON r.old = s.link;
                INSERT INTO main.archive SELECT step + {self._steps}, file + {self._first_file}, offset, end
                  FROM later.archive;"""  # noqa: S608 - numbers of our own
        )

    def _put_pages_aside(self) -> None:
        """Move pages that are not what they were to their versions; of a page that is reserved now, nothing stays."""
        self._run(
            f"""INSERT INTO main.versions (step, until_step, link, {_PAGE_COLUMNS}, body)
                  SELECT p.step, e.step + {self._steps}, p.link, {_OF_P},
                    b.body FROM ended e JOIN main.pages p ON p.link = e.link LEFT JOIN main.bodies b ON b.link = p.link
                  WHERE NOT e.is_unindexed AND p.link NOT IN (SELECT link FROM main.directives WHERE is_unindexed);
                DELETE FROM main.fields WHERE step IN (SELECT p.step FROM main.pages p JOIN ended e ON e.link = p.link
                  WHERE e.is_unindexed UNION SELECT v.step FROM main.versions v JOIN ended e ON e.link = v.link
                  WHERE e.is_unindexed);
                DELETE FROM main.versions WHERE link IN (SELECT link FROM ended WHERE is_unindexed);"""  # noqa: S608
        )
        for table, column in (
            ("pages", "link"), ("bodies", "link"), ("validators", "link"), ("keywords", "link"), ("directives", "link"),
            ("identities", "link"), ("findings", "link"), ("edges", "source"),
        ):  # fmt: skip
            self._run(f"DELETE FROM main.{table} WHERE {column} IN (SELECT link FROM ended);")  # noqa: S608

    def _add_pages(self) -> None:
        new = "r.old NOT IN (SELECT old FROM same)"
        self._run(
            f"""INSERT INTO main.pages (link, step, {_PAGE_COLUMNS}) SELECT r.new, p.step + {self._steps},
                    {_OF_P}
                  FROM later.pages p JOIN renumbered r ON r.old = p.link WHERE {new};
                UPDATE main.pages SET (depth, distance) = (SELECT v.depth, v.distance FROM main.versions v
                    WHERE v.link = pages.link ORDER BY v.step DESC LIMIT 1)
                  WHERE step > {self._steps} AND link IN (SELECT link FROM main.versions);
                INSERT INTO main.bodies SELECT r.new, b.body FROM later.bodies b JOIN renumbered r ON r.old = b.link
                  WHERE {new};
                INSERT INTO main.fields SELECT f.step + {self._steps}, f.fields FROM later.fields f
                  JOIN later.pages p ON p.step = f.step JOIN renumbered r ON r.old = p.link WHERE {new};
                INSERT OR REPLACE INTO main.fields SELECT m.step, f.fields FROM later.fields f
                  JOIN later.pages p ON p.step = f.step JOIN same ON same.old = p.link
                  JOIN renumbered r ON r.old = p.link JOIN main.pages m ON m.link = r.new;
                INSERT INTO main.keywords SELECT r.new, k.number, k.score, k.search, k.keyword FROM later.keywords k
                  JOIN renumbered r ON r.old = k.link WHERE {new};
                INSERT OR REPLACE INTO main.validators SELECT r.new, v.etag, v.last_modified FROM later.validators v
                  JOIN renumbered r ON r.old = v.link;
                DELETE FROM main.directives WHERE link IN (SELECT new FROM renumbered r JOIN same ON same.old = r.old);
                INSERT OR REPLACE INTO main.directives SELECT r.new, d.robots_tag, d.tdm, d.rules, d.policy,
                  d.is_unindexed FROM later.directives d JOIN renumbered r ON r.old = d.link;
                INSERT INTO main.identities SELECT i.step + {self._steps}, r.new, i.text, i.canonical
                  FROM later.identities i JOIN renumbered r ON r.old = i.link WHERE {new};
                DELETE FROM main.edges WHERE source IN (SELECT r.new FROM later.pages p
                  JOIN renumbered r ON r.old = p.link WHERE {new});
                INSERT OR IGNORE INTO main.edges SELECT s.new, t.new FROM later.edges e
                  JOIN renumbered s ON s.old = e.source JOIN renumbered t ON t.old = e.target
                  WHERE s.new NOT IN (SELECT link FROM main.pages WHERE step <= {self._steps});"""  # noqa: S608
        )
        self._count_clicks()

    def _count_clicks(self) -> None:
        """Count the clicks to new pages from the seeds of the run: those of the pass were pages of it."""
        rows = self._db.execute(
            """SELECT p.link, l.page FROM main.pages p JOIN renumbered r ON r.new = p.link AND r.is_new
               JOIN main.links l ON l.id = p.link WHERE l.page IS NOT NULL ORDER BY p.step"""
        ).fetchall()
        self._db.executemany(
            """UPDATE main.pages SET depth = coalesce((SELECT depth + 1 FROM main.pages WHERE link = ?2), depth)
               WHERE link = ?1""",
            rows,
        )

    def _add_facts_about_hosts(self) -> None:
        self._run(
            """INSERT OR REPLACE INTO main.hosts SELECT * FROM later.hosts;
               INSERT INTO main.site_files SELECT * FROM later.site_files WHERE true
                 ON CONFLICT (origin, path, asked_at) DO UPDATE SET expires = excluded.expires,
                   detail = excluded.detail, troubles = excluded.troubles, times = times + excluded.times - 1;
               INSERT INTO main.stage_seconds SELECT * FROM later.stage_seconds WHERE true
                 ON CONFLICT (stage) DO UPDATE SET seconds = seconds + excluded.seconds;"""
        )

    def _save_progress(self) -> None:
        before, later = self._before, self._later
        counted = {name: getattr(before, name) + getattr(later, name) for name in _ADDED}
        progress = before._replace(
            **counted,
            steps=before.steps + later.steps,
            now=max(before.now, later.now),
            pages=self._count("pages WHERE link NOT IN (SELECT link FROM main.directives WHERE is_unindexed)"),
            relevant=self._count("pages WHERE is_relevant"),
            unindexed=self._count("pages WHERE link IN (SELECT link FROM main.directives WHERE is_unindexed)"),
            waiting=self._count(f"links WHERE state = {LinkState.WAITING}"),
            findings=self._count("findings"),
        )
        budget_before = self._budget - later.fetches
        if self._number == 2:  # the crawl itself was the first
            self._add_pass(1, 1, before, budget_before)
        else:  # the crawl may have gone on since the pass before, whose state ends here
            self._db.execute(
                "UPDATE main.passes SET budget = ?, progress = ? WHERE number = ?",
                (budget_before, json.dumps(before._asdict()), self._number - 1),
            )
        self._add_pass(self._number, before.steps + 1, progress, self._budget)
        self._db.execute("UPDATE main.progress SET state = ?", (json.dumps(progress._asdict()),))

    def _add_pass(self, number: int, first_step: int, progress: Progress, budget: int) -> None:
        facts = (number, first_step, progress.steps, progress.now, budget, json.dumps(progress._asdict()))
        self._db.execute("INSERT INTO main.passes VALUES (?,?,?,?,?,?)", facts)

    def _count(self, what: str) -> int:
        return int(_only(self._db, f"SELECT count(*) FROM main.{what}"))  # noqa: S608

    def _run(self, script: str) -> None:
        """Run statements one by one: `executescript` would end the transaction."""
        for statement in script.split(";"):
            if statement.strip():
                self._db.execute(statement)


def _only(database: sqlite3.Connection, query: str) -> Any:  # noqa: ANN401 - as SQLite gives it
    row = database.execute(query).fetchone()
    if row is None:
        raise RunDamaged(f"the pass has no step; delete its folder {_PREFIX}N in the run and refresh again")
    return row[0]
