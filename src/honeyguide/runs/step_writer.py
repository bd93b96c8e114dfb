"""Writes a step into the database, statement by statement; the store makes one transaction of it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, assert_never

from honeyguide.model import Cut, Failed, Fetched, LinkState, Redirected, Refused, Unchanged, Unknown, Url
from honeyguide.model.outcome import whole_exchange
from honeyguide.runs.bodies import body_packer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from honeyguide.model import KnownPage, LinkId, Outcome
    from honeyguide.runs.archive import WarcArchive
    from honeyguide.runs.records import (
        CompletionRecord,
        FoundLink,
        GuardRecord,
        JournalEntry,
        PairRecord,
        RedirectedLink,
        RestartRecord,
        StepRecord,
        VisitRecord,
    )


def write_guard(database: sqlite3.Connection, record: GuardRecord, step: int) -> None:
    """One step's part; within a transaction, after the links of the step."""
    seen = record.seen
    if seen is not None:
        database.execute("INSERT INTO prints VALUES (?,?,?,?)", (step, seen.link, seen.moment, seen.print))
    if record.findings:
        # Of pages that came before, the step is that of their own print.
        database.executemany(
            """INSERT INTO findings SELECT ?1, coalesce(max(step), ?2), ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM prints
               WHERE link = ?1 ON CONFLICT (link) DO NOTHING""",
            [
                (each.link, step, each.kind, each.about, each.rule, each.like, each.numbers, each.demotion)
                for each in record.findings
            ],
        )
    for column, values in (("level", record.level_by_link), ("carried", record.carried_by_link)):
        if values:
            statement = f"UPDATE links SET {column} = ? WHERE id = ?"  # noqa: S608
            database.executemany(statement, [(value, link) for link, value in values.items()])
    if record.moves:
        database.executemany(
            """INSERT INTO moves VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) ON CONFLICT (host, cause, about, kind)
               DO UPDATE SET lowered = lowered + ?5, raised = raised + ?6, dropped = dropped + ?7, last_step = ?8""",
            [
                (
                    move.host,
                    move.cause,
                    move.about,
                    move.kind,
                    move.lowered,
                    move.raised,
                    move.dropped,
                    move.after_steps,
                )
                for move in record.moves
            ],
        )
    if record.dropped:
        database.executemany(
            "UPDATE links SET state = ? WHERE id = ?", [(LinkState.DROPPED, link) for link in record.dropped]
        )


