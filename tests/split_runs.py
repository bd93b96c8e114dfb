"""Takes a run apart into the shards that several machines would have left, host by host.

A shard knows the links of its hosts, all that its own pages show, and every page, which may show one of its links.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from honeyguide.model import LinkState, Url
from honeyguide.runs import open_run
from honeyguide.runs.schema import create_tables
from honeyguide.runs.shards import CLUSTER_FILE, shard_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATABASE = "crawl.sqlite"
_PAGE_COLUMNS = """title, content_type, media_type, charset, words, relevance, is_relevant, crawl_relevance,
    was_relevant, depth, distance, digest, description, cut_by"""


def split(run: Path, whole: Path, count: int, owner: Callable[[str], int]) -> Path:
    """Make a run folder `whole` with shards out of a run; `owner` says which shard has a host.

    Where it is there already, its shards go on to where the run is now.
    """
    whole.mkdir(parents=True, exist_ok=True)
    for name in ("honeyguide.json", "settings.toml"):
        shutil.copy(run / name, whole / name)
    (whole / CLUSTER_FILE).write_text(json.dumps({"format": 1, "shards": count}))
    for number in range(count):
        folder = shard_folder(whole, number)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("honeyguide.json", "settings.toml"):
            shutil.copy(run / name, folder / name)
        if (run / "archive").exists():
            shutil.copytree(run / "archive", folder / "archive", dirs_exist_ok=True)
        _split_database(run, folder / DATABASE, lambda url, number=number: int(owner(Url(url).host) == number))  # type: ignore[misc]
    return whole


def _split_database(run: Path, file: Path, is_own: Callable[[str], int]) -> None:
    for each in file.parent.glob(f"{DATABASE}*"):
        each.unlink()
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        create_tables(db)
        db.create_function("is_own", 1, is_own)
        db.execute("ATTACH DATABASE ? AS old", (str(run / DATABASE),))
        with open_run(run) as opened:
            progress = opened.progress
        db.executescript(
            f"""
            CREATE TEMP TABLE own AS SELECT id FROM old.links WHERE is_own(url);
            CREATE TEMP TABLE came AS SELECT link, min(step) AS step FROM old.steps
              WHERE outcome IN ('fetched', 'redirected') GROUP BY link;
            CREATE TEMP TABLE shown AS SELECT link, min(at) AS at FROM (
              SELECT id AS link, 0 AS at FROM own WHERE id NOT IN (SELECT target FROM old.edges)
              UNION ALL SELECT e.target, c.step FROM old.edges e JOIN came c ON c.link = e.source
                WHERE e.source IN (SELECT id FROM own) OR e.target IN (SELECT id FROM own)
              UNION ALL SELECT p.link, c.step FROM old.pages p JOIN came c ON c.link = p.link
            ) GROUP BY link;
            CREATE TEMP TABLE renumbered AS SELECT link AS old, row_number() OVER (ORDER BY
              link >= {progress.seeds} OR link NOT IN (SELECT id FROM own), at, link) - 1 AS new FROM shown;
            CREATE UNIQUE INDEX temp.by_old ON renumbered (old);
            CREATE TEMP TABLE resteps AS SELECT step AS old, row_number() OVER (ORDER BY step) AS new
              FROM old.steps WHERE link IN (SELECT id FROM own);
            CREATE UNIQUE INDEX temp.step_by_old ON resteps (old);
            INSERT INTO links SELECT r.new, l.url, CASE WHEN is_own(l.url) THEN l.state ELSE {LinkState.ELSEWHERE} END,
              p.new, l.hops, l.anchor, l.description, l.score, l.row, f.new, l.level, l.carried
              FROM old.links l JOIN renumbered r ON r.old = l.id LEFT JOIN renumbered p ON p.old = l.page
              LEFT JOIN renumbered f ON f.old = l.found_on;
            INSERT INTO steps SELECT s.new, r.new, t.dispatch,
              coalesce((SELECT max(new) FROM resteps WHERE old <= after_steps), 0),
              t.chosen_at, t.finished_at, t.score, t.explored, t.outcome, t.status, t.reason, t.target, t.detail,
              t.elapsed_s, t.body_bytes, t.reward, t.decision
              FROM old.steps t JOIN resteps s ON s.old = t.step JOIN renumbered r ON r.old = t.link;
            INSERT INTO edges SELECT s.new, t.new FROM old.edges e JOIN renumbered s ON s.old = e.source
              JOIN renumbered t ON t.old = e.target WHERE e.source IN (SELECT id FROM own);
            INSERT INTO hosts SELECT * FROM old.hosts WHERE is_own('http://' || host || '/');
            INSERT INTO site_files SELECT * FROM old.site_files WHERE is_own(origin || '/');
            INSERT INTO learner SELECT * FROM old.learner;
            INSERT INTO stage_seconds SELECT * FROM old.stage_seconds;
            INSERT INTO findings SELECT r.new, s.new, u.new, f.kind, f.about, f.rule, k.new, f.numbers, f.demotion
              FROM old.findings f JOIN renumbered r ON r.old = f.link JOIN resteps s ON s.old = f.step
              JOIN resteps u ON u.old = f.found_at LEFT JOIN renumbered k ON k.old = f."like"
            """
        )
        for table, columns in (
            ("pages", _PAGE_COLUMNS),
            ("identities", "text, canonical"), ("prints", "moment, print"),
        ):  # fmt: skip
            order = "r.new, s.new" if table == "pages" else "s.new, r.new"
            db.execute(
                f"""INSERT INTO {table} SELECT {order}, {columns} FROM old.{table} p JOIN resteps s ON s.old = p.step
                    JOIN renumbered r ON r.old = p.link"""
            )
        for table, columns in (
            ("bodies", "body"), ("keywords", "number, score, search, keyword"), ("validators", "etag, last_modified"),
            ("directives", "robots_tag, tdm, rules, policy, is_unindexed"),
        ):  # fmt: skip
            db.execute(
                f"""INSERT INTO {table} SELECT r.new, {columns} FROM old.{table} p
                    JOIN renumbered r ON r.old = p.link WHERE p.link IN (SELECT id FROM own)"""
            )
        for table, columns in (
            ("choices", "waiting, score_lost, row, weights, chance, bonus, better"), ("fields", "fields"),
            ("archive", 'file, offset, "end"'),
        ):  # fmt: skip
            db.execute(
                f"INSERT INTO {table} SELECT s.new, {columns} FROM old.{table} p JOIN resteps s ON s.old = p.step"
            )

        def one(query: str) -> int:
            return int(db.execute(query).fetchone()[0])

        of_shard = progress._replace(
            steps=one("SELECT count(*) FROM steps"),
            dispatches=one("SELECT count(*) FROM steps"),
            decisions=one("SELECT count(*) FROM steps"),
            unknown=one("SELECT count(*) FROM steps WHERE outcome = 'unknown'"),
            pages=one("SELECT count(*) FROM pages WHERE link NOT IN (SELECT link FROM directives WHERE is_unindexed)"),
            relevant=one("SELECT count(*) FROM pages WHERE is_relevant"),
            body_bytes=one("SELECT coalesce(sum(body_bytes), 0) FROM steps"),
            waiting=one(f"SELECT count(*) FROM links WHERE state = {LinkState.WAITING}"),
            findings=one("SELECT count(*) FROM findings"),
            seeds=one(f"SELECT count(*) FROM own WHERE id < {progress.seeds}"),
        )
        db.execute("INSERT INTO progress VALUES (1, ?)", (json.dumps(of_shard._asdict()),))
        db.execute("PRAGMA journal_mode = WAL")