class StepWriter:
    """Writes steps into a run's database, and their answers into its archive if it has one.

    Without an archive, `keeps_bodies` says whether bodies stay in the database; see `bodies`.
    """

    def __init__(self, database: sqlite3.Connection, archive: WarcArchive | None, *, keeps_bodies: bool) -> None:
        self._db = database
        self._archive = archive
        self._keeps_bodies = keeps_bodies
        self._pack = body_packer()
        those = "WHERE link IN (SELECT link FROM directives WHERE is_unindexed)" if keeps_bodies else ""
        left = database.execute(f"SELECT link FROM bodies {those}")  # noqa: S608
        self._passing = [link for (link,) in left]  # pages whose bodies go when the learner is saved

    def write(self, step: StepRecord) -> None:
        """One step; within a transaction."""
        for restart in step.restarts:
            self._write_restart(restart)
        self._write_choices(step)
        if step.completion is not None:
            self._write_completion(step.completion, step.progress.steps)
        self._write_new_links(step.new_links)
        self._write_found_again(step.found_again)
        if step.redirect is not None:
            self._write_redirect(step.redirect)
        self._write_many("UPDATE links SET state = ? WHERE id = ?", [(LinkState.PRUNED, link) for link in step.pruned])
        self._write_pairs(step.pairs)
        self._write_shards(step)
        self._write_many(
            "UPDATE links SET state = ? WHERE id = ?",
            [(LinkState.OVER_HOST_LIMIT, link) for link in step.over_host_limit],
        )
        self._write_many(
            "INSERT OR REPLACE INTO hosts VALUES (?,?,?,?,?,?)",
            [
                (rest.host, rest.ready_at, rest.crawl_delay_s, rest.address, rest.address_ready_at, rest.troubles)
                for rest in step.hosts
            ],
        )
        self._write_many("INSERT INTO known VALUES (?,?,?,?,?,?,?,?,?)", [_known_columns(page) for page in step.known])
        self._write_answers(step)
        if step.guard is not None:
            write_guard(self._db, step.guard, step.progress.steps)
        if step.learner is None:
            self._write_journal(step.journal)
        else:
            self._write_learner(step.progress.steps, step.learner)
        self._write_many(
            """INSERT INTO stage_seconds VALUES (?, ?)
               ON CONFLICT (stage) DO UPDATE SET seconds = seconds + excluded.seconds""",
            step.stage_seconds.items(),
        )
        self._db.execute(
            "INSERT INTO progress VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET state = excluded.state",
            (json.dumps(step.progress._asdict()),),
        )

    def _write_many(self, statement: str, rows: Collection[tuple[object, ...]]) -> None:
        if rows:
            self._db.executemany(statement, rows)

    def _write_new_links(self, found: Sequence[FoundLink]) -> None:
        self._write_many(
            """INSERT INTO links (id, url, found_on, hops, page, anchor, description, score, row)
               VALUES (?,?,?,?,?,?,?,?,?)""",
            [(new.link, new.url.text, new.page, new.hops, *_described(new)) for new in found],
        )

    def _write_found_again(self, found: Sequence[FoundLink]) -> None:
        self._write_many(
            """UPDATE links SET page = ?, anchor = ?, description = ?, score = ?, row = ?, hops = ?, state = ?
               WHERE id = ?""",
            [(*_described(again), again.hops, LinkState.WAITING, again.link) for again in found],
        )

    def _write_shards(self, step: StepRecord) -> None:
        """Write what goes to other shards, and what has come from one."""
        self._write_many(
            "UPDATE links SET state = ? WHERE id = ?", [(LinkState.ELSEWHERE, link) for link in step.elsewhere]
        )
        self._write_many(
            "INSERT INTO outbox VALUES (?,?)", [(number, parcel.pack()) for number, parcel in step.numbered_outbox()]
        )
        delivery = step.delivery
        if delivery is None:
            return
        self._write_many("INSERT OR REPLACE INTO inbox_marks VALUES (?,?)", delivery.marks.items())
        for seen in delivery.sightings:
            told = seen.parcel
            self._db.execute(
                "INSERT OR REPLACE INTO pages_elsewhere VALUES (?,?,?,?,?)",
                (seen.page, told.relevance, told.is_relevant, told.distance, told.depth),
            )
            self._db.execute(
                "INSERT INTO sightings (after_steps, link, facts, targets) VALUES (?,?,?,?)",
                (step.progress.steps, seen.page, json.dumps(told.handed_down), ",".join(map(str, seen.targets))),
            )

    def _write_restart(self, restart: RestartRecord) -> None:
        self._write_new_links(restart.new_links)
        self._write_found_again(restart.again)
        self._write_many(
            "UPDATE links SET state = ? WHERE id = ?", [(LinkState.PRUNED, link) for link in restart.pruned]
        )
        self._write_pairs(restart.pairs)
        self._db.execute(
            "INSERT INTO restarts VALUES (?,?,?,?,?,?)",
            (
                restart.number, restart.after_steps, restart.moment, restart.reason, restart.source,
                json.dumps(restart.links),
            ),
        )  # fmt: skip

    def _write_pairs(self, pairs: Sequence[PairRecord]) -> None:
        self._write_many(
            "INSERT INTO pairs VALUES (?, ?, ?)", [(pair.link, pair.score, pair.row.tobytes()) for pair in pairs]
        )

    def _write_choices(self, step: StepRecord) -> None:
        for chosen in step.dispatches:
            self._db.execute("UPDATE links SET state = ? WHERE id = ?", (LinkState.IN_FLIGHT, chosen.link))
            self._db.execute(
                "INSERT INTO in_flight VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (
                    chosen.link, chosen.number, chosen.after_steps, chosen.chosen_at, chosen.score, chosen.explored,
                    chosen.decision, chosen.row.tobytes(), chosen.waiting, chosen.score_lost,
                    None if chosen.weights is None else chosen.weights.tobytes(), chosen.chance,
                    chosen.bonus, chosen.better,
                ),
            )  # fmt: skip
        for skipped in step.skips:
            self._db.execute("UPDATE links SET state = ? WHERE id = ?", (LinkState.SKIPPED, skipped.link))
            self._db.execute(
                "INSERT INTO skips VALUES (?,?,?,?)",
                (skipped.link, skipped.after_steps, skipped.reason, skipped.decision),
            )

    def _write_completion(self, done: CompletionRecord, step: int) -> None:
        chosen = done.dispatch
        kind, status, reason, target, detail = _outcome_columns(done.answer.outcome)
        if done.visit is not None and done.visit.not_kept:
            detail = done.visit.not_kept
        body_bytes = len(done.answer.outcome.body) if isinstance(done.answer.outcome, Fetched) else 0
        state = LinkState.DONE if done.is_final else LinkState.WAITING
        self._db.execute("UPDATE links SET state = ? WHERE id = ?", (state, chosen.link))
        self._db.execute("DELETE FROM in_flight WHERE link = ?", (chosen.link,))
        self._db.execute(
            "INSERT INTO steps VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                step, chosen.link, chosen.number, chosen.after_steps, chosen.chosen_at, done.finished_at,
                chosen.score + chosen.bonus, chosen.explored, kind, status, reason, target, detail,
                done.answer.elapsed_s, body_bytes, done.reward, chosen.decision,
            ),
        )  # fmt: skip
        if chosen.weights is not None:
            self._db.execute(
                "INSERT INTO choices VALUES (?,?,?,?,?,?,?,?)",
                (
                    step, chosen.waiting, chosen.score_lost, chosen.row.tobytes(), chosen.weights.tobytes(),
                    chosen.chance, chosen.bonus, chosen.better,
                ),
            )  # fmt: skip
        self._archive_answer(done, step)
        if done.visit is not None:
            assert isinstance(done.answer.outcome, Fetched)
            self._write_page(chosen.link, step, done.answer.outcome, done.visit)
        if done.redirect_target is not None:
            self._db.execute("INSERT OR IGNORE INTO edges VALUES (?,?)", (chosen.link, done.redirect_target))

    def _write_page(self, link: LinkId, step: int, fetched: Fetched, visit: VisitRecord) -> None:
        page, verdict = visit.page, visit.verdict
        asked = page.directives
        if fetched.robots_tag or fetched.tdm or asked.rules:
            self._db.execute(
                "INSERT INTO directives VALUES (?,?,?,?,?,?)",
                (link, fetched.robots_tag, fetched.tdm, " ".join(asked.rules), asked.tdm_policy, bool(visit.not_kept)),
            )
        if visit.identity is not None:
            text, canonical = visit.identity
            own = None if canonical is None else canonical.text
            self._db.execute("INSERT INTO identities VALUES (?,?,?,?)", (step, link, text, own))
        title = "" if visit.not_kept else page.title
        judged = verdict.relevance, verdict.is_relevant
        self._db.execute(
            "INSERT INTO pages VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                link, step, title, fetched.content_type, page.media_type, page.charset, len(page.words), *judged,
                *judged, visit.depth, visit.distance, page.digest, visit.description,
                " ".join(page.cut_by),
            ),
        )  # fmt: skip
        self._write_body(link, fetched.body, visit)
        if page.fields and not visit.not_kept:
            fields = json.dumps(dict(page.fields), allow_nan=False)
            self._db.execute("INSERT INTO fields VALUES (?,?)", (step, fields))
        if verdict.matches and not visit.not_kept:
            rows = [(link, place, each.score, each.search, each.keyword) for place, each in enumerate(verdict.matches)]
            self._db.executemany("INSERT INTO keywords VALUES (?,?,?,?,?)", rows)
        if fetched.etag or fetched.last_modified:
            self._db.execute("INSERT INTO validators VALUES (?,?,?)", (link, fetched.etag, fetched.last_modified))
        self._db.executemany("INSERT INTO edges VALUES (?,?)", [(link, target) for target in sorted(visit.targets)])

    def _write_body(self, link: LinkId, body: bytes, visit: VisitRecord) -> None:
        """Put a body into the database, unless the archive has it."""
        if visit.not_kept or not self._keeps_bodies:
            self._passing.append(link)
        elif self._archive is not None:
            return
        packed = self._pack(body) if visit.packed_body is None else visit.packed_body
        self._db.execute("INSERT INTO bodies VALUES (?,?)", (link, packed))

    def _write_answers(self, step: StepRecord) -> None:
        self._write_many(
            "INSERT INTO answers VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            [
                (
                    each.number, each.moment, each.step, each.url.text, each.link, each.answer, each.by, each.name,
                    each.message or None, each.description or None, each.undone_at,
                )
                for each in step.answers
            ],
        )  # fmt: skip
        self._write_many("UPDATE answers SET link = ? WHERE number = ?", [(link, each) for each, link in step.came])
        self._write_many(
            "UPDATE answers SET undone_at = ? WHERE number = ?", [(step.progress.steps, each) for each in step.undone]
        )
        if step.effect is not None:
            self._db.execute("INSERT INTO effects (effect) VALUES (?)", (json.dumps(asdict(step.effect)),))
        if step.judged_again is not None:
            self._write_many(
                "UPDATE pages SET relevance = ?, is_relevant = ?, distance = ? WHERE link = ?",
                list(step.judged_again.rows()),
            )

    def _archive_answer(self, done: CompletionRecord, step: int) -> None:
        exchange = None if self._archive is None else whole_exchange(done.answer)
        if self._archive is None or exchange is None:
            return
        if done.visit is not None and done.visit.not_kept:
            exchange = replace(exchange, body=b"", cut=Cut.UNSPECIFIED)
        ((text,),) = self._db.execute("SELECT url FROM links WHERE id = ?", (done.dispatch.link,))
        asked_at = done.finished_at - done.answer.elapsed_s
        place = self._archive.append(exchange, Url(text), done.answer.address, asked_at, step)
        self._db.execute("INSERT INTO archive VALUES (?,?,?,?)", (step, *place))

    def _write_redirect(self, redirect: RedirectedLink) -> None:
        if redirect.is_new:
            self._db.execute(
                """INSERT INTO links (id, url, found_on, page, hops, anchor, description, score, row)
                   SELECT ?, ?, found_on, page, ?, anchor, description, ?, row FROM links WHERE id = ?""",
                (redirect.target, redirect.url.text, redirect.hops, redirect.score, redirect.source),
            )
            return
        self._db.execute(
            """UPDATE links SET page = s.page, anchor = s.anchor, hops = ?, description = s.description, score = ?,
               row = s.row, state = ?
               FROM (SELECT * FROM links WHERE id = ?) AS s WHERE links.id = ?""",
            (redirect.hops, redirect.score, LinkState.WAITING, redirect.source, redirect.target),
        )

    def _write_journal(self, entries: Sequence[JournalEntry]) -> None:
        self._write_many(
            "INSERT INTO journal (kind, link, row, facts, next_rows) VALUES (?,?,?,?,?)",
            [
                (
                    entry.kind, entry.link, entry.row, self._pack(entry.facts.encode()),
                    None if entry.next_rows is None else self._pack(entry.next_rows),
                )
                for entry in entries
            ],
        )  # fmt: skip

    def _write_learner(self, step: int, state: bytes) -> None:
        self._db.execute("DELETE FROM journal")
        self._db.execute("DELETE FROM learner")
        self._db.execute("INSERT INTO learner VALUES (?, ?)", (step, state))
        self._db.executemany("DELETE FROM bodies WHERE link = ?", [(link,) for link in self._passing])
        self._passing.clear()
        if self._archive is not None:
            self._archive.sync()


def _described(found: FoundLink) -> tuple[object, ...]:
    row = None if found.row is None else found.row.tobytes()
    return found.page, found.anchor, found.description, found.score, row


def _known_columns(page: KnownPage) -> tuple[object, ...]:
    return (
        page.url.text,
        page.relevance,
        page.digest,
        page.etag,
        page.last_modified,
        page.first_seen_at,
        page.checked_at,
        page.changes,
        page.checks,
    )


def _outcome_columns(outcome: Outcome) -> tuple[str, int | None, str, str | None, str]:
    """Kind, status, reason, target and detail."""
    match outcome:
        case Fetched():
            return "fetched", outcome.status, "", None, ""
        case Unchanged():
            return "unchanged", outcome.status, "", None, ""
        case Redirected():
            return "redirected", outcome.status, "", outcome.target.text, ""
        case Refused():
            return "refused", None, outcome.reason.value, None, outcome.detail
        case Failed():
            target = None if outcome.target is None else outcome.target.text
            return "failed", outcome.status, outcome.reason.value, target, outcome.detail
        case Unknown():
            return "unknown", None, "", None, outcome.detail
        case _:
            assert_never(outcome)
